// SPDX-License-Identifier: Apache-2.0
// A virtio-net device (virtio 1.2) for the host: virtqueues in host memory, behind the AXI4 port m_axi_host_*, are walked here;
// doorbells and set-up are registers (host_window), interrupts are pulses on host_interrupt_o, one for each virtqueue.
//
//   in --> host_receive --> host_writes --> AW, W        queue 0: to the host
//   out <-- host_send <-- host_reads <-- R               queue 1: from the host
//
// The key of a message is its EtherType.
module virtio_net_engine
  import girih_pkg::*, net_pkg::*, virtio_net_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    output logic [   HostIdBits-1:0] m_axi_host_awid,
    output logic [ HostAddrBits-1:0] m_axi_host_awaddr,
    output logic [              7:0] m_axi_host_awlen,
    output logic [              2:0] m_axi_host_awsize,
    output logic [              1:0] m_axi_host_awburst,
    output logic                     m_axi_host_awlock,
    output logic [              3:0] m_axi_host_awcache,
    output logic [              2:0] m_axi_host_awprot,
    output logic                     m_axi_host_awvalid,
    input  logic                     m_axi_host_awready,
    output logic [            W-1:0] m_axi_host_wdata,
    output logic [    FlitBytes-1:0] m_axi_host_wstrb,
    output logic                     m_axi_host_wlast,
    output logic                     m_axi_host_wvalid,
    input  logic                     m_axi_host_wready,
    input  logic [   HostIdBits-1:0] m_axi_host_bid,
    input  logic [              1:0] m_axi_host_bresp,
    input  logic                     m_axi_host_bvalid,
    output logic                     m_axi_host_bready,
    output logic [   HostIdBits-1:0] m_axi_host_arid,
    output logic [ HostAddrBits-1:0] m_axi_host_araddr,
    output logic [              7:0] m_axi_host_arlen,
    output logic [              2:0] m_axi_host_arsize,
    output logic [              1:0] m_axi_host_arburst,
    output logic                     m_axi_host_arlock,
    output logic [              3:0] m_axi_host_arcache,
    output logic [              2:0] m_axi_host_arprot,
    output logic                     m_axi_host_arvalid,
    input  logic                     m_axi_host_arready,
    input  logic [   HostIdBits-1:0] m_axi_host_rid,
    input  logic [            W-1:0] m_axi_host_rdata,
    input  logic [              1:0] m_axi_host_rresp,
    input  logic                     m_axi_host_rlast,
    input  logic                     m_axi_host_rvalid,
    output logic                     m_axi_host_rready,
    output logic [   HostQueues-1:0] host_interrupt_o,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned Queues = 2, Receive = 0, Send = 1;
  // The clients of the bus, by their IDs.
  localparam int unsigned Reads = 3, ReceiveRing = 0, SendRing = 1;
  localparam int unsigned Writes = 3, ReceiveUsed = 0, SendUsed = 2;

  regions_t regions;
  logic [Queues-1:0] enable, kick, active, interrupt;
  place_t [Queues-1:0] place;
  stop_e [Queues-1:0] reason, stopped;
  logic [Queues-1:0][15:0] index;
  host_window #(
      .Queues(Queues)
  ) u_window (
      .clk_i,
      .rst_i,
      .window_valid_i,
      .window_write_i,
      .window_addr_i,
      .window_data_i,
      .window_tenant_i,
      .window_done_o,
      .window_error_o,
      .window_data_o,
      .regions_o(regions),
      .enable_o (enable),
      .place_o  (place),
      .kick_o   (kick),
      .active_i (active),
      .reason_i (reason),
      .index_i  (index)
  );
  assign host_interrupt_o = HostQueues'(interrupt);

  logic [Reads-1:0] read_valid, read_ready, read_refused, came;
  ask_t [Reads-1:0] read;
  logic came_last, came_error;
  logic [W-1:0] came_data;
  request_t ar, aw;
  write_t w;
  host_reads #(
      .Clients(Reads)
  ) u_reads (
      .clk_i,
      .rst_i,
      .regions_i(regions),
      .ask_valid_i(read_valid),
      .ask_ready_o(read_ready),
      .ask_i(read),
      .refused_o(read_refused),
      .came_o(came),
      .came_last_o(came_last),
      .came_error_o(came_error),
      .came_data_o(came_data),
      .ar_valid_o(m_axi_host_arvalid),
      .ar_ready_i(m_axi_host_arready),
      .ar_o(ar),
      .r_valid_i(m_axi_host_rvalid),
      .r_id_i(m_axi_host_rid),
      .r_data_i(m_axi_host_rdata),
      .r_resp_i(m_axi_host_rresp),
      .r_last_i(m_axi_host_rlast)
  );

  logic [Writes-1:0] write_valid, write_ready, write_refused, data_valid, data_ready, done;
  ask_t [Writes-1:0] write;
  write_t [Writes-1:0] data;
  logic done_error;
  host_writes #(
      .Clients(Writes)
  ) u_writes (
      .clk_i,
      .rst_i,
      .regions_i(regions),
      .ask_valid_i(write_valid),
      .ask_ready_o(write_ready),
      .ask_i(write),
      .refused_o(write_refused),
      .data_valid_i(data_valid),
      .data_ready_o(data_ready),
      .data_i(data),
      .done_o(done),
      .done_error_o(done_error),
      .aw_valid_o(m_axi_host_awvalid),
      .aw_ready_i(m_axi_host_awready),
      .aw_o(aw),
      .w_valid_o(m_axi_host_wvalid),
      .w_ready_i(m_axi_host_wready),
      .w_o(w),
      .b_valid_i(m_axi_host_bvalid),
      .b_id_i(m_axi_host_bid),
      .b_resp_i(m_axi_host_bresp)
  );

  host_receive #(
      .Chains(Chains),
      .Flits (Flits)
  ) u_receive (
      .clk_i,
      .rst_i,
      .enable_i(enable[Receive]),
      .place_i(place[Receive]),
      .kick_i(kick[Receive]),
      .active_o(active[Receive]),
      .reason_o(reason[Receive]),
      .stopped_o(stopped[Receive]),
      .index_o(index[Receive]),
      .interrupt_o(interrupt[Receive]),
      .read_valid_o(read_valid[ReceiveRing]),
      .read_ready_i(read_ready[ReceiveRing]),
      .read_o(read[ReceiveRing]),
      .read_refused_i(read_refused[ReceiveRing]),
      .came_i(came[ReceiveRing]),
      .came_error_i(came_error),
      .came_data_i(came_data),
      .write_valid_o(write_valid[ReceiveUsed+:2]),
      .write_ready_i(write_ready[ReceiveUsed+:2]),
      .write_o(write[ReceiveUsed+:2]),
      .write_refused_i(write_refused[ReceiveUsed+:2]),
      .data_valid_o(data_valid[ReceiveUsed+:2]),
      .data_ready_i(data_ready[ReceiveUsed+:2]),
      .data_o(data[ReceiveUsed+:2]),
      .done_i(done[ReceiveUsed+:2]),
      .done_error_i(done_error),
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .used_o(event_o.used_frames),
      .drop_room_o(event_o.drop_no_room),
      .drop_void_o(event_o.drop_aborted),
      .drop_small_o(event_o.drop_small_buffer),
      .drop_stopped_o(event_o.drop_stopped)
  );

  logic made;
  flit_t sent;
  host_send #(
      .Chains(Chains)
  ) u_send (
      .clk_i,
      .rst_i,
      .enable_i(enable[Send]),
      .place_i(place[Send]),
      .kick_i(kick[Send]),
      .active_o(active[Send]),
      .reason_o(reason[Send]),
      .stopped_o(stopped[Send]),
      .index_o(index[Send]),
      .interrupt_o(interrupt[Send]),
      .read_valid_o(read_valid[SendRing+:2]),
      .read_ready_i(read_ready[SendRing+:2]),
      .read_o(read[SendRing+:2]),
      .read_refused_i(read_refused[SendRing+:2]),
      .came_i(came[SendRing+:2]),
      .came_last_i(came_last),
      .came_error_i(came_error),
      .came_data_i(came_data),
      .write_valid_o(write_valid[SendUsed]),
      .write_ready_i(write_ready[SendUsed]),
      .write_o(write[SendUsed]),
      .write_refused_i(write_refused[SendUsed]),
      .data_valid_o(data_valid[SendUsed]),
      .data_ready_i(data_ready[SendUsed]),
      .data_o(data[SendUsed]),
      .done_i(done[SendUsed]),
      .done_error_i(done_error),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o(sent),
      .made_o(made),
      .drop_o(event_o.drop_bad_offload)
  );
  assign event_o.made_frames = made;
  function automatic logic stops(input stop_e [Queues-1:0] now, input stop_e why);
    stops = 1'b0;
    for (int unsigned q = 0; q < Queues; q++) if (now[q] == why) stops = 1'b1;
  endfunction
  assign event_o.mark_stop_index = stops(stopped, StopIndex);
  assign event_o.mark_stop_zero = stops(stopped, StopZero);
  assign event_o.mark_stop_chain = stops(stopped, StopChain);
  assign event_o.mark_stop_flags = stops(stopped, StopFlags);
  assign event_o.mark_stop_size = stops(stopped, StopSize);
  assign event_o.mark_stop_refused = stops(stopped, StopRefused);
  assign event_o.mark_stop_bus = stops(stopped, StopBus);
  assign event_o.mark_stop_setup = stops(stopped, StopSetup);

  // The tenant of a message holds while it waits.
  logic waits_q;
  tenant_t tenant_q, tenant;
  always_ff @(posedge clk_i) begin
    waits_q <= out_valid_o && !out_ready_i;
    if (!waits_q) tenant_q <= cfg_i.tenant;
    if (rst_i) waits_q <= 1'b0;
  end
  assign tenant = waits_q ? tenant_q : cfg_i.tenant;

  logic [15:0] ethertype;
  logic has_tag;
  localparam int unsigned TypeAt = 8 * (EthernetBytes - 2);
  assign ethertype = {sent.data[TypeAt+:8], sent.data[TypeAt+8+:8]};
  assign has_tag = ethertype == EtherTypeVlan;
  assign out_key_o = ethertype;
  always_comb begin
    out_flit_o = sent;
    out_flit_o.desc.tenant = tenant;
    out_flit_o.desc = with_network(out_flit_o.desc, has_tag ? offset_t'(EthernetBytes + VlanBytes) : offset_t'(EthernetBytes));
  end

  assign {m_axi_host_arid, m_axi_host_araddr, m_axi_host_arlen} = ar;
  assign {m_axi_host_awid, m_axi_host_awaddr, m_axi_host_awlen} = aw;
  assign {m_axi_host_wlast, m_axi_host_wstrb, m_axi_host_wdata} = w;
  // Bursts at rising addresses, normal memory.
  assign {m_axi_host_arsize, m_axi_host_arburst, m_axi_host_arlock, m_axi_host_arcache, m_axi_host_arprot} =
      {3'(EmptyWidth), 2'b01, 1'b0, 4'b0011, 3'b000};
  assign {m_axi_host_awsize, m_axi_host_awburst, m_axi_host_awlock, m_axi_host_awcache, m_axi_host_awprot} =
      {3'(EmptyWidth), 2'b01, 1'b0, 4'b0011, 3'b000};
  assign m_axi_host_rready = 1'b1;
  assign m_axi_host_bready = 1'b1;

  stream_check #(
      .T(request_t)
  ) u_ar_check (
      .clk_i,
      .rst_i,
      .valid_i(m_axi_host_arvalid),
      .ready_i(m_axi_host_arready),
      .data_i (ar)
  );
  stream_check #(
      .T(request_t)
  ) u_aw_check (
      .clk_i,
      .rst_i,
      .valid_i(m_axi_host_awvalid),
      .ready_i(m_axi_host_awready),
      .data_i (aw)
  );
  stream_check #(
      .T(write_t)
  ) u_w_check (
      .clk_i,
      .rst_i,
      .valid_i(m_axi_host_wvalid),
      .ready_i(m_axi_host_wready),
      .data_i (w)
  );
endmodule
