// SPDX-License-Identifier: Apache-2.0
// Ethernet receive: frames from a MAC become messages.
//
//   s_axis -> axis_to_flit -> header_window -> filter -> buffer -> out
//
// Takes frames to this card's address and broadcasts, with at most one 802.1Q tag, unless their source is
// invalid (a group, 0 or the card itself) or their VLAN is reserved. The descriptor gets
// port, tenant, time of arrival and l3_offset; the key is the inner EtherType. s_axis_tready is
// always 1: a frame is taken only if the buffer has room for one of the largest size, else it is
// dropped whole. Cut-through, two cycles from beat to flit, a beat per cycle; a frame that turns out
// bad is passed on marked bad.
module eth_rx_engine
  import girih_pkg::*, net_pkg::*, eth_rx_pkg::*;
#(
    parameter int unsigned Port = 0,
    parameter int unsigned BufferFlits = 1 << $clog2(2 * MaxFrameFlits)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic                 s_axis_tlast,
    input  logic                 s_axis_tuser,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  timestamp_t now_i,
    input  cfg_t       cfg_i,
    output event_t     event_o
);
  if (BufferFlits < MaxFrameFlits) begin : gen_bad_buffer
    $fatal(1, "eth_rx_engine: BufferFlits is %0d; a frame of the largest size takes %0d", BufferFlits, MaxFrameFlits);
  end
  if (Port > 15) begin : gen_bad_port
    $fatal(1, "eth_rx_engine: Port is %0d; it must be at most 15", Port);
  end

  localparam int unsigned HeaderBytes = EthernetBytes + VlanBytes;
  localparam int unsigned UsedWidth = $clog2(BufferFlits + 2);

  // An entry of the buffer: of the descriptor, only the fields that differ between messages.
  typedef struct packed {
    tenant_t tenant;
    logic has_tag;
    next_key_t key;
    timestamp_t timestamp;
    logic bad;
    logic last;
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } entry_t;

  logic beat_valid;
  flit_t beat;
  logic oversize, bad;
  axis_to_flit u_axis_to_flit (
      .clk_i,
      .rst_i,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tvalid,
      .s_axis_tlast,
      .s_axis_tuser,
      .now_i,
      .out_valid_o(beat_valid),
      .out_flit_o(beat),
      .oversize_o(oversize),
      .bad_o(bad)
  );

  // The filter below always takes the window's output, so the window always takes a beat.
  logic valid;
  flit_t flit;
  offset_t available, need;
  struct packed {
    ethernet_t ethernet;
    logic [15:0] tag;
    logic [15:0] inner_ethertype;
  } header;
  header_window #(
      .HeaderBytes(HeaderBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i(beat_valid),
      .in_ready_o(s_axis_tready),
      .in_flit_i(beat),
      .out_valid_o(valid),
      .out_ready_i(1'b1),
      .out_flit_o(flit),
      .header_o(header),
      .available_o(available),
      .need_i(need)
  );

  logic has_tag, runt, ours, bad_source, bad_vlan, fits, decide, take, taking_q;
  logic [UsedWidth-1:0] used_q;
  assign has_tag = header.ethernet.ethertype == EtherTypeVlan;
  assign need = has_tag ? offset_t'(HeaderBytes) : offset_t'(EthernetBytes);
  assign runt = available < need;
  assign ours = cfg_i.promiscuous || header.ethernet.dst == cfg_i.mac || header.ethernet.dst == MacBroadcast;
  assign bad_source = header.ethernet.src[40] || header.ethernet.src == '0 || header.ethernet.src == cfg_i.mac;
  assign bad_vlan = has_tag && header.tag[11:0] == '1;
  assign fits = used_q <= UsedWidth'(BufferFlits - MaxFrameFlits);
  assign decide = valid && flit.first;
  assign take = flit.first ? !runt && ours && !bad_source && !bad_vlan && fits : taking_q;

  logic push, pop, buffer_ready;
  entry_t in_entry, out_entry;
  assign push = valid && take;
  assign pop = out_valid_o && out_ready_i;
  assign in_entry = '{
          tenant: tenant_t'(cfg_i.tenant),
          has_tag: has_tag,
          key: has_tag ? header.inner_ethertype : header.ethernet.ethertype,
          timestamp: flit.desc.timestamp,
          bad: flit.bad,
          last: flit.last,
          empty: flit.empty,
          data: flit.data
      };
  fifo_block #(
      .T(entry_t),
      .Depth(BufferFlits)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .in_offer_i(push),
      .in_valid_i(push),
      .in_ready_o(buffer_ready),
      .in_data_i(in_entry),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_entry)
  );

  always_comb begin
    out_flit_o.desc = '0;
    out_flit_o.desc.port = port_t'(Port);
    out_flit_o.desc.tenant = out_entry.tenant;
    out_flit_o.desc = with_network(out_flit_o.desc, out_entry.has_tag ? offset_t'(HeaderBytes) : offset_t'(EthernetBytes));
    out_flit_o.desc.timestamp_valid = 1'b1;
    out_flit_o.desc.timestamp = out_entry.timestamp;
    out_flit_o.first = 1'b0;  // the tile's sender sets it
    out_flit_o.bad = out_entry.bad;
    out_flit_o.last = out_entry.last;
    out_flit_o.empty = out_entry.empty;
    out_flit_o.data = out_entry.data;
  end
  assign out_key_o = out_entry.key;

  always_comb begin
    event_o = '0;
    event_o.in_frames = decide;
    event_o.drop_runt = decide && runt;
    event_o.drop_not_ours = decide && !runt && !ours;
    event_o.drop_bad_source = decide && !runt && ours && bad_source;
    event_o.drop_bad_vlan = decide && !runt && ours && !bad_source && bad_vlan;
    event_o.drop_overflow = decide && !runt && ours && !bad_source && !bad_vlan && !fits;
    event_o.mark_oversize = oversize;
    event_o.mark_bad_frame = bad;
    event_o.mark_vlan = decide && !runt && has_tag;
  end

  always_ff @(posedge clk_i) begin
    if (valid) taking_q <= take;
    used_q <= used_q + UsedWidth'(push) - UsedWidth'(pop);
    if (rst_i) used_q <= '0;
  end

  logic unused;
  assign unused = &{1'b0, header.tag[15:12], flit.desc};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (s_axis_tready)
      else $error("eth_rx_engine: a beat from the MAC was refused");
      assert (!push || buffer_ready)
      else $error("eth_rx_engine: the buffer overflowed");
    end
  end
endmodule
