// SPDX-License-Identifier: Apache-2.0
// CUBIC's window as a function of time (RFC 9438): W(t) = C (t - K)^3 + W_max, with C = 0.4 segments per s^3. Each visit of the timer to a
// connection in congestion avoidance yields its window at that time, which becomes an event of the connection 15 cycles later. A
// visit that comes earlier than 15 cycles after the one before is ignored.
//
// Instead of t, the RAM holds the age t - K, which begins at -K. It advances by the time between two visits if the congestion window limits the
// connection, and stays if something else does. Cubes and the cube root are multiples of logarithms, for which one table serves in turn:
//
//   visit -> read -> W_max -> log |age| or, after a loss, log (W_max - W(0)); log mss -> sum, or a third of it -> power -> window or -K -> write, event
//
// C |t - K|^3 is within 1.5 % of the exact value, and K within 0.7 %; both are also rounded, to bytes and microseconds.
module tcp_cubic
  import tcp_types_pkg::*, logarithm_pkg::*;
#(
    parameter int unsigned Connections = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input logic        tick_i,
    input logic        round_i,  // the timer visits the first connection
    input logic [31:0] rate_i,   // CUBIC's time that passes in a tick, times 2^32 / s

    input logic        clear_i,     // a new connection
    input connection_t clear_id_i,
    input logic        visit_i,
    input connection_t id_i,
    input congestion_e mode_i,       // NewReno for a connection that does not need a window
    input span_t       cwnd_i,
    input span_t       threshold_i,
    input span_t       estimate_i,
    input logic [13:0] mss_i,
    input logic        pressed_i,    // the congestion window limits the connection

    output logic        window_valid_o,
    input  logic        window_ready_i,
    output connection_t window_id_o,
    output congestion_e window_mode_o,    // as it was at the visit
    output span_t       window_target_o,
    output logic        window_reaches_o
);
  typedef logic [$clog2(Connections)-1:0] id_t;
  typedef logic signed [25:0] age_t;  // in units of 2^-20 s
  typedef logic [25:0] value_t;
  typedef logic [LogFraction+4:0] log_t;
  typedef logic signed [LogFraction+7:0] sum_t;
  localparam int unsigned AgeFraction = 20;
  localparam age_t Oldest = age_t'((1 << 25) - 1);
  localparam span_t Most = {1'b0, {($bits(span_t) - 1) {1'b1}}};
  localparam sum_t LogC = -sum_t'(1354);  // log2(0.4)
  localparam sum_t LogCube = sum_t'(3 * AgeFraction) << LogFraction;  // the unit of the age, cubed

  typedef struct packed {
    age_t  age;
    span_t prior;  // the congestion window before it was last reduced
    span_t most;   // W_max
  } memory_t;

  // Time, and how much of it has passed between the last two visits to a connection.
  logic [43:0] clock_q;
  logic [31:0] round_q, step_q;
  always_ff @(posedge clk_i) begin
    if (tick_i) clock_q <= clock_q + 44'(rate_i);
    if (round_i) begin
      step_q  <= clock_q[43:12] - round_q;
      round_q <= clock_q[43:12];
    end
    if (rst_i) begin
      clock_q <= '0;
      round_q <= '0;
      step_q  <= '0;
    end
  end

  typedef enum logic [3:0] {
    Idle,
    Read,
    Plateau,
    Operand,
    First,  // of the steps of two logarithms, one behind the other
    Second,
    Third,
    Fourth,
    Add,
    Divide,
    DivideMore,
    Power,
    Widen,
    Conclude,
    Write
  } state_e;
  state_e state_q;
  id_t id_q;
  logic window_valid_q, writes;
  congestion_e mode_q;
  span_t cwnd_q, threshold_q, estimate_q, target_q;
  logic [13:0] mss_q;
  logic pressed_q, younger_q, reaches_q, zero_q;
  memory_t read, memory_q;
  assign writes = state_q == Write && !clear_i && (!window_valid_q || window_ready_i);
  ram_simple_dual #(
      .T(memory_t),
      .Depth(Connections)
  ) u_memory (
      .clk_i,
      .write_enable_i(clear_i || writes),
      .write_addr_i  (clear_i ? id_t'(clear_id_i) : id_q),
      .write_data_i  (clear_i ? memory_t'(0) : memory_q),
      .read_enable_i (visit_i && state_q == Idle),
      .read_addr_i   (id_t'(id_i)),
      .read_data_o   (read)
  );

  // A logarithm in three steps: the highest bit, the eight bits below it, the table.
  value_t operand_q, found_in_q, normal;
  logic [4:0] place, place_1_q, place_2_q;
  logic [7:0] index_q;
  log_t log_q, first_log_q;
  always_comb begin
    place = '0;
    for (int unsigned i = 0; i < $bits(value_t); i++) if (operand_q[i]) place = 5'(i);
    normal = found_in_q << (5'd25 - place_1_q);
  end
  always_ff @(posedge clk_i) begin
    found_in_q <= operand_q;
    place_1_q <= place;
    place_2_q <= place_1_q;
    index_q <= normal[24-:8];
    log_q <= {place_2_q, LogTable[index_q]};
    first_log_q <= log_q;
  end

  // A power in two.
  sum_t sum_q;
  power_fraction_t power_q;
  logic [PowerFraction+26:0] widened;
  value_t magnitude_q;
  assign widened = ($bits(widened))'({1'b1, power_q}) << sum_q[LogFraction+:5];

  logic signed [33:0] aged;
  logic signed [26:0] window;
  logic [26:0] distance;
  assign aged = 34'(read.age) + signed'(34'(step_q));
  assign distance = 27'(memory_q.most) - 27'(cwnd_q);
  assign window = memory_q.age < 0 ? 27'(memory_q.most) - 27'(magnitude_q) : 27'(memory_q.most) + 27'(magnitude_q);

  always_ff @(posedge clk_i) begin
    if (state_q != Idle) state_q <= state_e'(state_q + 1'b1);
    if (window_ready_i) window_valid_q <= 1'b0;
    unique case (state_q)
      Idle: begin
        if (visit_i && mode_i != NewReno) state_q <= Read;
        id_q <= id_t'(id_i);
        mode_q <= mode_i;
        cwnd_q <= cwnd_i;
        threshold_q <= threshold_i;
        estimate_q <= estimate_i;
        mss_q <= mss_i;
        pressed_q <= pressed_i;
      end
      Read: begin
        if (cwnd_q < threshold_q) state_q <= Idle;  // slow start
        memory_q  <= read;
        younger_q <= estimate_q < read.most;
        if (mode_q != CubicRun) memory_q.prior <= estimate_q;
        if (mode_q != CubicRun) memory_q.age <= '0;
        else if (pressed_q) memory_q.age <= aged > 34'(Oldest) ? Oldest : age_t'(aged);
      end
      Plateau: begin
        // With fast convergence (RFC 9438, 4.7), W_max is 109/128 of the window before the loss.
        if (mode_q == CubicStart) memory_q.most <= cwnd_q;
        else if (mode_q == CubicLoss && younger_q) memory_q.most <= estimate_q - (estimate_q >> 3) - (estimate_q >> 6) - (estimate_q >> 7);
        else if (mode_q == CubicLoss) memory_q.most <= estimate_q;
      end
      Operand: begin
        operand_q <= value_t'(memory_q.age < 0 ? -memory_q.age : memory_q.age);
        if (mode_q == CubicLoss) operand_q <= distance[26] ? '0 : value_t'(distance);
      end
      First: begin
        operand_q <= value_t'(mss_q);
        zero_q <= operand_q == '0;
        reaches_q <= (mode_q == CubicRun ? estimate_q : cwnd_q) >= memory_q.prior;
      end
      Add: begin
        if (mode_q == CubicLoss) begin
          sum_q <= sum_t'(first_log_q) - sum_t'(log_q) - LogC + LogCube;
        end else begin
          sum_q   <= sum_t'(first_log_q) + (sum_t'(first_log_q) << 1) + sum_t'(log_q) + LogC - LogCube;
          state_q <= Power;
        end
      end
      // A third: (1 + 1/4) (1 + 1/16 + 1/256 + 1/4096) / 4.
      Divide: sum_q <= (sum_q >>> 2) + (sum_q >>> 4);
      DivideMore: sum_q <= sum_q + (sum_q >>> 4) + (sum_q >>> 8) + (sum_q >>> 12);
      Power: power_q <= PowerTable[sum_q[LogFraction-1-:8]];
      Widen: begin
        magnitude_q <= value_t'(widened >> PowerFraction);
        if (sum_q >= sum_t'(25 << LogFraction)) magnitude_q <= value_t'(Oldest);
        if (sum_q < 0 || zero_q) magnitude_q <= '0;
      end
      Conclude: begin
        target_q <= cwnd_q;
        if (mode_q == CubicLoss) memory_q.age <= -age_t'(magnitude_q);
        else if (window < 0) target_q <= '0;
        else target_q <= window > 27'(Most) ? Most : span_t'(window);
      end
      Write: begin
        state_q <= writes ? Idle : Write;
        if (writes) begin
          window_valid_q <= 1'b1;
          window_id_o <= connection_t'(id_q);
          window_mode_o <= mode_q;
          window_target_o <= target_q;
          window_reaches_o <= reaches_q;
        end
      end
      default: ;
    endcase
    if (rst_i) begin
      state_q <= Idle;
      window_valid_q <= 1'b0;
    end
  end
  assign window_valid_o = window_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      after_a_loss : cover (state_q == Plateau && mode_q == CubicLoss && !younger_q);
      converges : cover (state_q == Plateau && mode_q == CubicLoss && younger_q);
      after_a_time_out : cover (state_q == Plateau && mode_q == CubicStart);
      below_the_plateau : cover (state_q == Conclude && mode_q == CubicRun && memory_q.age < 0);
      above_the_plateau : cover (state_q == Conclude && mode_q == CubicRun && memory_q.age > 0);
      stays : cover (state_q == Read && mode_q == CubicRun && !pressed_q);
    end
  end

  logic unused;
  assign unused = &{1'b0, id_i, clear_id_i, widened, clock_q, normal};
endmodule
