// SPDX-License-Identifier: Apache-2.0
// Types shared by the parser, the match-action stages and the deparser: the packet header vector, the
// edits that the stages request, and the window through which software reaches their tables.
//
// A PHV holds Words words of 32 bits that the parser's program has extracted from the frame, each from
// any even byte, in network order: first wire byte in [31:24]. Only software knows where each field is, from the
// program; the hardware knows no protocol.
package rmt_pkg;
  import girih_pkg::*;
  import parser_pkg::*;
  export parser_pkg::*;  // the sizes that the parser's program fixes

  localparam int unsigned Edits = 4;  // words that the stages may change in one packet, together
  localparam int unsigned MaxStages = 4;

  typedef logic [$clog2(Words)-1:0] word_number_t;
  typedef logic [$clog2(Paths)-1:0] path_t;
  typedef logic [$clog2(HeaderBytes/2)-1:0] halfword_t;  // halfwords from the start of the frame

  // One changed word. If two edits write the same word, the later one (higher index) wins.
  // delta is the effect of the change on a checksum, for each half by itself: the ones' complement sum
  // checksum_pkg::add(new, ~old), so that the deltas of edits of one word add up.
  typedef struct packed {
    logic valid;
    word_number_t number;
    logic [1:0] halves;  // [1]: bits 31:16 are written, [0]: bits 15:0
    logic [31:0] value;  // the new word
    logic [1:0][15:0] delta;  // 0 for a half that is not written
  } edit_t;

  // The frame's result in the parser's program; only parser and deparser use it.
  typedef struct packed {
    path_t path;
    halfword_t shift_l3;  // shift of everything after the link header
    halfword_t shift_l4;  // and of everything after the network header
    logic [Sums-1:0][15:0] sum;  // checksums of the frame as it arrived
  } parse_t;

  // The result of the parser's first step.
  typedef struct packed {
    logic [3:0] state;
    logic [Headers-1:0] headers;
    logic optional;  // there is an optional link header
    halfword_t shift_l3;
    halfword_t shift_l4;
    halfword_t [Probes-1:0] probe;
  } front_step_t;

  // The position of a place of the parser's program in a frame.
  function automatic halfword_t halfword_at(place_t place, halfword_t shift_l3, halfword_t shift_l4);
    halfword_at = place.halfword + (place.base == BaseL3 ? shift_l3 : place.base == BaseL4 ? shift_l4 : '0);
  endfunction

  typedef enum logic [1:0] {
    DropNone,
    DropRunt,  // by the parser: it fits no path
    DropAction,  // by a table
    DropMeter  // by a meter
  } drop_e;

  typedef struct packed {
    logic [Words-1:0][31:0] word;  // as edited so far; 0 if not valid
    logic [Words-1:0] word_valid;
    logic [Headers-1:0] headers;  // the headers that are present
    parse_t parse;
    edit_t [Edits-1:0] edit;  // a stage adds its own at the lowest index that is not valid
    logic [31:0] meta;  // from stage to stage, such as a register's result; 0 from the parser
    logic mirror;  // an edited copy without a chain goes to node mirror_exit
    node_t mirror_exit;
    drop_e drop;  // the first reason is kept
    logic may_be_lossless;  // a table's wish for it counts
    descriptor_t desc;
  } phv_t;

  // The deparser's changes to a frame: where edits go, and by how much checksums change.
  typedef struct packed {
    logic [1:0] halves;
    halfword_t place;  // of the first half
    logic [31:0] value;
  } placed_edit_t;

  typedef struct packed {
    logic write;
    sum_mode_e mode;
    halfword_t place;
    logic [19:0] total;  // whose complement, folded, is the new checksum
  } placed_sum_t;

  typedef struct packed {
    descriptor_t desc;
    logic ends;  // the bytes that are kept are in the first flit
    next_key_t key;
    drop_e drop;
    logic mirror;
    node_t mirror_exit;
    logic edited;
    placed_edit_t [Edits-1:0] edit;
    placed_sum_t [Sums-1:0] sum;
  } verdict_t;

  // The pipeline's events, one pulse each.
  typedef struct packed {
    logic in_frames;
    logic made_mirrored;
    logic drop_overflow;
    logic drop_runt;
    logic drop_action;
    logic drop_meter;
    logic mark_edited;
    logic mark_truncated;
    logic [MaxStages-1:0] mark_hit;
    logic [MaxStages-1:0] mark_miss;
  } pipeline_event_t;

  // Fields that the pipeline's user sets in every packet before the stages see it.
  typedef struct packed {
    port_t port;
    tenant_t tenant;
    node_t exit;
    logic lossless;
  } pipeline_default_t;

  // The tile's window. A request holds until it is done; done may come in the same cycle.
  typedef struct packed {
    logic valid;
    logic write;
    logic [13:0] addr;  // bytes; a multiple of 4
    logic [31:0] data;
    tenant_t tenant;  // 0: the operator
  } window_request_t;

  typedef struct packed {
    logic done;
    logic error;
    logic [31:0] data;
  } window_response_t;

  // addr[13:11] of the window selects the block that answers; all others keep done low.
  typedef enum logic [2:0] {
    WindowParser = 3'd0,
    WindowStage0 = 3'd1  // stage s: WindowStage0 + s
  } window_e;
endpackage
