// SPDX-License-Identifier: Apache-2.0
// Makes a UDP datagram the reply to itself: swaps the IPv4 addresses and the UDP ports in place. Neither
// changes a sum, so desc.payload_sum stays valid. Cut-through, one flit per cycle; one cycle, or two with Cut, a register at the output, behind which it
// is known from the start whether a datagram is dropped.
// A datagram whose sender would answer in turn, or expects no answer, is dropped (refused_o), so that
// two services never answer each other for ever. A message that ends within its headers (it can only
// be void) is passed on void.
module udp_reply
  import girih_pkg::*, net_pkg::*, header_pkg::*;
#(
    parameter bit Cut = 1'b0
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic        out_valid_o,
    input  logic        out_ready_i,
    output flit_t       out_flit_o,
    output logic [47:0] out_peer_o,   // beside the first flit: address and port of the sender, who gets the reply

    output logic refused_o
);
  flit_t flit;
  logic valid, ready;
  header_t header, edit;
  header_mask_t mask;
  offset_t available, need;

  header_window #(
      .HeaderBytes(HeaderBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_flit_o (flit),
      .header_o   (header),
      .available_o(available),
      .need_i     (need)
  );
  assign need = flit.desc.l4_offset <= offset_t'(L4Last) ? flit.desc.l4_offset + 8'd4 : '0;

  // Ports whose service answers every datagram: echo, daytime, quote of the day, character generator
  // and time (RFC 862 to 868). Port 0: the sender expects no answer (RFC 768).
  function automatic logic answers(logic [15:0] port);
    return port inside {16'd7, 16'd13, 16'd17, 16'd19, 16'd37};
  endfunction
  // Each place where the ports can be is judged before it is known where they are. A datagram whose ports are at none is refused.
  logic [L4Places-1:0] is_place, answered;
  logic [15:0] src_port;
  logic refuse, refusing_q, drop;  // refusing_q: what is left of the message is dropped
  for (genvar i = 0; i < int'(L4Places); i++) begin : gen_place
    logic [15:0] src, dst;
    logic differ;
    assign {src, dst} = header[L4First+4*i+:4];
    assign is_place[i] = flit.desc.l4_offset == offset_t'(L4First + 4 * i);
    unequal #(
        .Width(16)
    ) u_ports (
        .left_i   (src),
        .right_i  (dst),
        .unequal_o(differ)
    );
    assign answered[i] = src != '0 && differ && !answers(src);
  end
  assign src_port = 16'(l4_word(header, flit.desc.l4_offset) >> 16);
  assign refuse = (is_place & answered) == '0 && need != '0 && available >= need;
  assign drop = flit.first ? refuse : refusing_q;

  typedef struct packed {
    logic drop;
    logic [47:0] peer;
    flit_t flit;
  } reply_t;
  reply_t made, reply;
  logic reply_valid, reply_ready;
  assign made.drop = drop;
  assign made.peer = {
    is_tagged(flit.desc.l3_offset) ? header[L3Tagged+Ipv4Addresses+:4] : header[L3Untagged+Ipv4Addresses+:4], src_port
  };
  skid_buffer #(
      .T(reply_t),
      .Cut(Cut)
  ) u_cut (
      .clk_i,
      .rst_i,
      .in_valid_i(valid),
      .in_ready_o(ready),
      .in_data_i(made),
      .out_valid_o(reply_valid),
      .out_ready_i(reply_ready),
      .out_data_o(reply)
  );
  // A refused message waits at most one cycle for an output that takes nothing.
  assign reply_ready = out_ready_i || (Cut ? reply.drop : refusing_q);
  assign out_valid_o = reply_valid && !reply.drop;
  assign out_peer_o = reply.peer;
  assign out_flit_o = reply.flit;
  always_ff @(posedge clk_i) begin
    if (valid) refusing_q <= drop && !(ready && flit.last);
    if (rst_i) refusing_q <= 1'b0;
  end

  // Swapped in place: every place where the ports can be offers its own two, and the mask
  // selects one place, so nothing is moved across the header.
  always_comb begin
    edit = '0;
    mask = '0;
    for (int unsigned i = 0; i < L4Places; i++) begin
      edit[L4First+4*i+:4] = {header[L4First+4*i+2+:2], header[L4First+4*i+:2]};
      mask[L4First+4*i+:4] = {4{is_place[i]}};
    end
    if (is_tagged(flit.desc.l3_offset)) begin
      edit[L3Tagged+Ipv4Addresses+:8] = {header[L3Tagged+Ipv4Addresses+4+:4], header[L3Tagged+Ipv4Addresses+:4]};
      mask[L3Tagged+Ipv4Addresses+:8] = '1;
    end else begin
      edit[L3Untagged+Ipv4Addresses+:8] = {header[L3Untagged+Ipv4Addresses+4+:4], header[L3Untagged+Ipv4Addresses+:4]};
      mask[L3Untagged+Ipv4Addresses+:8] = '1;
    end
  end

  header_edit #(
      .HeaderBytes(HeaderBytes)
  ) u_edit (
      .clk_i,
      .flit_i (flit),
      .pass_i (valid && ready),  // for a refused message, too, so that nothing of it is left for the next
      .edit_i (edit),
      .mask_i (mask),
      .flit_o (made.flit)
  );

  logic unused;
  assign unused = &{1'b0, header};

  assign refused_o = reply_valid && reply_ready && reply.flit.first && reply.drop;
endmodule
