// SPDX-License-Identifier: Apache-2.0
// Takes requests whole, decodes each, and checks whether it is well formed and granted. A void
// message is dropped and reported. Two cycles for a request of one flit; a flit per cycle.
//
// Few requests wait here. The others wait in the fabric, which serves nodes in turn, so a node with many requests in flight gets
// no more turns than another.
//
// Beside every flit at the output is the decoded message: out_ask_o with the number of beats on the bus, and the status as far as
// it is known without the memory. The operand of a masked write or a swap, which is the message's first flit, is
// taken out of the stream: it is in out_operand_o beside the second.
module memory_request
  import girih_pkg::*, memory_access_pkg::*, memory_types_pkg::*;
#(
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits),
    parameter int unsigned Slots = 256,  // the most flits that an access may have are half of these
    parameter int unsigned Grants = 8
) (
    input logic clk_i,
    input logic rst_i,

    input grant_t [Grants-1:0] grants_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,
    output logic  void_o,

    output logic         out_valid_o,
    input  logic         out_ready_i,
    output ask_t         out_ask_o,
    output slots_t       out_beats_o,
    output logic [EmptyWidth-1:0] out_end_o,  // the lane behind its last byte, 0 at the end of a flit
    output status_e      out_status_o,
    output logic         out_first_o,
    output logic         out_last_o,
    output logic [W-1:0] out_operand_o,
    output logic [W-1:0] out_data_o
);
  localparam int unsigned MostFlits = MaxFrameFlits < Slots / 2 ? MaxFrameFlits : Slots / 2;
  typedef logic [$clog2(MaxFrameFlits+1)+EmptyWidth:0] size_t;  // bytes of a message

  // The size of a message is known at its end, and waits beside it.
  size_t size_q, size;
  assign size = size_q + size_t'(FlitBytes) - size_t'(in_flit_i.empty);
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) size_q <= in_flit_i.last ? '0 : size;
    if (rst_i) size_q <= '0;
  end
  assign void_o = in_valid_i && in_ready_o && in_flit_i.last && in_flit_i.bad;

  localparam int unsigned MostWaiting = 8;  // requests; as many as are needed for one in every cycle, and some more
  logic inside_q, room_q, store_ready, takes, begins;
  logic [$clog2(MostWaiting):0] waiting_q, waiting_d;
  assign in_ready_o = store_ready && (inside_q || room_q);
  assign takes = in_valid_i && in_ready_o && !inside_q;
  assign begins = out_valid_o && out_ready_i && out_first_o;
  assign waiting_d = waiting_q + $bits(waiting_q)'(takes) - $bits(waiting_q)'(begins) - $bits(waiting_q)'(void_o);
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) inside_q <= !in_flit_i.last;
    waiting_q <= waiting_d;
    room_q <= 32'(waiting_d) < MostWaiting;
    if (rst_i) begin
      inside_q <= 1'b0;
      waiting_q <= '0;
      room_q <= 1'b0;
    end
  end

  logic stored_valid, stored_ready, unused_fits;
  flit_t stored_flit;
  size_t stored_size;
  packet_store #(
      .token_t(size_t),
      .Depth  (Flits)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i(in_valid_i && (inside_q || room_q)),
      .in_ready_o(store_ready),
      .in_flit_i,
      .commit_i(in_flit_i.last && !in_flit_i.bad),
      .drop_i(in_flit_i.last && in_flit_i.bad),
      .token_i(size),
      .out_valid_o(stored_valid),
      .out_ready_i(stored_ready),
      .out_flit_o(stored_flit),
      .out_token_o(stored_size),
      .fits_o(unused_fits)
  );

  // The contents of the first flit.
  ask_t ask;
  op_e op;
  bytes_t bytes;
  assign bytes = stored_flit.desc.memory_bytes;
  logic [EmptyWidth-1:0] lane;
  logic unused;
  assign unused = &{stored_flit.desc, stored_flit.bad, stored_flit.empty};
  assign ask = '{
          reply: '{
              src: node_t'(stored_flit.desc.src),
              tenant: stored_flit.desc.tenant,
              lossless: stored_flit.desc.lossless,
              tag: stored_flit.desc.memory_tag,
              op: op_e'(stored_flit.desc.memory_op)
          },
          ordered: stored_flit.desc.memory_ordered,
          page: stored_flit.desc.memory_addr[AddrBits-1:$bits(in_page_t)],
          at: stored_flit.desc.memory_addr[$bits(in_page_t)-1:0]
      };
  assign op = ask.reply.op;
  assign lane = ask.at[EmptyWidth-1:0];

  logic [Grants-1:0] granted;
  memory_grants #(
      .Grants(Grants)
  ) u_grants (
      .grants_i,
      .src_i(ask.reply.src),
      .tenant_i(ask.reply.tenant),
      .page_i(ask.page),
      .writes_i(op != OpRead),
      .reads_i(op inside {OpRead, OpAdd, OpSwap}),
      .granted_o(granted)
  );

  // The access lies within a page; its data, behind an operand if there is one, are the message.
  size_t reach;  // from the first byte of the flit in which it starts
  size_t expected;
  slots_t beats;
  logic known, atomic, in_page, fits_flit, right, size_right;
  assign reach = size_t'(lane) + size_t'(bytes);
  assign beats = slots_t'((32'(lane) + 32'(bytes) + FlitBytes - 1) >> EmptyWidth);
  assign known = op inside {OpRead, OpWrite, OpMasked, OpAdd, OpSwap};
  assign atomic = op inside {OpAdd, OpSwap};
  assign in_page = bytes != '0 && 32'(ask.at) + 32'(bytes) <= PageBytes;
  assign fits_flit = 32'(lane) + 32'(bytes) <= FlitBytes;
  assign size_right = op == OpRead ? stored_flit.last : stored_size == expected;
  assign expected = reach + (op inside {OpMasked, OpSwap} ? size_t'(FlitBytes) : '0);
  always_comb begin
    right = known && in_page && 32'(beats) <= MostFlits;
    if (op == OpMasked && !fits_flit) right = 1'b0;
    if (atomic && (32'(bytes) != WordBytes || ask.at[2:0] != '0)) right = 1'b0;
  end

  // An operand goes no further, if anything follows it.
  logic held_q, operand;
  assign operand = stored_flit.first && !stored_flit.last && op inside {OpMasked, OpSwap};
  logic valid_q, out_first_q, last_q, right_q, size_right_q, granted_q;
  ask_t ask_q;
  slots_t beats_q;
  logic [W-1:0] operand_q, data_q;
  assign stored_ready = out_ready_i || !valid_q;

  always_ff @(posedge clk_i) begin
    if (stored_ready) begin
      valid_q <= stored_valid && !operand;
      data_q <= stored_flit.data;
      last_q <= stored_flit.last;
      out_first_q <= stored_flit.first || held_q;
      if (stored_valid && stored_flit.first) begin
        ask_q <= ask;
        beats_q <= beats;
        out_end_o <= EmptyWidth'(reach);
        right_q <= right;
        size_right_q <= size_right;
        granted_q <= granted != '0;
        operand_q <= stored_flit.data;
      end
      if (stored_valid) held_q <= operand;
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      held_q <= 1'b0;
    end
  end

  assign out_valid_o = valid_q;
  assign out_ask_o = ask_q;
  assign out_beats_o = beats_q;
  assign out_status_o = !(right_q && size_right_q) ? StatusMalformed : !granted_q ? StatusRefused : StatusOk;
  assign out_first_o = out_first_q;
  assign out_last_o = last_q;
  assign out_operand_o = operand_q;
  assign out_data_o = data_q;
endmodule
