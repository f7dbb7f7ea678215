// SPDX-License-Identifier: Apache-2.0
// The host's master of the control ring: an AXI4-Lite slave whose byte address is {zeros, tenant, node, offset}. It
// sends an access onto the ring; to the registers of the card itself at node 0xFF, which only the operator
// (tenant 0) may access; or back with an error.
//
// Every access ends:
//   OKAY    the access was done
//   SLVERR  the node has no such register, or refuses this access or this tenant; the engine's window did not
//           answer in time (counted); a write of less than 32 bits
//   DECERR  no such node: the request came back around the ring unchanged; address bits above the tenant are set
//
// At most InFlight accesses are in flight; they are answered in order.
module ctrl_bridge
  import girih_pkg::*;
#(
    parameter logic [63:0] Digest = '0,  // of the design
    parameter int unsigned Ports = 1,
    parameter int unsigned Tiles = 1,
    parameter int unsigned Links = 0,  // between routers
    parameter bit Alone = 1'b1,  // the ring has no other master, and one access on it at a time
    parameter int unsigned Pad = 0,  // registers of the ring in addition to those of its stops
    localparam int unsigned InFlight = Alone ? 1 : CtrlTags,
    localparam int unsigned StallBits = Links > 0 ? Links : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_awaddr,
    input  logic [ 2:0] s_axil_awprot,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    output logic [ 1:0] s_axil_bresp,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    input  logic [31:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,

    output ctrl_t ctrl_o,
    input  ctrl_t ctrl_i,

    input logic [StallBits-1:0] link_stall_i,  // one bit for each link between routers

    output timestamp_t now_o
);
  localparam int unsigned TagWidth = InFlight > 1 ? $clog2(InFlight) : 1;

  typedef struct packed {
    logic [7-$bits(tenant_t):0] unused;
    tenant_t tenant;
    node_t node;
    logic [15:0] offset;
  } addr_t;

  typedef enum logic [1:0] {
    Okay = 2'b00,
    SlaveError = 2'b10,
    DecodeError = 2'b11
  } resp_e;

  logic unused;
  assign unused = ^{s_axil_awprot, s_axil_arprot};

  logic request_valid, request_ready, request_write, to_card, to_ring, beyond;
  /* verilator lint_off UNUSEDSIGNAL */
  addr_t addr;  // the two lowest bits are ignored; `beyond` covers the highest ones
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] request_data;
  logic [TagWidth-1:0] request_tag;

  // Answers: of the ring, and of the card itself.
  logic [1:0] answer_valid;
  logic [TagWidth-1:0] answer_tag[2];
  logic [1:0] answer_resp[2];
  logic [31:0] answer_data[2];

  axil_requests #(
      .InFlight(InFlight)
  ) u_requests (
      .clk_i,
      .rst_i,
      .s_axil_awvalid,
      .s_axil_awready,
      .s_axil_awaddr,
      .s_axil_wvalid,
      .s_axil_wready,
      .s_axil_wdata,
      .s_axil_wstrb,
      .s_axil_bvalid,
      .s_axil_bready,
      .s_axil_bresp,
      .s_axil_arvalid,
      .s_axil_arready,
      .s_axil_araddr,
      .s_axil_rvalid,
      .s_axil_rready,
      .s_axil_rdata,
      .s_axil_rresp,
      .request_valid_o(request_valid),
      .request_ready_i(request_ready),
      .request_write_o(request_write),
      .request_card_o(to_card),
      .request_ring_o(to_ring),
      .request_beyond_o(beyond),
      .request_addr_o(addr),
      .request_data_o(request_data),
      .request_tag_o(request_tag),
      .answer_valid_i(answer_valid),
      .answer_tag_i(answer_tag),
      .answer_resp_i(answer_resp),
      .answer_data_i(answer_data)
  );

  logic ring_ready, card_done, card_error;
  logic [31:0] card_data;
  assign request_ready = to_ring ? ring_ready : !to_card || card_done;

  assign answer_valid[0] = request_valid && !to_ring && request_ready;
  assign answer_tag[0]   = request_tag;
  assign answer_data[0]  = card_data;
  always_comb begin
    answer_resp[0] = card_error ? SlaveError : Okay;
    if (!to_card) answer_resp[0] = beyond ? DecodeError : SlaveError;
  end

  // The ring.
  ctrl_t ring_request, ring_in;
  // An answer always belongs to one of these requests, so its master, node and offset are not checked.
  /* verilator lint_off UNUSEDSIGNAL */
  ctrl_t ring_answer;
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin
    ring_request = '0;
    ring_request.write = request_write;
    ring_request.tag = ctrl_tag_t'(request_tag);
    ring_request.tenant = addr.tenant;
    ring_request.node = addr.node;
    ring_request.offset = {addr.offset[15:2], 2'b00};
    ring_request.data = request_data;
  end

  ctrl_port #(
      .Master('0),
      .Alone (Alone)
  ) u_port (
      .clk_i,
      .rst_i,
      .ctrl_i(ring_in),
      .ctrl_o,
      .request_valid_i(request_valid && to_ring),
      .request_ready_o(ring_ready),
      .request_i(ring_request),
      .answer_valid_o(answer_valid[1]),
      .answer_o(ring_answer)
  );
  assign answer_tag[1]  = TagWidth'(Alone ? '0 : ring_answer.tag);
  assign answer_data[1] = ring_answer.data;
  always_comb begin
    answer_resp[1] = ring_answer.error ? SlaveError : Okay;
    if (!ring_answer.response) answer_resp[1] = DecodeError;
  end

  if (Pad > 0) begin : gen_pad
    ctrl_t pad_q[Pad];
    assign ring_in = pad_q[Pad-1];
    always_ff @(posedge clk_i) begin
      pad_q[0] <= ctrl_i;
      for (int unsigned i = 1; i < Pad; i++) pad_q[i] <= pad_q[i-1];
      if (rst_i) for (int unsigned i = 0; i < Pad; i++) pad_q[i].valid <= 1'b0;
    end
  end else begin : gen_no_pad
    assign ring_in = ctrl_i;
  end

  card_registers #(
      .Digest(Digest),
      .Ports(Ports),
      .Tiles(Tiles),
      .Links(Links)
  ) u_card (
      .clk_i,
      .rst_i,
      .request_i(request_valid && to_card),
      .write_i(request_write),
      .offset_i({addr.offset[15:2], 2'b00}),
      .data_i(request_data),
      .done_o(card_done),
      .error_o(card_error),
      .data_o(card_data),
      .timeout_i(answer_valid[1] && ring_answer.response && ring_answer.error && ring_answer.data[0]),
      .link_stall_i,
      .now_o
  );
endmodule
