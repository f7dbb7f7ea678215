// SPDX-License-Identifier: Apache-2.0
// Indirect access to a window that is larger than its place in the address map of a tile. The first bytes of such a window are
// accessed directly; all of it, by two words at the end of that place (spec/tile_map.yaml):
//
//   WindowIndex  the byte in the window that the next access to WindowData is for
//   WindowData   an access here is one to that byte. If it is not refused, the index goes to the next word
//
// Each tenant has an index of its own at each master, so the requests of others never move it. It is 0 after reset.
module window_index
  import girih_pkg::*;
#(
    parameter int unsigned Bits = 18  // of the address of a byte in the window
) (
    input logic clk_i,
    input logic rst_i,

    // From the node. A request holds until done_o.
    input  logic                valid_i,
    input  logic                write_i,
    input  ctrl_master_t        master_i,
    input  tenant_t             tenant_i,
    input  logic         [13:0] addr_i,
    input  logic         [31:0] data_i,
    output logic                done_o,
    output logic                error_o,
    output logic                late_o,  // the window did not answer in time
    output logic         [31:0] data_o,

    // To the window: the request, with the byte that is meant.
    output logic            window_valid_o,
    output logic [Bits-1:0] window_addr_o,
    input  logic            window_done_i,
    input  logic            window_error_i,
    input  logic            window_late_i,
    input  logic [    31:0] window_data_i
);
  if (Bits < 15 || Bits > 32) begin : gen_bad_bits
    $fatal(1, "window_index: Bits is %0d; it must be from 15 to 32, as a window of 14 bits is accessed directly", Bits);
  end

  localparam int unsigned Owners = 1 << ($bits(tenant_t) + $bits(ctrl_master_t));
  typedef logic [$clog2(Owners)-1:0] owner_t;
  typedef logic [Bits-1:2] index_t;  // in words

  logic clearing_q;
  owner_t cleared_q, owner;
  index_t indices[Owners];
  index_t index;
  logic is_index, is_data, good, ready, moves, sets;
  assign is_index = 32'(addr_i) == tile_map_pkg::WindowIndex - tile_map_pkg::WindowBase;
  assign is_data = 32'(addr_i) == tile_map_pkg::WindowData - tile_map_pkg::WindowBase;
  assign ready = !clearing_q || !(is_index || is_data);
  assign owner = {tenant_i, master_i};
  assign index = indices[owner];
  assign good = data_i[1:0] == '0 && (data_i >> Bits) == '0;

  assign sets = valid_i && ready && is_index && write_i && good;
  assign moves = window_valid_o && is_data && window_done_i && !window_error_i;
  always_ff @(posedge clk_i) begin
    if (clearing_q) indices[cleared_q] <= '0;
    else if (sets) indices[owner] <= data_i[Bits-1:2];
    else if (moves) indices[owner] <= index + 1'b1;
    cleared_q <= cleared_q + 1'b1;
    if (cleared_q == '1) clearing_q <= 1'b0;
    if (rst_i) begin
      clearing_q <= 1'b1;
      cleared_q <= '0;
    end
  end

  assign window_valid_o = valid_i && ready && !is_index;
  assign window_addr_o = is_data ? {index, 2'b00} : Bits'(addr_i);
  assign done_o = valid_i && ready && (is_index || window_done_i);
  assign error_o = is_index ? write_i && !good : window_error_i;
  assign late_o = !is_index && window_late_i;
  assign data_o = is_index ? 32'({index, 2'b00}) : window_data_i;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      waits_to_be_cleared : cover (valid_i && !ready);
      index_out_of_range : cover (valid_i && is_index && write_i && !good);
      refused_access_stays : cover (window_valid_o && is_data && window_done_i && window_error_i);
    end
  end
endmodule
