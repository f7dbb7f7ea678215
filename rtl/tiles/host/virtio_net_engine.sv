// SPDX-License-Identifier: Apache-2.0
// A virtio-net device (virtio 1.2) for the host: virtqueues in host memory, behind the AXI4 port m_axi_host_*, are walked here;
// doorbells and set-up are registers (host_window), interrupts are pulses on host_interrupt_o, one for each virtqueue.
//
//   in --> host_steer --> host_receive --> host_writes --> AW, W        queue 0 of each pair: to the host
//   out <-- host_merge <-- host_send <---- host_reads <--- R            queue 1 of each pair: from the host
//
// With one pair there are neither host_steer nor host_merge.
// The key of a message is its EtherType.
module virtio_net_engine
  import girih_pkg::*, net_pkg::*, virtio_net_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Pairs = 1,
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
  if (Pairs < 1 || Pairs > HostPairs) begin : gen_bad_pairs
    $fatal(1, "virtio_net_engine: Pairs is %0d; it must be from 1 to %0d", Pairs, HostPairs);
  end
  localparam int unsigned Queues = 2 * Pairs;
  // The clients of the bus, by their IDs; of each pair three that read, and three that write.
  localparam int unsigned Reads = 3 * Pairs, Writes = 3 * Pairs;
  // Cycles in which lossless messages for a pair may hold up those for others.
  localparam int unsigned LinkPatience = 1024;

  regions_t regions;
  logic [Queues-1:0] enable, kick, active, interrupt;
  place_t [Queues-1:0] place;
  stop_e [Queues-1:0] reason, stopped;
  logic [Queues-1:0][15:0] index;
  logic [Queues-1:0] frame;  // one has passed
  logic [Queues-1:0][2:0] drops;
  logic [SteerEntries-1:0][$clog2(HostPairs)-1:0] steer;
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
      .index_i  (index),
      .frame_i  (frame),
      .drops_i  (drops),
      .steer_o  (steer)
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

  logic [Pairs-1:0] to_valid, to_ready, from_valid, from_ready, drop_room, drop_late, drop_void, drop_small, drop_stopped, drop_offload;
  flit_t to_flit, sent;
  flit_t [Pairs-1:0] from_flit;
  for (genvar p = 0; p < int'(Pairs); p++) begin : gen_pair
    localparam int unsigned Receive = 2 * p, Send = 2 * p + 1;
    localparam int unsigned ReceiveRing = 3 * p, SendRing = 3 * p + 1;
    localparam int unsigned ReceiveUsed = 3 * p, SendUsed = 3 * p + 2;
    host_receive #(
        .Chains(Chains),
        .Flits(Flits),
        .Patience(Pairs > 1 ? LinkPatience : 0)
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
        .in_valid_i(to_valid[p]),
        .in_ready_o(to_ready[p]),
        .in_flit_i(to_flit),
        .used_o(frame[Receive]),
        .drop_room_o(drop_room[p]),
        .drop_late_o(drop_late[p]),
        .drop_void_o(drop_void[p]),
        .drop_small_o(drop_small[p]),
        .drop_stopped_o(drop_stopped[p])
    );
    assign drops[Receive] = 3'(drop_room[p]) + 3'(drop_late[p]) + 3'(drop_void[p]) + 3'(drop_small[p]) + 3'(drop_stopped[p]);

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
        .out_valid_o(from_valid[p]),
        .out_ready_i(from_ready[p]),
        .out_flit_o(from_flit[p]),
        .made_o(frame[Send]),
        .drop_o(drop_offload[p])
    );
    assign drops[Send] = 3'(drop_offload[p]);
  end

  if (Pairs == 1) begin : gen_alone
    assign to_valid[0] = in_valid_i;
    assign in_ready_o = to_ready[0];
    assign to_flit = in_flit_i;
    assign out_valid_o = from_valid[0];
    assign from_ready[0] = out_ready_i;
    assign sent = from_flit[0];
    logic unused;
    assign unused = &{1'b0, steer};
  end else begin : gen_several
    host_steer #(
        .Pairs(Pairs)
    ) u_steer (
        .clk_i,
        .rst_i,
        .table_i(steer),
        .in_valid_i,
        .in_ready_o,
        .in_flit_i,
        .out_valid_o(to_valid),
        .out_ready_i(to_ready),
        .out_flit_o(to_flit)
    );
    host_merge #(
        .Pairs(Pairs)
    ) u_merge (
        .clk_i,
        .rst_i,
        .in_valid_i(from_valid),
        .in_ready_o(from_ready),
        .in_flit_i(from_flit),
        .out_valid_o,
        .out_ready_i,
        .out_flit_o(sent)
    );
  end

  host_events #(
      .Pairs(Pairs)
  ) u_events (
      .clk_i,
      .rst_i,
      .frame_i(frame),
      .stopped_i(stopped),
      .room_i(drop_room),
      .late_i(drop_late),
      .void_i(drop_void),
      .small_i(drop_small),
      .stopped_drop_i(drop_stopped),
      .offload_i(drop_offload),
      .event_o
  );

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
