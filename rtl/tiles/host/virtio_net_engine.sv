// SPDX-License-Identifier: Apache-2.0
// A virtio-net device (virtio 1.2) for the host. It walks virtqueues in host memory through the AXI4 port m_axi_host_*; doorbells and set-up are
// registers (host_window), and interrupts are pulses on host_interrupt_o, one bit for each virtqueue.
//
//   in --> host_filter, host_verify --> host_pairs --> host_writes --> AW, W        queue 0 of each pair: to the host
//   out <------------------------------ host_pairs <-- host_reads <--- R            queue 1 of each pair: from the host
//                          host_control <--> both                                   the queue behind those of all pairs: commands
//
// The key of a message is its EtherType.
module virtio_net_engine
  import girih_pkg::*, net_pkg::*, virtio_net_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Pairs = 1,
    parameter bit Steering = 1'b0,  // received messages are spread by their flow
    parameter int unsigned Chains = 32,
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits),
    parameter int unsigned Addresses = 16,  // of the filter's table
    parameter bit Segmentation = 1'b1  // frames of the host can be cut into segments
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
  if (Steering && ChainHops == 0) begin : gen_bad_steering
    $fatal(1, "virtio_net_engine: Steering is 1, but the card's messages have no flow; a match-action port gives them one");
  end
  localparam int unsigned Control = 2 * Pairs, Queues = 2 * Pairs + 1;
  // The clients of the bus, by their IDs; the control queue's is the last.
  localparam int unsigned OfPairs = 3 * Pairs, Clients = OfPairs + 1;

  regions_t regions;
  logic [Queues-1:0] enable, kick, active, interrupt;
  place_t [Queues-1:0] place;
  stop_e [Queues-1:0] reason, stopped;
  logic [Queues-1:0][15:0] index;
  logic [Queues-1:0] frame;  // one has passed
  logic [Queues-1:0][2:0] drops;
  steer_t steer, rss_table;
  rss_t rss;
  logic rss_set;
  offers_t offers;
  modes_t modes;
  station_t card_mac, mac;
  logic [Addresses-1:0] known;
  station_t [Addresses-1:0] addresses;
  logic vlan_write, vlan_pass, pairs_set, carried_out, refused;
  vlan_id_t vlan;
  coalesce_t set_receive, set_send, asked_receive, asked_send, coalesce_receive, coalesce_send;  // by the host's registers, by its driver, in force
  pairs_t pairs;
  host_window #(
      .Queues(Queues),
      .Pairs (Pairs),
      .Steering(Steering),
      .Segmentation(Segmentation)
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
      .steer_o  (steer),
      .pairs_set_i(pairs_set),
      .pairs_i(pairs),
      .rss_set_i(rss_set),
      .rss_table_i(rss_table),
      .rss_on_i(rss.on),
      .offers_o(offers),
      .coalesce_receive_o(set_receive),
      .coalesce_send_o(set_send),
      .coalesce_receive_i(coalesce_receive),
      .coalesce_send_i(coalesce_send),
      .mac_o(card_mac),
      .modes_i(modes),
      .mac_i(mac),
      .known_i(7'($countones(known)))
  );
  assign host_interrupt_o = HostQueues'(interrupt);

  // A driver that can say when it wants interrupts decides alone.
  assign coalesce_receive = offers.coalesce ? asked_receive : set_receive;
  assign coalesce_send = offers.coalesce ? asked_send : set_send;
  logic microsecond_q;
  logic [15:0] cycles_q;
  always_ff @(posedge clk_i) begin
    microsecond_q <= cycles_q >= cfg_i.microsecond_cycles;
    cycles_q <= cycles_q >= cfg_i.microsecond_cycles ? 16'd1 : cycles_q + 1'b1;
    if (rst_i) begin
      microsecond_q <= 1'b0;
      cycles_q <= 16'd1;
    end
  end

  logic [Clients-1:0] read_valid, read_ready, read_refused, came;
  ask_t [Clients-1:0] read;
  logic came_last, came_error;
  logic [W-1:0] came_data;
  request_t ar, aw;
  write_t w;
  host_reads #(
      .Clients(Clients)
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

  logic [Clients-1:0] write_valid, write_ready, write_refused, data_valid, data_ready, done;
  ask_t [Clients-1:0] write;
  write_t [Clients-1:0] data;
  logic done_error;
  host_writes #(
      .Clients(Clients)
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

  logic filtered_valid, filtered_ready, drop_address, drop_vlan;
  flit_t filtered, sent;
  host_filter #(
      .Addresses(Addresses)
  ) u_filter (
      .clk_i,
      .rst_i,
      .modes_i(modes),
      .mac_i(mac),
      .known_i(known),
      .addresses_i(addresses),
      .vlan_write_i(vlan_write),
      .vlan_i(vlan),
      .vlan_pass_i(vlan_pass),
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(filtered_valid),
      .out_ready_i(filtered_ready),
      .out_flit_o(filtered),
      .drop_address_o(drop_address),
      .drop_vlan_o(drop_vlan)
  );

  logic verified_valid, verified_ready, verified_right;
  flit_t verified;
  host_verify u_verify (
      .clk_i,
      .rst_i,
      .in_valid_i(filtered_valid),
      .in_ready_o(filtered_ready),
      .in_flit_i(filtered),
      .out_valid_o(verified_valid),
      .out_ready_i(verified_ready),
      .out_flit_o(verified),
      .out_right_o(verified_right)
  );

  logic [Pairs-1:0] drop_room, drop_late, drop_void, drop_small, drop_stopped, drop_offload, cut;
  host_pairs #(
      .Pairs(Pairs),
      .Steering(Steering),
      .Chains(Chains),
      .Flits(Flits),
      .Segmentation(Segmentation)
  ) u_pairs (
      .clk_i,
      .rst_i,
      .enable_i(enable[Control-1:0]),
      .place_i(place[Control-1:0]),
      .kick_i(kick[Control-1:0]),
      .coalesce_receive_i(coalesce_receive),
      .coalesce_send_i(coalesce_send),
      .microsecond_i(microsecond_q),
      .active_o(active[Control-1:0]),
      .reason_o(reason[Control-1:0]),
      .stopped_o(stopped[Control-1:0]),
      .index_o(index[Control-1:0]),
      .interrupt_o(interrupt[Control-1:0]),
      .steer_i(steer),
      .rss_i(rss),
      .read_valid_o(read_valid[OfPairs-1:0]),
      .read_ready_i(read_ready[OfPairs-1:0]),
      .read_o(read[OfPairs-1:0]),
      .read_refused_i(read_refused[OfPairs-1:0]),
      .came_i(came[OfPairs-1:0]),
      .came_last_i(came_last),
      .came_error_i(came_error),
      .came_data_i(came_data),
      .write_valid_o(write_valid[OfPairs-1:0]),
      .write_ready_i(write_ready[OfPairs-1:0]),
      .write_o(write[OfPairs-1:0]),
      .write_refused_i(write_refused[OfPairs-1:0]),
      .data_valid_o(data_valid[OfPairs-1:0]),
      .data_ready_i(data_ready[OfPairs-1:0]),
      .data_o(data[OfPairs-1:0]),
      .done_i(done[OfPairs-1:0]),
      .done_error_i(done_error),
      .in_valid_i(verified_valid),
      .in_ready_o(verified_ready),
      .in_flit_i(verified),
      .in_right_i(verified_right),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o(sent),
      .frame_o(frame[Control-1:0]),
      .drops_o(drops[Control-1:0]),
      .drop_room_o(drop_room),
      .drop_late_o(drop_late),
      .drop_void_o(drop_void),
      .drop_small_o(drop_small),
      .drop_stopped_o(drop_stopped),
      .drop_offload_o(drop_offload),
      .cut_o(cut)
  );

  host_control #(
      .Addresses(Addresses),
      .Pairs(Pairs)
  ) u_control (
      .clk_i,
      .rst_i,
      .enable_i(enable[Control]),
      .place_i(place[Control]),
      .kick_i(kick[Control]),
      .active_o(active[Control]),
      .reason_o(reason[Control]),
      .stopped_o(stopped[Control]),
      .index_o(index[Control]),
      .interrupt_o(interrupt[Control]),
      .read_valid_o(read_valid[OfPairs]),
      .read_ready_i(read_ready[OfPairs]),
      .read_o(read[OfPairs]),
      .read_refused_i(read_refused[OfPairs]),
      .came_i(came[OfPairs]),
      .came_last_i(came_last),
      .came_error_i(came_error),
      .came_data_i(came_data),
      .write_valid_o(write_valid[OfPairs]),
      .write_ready_i(write_ready[OfPairs]),
      .write_o(write[OfPairs]),
      .write_refused_i(write_refused[OfPairs]),
      .data_valid_o(data_valid[OfPairs]),
      .data_ready_i(data_ready[OfPairs]),
      .data_o(data[OfPairs]),
      .done_i(done[OfPairs]),
      .done_error_i(done_error),
      .offers_i(offers),
      .mac_i(card_mac),
      .modes_o(modes),
      .mac_o(mac),
      .known_o(known),
      .addresses_o(addresses),
      .vlan_write_o(vlan_write),
      .vlan_o(vlan),
      .vlan_pass_o(vlan_pass),
      .pairs_set_o(pairs_set),
      .pairs_o(pairs),
      .rss_set_o(rss_set),
      .rss_table_o(rss_table),
      .rss_o(rss),
      .coalesce_receive_o(asked_receive),
      .coalesce_send_o(asked_send),
      .carried_out_o(carried_out),
      .refused_o(refused)
  );
  assign frame[Control] = carried_out;
  assign drops[Control] = 3'(refused);

  host_events #(
      .Pairs(Pairs)
  ) u_events (
      .clk_i,
      .rst_i,
      .frame_i(frame[Control-1:0]),
      .stopped_i(stopped),
      .room_i(drop_room),
      .late_i(drop_late),
      .void_i(drop_void),
      .small_i(drop_small),
      .stopped_drop_i(drop_stopped),
      .offload_i(drop_offload),
      .cut_i(cut),
      .address_i(drop_address),
      .vlan_i(drop_vlan),
      .command_i(carried_out),
      .refused_i(refused),
      .event_o
  );

  // The tenant of a message does not change while it waits.
  logic waits_q;
  tenant_t tenant_q, tenant;
  always_ff @(posedge clk_i) begin
    waits_q <= out_valid_o && !out_ready_i;
    if (!waits_q) tenant_q <= tenant_t'(cfg_i.tenant);
    if (rst_i) waits_q <= 1'b0;
  end
  assign tenant = waits_q ? tenant_q : tenant_t'(cfg_i.tenant);

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
