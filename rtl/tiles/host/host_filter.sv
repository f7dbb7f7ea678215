// SPDX-License-Identifier: Apache-2.0
// Passes the messages that the driver has asked for through the control queue: those to its own address, to an address in its table or to everybody,
// and of tagged ones those of VLANs that it has added. All others are dropped whole, and counted.
//
// header_window --> compared with all addresses, VLAN looked up --> decided --> out
//
// A message is judged by the driver's settings of one cycle, however long it waits here; later settings apply to later messages.
//
// Three cycles, one flit per cycle.
module host_filter
  import girih_pkg::*, net_pkg::*, host_pkg::*;
#(
    parameter int unsigned Addresses = 16
) (
    input logic clk_i,
    input logic rst_i,

    input modes_t                   modes_i,
    input station_t                 mac_i,
    input logic     [Addresses-1:0] known_i,
    input station_t [Addresses-1:0] addresses_i,
    input logic                     vlan_write_i,
    input vlan_id_t                 vlan_i,
    input logic                     vlan_pass_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    output logic drop_address_o,
    output logic drop_vlan_o
);
  localparam int unsigned HeaderBytes = EthernetBytes + VlanBytes / 2;  // the tag's first half
  typedef logic [8*HeaderBytes-1:0] header_t;

  logic header_valid, header_ready;
  flit_t header_flit;
  header_t header;
  offset_t available;
  header_window #(
      .HeaderBytes(HeaderBytes)
  ) u_header (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(header_valid),
      .out_ready_i(header_ready),
      .out_flit_o(header_flit),
      .header_o(header),
      .available_o(available),
      .need_i(offset_t'(HeaderBytes))
  );

  // The address in the order of the commands: its first byte at the low end.
  station_t mac;
  logic [15:0] kind;
  vlan_id_t vlan;
  for (genvar b = 0; b < 6; b++) begin : gen_mac
    assign mac[8*b+:8] = header[8*(HeaderBytes-1-b)+:8];
  end
  assign kind = header[8*(HeaderBytes-EthernetBytes)+:16];
  assign vlan = header[$bits(vlan_id_t)-1:0];

  typedef struct packed {
    logic has_tag, group, broadcast, mine;
    logic [Addresses-1:0] same;
    modes_t modes;  // the modes at the time of the comparison
  } compared_t;
  compared_t compare, compared_q;
  logic valid_q, passes, move, out_ready;
  flit_t flit_q;
  always_comb begin
    compare.has_tag = kind == EtherTypeVlan && available == offset_t'(HeaderBytes);
    compare.group = mac[0];
    compare.broadcast = mac == '1;
    compare.mine = mac == mac_i;
    for (int unsigned i = 0; i < Addresses; i++) compare.same[i] = known_i[i] && mac == addresses_i[i];
    compare.modes = modes_i;
  end
  // The memory is not read in a cycle in which it is written, nor while its VLANs are being cleared.
  assign move = (!valid_q || out_ready) && !(vlan_write_i && modes_i.vlans_known);
  assign header_ready = move;
  ram_simple_dual #(
      .T(logic),
      .Depth(1 << $bits(vlan_id_t))
  ) u_vlans (
      .clk_i,
      .write_enable_i(vlan_write_i),
      .write_addr_i(vlan_i),
      .write_data_i(vlan_pass_i),
      .read_enable_i(move && modes_i.vlans_known),
      .read_addr_i(vlan),
      .read_data_o(passes)
  );
  always_ff @(posedge clk_i) begin
    if (move) begin
      valid_q <= header_valid;
      compared_q <= compare;
      flit_q <= header_flit;
    end else if (out_ready) begin
      valid_q <= 1'b0;
    end
    if (rst_i) valid_q <= 1'b0;
  end

  // The decision on a message's first flit applies to all of it.
  typedef struct packed {
    logic wrong_address, wrong_vlan;
    flit_t flit;
  } decided_t;
  decided_t decide, decided;
  logic wanted, address_q, vlan_q, decided_valid, decided_ready;
  modes_t modes;
  assign modes = compared_q.modes;
  always_comb begin
    wanted = compared_q.mine || compared_q.same != '0 || (compared_q.group ? modes.all_multicast || modes.many_multicast : modes.many_unicast);
    if (compared_q.broadcast || modes.promiscuous || !modes.receive) wanted = 1'b1;
    decide.wrong_address = flit_q.first ? !wanted : address_q;
    decide.wrong_vlan = flit_q.first ? compared_q.has_tag && modes.vlan && !modes.promiscuous && !(modes.vlans_known && passes) : vlan_q;
    decide.flit = flit_q;
  end
  always_ff @(posedge clk_i) begin
    if (valid_q && out_ready) begin
      address_q <= decide.wrong_address;
      vlan_q <= decide.wrong_vlan;
    end
  end
  skid_buffer #(
      .T(decided_t)
  ) u_decided (
      .clk_i,
      .rst_i,
      .in_valid_i(valid_q),
      .in_ready_o(out_ready),
      .in_data_i(decide),
      .out_valid_o(decided_valid),
      .out_ready_i(decided_ready),
      .out_data_o(decided)
  );
  logic drops;
  assign drops = decided.wrong_address || decided.wrong_vlan;
  assign decided_ready = out_ready_i || drops;
  assign out_valid_o = decided_valid && !drops;
  assign out_flit_o = decided.flit;
  assign drop_address_o = decided_valid && decided.flit.first && decided.wrong_address;
  assign drop_vlan_o = decided_valid && decided.flit.first && decided.wrong_vlan && !decided.wrong_address;

  logic unused;
  assign unused = &{1'b0, header};
endmodule
