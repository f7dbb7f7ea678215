// SPDX-License-Identifier: Apache-2.0
// Proves that in aes_keys no tenant learns of, uses or changes another's keys. Two copies get the same requests
// of the watched tenant and the operator, and different, arbitrary requests of other tenants. Presence, salt and round keys
// of the watched tenant's slots are equal in every cycle, and so are its answers and their times.
module aes_keys_isolation_proof
  import girih_pkg::*, aes_pkg::*;
#(
    parameter int unsigned TenantKeys = 1,
    localparam int unsigned IndexWidth = TenantKeys > 1 ? $clog2(TenantKeys) : 1
) (
    input logic                  clk_i,
    input logic                  start_i,
    input logic                  write_i,
    input logic [          13:0] addr_i,
    input logic [          31:0] data_i,
    input logic                  operator_i,
    input logic [           1:0] other_start_i,
    input logic [           1:0] other_write_i,
    input logic [          13:0] other_addr_i  [2],
    input logic [          31:0] other_data_i  [2],
    input tenant_t               other_tenant_i[2],
    input tenant_t               watched_i,
    input logic [IndexWidth-1:0] index_i
);
  localparam int unsigned Slots = TenantKeys << $bits(tenant_t);
  localparam int unsigned SlotWidth = $clog2(Slots);

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  // Any tenant and any of its slots; they do not change.
  tenant_t watched_q;
  logic [IndexWidth-1:0] index_q;
  always_ff @(posedge clk_i) begin
    watched_q <= watched_i;
    index_q   <= index_i;
    if (!rst) assume (watched_i == watched_q && index_i == index_q);
    assume (32'(index_i) < TenantKeys);
  end
  logic [SlotWidth-1:0] slot;
  assign slot = SlotWidth'(watched_i) * SlotWidth'(TenantKeys) + SlotWidth'(index_i);

  logic common;
  logic [1:0] valid, write, done, error;
  logic [13:0] addr[2];
  logic [31:0] data[2], answer[2];
  tenant_t tenant[2];
  window_pair u_pair (
      .clk_i,
      .rst_i(rst),
      .watched_i,
      .start_i,
      .write_i,
      .addr_i,
      .data_i,
      .operator_i,
      .other_start_i,
      .other_write_i,
      .other_addr_i,
      .other_data_i,
      .other_tenant_i,
      .common_o(common),
      .window_valid_o(valid),
      .window_write_o(write),
      .window_addr_o(addr),
      .window_data_o(data),
      .window_tenant_o(tenant),
      .window_done_i(done),
      .window_error_i(error),
      .window_data_i(answer)
  );

  // The state of the copies for the watched tenant and for the operator.
  logic present[2], asked[2], expanding[2];
  word_t salt[2], rcon[2];
  word_t [KeyWords:0] staged[2], staged_operator[2];
  logic [KeyWords:0] complete[2], complete_operator[2];
  word_t [KeyWords-1:0] history[2];
  logic [7:0] count[2];
  logic [SlotWidth-1:0] target[2];
  block_t [Rounds:0] keys[2];
  for (genvar i = 0; i < 2; i++) begin : gen_copy
    logic [Rounds:0][SlotWidth-1:0] slots[1];
    block_t [Rounds:0] read[1];
    assign slots[0] = {(Rounds + 1) {slot}};
    aes_keys #(
        .TenantKeys(TenantKeys),
        .Readers(1)
    ) u_dut (
        .clk_i,
        .rst_i(rst),
        .window_valid_i(valid[i]),
        .window_write_i(write[i]),
        .window_addr_i(addr[i]),
        .window_data_i(data[i]),
        .window_tenant_i(tenant[i]),
        .window_done_o(done[i]),
        .window_error_o(error[i]),
        .window_data_o(answer[i]),
        .packet_slot_i(slot),
        .present_o(present[i]),
        .salt_o(salt[i]),
        .slot_i(slots),
        .key_o(read)
    );
    assign keys[i] = read[0];
    assign asked[i] = u_dut.asked_q;
    assign expanding[i] = u_dut.expanding_q;
    assign history[i] = u_dut.history_q;
    assign rcon[i] = 32'(u_dut.rcon_q);
    assign count[i] = 8'(u_dut.count_q);
    assign target[i] = u_dut.slot_q;
    assign complete[i] = u_dut.staged_q[watched_i];
    assign complete_operator[i] = u_dut.staged_q[0];
    for (genvar w = 0; w <= int'(KeyWords); w++) begin : gen_word
      assign staged[i][w] = u_dut.gen_staged[w].mem[watched_i];
      assign staged_operator[i][w] = u_dut.gen_staged[w].mem[0];
    end
    always_ff @(posedge clk_i) begin
      if (!rst) begin
        if (asked[i]) begin
          assert (valid[i] && u_dut.write_q == write[i] && u_dut.addr_q == addr[i]);
          assert (u_dut.data_q == data[i] && u_dut.tenant_q == tenant[i]);
        end
        assert (!expanding[i] || asked[i]);
        // A key is expanded only while its tenant's request is there, and into a slot of that tenant.
        assert (!expanding[i] || (valid[i] && write[i] && addr[i] == 14'h24 && !error[i]));
        assert (!expanding[i] || target[i] == u_dut.target);
        assert (!expanding[i] || 32'(count[i]) < 4 * (Rounds + 1));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (present[0] == present[1]);
      assert (complete[0] == complete[1] && complete_operator[0] == complete_operator[1]);
      for (int w = 0; w <= int'(KeyWords); w++) begin
        assert (!complete[0][w] || staged[0][w] == staged[1][w]);
        assert (!complete_operator[0][w] || staged_operator[0][w] == staged_operator[1][w]);
      end
      if (common) assert (asked[0] == asked[1] && expanding[0] == expanding[1]);
      if (common && expanding[0]) begin
        assert (history[0] == history[1] && rcon[0] == rcon[1]);
        assert (count[0] == count[1] && target[0] == target[1]);
      end
      // Round keys: those that are present, and those that are being written already.
      if (present[0]) assert (salt[0] == salt[1] && keys[0] == keys[1]);
      if (common && expanding[0] && target[0] == slot) begin
        assert (!present[0]);
        assert (salt[0] == salt[1]);
        for (int r = 0; r <= int'(Rounds); r++) assert (32'(count[0]) <= 4 * r + 3 || keys[0][r] == keys[1][r]);
      end
    end
  end
endmodule
