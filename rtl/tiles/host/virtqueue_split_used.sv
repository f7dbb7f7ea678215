// SPDX-License-Identifier: Apache-2.0
// Writes used chains to the used ring of a split virtqueue in order: first the elements, joining those that lie in one flit; then the index, which
// never separates chains that belong together. When the index is in memory, it asks whether the driver wants an interrupt, and interrupts.
module virtqueue_split_used
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
    output logic [15:0] index_o,  // of the next element

    input  logic  used_valid_i,
    output logic  used_ready_o,
    input  used_t used_i,

    output logic check_o,
    input  logic checked_i,
    input  logic [15:0] said_i,
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
  localparam int unsigned ElementBytes = 8;
  localparam addr_t ElementsAt = 4, IndexAt = 2, HalfBytes = 4;
  localparam logic [5:0] MostWaiting = 6'd28;
  localparam int unsigned HalfBits = 8 * ElementBytes / 2;

  typedef enum logic [1:0] {
    Gather,
    Elements,  // they are being written
    Index,
    Tell
  } state_e;

  state_e state_q;
  logic [15:0] index_q, shown_q, written_q;  // of the next element; written or being written; in memory
  logic half_q;  // the first half of an element is in the flit before
  logic asked_q, given_q;  // of the write: the address, the data

  // The flit that is being filled.
  logic [W-1:0] data_q;
  logic [FlitBytes-1:0] strobe_q;
  addr_t first_q;
  bytes_t bytes_q;  // 0: none
  logic [$clog2(Hold+1)-1:0] held_q;

  addr_t at_q;  // of the next bytes
  lane_t lane;
  logic apart_q;  // those do not adjoin the bytes in the flit
  logic fits, whole, put, tells;
  logic telling_q;  // the request to notify is on its way
  logic [5:0] waiting_q;  // writes
  // Addresses are computed before the queue works.
  logic [15:0] mask_q;
  addr_t elements_q, index_at_q, tell_at_q;
  always_ff @(posedge clk_i) begin
    mask_q <= place_i.size - 1'b1;
    elements_q <= place_i.device + ElementsAt;
    index_at_q <= place_i.device + IndexAt;
    tell_at_q <= elements_q + addr_t'({place_i.size, 3'd0});
  end
  logic [8*ElementBytes-1:0] element;
  assign element = {15'd0, used_i.bytes, 16'd0, used_i.chain.id};
  assign lane = at_q[EmptyWidth-1:0];
  assign fits = bytes_q == '0 || (!apart_q && lane != '0);
  assign whole = !half_q && 32'(lane) <= FlitBytes - ElementBytes;  // both halves are in this flit
  assign tells = state_q == Gather && bytes_q == '0 && tell_i && !telling_q && !halt_i && waiting_q < MostWaiting;
  assign put = state_q == Gather && used_valid_i && fits && !halt_i && !tells;
  assign used_ready_o = put && (whole || half_q);

  logic flush;
  assign flush = state_q == Gather && !halt_i && ((used_valid_i && !fits) || (bytes_q != '0 && 32'(held_q) == Hold));

  // The index is written when the elements before it are complete.
  logic index_due;
  assign index_due = shown_q != written_q && !half_q;

  logic ask_done, data_done, ends;
  assign ask_valid_o = state_q != Gather && !asked_q;
  assign data_valid_o = state_q != Gather && !given_q;
  always_comb begin
    ask_o  = '{addr: first_q, bytes: bytes_q};
    data_o = '{last: 1'b1, strb: strobe_q, data: data_q};
    if (state_q == Index) begin
      ask_o = '{addr: index_at_q, bytes: bytes_t'(2)};
      data_o.strb = FlitBytes'(3) << ask_o.addr[EmptyWidth-1:0];
      data_o.data = {W / 16{shown_q}};
    end
    if (state_q == Tell) begin
      ask_o = '{addr: tell_at_q, bytes: bytes_t'(2)};
      data_o.strb = FlitBytes'(3) << ask_o.addr[EmptyWidth-1:0];
      data_o.data = {W / 16{tell_index_i}};
    end
  end
  assign ask_done = asked_q || ask_ready_i;
  assign data_done = given_q || data_ready_i;
  assign ends = state_q != Gather && ask_done && data_done;

  // Writes end in order.
  shown_t covered_q;  // frames that the next index covers
  typedef struct packed {
    state_e what;
    shown_t covered;
    logic [15:0] index;
  } order_t;
  logic order_ready, order_valid, indexed;
  order_t order;
  fifo #(
      .T(order_t),
      .Depth(32)
  ) u_order (
      .clk_i,
      .rst_i,
      .in_valid_i(ends),
      .in_ready_o(order_ready),
      .in_data_i('{what: state_q, covered: covered_q, index: shown_q}),
      .out_valid_o(order_valid),
      .out_ready_i(done_i || refused_i),
      .out_data_o(order)
  );
  assign indexed = done_i && order_valid && order.what == Index;
  assign told_o = done_i && order_valid && order.what == Tell;
  assign shown_o = indexed ? order.covered : '0;

  // The driver is asked about the elements from asked_from_q to asked_to_q; those up to known_q are in memory.
  logic due_q, checking_q, passes, wanted;  // due_q: not asked since the last index
  logic [15:0] known_q, asked_from_q, asked_to_q;
  assign check_o = due_q && !checking_q && !halt_i;
  assign passes = 16'(asked_to_q - said_i - 1'b1) < 16'(asked_to_q - asked_from_q);
  assign wanted = place_i.event_index ? passes : !said_i[0];
  assign interrupt_o = checking_q && checked_i && wanted;
  assign declined_o = checking_q && checked_i && !wanted;

  assign busy_o = state_q != Gather || waiting_q != '0;
  assign index_o = written_q;
  always_comb begin
    stop_o = StopNone;
    if (done_i && done_error_i) stop_o = StopBus;
    if (refused_i) stop_o = StopRefused;
  end

  always_ff @(posedge clk_i) begin
    if (put) begin
      if (bytes_q == '0) first_q <= at_q;
      at_q <= at_q + (whole ? addr_t'(ElementBytes) : HalfBytes);
      apart_q <= 1'b0;
      bytes_q <= bytes_q + (whole ? bytes_t'(ElementBytes) : bytes_t'(ElementBytes / 2));
      for (int unsigned b = 0; b < FlitBytes / 4; b++) begin
        if (lane_t'(4 * b) == lane) begin
          data_q[32*b+:HalfBits] <= half_q ? element[HalfBits+:HalfBits] : element[0+:HalfBits];
          strobe_q[4*b+:4] <= '1;
        end
        if (whole && lane_t'(4 * b) == lane + lane_t'(4)) begin
          data_q[32*b+:HalfBits] <= element[HalfBits+:HalfBits];
          strobe_q[4*b+:4] <= '1;
        end
      end
      half_q <= !whole && !half_q;
      if (used_ready_o) begin
        index_q <= index_q + 1'b1;
        if ((~index_q & mask_q) == '0) begin
          at_q <= elements_q;
          apart_q <= 1'b1;
        end
        if (!used_i.more) begin
          shown_q   <= index_q + 1'b1;
          covered_q <= covered_q + 1'b1;
        end
      end
    end
    if (state_q != Gather) held_q <= '0;
    else if (bytes_q != '0 && 32'(held_q) != Hold) held_q <= held_q + 1'b1;
    if (flush && waiting_q < MostWaiting) state_q <= Elements;
    if (tells) begin
      state_q   <= Tell;
      telling_q <= 1'b1;
    end
    if (told_o) telling_q <= 1'b0;
    if (state_q != Gather) begin
      asked_q <= ask_done && !ends;
      given_q <= data_done && !ends;
      if (ends) begin
        if (state_q == Elements) begin
          state_q  <= index_due ? Index : Gather;
          bytes_q  <= '0;
          strobe_q <= '0;
        end else begin
          state_q <= Gather;
          if (state_q == Index) begin
            written_q <= shown_q;
            covered_q <= '0;
          end
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
    if (indexed) begin
      due_q   <= 1'b1;
      known_q <= order.index;
    end
    if (rst_i) begin
      state_q <= Gather;
      index_q <= place_i.start;
      at_q <= elements_q + addr_t'({place_i.start & mask_q, 3'd0});
      shown_q <= place_i.start;
      written_q <= place_i.start;
      covered_q <= '0;
      half_q <= 1'b0;
      asked_q <= 1'b0;
      given_q <= 1'b0;
      strobe_q <= '0;
      bytes_q <= '0;
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
  assign unused = &{1'b0, order_ready, place_i.descriptors, place_i.driver, place_i.packed_ring, place_i.mergeable, place_i.verified, place_i.segments, place_i.indirect, used_i.chain.links};
endmodule
