// SPDX-License-Identifier: Apache-2.0
// Makes the bytes that replace a packet's headers, from the IPv4 header on: addresses, ports, time to live, and the checksums, by
// RFC 1624. Combinational. The first byte is the highest.
module nat_edit
  import girih_pkg::*, net_pkg::*, checksum_pkg::*, nat_types_pkg::*;
(
    input sums_t sums_i,
    input ipv4_addr_t ip_i,  // the new address
    input logic [15:0] port_i,  // and port or identifier
    output logic [ViewBytes*8-1:0] edit_o,
    output logic [ViewBytes-1:0] mask_o
);
  localparam int unsigned L4 = Ipv4MinBytes;
  localparam int unsigned Inner = L4 + 8;
  localparam int unsigned InnerL4 = Inner + Ipv4MinBytes;
  // Places of 16 bits in a packet.
  localparam int unsigned Ttl = 8;
  localparam int unsigned Checksum = 10;
  localparam int unsigned Source = 12;
  localparam int unsigned Destination = 16;
  localparam int unsigned IcmpChecksum = 2;
  localparam int unsigned Identifier = 4;
  localparam int unsigned UdpChecksum = 6;
  localparam int unsigned TcpChecksum = 16;

  // Each sum is one expression, so that synthesis adds its terms side by side.
  typedef logic [19:0] small_t;  // a sum of a few halfwords
  small_t ip_sum, sum, inner_ip_sum, inner_sum;
  sum_t ip_checksum, checksum, inner_ip_checksum, inner_checksum;
  logic [15:0] high, low, port, inner_high, inner_low;
  assign {high, low} = sums_i.adds_ip ? ip_i : sums_i.subtracts_ip ? ~ip_i : '0;
  assign port = sums_i.adds_port ? port_i : '0;
  assign {inner_high, inner_low} = sums_i.adds_inner_ip ? ip_i : '0;
  assign ip_sum = small_t'(sums_i.ip_sum) + small_t'(ip_i[31:16]) + small_t'(ip_i[15:0]);
  assign sum = small_t'(sums_i.transport_sum) + small_t'(high) + small_t'(low) + small_t'(port);
  assign inner_ip_sum = small_t'(sums_i.inner_ip_sum) + small_t'(ip_i[31:16]) + small_t'(ip_i[15:0]);
  assign inner_sum = small_t'(sums_i.inner_sum) + small_t'(inner_high) + small_t'(inner_low) + small_t'(port_i);
  assign ip_checksum = ~fold(wide_t'(ip_sum));
  assign checksum = ~fold(wide_t'(sum));
  assign inner_ip_checksum = ~fold(wide_t'(inner_ip_sum));
  assign inner_checksum = ~fold(wide_t'(inner_sum));

  // A datagram whose checksum is 0 has none (RFC 768). An echo reply of zeros has 0xffff, where the difference gives 0.
  sum_t not_zero, inner_not_zero;
  assign not_zero = is_right(wide_t'(sum)) ? '1 : checksum;
  assign inner_not_zero = is_right(wide_t'(inner_sum)) ? '1 : inner_checksum;

  // verilator lint_off ASCRANGE
  logic [0:ViewBytes-1][7:0] edit;
  logic [0:ViewBytes-1] mask;
  // verilator lint_on ASCRANGE
  always_comb begin
    edit = '0;
    mask = '0;
    edit[Ttl] = sums_i.ttl - 8'd1;
    mask[Ttl] = sums_i.decrement;
    edit[Checksum+:2] = ip_checksum;
    mask[Checksum+:2] = '1;
    edit[Source+:4] = ip_i;
    edit[Destination+:4] = ip_i;
    if (sums_i.from_outside) mask[Destination+:4] = '1;
    else mask[Source+:4] = '1;
    if (sums_i.is_error) begin
      edit[L4+IcmpChecksum+:2] = checksum;
      mask[L4+IcmpChecksum+:2] = '1;
      edit[Inner+Checksum+:2] = inner_ip_checksum;
      mask[Inner+Checksum+:2] = '1;
      edit[Inner+Source+:4] = ip_i;
      edit[Inner+Destination+:4] = ip_i;
      if (sums_i.from_outside) mask[Inner+Source+:4] = '1;
      else mask[Inner+Destination+:4] = '1;
      edit[InnerL4+:2] = port_i;
      if (sums_i.protocol == Query) begin
        edit[InnerL4+IcmpChecksum+:2] = inner_checksum;
        edit[InnerL4+Identifier+:2] = port_i;
        mask[InnerL4+IcmpChecksum+:2] = '1;
        mask[InnerL4+Identifier+:2] = '1;
      end else begin
        edit[InnerL4+2+:2] = port_i;
        edit[InnerL4+UdpChecksum+:2] = inner_not_zero;
        if (sums_i.from_outside) mask[InnerL4+:2] = '1;
        else mask[InnerL4+2+:2] = '1;
        mask[InnerL4+UdpChecksum+:2] = {2{!sums_i.no_checksum}};
      end
    end else if (!sums_i.other) begin
      unique case (sums_i.protocol)
        Query: begin
          edit[L4+IcmpChecksum+:2] = not_zero;
          mask[L4+IcmpChecksum+:2] = '1;
          edit[L4+Identifier+:2] = port_i;
          mask[L4+Identifier+:2] = '1;
        end
        default: begin
          edit[L4+:2] = port_i;
          edit[L4+2+:2] = port_i;
          if (sums_i.from_outside) mask[L4+2+:2] = '1;
          else mask[L4+:2] = '1;
          edit[L4+UdpChecksum+:2] = not_zero;
          edit[L4+TcpChecksum+:2] = checksum;
          mask[L4+UdpChecksum+:2] = {2{sums_i.protocol == Udp && !sums_i.no_checksum}};
          mask[L4+TcpChecksum+:2] = {2{sums_i.protocol == Tcp}};
        end
      endcase
    end
  end
  assign edit_o = edit;
  assign mask_o = mask;
endmodule
