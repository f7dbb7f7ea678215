// SPDX-License-Identifier: Apache-2.0
// The last drops of a tile, each with its cycle and its reasons, in a ring of Entries records.
//
// A record is written in each cycle in which the tile reports a drop. Records are numbered from 0 on, and record n is in
// slot n modulo Entries until record n + Entries overwrites it. A reader takes the number of the next record, reads the
// records before it, and then takes that number again: it tells which of them were overwritten meanwhile.
//
// Places (spec/windows.yaml), whose words come one cycle after their address:
//
//   next                 the number of the next record; it wraps
//   records[slot].word0  the reasons, one bit each
//                 word1  the cycle since reset, bits 31 to 0
//                 word2  [15:0] the cycle, bits 47 to 32; [31:16] key_i
//
// A slot without a record reads as 0. there_o says whether there is a word at the address.
module drop_log
  import girih_pkg::*, drop_log_window_pkg::*;
#(
    parameter int unsigned Reasons = 3,
    parameter int unsigned Entries = 64
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Reasons-1:0] reasons_i,  // of the drops that were reported in the cycle before
    input next_key_t key_i,

    input  logic [13:0] addr_i,
    output logic        there_o,  // combinational
    output logic [31:0] data_o
);
  if (Reasons < 1 || Reasons > 32) begin : gen_bad_reasons
    $fatal(1, "drop_log: Reasons is %0d; it must be from 1 to 32", Reasons);
  end
  if (Entries < 16 || Entries > 256 || (Entries & (Entries - 1)) != 0) begin : gen_bad_entries
    $fatal(1, "drop_log: Entries is %0d; it must be a power of two from 16 to 256", Entries);
  end

  localparam int unsigned SlotWidth = $clog2(Entries);
  typedef logic [SlotWidth-1:0] slot_t;

  typedef struct packed {
    next_key_t key;
    logic [47:0] cycle;
    logic [Reasons-1:0] reasons;
  } record_t;

  logic [31:0] number_q;
  logic full_q, drops;
  logic [47:0] now_q, before_q;  // the cycle before this one: that of reasons_i
  record_t written, record;
  slot_t slot;
  logic in_records;
  logic [RecordsWordMsb:RecordsWordLsb] word, word_q;
  assign drops = |reasons_i;
  assign in_records = addr_i[13:RecordsLsb] == RecordsPart;
  assign slot = slot_t'(addr_i[RecordsSlotMsb:RecordsSlotLsb]);
  assign word = addr_i[RecordsWordMsb:RecordsWordLsb];
  assign written = '{key: key_i, cycle: before_q, reasons: reasons_i};

  ram_simple_dual #(
      .T(record_t),
      .Depth(Entries)
  ) u_ram (
      .clk_i,
      .write_enable_i(drops),
      .write_addr_i(slot_t'(number_q)),
      .write_data_i(written),
      .read_enable_i(1'b1),
      .read_addr_i(slot),
      .read_data_o(record)
  );

  always_ff @(posedge clk_i) begin
    now_q <= now_q + 1'b1;
    before_q <= now_q;
    if (drops) begin
      number_q <= number_q + 1'b1;
      if (slot_t'(number_q) == '1) full_q <= 1'b1;
    end
    if (rst_i) begin
      now_q <= '0;
      number_q <= '0;
      full_q <= 1'b0;
    end
  end

  logic filled_q, in_records_q;
  logic [31:0] count_q;
  always_ff @(posedge clk_i) begin
    in_records_q <= in_records;
    word_q <= word;
    filled_q <= full_q || slot < slot_t'(number_q);
    count_q <= number_q;
  end
  assign there_o = in_records ? 32'(addr_i[RecordsSlotMsb:RecordsSlotLsb]) < Entries && word != 2'd3 : addr_i == NextAt;
  always_comb begin
    unique case (word_q)
      2'd0: data_o = 32'(record.reasons);
      2'd1: data_o = record.cycle[31:0];
      default: data_o = {record.key, record.cycle[47:32]};
    endcase
    if (!filled_q) data_o = '0;
    if (!in_records_q) data_o = count_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      several_reasons : cover (drops && (reasons_i & (reasons_i - 1'b1)) != '0);
      ring_wraps : cover (drops && full_q && slot_t'(number_q) == '1);
    end
  end
endmodule
