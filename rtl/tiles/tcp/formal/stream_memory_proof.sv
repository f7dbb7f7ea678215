// SPDX-License-Identifier: Apache-2.0
// Proves stream_memory, by induction, for an arbitrary byte of an arbitrary stream: a read that starts two cycles after the byte was last written, or later,
// returns what was written, at the byte's place in the flit, and for as long as the output is held; no other write changes it.
module stream_memory_proof
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter int unsigned Streams = 2,
    parameter int unsigned Ring = 4 * FlitBytes,
    parameter int unsigned BlockRows = 2
) (
    input logic clk_i,
    input connection_t follow_stream_i,
    input seq_t follow_i,
    input logic write_valid_i,
    input write_t write_i,
    input logic read_valid_i,
    input connection_t read_stream_i,
    input seq_t read_addr_i
);
  typedef logic [$clog2(Streams)-1:0] stream_t;
  typedef logic [$clog2(Ring)-1:0] byte_t;  // of a stream
  typedef logic [$clog2(FlitBytes)-1:0] place_t;  // in a flit

  logic rst;
  logic [W-1:0] read_data;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  stream_memory #(
      .Streams(Streams),
      .Ring(Ring)
  ) u_dut (
      .clk_i,
      .write_valid_i,
      .write_i,
      .read_valid_i,
      .read_stream_i,
      .read_addr_i,
      .read_data_o(read_data)
  );

  always_ff @(posedge clk_i) assume (write_i.first <= (EmptyWidth + 1)'(FlitBytes) && write_i.behind <= (EmptyWidth + 1)'(FlitBytes));

  // The byte that is followed, and where it is in the flits of now, if it is.
  stream_t stream_q;
  byte_t byte_q, write_from, read_from;
  logic writes, reads;
  assign write_from = byte_q - byte_t'(write_i.addr);
  assign read_from = byte_q - byte_t'(read_addr_i);
  assign writes = write_valid_i && stream_t'(write_i.connection) == stream_q && write_from >= byte_t'(write_i.first) && 32'(write_from) < 32'(write_i.behind);
  assign reads = read_valid_i && stream_t'(read_stream_i) == stream_q && 32'(read_from) < FlitBytes;

  logic known_q, written_q, expects_q;
  logic [7:0] value_q, expected_q;
  place_t place_q;
  always_ff @(posedge clk_i) begin
    if (rst) begin
      stream_q <= stream_t'(follow_stream_i);
      byte_q <= byte_t'(follow_i);
    end
    written_q <= writes;
    if (writes) begin
      known_q <= 1'b1;
      value_q <= write_i.data[8*place_t'(write_from)+:8];
    end
    if (read_valid_i) begin
      expects_q <= reads && known_q && !written_q && !writes;
      expected_q <= value_q;
      place_q <= place_t'(read_from);
    end
    if (rst) begin
      known_q   <= 1'b0;
      written_q <= 1'b0;
      expects_q <= 1'b0;
    end
  end

  // What the memory holds of it.
  localparam int unsigned Rows = Streams * Ring / FlitBytes / 2;
  localparam int unsigned Blocks = Rows / BlockRows;
  localparam int unsigned BlockBits = $clog2(BlockRows);
  typedef logic [$clog2(Rows)-1:0] row_t;
  row_t row;
  logic bank;
  place_t lane;
  logic [7:0] held;
  logic pending;  // the byte is being written
  assign lane = place_t'(byte_q);
  assign bank = byte_q[EmptyWidth];
  assign row = {stream_q, byte_q[$clog2(Ring)-1:EmptyWidth+1]};
  logic [1:0][Blocks-1:0][W-1:0] words;
  logic [1:0][Blocks-1:0] enabled;
  for (genvar b = 0; b < 2; b++) begin : gen_bank
    for (genvar k = 0; k < int'(Blocks); k++) begin : gen_block
      assign words[b][k] = u_dut.gen_bank[b].gen_block[k].mem[row[BlockBits-1:0]];
      assign enabled[b][k] = u_dut.gen_bank[b].gen_block[k].enable_q[lane] && u_dut.gen_bank[b].write_row_q == row[BlockBits-1:0];
    end
  end
  int unsigned block;
  assign block = Blocks == 1 ? 0 : 32'(row >> BlockBits);
  assign held = words[bank][block][8*lane+:8];
  assign pending = enabled[bank][block];

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      if (expects_q) assert (read_data[8*place_q+:8] == expected_q);

      // Invariants for the induction.
      assert (known_q || !written_q);
      if (known_q) assert (pending == written_q);
      if (written_q) assert (u_dut.write_data_q[8*lane+:8] == value_q);
      if (known_q && !written_q) assert (held == value_q);
    end
  end
endmodule
