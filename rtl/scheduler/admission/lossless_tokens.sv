// SPDX-License-Identifier: Apache-2.0
// Tokens and waiting places of lossless messages, by tenant. For each message with a token every channel reserves room
// for one of the largest size, because it may return by any of them, until it leaves for its last service. Each tenant
// has Tokens tokens, and Places places in which messages wait for one (lossless_wait), so tenants take nothing from one
// another. A place has no reserved room: it is given only if there is room for a message of the largest size beyond
// all guarantees. If a message waits at the link for such room (demand_o), droppable messages are evicted to make it; once
// there is none to evict, or if its tenant has no place left, it is refused. So no message waits because of another tenant.
//
// The channels and the waiting messages take turns, so an offer has only one taker. A tenant's messages stay in order:
// while one waits, no other gets a token at the link.
// It is mapped by itself, because what is taken at the link comes late in the cycle; so the accounts take it from registers, a
// cycle later.
(* keep_hierarchy *)
module lossless_tokens
  import policy_pkg::*;
#(
    parameter int unsigned Tenants = 4,
    parameter int unsigned Channels = 2,
    parameter int unsigned Tokens = 1,
    parameter int unsigned Places = 8
) (
    input logic clk_i,
    input logic rst_i,

    // New messages at the link: whether there is a token, a place to wait, or neither; and which of the two is taken.
    output logic [Channels-1:0][Tenants-1:0] token_o,
    output logic [Channels-1:0][Tenants-1:0] place_o,
    output logic [Channels-1:0][Tenants-1:0] refuse_o,
    input logic [Channels-1:0] take_token_i,
    input logic [Channels-1:0] take_place_i,
    input tenant_t [Channels-1:0] take_tenant_i,
    input logic [Channels-1:0] held_i,  // a message waits at the link
    output logic demand_o,  // a message waits for room, not for a place

    // A waiting message gets a token, and gives its place back.
    input logic [Tenants-1:0] waiting_i,
    output logic resume_valid_o,
    input logic resume_ready_i,
    output tenant_t resume_tenant_o,

    // Tokens given back: by a message that leaves for its last service, and by one that is dropped on arrival because
    // it is void or has no right to its service. drop_place_i: the dropped message gives back a place instead.
    input logic leave_i,
    input tenant_t leave_tenant_i,
    input logic drop_i,
    input logic drop_place_i,
    input tenant_t drop_tenant_i,

    input logic [Channels-1:0] ample_i,  // room for a message without a token
    input logic evicting_i  // a droppable message is evicted, or can be
);
  if (Tokens < 1) begin : gen_bad_tokens
    $fatal(1, "lossless_tokens: Tokens is %0d; it must be at least 1", Tokens);
  end
  if (Places < 1 || (Places & (Places - 1)) != 0) begin : gen_bad_places
    $fatal(1, "lossless_tokens: Places is %0d; it must be a power of two", Places);
  end

  localparam int unsigned TokenWidth = $clog2(Tokens + 1);
  localparam int unsigned PlaceWidth = $clog2(Places + 1);
  localparam int unsigned TurnWidth = $clog2(Channels + 1);

  logic [TurnWidth-1:0] turn_q;
  logic [Tenants-1:0] token, place, empty, resumable;
  logic resume_pick, resumed;
  logic [Channels-1:0] demand_q;
  tenant_t take_tenant, resume_tenant_d;

  always_comb begin
    take_tenant = '0;
    for (int unsigned c = 0; c < Channels; c++) if (turn_q == TurnWidth'(c)) take_tenant = take_tenant_i[c];
  end
  assign resumed = resume_valid_o && resume_ready_i;
  assign resumable = waiting_i & token;
  assign resume_pick = turn_q == TurnWidth'(Channels) && resumable != '0 && !resume_valid_o;

  assign demand_o = |demand_q;

  // The choice of the next message to evict can take a look at every queue.
  localparam int unsigned Patience = 128;
  localparam int unsigned PatienceWidth = $clog2(Patience) + 1;
  logic [PatienceWidth-1:0] idle_q;
  logic hopeless;
  assign hopeless = idle_q[PatienceWidth-1];
  always_ff @(posedge clk_i) begin
    if (evicting_i) idle_q <= '0;
    else if (!hopeless) idle_q <= idle_q + 1'b1;
    if (rst_i) idle_q <= '0;
  end

  // Tenants are served round robin, too.
  logic [Tenants-1:0] resume_grant;
  arbiter_round_robin #(
      .N(Tenants)
  ) u_resume (
      .clk_i,
      .rst_i,
      .request_i(resumable),
      .advance_i(resume_pick),
      .grant_o(resume_grant)
  );
  always_comb begin
    resume_tenant_d = '0;
    for (int unsigned t = 0; t < Tenants; t++) if (resume_grant[t]) resume_tenant_d |= tenant_t'(t);
  end

  // An offer comes from registers and shows the state of the previous cycle. A tenant of which a message took something in that
  // cycle gets no offer and no refusal: its message waits for its next turn. That a waiting message takes a token is known in time
  // to make no offer; what is taken at the link is known only to hide it.
  logic [TurnWidth-1:0] next_turn;
  logic [Tenants-1:0] take_q, sit_q, taken, resume;  // taken at the link in the previous cycle: a token, a place, either
  assign taken = take_q | sit_q;
  assign resume = resume_pick ? resume_grant : '0;
  assign next_turn = turn_q == TurnWidth'(Channels) ? '0 : turn_q + 1'b1;
  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [Tenants-1:0] offered, token_q, none_q, place_q;
    assign offered = next_turn == TurnWidth'(c) ? ~resume : '0;
    assign token_o[c] = token_q & ~taken;
    assign place_o[c] = place_q & ~taken & {Tenants{ample_i[c]}};
    assign refuse_o[c] = none_q & ~taken & ~(place_q & {Tenants{ample_i[c] || !hopeless}});
    always_ff @(posedge clk_i) begin
      token_q <= offered & token & empty;
      none_q <= offered & ~(token & empty);
      place_q <= offered & place;
      if (turn_q == TurnWidth'(c)) demand_q[c] <= held_i[c] && |((place_q & ~taken) >> take_tenant & Tenants'(1));
      if (rst_i) begin
        token_q <= '0;
        none_q <= '0;
        place_q <= '0;
        demand_q[c] <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_i) offers_nothing_after_a_take : cover (|(taken & (token_q | place_q)));
    end
  end

  for (genvar t = 0; t < Tenants; t++) begin : gen_tenant
    logic [TokenWidth-1:0] used_q;
    logic [PlaceWidth-1:0] places_q;
    logic takes, leave, drop, stand, unseat;
    // used_q and places_q know nothing yet of what was taken at the link in the previous cycle.
    assign token[t] = used_q != (take_q[t] ? TokenWidth'(Tokens - 1) : TokenWidth'(Tokens));
    assign place[t] = places_q != (sit_q[t] ? PlaceWidth'(Places - 1) : PlaceWidth'(Places));
    assign empty[t] = places_q == '0 && !sit_q[t];
    assign takes = take_tenant == tenant_t'(t);
    assign leave = leave_i && leave_tenant_i == tenant_t'(t);
    assign drop = drop_i && drop_tenant_i == tenant_t'(t);
    assign stand = resumed && resume_tenant_o == tenant_t'(t);
    assign unseat = drop_place_i && drop_tenant_i == tenant_t'(t);
    always_ff @(posedge clk_i) begin
      take_q[t] <= |take_token_i && takes;
      sit_q[t] <= |take_place_i && takes;
      used_q <= used_q + TokenWidth'(take_q[t]) + TokenWidth'(resume[t]) - TokenWidth'(leave) - TokenWidth'(drop);
      places_q <= places_q + PlaceWidth'(sit_q[t]) - PlaceWidth'(stand) - PlaceWidth'(unseat);
      if (rst_i) begin
        take_q[t] <= 1'b0;
        sit_q[t] <= 1'b0;
        used_q <= '0;
        places_q <= '0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (32'(used_q) + 32'(take_q[t]) + 32'(resume[t]) >= 32'(leave) + 32'(drop) && 32'(used_q) + 32'(take_q[t]) + 32'(resume[t]) <= Tokens)
        else $error("lossless_tokens: tenant %0d gives back a token that it does not hold, or holds too many", t);
        assert (32'(places_q) + 32'(sit_q[t]) >= 32'(stand) + 32'(unseat) && 32'(places_q) + 32'(sit_q[t]) <= Places)
        else $error("lossless_tokens: tenant %0d gives back a place that it does not hold, or holds too many", t);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    turn_q <= next_turn;
    if (resume_pick) resume_tenant_o <= resume_tenant_d;
    resume_valid_o <= resume_pick || (resume_valid_o && !resume_ready_i);
    if (rst_i) begin
      turn_q <= '0;
      resume_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($countones({take_token_i, take_place_i}) <= 1)
      else $error("lossless_tokens: two messages take one offer");
      waits_for_a_token : cover (|(waiting_i & ~token));
      tenants_take_turns : cover (resume_pick && !$onehot(resumable));
      resume_waits : cover (resume_valid_o && !resume_ready_i);
      no_place : cover (!(&place));
      room_cannot_be_made : cover (demand_o && hopeless);
      room_is_demanded : cover (demand_o);
      token_of_a_dropped_one : cover (drop_i);
      place_of_a_dropped_one : cover (drop_place_i);
      taken_and_given : cover (leave_i && |take_token_i && take_tenant == leave_tenant_i);
    end
  end
endmodule
