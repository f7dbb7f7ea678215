// SPDX-License-Identifier: Apache-2.0
// The end of the pipeline: joins each frame with its verdict.
//
//   frames ---> [buffer, can rewind] ---+--> message_trim --> edits, checksums --> out
//   PHVs -> where the edits go -> [queue] -+
//
// A frame leaves when its verdict is known, cut-through, one flit per cycle. It is trimmed to the packet that its headers
// announce, which removes Ethernet's padding; a frame that is shorter than they announce leaves void. A dropped frame is
// discarded, and a mirrored one is read a second time, for the node that gets the copy. One cycle
// from PHV to flit. Messages without a chain get a route of one hop, to their exit; the others have key 1
// or 2.
module deparser
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
#(
    parameter int unsigned BufferFlits = 512,
    parameter bit Cut = TimingMhz >= 250
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                          beat_valid_i,  // a flit of a frame that is taken
    input  flit_t                         beat_i,
    output logic [$clog2(BufferFlits):0] used_o,        // flits that the buffer holds

    input logic  early_valid_i,  // a vector comes in the next cycle, with Cut = 0 in this one
    input path_t early_path_i,

    input logic phv_valid_i,
    input phv_t phv_i,

    input logic        edits_write_i,
    input path_t       edits_path_i,
    input path_edits_t edits_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    output logic  made_mirrored_o,  // pulses
    output drop_e dropped_o,        // DropNone: nothing was dropped
    output logic  edited_o,
    output logic  truncated_o
);
  localparam int unsigned K = HeaderBytes / FlitBytes;

  typedef struct packed {
    logic bad;
    logic last;
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } entry_t;

  entry_t beat, entry;
  logic entry_valid, pop, rewind;
  assign beat = '{bad: beat_i.bad, last: beat_i.last, empty: beat_i.empty, data: beat_i.data};
  deparser_buffer #(
      .T(entry_t),
      .Depth(BufferFlits)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .push_i(beat_valid_i),
      .entry_i(beat),
      .valid_o(entry_valid),
      .entry_o(entry),
      .pop_i(pop),
      .last_i(entry.last),
      .rewind_i(rewind),
      .used_o
  );

  // There are never more verdicts than flits in the buffer, so the queue has room. The copy's verdict takes the place of that of a
  // mirrored frame, so that no choice between the two delays what leaves.
  verdict_t resolved, verdict, copy;
  logic queue_ready, verdict_valid, done;
  deparser_resolve #(
      .Cut(Cut)
  ) u_resolve (
      .clk_i,
      .write_i(edits_write_i),
      .path_i(edits_path_i),
      .edits_i,
      .early_valid_i,
      .early_path_i,
      .phv_i,
      .verdict_o(resolved)
  );
  fifo_block_registered #(
      .T(verdict_t),
      .Depth(BufferFlits),
      .Replaceable(1'b1)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_offer_i(phv_valid_i),
      .in_valid_i(phv_valid_i),
      .in_ready_o(queue_ready),
      .in_data_i(resolved),
      .out_valid_o(verdict_valid),
      .out_ready_i(done),
      .out_data_o(verdict),
      .replace_i(pop && rewind),
      .replace_data_i(copy)
  );
  always_comb begin
    copy = verdict;
    copy.drop = DropNone;
    copy.mirror = 1'b0;
    copy.edited = 1'b0;
    copy.desc.chain_count = '0;
    copy.desc.exit = address_of(verdict.mirror_exit);
    copy.desc.route_count = ($bits(verdict.desc.route_count))'(1);
    copy.desc.route[0] = address_of(verdict.mirror_exit);
  end

  logic copy_q;  // the second pass, of a mirrored frame
  logic middle_q;  // a flit of the frame has been read, and the last one has not
  logic [$clog2(K):0] number_q;  // of the flit that leaves; stays at K
  logic offer, swallow, trim_ready;
  assign offer = verdict_valid && entry_valid;
  assign swallow = verdict.drop != DropNone;
  assign pop = offer && (swallow || trim_ready);
  assign rewind = entry.last && verdict.mirror;
  // message_trim never holds back a last flit; whether it holds back others does not matter here.
  assign done = offer && entry.last && (swallow || out_ready_i) && !verdict.mirror;

  // The frame is cut before it is edited, so that no logic precedes the register of a flit that is held back.
  flit_t whole, cut;
  logic truncated;
  logic [FlitBytes-1:0] unused_keep;
  always_comb begin
    whole.desc = '0;
    whole.desc.length = verdict.desc.length;
    whole.first = !middle_q;
    whole.bad = entry.bad;
    whole.last = entry.last;
    whole.empty = entry.empty;
    whole.data = entry.data;
  end
  message_trim u_trim (
      .clk_i,
      .rst_i,
      .in_valid_i(offer && !swallow),
      .in_ready_o(trim_ready),
      .in_flit_i(whole),
      .in_ends_i(verdict.ends),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o(cut),
      .keep_o(unused_keep),
      .short_o(truncated)
  );
  assign truncated_o = truncated && !copy_q;

  logic [W-1:0] data;
  deparser_edit u_edit (
      .verdict_i(verdict),
      .number_i (number_q),
      .data_i   (cut.data),
      .data_o   (data)
  );

  // The verdict stays until the end of its frame has been read, so it belongs to the flit that leaves.
  assign out_key_o = verdict.key;
  always_comb begin
    out_flit_o.desc = verdict.desc;
    out_flit_o.first = cut.first;
    out_flit_o.bad = cut.bad;
    out_flit_o.last = cut.last;
    out_flit_o.empty = cut.empty;
    out_flit_o.data = data;
  end

  assign made_mirrored_o = pop && rewind;
  assign dropped_o = pop && swallow && entry.last ? verdict.drop : DropNone;
  assign edited_o = pop && entry.last && verdict.edited && !swallow;

  always_ff @(posedge clk_i) begin
    if (out_valid_o && out_ready_i) begin
      if (cut.last) number_q <= '0;
      else if (number_q != ($clog2(K) + 1)'(K)) number_q <= number_q + 1'b1;
    end
    if (pop) middle_q <= !entry.last;
    if (pop && entry.last) copy_q <= rewind;
    if (rst_i) begin
      number_q <= '0;
      middle_q <= 1'b0;
      copy_q   <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (done == (pop && entry.last && !rewind));
      assert (!phv_valid_i || queue_ready)
      else $error("deparser: the queue of verdicts overflowed");
      assert (!verdict_valid || entry_valid || used_o != '0 || middle_q)
      else $error("deparser: there is a verdict, but no frame");
    end
  end

  logic unused;
  assign unused = &{1'b0, beat_i.desc, beat_i.first, cut.desc};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      verdict_waits_for_flits : cover (verdict_valid && !entry_valid);
      flits_wait_for_the_verdict : cover (entry_valid && !verdict_valid);
      swallowed_while_held_back : cover (pop && swallow && !out_ready_i);
      dropped_and_mirrored : cover (pop && swallow && rewind);
      mirrored_and_void : cover (pop && rewind && entry.bad);
      copy_is_held_back : cover (copy_q && out_valid_o && !out_ready_i);
    end
  end
endmodule
