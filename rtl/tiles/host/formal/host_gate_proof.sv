// SPDX-License-Identifier: Apache-2.0
// Proves host_gate, by induction: every access of a client comes out once, in order and unchanged, granted or not. A granted one has lain within a
// region that was valid in a cycle after the client asked; of any other one its client, and no other, is told once, before it comes out. The
// regions may change in every cycle.
//
// The solver picks any one access of client 0 (track_i); what is shown of that one holds for all, because the clients differ in their numbers alone.
module host_gate_proof
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Clients = 2
) (
    input logic clk_i,
    input regions_t regions_i,
    input logic [Clients-1:0] ask_valid_i,
    input ask_t [Clients-1:0] ask_i,
    input logic out_ready_i,
    input logic track_i
);
  localparam int unsigned CountWidth = 4;
  typedef logic [CountWidth-1:0] count_t;
  // A copy of host_gate's types, which are its own.
  typedef struct packed {
    id_t id;
    addr_t first, last;
    logic [7:0] len;
  } access_t;
  typedef struct packed {
    access_t access;
    logic wraps;
    logic [HostRegions-1:0] from, to;
  } compared_t;
  typedef struct packed {
    logic granted;
    request_t request;
  } checked_t;
  typedef struct packed {
    addr_t addr;
    logic [7:0] len;
  } beats_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic [Clients-1:0] ask_ready, refused;
  logic out_valid, out_granted;
  request_t out_request;
  host_gate #(
      .Clients(Clients)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .regions_i,
      .ask_valid_i,
      .ask_ready_o(ask_ready),
      .ask_i,
      .refused_o(refused),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_granted_o(out_granted),
      .out_request_o(out_request)
  );

  stream_check #(
      .T(checked_t)
  ) u_out_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(out_valid),
      .ready_i(out_ready_i),
      .data_i('{granted: out_granted, request: out_request})
  );

  // The flits of an access.
  function automatic beats_t beats(ask_t ask);
    addr_t last;
    last = ask.addr + addr_t'(ask.bytes) - 1'b1;
    beats.addr = ask.addr & ~addr_t'(FlitBytes - 1);
    beats.len = 8'((last >> EmptyWidth) - (ask.addr >> EmptyWidth));
  endfunction

  // Whether each byte of an access is in one region.
  function automatic logic is_inside(ask_t ask, regions_t regions);
    is_inside = 1'b0;
    for (int unsigned r = 0; r < HostRegions; r++) begin
      if (regions[r].valid && regions[r].first <= ask.addr && {1'b0, ask.addr} + (HostAddrBits + 1)'(ask.bytes) <= {1'b0, regions[r].last} + 1'b1) begin
        is_inside = 1'b1;
      end
    end
  endfunction

  always_comb begin
    for (int unsigned i = 0; i < Clients; i++) begin
      if (ask_valid_i[i]) assume (ask_i[i].bytes != '0 && 32'(ask_i[i].addr[$clog2(HostPageBytes)-1:0]) + 32'(ask_i[i].bytes) <= HostPageBytes);
    end
  end

  // The accesses of client 0, and the picked one.
  logic push, pop, tracking, starts;
  count_t count, ahead;
  beats_t flits;
  ask_t ask_q;
  logic inside_q, outside_q;  // in a cycle since it was asked for, it lay within a region, or did not
  logic told_q;
  assign push = ask_valid_i[0] && ask_ready[0];
  assign pop = out_valid && out_ready_i && out_request.id == '0;
  assign starts = push && track_i && !tracking;
  order_track #(
      .T(beats_t),
      .CountWidth(CountWidth)
  ) u_track (
      .clk_i,
      .rst_i(rst),
      .push_i(push),
      .push_data_i(beats(ask_i[0])),
      .pop_i(pop),
      .pop_data_i({out_request.addr, out_request.len}),
      .track_i,
      .count_o(count),
      .tracking_o(tracking),
      .ahead_o(ahead),
      .data_o(flits)
  );

  // What lies in host_gate, the oldest first: two entries in each of its buffers.
  checked_t [1:0] checked;
  compared_t [1:0] compared;
  access_t [1:0] access;
  ask_t [1:0] asked;
  logic [7:0] valid, mine;
  count_t [8:0] older;  // accesses of client 0 that are older than an entry
  assign checked = {u_dut.u_checked.gen_cut.skid_data_q, u_dut.u_checked.gen_cut.out_data_q};
  assign compared = {u_dut.u_compared.gen_cut.skid_data_q, u_dut.u_compared.gen_cut.out_data_q};
  assign access = {u_dut.u_access.gen_cut.skid_data_q, u_dut.u_access.gen_cut.out_data_q};
  assign asked = {u_dut.gen_client[0].u_ask.gen_cut.skid_data_q, u_dut.gen_client[0].u_ask.gen_cut.out_data_q};
  assign valid = {
    u_dut.gen_client[0].u_ask.gen_cut.skid_valid_q, u_dut.gen_client[0].u_ask.gen_cut.out_valid_q,
    u_dut.u_access.gen_cut.skid_valid_q, u_dut.u_access.gen_cut.out_valid_q,
    u_dut.u_compared.gen_cut.skid_valid_q, u_dut.u_compared.gen_cut.out_valid_q,
    u_dut.u_checked.gen_cut.skid_valid_q, u_dut.u_checked.gen_cut.out_valid_q
  };
  always_comb begin
    older[0] = '0;
    for (int unsigned e = 0; e < 8; e++) begin
      logic is_zero;
      is_zero = e < 2 ? checked[e%2].request.id == '0 : e < 4 ? compared[e%2].access.id == '0 : e < 6 ? access[e%2].id == '0 : 1'b1;
      mine[e] = valid[e] && is_zero;
      older[e+1] = older[e] + count_t'(mine[e]);
    end
  end
  logic [7:0] picked;
  for (genvar e = 0; e < 8; e++) begin : gen_entry
    assign picked[e] = tracking && mine[e] && older[e] == ahead;
  end

  always_ff @(posedge clk_i) begin
    if (starts) begin
      ask_q <= ask_i[0];
      inside_q <= 1'b0;
      outside_q <= 1'b0;
      told_q <= 1'b0;
    end else begin
      inside_q <= inside_q || is_inside(ask_q, regions_i);
      outside_q <= outside_q || !is_inside(ask_q, regions_i);
      told_q <= told_q || (refused[0] && picked[2]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // The promises.
      assert ($onehot0(refused));
      if (refused[0]) assert (mine[2]);
      if (refused[0] && picked[2]) assert (!told_q && outside_q);
      if (tracking && ahead == '0 && pop) assert (out_granted ? inside_q && !told_q : told_q);

      // Invariants.
      assert (count == older[8] && (!tracking || $onehot(picked)));
      assert (!valid[1] || valid[0]);
      assert (!valid[3] || valid[2]);
      assert (!valid[5] || valid[4]);
      assert (!valid[7] || valid[6]);
      for (int unsigned e = 0; e < 2; e++) begin
        if (valid[e]) assert (32'(checked[e].request.id) < Clients);
        if (valid[2+e]) assert (32'(compared[e].access.id) < Clients);
        if (valid[4+e]) assert (32'(access[e].id) < Clients);
        if (picked[e]) begin
          assert ({checked[e].request.addr, checked[e].request.len} == flits);
          assert (checked[e].granted ? inside_q && !told_q : told_q);
        end
        if (picked[2+e]) begin
          assert (compared[e].access.first == ask_q.addr && compared[e].access.last == ask_q.addr + addr_t'(ask_q.bytes) - 1'b1);
          assert (compared[e].access.len == flits.len && !told_q);
          assert (!compared[e].wraps && (compared[e].from & compared[e].to) != '0 ? inside_q : outside_q);
        end
        if (picked[4+e]) begin
          assert (access[e].first == ask_q.addr && access[e].last == ask_q.addr + addr_t'(ask_q.bytes) - 1'b1 && access[e].len == flits.len && !told_q);
        end
        if (picked[6+e]) assert (asked[e] == ask_q && !told_q);
      end
      if (tracking) begin
        assert (flits == beats(ask_q) && ask_q.bytes != '0);
        assert (32'(ask_q.addr[$clog2(HostPageBytes)-1:0]) + 32'(ask_q.bytes) <= HostPageBytes);
      end
    end
  end
endmodule
