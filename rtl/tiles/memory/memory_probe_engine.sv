// SPDX-License-Identifier: Apache-2.0
// Makes a number of equal accesses to memory, on a command through its window, with a number of them in flight. It measures the
// cycles until all have been answered, the sum of their times, and the cycles in which its link had a request.
//
// The first access is at the address of the command, each further one `stride` bytes after the previous one, and after `rounds` of
// them the first address is used again. All words of 32 bits in the flits of a write hold its number. A write is as many flits as its
// bytes need, a read is one; other operations are sent as commanded, even those that do not exist.
module memory_probe_engine
  import girih_pkg::*, memory_probe_pkg::*, memory_access_pkg::*, probe_window_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  logic  reply_in_valid_i,
    output logic  reply_in_ready_o,
    input  flit_t reply_in_flit_i,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned Words = W / 32;
  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [$clog2(PageBytes):0] bytes_t;
  typedef logic [$clog2(PageBytes)+1:0] reach_t;  // bytes from the start of a flit

  // The command.
  addr_t first_q;
  logic [31:0] stride_q, rounds_q, count_q;
  bytes_t bytes_q;
  logic [3:0] what_q;  // {ordered, operation}
  logic [15:0] window_q;
  logic write, starts, busy_q, mine;
  logic possible_q;  // its requests are messages of this card, and there can be one
  tenant_t tenant_q;

  // The access that is being requested.
  addr_t addr_q;
  logic [31:0] to_go_q, number_q, round_q;
  reach_t sent_q;  // bytes of its flits before this one
  logic inside_q;  // its first flit has left
  logic room_q;
  logic [15:0] flying_q, flying_d;

  logic offer, ask_ready, takes, begins, ends_here;
  reach_t reach, left;
  logic [EmptyWidth-1:0] lane;
  op_e op;
  assign op = op_e'(what_q[2:0]);
  assign lane = addr_q[EmptyWidth-1:0];
  assign reach = op == OpRead ? reach_t'(1) : reach_t'(lane) + reach_t'(bytes_q);
  assign left = reach - sent_q;
  assign ends_here = left <= reach_t'(FlitBytes);
  assign offer = busy_q && (inside_q || (room_q && to_go_q != '0));
  assign takes = offer && ask_ready;
  assign begins = takes && !inside_q;

  flit_t ask;
  always_comb begin
    ask = '0;
    ask.desc.tenant = tenant_q;
    ask.desc.memory_op = op;
    ask.desc.memory_ordered = what_q[3];
    ask.desc.memory_addr = addr_q;
    ask.desc.memory_bytes = $bits(ask.desc.memory_bytes)'(bytes_q);
    ask.desc.memory_tag = $bits(ask.desc.memory_tag)'(number_q);
    ask.last = ends_here;
    ask.empty = ends_here ? -left[EmptyWidth-1:0] : '0;
    ask.data = {Words{number_q}};
  end
  skid_buffer #(
      .T(flit_t)
  ) u_ask (
      .clk_i,
      .rst_i,
      .in_valid_i(offer),
      .in_ready_o(ask_ready),
      .in_data_i(ask),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_flit_o)
  );
  assign out_key_o = '0;

  // Replies are always taken: only the exclusive or of all words of their data is kept.
  logic replied, failed;
  logic [31:0] folded, folded_q, sum_q;
  logic came_q;
  assign reply_in_ready_o = 1'b1;
  assign replied = reply_in_valid_i && reply_in_flit_i.last;
  assign failed = replied && status_e'(reply_in_flit_i.desc.memory_status) != StatusOk;
  always_comb begin
    folded = '0;
    for (int unsigned i = 0; i < Words; i++) folded ^= reply_in_flit_i.data[32*i+:32];
  end
  logic unused;
  assign unused = &{1'b0, reply_in_flit_i, window_addr_i};

  // The measurements since the command.
  logic [31:0] cycles_q, waits_q, posted_q, failed_q;
  logic ends;
  assign flying_d = flying_q + 16'(begins) - 16'(replied);
  assign ends = busy_q && to_go_q == '0 && !inside_q && flying_q == '0;

  // The window.
  assign mine = window_tenant_i == '0 && window_addr_i <= SumAt;
  assign window_done_o = window_valid_i;
  assign write = window_valid_i && window_write_i && !window_error_o;
  assign starts = write && window_addr_i == StartAt;
  always_comb begin
    window_error_o = !mine || (window_write_i && (busy_q || window_addr_i > StartAt));
    if (window_write_i && window_addr_i == StartAt && !possible_q) window_error_o = 1'b1;
    unique case (window_addr_i)
      AddressAt: window_data_o = first_q[31:0];
      AddressAt + 4: window_data_o = 32'(first_q[AddrBits-1:32]);
      StrideAt: window_data_o = stride_q;
      RoundsAt: window_data_o = rounds_q;
      BytesAt: window_data_o = 32'(bytes_q);
      WhatAt: window_data_o = 32'(what_q);
      WindowAt: window_data_o = 32'(window_q);
      CountAt: window_data_o = count_q;
      StateAt: window_data_o = 32'(busy_q);
      CyclesAt: window_data_o = cycles_q;
      WaitsAt: window_data_o = waits_q;
      PostedAt: window_data_o = posted_q;
      FailedAt: window_data_o = failed_q;
      SumAt: window_data_o = sum_q;
      default: window_data_o = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      unique case (window_addr_i)
        AddressAt: first_q[31:0] <= window_data_i;
        AddressAt + 4: first_q[AddrBits-1:32] <= window_data_i[AddrBits-33:0];
        StrideAt: stride_q <= window_data_i;
        RoundsAt: rounds_q <= window_data_i;
        BytesAt: bytes_q <= window_data_i > 32'(PageBytes) ? bytes_t'(PageBytes) : bytes_t'(window_data_i);
        WhatAt: what_q <= window_data_i[3:0];
        WindowAt: window_q <= window_data_i[15:0];
        CountAt: count_q <= window_data_i;
        default: ;
      endcase
    end

    possible_q <= 32'(bytes_q) + FlitBytes - 1 <= MaxFrameBytes && bytes_q != '0 && window_q != '0;
    flying_q <= flying_d;
    room_q <= flying_d < window_q;
    if (takes) begin
      inside_q <= !ends_here;
      sent_q   <= ends_here ? '0 : sent_q + reach_t'(FlitBytes);
      if (ends_here) begin
        to_go_q <= to_go_q - 1'b1;
        number_q <= number_q + 1'b1;
        round_q <= round_q == rounds_q ? 32'd1 : round_q + 1'b1;
        addr_q <= round_q == rounds_q ? first_q : addr_q + addr_t'(stride_q);
      end
    end

    came_q <= reply_in_valid_i && op_e'(reply_in_flit_i.desc.memory_op) == OpRead;
    folded_q <= folded;
    if (came_q) sum_q <= sum_q ^ folded_q;
    if (busy_q && !ends) cycles_q <= cycles_q + 1'b1;
    waits_q  <= waits_q + 32'(flying_q);
    posted_q <= posted_q + 32'(offer);
    failed_q <= failed_q + 32'(failed);
    if (ends) busy_q <= 1'b0;

    if (starts) begin
      busy_q <= 1'b1;
      tenant_q <= tenant_t'(cfg_i.tenant);
      addr_q <= first_q;
      to_go_q <= count_q;
      number_q <= '0;
      round_q <= 32'd1;
      sum_q <= '0;
      {cycles_q, waits_q, posted_q, failed_q} <= '0;
    end
    if (rst_i) begin
      first_q <= '0;
      {stride_q, rounds_q, count_q} <= '0;
      bytes_q <= '0;
      what_q <= '0;
      window_q <= '0;
      busy_q <= 1'b0;
      inside_q <= 1'b0;
      sent_q <= '0;
      to_go_q <= '0;
      room_q <= 1'b0;
      flying_q <= '0;
      came_q <= 1'b0;
      sum_q <= '0;
      {cycles_q, waits_q, posted_q, failed_q} <= '0;
    end
  end

  always_comb begin
    event_o = '0;
    event_o.made_requests = takes && ends_here;
    event_o.used_replies = replied;
    event_o.mark_failed = failed;
  end
endmodule
