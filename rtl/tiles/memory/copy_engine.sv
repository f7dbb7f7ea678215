// SPDX-License-Identifier: Apache-2.0
// Copies a range of memory to another, on a command through its window: a flit in two cycles, with up to Reads reads
// in flight. Source, destination and size are multiples of a flit. Bit HostBit of an address means the memory of the host;
// it is the key of the next hop. The ranges must not overlap so that a byte would be written before it is read.
//
// It requests a flit only if it has room for it, so it always takes replies. Replies to reads come in the order of the reads, so
// writes go to consecutive addresses. After the first failure it makes no more requests, and the copy ends when all requests
// in flight have been answered.
module copy_engine
  import girih_pkg::*, copy_pkg::*, memory_access_pkg::*, copy_window_pkg::*;
#(
    parameter int unsigned Reads = 128
) (
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
  if (Reads < 2 || (Reads & (Reads - 1)) != 0) begin : gen_bad_reads
    $fatal(1, "copy_engine: Reads is %0d; it must be a power of two, at least 2", Reads);
  end

  localparam int unsigned HostBit = 63;  // of an address
  typedef logic [AddrBits-EmptyWidth-1:0] place_t;  // a flit in memory
  typedef logic [31-EmptyWidth:0] flits_t;  // a number of them
  typedef logic [$clog2(Reads):0] room_t;

  // The command.
  logic [63:0] source_q, destination_q;
  logic [31:0] size_q;
  logic busy_q, starts, ends;
  status_e state_q;  // what went wrong first
  logic failed_q;  // it is not StatusOk
  tenant_t tenant_q;

  // The copy: the flits still to be read, and those not yet known to be written.
  place_t read_q, write_q;
  logic read_host_q, write_host_q;  // it is in the memory of the host
  flits_t to_read_q, left_q;
  room_t room_q;  // for flits to be requested
  logic unread_q, free_q;  // to_read_q, room_q is not 0
  logic [$clog2(Reads)+1:0] asked_q;  // requests without a reply

  // Replies.
  logic replied, came;
  status_e status;
  assign reply_in_ready_o = 1'b1;
  assign replied = reply_in_valid_i && reply_in_flit_i.last;
  assign status = status_e'(reply_in_flit_i.desc.memory_status);
  assign came = reply_in_valid_i && reply_in_flit_i.desc.memory_op == OpRead;
  logic unused;
  assign unused = &{reply_in_flit_i, source_q, destination_q, size_q};

  // The data of a failed copy are discarded.
  logic data_valid, data_ready, unused_ready;
  logic [W-1:0] data;
  fifo #(
      .T(logic [W-1:0]),
      .Depth(Reads)
  ) u_data (
      .clk_i,
      .rst_i,
      .in_valid_i(came && status == StatusOk),
      .in_ready_o(unused_ready),
      .in_data_i(reply_in_flit_i.data),
      .out_valid_o(data_valid),
      .out_ready_i(data_ready),
      .out_data_o(data)
  );

  // Requests: writes go first. At most MostAsked requests are without a reply.
  logic ask_ready, reads, writes, room;
  flit_t ask;
  localparam int unsigned MostAsked = 2 * Reads;
  assign room = 32'(asked_q) < MostAsked;
  assign writes = data_valid && !failed_q && room;
  assign reads = !writes && unread_q && free_q && !failed_q && room;
  assign data_ready = failed_q || (writes && ask_ready);
  always_comb begin
    ask = '0;
    ask.desc.tenant = tenant_q;
    ask.desc.memory_op = writes ? OpWrite : OpRead;
    ask.desc.memory_addr = {writes ? write_q : read_q, EmptyWidth'(0)};
    ask.desc.memory_bytes = $bits(ask.desc.memory_bytes)'(FlitBytes);
    ask.last = 1'b1;
    ask.data = data;
  end
  logic ask_host;
  assign out_key_o = next_key_t'(ask_host);
  skid_buffer #(
      .T(logic [$bits(flit_t):0])
  ) u_ask (
      .clk_i,
      .rst_i,
      .in_valid_i(reads || writes),
      .in_ready_o(ask_ready),
      .in_data_i({writes ? write_host_q : read_host_q, ask}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o({ask_host, out_flit_o})
  );

  logic reads_now, writes_now, taken, wasted;
  assign taken = data_valid && data_ready;
  assign wasted = came && status != StatusOk;  // the room for data that do not come
  assign reads_now = reads && ask_ready;
  assign writes_now = writes && ask_ready;
  assign ends = busy_q && asked_q == '0 && !data_valid && (failed_q || left_q == '0);

  // The window.
  tenant_t owner_q;  // whose command the registers hold; a new tenant gets them when they have been erased
  logic given, mine;
  logic misplaced_q;  // of the command as it was a cycle ago: between two requests of the window there is one
  assign given = owner_q == tenant_t'(cfg_i.tenant);
  assign mine = (window_tenant_i == '0 || (window_tenant_i == tenant_t'(cfg_i.tenant) && given)) && window_addr_i <= LeftAt;

  // The flit after a range, and whether the range ends beyond the last address.
  localparam int unsigned FlitAddrBits = AddrBits - EmptyWidth;
  function automatic logic beyond(input logic [FlitAddrBits-1:0] first, input logic [31:EmptyWidth] flits);
    logic [FlitAddrBits:0] behind;
    behind = (FlitAddrBits + 1)'(first) + (FlitAddrBits + 1)'(flits);
    beyond = behind[FlitAddrBits] && behind[FlitAddrBits-1:0] != '0;
  endfunction
  always_ff @(posedge clk_i) begin
    misplaced_q <= |{source_q[EmptyWidth-1:0], destination_q[EmptyWidth-1:0], size_q[EmptyWidth-1:0]} ||
        |{source_q[HostBit-1:AddrBits], destination_q[HostBit-1:AddrBits]} || size_q == '0 ||
        beyond(source_q[AddrBits-1:EmptyWidth], size_q[31:EmptyWidth]) || beyond(destination_q[AddrBits-1:EmptyWidth], size_q[31:EmptyWidth]);
    if (rst_i) misplaced_q <= 1'b1;
  end
  assign starts = window_valid_i && window_write_i && mine && window_addr_i == StartAt && !busy_q && !misplaced_q;
  assign window_done_o = window_valid_i;
  always_comb begin
    window_error_o = !mine;
    if (window_write_i && (busy_q || window_addr_i > StartAt)) window_error_o = 1'b1;
    if (window_write_i && window_addr_i == StartAt && misplaced_q) window_error_o = 1'b1;
    unique case (window_addr_i)
      SourceAt: window_data_o = source_q[31:0];
      SourceAt + 4: window_data_o = source_q[63:32];
      DestinationAt: window_data_o = destination_q[31:0];
      DestinationAt + 4: window_data_o = destination_q[63:32];
      SizeAt: window_data_o = size_q;
      StateAt: window_data_o = {25'd0, state_q, 3'd0, busy_q};
      LeftAt: window_data_o = {left_q, EmptyWidth'(0)};
      default: window_data_o = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (window_valid_i && window_write_i && !window_error_o) begin
      if (window_addr_i == SourceAt) source_q[31:0] <= window_data_i;
      if (window_addr_i == SourceAt + 4) source_q[63:32] <= window_data_i;
      if (window_addr_i == DestinationAt) destination_q[31:0] <= window_data_i;
      if (window_addr_i == DestinationAt + 4) destination_q[63:32] <= window_data_i;
      if (window_addr_i == SizeAt) size_q <= window_data_i;
    end

    room_q <= room_q - room_t'(reads_now) + room_t'(taken) + room_t'(wasted);
    free_q <= room_q > room_t'(reads_now) || taken || wasted;
    asked_q <= asked_q + $bits(asked_q)'(reads_now || writes_now) - $bits(asked_q)'(replied);
    if (reads_now) begin
      read_q <= read_q + 1'b1;
      to_read_q <= to_read_q - 1'b1;
      unread_q <= to_read_q != flits_t'(1);
    end
    if (writes_now) write_q <= write_q + 1'b1;
    if (replied && !came && status == StatusOk) left_q <= left_q - 1'b1;
    if (replied && status != StatusOk && !failed_q) begin
      state_q <= status;
      failed_q <= 1'b1;
    end
    if (ends) busy_q <= 1'b0;
    if (!given && !busy_q) begin
      owner_q <= tenant_t'(cfg_i.tenant);
      source_q <= '0;
      destination_q <= '0;
      size_q <= '0;
      state_q <= StatusOk;
      failed_q <= 1'b0;
      left_q <= '0;
    end
    if (starts) begin
      busy_q <= 1'b1;
      state_q <= StatusOk;
      failed_q <= 1'b0;
      tenant_q <= tenant_t'(cfg_i.tenant);
      read_host_q <= source_q[HostBit];
      write_host_q <= destination_q[HostBit];
      read_q <= source_q[AddrBits-1:EmptyWidth];
      write_q <= destination_q[AddrBits-1:EmptyWidth];
      to_read_q <= size_q[31:EmptyWidth];
      unread_q <= 1'b1;  // a size of 0 is misplaced
      left_q <= size_q[31:EmptyWidth];
    end
    if (rst_i) begin
      owner_q <= tenant_t'(cfg_i.tenant);
      source_q <= '0;
      destination_q <= '0;
      size_q <= '0;
      busy_q <= 1'b0;
      state_q <= StatusOk;
      failed_q <= 1'b0;
      to_read_q <= '0;
      unread_q <= 1'b0;
      left_q <= '0;
      room_q <= room_t'(Reads);
      free_q <= 1'b1;
      asked_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (unread_q == (to_read_q != '0) && free_q == (room_q != '0) && failed_q == (state_q != StatusOk));
    end
  end

  always_comb begin
    event_o = '0;
    event_o.made_requests = reads_now || writes_now;
    event_o.used_replies = replied;
    event_o.mark_copies = ends && !failed_q;
    event_o.mark_failed = ends && failed_q;
  end
endmodule
