// SPDX-License-Identifier: Apache-2.0
// Proves virtqueue_packed_used, by induction, as long as no write is refused or fails: the element of each used chain is written once, in the slot
// behind those of the chains before it, with the wrap counter of its lap, and nothing else is written. A chain is never written before another one
// that came before it, but for the first of chains that belong together, which is written behind all of these. Once the ring is quiet, nothing is
// kept. The driver is asked after the elements have come to memory, and is interrupted exactly if it wants that of all elements, or of one that was
// written since the question before.
//
// Memory carries out writes in the order of their requests. Between two questions, less than a lap is written. The solver picks any two slots
// (slot_i): what is shown of their elements holds for all.
module virtqueue_packed_used_proof
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned MostSize = 4,  // of the ring
    parameter int unsigned Hold = 2,
    parameter int unsigned Writes = 4  // most that wait, as in the design
) (
    input logic clk_i,
    input place_t place_i,
    input logic [1:0][14:0] slot_i,
    input logic halt_i,
    input logic used_valid_i,
    input used_t used_i,
    input logic checked_i,
    input logic [31:0] said_i,
    input logic tell_i,
    input logic [15:0] tell_index_i,
    input logic ask_ready_i,
    input logic data_ready_i,
    input logic done_i
);
  localparam int unsigned Picked = 2, ElementBytes = 8;
  typedef logic [15:0] index_t;  // {wrap counter, slot}
  typedef logic [8*ElementBytes-1:0] element_t;
  typedef enum logic [1:0] {
    Gather,
    Elements,
    First,
    Tell
  } state_e;  // of the design
  typedef struct packed {
    logic   tells;
    index_t index;  // that is reached with it
  } written_t;

  // Reset is as long as the design needs to compute its addresses.
  logic rst;
  logic [2:0] begins_q;
  initial begins_q = '1;
  always_ff @(posedge clk_i) begins_q <= begins_q >> 1;
  assign rst = begins_q[0];

  logic busy, used_ready, check, interrupt, declined, told, ask_valid, data_valid;
  stop_e stop;
  shown_t unused_shown;
  index_t index;
  ask_t ask;
  write_t all_data, data;  // data: only what is to be written
  virtqueue_packed_used #(
      .Hold(Hold)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .place_i,
      .halt_i,
      .busy_o(busy),
      .stop_o(stop),
      .index_o(index),
      .used_valid_i,
      .used_ready_o(used_ready),
      .used_i,
      .check_o(check),
      .checked_i,
      .said_i,
      .interrupt_o(interrupt),
      .declined_o(declined),
      .shown_o(unused_shown),
      .tell_i,
      .tell_index_i,
      .told_o(told),
      .ask_valid_o(ask_valid),
      .ask_ready_i,
      .ask_o(ask),
      .refused_i(1'b0),
      .data_valid_o(data_valid),
      .data_ready_i,
      .data_o(all_data),
      .done_i,
      .done_error_i(1'b0)
  );
  always_comb begin
    data = all_data;
    for (int unsigned b = 0; b < FlitBytes; b++) if (!all_data.strb[b]) data.data[8*b+:8] = '0;
  end
  stream_check #(
      .T(ask_t)
  ) u_ask_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(ask_valid),
      .ready_i(ask_ready_i),
      .data_i(ask)
  );
  stream_check #(
      .T(write_t)
  ) u_data_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(data_valid),
      .ready_i(data_ready_i),
      .data_i(data)
  );

  // The queue and the picked slots stay as they are.
  proof_constant #(
      .T(place_t)
  ) u_place (
      .clk_i,
      .value_i(place_i)
  );
  proof_constant #(
      .T(logic [1:0][14:0])
  ) u_slot (
      .clk_i,
      .value_i(slot_i)
  );
  always_comb begin
    assume (place_i.size != '0 && place_i.size <= 16'(MostSize) && place_i.descriptors[3:0] == '0 && place_i.device[1:0] == '0);
    assume (addr_t'(place_i.device - place_i.descriptors) >= addr_t'({place_i.size, 4'd0}));
    assume (place_i.start[14:0] < 15'(place_i.size) && slot_i[0] < 15'(place_i.size) && slot_i[1] < 15'(place_i.size) && slot_i[0] != slot_i[1]);
  end

  // How far b is behind a, on laps with either wrap counter in turn.
  function automatic index_t from_to(index_t a, index_t b);
    from_to = 16'(b[14:0]) + (a[15] == b[15] ? '0 : place_i.size) - 16'(a[14:0]);
    if (a[15] == b[15] && b[14:0] < a[14:0]) from_to = from_to + 2 * place_i.size;
  endfunction
  function automatic index_t behind(index_t a, links_t links);
    behind = a + 16'(links);
    if (16'(a[14:0]) + 16'(links) >= place_i.size) behind = {!a[15], 15'(16'(a[14:0]) + 16'(links) - place_i.size)};
  endfunction
  function automatic element_t element_of(logic wrap, used_t used);
    element_of = {wrap, 7'd0, wrap, 5'd0, used.bytes != '0, 1'b0, used.chain.id, 32'(used.bytes)};
  endfunction

  // The chains. A driver has offered no more than the ring's size beyond what it sees.
  index_t come_q, group_q;  // of the next chain; of the first of those that belong together
  logic open_q;  // there are such, and their last one has not come
  logic takes;
  logic [Picked-1:0] has_q, first_q, wrap_q, wrote;  // a picked slot's element is to be written; it is the first of several
  logic behind_q, follows_q;  // slot 1's chain came behind that of slot 0; and belongs together with it, which is the first
  element_t [Picked-1:0] element_q;
  assign takes = used_valid_i && used_ready;
  always_comb begin
    if (used_valid_i) assume (used_i.chain.links != '0 && from_to(index, come_q) + 16'(used_i.chain.links) <= place_i.size);
  end

  // A write is there when its address and its data are.
  logic asked_q, given_q, happens, of_event;
  ask_t ask_q, of;
  write_t data_q, bytes;
  assign of = asked_q ? ask_q : ask;
  assign bytes = given_q ? data_q : data;
  assign happens = (asked_q || (ask_valid && ask_ready_i)) && (given_q || (data_valid && data_ready_i));
  assign of_event = of.addr == place_i.device;
  function automatic addr_t flit_of(addr_t at);
    flit_of = at & ~addr_t'(FlitBytes - 1);
  endfunction
  function automatic addr_t element_at(logic [14:0] slot);
    element_at = place_i.descriptors + addr_t'({slot, 4'd8});
  endfunction

  // Which picked elements are in it, what else is, and the event.
  logic [Picked-1:0] wrong;
  logic beyond, event_wrong;
  always_comb begin
    wrote = '0;
    wrong = '0;
    beyond = bytes.strb[FlitBytes-1:0] == '0;
    event_wrong = of.bytes != 4;
    for (int unsigned b = 0; b < FlitBytes; b += ElementBytes) begin
      logic any;
      addr_t at;
      any = bytes.strb[b+:ElementBytes] != '0;
      at = flit_of(of.addr) + addr_t'(b);
      if (any && (bytes.strb[b+:ElementBytes] != '1 || b % 16 == 0 || addr_t'(at - place_i.descriptors) >= addr_t'({place_i.size, 4'd0}))) beyond = 1'b1;
      if (any && (at < of.addr || addr_t'(at - of.addr) + addr_t'(ElementBytes) > addr_t'(of.bytes))) beyond = 1'b1;
      for (int unsigned k = 0; k < Picked; k++) begin
        if (any && at == element_at(slot_i[k])) begin
          wrote[k] = !of_event;
          if (!has_q[k] || bytes.data[8*b+:8*ElementBytes] != element_q[k]) wrong[k] = 1'b1;
        end
      end
    end
    for (int unsigned b = 0; b < FlitBytes; b += 4) begin
      if (lane_t'(b) == of.addr[EmptyWidth-1:0]) begin
        if (bytes.data[8*b+:32] != {16'd2, tell_index_i} || bytes.strb != FlitBytes'(15) << b) event_wrong = 1'b1;
      end
    end
  end

  // Writes that have not ended, the oldest first; how far memory is written; what the driver is asked.
  written_t [Writes-1:0] waiting_q;
  logic [$clog2(Writes):0] waits_q;
  index_t memory_q, asked_from_q, asked_to_q;
  logic question_q, telling_q;
  logic [3:0] quiet_q;  // cycles
  logic quiet;
  assign quiet = !used_valid_i && !halt_i && !ask_valid && !data_valid && waits_q == '0 && !check && !question_q;
  always_comb begin
    if (done_i) assume (waits_q != '0);
    if (checked_i) assume (question_q && said_i[14:0] < 15'(place_i.size));
    if (check) assume (from_to(asked_to_q, memory_q) <= place_i.size);
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      come_q <= behind(come_q, used_i.chain.links);
      open_q <= used_i.more;
      if (!open_q) group_q <= come_q;
      for (int unsigned k = 0; k < Picked; k++) begin
        if (come_q[14:0] == slot_i[k]) begin
          has_q[k] <= 1'b1;
          wrap_q[k] <= come_q[15];
          first_q[k] <= used_i.more && !open_q;
          element_q[k] <= element_of(come_q[15], used_i);
        end
      end
      if (come_q[14:0] == slot_i[1]) begin
        behind_q  <= has_q[0] && !(happens && wrote[0]);
        follows_q <= has_q[0] && open_q && group_q[14:0] == slot_i[0];
      end
      if (come_q[14:0] == slot_i[0]) {behind_q, follows_q} <= '0;
    end
    asked_q <= (asked_q || (ask_valid && ask_ready_i)) && !happens;
    given_q <= (given_q || (data_valid && data_ready_i)) && !happens;
    ask_q   <= of;
    data_q  <= bytes;
    if (happens) begin
      for (int unsigned k = 0; k < Picked; k++) if (wrote[k]) has_q[k] <= 1'b0;
      if (wrote[0]) behind_q <= 1'b0;
    end
    for (int unsigned i = 0; i < Writes; i++) begin
      if (done_i) waiting_q[i] <= waiting_q[i+1<Writes?i+1 : i];
      if (happens && 32'(waits_q) - 32'(done_i) == i) waiting_q[i] <= '{tells: of_event, index: u_dut.shown};
    end
    waits_q <= waits_q + $bits(waits_q)'(happens) - $bits(waits_q)'(done_i);
    if (done_i && !waiting_q[0].tells) memory_q <= waiting_q[0].index;
    if (check) begin
      asked_from_q <= asked_to_q;
      asked_to_q <= memory_q;
      question_q <= 1'b1;
    end else if (checked_i) question_q <= 1'b0;
    if (happens && of_event) telling_q <= 1'b1;
    if (told) telling_q <= 1'b0;
    quiet_q <= !quiet ? '0 : quiet_q + 4'(quiet_q != '1);
    if (rst) begin
      come_q <= place_i.start;
      open_q <= 1'b0;
      has_q <= '0;
      behind_q <= 1'b0;
      follows_q <= 1'b0;
      asked_q <= 1'b0;
      given_q <= 1'b0;
      waits_q <= '0;
      memory_q <= place_i.start;
      asked_to_q <= place_i.start;
      question_q <= 1'b0;
      telling_q <= 1'b0;
      quiet_q <= '0;
    end
  end

  // The request to notify stays until it is in memory, and goes down then.
  logic tell_waits_q, tell_ends_q;
  index_t tell_index_q;
  always_ff @(posedge clk_i) begin
    tell_waits_q <= tell_i && !told && !rst;
    tell_ends_q  <= told && !rst;
    tell_index_q <= tell_index_i;
    if (tell_waits_q) assume (tell_i && tell_index_i == tell_index_q);
    if (tell_ends_q) assume (!tell_i);
  end

  // Where a picked element is: the flit that is being filled, held as the first of several, or waiting in either register of the buffer.
  logic [Picked-1:0] in_flit, in_group, in_out, in_skid;
  element_t [Picked-1:0] flit_data;
  addr_t ring_flit;
  assign ring_flit = flit_of(place_i.descriptors);
  for (genvar k = 0; k < Picked; k++) begin : gen_picked
    lane_t lane;
    assign lane = element_at(slot_i[k]) & lane_t'('1);
    always_comb begin
      in_flit[k] = 1'b0;
      flit_data[k] = '0;
      for (int unsigned b = ElementBytes; b < FlitBytes; b += 16) begin
        if (u_dut.holds_q && flit_of(u_dut.first_q) == flit_of(element_at(slot_i[k])) && lane == lane_t'(b)) begin
          in_flit[k]   = u_dut.strobe_q[b];
          flit_data[k] = u_dut.data_q[8*b+:8*ElementBytes];
        end
      end
    end
    assign in_group[k] = u_dut.group_q && u_dut.group_index_q[14:0] == slot_i[k];
    assign in_out[k] = u_dut.u_placed.gen_cut.out_valid_q && u_dut.u_placed.gen_cut.out_data_q.index[14:0] == slot_i[k];
    assign in_skid[k] = u_dut.u_placed.gen_cut.skid_valid_q && u_dut.u_placed.gen_cut.skid_data_q.index[14:0] == slot_i[k];
  end
  logic out_valid, skid_valid;
  index_t out_ends, skid_ends;
  assign out_valid = u_dut.u_placed.gen_cut.out_valid_q;
  assign skid_valid = u_dut.u_placed.gen_cut.skid_valid_q;
  assign out_ends = out_valid ? u_dut.u_placed.gen_cut.out_data_q.next : u_dut.index_q;
  assign skid_ends = skid_valid ? u_dut.u_placed.gen_cut.skid_data_q.next : out_ends;
  function automatic logic is_place(index_t at);
    is_place = at[14:0] < 15'(place_i.size) && from_to(u_dut.written_q, at) <= from_to(u_dut.written_q, come_q);
  endfunction
  // Whether chains that belong together are open behind what has been taken, behind the output of the buffer, and behind all.
  logic open_taken, open_out, open_skid;
  assign open_taken = u_dut.group_q && !u_dut.group_whole_q;
  assign open_out = out_valid ? u_dut.u_placed.gen_cut.out_data_q.used.more : open_taken;
  assign open_skid = skid_valid ? u_dut.u_placed.gen_cut.skid_data_q.used.more : open_out;
  index_t group;  // the first of those that are open behind all
  always_comb begin
    group = u_dut.group_index_q;
    if (out_valid && !open_taken) group = u_dut.index_q;
    if (skid_valid && !open_out) group = out_ends;
  end
  index_t last_shown;  // by the writes that have not ended, or in memory
  logic waits_event;
  always_comb begin
    last_shown = memory_q;
    waits_event = 1'b0;
    for (int unsigned i = 0; i < Writes; i++) begin
      if (i < 32'(waits_q) && !waiting_q[i].tells) last_shown = waiting_q[i].index;
      if (i < 32'(waits_q) && waiting_q[i].tells) waits_event = 1'b1;
    end
  end
  logic strobe_bad;
  always_comb begin
    strobe_bad = 1'b0;
    for (int unsigned b = 0; b < FlitBytes; b += ElementBytes) begin
      logic any;
      addr_t at;
      any = u_dut.strobe_q[b+:ElementBytes] != '0;
      at = flit_of(u_dut.first_q) + addr_t'(b);
      if (any && (u_dut.strobe_q[b+:ElementBytes] != '1 || b % 16 == 0 || !u_dut.holds_q)) strobe_bad = 1'b1;
      if (any && (at < u_dut.first_q || lane_t'(b) > u_dut.last_q || addr_t'(at - place_i.descriptors) >= addr_t'({place_i.size, 4'd0}))) strobe_bad = 1'b1;
      if (u_dut.holds_q && (at == u_dut.first_q || lane_t'(b) == u_dut.last_q) && !any) strobe_bad = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    assert (begins_q inside {3'd0, 3'd1, 3'd3, 3'd7});
    if (!rst) begin
      // The promises.
      assert (stop == StopNone);
      if (happens) begin
        assert (bytes.last && 32'(of.addr[EmptyWidth-1:0]) + 32'(of.bytes) <= FlitBytes);
        if (of_event) assert (tell_i && !event_wrong && !telling_q);
        else assert (!beyond && wrong == '0);
        if (wrote[1] && !wrote[0] && has_q[0] && has_q[1] && behind_q) assert (follows_q);
        if (wrote[0] && has_q[1] && behind_q && follows_q) assert (wrote[1]);
        for (int unsigned k = 0; k < Picked; k++) if (wrote[k] && first_q[k]) assert (!(open_q && group_q[14:0] == slot_i[k]));
      end
      for (int unsigned k = 0; k < Picked; k++) begin
        if (takes && come_q[14:0] == slot_i[k]) assert (!has_q[k]);
        if (has_q[k]) assert (from_to(index, {wrap_q[k], slot_i[k]}) < from_to(index, come_q));
        if (!busy && index != come_q && index[14:0] == slot_i[k]) assert (has_q[k] && wrap_q[k] == index[15]);
      end
      assert (told == (done_i && waiting_q[0].tells));
      if (told) assert (tell_i);
      if (check) assert (!question_q);
      assert ((interrupt || declined) == checked_i && !(interrupt && declined));
      assert (interrupt == (checked_i && (
          place_i.event_index && said_i[17:16] == 2'd2 ? from_to(asked_from_q, said_i[15:0]) < from_to(asked_from_q, asked_to_q) : said_i[17:16] != 2'd1)));
      if (quiet && 32'(quiet_q) > Hold + 3 && !open_q) assert (has_q == '0 && index == come_q && !tell_waits_q);
      if (quiet) assert (asked_to_q == memory_q && (u_dut.group_q || memory_q == index));

      // Invariants: the places in their order.
      assert (come_q == u_dut.coming_q && come_q == skid_ends && come_q[14:0] < 15'(place_i.size));
      assert (u_dut.written_q[14:0] < 15'(place_i.size) && from_to(u_dut.written_q, come_q) <= place_i.size);
      assert (!skid_valid || out_valid);
      assert (is_place(u_dut.index_q) && is_place(out_ends) && from_to(u_dut.written_q, u_dut.index_q) <= from_to(u_dut.written_q, out_ends));
      if (out_valid) begin
        assert (u_dut.u_placed.gen_cut.out_data_q.index == u_dut.index_q);
        assert (u_dut.u_placed.gen_cut.out_data_q.at == element_at(u_dut.index_q[14:0]));
        assert (32'(u_dut.u_placed.gen_cut.out_data_q.in_ring) == 32'(place_i.descriptors[EmptyWidth-1:0]) + 32'({u_dut.index_q[14:0], 4'd8}));
        assert (from_to(u_dut.index_q, out_ends) <= place_i.size && u_dut.index_q != out_ends);
      end
      if (skid_valid) begin
        assert (u_dut.u_placed.gen_cut.skid_data_q.index == out_ends);
        assert (u_dut.u_placed.gen_cut.skid_data_q.at == element_at(out_ends[14:0]));
        assert (32'(u_dut.u_placed.gen_cut.skid_data_q.in_ring) == 32'(place_i.descriptors[EmptyWidth-1:0]) + 32'({out_ends[14:0], 4'd8}));
        assert (out_ends != come_q);
      end

      // Each element is in one place.
      for (int unsigned k = 0; k < Picked; k++) begin
        assert ($onehot0({in_flit[k], in_group[k], in_out[k], in_skid[k]}));
        assert (has_q[k] == (in_flit[k] || in_group[k] || in_out[k] || in_skid[k]));
        if (in_flit[k] && slot_i[k] == u_dut.written_q[14:0]) assert (wrap_q[k] == u_dut.written_q[15]);
        if (in_flit[k]) assert (flit_data[k] == element_q[k]);
        if (in_group[k]) assert (u_dut.group_element_q == element_q[k] && first_q[k] && wrap_q[k] == u_dut.group_index_q[15]);
        if (in_out[k]) assert (element_of(wrap_q[k], u_dut.u_placed.gen_cut.out_data_q.used) == element_q[k] && wrap_q[k] == u_dut.index_q[15]);
        if (in_skid[k]) assert (element_of(wrap_q[k], u_dut.u_placed.gen_cut.skid_data_q.used) == element_q[k] && wrap_q[k] == out_ends[15]);
        if (in_flit[k]) assert (from_to(u_dut.written_q, {wrap_q[k], slot_i[k]}) < from_to(u_dut.written_q, u_dut.index_q) && !first_q[k]);
      end
      if (has_q == '1) begin
        assert (behind_q == (from_to(u_dut.written_q, {wrap_q[0], slot_i[0]}) < from_to(u_dut.written_q, {wrap_q[1], slot_i[1]})));
      end

      // The flit that is being filled, and the first of chains that belong together.
      assert (!strobe_bad && asked_q == u_dut.asked_q && given_q == u_dut.given_q && !(asked_q && given_q));
      if (u_dut.state_q == Gather) assert (!asked_q && !given_q);
      if (asked_q) assert (ask_q == u_dut.ask_o);
      if (given_q) assert (data_q == data);
      if (u_dut.holds_q) begin
        if (!u_dut.group_q || u_dut.group_index_q != u_dut.written_q) assert (u_dut.first_q == element_at(u_dut.written_q[14:0]));
        assert (u_dut.first_q[3:0] == 4'd8 && u_dut.last_q[3:0] == 4'd8);
        assert (u_dut.index_q != u_dut.written_q && u_dut.first_q[EmptyWidth-1:0] <= u_dut.last_q);
        assert (32'(u_dut.number_q) <= 16 * MostSize / FlitBytes + 1 && addr_t'(32'(u_dut.number_q) * FlitBytes) + ring_flit == flit_of(u_dut.first_q));
      end else assert (u_dut.written_q == (u_dut.group_q ? u_dut.group_index_q : u_dut.index_q) && u_dut.strobe_q == '0);
      if (u_dut.state_q == Elements) assert (u_dut.holds_q);
      if (u_dut.state_q inside {First, Tell}) assert (!u_dut.holds_q);
      if (u_dut.state_q == First) assert (u_dut.group_whole_q);
      if (u_dut.state_q == Tell) assert (!u_dut.group_q);
      if (u_dut.group_whole_q) assert (u_dut.group_q && (u_dut.holds_q || u_dut.state_q == First));
      if (u_dut.group_q) begin
        assert (u_dut.group_index_q[14:0] < 15'(place_i.size) && u_dut.group_at_q == element_at(u_dut.group_index_q[14:0]));
        assert (from_to(u_dut.written_q, u_dut.group_index_q) < from_to(u_dut.written_q, u_dut.index_q));
      end
      assert (open_q == open_skid && (!open_q || group_q == group));
      for (int unsigned k = 0; k < Picked; k++) begin
        if (in_out[k]) assert (first_q[k] == (open_out && !open_taken));
        if (in_skid[k]) assert (first_q[k] == (open_skid && !open_out));
      end
      if (has_q == '1 && behind_q) begin
        assert (!(in_out[0] && !in_skid[1]) && !in_skid[0]);
        if (follows_q) assert (first_q[0]);
        if (in_group[0]) assert (follows_q == (in_flit[1] || (in_out[1] && open_taken) || (in_skid[1] && open_taken && open_out)));
        if (in_out[0]) assert (follows_q == first_q[0]);
      end

      // The writes that have not ended, and what follows them.
      if (u_dut.telling_q) assert (tell_waits_q);
      assert (u_dut.telling_q == (telling_q || u_dut.state_q == Tell) && !(telling_q && u_dut.state_q == Tell));
      assert (u_dut.waiting_q == 6'(waits_q) && waits_q == u_dut.u_order.write_ptr_q - u_dut.u_order.read_ptr_q);
      assert (32'(waits_q) + 32'(u_dut.state_q != Gather) + 32'(u_dut.state_q == Elements && u_dut.group_whole_q) <= Writes);
      for (int unsigned i = 0; i < Writes; i++) begin
        if (i < 32'(waits_q)) begin
          automatic logic [$clog2(Writes)-1:0] at = u_dut.u_order.read_ptr_q[$clog2(Writes)-1:0] + $clog2(Writes)'(i);
          assert (waiting_q[i].tells == u_dut.u_order.mem[at].tells && waiting_q[i].index[14:0] < 15'(place_i.size));
          if (!waiting_q[i].tells) assert (waiting_q[i].index == u_dut.u_order.mem[at].index);
          for (int unsigned j = 0; j < i; j++) if (waiting_q[i].tells) assert (!waiting_q[j].tells);
        end
      end
      assert (last_shown == u_dut.written_q && waits_event == telling_q);
      assert (u_dut.known_q == memory_q && u_dut.asked_to_q == asked_to_q && (!question_q || u_dut.asked_from_q == asked_from_q));
      assert (u_dut.checking_q == question_q && (u_dut.due_q || memory_q == asked_to_q));
      assert (memory_q[14:0] < 15'(place_i.size) && asked_to_q[14:0] < 15'(place_i.size));
      if (question_q) assert (asked_from_q[14:0] < 15'(place_i.size) && from_to(asked_from_q, asked_to_q) <= place_i.size);

      // Nothing is kept.
      assert (32'(u_dut.held_q) <= Hold);
      if (quiet && quiet_q >= 1) assert (!skid_valid);
      if (quiet && quiet_q >= 2) assert (!out_valid);
      if (quiet && quiet_q >= 3) assert (!u_dut.group_whole_q);
      if (quiet && u_dut.holds_q) assert (5'(u_dut.held_q) + 5'd2 >= 5'(quiet_q) || 32'(u_dut.held_q) == Hold);
      if (quiet && 32'(quiet_q) > Hold + 2) assert (!u_dut.holds_q);
    end
  end
endmodule
