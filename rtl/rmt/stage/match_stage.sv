// SPDX-License-Identifier: Apache-2.0
// One stage: a table and the actions of its entries. A packet per cycle, three cycles from phv_i to phv_o; with Cut = 0 two,
// as the last two steps share a cycle:
//
//   cycle 0: build the key, look up                       cycle 1: choose the entry, set fields, fetch operands
//   cycle 2: edits, meter, counter; read the register     cycle 3: change it; the result is merged into phv_o combinationally
//
// key_phv_o is phv_o before this arithmetic, so that the keys of the next stage need not wait for it: they
// see the fields that an action of this stage sets, but not the results of its edits, meters and registers.
// A packet that was dropped earlier in the pipeline passes unchanged.
module match_stage
  import girih_pkg::*, rmt_pkg::*, action_pkg::*, match_pkg::*;
#(
    parameter int unsigned Kind = Exact,
    parameter int unsigned Entries = 256,
    parameter int unsigned KeyHalves = 4,
    parameter int unsigned Meters = 64,
    parameter int unsigned Counters = 64,
    parameter int unsigned Registers = 256,
    parameter bit Cut = TimingMhz >= 250
) (
    input logic clk_i,
    input logic rst_i,

    input logic phv_valid_i,
    input phv_t phv_i,
    input phv_t key_phv_i,  // phv_i or, for a shorter path, key_phv_o of the previous stage

    output logic phv_valid_o,
    output phv_t phv_o,
    output phv_t key_phv_o,

    output logic  early_valid_o,  // a packet that leaves in the next cycle, with Cut = 0 in this one
    output path_t early_path_o,

    input  window_request_t  window_i,  // valid only if it is for this stage
    output window_response_t window_o,

    output logic hit_o,  // pulses: a packet has hit, or missed and taken the default action
    output logic miss_o
);
  if (Kind > Lpm) begin : gen_bad_kind
    $fatal(1, "match_stage: Kind is %0d; it must be 0 (exact), 1 (ternary) or 2 (longest prefix)", Kind);
  end
  if (Kind == Lpm && KeyHalves % 2 != 0) begin : gen_bad_prefix
    $fatal(1, "match_stage: KeyHalves is %0d; it must be even for a prefix table, whose key is whole words", KeyHalves);
  end

  localparam int unsigned KeyBits = 16 * KeyHalves;
  localparam int unsigned IndexWidth = $clog2(Entries);

  key_half_t [KeyHalves-1:0] key_cfg;
  action_t default_action;
  logic table_ready, settle_ready, table_read, table_write, meter_write, meter_read, meter_done, register_write;
  /* verilator lint_off UNUSEDSIGNAL */  // room for the largest table, and for masks that an exact one lacks
  logic [15:0] index;
  staged_t staged;
  /* verilator lint_on UNUSEDSIGNAL */
  staged_t table_entry;
  logic range_write;
  tenant_t range_tenant;
  range_t range;
  meter_cfg_t meter_cfg;
  logic [47:0] packets, bytes;
  logic [31:0] register_data;

  match_window #(
      .Kind     (Kind),
      .Entries  (Entries),
      .KeyHalves(KeyHalves),
      .Meters   (Meters),
      .Counters (Counters),
      .Registers(Registers)
  ) u_window (
      .clk_i,
      .rst_i,
      .window_i,
      .window_o,
      .range_write_o   (range_write),
      .range_tenant_o  (range_tenant),
      .range_o         (range),
      .key_cfg_o       (key_cfg),
      .default_o       (default_action),
      .ready_i         (table_ready && settle_ready),
      .table_read_o    (table_read),
      .table_write_o   (table_write),
      .index_o         (index),
      .staged_o        (staged),
      .table_entry_i   (table_entry),
      .meter_write_o   (meter_write),
      .meter_read_o    (meter_read),
      .meter_done_i    (meter_done),
      .meter_cfg_i     (meter_cfg),
      .packets_i       (packets),
      .bytes_i         (bytes),
      .register_write_o(register_write),
      .register_i      (register_data)
  );

  // Cycle 0.
  logic [KeyBits-1:0] key;
  match_key #(
      .Halves(KeyHalves)
  ) u_key (
      .valid_i(phv_valid_i),
      .phv_i(key_phv_i),
      .cfg_i(key_cfg),
      .key_o(key)
  );

  logic valid_q, active;
  phv_t phv_q;
  always_ff @(posedge clk_i) begin
    valid_q <= phv_valid_i && !rst_i;
    active <= phv_valid_i && phv_i.drop == DropNone && !rst_i;
    if (phv_valid_i) phv_q <= phv_i;
  end

  // Cycle 1.
  logic hit;
  action_t found, action;
  logic [7:0] register_index;
  sources_t sources;
  always_comb begin
    sources = 'x;
    if (valid_q) sources = sources_of(phv_q);
  end
  if (Kind == Exact) begin : gen_exact
    typedef struct packed {
      logic               valid;
      tenant_t            owner;
      logic [KeyBits-1:0] key;
      action_t            data;
    } entry_t;
    entry_t written, read;
    assign written = '{
            valid: staged.valid,
            owner: staged.owner,
            key: staged.key[KeyBits-1:0],
            data: staged.action[$bits(action_t)-1:0]
        };
    always_comb begin
      table_entry = '0;
      table_entry.valid = read.valid;
      table_entry.owner = read.owner;
      table_entry.key[KeyBits-1:0] = read.key;
      table_entry.mask[KeyBits-1:0] = '1;
      table_entry.action[$bits(action_t)-1:0] = read.data;
    end

    localparam int unsigned Candidates = 4;
    logic [Candidates-1:0] first;
    /* verilator lint_off UNUSEDSIGNAL */  // fields that wait for the choice
    action_t [Candidates-1:0] candidate;
    /* verilator lint_on UNUSEDSIGNAL */
    match_exact #(
        .Entries(Entries),
        .KeyBits(KeyBits),
        .T      (action_t)
    ) u_table (
        .clk_i,
        .rst_i,
        .in_valid_i  (phv_valid_i),
        .in_key_i    (key),
        .in_tenant_i (key_phv_i.desc.tenant),
        .in_take_i   (phv_i.drop == DropNone),
        .hit_o       (hit),
        .data_o      (found),
        .first_o     (first),
        .candidate_o (candidate),
        .range_write_i (range_write),
        .range_tenant_i(range_tenant),
        .range_i       (range),
        .ready_o     (table_ready),
        .port_read_i (table_read),
        .port_write_i(table_write),
        .port_index_i(index[IndexWidth-1:0]),
        .port_entry_i(written),
        .port_entry_o(read)
    );

    // The entry is known late in the cycle, so the register's index is computed for all candidates, and for a miss.
    logic [Candidates:0] chosen;
    logic [Candidates:0][7:0] candidate_index;
    assign chosen = {miss_o, first};
    for (genvar c = 0; c <= Candidates; c++) begin : gen_index
      state_op_t state;
      if (c < Candidates) begin : gen_entry
        assign state = candidate[c].state;
      end else begin : gen_miss
        assign state = default_action.state;
      end
      action_index u_index (
          .valid_i  (active && state.enable),
          .sources_i(sources),
          .state_i  (state),
          .index_o  (candidate_index[c])
      );
    end
    always_comb begin
      register_index = '0;
      for (int unsigned c = 0; c <= Candidates; c++) if (chosen[c]) register_index |= candidate_index[c];
    end
  end else begin : gen_ternary
    typedef struct packed {
      logic               valid;
      tenant_t            owner;
      logic [15:0]        order;
      logic [KeyBits-1:0] key;
      logic [KeyBits-1:0] mask;
      action_t            data;
    } entry_t;
    entry_t written, read;
    assign written = '{
            valid: staged.valid,
            owner: staged.owner,
            order: staged.order,
            key: staged.key[KeyBits-1:0],
            mask: staged.mask[KeyBits-1:0],
            data: staged.action[$bits(action_t)-1:0]
        };
    always_comb begin
      table_entry = '0;
      table_entry.valid = read.valid;
      table_entry.owner = read.owner;
      table_entry.order = read.order;
      table_entry.key[KeyBits-1:0] = read.key;
      table_entry.mask[KeyBits-1:0] = read.mask;
      table_entry.action[$bits(action_t)-1:0] = read.data;
    end
    assign table_ready = 1'b1;

    logic unused;  // packets are compared with all entries, whatever the ranges
    assign unused = &{1'b0, range_write, range_tenant, range};

    match_ternary #(
        .Entries(Entries),
        .KeyBits(KeyBits),
        .T      (action_t)
    ) u_table (
        .clk_i,
        .rst_i,
        .in_valid_i  (phv_valid_i),
        .in_key_i    (key),
        .in_tenant_i (key_phv_i.desc.tenant),
        .take_i      (active),
        .hit_o       (hit),
        .data_o      (found),
        .port_read_i (table_read),
        .port_write_i(table_write),
        .port_index_i(index[IndexWidth-1:0]),
        .port_entry_i(written),
        .port_entry_o(read)
    );

    action_index u_index (
        .valid_i  (active && action.state.enable),
        .sources_i(sources),
        .state_i  (action.state),
        .index_o  (register_index)
    );
  end

  assign action = found | (miss_o ? default_action : '0);
  assign hit_o  = hit;
  assign miss_o = active && !hit;

  // Cycle 2.
  logic set_valid_q;
  phv_t set_phv_q;
  always_ff @(posedge clk_i) begin
    set_valid_q <= valid_q && !rst_i;
    if (valid_q) set_phv_q <= apply_pkg::with_fields(phv_q, action);
  end

  action_settle #(
      .Meters   (Meters),
      .Counters (Counters),
      .Registers(Registers),
      .Cut      (Cut)
  ) u_settle (
      .clk_i,
      .rst_i,
      .valid_i         (valid_q),
      .phv_i           (phv_q),
      .action_i        (action),
      .register_index_i(register_index),
      .set_valid_i     (set_valid_q),
      .set_phv_i       (set_phv_q),
      .valid_o         (phv_valid_o),
      .phv_o,
      .ready_o         (settle_ready),
      .index_i         (index[7:0]),
      .staged_i        (staged[127:0]),
      .meter_write_i   (meter_write),
      .meter_read_i    (meter_read),
      .meter_done_o    (meter_done),
      .meter_cfg_o     (meter_cfg),
      .packets_o       (packets),
      .bytes_o         (bytes),
      .register_write_i(register_write),
      .register_o      (register_data)
  );
  assign early_valid_o = set_valid_q;
  assign early_path_o  = set_phv_q.parse.path;

  if (Cut) begin : gen_cut
    always_ff @(posedge clk_i) if (set_valid_q) key_phv_o <= set_phv_q;
  end else begin : gen_wire
    assign key_phv_o = set_phv_q;
  end
endmodule
