// SPDX-License-Identifier: Apache-2.0
// The keys of an AES-256-CTR engine: for each slot the round keys, one memory per round so that each
// stage of a cipher pipeline reads its own, and the salt (RFC 3686's nonce). Each slot has a fixed tenant:
// its number is {tenant, index}. Keys can be written, never read.
//
// Window (spec/windows.yaml), besides the staged words:
//   load    write: the slot's index; expands the staged key into the slot of the requesting tenant (for the
//           operator, of the tenant from bit 8 of the word on) and erases the staged words. An error unless all nine words
//           have been staged since they were last erased. Answered when the slot is ready, 63 cycles later; until then
//           packets of that slot are void.
//   forget  write: the slot's index (and tenant); erases the slot's key and the words that its tenant has staged
//
// Each tenant, and the operator, has its own staged words. No request of a tenant changes another tenant's keys, answers
// or their times (formal/aes_keys_isolation_proof).
module aes_keys
  import girih_pkg::*, aes_pkg::*, aes_window_pkg::*;
#(
    parameter int unsigned TenantKeys = 4,  // keys of each tenant
    parameter int unsigned Readers = 1,  // of each round
    localparam int unsigned Slots = TenantKeys << $bits(tenant_t),
    localparam int unsigned SlotWidth = $clog2(Slots)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    // The slot of a packet; combinational.
    input  logic [SlotWidth-1:0] packet_slot_i,
    output logic                 present_o,
    output word_t                salt_o,

    // Round r of reader l: key_o[l][r] is the key of slot slot_i[l][r]; combinational.
    input  logic [Rounds:0][SlotWidth-1:0] slot_i[Readers],
    output block_t [Rounds:0]              key_o [Readers]
);
  if (TenantKeys < 1 || TenantKeys > 16 || (TenantKeys & (TenantKeys - 1)) != 0) begin : gen_bad_keys
    $fatal(1, "aes_keys: TenantKeys is %0d; it must be a power of two, at most 16", TenantKeys);
  end

  localparam int unsigned Words = 4 * (Rounds + 1);
  localparam int unsigned Tenants = 1 << $bits(tenant_t);
  localparam int unsigned StagedWords = KeyWords + 1;  // the salt is the last one

  word_t [StagedWords-1:0] staged;  // by the tenant of the request
  logic [Tenants-1:0][StagedWords-1:0] staged_q;  // which words are staged
  logic [Slots-1:0] present_q;

  // Expansion: a word per cycle; history_q holds the last eight.
  logic expanding_q;
  logic [$clog2(Words)-1:0] count_q;
  word_t [KeyWords-1:0] history_q;
  logic [7:0] rcon_q;
  logic [SlotWidth-1:0] slot_q;
  word_t previous, turned, mixed, word;

  assign previous = history_q[KeyWords-1];
  assign turned = {previous[7:0], previous[31:8]};  // RotWord
  always_comb begin
    mixed = previous;
    if (count_q[2:0] == 3'd0) mixed = sub_word(turned) ^ 32'(rcon_q);
    else if (count_q[2:0] == 3'd4) mixed = sub_word(previous);
    word = history_q[0] ^ mixed;
    if (32'(count_q) < KeyWords) word = history_q[0];
  end

  // The request, a cycle after it comes.
  logic asked_q, write_q;
  logic [13:0] addr_q;
  logic [31:0] data_q;
  tenant_t tenant_q;
  always_ff @(posedge clk_i) begin
    asked_q <= window_valid_i && !window_done_o && !rst_i;
    write_q <= window_write_i;
    addr_q <= window_addr_i;
    data_q <= window_data_i;
    tenant_q <= window_tenant_i;
  end

  logic known_addr, command, own, complete, stage, load, forget, accept, finished;
  logic [SlotWidth-1:0] target;
  tenant_t meant, owner;
  assign meant = data_q[8+:$bits(tenant_t)];
  assign complete = staged_q[tenant_q] == '1 || expanding_q;
  assign command = addr_q inside {LoadAt, ForgetAt};
  assign known_addr = addr_q <= SaltAt || command;
  assign own = data_q[7:0] < 8'(TenantKeys) && data_q[31:8+$bits(tenant_t)] == '0 &&
      (tenant_q == '0 || meant == '0 || meant == tenant_q);
  assign owner = tenant_q == '0 ? meant : tenant_q;
  assign target = SlotWidth'(owner) * SlotWidth'(TenantKeys) + SlotWidth'(data_q[3:0]);
  assign accept = asked_q && write_q && addr_q[1:0] == '0 && known_addr &&
      (!command || own) && (addr_q != LoadAt || complete);
  assign stage = accept && !command;
  assign load = accept && addr_q == LoadAt && !expanding_q;
  assign forget = accept && addr_q == ForgetAt;
  assign finished = expanding_q && 32'(count_q) == Words - 1;

  assign window_error_o = !accept;
  assign window_done_o = asked_q && (!accept || addr_q != LoadAt || finished);
  assign window_data_o = '0;

  logic erase;
  tenant_t stage_tenant;
  assign erase = load || forget;
  assign stage_tenant = forget ? owner : tenant_q;
  for (genvar w = 0; w < int'(StagedWords); w++) begin : gen_staged
    word_t mem[Tenants];
    always_ff @(posedge clk_i) begin
      if (erase || (stage && 32'(addr_q[5:2]) == w)) mem[stage_tenant] <= erase ? '0 : data_q;
    end
    assign staged[w] = mem[tenant_q];
  end

  always_ff @(posedge clk_i) begin
    if (stage) staged_q[tenant_q][addr_q[5:2]] <= 1'b1;
    if (erase) staged_q[stage_tenant] <= '0;
    if (forget) present_q[target] <= 1'b0;
    if (load) begin
      expanding_q <= 1'b1;
      count_q <= '0;
      rcon_q <= 8'h01;
      history_q <= staged[KeyWords-1:0];
      slot_q <= target;
      present_q[target] <= 1'b0;
    end
    if (expanding_q) begin
      count_q <= count_q + 1'b1;
      history_q <= {word, history_q[KeyWords-1:1]};
      if (32'(count_q) >= KeyWords && count_q[2:0] == 3'd0) rcon_q <= times_x(rcon_q);
      if (finished) begin
        expanding_q <= 1'b0;
        present_q[slot_q] <= 1'b1;
      end
    end
    if (rst_i) begin
      expanding_q <= 1'b0;
      staged_q <= '0;
      present_q <= '0;
    end
  end

  // No packet takes the salt before the slot is present again.
  word_t salts[Slots];
  always_ff @(posedge clk_i) begin
    if (load) salts[target] <= staged[KeyWords];
  end
  assign present_o = present_q[packet_slot_i];
  assign salt_o = salts[packet_slot_i];

  // A round's key is complete with its fourth word.
  logic [127:0] written;
  assign written = {word, history_q[KeyWords-1-:3]};
  for (genvar l = 0; l < Readers; l++) begin : gen_reader
    for (genvar r = 0; r <= int'(Rounds); r++) begin : gen_round
      block_t keys[Slots];
      always_ff @(posedge clk_i) begin
        if (expanding_q && 32'(count_q) == 4 * r + 3) keys[slot_q] <= written;
      end
      assign key_o[l][r] = keys[slot_i[l][r]];
    end
  end
endmodule
