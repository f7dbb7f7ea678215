// SPDX-License-Identifier: Apache-2.0
// Software's access to a stage. Each tenant stages 64 words of its own; a command executes them: an entry
// is collected word by word, checked, and then written in one cycle. So a packet never sees a partial change,
// controllers do not disturb one another, and a refused command changes nothing. A request is answered when
// it is done; traffic does not delay it.
//
//   Idle -> Load (25 words) -> Rights (7) -> Owner -> Commit -> Stand -> Answer        write
//   Idle ---------------------> Rights ----> Owner -> Commit ...                       delete
//   Idle ---------------------> Rights ----> Owner -> Fetch -> Store (words) -> Answer read
//
// A tenant may read its own entries, and write those entries of its range that are free or its own; they are then its own. So
// no request of another tenant changes the tenant's answers, their times, or its entries. Its staged words are erased after
// reset, and when the operator grants or revokes all of its entries, or one of its rights, so that the next owner of the
// tenant's number cannot read them.
module match_window
  import girih_pkg::*, rmt_pkg::*, action_pkg::*, match_pkg::*;
#(
    parameter int unsigned Kind = Exact,
    parameter int unsigned Entries = 256,
    parameter int unsigned KeyHalves = 4,
    parameter int unsigned Meters = 64,
    parameter int unsigned Counters = 64,
    parameter int unsigned Registers = 256
) (
    input logic clk_i,
    input logic rst_i,

    /* verilator lint_off UNUSEDSIGNAL */  // the high bits of the address select the stage
    input  window_request_t  window_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output window_response_t window_o,

    output logic    range_write_o,   // the entries of a tenant become range_o
    output tenant_t range_tenant_o,
    output range_t  range_o,

    output key_half_t [KeyHalves-1:0] key_cfg_o,
    output action_t                   default_o,

    // The table, the meters, the counters, the registers. staged_o holds during a write and the cycle after it.
    input  logic            ready_i,  // table, counters and registers are cleared after reset; commands wait for it
    output logic            table_read_o,
    output logic            table_write_o,
    output logic     [15:0] index_o,
    output staged_t         staged_o,
    input  staged_t         table_entry_i,  // from the second cycle after table_read_o on
    output logic            meter_write_o,
    output logic            meter_read_o,
    input  logic            meter_done_i,
    input  meter_cfg_t      meter_cfg_i,
    input  logic     [47:0] packets_i,
    input  logic     [47:0] bytes_i,
    output logic            register_write_o,
    input  logic     [31:0] register_i
);
  localparam int unsigned Tenants = 1 << $bits(tenant_t);

  typedef enum logic [3:0] {
    Clear,  // rights, ranges and all staged words, after reset
    Idle,
    Load,
    Rights,
    Owner,
    Commit,
    Stand,
    Fetch,
    Store,
    Erase,  // the staged words of tenant_q
    Answer
  } state_e;

  state_e state_q;
  command_e command_q;
  tenant_t tenant_q;
  logic [15:0] index_q;
  logic [5:0] step_q;
  logic refused_q;
  staged_t entry_q;
  action_t default_q;
  key_half_t [KeyHalves-1:0] key_cfg_q;

  assign staged_o  = entry_q;
  assign index_o   = index_q;
  assign default_o = default_q;
  assign key_cfg_o = key_cfg_q;

  // The object of the request.
  logic [8:0] word;
  logic is_staged, is_command, is_key, is_rights, is_entries, is_info, operator;
  assign word = window_i.addr[10:2];
  tenant_t meant;  // by a word of the rows
  logic [2:0] row;  // of its rights
  assign operator = window_i.tenant == '0;
  assign is_staged = 32'(word) < StagedWords + 64;
  assign is_command = 32'(word) == CommandWord;
  assign is_info = 32'(word) == KindWord || 32'(word) == ObjectsWord;
  assign is_key = 32'(word) >= KeyWords && 32'(word) < KeyWords + KeyHalves;
  assign is_rights = 32'(word) >= RightsWords && 32'(word[5:0]) < Tenants;
  assign is_entries = 32'(word) >= EntriesWords && 32'(word) < EntriesWords + Tenants;
  assign meant = tenant_t'(word[5:0]);
  assign row = word[8:6] - 3'(RightsWords / RowWords);

  command_e command;
  logic [23:0] index;
  assign command = command_e'(window_i.data[31:24]);
  assign index   = window_i.data[23:0];

  logic index_good, command_good;
  always_comb begin
    unique case (command)
      CommandWrite, CommandDelete, CommandRead: index_good = 32'(index) < Entries;
      CommandWriteDefault, CommandReadDefault: index_good = index == '0 && operator;
      CommandWriteMeter, CommandReadMeter: index_good = 32'(index) < Meters;
      CommandReadCounter: index_good = 32'(index) < Counters;
      CommandReadRegister, CommandWriteRegister: index_good = 32'(index) < Registers;
      default: index_good = 1'b0;
    endcase
    command_good = is_command && window_i.write && index_good;
  end

  logic loads, on_table, fetches;
  assign loads = command inside {CommandWrite, CommandWriteDefault, CommandWriteMeter, CommandWriteRegister};
  assign on_table = command_q inside {CommandWrite, CommandDelete, CommandRead};
  assign fetches = command_q inside {CommandRead, CommandReadDefault, CommandReadMeter, CommandReadCounter,
                                     CommandReadRegister};

  // Staged words.
  logic stage_write, stage_read;
  tenant_t stage_tenant;
  logic [5:0] stage_word;
  logic [31:0] stage_write_data, stage_data;
  logic start;
  assign start = state_q == Idle && window_i.valid;
  always_comb begin
    stage_write = start && is_staged && window_i.write;
    stage_read = start && is_staged && !window_i.write;
    stage_tenant = window_i.tenant;
    stage_word = word[5:0];
    stage_write_data = window_i.data;
    if (state_q inside {Store, Clear, Erase}) begin
      stage_write = 1'b1;
      stage_tenant = tenant_q;
      stage_word = step_q;
      stage_write_data = state_q == Store ? entry_q[31:0] : '0;
    end
    if (state_q == Load || (start && command_good && loads)) begin
      stage_read = 1'b1;
      stage_word = state_q == Load ? step_q + 1'b1 : '0;
    end
  end

  ram_simple_dual #(
      .T    (logic [31:0]),
      .Depth(64 * Tenants)
  ) u_staged (
      .clk_i,
      .write_enable_i(stage_write),
      .write_addr_i  ({stage_tenant, stage_word}),
      .write_data_i  (stage_write_data),
      .read_enable_i (stage_read),
      .read_addr_i   ({stage_tenant, stage_word}),
      .read_data_o   (stage_data)
  );

  // Rights: five words for each tenant, none after reset.
  logic [31:0] rights_mem[8*Tenants];
  logic rights_write;
  logic [$clog2(Tenants)+2:0] rights_addr;
  logic [31:0] rights, rights_q;
  logic [2:0] checked_q;  // the word in rights_q
  logic checks;
  assign rights_write = state_q == Clear || (start && is_rights && window_i.write && operator);
  assign rights_addr = state_q inside {Clear, Rights} ? {tenant_q, step_q[2:0]} : {meant, row};
  assign rights = rights_mem[rights_addr];
  assign checks = state_q == Rights && step_q inside {[6'd1 : 6'd5]};
  always_ff @(posedge clk_i) begin
    if (rights_write) rights_mem[rights_addr] <= state_q == Clear ? '0 : window_i.data;
    rights_q <= rights;
    checked_q <= step_q[2:0];
  end

  // The range of entries of each tenant, empty after reset. In an exact table a range is a power of two of aligned rows,
  // with all ways.
  range_t entries_mem[Tenants];
  range_t own_entries, given;
  logic [15:0] given_size, given_less;  // less by one
  logic given_uneven;  // not a power of two, or not aligned
  logic given_good, entry_refused;
  tenant_t entries_addr;
  assign given = window_i.data;
  assign given_size = given.stop - given.first;
  assign given_less = given_size - 1'b1;
  any_set #(
      .Width(16)
  ) u_given_uneven (
      .bits_i((given_size | given.first) & given_less),
      .any_o (given_uneven)
  );
  always_comb begin
    given_good = 32'(given.stop) <= Entries && given.first <= given.stop;
    if (Kind == Exact && given_size != '0 && (given_uneven || given_size[1:0] != '0)) given_good = 1'b0;
  end
  assign range_write_o = start && is_entries && window_i.write && operator && given_good;
  assign range_tenant_o = meant;
  assign range_o = given;
  assign entries_addr = state_q inside {Clear, Rights} ? tenant_q : meant;
  assign own_entries = entries_mem[entries_addr];
  always_ff @(posedge clk_i) begin
    if (state_q == Clear || range_write_o) entries_mem[entries_addr] <= state_q == Clear ? '0 : given;
  end
  // A right, or all entries, are granted or revoked.
  logic turns, has_rights;
  any_set #(
      .Width(32)
  ) u_has_rights (
      .bits_i(rights),
      .any_o (has_rights)
  );
  assign turns = is_rights ? !has_rights || window_i.data == '0
                           : own_entries.first == own_entries.stop || given.first == given.stop;
  assign entry_refused = on_table && tenant_q != '0 && (index_q < own_entries.first || index_q >= own_entries.stop);

  logic action_refused;
  action_rights #(
      .Meters   (Meters),
      .Counters (Counters),
      .Registers(Registers)
  ) u_rights (
      .clk_i,
      .offer_i  (state_q == Rights),
      .valid_i  (checks),
      .action_i (entry_q.action[$bits(action_t)-1:0]),
      .tenant_i (tenant_q),
      .step_i   (checked_q),
      .rights_i (rights_q),
      .refused_o(action_refused)
  );

  // Meters, counters and registers: refused if the index is outside the tenant's range, or a burst is too large.
  logic object_refused;
  always_comb begin
    logic [2:0] step;
    unique case (command_q)
      CommandWriteMeter, CommandReadMeter: step = 3'd2;
      CommandReadCounter: step = 3'd3;
      default: step = 3'd4;
    endcase
    object_refused = !on_table && tenant_q != '0 && checks && checked_q == step &&
        (index_q < rights_q[15:0] || index_q >= rights_q[31:16]);
    if (command_q == CommandWriteMeter)
      object_refused |= |entry_q[63:32+MeterBurstWidth] || |entry_q[127:96+MeterBurstWidth];
  end

  logic has_action, refusal_q, refusal;  // in the cycle before
  assign has_action = command_q inside {CommandWrite, CommandWriteDefault};
  assign refusal = refusal_q || (has_action && action_refused);
  always_ff @(posedge clk_i) begin
    refusal_q <= state_q == Rights && (entry_refused || (object_refused && !has_action));
  end

  // The length of the prefix, counted while the words of its mask are loaded, low word first.
  logic [7:0] prefix_q, prefix;
  logic prefix_ends_q;  // the words so far hold the end of the prefix
  logic prefix_bad;
  logic [31:0] gap;
  assign gap = ~stage_data;
  assign prefix_bad = prefix_ends_q ? gap != '0 : (gap & (gap + 1'b1)) != '0;
  always_comb begin
    prefix = '0;
    if (state_q == Load) for (int unsigned b = 0; b < 32; b++) prefix += 8'(stage_data[b]);
  end

  logic foreign;  // the entry belongs to another tenant
  assign foreign = table_entry_i.valid && table_entry_i.owner != tenant_q && tenant_q != '0;

  assign table_read_o = state_q == Rights && on_table && step_q[2:0] == 3'd3;  // for Owner
  assign table_write_o = state_q == Commit && command_q inside {CommandWrite, CommandDelete};
  assign meter_write_o = state_q == Commit && command_q == CommandWriteMeter;
  assign register_write_o = state_q == Commit && command_q == CommandWriteRegister;
  assign meter_read_o = state_q == Fetch && command_q == CommandReadMeter;

  assign window_o.done = state_q == Answer;
  assign window_o.error = state_q == Answer && refused_q;
  logic [31:0] answer_q;
  assign window_o.data = state_q != Answer || refused_q || window_i.write ? '0 : is_staged ? stage_data : answer_q;

  always_ff @(posedge clk_i) begin
    step_q <= step_q + 1'b1;
    unique case (state_q)
      Clear: begin
        if (step_q == '1) tenant_q <= tenant_q + 1'b1;
        if (step_q == '1 && tenant_q == '1) state_q <= Idle;
      end

      Idle: begin
        step_q <= '0;
        command_q <= command;
        tenant_q <= window_i.tenant;
        index_q <= index[15:0];
        prefix_q <= '0;
        prefix_ends_q <= 1'b0;
        answer_q <= is_entries ? own_entries : rights;
        if (is_key) answer_q <= {key_cfg_q[word[3:0]].mask, 10'h0, key_cfg_q[word[3:0]].number};
        if (32'(word) == KindWord) answer_q <= {8'(Kind), 8'(KeyHalves), 16'(Entries)};
        if (32'(word) == ObjectsWord)
          answer_q <= {8'($bits(tenant_t)), 8'($clog2(Meters)), 8'($clog2(Counters)), 8'($clog2(Registers))};
        refused_q <= 1'b1;
        if (window_i.valid) begin
          state_q <= Answer;
          if (is_staged) refused_q <= 1'b0;
          if ((is_rights || is_key) && (operator || !window_i.write)) refused_q <= 1'b0;
          if (is_rights && !operator && meant != window_i.tenant) refused_q <= 1'b1;
          if (is_entries && (window_i.write ? range_write_o : operator || meant == window_i.tenant)) refused_q <= 1'b0;
          if (is_info && !window_i.write) refused_q <= 1'b0;
          if (is_key && window_i.write && operator) begin
            if (32'(window_i.data[5:0]) >= 2 * Sources || window_i.data[15:6] != '0) refused_q <= 1'b1;
            else key_cfg_q[word[3:0]] <= {window_i.data[5:0], window_i.data[31:16]};
          end
          if (command_good && ready_i) begin
            refused_q <= 1'b0;
            state_q <= loads ? Load : Rights;
          end
          if (command_good && !ready_i) state_q <= Idle;
          if ((rights_write || range_write_o) && turns) begin
            state_q  <= Erase;
            tenant_q <= meant;
          end
        end
      end

      Load: begin
        entry_q <= {stage_data, entry_q[$bits(staged_t)-1:32]};
        if (32'(step_q) >= StagedMask && 32'(step_q) < StagedMask + KeyHalves / 2) begin
          prefix_q <= prefix_q + prefix;
          prefix_ends_q <= prefix_ends_q || stage_data != '0;
          if (Kind == Lpm && command_q == CommandWrite && prefix_bad) refused_q <= 1'b1;
        end
        if (32'(step_q) == EntryWords - 1) begin
          state_q <= Rights;
          step_q  <= '0;
        end
      end

      Rights: begin
        refused_q <= refused_q || refusal;
        if (step_q == 6'd6) begin  // all words have been checked
          state_q <= on_table ? Owner : fetches ? Fetch : Commit;
          step_q  <= '0;
          if (!on_table && (refused_q || refusal)) state_q <= Answer;
        end
      end

      Owner: begin
        state_q <= fetches ? Store : Commit;
        step_q  <= '0;
        if (fetches) begin
          entry_q <= table_entry_i.valid ? table_entry_i : '0;
        end else begin
          entry_q.valid <= command_q == CommandWrite;
          if (tenant_q != '0) entry_q.owner <= tenant_q;
          if (Kind == Lpm) entry_q.order <= 16'(16 * KeyHalves) - 16'(prefix_q);
        end
        if (refused_q || foreign) begin
          refused_q <= 1'b1;
          state_q   <= Answer;
        end
      end

      Commit: begin
        if (command_q == CommandWriteDefault) default_q <= entry_q.action[$bits(action_t)-1:0];
        state_q <= Stand;
      end

      Stand: state_q <= Answer;

      Fetch: begin
        step_q <= '0;
        unique case (command_q)
          CommandReadDefault: begin
            entry_q <= '0;
            entry_q.action[$bits(action_t)-1:0] <= default_q;
          end
          CommandReadMeter: entry_q[127:0] <= meter_cfg_i;
          CommandReadCounter: entry_q[127:0] <= {64'(bytes_i), 64'(packets_i)};
          default: entry_q[127:0] <= 128'(register_i);
        endcase
        if (command_q != CommandReadMeter || meter_done_i) state_q <= Store;
      end

      Store: begin
        entry_q <= {32'h0, entry_q[$bits(staged_t)-1:32]};
        if (32'(step_q) == (on_table || command_q == CommandReadDefault ? EntryWords - 1 : 3)) state_q <= Answer;
      end

      Erase: if (step_q == '1) state_q <= Answer;

      default: state_q <= Idle;
    endcase
    if (rst_i) begin
      state_q <= Clear;
      tenant_q <= '0;
      step_q <= '0;
      default_q <= '0;
      key_cfg_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      table_is_not_ready : cover (start && command_good && !ready_i);
      index_is_beyond : cover (start && is_command && window_i.write && !index_good);
      range_is_refused : cover (start && is_entries && window_i.write && operator && !given_good);
      range_is_the_operators : cover (start && is_entries && window_i.write && !operator);
      rights_are_the_operators : cover (start && is_rights && window_i.write && !operator);
      entry_is_refused : cover (state_q == Rights && entry_refused);
      entry_is_foreign : cover (state_q == Owner && foreign && !refused_q);
      action_is_refused : cover (state_q == Rights && command_q == CommandWrite && action_refused);
      object_is_refused : cover (state_q == Rights && object_refused);
      staged_words_are_erased : cover (state_q == Erase);
      prefix_is_refused : cover (state_q == Owner && command_q == CommandWrite && refused_q && Kind == Lpm);
      meter_is_waited_for : cover (state_q == Fetch && command_q == CommandReadMeter && !meter_done_i);
    end
  end
endmodule
