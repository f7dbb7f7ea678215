// SPDX-License-Identifier: Apache-2.0
// Makes the frames of a DHCP client: messages of 300 bytes, and ARP probes (RFC 5227, 2.1.1). Each halfword of a frame is a function of the order and of
// its place. The frame is summed first, then written into a memory, and leaves when it is whole, a flit in two cycles. ipv4_tx completes the IPv4 header,
// eth_tx the source address.
module dhcp_sender
  import girih_pkg::*, net_pkg::*, dhcp_types_pkg::*;
#(
    parameter int unsigned Longest = 1024  // bytes of the longest frame that a server may send
) (
    input logic clk_i,
    input logic rst_i,

    input  logic   order_valid_i,
    output logic   order_ready_o,
    input  order_t order_i,
    input  mac_t   mac_i,
    input  port_t  port_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic  out_probe_o,
    output logic  out_soon_o    // in the next cycle out_valid_o, if no flit is taken now
);
  localparam int unsigned MessageBytes = BootpAt + 300;
  localparam int unsigned ProbeBytes = EthernetBytes + 28;
  localparam int unsigned Flits = (MessageBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned ProbeFlits = (ProbeBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned FlitBits = $clog2(Flits + 1);
  localparam int unsigned SummedFrom = (UdpAt - 8) / 2;  // the addresses, then UDP
  localparam int unsigned HalfwordBits = $clog2(FlitBytes / 2);
  typedef logic [7:0] place_t;  // of a halfword in the frame

  order_t order_q;
  logic [15:0] checksum_q;
  logic asks, says_server, wants;
  logic [7:0] kind;
  assign asks = order_q.requested != '0;
  assign says_server = order_q.server != '0;
  assign wants = order_q.kind != Decline;  // the server is asked for options
  always_comb begin
    unique case (order_q.kind)
      Discover: kind = 8'd1;
      Request: kind = 8'd3;
      default: kind = 8'd4;
    endcase
  end

  // The halfword at a place, in network order.
  place_t at_q;
  logic [15:0] of_message, of_probe, halfword_q;
  always_comb begin
    of_message = '0;
    unique case (at_q)
      8'd0, 8'd1, 8'd2: of_message = '1;
      8'd6: of_message = EtherTypeIpv4;
      8'd7: of_message = 16'h4500;
      8'd8: of_message = 16'(MessageBytes - EthernetBytes);
      8'd11: of_message = {8'h00, ProtocolUdp};
      8'd13: of_message = order_q.client[31:16];
      8'd14: of_message = order_q.client[15:0];
      8'd15: of_message = order_q.destination[31:16];
      8'd16: of_message = order_q.destination[15:0];
      8'd17: of_message = ClientPort;
      8'd18: of_message = ServerPort;
      8'd19: of_message = 16'(MessageBytes - UdpAt);
      8'd20: of_message = checksum_q;
      8'd21: of_message = 16'h0101;
      8'd22: of_message = 16'h0600;
      8'd23: of_message = order_q.xid[31:16];
      8'd24: of_message = order_q.xid[15:0];
      8'd25: of_message = order_q.seconds;
      8'd26: of_message = {order_q.client == '0, 15'd0};  // without an address, answers come as broadcasts
      8'd27: of_message = order_q.client[31:16];
      8'd28: of_message = order_q.client[15:0];
      8'd35: of_message = mac_i[47:32];
      8'd36: of_message = mac_i[31:16];
      8'd37: of_message = mac_i[15:0];
      8'd139: of_message = Cookie[31:16];
      8'd140: of_message = Cookie[15:0];
      8'd141: of_message = 16'h3501;  // the options: 53, kind of message
      8'd142: of_message = {kind, 8'd0};
      8'd143: of_message = wants ? 16'h3702 : '0;  // 55: the options that are asked for, 1 and 3
      8'd144: of_message = wants ? 16'h0103 : '0;
      8'd145: of_message = wants ? 16'h3902 : '0;  // 57: the longest packet that is read
      8'd146: of_message = wants ? 16'(Longest - EthernetBytes) : '0;
      8'd147: of_message = asks ? 16'h3204 : '0;  // 50: the address
      8'd148: of_message = order_q.requested[31:16];
      8'd149: of_message = order_q.requested[15:0];
      8'd150: of_message = says_server ? 16'h3604 : '0;  // 54: the server
      8'd151: of_message = order_q.server[31:16];
      8'd152: of_message = order_q.server[15:0];
      8'd153: of_message = 16'hff00;  // the end
      default: ;
    endcase
    of_probe = '0;
    unique case (at_q)
      8'd0, 8'd1, 8'd2: of_probe = '1;
      8'd6: of_probe = EtherTypeArp;
      8'd7: of_probe = 16'd1;
      8'd8: of_probe = EtherTypeIpv4;
      8'd9: of_probe = 16'h0604;
      8'd10: of_probe = 16'd1;
      8'd11: of_probe = mac_i[47:32];
      8'd12: of_probe = mac_i[31:16];
      8'd13: of_probe = mac_i[15:0];
      8'd19: of_probe = order_q.requested[31:16];
      8'd20: of_probe = order_q.requested[15:0];
      default: ;
    endcase
  end

  // A halfword per cycle, which is used in the cycle after.
  typedef enum logic [2:0] {
    Idle,
    Sum,
    Fold,
    Write,
    Read,
    Send
  } state_e;
  state_e state_q;
  logic walked_q, summed_q, fills_q;  // of halfword_q: it is valid; the UDP checksum covers it; it ends a flit
  logic [31:0] sum_q;
  logic [W-1:0] row_q, row, stored;
  logic [FlitBits-1:0] flit_q;  // the flit that is written or sent
  logic last;
  assign row = {halfword_q[7:0], halfword_q[15:8], row_q[W-1:16]};
  assign last = flit_q == (order_q.probe ? FlitBits'(ProbeFlits - 1) : FlitBits'(Flits - 1));
  ram_simple_dual #(
      .T(logic [W-1:0]),
      .Depth(1 << FlitBits)
  ) u_frame (
      .clk_i,
      .write_enable_i(state_q == Write && walked_q && fills_q),
      .write_addr_i(flit_q),
      .write_data_i(row),
      .read_enable_i(state_q == Read),
      .read_addr_i(flit_q),
      .read_data_o(stored)
  );

  assign order_ready_o = state_q == Idle;
  assign out_valid_o = state_q == Send;
  assign out_probe_o = order_q.probe;
  assign out_soon_o = state_q inside {Read, Send};
  always_comb begin
    out_flit_o = '0;
    out_flit_o.desc.port = port_i;
    out_flit_o.desc.length = order_q.probe ? length_t'(ProbeBytes) : length_t'(MessageBytes);
    out_flit_o.desc.l3_offset = offset_t'(EthernetBytes);
    out_flit_o.last = last;
    if (last) out_flit_o.empty = EmptyWidth'(order_q.probe ? ProbeFlits * FlitBytes - ProbeBytes : Flits * FlitBytes - MessageBytes);
    out_flit_o.data = stored;
  end

  always_ff @(posedge clk_i) begin
    at_q <= at_q + 1'b1;
    halfword_q <= order_q.probe ? of_probe : of_message;
    walked_q <= state_q inside {Sum, Write};
    summed_q <= at_q >= place_t'(SummedFrom) && at_q < place_t'(MessageBytes / 2);
    fills_q <= at_q[HalfwordBits-1:0] == '1;
    unique case (state_q)
      Idle: begin
        at_q <= '0;
        flit_q <= '0;
        sum_q <= 32'(ProtocolUdp) + 32'(MessageBytes - UdpAt);
        checksum_q <= '0;
        if (order_valid_i) begin
          order_q <= order_i;
          state_q <= order_i.probe ? Write : Sum;
        end
      end
      Sum: begin
        if (walked_q && summed_q) sum_q <= sum_q + 32'(halfword_q);
        if (at_q == place_t'(MessageBytes / 2)) state_q <= Fold;
      end
      Fold: begin
        sum_q <= 32'(sum_q[31:16]) + 32'(sum_q[15:0]);
        at_q  <= '0;
        if (sum_q[31:16] == '0) begin
          checksum_q <= sum_q[15:0] == '1 ? '1 : ~sum_q[15:0];
          state_q <= Write;
        end
      end
      Write:
      if (walked_q) begin
        row_q <= row;
        if (fills_q) begin
          flit_q <= last ? '0 : flit_q + 1'b1;
          if (last) state_q <= Read;
        end
      end
      Read: state_q <= Send;
      default:
      if (out_ready_i) begin
        flit_q  <= flit_q + 1'b1;
        state_q <= last ? Idle : Read;
      end
    endcase
    if (rst_i) begin
      state_q  <= Idle;
      walked_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, row_q[15:0]};
endmodule
