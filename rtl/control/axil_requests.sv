// SPDX-License-Identifier: Apache-2.0
// The AXI4-Lite side of the card: turns accesses into requests, reads and writes in turn, and returns the answers
// in the order of the requests. At most InFlight requests are in flight. The tag of a request is its slot in that order.
//
// Answers come from two sources, in any order, one for each tag. request_o holds until request_ready_i.
module axil_requests
  import girih_pkg::tenant_t;
#(
    parameter int unsigned InFlight = 1,
    localparam int unsigned TagWidth = InFlight > 1 ? $clog2(InFlight) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_awaddr,
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
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,

    output logic request_valid_o,
    input logic request_ready_i,
    output logic request_write_o,
    output logic request_card_o,  // it is for the registers of the card, node 0xFF
    output logic request_ring_o,  // it is for the ring; a request for neither ends with an error
    output logic request_beyond_o,  // address bits above the tenant are set
    output logic [31:0] request_addr_o,
    output logic [31:0] request_data_o,
    output logic [TagWidth-1:0] request_tag_o,

    input logic [1:0] answer_valid_i,
    input logic [TagWidth-1:0] answer_tag_i[2],
    input logic [1:0] answer_resp_i[2],
    input logic [31:0] answer_data_i[2]
);
  if (InFlight < 1 || (InFlight & (InFlight - 1)) != 0) begin : gen_bad_in_flight
    $fatal(1, "axil_requests: InFlight is %0d; it must be a power of two", InFlight);
  end

  typedef logic [TagWidth-1:0] tag_t;
  localparam tag_t LastTag = tag_t'(InFlight - 1);

  // Requests of the AXI4-Lite master.
  typedef struct packed {
    logic card;
    logic ring;
    logic beyond;
    logic [31:0] addr;
  } address_t;
  function automatic address_t decoded(input logic [31:0] addr);
    decoded.addr = addr;
    decoded.beyond = addr[31:24+$bits(tenant_t)] != '0;
    decoded.card = addr[31:24] == '0 && addr[23:16] == '1;  // for the operator only
    decoded.ring = !decoded.beyond && addr[23:16] != '1;
  endfunction
  logic aw_valid_q, w_valid_q, ar_valid_q;
  address_t aw_q, ar_q;
  logic [31:0] w_data_q;
  logic [3:0] w_strb_q;
  assign s_axil_awready = !aw_valid_q;
  assign s_axil_wready = !w_valid_q;
  assign s_axil_arready = !ar_valid_q;

  // The slots of requests, a ring buffer: the next request takes `next_q`, the next answer frees `oldest_q`.
  logic [InFlight-1:0] busy_q, done_q, write_q;
  logic [1:0] resp_q[InFlight];
  logic [31:0] data_q[InFlight];
  tag_t next_q, oldest_q;

  // The next request to offer.
  logic wrote_q;  // the last one was a write
  logic start, pick_write;
  assign start = ((aw_valid_q && w_valid_q) || ar_valid_q) && !busy_q[next_q] && (!request_valid_o || request_ready_i);
  logic partial;  // a write of less than 32 bits
  address_t next;
  assign next = pick_write ? aw_q : ar_q;
  assign partial = pick_write && w_strb_q != '1;
  assign pick_write = aw_valid_q && w_valid_q && !(ar_valid_q && wrote_q);

  logic given;  // the oldest answer is taken
  assign s_axil_bvalid = done_q[oldest_q] && write_q[oldest_q];
  assign s_axil_bresp = resp_q[oldest_q];
  assign s_axil_rvalid = done_q[oldest_q] && !write_q[oldest_q];
  assign s_axil_rresp = resp_q[oldest_q];
  assign s_axil_rdata = resp_q[oldest_q] == '0 ? data_q[oldest_q] : '0;
  assign given = (s_axil_bvalid && s_axil_bready) || (s_axil_rvalid && s_axil_rready);

  always_ff @(posedge clk_i) begin
    if (s_axil_awvalid && s_axil_awready) begin
      aw_valid_q <= 1'b1;
      aw_q <= decoded(s_axil_awaddr);
    end
    if (s_axil_wvalid && s_axil_wready) begin
      w_valid_q <= 1'b1;
      w_data_q <= s_axil_wdata;
      w_strb_q <= s_axil_wstrb;
    end
    if (s_axil_arvalid && s_axil_arready) begin
      ar_valid_q <= 1'b1;
      ar_q <= decoded(s_axil_araddr);
    end

    if (request_ready_i) request_valid_o <= 1'b0;
    if (start) begin
      request_valid_o <= 1'b1;
      request_write_o <= pick_write;
      request_addr_o <= next.addr;
      request_beyond_o <= next.beyond;
      request_card_o <= next.card && !partial;
      request_ring_o <= next.ring && !partial;
      request_data_o <= w_data_q;
      request_tag_o <= next_q;
      wrote_q <= pick_write;
      busy_q[next_q] <= 1'b1;
      write_q[next_q] <= pick_write;
      next_q <= next_q == LastTag ? '0 : next_q + 1'b1;
      if (pick_write) begin
        aw_valid_q <= 1'b0;
        w_valid_q  <= 1'b0;
      end else begin
        ar_valid_q <= 1'b0;
      end
    end

    for (int unsigned i = 0; i < InFlight; i++) begin
      for (int unsigned source = 0; source < 2; source++) begin
        if (answer_valid_i[source] && answer_tag_i[source] == tag_t'(i)) begin
          done_q[i] <= 1'b1;
          resp_q[i] <= answer_resp_i[source];
          data_q[i] <= answer_data_i[source];
        end
      end
    end
    if (given) begin
      busy_q[oldest_q] <= 1'b0;
      done_q[oldest_q] <= 1'b0;
      oldest_q <= oldest_q == LastTag ? '0 : oldest_q + 1'b1;
    end

    if (rst_i) begin
      aw_valid_q <= 1'b0;
      w_valid_q <= 1'b0;
      ar_valid_q <= 1'b0;
      request_valid_o <= 1'b0;
      wrote_q <= 1'b0;
      busy_q <= '0;
      done_q <= '0;
      next_q <= '0;
      oldest_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      for (int unsigned source = 0; source < 2; source++) begin
        assert (!answer_valid_i[source] || (busy_q[answer_tag_i[source]] && !done_q[answer_tag_i[source]]))
        else $error("axil_requests: an answer without a request in flight");
      end
      assert (!(&answer_valid_i) || answer_tag_i[0] != answer_tag_i[1])
      else $error("axil_requests: two answers to one request");
      out_of_order : cover (InFlight > 1 && |(done_q & ~(InFlight'(1) << oldest_q)) && !done_q[oldest_q]);
    end
  end
endmodule
