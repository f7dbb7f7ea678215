// SPDX-License-Identifier: Apache-2.0
// When connections that are paced may send again. A connection that has sent a burst of bytes comes here, waits for the time that these bytes take at
// its rate, and goes. The rate is that of Linux: two windows per round trip while the congestion window is less than half of the threshold of slow start,
// and 1.2 windows afterwards. The time counts from the end of the wait before, unless that is more than 2 Quantum cycles ago, so what is late by less does not
// lower the rate, and a connection that was idle does not send faster. Each wait also yields the size of the next burst: the greatest power of two that
// takes no more than Quantum cycles, or one byte, which is one segment.
//
//   burst -> logarithms of bytes, round trip, window -> sum -> power: the time --> queue --> wait is over
//                                                                               ^   |
//                                                                               '---' not yet
//
// Waiting connections circulate in the queue, one per cycle, so a wait ends at most Connections cycles late, and a cycle later for each burst
// that comes meanwhile. The time of a burst is within 1.1 % and a cycle of the exact one, and at most 2^30 cycles. A burst is taken in each cycle.
module tcp_pacer
  import tcp_types_pkg::*, logarithm_pkg::*;
#(
    parameter int unsigned Connections = 1024,
    localparam int unsigned IdBits = $clog2(Connections),
    localparam int unsigned QuantumBits = pace_quantum_bits(Connections)
) (
    input logic clk_i,
    input logic rst_i,

    input pace_time_t now_i,  // in cycles

    input logic        burst_valid_i,  // by a connection that does not wait yet
    input connection_t burst_id_i,
    input span_t       burst_bytes_i,  // not 0
    input pace_at_t    burst_from_i,   // from when on its time counts, at most 2 Quantum cycles ago
    input logic [26:0] burst_srtt_i,   // in eighths of 256 cycles; not 0
    input span_t       burst_cwnd_i,
    input span_t       burst_threshold_i,

    output logic        over_valid_o,
    input  logic        over_ready_i,
    output connection_t over_id_o,
    output pace_at_t    over_at_o,     // when the wait should have been over
    output logic [4:0]  over_burst_o   // log2 of the size of the next burst
);
  localparam int unsigned Operands = 3;
  localparam int unsigned Bytes = 0;
  localparam int unsigned Trip = 1;
  localparam int unsigned Cwnd = 2;
  localparam int unsigned Longest = 30;  // log2 of the longest time
  localparam int unsigned MostBurst = $bits(span_t) - 1;
  typedef logic [26:0] value_t;
  typedef logic [LogFraction+4:0] log_t;
  typedef logic signed [LogFraction+7:0] sum_t;
  typedef logic [IdBits-1:0] id_t;
  localparam sum_t LogTripUnit = sum_t'(5) << LogFraction;  // 256 cycles / 8
  localparam sum_t LogFast = sum_t'(1) << LogFraction;  // log2(2)
  localparam sum_t LogSteady = sum_t'(269);  // log2(1.2)
  localparam sum_t LogQuantum = sum_t'(QuantumBits) << LogFraction;

  typedef struct packed {
    id_t id;
    pace_time_t due;
    logic [4:0] burst;
  } wait_t;

  // The highest bit of each operand, the eight bits below it, the table.
  localparam int unsigned Steps = 8;
  logic [Steps:1] valid_q;
  id_t [Steps:1] id_q;
  pace_at_t [Steps:1] from_q;
  logic [4:1] fast_q;
  value_t [Operands-1:0] operand_1_q, operand_2_q, normal;
  logic [Operands-1:0][4:0] place, place_2_q, place_3_q;
  logic [Operands-1:0][7:0] index_3_q;
  log_t [Operands-1:0] log_4_q;
  always_comb begin
    place = '0;
    for (int unsigned o = 0; o < Operands; o++) begin
      for (int unsigned i = 0; i < $bits(value_t); i++) if (operand_1_q[o][i]) place[o] = 5'(i);
      normal[o] = operand_2_q[o] << (5'($bits(value_t) - 1) - place_2_q[o]);
    end
  end
  // The logarithms of the time and of the next burst, and their powers.
  sum_t shared_5_q, bytes_5_q, time_6_q, burst_6_q, time_7_q;
  power_fraction_t power_7_q;
  logic [4:0] burst_7_q, burst_8_q;
  logic [PowerFraction+Longest:0] widened;
  pace_time_t length_8_q;
  assign widened = ($bits(widened))'({1'b1, power_7_q}) << time_7_q[LogFraction+:5];
  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[Steps-1:1], burst_valid_i};
    id_q <= {id_q[Steps-1:1], id_t'(burst_id_i)};
    from_q <= {from_q[Steps-1:1], burst_from_i};
    fast_q <= {fast_q[3:1], burst_cwnd_i < burst_threshold_i >> 1};
    operand_1_q[Bytes] <= value_t'(burst_bytes_i);
    operand_1_q[Trip] <= burst_srtt_i;
    operand_1_q[Cwnd] <= value_t'(burst_cwnd_i);
    operand_2_q <= operand_1_q;
    place_2_q <= place;
    place_3_q <= place_2_q;
    for (int unsigned o = 0; o < Operands; o++) begin
      index_3_q[o] <= normal[o][$bits(value_t)-2-:8];
      log_4_q[o] <= {place_3_q[o], LogTable[index_3_q[o]]};
    end
    shared_5_q <= sum_t'(log_4_q[Trip]) + LogTripUnit - sum_t'(log_4_q[Cwnd]) - (fast_q[4] ? LogFast : LogSteady);  // of the time of a byte
    bytes_5_q <= sum_t'(log_4_q[Bytes]);
    time_6_q <= bytes_5_q + shared_5_q;
    burst_6_q <= LogQuantum - shared_5_q;
    time_7_q <= time_6_q;
    power_7_q <= PowerTable[time_6_q[LogFraction-1-:8]];
    burst_7_q <= burst_6_q < 0 ? '0 : burst_6_q >= sum_t'(MostBurst << LogFraction) ? 5'(MostBurst) : burst_6_q[LogFraction+:5];
    length_8_q <= time_7_q < 0 ? '0 : time_7_q >= sum_t'(Longest << LogFraction) ? pace_time_t'(1 << Longest) : pace_time_t'(widened >> PowerFraction);
    burst_8_q <= burst_7_q;
    if (rst_i) valid_q <= '0;
  end

  // The queue.
  pace_at_t age;  // since the time counts
  wait_t come_q, head, back;
  logic come_valid_q, head_valid, push, pop, ends, returns, is_due, ready;
  assign age = pace_at_t'(now_i) - from_q[Steps];
  assign is_due = signed'(now_i - head.due) >= 0;
  assign ends = head_valid && is_due && (!over_valid_o || over_ready_i);
  assign returns = head_valid && !ends && !come_valid_q;
  assign push = come_valid_q || returns;
  assign pop = ends || returns;
  assign back = come_valid_q ? come_q : head;
  fifo_block #(
      .T(wait_t),
      .Depth(Connections)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .in_offer_i (push),
      .in_valid_i (push),
      .in_ready_o (ready),
      .in_data_i  (back),
      .out_valid_o(head_valid),
      .out_ready_i(pop),
      .out_data_o (head)
  );
  always_ff @(posedge clk_i) begin
    come_valid_q <= valid_q[Steps];
    come_q <= '{id: id_q[Steps], due: now_i - pace_time_t'(age) + length_8_q, burst: burst_8_q};
    if (over_ready_i) over_valid_o <= 1'b0;
    if (ends) begin
      over_valid_o <= 1'b1;
      over_id_o <= connection_t'(head.id);
      over_at_o <= pace_at_t'(head.due);
      over_burst_o <= head.burst;
    end
    if (rst_i) begin
      come_valid_q <= 1'b0;
      over_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!push || ready)
      else $error("tcp_pacer: a connection finds no room in the queue");
      assert (!burst_valid_i || (burst_bytes_i != '0 && burst_srtt_i != '0))
      else $error("tcp_pacer: a burst without bytes, or without a round trip");
      ends_at_once : cover (valid_q[Steps] && length_8_q == '0);
      waits_longest : cover (valid_q[Steps] && length_8_q == pace_time_t'(1 << Longest));
      comes_while_others_wait : cover (come_valid_q && head_valid);
    end
  end

  logic unused;
  assign unused = &{1'b0, widened, normal, burst_id_i};
endmodule
