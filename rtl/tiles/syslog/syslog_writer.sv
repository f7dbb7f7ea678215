// SPDX-License-Identifier: Apache-2.0
// Writes a report as a datagram with a message of RFC 5424:
//
//   <132>1 - 10.77.0.2 girih - interrupt [girih@32473 node="12" register="0c00" pending="00000003" cycle="…" number="…"]
//
// There is no time stamp, because the card does not know the time of day. Each cycle handles one place of the template below, which gives a byte or none (a leading
// zero of the address, the rest of a short name). The frame is kept in a memory until its length is known; then a flit leaves in two cycles. udp_tx and ipv4_tx
// complete the headers, arp and eth_tx the MAC addresses. The configuration is read with the report.
module syslog_writer
  import girih_pkg::*, net_pkg::*, syslog_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic        report_valid_i,
    output logic        report_ready_o,
    input  report_t     report_i,
    input  logic [31:0] number_i,        // of the message

    input ipv4_addr_t ip_i,
    input ipv4_addr_t collector_i,
    input logic [15:0] collector_port_i,
    input logic [2:0] local_number_i,
    input logic [2:0] severity_i,
    input port_t port_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o
);
  localparam logic [15:0] SyslogPort = 16'd514;
  localparam int unsigned NameBytes = 11;  // of the longest name
  localparam int unsigned TextAt = EthernetBytes + Ipv4MinBytes + UdpBytes;

  // The template: a byte below 128 is that character; the others stand for one that follows from the report or the configuration.
  localparam logic [7:0] Nibbles = 8'h80;  // + i: a digit of `fields`, in hexadecimal
  localparam logic [7:0] Bytes = 8'hB0;  // + i: a byte of the addresses and the port
  localparam logic [7:0] Decimals = 8'hC0;  // + i: a digit of the card's address, in threes
  localparam logic [7:0] Priority = 8'hD0;  // + i: a digit of the priority behind the first, which is 1 for all of local0 to local7
  localparam logic [7:0] Names = 8'hE0;  // + i: a character of what it is
  localparam logic [7:0] Values = 8'hF0;  // + i: a character of what the value is called

  function automatic logic [15:0][7:0] places(logic [7:0] first);
    for (int unsigned i = 0; i < 16; i++) places[15-i] = first + 8'(i);
  endfunction

  localparam logic [15:0][7:0] N0 = places(Nibbles), N1 = places(Nibbles + 8'd16), N2 = places(Nibbles + 8'd32);
  localparam logic [15:0][7:0] D = places(Decimals), E = places(Names), F = places(Values), B = places(Bytes);
  localparam logic [TextAt*8-1:0] Head = {
    96'd0, EtherTypeIpv4, 8'h45, 64'd0, ProtocolUdp, 16'd0, B[15-:8], SyslogPort, B[7-:2], 32'd0
  };
  localparam Text = {
    "<1", Priority, Priority + 8'd1, ">1 - ", D[15-:3], ".", D[12-:3], ".", D[9-:3], ".", D[6-:3], " girih - ", E[15-:NameBytes],
    " [girih@32473 node=\"", N0[15-:2], "\" register=\"", N0[13-:4], "\" ", F[15-:8], "=\"", N0[9-:8],
    "\" cycle=\"", N0[1-:2], N1[15-:14], "\" number=\"", N1[1-:2], N2[15-:6], "\"]"
  };
  localparam int unsigned Places = TextAt + $bits(Text) / 8;
  localparam int unsigned PlaceBits = $clog2(Places);
  localparam logic [Places-1:0][7:0] Template = {Head, Text};
  localparam int unsigned NibbleCount = 38;
  localparam int unsigned Flits = (Places + FlitBytes - 1) / FlitBytes;
  localparam int unsigned FlitBits = $clog2(Flits + 1);
  localparam int unsigned ByteBits = $clog2(FlitBytes);
  if (Places > MaxFrameBytes) begin : gen_bad_frame
    $fatal(1, "syslog_writer: MaxFrameBytes is %0d; it must be at least %0d, the longest message", MaxFrameBytes, Places);
  end

  typedef logic [NameBytes-1:0][7:0] name_t;
  typedef logic [7:0][7:0] value_name_t;
  typedef logic [1:0][3:0] digits_t;

  // Tens and ones of a number below 100.
  function automatic digits_t decimal(logic [6:0] number);
    logic [3:0] tens;
    tens = 4'((15'(number) * 15'd205) >> 11);
    return '{tens, 4'(number - 7'(tens) * 7'd10)};
  endfunction

  report_t report_q;
  logic [31:0] number_q;
  ipv4_addr_t ip_q, collector_q;
  logic [15:0] collector_port_q;
  logic [5:0] priority_q;  // without that of local0
  port_t port_q;

  // The address in decimal, which is ready before its place comes; so is the priority.
  logic [3:0][1:0] hundreds_q;
  logic [3:0][6:0] rest_q;
  digits_t [3:0] digits_q;
  digits_t priority_digits_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 4; i++) begin
      logic [7:0] octet;
      octet = ip_q[8*i+:8];
      hundreds_q[i] <= octet >= 8'd200 ? 2'd2 : octet >= 8'd100 ? 2'd1 : 2'd0;
      rest_q[i] <= 7'(octet >= 8'd200 ? octet - 8'd200 : octet >= 8'd100 ? octet - 8'd100 : octet);
      digits_q[i] <= decimal(rest_q[i]);
    end
    priority_digits_q <= decimal(7'(priority_q) + 7'd28);
  end

  logic [NibbleCount-1:0][3:0] fields;
  logic [9:0][7:0] binary;
  name_t name;
  value_name_t value_name;
  assign fields = {report_q.node, report_q.offset, report_q.value, report_q.cycle, number_q};
  assign binary = {ip_q, collector_q, collector_port_q};
  always_comb begin
    unique case (report_q.what)
      Interrupt: begin
        name = name_t'("interrupt");
        value_name = value_name_t'("pending");
      end
      Counter: begin
        name = name_t'("counter");
        value_name = value_name_t'("increase");
      end
      default: begin
        name = name_t'("unreachable");
        value_name = value_name_t'("status");
      end
    endcase
  end

  // place -> code -> byte -> row
  typedef enum logic [2:0] {
    Idle,
    Write,
    Drain,
    Pad,
    Read,
    Send
  } state_e;
  state_e state_q;
  logic [PlaceBits-1:0] place_q;
  logic [7:0] code_q, byte_q, byte_d;
  logic code_valid_q, code_head_q, byte_valid_q, byte_there;
  logic [3:0] nibble;
  logic [1:0] octet;
  logic [3:0] hundreds;
  digits_t digits;
  assign nibble = fields[6'(NibbleCount-1)-code_q[5:0]];
  assign octet = code_q[3:0] < 4'd3 ? 2'd3 : code_q[3:0] < 4'd6 ? 2'd2 : code_q[3:0] < 4'd9 ? 2'd1 : 2'd0;
  assign hundreds = 4'(hundreds_q[octet]);
  assign digits = digits_q[octet];
  always_comb begin
    byte_d = code_q;
    byte_there = code_head_q || code_q != '0;
    if (code_q[7]) begin
      unique case (code_q[6:4])
        3'd3: byte_d = binary[4'd9-code_q[3:0]];
        3'd4:
        unique case (code_q[3:0])
          4'd0, 4'd3, 4'd6, 4'd9: begin
            byte_d = 8'h30 | 8'(hundreds);
            byte_there = hundreds != '0;
          end
          4'd1, 4'd4, 4'd7, 4'd10: begin
            byte_d = 8'h30 | 8'(digits[1]);
            byte_there = hundreds != '0 || digits[1] != '0;
          end
          default: byte_d = 8'h30 | 8'(digits[0]);
        endcase
        3'd5: byte_d = 8'h30 | 8'(priority_digits_q[~code_q[0]]);
        3'd6: begin
          byte_d = name[4'(NameBytes-1)-code_q[3:0]];
          byte_there = byte_d != '0;
        end
        3'd7: begin
          byte_d = value_name[3'd7-code_q[2:0]];
          byte_there = byte_d != '0;
        end
        default: byte_d = nibble < 4'd10 ? 8'h30 + 8'(nibble) : 8'h57 + 8'(nibble);
      endcase
    end
  end

  logic [W-9:0] row_q;
  logic [W-1:0] row, stored;
  logic [ByteBits-1:0] fill_q;  // bytes of the row
  logic [FlitBits-1:0] flit_q, flits_q;  // that is written, or sent; all
  logic [PlaceBits-1:0] bytes_q;
  logic appends, fills, last;
  assign appends = byte_valid_q || (state_q == Pad && fill_q != '0);
  assign fills = appends && fill_q == '1;
  assign row = {byte_valid_q ? byte_q : 8'd0, row_q};
  assign last = flit_q == flits_q - 1'b1;
  ram_simple_dual #(
      .T(logic [W-1:0]),
      .Depth(1 << FlitBits)
  ) u_frame (
      .clk_i,
      .write_enable_i(fills),
      .write_addr_i(flit_q),
      .write_data_i(row),
      .read_enable_i(state_q == Read),
      .read_addr_i(flit_q),
      .read_data_o(stored)
  );

  assign report_ready_o = state_q == Idle;
  assign out_valid_o = state_q == Send;
  always_comb begin
    out_flit_o = '0;
    out_flit_o.desc.port = port_q;
    out_flit_o.desc.length = length_t'(bytes_q);
    out_flit_o.desc = with_network(out_flit_o.desc, offset_t'(EthernetBytes));
    out_flit_o.desc = with_transport(out_flit_o.desc, offset_t'(EthernetBytes + Ipv4MinBytes));
    out_flit_o.desc = with_payload(out_flit_o.desc, offset_t'(TextAt));
    out_flit_o.last = last;
    if (last) out_flit_o.empty = EmptyWidth'(-bytes_q);
    out_flit_o.data = stored;
  end

  always_ff @(posedge clk_i) begin
    code_valid_q <= state_q == Write;
    code_q <= Template[PlaceBits'(Places-1)-place_q];
    code_head_q <= 32'(place_q) < TextAt;
    byte_valid_q <= code_valid_q && byte_there;
    byte_q <= byte_d;
    if (byte_valid_q) bytes_q <= bytes_q + 1'b1;
    if (appends) begin
      row_q  <= row[W-1:8];
      fill_q <= fill_q + 1'b1;
    end
    if (fills) flit_q <= flit_q + 1'b1;

    unique case (state_q)
      Idle: begin
        place_q <= '0;
        bytes_q <= '0;
        fill_q <= '0;
        flit_q <= '0;
        report_q <= report_i;
        number_q <= number_i;
        ip_q <= ip_i;
        collector_q <= collector_i;
        collector_port_q <= collector_port_i;
        priority_q <= {local_number_i, severity_i};
        port_q <= port_i;
        if (report_valid_i) state_q <= Write;
      end
      Write: begin
        place_q <= place_q + 1'b1;
        if (32'(place_q) == Places - 1) state_q <= Drain;
      end
      Drain: if (!code_valid_q && !byte_valid_q) state_q <= Pad;
      Pad:
      if (fill_q == '0) begin
        flits_q <= flit_q;
        flit_q  <= '0;
        state_q <= Read;
      end
      Read: state_q <= Send;
      default:
      if (out_ready_i) begin
        flit_q  <= flit_q + 1'b1;
        state_q <= last ? Idle : Read;
      end
    endcase
    if (rst_i) begin
      state_q <= Idle;
      code_valid_q <= 1'b0;
      byte_valid_q <= 1'b0;
    end
  end
endmodule
