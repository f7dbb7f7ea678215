// SPDX-License-Identifier: Apache-2.0
// Messages of a tile of sockets to its stack: commands, one at a time, with bytes that have been written into a buffer word by word; and
// aborts, which go before the next command. A flit of a command leaves in every second cycle: its row is read in the other.
module socket_commands
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter int unsigned Flits = 64,  // of the longest command
    localparam int unsigned RowBits = $clog2(Flits),
    localparam int unsigned WordBits = $clog2(FlitBytes / 4)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                write_i,       // only while busy_o is 0
    input logic [ RowBits-1:0] write_row_i,
    input logic [WordBits-1:0] write_word_i,
    input logic [        31:0] write_data_i,

    input  logic    start_i,   // likewise only while busy_o is 0
    output logic    busy_o,
    input  op_e     op_i,      // these hold until then
    input  logic    end_i,
    input  name_t   name_i,
    input  length_t bytes_i,
    input  length_t room_i,
    input  port_t   port_i,
    input  tenant_t tenant_i,

    input  logic  abort_valid_i,
    output logic  abort_ready_o,
    input  flit_t abort_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic  made_o
);
  localparam int unsigned Words = FlitBytes / 4;
  typedef logic [RowBits-1:0] row_t;

  row_t row_q;
  logic [W-1:0] data;
  (* ram_style = "block" *)logic [W-1:0] mem[Flits];
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Words; i++) begin
      if (write_i && WordBits'(i) == write_word_i) mem[write_row_i][32*i+:32] <= write_data_i;
    end
    data <= mem[row_q];
  end

  logic busy_q, read_q, end_q, has_bytes, last, valid, ready;  // read_q: the flit's row has been read
  op_e op_q;
  length_t left_q;
  flit_t flit;
  assign has_bytes = op_q inside {OpWrite, OpOpen};
  assign last = !has_bytes || left_q <= length_t'(FlitBytes);
  assign valid = busy_q ? read_q : abort_valid_i;
  assign abort_ready_o = !busy_q && ready;
  assign busy_o = busy_q;
  always_comb begin
    flit = abort_i;
    if (busy_q) begin
      flit = '0;
      flit.data = has_bytes ? data : '0;
      flit.last = last;
      flit.empty = has_bytes && last ? EmptyWidth'(FlitBytes - 32'(left_q)) : '0;
      flit.desc.port = port_i;
      flit.desc.tenant = tenant_i;
      flit.desc.stream_op = 3'(op_q);
      flit.desc.stream_connection = name_i;
      flit.desc.stream_bytes = op_q == OpOpen ? length_t'(OpenBytes) : bytes_i;
      flit.desc.stream_room = room_i;
      flit.desc.stream_end = end_q;
    end
  end
  skid_buffer #(
      .T(flit_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_valid_i (valid),
      .in_ready_o (ready),
      .in_data_i  (flit),
      .out_valid_o,
      .out_ready_i,
      .out_data_o (out_flit_o)
  );
  assign made_o = valid && ready && flit.last;

  always_ff @(posedge clk_i) begin
    read_q <= busy_q && !(read_q && ready);
    if (busy_q && read_q && ready) begin
      left_q <= left_q - length_t'(FlitBytes);
      row_q  <= row_q + 1'b1;
      if (last) busy_q <= 1'b0;
    end
    if (start_i) begin
      busy_q <= 1'b1;
      op_q   <= op_i;
      end_q  <= end_i;
      left_q <= op_i == OpOpen ? length_t'(OpenBytes) : bytes_i;
      row_q  <= '0;
    end
    if (rst_i) begin
      busy_q <= 1'b0;
      read_q <= 1'b0;
    end
  end
endmodule
