// SPDX-License-Identifier: Apache-2.0
// Neighbour table: Entries pairs of IPv4 and MAC address, searched all at once. The search is
// combinational. A new address takes the place of the one that was learned longest ago.
module arp_table
  import net_pkg::*;
#(
    parameter int unsigned Entries = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  ipv4_addr_t         find_ip_i,
    output logic [Entries-1:0] match_o,    // at most one
    output mac_t               mac_o,      // 0 without a match

    input logic               learn_i,
    input logic [Entries-1:0] known_i,     // the entry that holds learn_ip_i already, if any
    input ipv4_addr_t         learn_ip_i,
    input mac_t               learn_mac_i
);
  logic [Entries-1:0] valid_q, oldest_q, write;
  ipv4_addr_t ip_q[Entries];
  mac_t mac_q[Entries];

  for (genvar i = 0; i < int'(Entries); i++) begin : gen_match
    assign match_o[i] = valid_q[i] && ip_q[i] == find_ip_i;
  end
  always_comb begin
    mac_o = '0;
    for (int unsigned i = 0; i < Entries; i++) mac_o |= match_o[i] ? mac_q[i] : '0;
  end

  assign write = !learn_i ? '0 : |known_i ? known_i : oldest_q;
  for (genvar i = 0; i < int'(Entries); i++) begin : gen_entry
    always_ff @(posedge clk_i) begin
      if (write[i]) begin
        ip_q[i]  <= learn_ip_i;
        mac_q[i] <= learn_mac_i;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    valid_q <= valid_q | write;
    if (learn_i && known_i == '0) oldest_q <= {oldest_q[Entries-2:0], oldest_q[Entries-1]};
    if (rst_i) begin
      valid_q  <= '0;
      oldest_q <= Entries'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ((match_o & (match_o - 1'b1)) == '0)
      else $error("arp_table: an address is there twice");
    end
  end
endmodule
