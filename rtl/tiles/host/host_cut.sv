// SPDX-License-Identifier: Apache-2.0
// Cuts ranges of bytes at addresses that are multiples of Unit, and gives the pieces of each range in order, each with the range's side data. A range
// has at least one byte. Latency two cycles, one piece per cycle; outputs come from registers, and out_ready_i ends at one.
module host_cut #(
    parameter type beside_t = logic,
    parameter int unsigned AddrBits = 64,
    parameter int unsigned LengthBits = 32,
    parameter int unsigned Unit = 1024,  // a power of two, at least 2
    localparam int unsigned UnitBits = $clog2(Unit)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic [  AddrBits-1:0] in_addr_i,
    input  logic [LengthBits-1:0] in_bytes_i,
    input  beside_t               in_beside_i,

    output logic                out_valid_o,
    input  logic                out_ready_i,
    output logic [AddrBits-1:0] out_addr_o,
    output logic [  UnitBits:0] out_bytes_o,
    output logic                out_last_o,  // of its range
    output beside_t             out_beside_o,

    output logic busy_o  // a piece is on its way
);
  if (Unit < 2 || (Unit & (Unit - 1)) != 0) begin : gen_bad_unit
    $fatal(1, "host_cut: Unit is %0d; it must be a power of two, at least 2", Unit);
  end else if (LengthBits < UnitBits + 1) begin : gen_bad_length
    $fatal(1, "host_cut: LengthBits is %0d; it must be at least %0d, to hold the bytes of a piece", LengthBits, UnitBits + 1);
  end

  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [LengthBits-1:0] length_t;
  typedef logic [UnitBits:0] bytes_t;
  typedef struct packed {
    addr_t addr;
    bytes_t bytes;
    logic last;
    beside_t beside;
  } piece_t;

  logic valid_q, ready, last;
  addr_t addr_q, addr_next;
  length_t left_q;
  beside_t beside_q;
  bytes_t to_unit;
  piece_t piece, out;
  assign to_unit = bytes_t'(Unit) - bytes_t'(addr_q[UnitBits-1:0]);
  assign last = left_q <= length_t'(to_unit);
  assign piece = '{addr: addr_q, bytes: last ? bytes_t'(left_q) : to_unit, last: last, beside: beside_q};
  assign in_ready_o = !valid_q || (ready && last);
  if (AddrBits > UnitBits) begin : gen_next
    assign addr_next = {addr_q[AddrBits-1:UnitBits] + 1'b1, UnitBits'(0)};
  end else begin : gen_wraps
    assign addr_next = '0;
  end

  always_ff @(posedge clk_i) begin
    if (in_ready_o) begin
      valid_q <= in_valid_i;
      addr_q <= in_addr_i;
      left_q <= in_bytes_i;
      beside_q <= in_beside_i;
    end else if (ready) begin
      addr_q <= addr_next;
      left_q <= left_q - length_t'(to_unit);
    end
    if (rst_i) valid_q <= 1'b0;
  end

  skid_buffer #(
      .T(piece_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_valid_i(valid_q),
      .in_ready_o(ready),
      .in_data_i(piece),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out)
  );
  assign out_addr_o = out.addr;
  assign out_bytes_o = out.bytes;
  assign out_last_o = out.last;
  assign out_beside_o = out.beside;
  assign busy_o = valid_q || out_valid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!in_valid_i || in_bytes_i != '0)
      else $error("host_cut: a range of no bytes");
      several_pieces : cover (valid_q && ready && !last);
      a_range_behind_another : cover (valid_q && in_ready_o && in_valid_i);
      held_back : cover (valid_q && !ready);
    end
  end
endmodule
