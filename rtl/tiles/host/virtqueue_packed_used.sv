// SPDX-License-Identifier: Apache-2.0
// Writes used chains to the ring of a packed virtqueue in order, joining those that lie in one flit. When they are in memory, it asks whether the
// driver wants an interrupt, and interrupts. Of chains that belong together the first is written last, so that the driver sees all or none; once
// their writing has begun, it is completed even if the queue is halted. Of each descriptor the second half is written, 8 adjacent bytes (length,
// name, flags), which memory must take at once.
module virtqueue_packed_used
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Hold = 8  // cycles that an element waits for others
) (
    input logic clk_i,
    input logic rst_i,

    input  place_t place_i,
    input  logic   halt_i,
    output logic   busy_o,
    output stop_e  stop_o,
    output logic [15:0] index_o,  // {wrap counter, slot} of the next element

    input  logic  used_valid_i,
    output logic  used_ready_o,
    input  used_t used_i,

    output logic check_o,
    input  logic checked_i,
    input  logic [31:0] said_i,
    output logic interrupt_o,
    output logic declined_o,  // asked, the driver wants no interrupt
    output shown_t shown_o,  // frames that come into memory
    input  logic tell_i,
    input  logic [15:0] tell_index_i,
    output logic told_o,

    output logic   ask_valid_o,
    input  logic   ask_ready_i,
    output ask_t   ask_o,
    input  logic   refused_i,
    output logic   data_valid_o,
    input  logic   data_ready_i,
    output write_t data_o,
    input  logic   done_i,
    input  logic   done_error_i
);
  localparam int unsigned ElementBytes = 8, SlotBits = $clog2(DescriptorBytes);
  localparam logic [1:0] EventNever = 2'd1, EventAtIndex = 2'd2;  // flags of an event suppression structure
  localparam logic [5:0] MostWaiting = 6'd31;  // the first of a group follows its others

  // The place of the next element is computed a cycle before the element is joined to others.
  typedef logic [15+SlotBits:0] place_in_ring_t;  // bytes from the beginning of the flit in which the ring begins
  typedef logic [15+SlotBits-EmptyWidth:0] number_t;  // of a flit
  typedef struct packed {
    used_t used;
    logic [15:0] index, next;  // {wrap counter, slot} of this element, and of the next one
    addr_t at;
    place_in_ring_t in_ring;
  } placed_t;
  logic [15:0] coming_q, following;
  placed_t place, placed;
  logic placed_valid, placed_taken;
  always_comb begin
    following = 16'(coming_q[14:0]) + 16'(used_i.chain.links);
    place.used = used_i;
    place.index = coming_q;
    place.next = following >= place_i.size ? {!coming_q[15], 15'(following - place_i.size)} : {coming_q[15], following[14:0]};
    place.at = place_i.descriptors + addr_t'({coming_q[14:0], SlotBits'(ElementBytes)});
    place.in_ring = place_in_ring_t'(place_i.descriptors[EmptyWidth-1:0]) + {1'b0, coming_q[14:0], SlotBits'(ElementBytes)};
  end
  always_ff @(posedge clk_i) begin
    if (used_valid_i && used_ready_o) coming_q <= place.next;
    if (rst_i) coming_q <= place_i.start;
  end
  skid_buffer #(
      .T(placed_t)
  ) u_placed (
      .clk_i,
      .rst_i,
      .in_valid_i(used_valid_i),
      .in_ready_o(used_ready_o),
      .in_data_i(place),
      .out_valid_o(placed_valid),
      .out_ready_i(placed_taken),
      .out_data_o(placed)
  );
  used_t used;
  assign used = placed.used;

  // The index of the next element, and that up to which memory is written.
  logic [15:0] index_q, written_q;

  // The flit that is being filled.
  typedef enum logic [1:0] {
    Gather,
    Elements,  // they are being written
    First,  // the first of chains that belong together
    Tell
  } state_e;
  state_e state_q;
  logic asked_q, given_q;  // of the write: the address, the data
  logic [W-1:0] data_q;
  logic [FlitBytes-1:0] strobe_q;
  addr_t first_q;
  lane_t last_q;
  logic holds_q;  // there is an element in the flit
  logic [$clog2(Hold+1)-1:0] held_q;

  logic [5:0] waiting_q;  // writes
  lane_t lane;
  number_t number, number_q;  // of the flit: for the next element, and the one being filled
  logic telling_q;  // the request to notify is on its way
  logic fits, takes, put, tells, flush, ask_done, data_done, ends, halt;
  logic group_q, group_whole_q;  // the first of chains that belong together is held here; the others have come
  logic [15:0] group_index_q;
  addr_t group_at_q;
  logic [8*ElementBytes-1:0] element, group_element_q;
  assign halt = halt_i && !group_q;
  assign element = {placed.index[15], 7'd0, placed.index[15], 5'd0, used.bytes != '0, 1'b0, used.chain.id, 15'd0, used.bytes};
  assign lane = placed.in_ring[EmptyWidth-1:0];
  assign number = placed.in_ring[$bits(place_in_ring_t)-1:EmptyWidth];
  assign fits = !holds_q || (number == number_q && lane > last_q);
  assign tells = state_q == Gather && !holds_q && tell_i && !telling_q && !halt_i && !group_q && waiting_q < MostWaiting;
  assign takes = state_q == Gather && placed_valid && !halt && !tells && !group_whole_q;
  assign put = takes && fits && (group_q || !used.more);
  assign placed_taken = put || (takes && !group_q && used.more);
  assign flush = state_q == Gather && !halt && holds_q && ((placed_valid && !fits) || group_whole_q || 32'(held_q) == Hold) && waiting_q < MostWaiting;

  assign ask_valid_o = state_q != Gather && !asked_q;
  assign data_valid_o = state_q != Gather && !given_q;
  always_comb begin
    ask_o  = '{addr: first_q, bytes: bytes_t'(last_q) - bytes_t'(first_q[EmptyWidth-1:0]) + bytes_t'(ElementBytes)};
    data_o = '{last: 1'b1, strb: strobe_q, data: data_q};
    if (state_q == First) begin
      ask_o = '{addr: group_at_q, bytes: bytes_t'(ElementBytes)};
      data_o.strb = FlitBytes'(8'hFF) << group_at_q[EmptyWidth-1:0];
      data_o.data = {W / (8 * ElementBytes) {group_element_q}};
    end
    if (state_q == Tell) begin
      ask_o = '{addr: place_i.device, bytes: bytes_t'(4)};
      data_o.strb = FlitBytes'(15) << place_i.device[EmptyWidth-1:0];
      data_o.data = {W / 32{14'd0, EventAtIndex, tell_index_i}};
    end
  end
  assign ask_done = asked_q || ask_ready_i;
  assign data_done = given_q || data_ready_i;
  assign ends = state_q != Gather && ask_done && data_done;
  logic [15:0] shown;  // including the present write
  assign shown = group_q && state_q != First ? group_index_q : index_q;

  // Writes end in order.
  shown_t covered_q;  // frames that are shown by the flit
  typedef struct packed {
    logic tells;
    shown_t covered;
    logic [15:0] index;
  } order_t;
  logic order_ready, order_valid;
  order_t order;
  fifo #(
      .T(order_t),
      .Depth(32)
  ) u_order (
      .clk_i,
      .rst_i,
      .in_valid_i(ends),
      .in_ready_o(order_ready),
      .in_data_i('{tells: state_q == Tell, covered: state_q == First ? shown_t'(1) : covered_q, index: shown}),
      .out_valid_o(order_valid),
      .out_ready_i(done_i || refused_i),
      .out_data_o(order)
  );
  assign told_o = done_i && order_valid && order.tells;
  assign shown_o = done_i && order_valid && !order.tells ? order.covered : '0;

  // The driver is asked about the slots from asked_from_q to asked_to_q, less than a lap; those up to known_q are in memory. Slots in the lap after
  // that of asked_from_q are numbered on.
  logic due_q, checking_q, passes, wanted;  // due_q: not asked since the last elements
  logic [15:0] known_q, asked_from_q, asked_to_q, event_at, ends_at;
  assign event_at = 16'(said_i[14:0]) + (said_i[15] != asked_from_q[15] ? place_i.size : '0);
  assign ends_at = 16'(asked_to_q[14:0]) + (asked_to_q[15] != asked_from_q[15] ? place_i.size : '0);
  assign passes = event_at >= 16'(asked_from_q[14:0]) && event_at < ends_at;
  assign check_o = due_q && !checking_q && !halt_i;
  assign wanted = place_i.event_index && said_i[17:16] == EventAtIndex ? passes : said_i[17:16] != EventNever;
  assign interrupt_o = checking_q && checked_i && wanted;
  assign declined_o = checking_q && checked_i && !wanted;

  assign busy_o = state_q != Gather || group_q || waiting_q != '0;
  assign index_o = written_q;
  always_comb begin
    stop_o = StopNone;
    if (done_i && done_error_i) stop_o = StopBus;
    if (refused_i) stop_o = StopRefused;
  end

  always_ff @(posedge clk_i) begin
    if (put) begin
      if (!holds_q) first_q <= placed.at;
      number_q <= number;
      last_q  <= lane;
      holds_q <= 1'b1;
      if (!group_q) covered_q <= covered_q + 1'b1;
      for (int unsigned b = ElementBytes; b < FlitBytes; b += DescriptorBytes) begin
        if (lane == lane_t'(b)) begin
          data_q[8*b+:8*ElementBytes] <= element;
          strobe_q[b+:ElementBytes]   <= '1;
        end
      end
    end
    if (placed_taken) begin
      index_q <= placed.next;
      if (!group_q) begin
        group_q <= used.more;
        group_index_q <= placed.index;
        group_at_q <= placed.at;
        group_element_q <= element;
      end
      group_whole_q <= group_q && !used.more;
    end
    if (state_q != Gather) held_q <= '0;
    else if (holds_q && 32'(held_q) != Hold) held_q <= held_q + 1'b1;
    if (flush) state_q <= Elements;
    if (tells) begin
      state_q   <= Tell;
      telling_q <= 1'b1;
    end
    if (told_o) telling_q <= 1'b0;
    if (state_q != Gather) begin
      asked_q <= ask_done && !ends;
      given_q <= data_done && !ends;
      if (ends) begin
        state_q   <= group_whole_q && state_q == Elements ? First : Gather;
        written_q <= shown;
        holds_q   <= 1'b0;
        covered_q <= '0;
        strobe_q  <= '0;
        if (state_q == First) begin
          group_q <= 1'b0;
          group_whole_q <= 1'b0;
        end
      end
    end
    waiting_q <= waiting_q + 6'(ends) - 6'(done_i) - 6'(refused_i);
    if (check_o) begin
      due_q <= 1'b0;
      checking_q <= 1'b1;
      asked_from_q <= asked_to_q;
      asked_to_q <= known_q;
    end
    if (checking_q && checked_i) checking_q <= 1'b0;
    if (done_i && order_valid && !order.tells) begin
      if (order.index != known_q) due_q <= 1'b1;
      known_q <= order.index;
    end
    if (rst_i) begin
      index_q <= place_i.start;
      written_q <= place_i.start;
      state_q <= Gather;
      asked_q <= 1'b0;
      given_q <= 1'b0;
      holds_q <= 1'b0;
      group_q <= 1'b0;
      group_whole_q <= 1'b0;
      covered_q <= '0;
      strobe_q <= '0;
      held_q <= '0;
      waiting_q <= '0;
      due_q <= 1'b0;
      checking_q <= 1'b0;
      telling_q <= 1'b0;
      known_q <= place_i.start;
      asked_to_q <= place_i.start;
    end
  end
  logic unused;
  assign unused = &{1'b0, order_ready, said_i[31:18], place_i.driver, place_i.packed_ring, place_i.mergeable, place_i.verified, place_i.segments, place_i.indirect, used.chain.links};
endmodule
