// SPDX-License-Identifier: Apache-2.0
// External memory behind an AXI4 port: each request is answered by one reply, which goes to the node that sent the request and
// has its tag. The replies to all requests leave in the order of the requests.
//
//   in --> memory_request: whole, well formed, granted? --> memory_issue --> AR, AW, W
//   reply_out <-- memory_replies: slots, in order <-- R, B
//
// With Lists, list_split is before these, and list_join after them.
//
// A read of a flit and a reply in every cycle, with up to Slots reads in flight. A request is on the bus three
// cycles after its arrival; a reply leaves three cycles after its last beat.
module memory_engine
  import girih_pkg::*, memory_pkg::*, memory_access_pkg::*, memory_types_pkg::*, axi_pkg::*;
#(
    parameter int unsigned Slots = 256,
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits),
    parameter bit Lists = 0  // gather and scatter
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  reply_out_valid_o,
    input  logic  reply_out_ready_i,
    output flit_t reply_out_flit_o,

    output logic [    IdBits-1:0] m_axi_awid,
    output logic [  AddrBits-1:0] m_axi_awaddr,
    output logic [           7:0] m_axi_awlen,
    output logic [           2:0] m_axi_awsize,
    output logic [           1:0] m_axi_awburst,
    output logic                  m_axi_awlock,
    output logic [           3:0] m_axi_awcache,
    output logic [           2:0] m_axi_awprot,
    output logic                  m_axi_awvalid,
    input  logic                  m_axi_awready,
    output logic [         W-1:0] m_axi_wdata,
    output logic [ FlitBytes-1:0] m_axi_wstrb,
    output logic                  m_axi_wlast,
    output logic                  m_axi_wvalid,
    input  logic                  m_axi_wready,
    input  logic [    IdBits-1:0] m_axi_bid,
    input  logic [           1:0] m_axi_bresp,
    input  logic                  m_axi_bvalid,
    output logic                  m_axi_bready,
    output logic [    IdBits-1:0] m_axi_arid,
    output logic [  AddrBits-1:0] m_axi_araddr,
    output logic [           7:0] m_axi_arlen,
    output logic [           2:0] m_axi_arsize,
    output logic [           1:0] m_axi_arburst,
    output logic                  m_axi_arlock,
    output logic [           3:0] m_axi_arcache,
    output logic [           2:0] m_axi_arprot,
    output logic                  m_axi_arvalid,
    input  logic                  m_axi_arready,
    input  logic [    IdBits-1:0] m_axi_rid,
    input  logic [         W-1:0] m_axi_rdata,
    input  logic [           1:0] m_axi_rresp,
    input  logic                  m_axi_rlast,
    input  logic                  m_axi_rvalid,
    output logic                  m_axi_rready,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  if (Slots < 4 || Slots > 2 ** IdBits || (Slots & (Slots - 1)) != 0) begin : gen_bad_slots
    $fatal(1, "memory_engine: Slots is %0d; it must be a power of two from 4 to %0d", Slots, 2 ** IdBits);
  end

  localparam int unsigned Grants = $size(cfg_i.grant_first);
  grant_t [Grants-1:0] grants;
  for (genvar g = 0; g < Grants; g++) begin : gen_grant
    assign grants[g] = '{
            first: cfg_i.grant_first[g],
            last: cfg_i.grant_last[g],
            node: cfg_i.grant_node[g],
            tenant: tenant_t'(cfg_i.grant_tenant[g]),
            rights: cfg_i.grant_rights[g]
        };
  end

  // Requests, those with a list split into accesses; and their replies.
  logic access_valid, access_ready, void_list, void_access;
  flit_t access;
  logic answer_valid, answer_ready, answer_last, answer_brings;
  reply_t answer;
  status_e answer_status;
  logic [W-1:0] answer_data;
  logic reply_brings;
  reply_t reply;
  status_e reply_status;
  logic [W-1:0] reply_data;
  if (Lists) begin : gen_lists
    logic part_valid, part_done, part_room, part_there;
    part_t part, answered;
    list_split #(
        .Flits(Flits),
        .Slots(Slots)
    ) u_split (
        .clk_i,
        .rst_i,
        .in_valid_i,
        .in_ready_o,
        .in_flit_i,
        .void_o(void_list),
        .out_valid_o(access_valid),
        .out_ready_i(access_ready),
        .out_flit_o(access),
        .part_valid_o(part_valid),
        .part_o(part)
    );

    // Each access has a slot, or waits in memory_request, where there is room for fewer than 16.
    fifo #(
        .T(part_t),
        .Depth(1 << $clog2(Slots + 16))
    ) u_parts (
        .clk_i,
        .rst_i,
        .in_valid_i(part_valid),
        .in_ready_o(part_room),
        .in_data_i(part),
        .out_valid_o(part_there),
        .out_ready_i(part_done),
        .out_data_o(answered)
    );
    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (part_room || !part_valid)
        else $error("memory_engine: more than %0d accesses are under way", Slots + 16);
        assert (part_there || !answer_valid)
        else $error("memory_engine: a reply to no access");
      end
    end

    list_join #(
        .Flits(Flits)
    ) u_join (
        .clk_i,
        .rst_i,
        .part_i(answered),
        .part_ready_o(part_done),
        .in_valid_i(answer_valid),
        .in_ready_o(answer_ready),
        .in_reply_i(answer),
        .in_status_i(answer_status),
        .in_last_i(answer_last),
        .in_brings_i(answer_brings),
        .in_data_i(answer_data),
        .out_valid_o(reply_out_valid_o),
        .out_ready_i(reply_out_ready_i),
        .out_reply_o(reply),
        .out_status_o(reply_status),
        .out_last_o(reply_out_flit_o.last),
        .out_brings_o(reply_brings),
        .out_data_o(reply_data)
    );
  end else begin : gen_no_lists
    assign access_valid = in_valid_i;
    assign in_ready_o = access_ready;
    assign access = in_flit_i;
    assign void_list = 1'b0;
    assign reply_out_valid_o = answer_valid;
    assign answer_ready = reply_out_ready_i;
    assign reply = answer;
    assign reply_status = answer_status;
    assign reply_out_flit_o.last = answer_last;
    assign reply_brings = answer_brings;
    assign reply_data = answer_data;
  end

  logic asks_valid, asks_ready, ask_first, ask_last;
  ask_t ask;
  slots_t ask_beats;
  logic [EmptyWidth-1:0] ask_end;
  status_e ask_status;
  logic [W-1:0] ask_operand, ask_data;
  memory_request #(
      .Flits (Flits),
      .Slots (Slots),
      .Grants(Grants)
  ) u_request (
      .clk_i,
      .rst_i,
      .grants_i(grants),
      .in_valid_i(access_valid),
      .in_ready_o(access_ready),
      .in_flit_i(access),
      .void_o(void_access),
      .out_valid_o(asks_valid),
      .out_ready_i(asks_ready),
      .out_ask_o(ask),
      .out_beats_o(ask_beats),
      .out_end_o(ask_end),
      .out_status_o(ask_status),
      .out_first_o(ask_first),
      .out_last_o(ask_last),
      .out_operand_o(ask_operand),
      .out_data_o(ask_data)
  );

  logic owed_valid, idle, busy_requester, read_valid, write_done, atomic, atomic_done;
  owed_t owed;
  slots_t free;
  id_t next_id, atomic_id;
  logic [W-1:0] read_data;
  logic read_failed;
  request_t ar, aw;
  write_t w;
  memory_issue u_issue (
      .clk_i,
      .rst_i,
      .in_valid_i(asks_valid),
      .in_ready_o(asks_ready),
      .in_ask_i(ask),
      .in_beats_i(ask_beats),
      .in_end_i(ask_end),
      .in_status_i(ask_status),
      .in_first_i(ask_first),
      .in_last_i(ask_last),
      .in_operand_i(ask_operand),
      .in_data_i(ask_data),
      .owed_valid_o(owed_valid),
      .owed_o(owed),
      .free_i(free),
      .next_id_i(next_id),
      .idle_i(idle),
      .busy_requester_i(busy_requester),
      .read_valid_i(read_valid),
      .read_data_i(read_data),
      .read_failed_i(read_failed),
      .write_done_i(write_done),
      .atomic_o(atomic),
      .atomic_done_o(atomic_done),
      .atomic_id_o(atomic_id),
      .ar_valid_o(m_axi_arvalid),
      .ar_ready_i(m_axi_arready),
      .ar_o(ar),
      .aw_valid_o(m_axi_awvalid),
      .aw_ready_i(m_axi_awready),
      .aw_o(aw),
      .w_valid_o(m_axi_wvalid),
      .w_ready_i(m_axi_wready),
      .w_o(w)
  );

  memory_replies #(
      .Slots(Slots)
  ) u_replies (
      .clk_i,
      .rst_i,
      .owed_valid_i(owed_valid),
      .owed_i(owed),
      .free_o(free),
      .next_id_o(next_id),
      .idle_o(idle),
      .requester_i(ask.reply.src),
      .busy_requester_o(busy_requester),
      .r_valid_i(m_axi_rvalid),
      .r_i('{id: m_axi_rid, last: m_axi_rlast, resp: m_axi_rresp, data: m_axi_rdata}),
      .b_valid_i(m_axi_bvalid),
      .b_i('{id: m_axi_bid, resp: m_axi_bresp}),
      .read_valid_o(read_valid),
      .read_data_o(read_data),
      .read_failed_o(read_failed),
      .write_done_o(write_done),
      .atomic_i(atomic),
      .atomic_done_i(atomic_done),
      .atomic_id_i(atomic_id),
      .out_valid_o(answer_valid),
      .out_ready_i(answer_ready),
      .out_reply_o(answer),
      .out_status_o(answer_status),
      .out_last_o(answer_last),
      .out_brings_o(answer_brings),
      .out_data_o(answer_data)
  );

  // A reply goes by a source route, back to the requester.
  always_comb begin
    reply_out_flit_o.desc = '0;
    reply_out_flit_o.desc.route_count = $bits(reply_out_flit_o.desc.route_count)'(1);
    reply_out_flit_o.desc.route[0] = address_t'(reply.src);
    reply_out_flit_o.desc.tenant = reply.tenant;
    reply_out_flit_o.desc.lossless = reply.lossless;
    reply_out_flit_o.desc.memory_op = reply.op;
    reply_out_flit_o.desc.memory_status = reply_status;
    reply_out_flit_o.desc.memory_tag = reply.tag;
  end
  assign reply_out_flit_o.first = 1'b0;  // the tile's sender sets it
  assign reply_out_flit_o.bad = 1'b0;
  assign reply_out_flit_o.empty = '0;
  assign reply_out_flit_o.data = reply_brings ? reply_data : '0;

  assign {m_axi_arid, m_axi_araddr, m_axi_arlen} = ar;
  assign {m_axi_awid, m_axi_awaddr, m_axi_awlen} = aw;
  assign {m_axi_wlast, m_axi_wstrb, m_axi_wdata} = w;
  assign {m_axi_arsize, m_axi_arburst, m_axi_arlock, m_axi_arcache, m_axi_arprot} = {Size, Burst, 1'b0, Cache, 3'b0};
  assign {m_axi_awsize, m_axi_awburst, m_axi_awlock, m_axi_awcache, m_axi_awprot} = {Size, Burst, 1'b0, Cache, 3'b0};
  assign m_axi_rready = 1'b1;
  assign m_axi_bready = 1'b1;

  axi_check u_check (
      .clk_i,
      .rst_i,
      .ar_valid_i(m_axi_arvalid),
      .ar_ready_i(m_axi_arready),
      .ar_i(ar),
      .aw_valid_i(m_axi_awvalid),
      .aw_ready_i(m_axi_awready),
      .aw_i(aw),
      .w_valid_i(m_axi_wvalid),
      .w_ready_i(m_axi_wready),
      .w_i(w),
      .r_valid_i(m_axi_rvalid),
      .r_ready_i(m_axi_rready),
      .r_id_i(m_axi_rid),
      .r_last_i(m_axi_rlast),
      .b_valid_i(m_axi_bvalid),
      .b_ready_i(m_axi_bready),
      .b_id_i(m_axi_bid)
  );

  logic replied;
  assign replied = reply_out_valid_o && reply_out_ready_i && reply_out_flit_o.last;
  always_comb begin
    event_o = '0;
    event_o.drop_aborted = void_list || void_access;
    event_o.mark_refused = replied && reply_status == StatusRefused;
    event_o.mark_malformed = replied && reply_status == StatusMalformed;
    event_o.mark_slave_errors = replied && reply_status == StatusSlave;
    event_o.mark_decode_errors = replied && reply_status == StatusDecode;
  end
endmodule
