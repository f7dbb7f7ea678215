// SPDX-License-Identifier: Apache-2.0
// Finds the connection of each segment, or opens one for a SYN or an application, and passes events on in the order of their messages. A
// look-up takes three cycles, and one can start in each cycle. Other commands need none, and wait only for the look-ups of earlier segments. A SYN
// waits for all earlier events, which may end its connection, and blocks later ones until it is decided, so that no connection is opened twice.
// An application's request to open one does the same. If there is no place for its connection, or its tenant has as many as it may, the request goes
// to unopened_, provided that its application has a name of its own and few of its tenant wait there (tcp_unopened).
//
// If a tenant has as many hand-shakes in progress as it may, its next SYN is answered without a connection, with a number that only this card could
// have made: a SYN cookie (RFC 4987, 3.6). A possible answer to a cookie passes as an event without effect, which keeps the order of later events. It is
// looked up again, as a SYN is, once the events before it are done, and then goes to accept_ (tcp_cookies).
//
// An event that opens a connection is passed on before its initial sequence number is known, which initial_o gives later.
//
//   arrival -> [look up] -> [decide; of a new SYN: options] -> queue -> work
module tcp_lookup
  import girih_pkg::*, tcp_types_pkg::*, cookie_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter bit Far = 0,  // no application has the name 65535
    parameter bit Commands = 1  // other commands than requests to open come here, too
) (
    input logic clk_i,
    input logic rst_i,

    input logic        clear_i,
    input logic [15:0] clear_index_i,
    input tick_t       now_i,

    input  logic     arrival_valid_i,
    output logic     arrival_ready_o,
    input  arrival_t arrival_i,

    // A SYN is on its way here, perhaps.
    input logic    guess_i,
    input tuple_t  guess_tuple_i,
    input tenant_t guess_tenant_i,

    output logic  work_valid_o,
    input  logic  work_ready_i,
    output todo_t work_o,
    input  logic  idle_i,        // all of them are done

    // Of EventOpen and EventConnect: from three cycles after the event entered the queue on, until initial_taken_i. No other is in the queue until then.
    output initial_t initial_o,
    input  logic     initial_taken_i,

    input logic        half_ended_i,  // a hand-shake of a peer is over, of freed_tenant_i
    input logic        freed_i,
    input connection_t freed_connection_i,
    input slot_t       freed_slot_i,
    input tenant_t     freed_tenant_i,

    output logic  unopened_valid_o,
    input  logic  unopened_ready_i,
    output work_t unopened_o,        // of unopened_, and of accept_ if that is valid
    output logic  accept_valid_o,
    input  logic  accept_ready_i,

    output logic drop_header_o,
    output logic drop_refused_o,
    input  cfg_t cfg_i
);
  localparam int unsigned Depth = 4;
  typedef logic [$clog2(Connections)-1:0] id_t;

  // Stages: 1 reads the table, 2 decides.
  (* keep *) logic free, free_to_open;  // known earlier than the arrival
  logic starts_q;  // at stage 1 is a SYN, or what needs its hash: a register, because many others depend on it
  logic take, connects, is_syn, direct, valid_1_q, valid_2_q, syn_q, push, holds, queue_ready, connects_1_q, itself, syn_walks;
  logic [$clog2(Depth):0] count_q;  // in the stages and in the queue
  arrival_t arrival_1_q, arrival_2_q;
  stamp_t stamp_1, stamp_2_q;  // of a segment that begins with it
  logic [TcpOptionBytes*8-1:0] rest;  // its other options
  logic [5:0] rest_bytes;
  logic idle, asked_valid, asked_done, asks_now, may_ask, ignored;  // a possible answer to a cookie
  work_t asked;
  todo_t decided, at_once;
  assign connects = arrival_i.work.kind == EventConnect;
  assign is_syn = arrival_i.work.flags.syn || connects;
  assign idle = count_q == '0 && idle_i && !syn_q && !clear_i && !freed_i;
  assign free = count_q != ($clog2(Depth) + 1)'(Depth) && !syn_q && !clear_i && !freed_i && !asked_valid;
  assign free_to_open = idle && !asked_valid;
  assign asks_now = idle && asked_valid && !accept_valid_o;
  assign arrival_ready_o = is_syn ? free_to_open : free;
  assign take = arrival_valid_i && arrival_ready_o;
  assign direct = Commands && take && arrival_i.is_command && !connects && !valid_1_q && !valid_2_q;

  assign itself = arrival_1_q.work.tuple.remote_addr == arrival_1_q.work.tuple.local_addr;  // the card is not a peer of itself
  always_ff @(posedge clk_i) begin
    valid_1_q <= (take && !direct) || asks_now;
    if (take) begin
      connects_1_q <= connects;
      arrival_1_q <= arrival_i;
      if (connects) arrival_1_q.work.tuple.local_addr <= cfg_i.ip;
    end
    if (asks_now) begin
      connects_1_q <= 1'b0;
      arrival_1_q <= '0;
      arrival_1_q.work <= asked;
    end
    if (!holds) begin
      valid_2_q   <= valid_1_q;
      arrival_2_q <= arrival_1_q;
      if (connects_1_q && itself) arrival_2_q.malformed <= 1'b1;
      arrival_2_q.options_bytes <= rest_bytes;
      stamp_2_q <= stamp_1;
    end
    if (!holds || syn_walks) arrival_2_q.options <= syn_walks ? arrival_2_q.options >> 8 : rest;  // what tcp_syn waits for, holds
    starts_q <= (take && is_syn) || asks_now;
    if ((take && is_syn) || asks_now) syn_q <= 1'b1;
    else if (push || asked_done) syn_q <= 1'b0;
    count_q <= count_q + ($bits(count_q))'(take) - ($bits(count_q))'(work_valid_o && work_ready_i);
    if (rst_i) begin
      valid_1_q <= 1'b0;
      valid_2_q <= 1'b0;
      syn_q <= 1'b0;
      count_q <= '0;
    end
  end

  tcp_stamp_option u_stamp (
      .options_i      (arrival_1_q.options),
      .options_bytes_i(arrival_1_q.options_bytes),
      .stamp_o        (stamp_1),
      .options_o      (rest),
      .options_bytes_o(rest_bytes)
  );

  logic [15:0] application;  // of the connection, by its port in the node table
  logic cubic, cubic_2_q;  // its connections use CUBIC
  logic ecn, ecn_2_q, dctcp, dctcp_2_q;  // or ECN; or ECN and DCTCP
  logic paced, paced_2_q;  // are paced
  logic [13:0] fitting_mss_2_q;  // of an ICMP error: the segments that fit into the link, but no less than path_mtu_least allows
  logic [13:0] fitting, least_mss_q;
  logic hit, fits, insert, insert_ready, id_valid, unused_id_ready, listening, serves;
  logic answers, named, connects_2_q, answers_q, named_q, may_open_q, wants_new, opens;
  logic crowded, fresh;  // the tenant has enough hand-shakes in progress for cookies to be sent; one was sent recently
  logic stamps;
  // Known before the table answers: whether the event waits if it opens a connection, and if it has one; and whether it is the time to open one.
  (* keep *) logic open_waits, answer_waits, may_insert;
  logic asked_waits;
  logic bakes_q, may_answer_q, asks, asked_2_q, accepts, recent_2_q;
  logic looks_2_q;  // it may have blocks of SACK
  cookie_t cookie_1;  // the number that it acknowledges, with the peer's number subtracted from the mac
  mac_t mac_2_q;
  logic mac_fits_q;
  logic [1:0] size_2_q;
  period_t period;
  logic within_2_q;  // its tenant may have another connection
  connection_t found;
  id_t free_id;
  slot_t slot;
  tcp_table #(
      .Connections(Connections)
  ) u_table (
      .clk_i,
      .clear_i,
      .clear_index_i,
      .lookup_i           (asks_now || (take && (connects || !(Commands && arrival_i.is_command)))),
      .tuple_i            (asked_valid ? asked.tuple : arrival_i.work.tuple),
      .hit_o              (hit),
      .connection_o       (found),
      .fits_o             (fits),
      .slot_o             (slot),
      .insert_i           (insert),
      .insert_ready_o     (insert_ready),
      .insert_connection_i(connection_t'(free_id)),
      .remove_i           (freed_i),
      .remove_slot_i      (freed_slot_i)
  );
  fifo_block #(
      .T(id_t),
      .Depth(Connections)
  ) u_free (
      .clk_i,
      .rst_i,
      .in_offer_i (clear_i || freed_i),
      .in_valid_i (clear_i || freed_i),
      .in_ready_o (unused_id_ready),
      .in_data_i  (clear_i ? id_t'(clear_index_i) : id_t'(freed_connection_i)),
      .out_valid_o(id_valid),
      .out_ready_i(insert && insert_ready),
      .out_data_o (free_id)
  );

  // Of a SYN: options.
  logic syn_done, syn_sacks, syn_scaled;
  logic [13:0] syn_mss;
  logic [3:0] syn_shift;
  stamp_t syn_stamp;
  tcp_syn u_syn (
      .clk_i,
      .start_i        (starts_q),
      .options_i      (arrival_1_q.options),
      .options_words_i(arrival_1_q.options_bytes[5:2]),
      .rest_bytes_i   (rest_bytes),
      .waits_i        (holds),
      .stamp_i        (stamp_2_q),
      .window_i       (arrival_2_q.options[0+:StampBytes]),
      .walks_o        (syn_walks),
      .done_o         (syn_done),
      .mss_o          (syn_mss),
      .sacks_o        (syn_sacks),
      .scaled_o       (syn_scaled),
      .shift_o        (syn_shift),
      .stamp_o        (syn_stamp)
  );

  // The hash for its initial sequence number. That of a segment may be under way since it began to arrive; others are not, whose guess may be from before
  // the secret was changed.
  logic hash_soon, hash_done;
  logic wanted_q;  // by a SYN that has been taken
  seq_t hash;
  mac_t mac_q;  // the low bits of the hash
  logic guess_q;
  tuple_t guess_tuple_q;
  tenant_t guess_tenant_q;
  always_ff @(posedge clk_i) begin
    guess_q <= guess_i;  // comes late
    guess_tuple_q <= guess_tuple_i;
    guess_tenant_q <= guess_tenant_i;
  end
  tcp_hash u_hash (
      .clk_i,
      .rst_i,
      .guess_i       (guess_q && !wanted_q),
      .guess_tuple_i (guess_tuple_q),
      .guess_tenant_i(guess_tenant_q),
      .start_i       (starts_q),
      .reuse_i       (Guesses && arrival_1_q.work.flags.syn && !arrival_1_q.is_command),
      .tuple_i       (arrival_1_q.work.tuple),
      .tenant_i      (arrival_1_q.work.tenant),
      .secret_i      (cfg_i.secret),
      .soon_o        (hash_soon),
      .done_o        (hash_done),
      .hash_o        (hash),
      .offset_o      (initial_o.offset)
  );
  assign initial_o.number = hash + now_i;
  always_ff @(posedge clk_i) begin
    mac_q <= mac_t'(hash);
    if ((take && is_syn) || asks_now) wanted_q <= 1'b1;
    else if (initial_taken_i || (push && syn_q && !(opens && !bakes_q)) || asked_done) wanted_q <= 1'b0;
    if (rst_i) wanted_q <= 1'b0;
  end

  always_comb begin
    application = connects_1_q ? arrival_1_q.work.window : arrival_1_q.work.tuple.local_port;
    cubic = 1'b0;
    for (int unsigned i = 0; i < $bits(cfg_i.cubic) / 16; i++) if (cfg_i.cubic[i] == application) cubic = 1'b1;
    ecn = 1'b0;
    dctcp = 1'b0;
    paced = 1'b0;
    for (int unsigned i = 0; i < $bits(cfg_i.ecn) / 16; i++) begin
      if (cfg_i.ecn[i] == application) ecn = 1'b1;
      if (cfg_i.dctcp[i] == application) dctcp = 1'b1;
      if (cfg_i.pacing[i] == application) paced = 1'b1;
    end
    // 0: the entry is not in use.
    if (application == '0) {cubic, ecn, dctcp, paced} = '0;
    listening = 1'b0;
    serves = 1'b0;
    for (int unsigned i = 0; i < $bits(cfg_i.listen) / 16; i++) begin
      if (cfg_i.listen[i] == arrival_1_q.work.tuple.local_port) listening = 1'b1;
      if (cfg_i.listen[i] == arrival_1_q.work.window) serves = 1'b1;
    end
    if (arrival_1_q.work.tuple.local_port == '0 || (Far && arrival_1_q.work.tuple.local_port == '1)) listening = 1'b0;
  end
  // What depends on the arrival alone is computed before the table answers.
  assign answers = !connects_1_q && arrival_1_q.work.flags.syn && !arrival_1_q.work.flags.ack && !arrival_1_q.work.flags.rst
      && !arrival_1_q.work.flags.fin && listening && !arrival_1_q.malformed;
  // A connection must not be reported to anybody but the application that has requested it: neither to one that accepts connections, nor to the
  // network, whose name is 0, or a memory.
  assign named = arrival_1_q.work.window != '0 && !serves && (!Far || arrival_1_q.work.window != '1);
  always_ff @(posedge clk_i) begin
    if (!holds) begin
      connects_2_q <= connects_1_q;
      answers_q <= answers;
      named_q <= named;
      cubic_2_q <= cubic && !dctcp;
      ecn_2_q <= ecn || dctcp;
      dctcp_2_q <= dctcp;
      paced_2_q <= paced;
      fitting_mss_2_q <= fitting < least_mss_q ? least_mss_q : fitting;
      // A segment without a connection that may be the answer to a cookie.
      asked_2_q <= arrival_1_q.work.kind == EventAccept;
      may_answer_q <= arrival_1_q.work.kind == EventSegment && fresh && listening && arrival_1_q.work.flags.ack && !arrival_1_q.work.flags.syn
          && !arrival_1_q.work.flags.rst && !arrival_1_q.malformed;
      bakes_q <= crowded && !connects_1_q;
      mac_2_q <= cookie_1.mac;
      size_2_q <= cookie_1.size;
      recent_2_q <= is_recent(cookie_1.period, period);
      looks_2_q <= arrival_1_q.work.kind == EventSegment && arrival_1_q.work.flags.ack && !arrival_1_q.work.flags.syn && !arrival_1_q.work.flags.rst
          && rest_bytes >= 6'(LeastSackBytes) && !arrival_1_q.malformed;
      may_open_q <= answers || (connects_1_q && named && !itself && !arrival_1_q.malformed);
    end
  end
  assign fitting = mss_of_mtu(arrival_1_q.work.window);
  always_ff @(posedge clk_i) least_mss_q <= usable_mss(16'(mss_of_mtu(cfg_i.path_mtu_least)));
  assign stamps = syn_stamp.valid && cfg_i.timestamps;  // a SYN offers them, and the card agrees
  assign wants_new = connects_2_q || (answers_q && !hit);
  assign opens = may_open_q && fits && within_2_q && id_valid && !hit;
  always_ff @(posedge clk_i) mac_fits_q <= mac_2_q == mac_t'(hash);  // the hash is there a cycle before hash_done
  assign accepts = mac_fits_q && recent_2_q && fits && within_2_q && id_valid && !hit;
  assign asks = valid_2_q && may_answer_q && recent_2_q && !hit;  // such a segment is not held
  assign open_waits = valid_2_q && may_open_q && within_2_q && id_valid && !(syn_done && (bakes_q ? hash_done : hash_soon && insert_ready));
  assign answer_waits = valid_2_q && arrival_2_q.work.flags.syn && !syn_done;  // for the options of the answer to a connection that an application opens
  assign asked_waits = valid_2_q && asked_2_q && !(hash_done && insert_ready);
  assign holds = (open_waits && fits && !hit) || (answer_waits && hit) || asked_waits;
  assign may_insert = valid_2_q && within_2_q && id_valid && (asked_2_q ? mac_fits_q && recent_2_q && hash_done : may_open_q && !bakes_q && syn_done && hash_soon);
  assign insert = may_insert && fits && !hit;
  assign push = valid_2_q && !holds && !asked_2_q;
  assign asked_done = valid_2_q && !holds && asked_2_q;
  assign drop_header_o = push && arrival_2_q.malformed && !connects_2_q;
  assign drop_refused_o = (push && ((wants_new && !opens) || (asks && !may_ask))) || (asked_done && ignored);
  always_comb begin
    decided.is_command = arrival_2_q.is_command;
    decided.headers = arrival_2_q.headers;
    decided.flits = arrival_2_q.flits;
    decided.looks = looks_2_q && hit;
    decided.options = arrival_2_q.options;
    decided.options_bytes = arrival_2_q.options_bytes;
    decided.work = arrival_2_q.work;
    decided.work.mss = arrival_2_q.work.kind == EventTooBig ? fitting_mss_2_q : syn_mss;
    decided.work.sacks = syn_sacks;
    decided.work.scaled = syn_scaled;
    decided.work.shift = syn_shift;
    decided.work.congestion = cubic_2_q ? CubicStart : NewReno;
    decided.work.ecn = ecn_2_q;
    decided.work.dctcp = dctcp_2_q;
    decided.work.paced = paced_2_q;
    decided.work.stamp = stamp_2_q;
    if (arrival_2_q.work.flags.syn) decided.work.stamp = syn_stamp;
    if (connects_2_q) decided.work.stamp.value = '0;
    if (Commands && arrival_2_q.is_command && !connects_2_q) begin
      decided.work.connection = arrival_2_q.work.connection;
    end else if (arrival_2_q.malformed || (wants_new && !opens)) begin
      decided.work.kind = EventNone;
      decided.work.connection = '0;
    end else if (hit) begin
      decided.work.connection = found;
    end else if (asks) begin
      decided.work.kind = may_ask ? EventCookie : EventNone;
      decided.work.connection = '0;
    end else if (opens && bakes_q) begin
      decided.work.kind = EventCookie;
      decided.work.connection = '0;
      decided.work.ack = make_cookie(mac_q + mac_t'(arrival_2_q.work.seq), period, syn_mss);
      decided.work.sacks = 1'b0;
      decided.work.scaled = 1'b0;
      decided.work.ecn = 1'b0;
      decided.work.stamp.valid = 1'b0;
    end else if (opens) begin
      decided.work.kind = connects_2_q ? EventConnect : EventOpen;
      decided.work.connection = connection_t'(free_id);
      decided.work.slot = slot;
      decided.work.stamp.valid = arrival_2_q.work.flags.syn && stamps;
    end else begin
      decided.work.kind = EventRefuse;
      decided.work.connection = '0;
    end
  end
  always_comb begin
    at_once = '0;
    at_once.options = decided.options;  // nobody looks at them, and this takes no look-up tables
    at_once.is_command = 1'b1;
    at_once.headers = arrival_i.headers;
    at_once.flits = arrival_i.flits;
    at_once.work = arrival_i.work;
  end
  fifo #(
      .T(todo_t),
      .Depth(Depth)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_valid_i (push || direct),
      .in_ready_o (queue_ready),
      .in_data_i  (direct ? at_once : decided),
      .out_valid_o(work_valid_o),
      .out_ready_i(work_ready_i),
      .out_data_o (work_o)
  );

  // The connections of each tenant, and those of its peers' hand-shakes.
  localparam int unsigned Half = Connections / 2;
  logic [$clog2(Connections+1)-1:0] held, half;
  logic [14:0] most_half_q, most_q;  // half of what a tenant can have
  assign crowded = most_half_q != '0 && 15'(half) >= most_half_q;
  always_ff @(posedge clk_i) begin
    most_q <= cfg_i.tenant_connections == '0 || cfg_i.tenant_connections >= 15'(2 * Half) ? 15'(Half) : (cfg_i.tenant_connections >> 1) + 15'(cfg_i.tenant_connections[0]);
    most_half_q <= cfg_i.half_open > most_q ? most_q : cfg_i.half_open;
    if (!holds) within_2_q <= cfg_i.tenant_connections == '0 || 15'(held) < cfg_i.tenant_connections;
  end
  tenant_count #(
      .Most(Connections)
  ) u_held (
      .clk_i,
      .rst_i,
      .clear_i,
      .clear_tenant_i(tenant_t'(clear_index_i)),
      .up_i          (insert && insert_ready),
      .up_tenant_i   (arrival_2_q.work.tenant),
      .down_i        (freed_i),
      .down_tenant_i (freed_tenant_i),
      .tenant_i      (arrival_1_q.work.tenant),
      .count_o       (held)
  );
  tenant_count #(
      .Most(Connections)
  ) u_half (
      .clk_i,
      .rst_i,
      .clear_i,
      .clear_tenant_i(tenant_t'(clear_index_i)),
      .up_i          (insert && insert_ready && !connects_2_q && !asked_2_q),
      .up_tenant_i   (arrival_2_q.work.tenant),
      .down_i        (half_ended_i),
      .down_tenant_i (freed_tenant_i),
      .tenant_i      (arrival_1_q.work.tenant),
      .count_o       (half)
  );

  always_comb begin
    cookie_1 = cookie_t'(arrival_1_q.work.ack - 1'b1);
    cookie_1.mac = mac_t'(arrival_1_q.work.ack - arrival_1_q.work.seq);
  end
  tcp_cookies u_cookies (
      .clk_i,
      .rst_i,
      .now_i,
      .length_i      (cfg_i.rto_initial),
      .period_o      (period),
      .fresh_tenant_i(arrival_1_q.work.tenant),
      .fresh_o       (fresh),
      .work_i        (arrival_2_q.work),
      .sent_i        (push && opens && bakes_q),
      .asks_i        (asks),
      .may_ask_o     (may_ask),
      .asked_valid_o (asked_valid),
      .asked_ready_i (asks_now),
      .asked_o       (asked)
  );
  // Its fate: a connection, nothing, or a reset if it is not an answer. Such a reset is left out in a flood, in which the peer's answer may have been dropped: it
  // comes again.
  work_t accept_q;
  logic accept_valid_q;
  assign ignored = !hit && !accepts && arrival_2_q.work.stands;
  assign accept_valid_o = accept_valid_q;
  always_ff @(posedge clk_i) begin
    if (accept_ready_i) accept_valid_q <= 1'b0;
    if (asked_done) begin
      accept_valid_q <= !ignored;
      accept_q <= arrival_2_q.work;
      if (hit) begin
        accept_q.kind <= EventCookie;  // the connection exists by now: no effect
      end else if (accepts) begin
        accept_q.connection <= connection_t'(free_id);
        accept_q.slot <= slot;
        accept_q.seq <= arrival_2_q.work.seq - 1'b1;
        accept_q.ack <= arrival_2_q.work.ack - 1'b1;
        accept_q.mss <= cookie_mss(size_2_q);
        accept_q.congestion <= cubic_2_q ? CubicStart : NewReno;
        accept_q.paced <= paced_2_q;
      end else begin
        accept_q.kind <= EventRefuse;
      end
    end
    if (rst_i) accept_valid_q <= 1'b0;
  end

  work_t refused;
  tcp_unopened u_unopened (
      .clk_i,
      .rst_i,
      .clear_i,
      .clear_tenant_i(tenant_t'(clear_index_i)),
      .refused_i  (drop_refused_o && connects_2_q && named_q),
      .work_i     (arrival_2_q.work),
      .unopened_valid_o,
      .unopened_ready_i,
      .unopened_o (refused)
  );
  assign unopened_o = accept_valid_q ? accept_q : refused;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(push || direct) || queue_ready)
      else $error("tcp_lookup: an event finds no room");
      assert (!asks || push)
      else $error("tcp_lookup: a segment that may answer a cookie is held");
      assert (!syn_walks || holds)
      else $error("tcp_lookup: the options of an event are lost that has not been decided");
      assert (!initial_taken_i || (wanted_q && hash_soon))
      else $error("tcp_lookup: an initial number is used that is not there");
    end
  end

  logic unused;
  assign unused = &{1'b0, freed_connection_i, cfg_i, arrival_1_q, arrival_2_q};
endmodule
