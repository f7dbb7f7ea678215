// SPDX-License-Identifier: Apache-2.0
// Holds the messages that a unit sends back, so that its input never waits for its output. A flit can leave
// two cycles after it was written, even while its message is still arriving.
//
// fits_o: there is room for a message of length_i bytes. in_valid_i is only allowed for messages for which there was room at
// their first flit.
module detour_buffer
  import girih_pkg::*, compute_pkg::*;
#(
    parameter int unsigned Flits = default_detour()
) (
    input logic clk_i,
    input logic rst_i,

    input  length_t length_i,
    output logic    fits_o,

    input logic  in_offer_i,  // up whenever in_valid_i may be; in_valid_i comes late in the cycle
    input logic  in_valid_i,
    input flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o
);
  if (Flits < MaxFrameFlits || (Flits & (Flits - 1)) != 0) begin : gen_bad_flits
    $fatal(1, "detour_buffer: Flits is %0d; it must be a power of two, at least %0d", Flits, MaxFrameFlits);
  end

  localparam int unsigned PtrWidth = $clog2(Flits);
  typedef logic [PtrWidth:0] ptr_t;

  ptr_t write_q, read_q, free_q;
  logic out_valid_q, read;
  assign read = write_q != read_q && (out_ready_i || !out_valid_q);
  room_fits u_fits (
      .length_i,
      .room_i(length_t'(free_q)),
      .fits_o
  );
  assign out_valid_o = out_valid_q;

  ram_simple_dual #(
      .T(flit_t),
      .Depth(Flits)
  ) u_ram (
      .clk_i,
      .write_enable_i(in_offer_i && free_q != '0),  // writes every offer; write_q advances only for those that are taken
      .write_addr_i(write_q[PtrWidth-1:0]),
      .write_data_i(in_flit_i),
      .read_enable_i(read),
      .read_addr_i(read_q[PtrWidth-1:0]),
      .read_data_o(out_flit_o)
  );

  always_ff @(posedge clk_i) begin
    if (in_valid_i) write_q <= write_q + 1'b1;
    if (read) read_q <= read_q + 1'b1;
    if (read || out_ready_i) out_valid_q <= read;
    if (in_valid_i != read) free_q <= read ? free_q + 1'b1 : free_q - 1'b1;
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      free_q <= ptr_t'(Flits);
      out_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!in_valid_i || (in_offer_i && free_q != '0))
      else $error("detour_buffer: a flit arrived for which there was no room");
      assert (free_q == ptr_t'(Flits) - ptr_t'(write_q - read_q))
      else $error("detour_buffer: its free room is miscounted");
      full_and_held_back : cover (free_q == '0 && out_valid_o && !out_ready_i);
      full_and_read : cover (free_q == '0 && read);
      write_wraps_while_held_back : cover (in_valid_i && &write_q[PtrWidth-1:0] && out_valid_o && !out_ready_i);
      written_and_read : cover (in_valid_i && read);
    end
  end
endmodule
