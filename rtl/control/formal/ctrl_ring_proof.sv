// SPDX-License-Identifier: Apache-2.0
// Proves the control ring, with two nodes after the bridge. The first has registers, which answer within Wait
// cycles; the second has a window behind a guard, which answers at any time, or never. For any input:
//   - every access ends at most Longest cycles after its start;
//   - it is answered once, and by the node that it names: OKAY or SLVERR if there is one, DECERR if not;
//   - the window's answer is the answer to this request, never the late one to an earlier request;
//   - the window sees only requests to itself, none to another node;
//   - there is at most one request on the ring, so a node's request is never overwritten;
//   - a waiting access is the next to start when the one before it has been taken.
module ctrl_ring_proof
  import girih_pkg::*;
#(
    parameter int unsigned Wait = 3,
    parameter int unsigned Limit = 3
) (
    input logic clk_i,
    input logic awvalid_i,
    input logic [31:0] awaddr_i,
    input logic wvalid_i,
    input logic [31:0] wdata_i,
    input logic [3:0] wstrb_i,
    input logic bready_i,
    input logic arvalid_i,
    input logic [31:0] araddr_i,
    input logic rready_i,
    input logic reg_done_i,
    input logic reg_error_i,
    input logic [31:0] reg_data_i,
    input logic window_done_i,
    input logic window_error_i,
    input logic [31:0] window_data_i
);
  localparam node_t First = 8'h11;
  localparam node_t Second = 8'h22;
  localparam int unsigned Guarded = Limit + 1;  // cycles in which the guard has answered
  localparam int unsigned Slowest = Wait > Guarded ? Wait : Guarded;
  localparam int unsigned Longest = Slowest + 4;
  typedef logic [7:0] age_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  ctrl_t ring[3];
  logic bvalid, rvalid, awready, wready, arready;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata;
  timestamp_t now;
  ctrl_bridge u_bridge (
      .clk_i,
      .rst_i(rst),
      .s_axil_awvalid(awvalid_i),
      .s_axil_awready(awready),
      .s_axil_awaddr(awaddr_i),
      .s_axil_awprot('0),
      .s_axil_wvalid(wvalid_i),
      .s_axil_wready(wready),
      .s_axil_wdata(wdata_i),
      .s_axil_wstrb(wstrb_i),
      .s_axil_bvalid(bvalid),
      .s_axil_bready(bready_i),
      .s_axil_bresp(bresp),
      .s_axil_arvalid(arvalid_i),
      .s_axil_arready(arready),
      .s_axil_araddr(araddr_i),
      .s_axil_arprot('0),
      .s_axil_rvalid(rvalid),
      .s_axil_rready(rready_i),
      .s_axil_rdata(rdata),
      .s_axil_rresp(rresp),
      .ctrl_o(ring[0]),
      .ctrl_i(ring[2]),
      .link_stall_i('0),
      .now_o(now)
  );

  logic [1:0] valid, write, done, error;
  ctrl_master_t master[2];
  tenant_t tenant[2];
  logic [15:0] offset[2];
  logic [31:0] wdata[2], data[2];
  for (genvar n = 0; n < 2; n++) begin : gen_node
    ctrl_node #(
        .Node(n == 0 ? First : Second)
    ) u_node (
        .clk_i,
        .rst_i(rst),
        .ctrl_i(ring[n]),
        .ctrl_o(ring[n+1]),
        .valid_o(valid[n]),
        .write_o(write[n]),
        .master_o(master[n]),
        .tenant_o(tenant[n]),
        .offset_o(offset[n]),
        .data_o(wdata[n]),
        .done_i(done[n]),
        .error_i(error[n]),
        .data_i(data[n])
    );
  end

  // The first node's registers answer in time.
  age_t wait_q[2];
  assign done[0] = valid[0] && (reg_done_i || wait_q[0] == age_t'(Wait - 1));
  assign error[0] = reg_error_i;
  assign data[0] = reg_error_i ? '0 : reg_data_i;

  logic window_valid, window_write, guard_late;
  logic [13:0] window_addr;
  logic [31:0] window_data, guard_data;
  tenant_t window_tenant;
  window_guard #(
      .Limit(Limit)
  ) u_guard (
      .clk_i,
      .rst_i(rst),
      .valid_i(valid[1]),
      .write_i(write[1]),
      .addr_i(offset[1][13:0]),
      .data_i(wdata[1]),
      .tenant_i(tenant[1]),
      .done_o(done[1]),
      .error_o(error[1]),
      .late_o(guard_late),
      .data_o(guard_data),
      .window_valid_o(window_valid),
      .window_write_o(window_write),
      .window_addr_o(window_addr),
      .window_data_o(window_data),
      .window_tenant_o(window_tenant),
      .window_done_i(window_valid && window_done_i),
      .window_error_i,
      .window_data_i
  );
  assign data[1] = error[1] ? 32'(guard_late) : guard_data;

  // A request to the window holds until its answer.
  typedef struct packed {
    logic write;
    logic [13:0] addr;
    logic [31:0] data;
    tenant_t tenant;
  } request_t;
  request_t request, asked;
  assign request = '{write: window_write, addr: window_addr, data: window_data, tenant: window_tenant};
  assign asked = '{write: write[1], addr: offset[1][13:0], data: wdata[1], tenant: tenant[1]};
  stream_check #(
      .T(request_t)
  ) u_window_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(window_valid),
      .ready_i(window_done_i),
      .data_i(request)
  );

  logic asked_q;  // in the cycle before
  request_t request_q;
  always_ff @(posedge clk_i) begin
    asked_q <= rst || valid[1];
    request_q <= request;
  end

  // Where the request is: the bridge's beat, a node's local side or a node's beat.
  logic on_ring, on_card, answered;
  logic [4:0] place;
  assign on_ring = u_bridge.u_requests.busy_q[0] && !u_bridge.u_requests.done_q[0] && u_bridge.to_ring;
  assign on_card = u_bridge.u_card.request_i;
  assign answered = bvalid || rvalid;
  assign place = {ring[2].valid, valid[1], ring[1].valid, valid[0], ring[0].valid};

  age_t age_q;  // cycles since the access started
  logic [1:0] answers_q;  // nodes that have answered it
  always_ff @(posedge clk_i) begin
    age_q <= on_ring || on_card ? age_q + 1'b1 : '0;
    answers_q <= on_ring ? answers_q | done : '0;
    for (int unsigned n = 0; n < 2; n++) wait_q[n] <= valid[n] && !done[n] ? wait_q[n] + 1'b1 : '0;
    if (rst) begin
      age_q <= '0;
      answers_q <= '0;
      wait_q[0] <= '0;
      wait_q[1] <= '0;
    end
  end

  logic [1:0] named;
  assign named = {u_bridge.addr.node == Second, u_bridge.addr.node == First};

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // Every access ends.
      assert (age_q <= age_t'(Longest));
      assert (u_bridge.u_requests.next_q == '0 && u_bridge.u_requests.oldest_q == '0 && (!u_bridge.request_valid || u_bridge.request_tag == '0));
      if (u_bridge.u_requests.done_q[0]) assert (u_bridge.u_requests.busy_q[0] && !u_bridge.request_valid);
      if (u_bridge.u_requests.aw_valid_q) assert (!(u_bridge.u_requests.aw_q.ring && (u_bridge.u_requests.aw_q.addr[23:16] == '1 || u_bridge.u_requests.aw_q.card)));
      if (u_bridge.u_requests.ar_valid_q) assert (!(u_bridge.u_requests.ar_q.ring && (u_bridge.u_requests.ar_q.addr[23:16] == '1 || u_bridge.u_requests.ar_q.card)));
      if (u_bridge.u_requests.busy_q[0]) assert (!(u_bridge.to_ring && (u_bridge.addr.node == '1 || u_bridge.to_card)));
      if (!u_bridge.u_requests.busy_q[0]) begin
        assert (u_bridge.u_requests.start == ((u_bridge.u_requests.aw_valid_q && u_bridge.u_requests.w_valid_q) || u_bridge.u_requests.ar_valid_q));
        assert (!u_bridge.u_requests.request_valid_o && !u_bridge.u_requests.done_q[0]);
      end else if (!u_bridge.u_requests.done_q[0]) begin
        assert (u_bridge.u_requests.request_valid_o == (!u_bridge.to_ring || ring[0].valid));
      end
      // Answered once, by the node that it names.
      assert (!(bvalid && rvalid));
      if (on_ring && ring[2].valid) assert (ring[2].response == (named != '0) && answers_q == named);
      if (on_card) assert (place == '0);
      // One request on the ring.
      assert ($onehot0(place) && (place != '0) == on_ring);
      assert (!(valid[0] && ring[0].valid) && !(valid[1] && ring[1].valid));
      // A window's answer is the answer to this request.
      if (done[1] && !guard_late) assert (request == asked);
      if (!asked_q) assert (request == request_q);
      // Invariants: what is known of the request where it is.
      for (int unsigned n = 0; n < 3; n++) if (ring[n].valid) assert (ring[n].node == u_bridge.addr.node);
      for (int unsigned n = 0; n < 2; n++) if (valid[n]) assert (ring[n+1].node == u_bridge.addr.node);
      if (ring[0].valid) assert (age_q == '0 && !ring[0].response && answers_q == '0);
      if (valid[0]) assert (named[0] && age_q == wait_q[0] + 1'b1 && wait_q[0] < age_t'(Wait) && answers_q == '0);
      if (ring[1].valid) begin
        assert (ring[1].response == named[0] && answers_q == {1'b0, named[0]});
        if (named[0]) assert (age_q <= age_t'(Wait + 1));
        else assert (age_q == age_t'(1));
      end
      if (valid[1]) assert (named[1] && age_q == wait_q[1] + 8'd2 && wait_q[1] < age_t'(Guarded) && answers_q == '0);
      if (ring[2].valid) assert (age_q <= age_t'(Slowest + 2));
      if (on_ring) assert (u_bridge.addr.node != '1);
      if (!valid[0]) assert (wait_q[0] == '0);
      if (!valid[1]) assert (wait_q[1] == '0);
      // The card's own registers answer at once, and have nothing pending.
      if (on_card) assert (age_q == '0 && u_bridge.card_done);
      assert (!u_bridge.u_card.u_registers.external_pending);
      // The guard: its request is that of the ring until it is given up.
      if (u_guard.busy_q && !u_guard.given_up_q) assert (valid[1] && wait_q[1] == age_t'(u_guard.count_q) + 1'b1 && request == asked);
      if (valid[1] && !u_guard.busy_q) assert (wait_q[1] == '0);
      if (valid[1] && u_guard.busy_q && u_guard.given_up_q) assert (wait_q[1] == '0);
      assert (32'(u_guard.count_q) < Limit);
      if (u_guard.busy_q && u_guard.given_up_q) assert (u_guard.expired);
    end
  end
endmodule
