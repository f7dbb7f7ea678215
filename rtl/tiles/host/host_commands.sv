// SPDX-License-Identifier: Apache-2.0
// Carries out the commands of a control queue (virtio 1.2, 5.1.6.5), which arrive byte by byte: receive modes, the device's address and the table of
// addresses, the VLAN filter, the number of pairs,
// how flows are spread over them (host_rss), and when interrupts come. A command takes effect as a whole after its last byte; an unknown command, or one with a wrong
// length or an invalid value, has no effect. While the queue is not enabled, everything is as after reset: every frame passes, the address is the
// card's, no VLAN is known, and interrupts come at once. Clearing the VLANs takes 4,096 cycles after the queue is enabled; the first command waits for that.
module host_commands
  import host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Addresses = 16,
    parameter int unsigned Pairs = 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic    enable_i,  // while low, everything is as after reset
    input logic    clear_i,   // an incomplete command is discarded
    input offers_t offers_i,
    input station_t    mac_i,     // of the card

    input  logic       byte_valid_i,
    output logic       byte_ready_o,
    input  logic [7:0] byte_i,
    input  logic       byte_last_i,   // of a command
    output logic       done_o,        // for a cycle, after the last byte
    output logic       ok_o,

    output modes_t                 modes_o,
    output station_t                   mac_o,
    output logic   [Addresses-1:0] known_o,
    output station_t   [Addresses-1:0] addresses_o,
    output logic                   vlan_write_o,
    output vlan_id_t                  vlan_o,
    output logic                   vlan_pass_o,
    output logic                   pairs_set_o,  // for a cycle
    output pairs_t                 pairs_o,
    output logic                   rss_set_o,  // for a cycle
    output steer_t                 rss_table_o,
    output rss_t                   rss_o,
    output coalesce_t              coalesce_receive_o,
    output coalesce_t              coalesce_send_o
);
  if (Addresses < 2 || Addresses > 64) begin : gen_bad_addresses
    $fatal(1, "host_commands: Addresses is %0d; it must be from 2 to 64", Addresses);
  end
  // struct virtio_net_ctrl_hdr: class and command.
  localparam logic [15:0] RxPromiscuous = 16'h0000, RxAllMulticast = 16'h0001, MacTable = 16'h0100, MacAddress = 16'h0101;
  localparam logic [15:0] VlanAdd = 16'h0200, VlanDelete = 16'h0201, SetPairs = 16'h0400, SetRss = 16'h0401, CoalesceSend = 16'h0600, CoalesceReceive = 16'h0601;
  localparam int unsigned NameBytes = 2, MacBytes = 6, CoalesceBytes = 8;
  localparam int unsigned CountBytes = 4;  // of the count before each list of addresses

  typedef logic [15:0] length_t;
  typedef logic [$clog2(Addresses):0] count_t;

  // The part of a command that has arrived.
  logic take, ended_q;
  length_t length_q;
  logic [15:0] name_q;
  logic [8*CoalesceBytes-1:0] bytes_q, bytes;  // the last bytes, the latest at the upper end
  station_t last_mac;
  assign take  = byte_valid_i && byte_ready_o;
  assign bytes = {byte_i, bytes_q[8*CoalesceBytes-1:8]};
  assign last_mac = bytes_q[8*CoalesceBytes-1-:8*MacBytes];

  // The two lists of the table: unicast, and multicast.
  typedef enum logic [1:0] {
    Count,
    Address,
    Full  // both have arrived
  } list_e;
  list_e list_q;
  logic second_q, malformed_q, in_table, is_zero, list_ends;
  logic [2:0] at_q;  // place in the count, or in an address
  length_t left_q;
  logic [8*CountBytes-1:0] count;
  logic [1:0] over_q;  // addresses that find no room: of the first list, of the second
  count_t used_q, known_q;
  station_t [Addresses-1:0] staged_q, addresses_q;
  assign in_table = length_q >= length_t'(NameBytes);
  assign count = bytes[8*CoalesceBytes-1-:8*CountBytes];
  assign is_zero = count == '0;
  assign list_ends = list_q == Count ? at_q == 3'(CountBytes - 1) && is_zero : at_q == 3'(MacBytes - 1) && left_q == length_t'(1);

  // Valid once the command is complete.
  logic ok, rss_ok;
  modes_t modes_q;
  station_t mac_q;
  coalesce_t coalesce, coalesce_receive_q, coalesce_send_q;
  logic [15:0] word;
  logic flag;
  assign word = bytes_q[8*CoalesceBytes-1-:16];
  assign flag = bytes_q[8*CoalesceBytes-8];
  // struct virtio_net_ctrl_coal: le32 max_packets, le32 usecs.
  assign coalesce = '{frames: bytes_q[15:0], microseconds: bytes_q[47:32]};
  always_comb begin
    unique case (name_q)
      RxPromiscuous, RxAllMulticast: ok = offers_i.receive && length_q == length_t'(NameBytes + 1) && bytes_q[8*CoalesceBytes-1-:7] == '0;
      MacTable: ok = offers_i.receive && list_q == Full && !malformed_q;
      MacAddress: ok = offers_i.address && length_q == length_t'(NameBytes + MacBytes);
      VlanAdd, VlanDelete: ok = offers_i.vlan && length_q == length_t'(NameBytes + 2) && word[15:12] == '0;
      SetPairs: ok = offers_i.pairs && length_q == length_t'(NameBytes + 2) && word != '0 && word <= 16'(Pairs);
      SetRss: ok = offers_i.rss && rss_ok;
      CoalesceSend, CoalesceReceive: ok = offers_i.coalesce && length_q == length_t'(NameBytes + CoalesceBytes) && {bytes_q[31:16], bytes_q[63:48]} == '0;
      default: ok = 1'b0;
    endcase
    if (length_q < length_t'(NameBytes)) ok = 1'b0;
  end

  // The VLANs are in a memory of the filter.
  logic forgetting_q, forgotten_q;
  vlan_id_t forget_q;
  assign byte_ready_o = !ended_q && !forgetting_q;
  assign done_o = ended_q;
  assign ok_o = ok;
  always_ff @(posedge clk_i) begin
    vlan_write_o <= forgetting_q || (ended_q && ok && (name_q == VlanAdd || name_q == VlanDelete));
    vlan_o <= forgetting_q ? forget_q : word[$bits(vlan_id_t)-1:0];
    vlan_pass_o <= !forgetting_q && name_q == VlanAdd;
    if (rst_i) vlan_write_o <= 1'b0;
  end
  assign pairs_set_o = ended_q && ok && name_q == SetPairs;
  assign pairs_o = pairs_t'(word);

  assign rss_set_o = ended_q && ok && name_q == SetRss;
  if (Pairs > 1) begin : gen_rss
    host_rss #(
        .Pairs(Pairs)
    ) u_rss (
        .clk_i,
        .rst_i,
        .enable_i,
        .pairs_set_i(pairs_set_o),
        .restart_i(ended_q || clear_i),
        .byte_valid_i(take && in_table),
        .byte_i,
        .ok_o(rss_ok),
        .commit_i(rss_set_o),
        .rss_o,
        .table_o(rss_table_o)
    );
  end else begin : gen_no_rss
    assign rss_ok = 1'b0;
    assign rss_o = '0;
    assign rss_table_o = '0;
  end

  assign modes_o = modes_q;
  assign mac_o = mac_q;
  assign coalesce_receive_o = coalesce_receive_q;
  assign coalesce_send_o = coalesce_send_q;
  assign addresses_o = addresses_q;
  for (genvar i = 0; i < int'(Addresses); i++) begin : gen_known
    assign known_o[i] = count_t'(i) < known_q;
  end

  always_ff @(posedge clk_i) begin
    ended_q <= take && byte_last_i;
    if (take) begin
      bytes_q <= bytes;
      if (length_q != '1) length_q <= length_q + 1'b1;
      if (!in_table) name_q <= {name_q[7:0], byte_i};
      else begin
        unique case (list_q)
          Count: begin
            at_q <= at_q + 1'b1;
            if (at_q == 3'(CountBytes - 1)) begin
              at_q   <= '0;
              left_q <= count[15:0];
              if (count[31:16] != '0) malformed_q <= 1'b1;
              if (!is_zero) list_q <= Address;
            end
          end
          Address: begin
            at_q <= at_q + 1'b1;
            if (at_q == 3'(MacBytes - 1)) begin
              at_q   <= '0;
              left_q <= left_q - 1'b1;
              if (32'(used_q) < Addresses) begin
                used_q <= used_q + 1'b1;
                staged_q[used_q[$clog2(Addresses)-1:0]] <= bytes[8*CoalesceBytes-1-:8*MacBytes];
              end else over_q[second_q] <= 1'b1;
            end
          end
          default: malformed_q <= 1'b1;
        endcase
        if (list_ends && list_q != Full) begin
          list_q   <= second_q ? Full : Count;
          second_q <= 1'b1;
        end
      end
    end
    if (ended_q && ok) begin
      unique case (name_q)
        RxPromiscuous: modes_q.promiscuous <= flag;
        RxAllMulticast: modes_q.all_multicast <= flag;
        MacTable: begin
          addresses_q <= staged_q;
          known_q <= used_q;
          modes_q.many_unicast <= over_q[0];
          modes_q.many_multicast <= over_q[1];
        end
        MacAddress: mac_q <= last_mac;
        CoalesceSend: coalesce_send_q <= coalesce;
        CoalesceReceive: coalesce_receive_q <= coalesce;
        default: ;
      endcase
    end
    if (ended_q || clear_i) begin
      length_q <= '0;
      list_q <= Count;
      second_q <= 1'b0;
      malformed_q <= 1'b0;
      at_q <= '0;
      over_q <= '0;
      used_q <= '0;
    end

    if (!enable_i) begin
      modes_q <= '0;
      modes_q.promiscuous <= 1'b1;
      known_q <= '0;
      mac_q <= mac_i;
      coalesce_receive_q <= '0;
      coalesce_send_q <= '0;
      forgotten_q <= 1'b0;
      forget_q <= '0;
      forgetting_q <= 1'b0;
    end else if (!forgotten_q) begin
      forgetting_q <= 1'b1;
      if (forgetting_q) forget_q <= forget_q + 1'b1;
      if (forgetting_q && forget_q == '1) {forgetting_q, forgotten_q} <= 2'b01;
    end
    modes_q.vlans_known <= forgotten_q;
    modes_q.receive <= enable_i && offers_i.receive;
    modes_q.vlan <= enable_i && offers_i.vlan;
    if (rst_i) begin
      ended_q <= 1'b0;
      forgetting_q <= 1'b0;
      forgotten_q <= 1'b0;
    end
  end
endmodule
