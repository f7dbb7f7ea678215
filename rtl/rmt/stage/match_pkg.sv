// SPDX-License-Identifier: Apache-2.0
// Sources of keys and operands, and the types between the parts of a stage.
package match_pkg;
  import girih_pkg::*, rmt_pkg::*, action_pkg::*;

  // The kinds of tables.
  localparam int unsigned Exact = 0;
  localparam int unsigned Ternary = 1;
  localparam int unsigned Lpm = 2;

  localparam int unsigned MaxKeyHalves = 10;

  // Keys and operands are taken from sources: the words of the header vector, then those in action_pkg. A half is
  // {source, 1 for bits 31:16}.
  localparam int unsigned Sources = SourceLength + 1;
  typedef logic [5:0] half_t;
  typedef logic [Sources-1:0][31:0] sources_t;

  /* verilator lint_off UNUSEDSIGNAL */  // a key is made of a few fields of the vector
  function automatic sources_t sources_of(phv_t phv);
    sources_t sources;
    sources[Words-1:0] = phv.word;
    sources[SourceMark] = phv.meta;
    sources[SourceCard] = {phv.headers, phv.desc.port, 6'(phv.desc.tenant), 6'(phv.parse.path)};
    sources[SourceFlow] = {16'h0, phv.desc.flow};
    sources[SourceLength] = 32'(phv.desc.length);
    return sources;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // One half of a key: its source, and the mask of its bits.
  typedef struct packed {
    half_t number;
    logic [15:0] mask;
  } key_half_t;

  // A meter's rates, in 2^-12 bytes per turn (as many cycles as there are meters), and its bursts in bytes.
  typedef struct packed {
    logic [31:0] peak_burst;
    logic [31:0] peak_rate;
    logic [31:0] committed_burst;
    logic [31:0] committed_rate;
  } meter_cfg_t;

  // An entry as software stages it, first word at the least significant end. The key's last half is in
  // the low bits of the first word.
  typedef struct packed {
    logic [32*ActionWords-1:0] action;
    logic [15:0]               order;
    logic                      valid;
    logic [14-$bits(tenant_t):0] unused;
    tenant_t                   owner;
    logic [159:0]              mask;
    logic [159:0]              key;
  } staged_t;
  localparam int unsigned EntryWords = $bits(staged_t) / 32;

  // A range of indices from first to before stop; empty if they are equal.
  typedef struct packed {
    logic [15:0] stop;
    logic [15:0] first;
  } range_t;

  typedef enum logic [1:0] {
    Green,
    Yellow,
    Red
  } colour_e;
endpackage
