// SPDX-License-Identifier: Apache-2.0
// Proves that other tenants change nothing for a tenant at match_window. Two copies get the same requests of the
// watched tenant and the operator, and different, arbitrary requests of other tenants. The watched tenant's answers, their
// cycles, its staged words and the writes made for it are equal in both copies, and so are all rights and ranges.
//
// The table, meters, counters and registers are free inputs, equal where the watched tenant may read: in its own range. A tenant
// writes only in its own range. The operator must keep the ranges apart. Here the operator reads no entries and objects of other
// tenants, because what it reads becomes its staged words.
//
// Memories are compared at one arbitrary row. As this proves every row, data read from other rows are assumed to be
// equal, a cycle after the read.
module match_window_proof
  import girih_pkg::*, rmt_pkg::*, action_pkg::*, match_pkg::*;
#(
    parameter int unsigned Kind = Ternary
) (
    input logic           clk_i,
    input logic           start_i,
    input logic           write_i,
    input logic    [13:0] addr_i,
    input logic    [31:0] data_i,
    input logic           operator_i,
    input logic    [ 1:0] other_start_i,
    input logic    [ 1:0] other_write_i,
    input logic    [13:0] other_addr_i  [2],
    input logic    [31:0] other_data_i  [2],
    input tenant_t        other_tenant_i[2],
    input tenant_t        watched_i,
    input logic    [ 5:0] staged_row_i,
    input logic [$bits(tenant_t)+2:0] rights_row_i,
    input tenant_t        range_row_i,
    input logic           ready_i,
    input logic           meter_done_i,
    input staged_t        table_entry_i [2],
    input logic   [127:0] object_i      [2]
);
  localparam int unsigned Entries = 8, KeyHalves = 2, Objects = 4;

  localparam int unsigned TenantBits = $bits(tenant_t);

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  // Any tenant and any row; they do not change.
  tenant_t watched_q, range_row_q;
  logic [5:0] staged_row_q;
  logic [TenantBits+2:0] rights_row_q;
  always_ff @(posedge clk_i) begin
    {watched_q, range_row_q, staged_row_q, rights_row_q} <= {watched_i, range_row_i, staged_row_i, rights_row_i};
    if (!rst) begin
      assume (watched_i == watched_q && range_row_i == range_row_q);
      assume (staged_row_i == staged_row_q && rights_row_i == rights_row_q);
    end
  end

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
  function automatic logic reads_others(command_e command);
    reads_others = command inside {CommandRead, CommandReadMeter, CommandReadCounter, CommandReadRegister};
  endfunction
  command_e asked;
  assign asked = command_e'(data_i[31:24]);
  always_ff @(posedge clk_i) begin
    assume (!operator_i || 32'(addr_i[10:2]) != CommandWord || !reads_others(asked));
  end

  function automatic logic is_in(logic [15:0] number, range_t allowed);
    is_in = number >= allowed.first && number < allowed.stop;
  endfunction

  // What the copies hold.
  localparam int unsigned Load = 2, Rights = 3, Owner = 4, Commit = 5, Stand = 6, Fetch = 7, Store = 8, Erase = 9, Answer = 10;
  logic [3:0] state[2];
  logic [5:0] step[2];
  tenant_t held_tenant[2];
  command_e command[2];
  logic [15:0] index[2];
  logic refused[2], prefix_ends[2], table_write[2], meter_write[2], register_write[2];
  logic [7:0] prefix[2];
  staged_t entry[2];
  logic [31:0] answered[2], staged[2], own_staged[2], operator_staged[2], rights_row[2], rights[2], rights_read[2];
  logic [TenantBits+2:0] rights_at[2];
  logic [2:0] rights_step[2];
  range_t range_row[2], range_read[2], watched_range[2], holders_range[2], objects[2];
  tenant_t range_at[2];
  logic stage_read[2];
  logic [1:0] loads;
  action_t default_action[2];
  key_half_t [KeyHalves-1:0] key_cfg[2];
  for (genvar i = 0; i < 2; i++) begin : gen_copy
    window_request_t request;
    window_response_t response;
    assign request = '{valid: valid[i], write: write[i], addr: addr[i], data: data[i], tenant: tenant[i]};
    assign done[i] = response.done;
    assign error[i] = response.error;
    assign answer[i] = response.data;
    match_window #(
        .Kind(Kind),
        .Entries(Entries),
        .KeyHalves(KeyHalves),
        .Meters(Objects),
        .Counters(Objects),
        .Registers(Objects)
    ) u_dut (
        .clk_i,
        .rst_i(rst),
        .window_i(request),
        .window_o(response),
        .range_write_o(),
        .range_tenant_o(),
        .range_o(),
        .key_cfg_o(key_cfg[i]),
        .default_o(default_action[i]),
        .ready_i,
        .table_read_o(),
        .table_write_o(table_write[i]),
        .index_o(index[i]),
        .staged_o(entry[i]),
        .table_entry_i(table_entry_i[i]),
        .meter_write_o(meter_write[i]),
        .meter_read_o(),
        .meter_done_i,
        .meter_cfg_i(object_i[i]),
        .packets_i(object_i[i][47:0]),
        .bytes_i(object_i[i][95:48]),
        .register_write_o(register_write[i]),
        .register_i(object_i[i][31:0])
    );
    assign state[i] = u_dut.state_q;
    assign step[i] = u_dut.step_q;
    assign held_tenant[i] = u_dut.tenant_q;
    assign command[i] = u_dut.command_q;
    assign refused[i] = u_dut.refused_q || (state[i] == 4'(Rights) && u_dut.refusal);
    assign prefix[i] = u_dut.prefix_q;
    assign prefix_ends[i] = u_dut.prefix_ends_q;
    assign answered[i] = u_dut.answer_q;
    assign staged[i] = u_dut.stage_data;
    assign stage_read[i] = u_dut.stage_read;
    assign own_staged[i] = u_dut.u_staged.mem[{watched_i, staged_row_i}];
    assign operator_staged[i] = u_dut.u_staged.mem[{tenant_t'(0), staged_row_i}];
    assign rights_row[i] = u_dut.rights_mem[rights_row_i];
    assign rights[i] = u_dut.rights;
    assign rights_read[i] = u_dut.rights_q;
    assign rights_at[i] = u_dut.rights_addr;
    assign rights_step[i] = u_dut.checked_q;
    assign range_row[i] = u_dut.entries_mem[range_row_i];
    assign range_read[i] = u_dut.own_entries;
    assign range_at[i] = u_dut.entries_addr;
    assign watched_range[i] = u_dut.entries_mem[watched_i];
    assign holders_range[i] = u_dut.entries_mem[held_tenant[i]];

    // A request is there and held while the block works for it; one that is not the operator's writes in its own range.
    logic on_table, works;
    logic [2:0] object_step;
    assign on_table = command[i] inside {CommandWrite, CommandDelete, CommandRead};
    assign works = state[i] >= 4'(Load) && state[i] <= 4'(Store);
    always_ff @(posedge clk_i) begin
      if (!rst) begin
        assert (state[i] <= 4'(Answer));
        if (state[i] >= 4'(Load)) assert (valid[i]);
        if (valid[i] && tenant[i] == '0 && 32'(addr[i][10:2]) == CommandWord) assert (!reads_others(command_e'(data[i][31:24])));
        if (works) begin
          assert (write[i] && tenant[i] == held_tenant[i]);
          assert (command[i] == command_e'(data[i][31:24]) && index[i] == data[i][15:0] && 32'(addr[i][10:2]) == CommandWord);
          assert (loads[i] || reads_others(command[i]) || command[i] inside {CommandDelete, CommandReadDefault});
        end
        if (state[i] == 4'(Erase)) assert (tenant[i] == '0 && write[i]);
        if (state[i] == 4'(Load)) assert (loads[i] && 32'(step[i]) < EntryWords);
        if (state[i] == 4'(Rights)) assert (step[i] <= 6'd6);
        if (state[i] == 4'(Rights) && step[i] != '0) begin
          assert (rights_step[i] == 3'(step[i] - 1'b1));
          assert (rights_read[i] == u_dut.rights_mem[{held_tenant[i], rights_step[i]}]);
        end
        if (state[i] inside {4'(Owner)}) assert (on_table);
        if (state[i] inside {4'(Commit), 4'(Stand)}) assert (loads[i] || command[i] == CommandDelete);
        if (state[i] inside {4'(Fetch), 4'(Store)}) assert (!loads[i] && command[i] != CommandDelete);
        if (state[i] == 4'(Fetch)) assert (!on_table && !refused[i]);
        if (state[i] == 4'(Store)) assert (!refused[i] && 32'(step[i]) < (on_table || command[i] == CommandReadDefault ? EntryWords : 4));
        if (on_table && held_tenant[i] != '0 && !refused[i]) begin
          if (state[i] inside {4'(Owner), 4'(Commit), 4'(Stand), 4'(Store)} || (state[i] == 4'(Rights) && step[i] != '0)) begin
            assert (is_in(index[i], holders_range[i]));
          end
        end
        if (!on_table && held_tenant[i] == watched_i && !refused[i]) begin
          if (state[i] == 4'(Fetch) || (state[i] == 4'(Rights) && 32'(step[i]) >= 32'(object_step) + 2)) begin
            assert (is_in(index[i], objects[i]));
          end
        end
        if (held_tenant[i] != '0 && works) assert (command[i] != CommandReadDefault && command[i] != CommandWriteDefault);
      end
    end
    assign object_step = command[i] inside {CommandReadMeter, CommandWriteMeter} ? 3'd2 : command[i] == CommandReadCounter ? 3'd3 : 3'd4;
    assign loads[i] = command[i] inside {CommandWrite, CommandWriteDefault, CommandWriteMeter, CommandWriteRegister};
    assign objects[i] = u_dut.rights_mem[{watched_i, object_step}];
  end

  always_ff @(posedge clk_i) begin
    if (is_in(index[0], watched_range[0])) assume (table_entry_i[0] == table_entry_i[1]);
    if (is_in(index[0], objects[0])) assume (object_i[0] == object_i[1]);
  end

  logic [EntryWords-1:0][31:0] words[2];
  assign words[0] = entry[0];
  assign words[1] = entry[1];
  logic is_staged;
  assign is_staged = 32'(addr[0][10:2]) < StagedWords + 64;

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // What requests read later.
      if (state[0] != '0 || {held_tenant[0], step[0]} > {watched_i, staged_row_i}) assert (own_staged[0] == own_staged[1]);
      if (state[0] != '0 || {held_tenant[0], step[0]} > (TenantBits + 6)'(staged_row_i)) assert (operator_staged[0] == operator_staged[1]);
      if (state[0] != '0 || {held_tenant[0], step[0]} > {rights_row_i[TenantBits+2:3], 3'b0, rights_row_i[2:0]}) assert (rights_row[0] == rights_row[1]);
      if (state[0] != '0 || {held_tenant[0], step[0]} > {range_row_i, 6'b0}) assert (range_row[0] == range_row[1]);
      assert (default_action[0] == default_action[1] && key_cfg[0] == key_cfg[1]);
      assert ((state[0] == '0) == (state[1] == '0));
      if (state[0] == '0) assert (step[0] == step[1] && held_tenant[0] == held_tenant[1]);
      if (common && valid == '1) begin
        assert (state[0] == state[1]);
        if (state[0] >= 4'(Load)) begin
          assert (step[0] == step[1] && held_tenant[0] == held_tenant[1] && command[0] == command[1]);
          assert (index[0] == index[1] && refused[0] == refused[1]);
          assert (prefix[0] == prefix[1] && prefix_ends[0] == prefix_ends[1]);
        end
        if (state[0] == 4'(Rights) && step[0] != '0) assert (rights_read[0] == rights_read[1]);
        if (state[0] == 4'(Load) || (state[0] == 4'(Answer) && is_staged && !write[0])) assert (staged[0] == staged[1]);
        if (state[0] == 4'(Answer) && !write[0]) assert (answered[0] == answered[1]);
        for (int w = 0; w < EntryWords; w++) begin
          if (state[0] == 4'(Load) && w + 32'(step[0]) >= EntryWords) assert (words[0][w] == words[1][w]);
          if (loads[0] && state[0] inside {4'(Rights), 4'(Owner), 4'(Commit), 4'(Stand)}) assert (words[0][w] == words[1][w]);
          if (state[0] == 4'(Store)) begin
            assert (words[0][w] == words[1][w] ||
                (!(command[0] inside {CommandRead, CommandReadDefault}) && w + 32'(step[0]) >= 4));
          end
        end
        assert (table_write[0] == table_write[1] && meter_write[0] == meter_write[1] && register_write[0] == register_write[1]);
      end
    end
  end

  logic staged_read_q, rights_alike_q, range_alike_q;
  always_ff @(posedge clk_i) begin
    staged_read_q  <= common && stage_read[0] && stage_read[1];
    rights_alike_q <= state[0] == '0 || rights_at[0] != rights_at[1] || rights[0] == rights[1];
    range_alike_q  <= state[0] == '0 || range_at[0] != range_at[1] || range_read[0] == range_read[1];
    if (!rst) begin
      if (staged_read_q && common) assume (staged[0] == staged[1]);
      assume (rights_alike_q && range_alike_q);
    end
    if (rst) {staged_read_q, rights_alike_q, range_alike_q} <= 3'b011;
  end
endmodule
