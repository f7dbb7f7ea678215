// SPDX-License-Identifier: Apache-2.0
// The available ring of a split virtqueue: reads the driver's index and the entries that it offers, and gives the heads of chains that they hold.
//
// look -> index -> entries, up to a flit of them -> heads, one per cycle
//
// While it knows of no entry to read, it reads the next entries right after the index, and takes those that the index turns out to offer: reads are
// carried out in order. What to read next is computed in the two cycles after each change of an index, so that its arithmetic is in no path to the
// bus. A flit of entries that are known to be offered is requested while those of the flit before are given; entries that are not known to be offered
// are never read so early, since by the time they are used, an index may cover entries that the driver wrote after they were read.
module virtqueue_split_ring
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input place_t place_i,

    input  logic        look_i,         // the driver may have offered more
    input  logic        check_i,        // asks what the driver says about interrupts now; one question at a time
    output logic        checked_o,
    output logic [15:0] said_o,         // its flags, or the index that it waits for
    output logic        tell_o,         // the driver is to notify when its index passes tell_index_o
    output logic [15:0] tell_index_o,
    input  logic        told_i,         // the request is in memory

    output logic                ask_valid_o,
    input  logic                ask_ready_i,
    output ask_t                ask_o,
    output split_read_e         what_o,
    input  logic                got_i,
    input  split_read_e         got_what_i,
    input  logic        [W-1:0] got_data_i,   // from the address requested
    output logic                stop_o,       // more entries are offered than the ring has

    output logic        head_valid_o,
    input  logic        head_ready_i,
    output logic [15:0] head_o
);
  localparam int unsigned Heads = 64;  // that wait
  localparam int unsigned Most = 32;  // entries of a read
  typedef logic [15:0] index_t;
  typedef logic [5:0] run_t;

  logic look_q, looking_q;  // wanted; requested and not answered
  logic ring_q, came_q;  // entries have been requested; they have come
  logic check_q, report_q;  // the next look answers check_i; the one in flight does
  logic known_q;
  logic guess_q, guessed_q;  // entries are to be read along with the index; those requested are
  logic spent_q;  // all entries that have come have been given
  index_t available_q, next_q;  // the driver's index, and the entry of the ring that is read next

  // In the first cycle after a change of these: the entries open; in the second: what to read.
  logic [1:0] fresh_q;
  logic moves;
  index_t open_q, to_end_q;
  addr_t at_q, addr_q;
  run_t in_flit, most, run_q;
  logic none_q, differs_q;  // nothing is open; the driver has not been told this index
  index_t told_q;
  logic known_told_q;
  assign in_flit = run_t'((FlitBytes - 32'(at_q[EmptyWidth-1:0])) / 2 < Most ? (FlitBytes - 32'(at_q[EmptyWidth-1:0])) / 2 : Most);
  assign most = to_end_q < index_t'(in_flit) ? run_t'(to_end_q) : in_flit;
  always_ff @(posedge clk_i) begin
    fresh_q <= moves ? 2'b00 : {fresh_q[0], 1'b1};
    open_q <= known_q ? available_q - next_q : '0;
    to_end_q <= place_i.size - (next_q & (place_i.size - 1'b1));
    at_q <= place_i.driver + 4 + addr_t'({next_q & (place_i.size - 1'b1), 1'b0});
    addr_q <= at_q;
    none_q <= open_q == '0;
    run_q <= open_q == '0 || open_q > index_t'(most) ? most : run_t'(open_q);
    differs_q <= told_q != next_q || !known_told_q;
    if (rst_i) fresh_q <= '0;
  end
  assign stop_o = known_q && open_q > place_i.size;

  // A look is a read of the driver's flags and index. If a flit ends between the two, it reads one of them: the flags, if these are wanted, and the
  // index afterwards.
  logic apart, alone;
  addr_t said_at_q, index_at_q;
  assign apart = &place_i.driver[EmptyWidth-1:1];
  assign alone = apart || place_i.event_index;
  always_ff @(posedge clk_i) begin
    said_at_q  <= place_i.event_index ? place_i.driver + 4 + addr_t'({place_i.size, 1'b0}) : place_i.driver;
    index_at_q <= place_i.driver + (apart ? 2 : 0);
  end

  logic wants_look, wants_ring, asks_look, asks_ring;
  assign wants_look = (look_q || check_q) && !looking_q;
  assign wants_ring = !wants_look && &fresh_q && (!none_q || (guess_q && spent_q)) && !ring_q;
  assign ask_valid_o = wants_look || wants_ring;
  assign asks_look = wants_look && ask_ready_i;
  assign asks_ring = wants_ring && ask_ready_i;
  always_comb begin
    ask_o  = '{addr: addr_q, bytes: bytes_t'({run_q, 1'b0})};
    what_o = ReadEntries;
    if (wants_look) begin
      ask_o  = '{addr: index_at_q, bytes: apart ? bytes_t'(2) : bytes_t'(4)};
      what_o = ReadIndex;
      if (alone && check_q) begin
        ask_o  = '{addr: said_at_q, bytes: bytes_t'(2)};
        what_o = ReadFlags;
      end
    end
  end
  assign checked_o = got_i && got_what_i != ReadEntries && report_q;
  assign said_o = got_data_i[15:0];

  // Entries that have come wait until those before them have been given; by then it is known how many of them are offered.
  logic [W-1:0] came_data_q, entries_q;
  run_t asked_q, offered, left_q;  // entries: requested; offered of these; not yet given
  logic takes, heads_ready;
  assign offered = guessed_q && open_q < index_t'(asked_q) ? run_t'(open_q) : asked_q;
  assign takes = came_q && left_q == '0;
  assign moves = (got_i && got_what_i == ReadIndex) || (asks_ring && !none_q) || (takes && guessed_q);
  fifo #(
      .T(index_t),
      .Depth(Heads)
  ) u_heads (
      .clk_i,
      .rst_i,
      .in_valid_i(left_q != '0),
      .in_ready_o(heads_ready),
      .in_data_i(entries_q[15:0]),
      .out_valid_o(head_valid_o),
      .out_ready_i(head_ready_i),
      .out_data_o(head_o)
  );

  // When there is nothing left to read, the driver is told at which index to notify; then the ring is looked at once
  // more.
  logic tell_q;
  assign tell_o = tell_q;
  assign tell_index_o = told_q;

  always_ff @(posedge clk_i) begin
    if (asks_look) begin
      if (what_o == ReadIndex) look_q <= 1'b0;
      looking_q <= 1'b1;
      report_q <= check_q;
      check_q <= 1'b0;
      guess_q <= what_o == ReadIndex;
    end
    if (look_i || told_i) look_q <= 1'b1;
    if (check_i) check_q <= 1'b1;
    if (told_i) tell_q <= 1'b0;
    if (place_i.event_index && known_q && &fresh_q && none_q && !look_q && !looking_q && !ring_q && !tell_q && differs_q) begin
      tell_q <= 1'b1;
      told_q <= next_q;
      known_told_q <= 1'b1;
    end
    if (asks_ring) begin
      ring_q <= 1'b1;
      asked_q <= run_q;
      guess_q <= 1'b0;
      guessed_q <= none_q;
      if (!none_q) next_q <= next_q + index_t'(run_q);
    end
    if (got_i) begin
      unique case (got_what_i)
        ReadIndex: begin
          looking_q <= 1'b0;
          available_q <= apart ? got_data_i[15:0] : got_data_i[31:16];
          known_q <= 1'b1;
        end
        ReadFlags: looking_q <= 1'b0;
        default: begin
          came_q <= 1'b1;
          came_data_q <= got_data_i;
        end
      endcase
    end
    if (left_q != '0 && heads_ready) begin
      entries_q <= entries_q >> 16;
      left_q <= left_q - 1'b1;
    end
    spent_q <= left_q == '0 && !takes;
    if (takes) begin
      ring_q <= 1'b0;
      came_q <= 1'b0;
      entries_q <= came_data_q;
      left_q <= offered;
      if (guessed_q) next_q <= next_q + index_t'(offered);
    end
    if (rst_i) begin
      look_q <= 1'b1;
      looking_q <= 1'b0;
      check_q <= 1'b0;
      report_q <= 1'b0;
      tell_q <= 1'b0;
      known_told_q <= 1'b0;
      ring_q <= 1'b0;
      came_q <= 1'b0;
      known_q <= 1'b0;
      guess_q <= 1'b0;
      spent_q <= 1'b0;
      next_q <= place_i.start;
      left_q <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, place_i.descriptors, place_i.device, place_i.packed_ring, place_i.mergeable, place_i.verified, place_i.segments, place_i.indirect};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(got_i && got_what_i == ReadEntries) || (ring_q && !came_q))
      else $error("virtqueue_split_ring: entries have come that were not asked for");
      assert (!(came_q && guessed_q) || takes)
      else $error("virtqueue_split_ring: entries that were read along with an index wait for another one");
    end
  end
endmodule
