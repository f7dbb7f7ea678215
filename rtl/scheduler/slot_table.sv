// SPDX-License-Identifier: Apache-2.0
// The entries of queued packets, by slot. The PIFO orders slots; everything else about a packet is here until
// its slot is popped. One entry is written and one read per cycle; read data comes in the next cycle. The
// allocation of slots ensures that an entry is read before its slot is written again.
module slot_table #(
    parameter type T = logic [7:0],
    parameter int unsigned Entries = 1024,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                 write_i,
    input logic [SlotWidth-1:0] write_slot_i,
    input T                     write_data_i,

    input  logic                 read_i,
    input  logic [SlotWidth-1:0] read_slot_i,
    output T                     read_data_o
);
  ram_simple_dual #(
      .T(T),
      .Depth(Entries)
  ) u_entries (
      .clk_i,
      .write_enable_i(write_i),
      .write_addr_i(write_slot_i),
      .write_data_i,
      .read_enable_i(read_i),
      .read_addr_i(read_slot_i),
      .read_data_o
  );

  // The slots that hold a packet; only for the checks.
  logic [Entries-1:0] taken_q;
  always_ff @(posedge clk_i) begin
    if (write_i) taken_q[write_slot_i] <= 1'b1;
    if (read_i) taken_q[read_slot_i] <= 1'b0;
    if (rst_i) taken_q <= Entries'(0);
    if (!rst_i) begin
      assert (!write_i || !taken_q[write_slot_i])
      else $error("slot_table: a slot was handed out twice");
      assert (!read_i || taken_q[read_slot_i])
      else $error("slot_table: an empty slot was read");
    end
  end
endmodule
