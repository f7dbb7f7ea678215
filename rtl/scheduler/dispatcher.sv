// SPDX-License-Identifier: Apache-2.0
// Decides in every cycle which packet leaves the PIFOs: one of a service whose unit has a credit or,
// if an arrival needs the room, the highest rank of a queue (eviction). Among services, the one served
// least recently goes first. Dispatch and eviction share the PIFO's pop port; when both want it they alternate, as do services without
// and with affinity. No pop is decided in a cycle with hold_i.
//
//   cycle 0            1              .. PopLatency   PopLatency+1          +1
//   decide,            pop, from      PIFO            slot: read its entry  the entry is read: leave_o
//   take the credit    registers                      (affine: wait)        and its unit
//
// The pop of the previous decision takes place in the cycle of this one, so queue_busy_i must already exclude its entry.
//
// In a service with affinity the unit of a packet is not known when it is popped: its packets are popped a few
// ahead into affine_wait and leave from there by the same pipeline, without the pop port.
module dispatcher
  import girih_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Units = 8,
    parameter int unsigned Channels = 2,
    parameter int unsigned Entries = 1024,
    parameter int unsigned PopLatency = 3,
    parameter int unsigned Packets = 8,  // packets popped and not yet sent, per channel
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned QueueWidth = $clog2(Queues),
    localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1,
    localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1,
    localparam int unsigned UnitWidth = Units > 1 ? $clog2(Units) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_i,

    // Which packets may leave in this cycle.
    input logic [Services-1:0] pick_valid_i,  // the picked tenant's head may leave
    input logic [Services-1:0][TenantWidth-1:0] pick_tenant_i,
    input logic [Queues-1:0] queue_busy_i,  // it has entries besides the one that is popped in this cycle
    input logic [Services-1:0][Channels-1:0] stored_i,  // the service has packets in the channel
    input logic [Services-1:0] affine_i,
    input logic [Services-1:0] lossless_i,  // lossless packets are queued: the next one may be one
    input logic [Services-1:0] unit_free_i,  // the service's best unit has a credit
    input logic [Services-1:0] unit_lossless_free_i,  // ... and has room for a lossless packet
    input logic [Services-1:0][Units-1:0] unit_i,  // one-hot
    input logic [Units-1:0] free_i,  // the same for each unit
    input logic [Units-1:0] lossless_free_i,

    // A packet that is queued now, and its unit, which its flow determines.
    input logic                 arrive_i,
    input logic [SlotWidth-1:0] arrive_slot_i,
    input logic [UnitWidth-1:0] arrive_unit_i,
    input logic                 arrive_lossless_i,

    input  logic                  evict_valid_i,  // only of a queue that is not empty
    output logic                  evict_ready_o,
    input  logic [QueueWidth-1:0] evict_queue_i,

    input logic hold_i,  // no pop is decided: the port has another user in the next cycle

    output logic [   Units-1:0] take_o,  // one-hot: a credit of this unit is used
    output logic                take_lossless_o,  // with take_o: and room for a lossless packet, in case it is one
    output logic [Services-1:0] picked_o,  // the service's pick is popped

    // What the previous cycle has decided.
    output logic                  pop_valid_o,
    output logic [QueueWidth-1:0] pop_queue_o,
    output logic [    Queues-1:0] pop_one_o,  // the same, one-hot
    output logic                  pop_highest_o,
    input  logic                  popped_valid_i,
    input  logic [ SlotWidth-1:0] popped_slot_i,

    output logic                 read_o,
    output logic [SlotWidth-1:0] read_slot_o,

    // In the cycle after read_o, beside the entry that was read.
    output logic                    leave_o,
    output logic                    leave_evicted_o,
    output logic [ServiceWidth-1:0] leave_service_o,
    output logic [   UnitWidth-1:0] leave_unit_o,
    output logic [   UnitWidth-1:0] next_unit_o,  // leave_unit_o of the next cycle
    output logic                    leave_lossless_o,  // take_lossless_o, delayed
    input  logic [    Channels-1:0] leave_channel_i,  // one-hot
    input  length_t                 leave_flits_i,

    input logic [Channels-1:0] sent_i,  // a flit has left by the channel
    input logic [Channels-1:0] sent_last_i
);
  if (PopLatency < 2) begin : gen_bad_latency
    $fatal(1, "dispatcher: PopLatency is %0d; it must be at least 2", PopLatency);
  end

  localparam int unsigned Latency = PopLatency + 1;  // from the decision to the slot

  // A pop takes Latency + 2 cycles to the first flit on the link, and channel_backlog is a cycle late. With several channels
  // the first pop may turn out to be for another channel; then there is time for a second pop.
  localparam int unsigned Low = Channels > 1 ? 2 * (Latency + 2) + 6 : Latency + 6;
  localparam int unsigned ChargeWidth = $clog2(Low + 1);
  localparam int unsigned Threes = (Services + 2) / 3;
  localparam int unsigned Sixes = (Services + 5) / 6;

  typedef enum logic [1:0] {
    None,
    Send,
    Evict,
    Fetch
  } kind_e;

  typedef struct packed {
    kind_e kind;
    logic waited;  // from affine_wait, with its slot in `slot`
    logic [SlotWidth-1:0] slot;
    logic [ServiceWidth-1:0] service;
    logic [UnitWidth-1:0] unit;
    logic lossless;
    logic [ChargeWidth-1:0] charge;
  } tag_t;

  typedef struct packed {
    logic valid;
    logic [ServiceWidth-1:0] service;
  } fetch_t;

  // Requests of the services. The decision stays one-hot as long as possible, because everything that follows from it is late in the
  // cycle. Each signal marked keep is one or two look-up tables deep; a mapper that optimizes across them makes longer chains.
  logic [Services-1:0] waiting, wait_lossless, wait_room, wait_empty, ready, fresh_ready;
  (* keep *) logic [Services-1:0] pickable;
  logic [Services-1:0] wait_ready;
  (* keep *) logic [Services-1:0] can;
  (* keep *) logic [Services-1:0] has_low;
  (* keep *) logic [Services-1:0] launchable;
  logic [Services-1:0] fetchable;
  logic [Channels-1:0] low;
  logic [Services-1:0][SlotWidth-1:0] wait_slot;
  logic [Services-1:0][Units-1:0] wait_unit;
  (* keep *) logic [Services-1:0][Units-1:0] launch_unit;
  logic [Services-1:0][Tenants-1:0] pick_one;
  logic [Services-1:0][QueueWidth-1:0] pick_queue;
  logic open, port_free, could_launch, launch, evicted_q, others_q, launch_waited, fetch_due_q;
  (* keep *) logic evict;
  (* keep *) logic fetch;
  for (genvar s = 0; s < Services; s++) begin : gen_request
    assign pick_queue[s] = QueueWidth'(s * Tenants) + QueueWidth'(pick_tenant_i[s]);
    assign pick_one[s] = Tenants'(1) << pick_tenant_i[s];
    assign pickable[s] = pick_valid_i[s] && (queue_busy_i[s*Tenants+:Tenants] & pick_one[s]) != '0;
    assign launch_unit[s] = waiting[s] ? wait_unit[s] : unit_i[s];
    // A service whose affinity has just been turned off first sends the packets that wait.
    assign ready[s] = lossless_i[s] ? unit_lossless_free_i[s] : unit_free_i[s];
    any_set #(
        .Width(Units)
    ) u_wait_ready (
        .bits_i(wait_unit[s] & (wait_lossless[s] ? lossless_free_i : free_i)),
        .any_o (wait_ready[s])
    );
    assign has_low[s] = open && (stored_i[s] & low) != '0;
    assign can[s] = waiting[s] ? wait_ready[s] : fresh_ready[s];
    assign fresh_ready[s] = ready[s] && pickable[s] && !affine_i[s] && wait_empty[s] && !fetch_due_q;
    assign launchable[s] = has_low[s] && can[s];
    assign fetchable[s] = pickable[s] && affine_i[s] && wait_room[s];
  end

  (* keep *) logic [Services-1:0] launch_next;
  (* keep *) logic [Services-1:0] launch_grant;
  (* keep *) logic [Services-1:0] fetch_grant;
  logic [ServiceWidth-1:0] launch_service, fetch_service;
  logic [SlotWidth-1:0] launch_slot;
  logic [QueueWidth-1:0] launch_queue, fetch_queue;

  // The port of the PIFO: an eviction goes before a launch and a fetch, but not twice in succession if one of them could have gone
  // in the cycle of the first one. A launch of a packet that has not waited goes before a fetch, which is due in the next cycle.
  // Whether there is such a launch is known earlier than which one it is, and whether the port is free depends on neither.
  (* keep *) logic [Threes-1:0] fresh;  // of three services one could launch such a packet
  (* keep *) logic [Sixes-1:0] some;  // of six services one could launch a packet
  (* keep *) logic any_fetchable;
  (* keep *) logic fetch_open;  // a fetch may go, if there is one: fetch_grant is zero if there is none
  for (genvar g = 0; g < Threes; g++) begin : gen_three
    localparam int unsigned N = Services - 3 * g < 3 ? Services - 3 * g : 3;
    assign fresh[g] = |(launchable[3*g+:N] & ~waiting[3*g+:N]);
  end
  assign port_free = !hold_i && !evict;
  for (genvar g = 0; g < Sixes; g++) begin : gen_six
    localparam int unsigned N = Services - 6 * g < 6 ? Services - 6 * g : 6;
    assign some[g] = |launchable[6*g+:N];
  end
  assign could_launch = some != '0;
  assign launch = could_launch && port_free;
  assign any_fetchable = |fetchable;
  assign fetch_open = port_free && fresh == '0;
  assign fetch = any_fetchable && fetch_open;
  assign evict = evict_valid_i && !hold_i && !(evicted_q && others_q);
  assign evict_ready_o = evict;

  arbiter_matrix #(
      .N(Services)
  ) u_launch (
      .clk_i,
      .rst_i,
      .request_i(launchable),
      .advance_i(port_free),
      .grant_o(launch_next)
  );
  arbiter_matrix #(
      .N(Services)
  ) u_fetch (
      .clk_i,
      .rst_i,
      .request_i(fetchable),
      .advance_i(fetch_open),
      .grant_o(fetch_grant)
  );

  assign launch_grant = port_free ? launch_next : '0;

  // What the launch would be does not depend on whether the port is free, which is as late as the choice.
  always_comb begin
    launch_service = '0;
    launch_slot = '0;
    fetch_service = '0;
    launch_queue = '0;
    fetch_queue = '0;
    for (int unsigned s = 0; s < Services; s++) begin
      launch_service |= launch_next[s] ? ServiceWidth'(s) : '0;
      launch_slot |= launch_next[s] ? wait_slot[s] : '0;
      fetch_service |= fetch_grant[s] ? ServiceWidth'(s) : '0;
      launch_queue |= launch_next[s] && !waiting[s] ? pick_queue[s] : '0;
      fetch_queue |= fetch_grant[s] ? pick_queue[s] : '0;
    end
  end

  logic [Units-1:0] launch_take;
  for (genvar u = 0; u < Units; u++) begin : gen_take
    logic [Services-1:0] takes;
    for (genvar s = 0; s < Services; s++) begin : gen_service
      assign takes[s] = launch_next[s] && launch_unit[s][u];
    end
    any_set #(
        .Width(Services)
    ) u_any (
        .bits_i(takes),
        .any_o (launch_take[u])
    );
  end
  assign take_o = port_free ? launch_take : '0;

  assign launch_waited = |(launch_next & waiting);
  any_set #(
      .Width(Services)
  ) u_take_lossless (
      .bits_i(launch_next & ((waiting & wait_lossless) | (~waiting & lossless_i))),
      .any_o (take_lossless_o)
  );
  assign picked_o = (launch_grant & ~waiting) | (fetch_open ? fetch_grant : '0);

  // The port of the PIFO: at most one of these.
  (* keep *) logic [Queues-1:0] launch_one;
  (* keep *) logic [Queues-1:0] fetch_one;
  (* keep *) logic [Queues-1:0] evict_one;
  logic [Queues-1:0] pop_one;
  assign evict_one = Queues'(1) << evict_queue_i;
  for (genvar s = 0; s < Services; s++) begin : gen_pop
    for (genvar t = 0; t < Tenants; t++) begin : gen_queue
      localparam int unsigned Q = s * Tenants + t;
      assign launch_one[Q] = launch_grant[s] && !waiting[s] && pick_one[s][t];
      assign fetch_one[Q] = fetch_grant[s] && pick_one[s][t];
      assign pop_one[Q] = launch_one[Q] || (fetch_open && fetch_one[Q]) || (evict && evict_one[Q]);
    end
  end
  always_ff @(posedge clk_i) begin
    pop_valid_o <= evict || fetch || (launch && !launch_waited);
    pop_queue_o <= evict ? evict_queue_i : launch_queue | (fetch_open ? fetch_queue : '0);
    pop_one_o <= pop_one;
    pop_highest_o <= evict;
    if (rst_i) begin
      pop_valid_o <= 1'b0;
      pop_one_o <= '0;
    end
  end

  // The decision travels along the PIFO's pipeline. A fetch may share its cycle with the launch
  // of a packet that has waited, so it has a pipeline of its own.
  tag_t tag_d, tag_q[Latency+1];
  fetch_t fetch_q[Latency+1];
  logic [ChargeWidth-1:0] charge;
  logic [UnitWidth-1:0] take_unit;
  logic [SlotWidth-1:0] popped_slot_q;
  always_comb begin
    take_unit = '0;
    for (int unsigned u = 0; u < Units; u++) if (take_o[u]) take_unit |= UnitWidth'(u);
    tag_d = '{
        kind: evict ? Evict : launch ? Send : None,
        waited: launch_waited && !evict,
        slot: launch_slot,
        service: evict ? ServiceWidth'(32'(evict_queue_i) / Tenants) : launch_service,
        unit: take_unit,
        lossless: take_lossless_o,
        charge: charge
    };
  end

  // At Due the slot is known, at Leave its entry has been read.
  localparam int unsigned Due = Latency - 1, Leave = Latency;
  assign read_o = tag_q[Due].kind inside {Send, Evict};
  assign read_slot_o = tag_q[Due].waited ? tag_q[Due].slot : popped_slot_i;

  assign leave_o = tag_q[Leave].kind inside {Send, Evict};
  assign leave_evicted_o = tag_q[Leave].kind == Evict;
  assign leave_service_o = tag_q[Leave].service;
  assign leave_unit_o = tag_q[Leave].unit;
  assign next_unit_o = tag_q[Due].unit;
  assign leave_lossless_o = tag_q[Leave].lossless;

  always_ff @(posedge clk_i) begin
    evicted_q <= evict;
    others_q <= could_launch || any_fetchable;
    fetch_due_q <= any_fetchable && !fetch && (fetch_due_q || (port_free && fresh != '0));
    tag_q[0] <= tag_d;
    fetch_q[0] <= '{valid: fetch, service: fetch_service};
    for (int unsigned i = 1; i <= Latency; i++) tag_q[i] <= tag_q[i-1];
    popped_slot_q <= popped_slot_i;
    for (int unsigned i = 1; i <= Latency; i++) fetch_q[i] <= fetch_q[i-1];
    if (rst_i) begin
      evicted_q <= 1'b0;
      fetch_due_q <= 1'b0;
      for (int unsigned i = 0; i <= Latency; i++) tag_q[i].kind <= None;
      for (int unsigned i = 0; i <= Latency; i++) fetch_q[i].valid <= 1'b0;
    end
  end

  affine_wait #(
      .Services(Services),
      .Units(Units),
      .Entries(Entries)
  ) u_wait (
      .clk_i,
      .rst_i,
      .arrive_i,
      .arrive_slot_i,
      .arrive_unit_i,
      .arrive_lossless_i,
      .fetch_i(fetch_open ? fetch_grant : '0),
      .room_o(wait_room),
      .empty_o(wait_empty),
      .popped_i(fetch_q[Leave].valid),
      .popped_service_i(fetch_q[Leave].service),
      .popped_slot_i(popped_slot_q),
      .head_valid_o(waiting),
      .head_slot_o(wait_slot),
      .head_unit_o(wait_unit),
      .head_lossless_o(wait_lossless),
      .take_i(launch_grant & waiting)
  );

  channel_backlog #(
      .Services(Services),
      .Channels(Channels),
      .Low(Low),
      .Packets(Packets)
  ) u_backlog (
      .clk_i,
      .rst_i,
      .low_o(low),
      .open_o(open),
      .pop_i(launch_grant),
      .charge_o(charge),
      .known_i(tag_q[Leave].kind == Send),
      .known_service_i(tag_q[Leave].service),
      .known_charge_i(tag_q[Leave].charge),
      .known_channel_i(leave_channel_i),
      .known_flits_i(leave_flits_i),
      .sent_i,
      .sent_last_i
  );

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (popped_valid_i == (fetch_q[Due].valid || tag_q[Due].kind == Evict
          || (tag_q[Due].kind == Send && !tag_q[Due].waited)))
      else $error("dispatcher: the latency of the PIFO is not PopLatency");
      assert ((take_o & ~free_i) == '0)
      else $error("dispatcher: a packet is sent without a credit");
      assert (pop_one_o == (pop_valid_o ? Queues'(1) << pop_queue_o : '0))
      else $error("dispatcher: two pops in one cycle");
      assert (!evict_valid_i || queue_busy_i[evict_queue_i])
      else $error("dispatcher: a packet is to be evicted from an empty queue");
      eviction_and_launch_take_turns : cover (evict_valid_i && evicted_q && launch);
      eviction_is_held : cover (hold_i && evict_valid_i);
      launch_is_held : cover (hold_i && open && |pickable);
      eviction_goes_before_launch : cover (evict && open && |pickable);
      launch_and_fetch : cover (launch && fetch);
      launch_goes_before_fetch : cover (launch && |fetchable && !fetch);
      channels_are_closed : cover (!open && |pickable);
      waits_for_its_unit : cover (|(waiting & ~wait_ready));
      affinity_is_gone : cover (|(waiting & ~affine_i));
      no_room_to_fetch : cover (|(pickable & affine_i & ~wait_room));
    end
  end
endmodule
