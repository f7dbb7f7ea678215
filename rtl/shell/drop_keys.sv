// SPDX-License-Identifier: Apache-2.0
// Counts drops by the key for which the node table had no next hop: by EtherType, protocol or port. Each of the first Keys
// different keys since reset gets a counter of its own, and all later keys share one more.
//
// Words (spec/windows.yaml): keys[slot] is bit 31: the slot has a key, [15:0] the key; counts[slot] has 64 bits, and
// counts[Keys] are the drops of all other keys. A read of a low half holds the high half for the read that follows.
// valid_i and addr_i hold until done_o.
module drop_keys
  import girih_pkg::*, drop_log_window_pkg::*;
#(
    parameter int unsigned Keys = 16
) (
    input logic clk_i,
    input logic rst_i,

    input logic drop_i,
    input next_key_t key_i,

    input  logic        valid_i,
    input  logic [13:0] addr_i,
    output logic        there_o,  // there is a word at the address; combinational
    output logic        done_o,
    output logic [31:0] data_o
);
  if (Keys < 1 || Keys > 16) begin : gen_bad_keys
    $fatal(1, "drop_keys: Keys is %0d; it must be from 1 to 16", Keys);
  end

  logic [Keys-1:0] used_q, hits, first_free;
  next_key_t keys_q[Keys];
  logic [Keys:0] event_q;
  for (genvar k = 0; k < Keys; k++) begin : gen_key
    assign hits[k] = used_q[k] && keys_q[k] == key_i;
  end
  assign first_free = ~used_q & (used_q + 1'b1);

  always_ff @(posedge clk_i) begin
    event_q <= '0;
    if (drop_i) begin
      event_q <= {used_q == '1, first_free};
      if (hits != '0) event_q <= {1'b0, hits};
      else used_q <= used_q | first_free;
    end
    for (int unsigned k = 0; k < Keys; k++) if (drop_i && hits == '0 && first_free[k]) keys_q[k] <= key_i;
    if (rst_i) begin
      used_q  <= '0;
      event_q <= '0;
    end
  end

  localparam int unsigned SlotWidth = KeysSlotMsb - KeysSlotLsb + 1;
  logic in_keys, in_counts, asked_q, counted, unused_taken;
  logic [SlotWidth-1:0] key_slot;
  logic [CountsSlotMsb-CountsSlotLsb:0] count_slot;
  logic [$clog2(Keys+1):0] count_word;
  logic [31:0] count;
  assign in_keys = addr_i[13:KeysLsb] == KeysPart;
  assign in_counts = addr_i[13:CountsLsb] == CountsPart;
  assign key_slot = addr_i[KeysSlotMsb:KeysSlotLsb];
  assign count_slot = addr_i[CountsSlotMsb:CountsSlotLsb];
  assign count_word = {count_slot[$clog2(Keys+1)-1:0], addr_i[CountsHalfLsb]};

  counter_bank #(
      .Counters(Keys + 1)
  ) u_counts (
      .clk_i,
      .rst_i,
      .event_i(event_q),
      .take_i (1'b0),
      .taken_o(unused_taken),
      .read_i (valid_i && in_counts && !asked_q),
      .old_i  (1'b0),
      .word_i (count_word),
      .done_o (counted),
      .data_o (count)
  );

  always_ff @(posedge clk_i) asked_q <= !rst_i && valid_i && in_counts && !done_o;

  assign there_o = (in_keys && 32'(key_slot) < Keys) || (in_counts && 32'(count_slot) <= Keys);
  assign done_o = in_counts ? counted : valid_i;
  always_comb begin
    data_o = count;
    if (in_keys) begin
      data_o = '0;
      for (int unsigned k = 0; k < Keys; k++) if (32'(key_slot) == k && used_q[k]) data_o = {1'b1, 15'b0, keys_q[k]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      key_is_new : cover (drop_i && hits == '0 && used_q != '1);
      keys_are_full : cover (drop_i && hits == '0 && used_q == '1);
    end
  end
endmodule
