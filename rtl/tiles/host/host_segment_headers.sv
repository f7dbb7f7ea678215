// SPDX-License-Identifier: Apache-2.0
// Keeps the headers of two frames that are cut into segments, and gives each segment's as slices, with the segment's own values in them: lengths,
// identification and checksum of IPv4, sequence number and flags of TCP. The field of the TCP or UDP checksum gets the sum of the pseudo-header.
//
//   words --> memory --> slices, and what is known of the segment beside them
//               ^
//   sizes --> values, one half of a word at a time
//
// The values of a segment are written in nine cycles, while the data of the segment before it leave: the user gives data_i in these cycles.
module host_segment_headers
  import girih_pkg::*, net_pkg::*, checksum_pkg::*, host_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic        word_valid_i,
    output logic        word_ready_o,
    input  word_place_t word_place_i,
    input  logic [31:0] word_i,
    input  logic        headers_valid_i,  // the words were those of a frame that will be cut
    input  headers_t    headers_i,
    output logic        room_o,

    input  logic          size_valid_i,
    output logic          size_ready_o,
    input  segment_size_t size_i,

    input  logic          data_i,  // data of the segment before are still leaving
    output logic          slice_valid_o,
    input  logic          slice_ready_i,
    output slice_t        slice_o,
    output logic          slice_ends_o,   // the last slice of the headers
    output segment_note_t slice_note_o
);
  localparam int unsigned Flits = 1 << $clog2((SegmentHeaderBytes + FlitBytes - 1) / FlitBytes);  // of a frame's headers
  localparam int unsigned FlitBits = $clog2(Flits);
  localparam int unsigned Halves = FlitBytes / 2, HalfBits = $clog2(Halves);
  typedef logic [FlitBits-1:0] flit_place_t;
  localparam logic [15:0] Cwr = 16'h0080, FinPsh = 16'h0009;
  localparam half_place_t L3Plain = half_place_t'(EthernetBytes / 2), L3Tagged = half_place_t'((EthernetBytes + VlanBytes) / 2);

  // Whose headers are written, and whose are given.
  logic write_slot_q, read_slot_q, plan_valid, plan_room, plan_taken;
  headers_t plan;
  fifo #(
      .T(headers_t),
      .Depth(2)
  ) u_plans (
      .clk_i,
      .rst_i,
      .in_valid_i(headers_valid_i),
      .in_ready_o(plan_room),
      .in_data_i(headers_i),
      .out_valid_o(plan_valid),
      .out_ready_i(plan_taken),
      .out_data_o(plan)
  );
  assign room_o = plan_room;
  always_ff @(posedge clk_i) begin
    write_slot_q <= write_slot_q ^ headers_valid_i;
    read_slot_q  <= read_slot_q ^ plan_taken;
    if (rst_i) begin
      write_slot_q <= 1'b0;
      read_slot_q  <= 1'b0;
    end
  end

  // One step for each value, and one in which the last is written.
  typedef enum logic [3:0] {
    Begin,
    Identification,
    Length,
    HeaderSum,
    First,  // half of the sequence number, or the length of UDP
    Second,  // the other half, or UDP's sum of the pseudo-header
    Flags,
    PseudoSum,
    Written,
    Give
  } step_e;
  step_e step_q, step_d;
  logic first_q;  // the first segment of its frame
  logic [15:0] length_q, upper_length_q, identification_q;
  logic [31:0] sequence_q;
  sum_t network_q, pseudo_q;
  half_place_t l3, packet_halves;
  assign l3 = plan.has_tag ? L3Tagged : L3Plain;
  assign packet_halves = plan.ends - l3 - (plan.ipv6 ? half_place_t'(20) : '0);

  typedef struct packed {
    logic valid;
    half_place_t place;
    logic [15:0] value;
  } half_t;
  half_t half, half_q;
  always_comb begin
    half = '{valid: 1'b1, place: 'x, value: 'x};
    unique case (step_q)
      Identification: half = '{valid: !plan.ipv6, place: l3 + half_place_t'(2), value: identification_q};
      Length: half = '{valid: 1'b1, place: l3 + (plan.ipv6 ? half_place_t'(2) : half_place_t'(1)), value: length_q};
      HeaderSum: half = '{valid: !plan.ipv6, place: l3 + half_place_t'(5), value: ~network_q};
      First: half = '{valid: 1'b1, place: plan.l4 + half_place_t'(2), value: plan.tcp ? sequence_q[31:16] : upper_length_q};
      Second: half = '{valid: 1'b1, place: plan.l4 + half_place_t'(3), value: plan.tcp ? sequence_q[15:0] : pseudo_q};
      Flags:
      half = '{
          valid: plan.tcp,
          place: plan.l4 + half_place_t'(6),
          value: plan.flags & ~(first_q ? '0 : Cwr) & ~(size_i.last ? '0 : FinPsh)
      };
      PseudoSum: half = '{valid: plan.tcp, place: plan.l4 + half_place_t'(8), value: pseudo_q};
      default: half = '{valid: 1'b0, place: plan.l4, value: pseudo_q};
    endcase
  end

  logic gives, given;
  flit_place_t flit_q;
  logic [7:0] last_byte;
  assign last_byte = {plan.ends, 1'b0} - 1'b1;
  always_comb begin
    step_d = step_q;
    unique case (step_q)
      Begin: if (size_valid_i) step_d = size_i.dropped ? Give : Identification;
      Give: if (given) step_d = Begin;
      default: step_d = step_e'(step_q + 1'b1);
    endcase
  end
  assign gives = slice_valid_o && slice_ready_i;
  assign given = gives && slice_ends_o;
  assign size_ready_o = given;
  assign plan_taken = given && size_i.last && !size_i.dropped;
  always_ff @(posedge clk_i) begin
    step_q <= step_d;
    half_q <= half;
    if (step_q == Begin) begin
      length_q <= {8'd0, packet_halves, 1'b0} + size_i.bytes;
      upper_length_q <= {8'd0, plan.ends - plan.l4, 1'b0} + size_i.bytes;
      if (first_q) identification_q <= plan.identification;
      if (first_q) sequence_q <= plan.sequence_number;
    end
    if (step_q == Identification) network_q <= add(plan.network, length_q);
    if (step_q == Identification) pseudo_q <= add(plan.pseudo, upper_length_q);
    if (step_q == Length) network_q <= add(network_q, identification_q);
    if (gives) flit_q <= given ? '0 : flit_q + 1'b1;
    if (given && !size_i.dropped) begin
      first_q <= size_i.last;
      identification_q <= identification_q + 1'b1;
      sequence_q <= sequence_q + 32'(size_i.bytes);
    end
    if (rst_i) begin
      step_q  <= Begin;
      first_q <= 1'b1;
      flit_q  <= '0;
      half_q.valid <= 1'b0;
    end
  end

  // The memory, in halves of words.
  logic [Halves-1:0] writes;
  logic write_slot;
  flit_place_t write_flit;
  half_place_t write_half;
  logic [W-1:0] headers;
  assign word_ready_o = !half_q.valid;
  assign write_half = half_q.valid ? half_q.place : {word_place_i, 1'b0};
  assign write_slot = half_q.valid ? read_slot_q : write_slot_q;
  assign write_flit = flit_place_t'(write_half >> HalfBits);
  assign writes = half_q.valid ? Halves'(1) << write_half[HalfBits-1:0] : word_valid_i ? Halves'(3) << write_half[HalfBits-1:0] : '0;
  for (genvar h = 0; h < int'(Halves); h++) begin : gen_half
    logic [15:0] memory[2*Flits];
    always_ff @(posedge clk_i) begin
      if (writes[h]) memory[{write_slot, write_flit}] <= half_q.valid ? {half_q.value[7:0], half_q.value[15:8]} : word_i[16*(h%2)+:16];
    end
    assign headers[16*h+:16] = memory[{read_slot_q, flit_q}];
  end

  assign slice_valid_o = step_q == Give && !data_i;
  assign slice_ends_o = size_i.dropped || flit_q == flit_place_t'(last_byte >> EmptyWidth);
  assign slice_o = '{
          bad: 1'b0,
          last: size_i.dropped,
          lane: '0,
          bytes: slice_ends_o && !size_i.dropped ? lane_count_t'(last_byte[EmptyWidth-1:0]) + 1'b1 : lane_count_t'(FlitBytes),
          data: headers
      };
  assign slice_note_o = '{dropped: size_i.dropped, frame_ends: size_i.last, tcp: plan.tcp, l4: plan.l4};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!headers_valid_i || plan_room)
      else $error("host_segment_headers: headers of a third frame");
      assert (!size_valid_i || size_i.dropped || plan_valid)
      else $error("host_segment_headers: a segment without headers");
      headers_of_two_frames : cover (!plan_room);
      data_are_late : cover (step_q == Give && data_i);
      given_while_held_back : cover (slice_valid_o && !slice_ready_i);
      sequence_number_wraps : cover (given && !first_q && !size_i.last && sequence_q + 32'(size_i.bytes) < sequence_q);
    end
  end
endmodule
