// SPDX-License-Identifier: Apache-2.0
// Splits requests with a list of ranges into accesses, one for each range, in the order of the list; other requests pass through, in
// the same cycle while no list is here. list_join makes one reply of the accesses' replies.
//
//   in -+---------------------------------------+--> accesses
//       +--> store --> load --> check --> send --+
//
// A list is stored whole and checked before its first access leaves: a cycle for each flit of the list, two for each range and one for
// the size of the message, and one for each further flit of a scatter's data. A list that breaks a rule leaves as one access that is malformed. A void list is dropped and reported.
module list_split
  import girih_pkg::*, memory_access_pkg::*, memory_types_pkg::*;
#(
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits),
    parameter int unsigned Slots = 256  // an access takes at most half of these flits
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,
    output logic  void_o,  // a list that arrived void

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    // For each access that leaves, unless it is void: with its last flit.
    output logic  part_valid_o,
    output part_t part_o
);
  localparam int unsigned MostFlits = MaxFrameFlits < Slots / 2 ? MaxFrameFlits : Slots / 2;
  localparam int unsigned RangeBytes = $bits(range_t) / 8;
  localparam int unsigned ListFlits = (ListRanges * RangeBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned FlitRanges = FlitBytes / RangeBytes;
  typedef logic [15:0] flits_t;  // of all ranges
  typedef logic [$clog2(ListRanges+1)-1:0] number_t;

  // Lists leave the stream at their first flit, and nothing passes them. At most two wait: the store has no room for another's token.
  logic list_q, listed, is_list;
  logic [1:0] inside_q;
  logic store_valid, store_ready, pass_valid, done;
  assign listed = in_flit_i.desc.memory_op inside {OpGather, OpScatter};
  assign is_list = in_flit_i.first ? listed : list_q;
  assign store_valid = in_valid_i && is_list;
  assign pass_valid = in_valid_i && !is_list && inside_q == '0;
  assign in_ready_o = is_list ? store_ready : inside_q == '0 && out_ready_i;
  assign void_o = store_valid && store_ready && in_flit_i.last && in_flit_i.bad;

  logic take;
  assign take = in_valid_i && in_ready_o;
  always_ff @(posedge clk_i) begin
    if (take) list_q <= is_list;
    inside_q <= inside_q + 2'(take && in_flit_i.first && listed) - 2'(void_o) - 2'(done);
    if (rst_i) begin
      inside_q <= '0;
    end
  end

  // The size of a list, in flits and the bytes that its last one lacks.
  typedef struct packed {
    flits_t flits;
    logic [EmptyWidth-1:0] empty;
  } size_t;
  flits_t count_q;
  size_t stored_size;
  flit_t stored;
  logic stored_valid, stored_ready, unused_fits;
  always_ff @(posedge clk_i) begin
    if (store_valid && store_ready) count_q <= in_flit_i.last ? '0 : count_q + 1'b1;
    if (rst_i) count_q <= '0;
  end
  packet_store #(
      .token_t(size_t),
      .Depth(Flits),
      .Tokens(2)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i(store_valid),
      .in_ready_o(store_ready),
      .in_flit_i,
      .commit_i(in_flit_i.last && !in_flit_i.bad),
      .drop_i(in_flit_i.last && in_flit_i.bad),
      .token_i('{flits: count_q + 1'b1, empty: in_flit_i.empty}),
      .out_valid_o(stored_valid),
      .out_ready_i(stored_ready),
      .out_flit_o(stored),
      .out_token_o(stored_size),
      .fits_o(unused_fits)
  );

  typedef enum logic [2:0] {
    Load,  // the flits that hold the list
    Check,  // its ranges
    Size,  // of the message
    Send,  // an access for each
    Drain  // what follows a list that breaks a rule
  } state_e;
  state_e state_q;
  flit_t head_q;  // its descriptor
  size_t size_q;
  logic ended_q;  // all of the message has been read
  number_t index_q;  // of the range, or, while the list is loaded, of its flit
  flits_t total_q, beat_q;  // flits: of the ranges so far; of this range that have left
  logic [EmptyWidth-1:0] end_q, range_end;  // the lane behind the last range; behind this one
  logic good_q;  // the list breaks no rule so far
  logic [ListFlits-1:0][W-1:0] words_q;

  // The range, and its access.
  range_t range;
  logic [FlitRanges-1:0][$bits(range_t)-1:0] ranges;
  logic [EmptyWidth-1:0] lane;
  in_page_t at;
  slots_t beats;
  logic right, last_range, last_beat, scatter;
  bytes_t list_bytes;
  number_t number;
  assign ranges = words_q[ListFlits == 1 ? 0 : 32'(index_q) / FlitRanges];
  assign range = ranges[32'(index_q)%FlitRanges];
  assign at = range.addr[$bits(in_page_t)-1:0];
  assign lane = at[EmptyWidth-1:0];
  assign range_end = EmptyWidth'(32'(lane) + 32'(range.bytes));
  assign beats = slots_t'((32'(lane) + 32'(range.bytes) + FlitBytes - 1) >> EmptyWidth);
  assign right = range.bytes != '0 && 32'(at) + 32'(range.bytes) <= PageBytes && 32'(beats) <= MostFlits && range.unused == '0;
  assign scatter = head_q.desc.memory_op == OpScatter;
  assign list_bytes = head_q.desc.memory_bytes;
  assign number = number_t'(32'(list_bytes) / RangeBytes);
  assign last_range = index_q + 1'b1 == number;
  assign last_beat = !scatter || beat_q + 1'b1 == flits_t'(beats);

  // Flits that hold the list of the message at the store, or that has been loaded.
  bytes_t stored_bytes;
  logic [$clog2(ListFlits+1)-1:0] list_flits;
  logic loaded, bytes_right;
  assign stored_bytes = state_q == Load && index_q == '0 ? stored.desc.memory_bytes : list_bytes;
  assign bytes_right = stored_bytes != '0 && 32'(stored_bytes) <= ListRanges * RangeBytes && 32'(stored_bytes) % RangeBytes == 0;
  assign list_flits = $bits(list_flits)'((32'(stored_bytes) + FlitBytes - 1) >> EmptyWidth);
  assign loaded = stored.last || !bytes_right || index_q + 1'b1 == number_t'(list_flits);

  // The message is its list, and the flits of a scatter's ranges: each range begins in a new flit, at the lane of its address.
  size_t expected;
  logic size_right;
  assign expected.flits = flits_t'(list_flits) + (scatter ? total_q : '0);
  assign expected.empty = EmptyWidth'(-(scatter ? 32'(end_q) : 32'(list_bytes)));
  assign size_right = size_q == expected && (scatter || 32'(total_q) <= MaxFrameFlits);

  logic sends, sent;
  assign sends = state_q == Send && (!scatter || !good_q || stored_valid);
  assign sent = sends && out_ready_i;
  assign stored_ready = state_q == Load || (state_q == Send && scatter && good_q && out_ready_i) || (state_q == Drain && !ended_q);
  assign done = state_q == Drain ? ended_q || (stored_valid && stored.last) : sent && good_q && last_range && last_beat;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Load: begin
        beat_q  <= '0;
        total_q <= '0;
        if (stored_valid) begin
          if (index_q == '0) head_q <= stored;
          size_q <= stored_size;
          ended_q <= stored.last;
          words_q[ListFlits == 1 ? 0 : 32'(index_q) % ListFlits] <= stored.data;
          good_q <= bytes_right && index_q + 1'b1 == number_t'(list_flits);
          index_q <= loaded ? '0 : index_q + 1'b1;
          if (loaded) state_q <= Check;
        end
      end

      Check: begin
        total_q <= total_q + flits_t'(beats);
        end_q   <= range_end;
        index_q <= index_q + 1'b1;
        if (!right) good_q <= 1'b0;
        if (!good_q || last_range) begin
          index_q <= '0;
          state_q <= Size;
        end
      end

      Size: begin
        if (!size_right) good_q <= 1'b0;
        state_q <= Send;
      end

      Send: begin
        if (sent) begin
          beat_q <= last_beat ? '0 : beat_q + 1'b1;
          if (last_beat) index_q <= last_range || !good_q ? '0 : index_q + 1'b1;
          if (!good_q) state_q <= Drain;
          else if (last_range && last_beat) state_q <= Load;
        end
      end

      default: if (done) state_q <= Load;
    endcase
    if (rst_i) begin
      state_q <= Load;
      index_q <= '0;
    end
  end

  // The access. One of no bytes is malformed.
  flit_t access;
  always_comb begin
    access = head_q;
    access.first = beat_q == '0;
    access.bad = 1'b0;
    access.last = last_beat || !good_q;
    access.empty = scatter && access.last ? EmptyWidth'(-32'(range_end)) : '0;
    access.data = scatter && good_q ? stored.data : '0;
    access.desc.memory_op = scatter ? OpWrite : OpRead;
    access.desc.memory_addr = range.addr;
    access.desc.memory_bytes = good_q ? range.bytes : '0;
    access.desc.memory_ordered = head_q.desc.memory_ordered && index_q == '0;
  end
  assign out_valid_o = state_q == Send ? sends : pass_valid;
  assign out_flit_o = state_q == Send ? access : in_flit_i;

  assign part_valid_o = out_valid_o && out_ready_i && out_flit_o.last && !out_flit_o.bad;
  assign part_o = '{
          of_list: state_q == Send,
          last: last_range || !good_q,
          scatter: scatter
      };

  logic unused;
  assign unused = &{1'b0, stored.bad, stored.empty, head_q};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(take && in_flit_i.first && listed && inside_q == '1))
      else $error("list_split: more than three lists are here");
      assert (state_q != Send || !scatter || !good_q || !stored_valid || stored.last == (last_range && last_beat))
      else $error("list_split: the data of a list do not end with its last range");
      list_of_all_ranges : cover (done && state_q == Send && 32'(number) == ListRanges);
      list_waits_for_room : cover (store_valid && in_flit_i.first && !store_ready);
      access_waits_for_a_list : cover (in_valid_i && !is_list && inside_q != '0);
      list_is_too_long : cover (state_q == Load && stored_valid && index_q == '0 && 32'(stored_bytes) > ListRanges * RangeBytes);
      list_ends_early : cover (state_q == Load && stored_valid && bytes_right && stored.last && index_q + 1'b1 != number_t'(list_flits));
      range_is_wrong : cover (state_q == Check && good_q && !right);
      size_is_wrong : cover (state_q == Size && good_q && !size_right);
      data_follow_a_wrong_list : cover (state_q == Drain && !ended_q && stored_valid && !stored.last);
    end
  end
endmodule
