// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows about each queued packet, by slot, and the slots that are free. A PIFO
// orders slots; everything else about a packet waits here until the slot is popped.
//
// A free slot is offered as long as there is one; taking it and writing the entry is one step. An
// entry is read in the cycle after read_i, and by that read its slot is free again. One slot taken
// and one read per cycle. Slots are first handed out by a counter, then as they come back.
module slot_table #(
    parameter type T = logic [7:0],
    parameter int unsigned Entries = 1024,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_i,

    output logic                 slot_valid_o,
    output logic [SlotWidth-1:0] slot_o,
    input  logic                 write_i,  // only while slot_valid_o: takes slot_o
    input  T                     write_data_i,

    input  logic                 read_i,
    input  logic [SlotWidth-1:0] read_slot_i,
    output T                     read_data_o,

    output logic [SlotWidth:0] used_o
);
  if (Entries < 4 || (Entries & (Entries - 1)) != 0) begin : gen_bad_entries
    $fatal(1, "slot_table: Entries is %0d; it must be a power of two, at least 4", Entries);
  end

  typedef logic [SlotWidth-1:0] slot_t;

  logic [SlotWidth:0] fresh_q;  // slots below it have been handed out at least once
  logic [SlotWidth:0] used_q;
  logic fresh, recycled_valid, recycled_ready;
  slot_t recycled;
  assign fresh = !fresh_q[SlotWidth];

  assign slot_valid_o = fresh || recycled_valid;
  assign slot_o = fresh ? fresh_q[SlotWidth-1:0] : recycled;
  assign used_o = used_q;

  fifo_block #(
      .T(slot_t),
      .Depth(Entries)
  ) u_recycled (
      .clk_i,
      .rst_i,
      .in_valid_i(read_i),
      .in_ready_o(recycled_ready),
      .in_data_i(read_slot_i),
      .out_valid_o(recycled_valid),
      .out_ready_i(write_i && !fresh),
      .out_data_o(recycled)
  );

  ram_simple_dual #(
      .T(T),
      .Depth(Entries)
  ) u_entries (
      .clk_i,
      .write_enable_i(write_i),
      .write_addr_i(slot_o),
      .write_data_i,
      .read_enable_i(read_i),
      .read_addr_i(read_slot_i),
      .read_data_o
  );

  always_ff @(posedge clk_i) begin
    if (write_i && fresh) fresh_q <= fresh_q + 1'b1;
    if (write_i != read_i) used_q <= write_i ? used_q + 1'b1 : used_q - 1'b1;
    if (rst_i) begin
      fresh_q <= '0;
      used_q <= '0;
    end
  end

  // Which slots hold a packet, for the checks alone.
  logic [Entries-1:0] taken_q;
  always_ff @(posedge clk_i) begin
    if (write_i) taken_q[slot_o] <= 1'b1;
    if (read_i) taken_q[read_slot_i] <= 1'b0;
    if (rst_i) taken_q <= '0;
    if (!rst_i) begin
      assert (!write_i || slot_valid_o)
      else $error("slot_table: an entry was written without a free slot");
      assert (!write_i || !taken_q[slot_o])
      else $error("slot_table: a slot was handed out twice");
      assert (!read_i || (taken_q[read_slot_i] && recycled_ready))
      else $error("slot_table: an empty slot was read");
    end
  end
endmodule
