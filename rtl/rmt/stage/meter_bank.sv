// SPDX-License-Identifier: Apache-2.0
// Two-rate three-colour meters (RFC 2698, colour-blind), one packet per cycle, with the colour in the
// cycle of the request; packets of the same meter may follow each other in every cycle.
//
// The tokens of a meter are all those ever granted minus all those ever used, modulo 2^32. A visit in each cycle grants
// one meter, in turn, the tokens that its rates give for a turn, capped by the burst; packets use them. So each of the two
// memories has one writer. A packet in the cycle of a visit does not see the grant.
//
// A meter without configuration (its committed burst and its peak burst are 0) colours packets red. A new
// configuration starts with full buckets, at the next visit in which no packet uses the meter.
// cfg_read_i is answered at the meter's visit.
module meter_bank
  import girih_pkg::*, action_pkg::*, match_pkg::*;
#(
    parameter int unsigned Meters = 64,
    localparam int unsigned IndexWidth = $clog2(Meters)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  valid_i,
    input  logic [IndexWidth-1:0] index_i,
    input  length_t               length_i,
    output colour_e               colour_o,

    input  logic                  cfg_write_i,
    input  logic                  cfg_read_i,
    input  logic [IndexWidth-1:0] cfg_index_i,
    input  meter_cfg_t            cfg_i,
    output logic                  cfg_done_o,   // of a read
    output meter_cfg_t            cfg_o
);
  if (Meters < 2 || Meters > 256 || (Meters & (Meters - 1)) != 0) begin : gen_bad_meters
    $fatal(1, "meter_bank: Meters is %0d; it must be a power of two from 2 to 256", Meters);
  end

  localparam int unsigned Fraction = 12;  // bits of a byte
  localparam int unsigned ByteWidth = MeterBurstWidth;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [ByteWidth+Fraction-1:0] granted_t;
  typedef logic [ByteWidth-1:0] used_t;

  typedef struct packed {
    granted_t peak;
    granted_t committed;
  } grants_t;
  typedef struct packed {
    used_t peak;
    used_t committed;
  } uses_t;

  meter_cfg_t cfg[Meters];
  grants_t granted[Meters];
  uses_t used[Meters];
  logic [Meters-1:0] configured_q, fresh_q;
  index_t visit_q, next_visit;
  logic visit_configured_q, visit_fresh_q;  // those of the meter that is visited
  logic uses;  // a packet takes tokens
  logic ready_q;  // every meter was visited

  // The tokens granted after a visit: those so far plus the rate, at most as many as fill the burst. There are never more
  // tokens left than the burst, except before a new one is first filled.
  function automatic granted_t refill(granted_t total, used_t taken, granted_t rate, used_t burst, logic full,
                                      logic empty);
    granted_t most, room;
    most = {burst + taken, Fraction'(0)};
    room = most - total;
    return empty ? {taken, Fraction'(0)} : full || rate > room ? most : total + rate;
  endfunction

  // Packets.
  grants_t packet_granted;
  uses_t packet_used, packet_used_d;
  used_t committed_tokens, peak_tokens;
  assign packet_granted = granted[index_i];
  assign packet_used = used[index_i];
  assign committed_tokens = packet_granted.committed[Fraction+:ByteWidth] - packet_used.committed;
  assign uses = valid_i && colour_o != Red;
  assign peak_tokens = packet_granted.peak[Fraction+:ByteWidth] - packet_used.peak;

  always_comb begin
    colour_o = Green;
    if (committed_tokens < used_t'(length_i)) colour_o = Yellow;
    if (peak_tokens < used_t'(length_i) || !ready_q || !configured_q[index_i]) colour_o = Red;
    packet_used_d = packet_used;
    if (colour_o != Red) packet_used_d.peak += used_t'(length_i);
    if (colour_o == Green) packet_used_d.committed += used_t'(length_i);
  end

  // The visits.
  meter_cfg_t visit_cfg;
  grants_t visit_granted, visit_granted_d;
  uses_t visit_used;
  logic full, empty, skip;
  assign visit_cfg = cfg[visit_q];
  assign visit_granted = granted[visit_q];
  assign visit_used = used[visit_q];
  assign full = visit_fresh_q;
  assign empty = !visit_configured_q;
  // A packet may use more of the old tokens than the new burst.
  assign skip = full && uses && index_i == visit_q;
  assign visit_granted_d.committed = refill(
      visit_granted.committed, visit_used.committed, visit_cfg.committed_rate,
      visit_cfg.committed_burst[ByteWidth-1:0], full, empty
  );
  assign visit_granted_d.peak = refill(
      visit_granted.peak, visit_used.peak, visit_cfg.peak_rate, visit_cfg.peak_burst[ByteWidth-1:0], full, empty
  );

  assign cfg_done_o = cfg_read_i && visit_q == cfg_index_i;
  assign cfg_o = visit_configured_q ? visit_cfg : '0;
  assign next_visit = visit_q + 1'b1;

  logic cfg_configured;
  assign cfg_configured = |cfg_i.committed_burst || |cfg_i.peak_burst;

  always_ff @(posedge clk_i) begin
    if (uses) used[index_i] <= packet_used_d;
    if (!skip) begin
      granted[visit_q] <= visit_granted_d;
      fresh_q[visit_q] <= 1'b0;
    end
    if (cfg_write_i) begin
      cfg[cfg_index_i] <= cfg_i;
      configured_q[cfg_index_i] <= cfg_configured;
      fresh_q[cfg_index_i] <= 1'b1;
    end
    visit_q <= next_visit;
    visit_configured_q <= cfg_write_i && cfg_index_i == next_visit ? cfg_configured : configured_q[next_visit];
    visit_fresh_q <= (cfg_write_i && cfg_index_i == next_visit) || fresh_q[next_visit];
    if (visit_q == '1) ready_q <= 1'b1;
    if (rst_i) begin
      configured_q <= '0;
      fresh_q <= '0;
      visit_configured_q <= 1'b0;
      visit_fresh_q <= 1'b0;
      visit_q <= '0;
      ready_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && uses) begin
      assert (peak_tokens >= used_t'(length_i))
      else $error("meter_bank: a packet used more tokens than there are");
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      green : cover (valid_i && colour_o == Green);
      yellow : cover (valid_i && colour_o == Yellow);
      red_for_want_of_tokens : cover (valid_i && colour_o == Red && ready_q && configured_q[index_i]);
      red_without_a_rate : cover (valid_i && colour_o == Red && ready_q && !configured_q[index_i]);
      refilled_while_used : cover (uses && index_i == visit_q && !skip);
      new_burst_waits : cover (skip);
    end
  end
endmodule
