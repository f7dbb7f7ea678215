// SPDX-License-Identifier: Apache-2.0
// Neighbour table: Entries neighbours and their MAC addresses, searched in parallel and combinationally. An entry is
// in use if a packet has been sent to its neighbour since it was learned. A new neighbour replaces the oldest
// entry that is not in use. If all are in use, a neighbour that answers the card's own request replaces the
// oldest; any other is not learned. So no stranger can evict a neighbour in use by sending to the card. An entry whose neighbour
// has sent no ARP packet for max_age_i units of 4,096 cycles is removed; entries are examined in turn, one per cycle.
module arp_table
  import net_pkg::*, arp_types_pkg::*;
#(
    parameter int unsigned Entries = 16
) (
    input logic clk_i,
    input logic rst_i,

    input logic [21:0] max_age_i,  // 0: entries stay

    input  neighbour_t         find_i,
    output logic [Entries-1:0] match_o,  // at most one
    output mac_t               mac_o,    // 0 without a match
    input  logic               use_i,    // a packet is sent to the match

    input  logic               learn_i,
    input  logic [Entries-1:0] known_i,      // the entry that already holds the neighbour, if any
    input  logic               solicited_i,  // the card has asked for it
    input  neighbour_t         learn_neighbour_i,
    input  mac_t               learn_mac_i,
    output logic               learned_o     // it is stored
);
  logic [Entries-1:0] valid_q, used_q, oldest_q, vacant, victim, write;
  neighbour_t neighbour_q[Entries];
  mac_t mac_q[Entries];

  for (genvar i = 0; i < int'(Entries); i++) begin : gen_match
    logic other;
    unequal #(
        .Width($bits(neighbour_t))
    ) u_other (
        .left_i   (neighbour_q[i]),
        .right_i  (find_i),
        .unequal_o(other)
    );
    assign match_o[i] = valid_q[i] && !other;
  end
  always_comb begin
    mac_o = '0;
    for (int unsigned i = 0; i < Entries; i++) mac_o |= match_o[i] ? mac_q[i] : '0;
  end

  // The first vacant entry, circularly from the oldest on: the entries twice in a row, the first time only from there.
  logic [2*Entries-1:0] twice, first;
  logic found;
  assign vacant = ~(valid_q & used_q);
  assign twice = {vacant, vacant & ~(oldest_q - 1'b1)};
  assign first = twice & (~twice + 1'b1);
  assign found = vacant != '0 || solicited_i;
  always_comb begin
    victim = first[2*Entries-1:Entries] | first[Entries-1:0];
    if (vacant == '0) victim = solicited_i ? oldest_q : '0;
  end

  // Ages.
  localparam int unsigned UnitBits = 12;
  localparam int unsigned AgeBits = 23;
  logic [UnitBits+AgeBits-1:0] time_q;
  logic [AgeBits-1:0] learned_q[Entries], now, age;
  logic [Entries-1:0] examined_q, aged;
  assign now = time_q[UnitBits+:AgeBits];
  always_comb begin
    age = '0;
    for (int unsigned i = 0; i < Entries; i++) age |= examined_q[i] ? now - learned_q[i] : '0;
  end
  assign aged = max_age_i != '0 && age > {1'b0, max_age_i} ? examined_q : '0;

  assign write = !learn_i ? '0 : |known_i ? known_i : victim;
  assign learned_o = learn_i && (|known_i || found);
  for (genvar i = 0; i < int'(Entries); i++) begin : gen_entry
    always_ff @(posedge clk_i) begin
      if (write[i]) begin
        neighbour_q[i] <= learn_neighbour_i;
        mac_q[i] <= learn_mac_i;
        learned_q[i] <= now;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    valid_q <= (valid_q & ~aged) | write;
    time_q <= time_q + 1'b1;
    examined_q <= {examined_q[Entries-2:0], examined_q[Entries-1]};
    // A new entry that the card asked for is in use at once: packets wait for it.
    used_q  <= (used_q & ~(known_i == '0 ? write : '0)) | (use_i ? match_o : '0) | (solicited_i ? write : '0);
    if (learn_i && known_i == '0 && learned_o) oldest_q <= {victim[Entries-2:0], victim[Entries-1]};
    if (rst_i) begin
      valid_q  <= '0;
      time_q <= '0;
      examined_q <= Entries'(1);
      used_q   <= '0;
      oldest_q <= Entries'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ((match_o & (match_o - 1'b1)) == '0)
      else $error("arp_table: an address is stored twice");
    end
  end
endmodule
