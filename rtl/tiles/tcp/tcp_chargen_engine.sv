// SPDX-License-Identifier: Apache-2.0
// The character generator of RFC 864 over TCP: each connection gets the text of chargen_pkg as fast as it takes it, and received bytes are
// discarded. A read waits for room. Its answer causes the next read, whose answer is then in flight during the writes, and writes of `bytes` bytes
// for about half of the room, a flit per cycle. At the end of the peer's stream it causes a close. Between two jobs are seven cycles. The engine
// keeps each connection's place in the text, and how much it may have written since its read, because an answer does not account for that.
//
// The input never waits: a connection has one read in progress at a time, so there is a place for each answer.
module tcp_chargen_engine
  import girih_pkg::*, tcp_types_pkg::*, chargen_pkg::*, tcp_chargen_pkg::cfg_t, tcp_chargen_pkg::event_t;
#(
    parameter int unsigned Connections = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  if (Connections < 16 || Connections > 16384 || (Connections & (Connections - 1)) != 0) begin : gen_bad_connections
    $fatal(1, "tcp_chargen_engine: Connections is %0d; it must be a power of two from 16 to 16384", Connections);
  end
  localparam length_t MostBytes = length_t'(MaxFrameBytes < 8192 ? MaxFrameBytes : 8192);
  localparam length_t MostRoom = '1;
  typedef logic [$clog2(Connections)-1:0] id_t;

  typedef struct packed {
    logic opened;
    logic at_end;
    name_t name;
    port_t port;
    tenant_t tenant;
    length_t room;
  } job_t;

  // Messages of the stack.
  logic known_q, known, take, job_push, job_ready, job_valid, job_pop;
  job_t come, job;
  op_e  op;
  assign op = op_e'(in_flit_i.desc.stream_op);
  assign known = op inside {OpOpened, OpData};
  assign in_ready_o = job_ready;
  assign take = in_valid_i && in_ready_o;
  assign job_push = take && in_flit_i.first && known;
  assign come = '{
          opened: op == OpOpened,
          at_end: in_flit_i.desc.stream_end,
          name: in_flit_i.desc.stream_connection,
          port: in_flit_i.desc.port,
          tenant: in_flit_i.desc.tenant,
          room: in_flit_i.desc.stream_room
      };
  fifo_block #(
      .T(job_t),
      .Depth(Connections)
  ) u_jobs (
      .clk_i,
      .rst_i,
      .in_offer_i (take && in_flit_i.first),
      .in_valid_i (job_push),
      .in_ready_o (job_ready),
      .in_data_i  (come),
      .out_valid_o(job_valid),
      .out_ready_i(job_pop),
      .out_data_o (job)
  );
  always_ff @(posedge clk_i) begin
    if (take && in_flit_i.first) known_q <= known;
  end

  // One job at a time: look up the place, write, and end with a command. A flit is begun in one cycle, and has its characters in the next.
  typedef enum logic [2:0] {
    Idle,
    Look,
    Plan,
    Size,
    Command,
    Write,
    Keep
  } state_e;
  typedef struct packed {
    place_t  place;
    length_t spent;
  } kept_t;
  state_e state_q;
  job_t job_q;
  kept_t kept;
  place_t place_q;
  length_t size, size_q, left_q;  // of a write; of the present write
  length_t room_q, enough_q, spent_q;  // room left; the part of it to leave unused; the most to write now
  length_t half, ask;
  logic last, move, begins;
  assign size = length_t'(cfg_i.bytes) > MostBytes ? MostBytes : cfg_i.bytes == '0 ? length_t'(1) : length_t'(cfg_i.bytes);
  assign last = left_q <= length_t'(FlitBytes);
  assign job_pop = state_q == Idle;
  assign begins = state_q inside {Write, Command};

  ram_simple_dual #(
      .T(kept_t),
      .Depth(Connections)
  ) u_places (
      .clk_i,
      .write_enable_i(state_q == Keep),
      .write_addr_i(id_t'(job_q.name)),
      .write_data_i({place_q, spent_q}),
      .read_enable_i(state_q == Look),
      .read_addr_i(id_t'(job_q.name)),
      .read_data_o(kept)
  );

  assign half = room_q >> 1;
  assign ask = cfg_i.room == '0 ? length_t'(1) : length_t'(cfg_i.room);
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        job_q <= job;
        if (job_valid) state_q <= Look;
      end
      Look: state_q <= Plan;
      Plan: begin
        place_q <= job_q.opened ? '0 : kept.place;
        room_q <= job_q.opened || job_q.at_end || job_q.room < kept.spent ? '0 : job_q.room - kept.spent;
        state_q <= Size;
      end
      Size: begin
        size_q <= size < room_q ? size : room_q;
        left_q <= size < room_q ? size : room_q;
        enough_q <= room_q - half;
        spent_q <= size < room_q - half ? half + size : room_q;
        state_q <= Command;
      end
      Command: if (move) state_q <= job_q.at_end ? Idle : size_q == '0 ? Keep : Write;
      Write:
      if (move) begin
        place_q <= behind(place_q, last ? left_q[7:0] : 8'(FlitBytes));
        left_q  <= left_q - length_t'(FlitBytes);
        if (last) begin
          left_q <= size_q;
          room_q <= room_q - size_q;
          if (room_q - size_q < size_q || room_q - size_q <= enough_q) state_q <= Keep;
        end
      end
      default: state_q <= Idle;
    endcase
    if (rst_i) state_q <= Idle;
  end

  // The flit that the previous cycle has begun.
  logic valid_q, writes_q, last_q;
  flit_t flit_q, flit;
  row_t row_q;
  logic [FlitBytes-1:0][7:0] data;
  assign move = !valid_q || out_ready_i;
  always_ff @(posedge clk_i) begin
    if (move) begin
      valid_q <= begins;
      writes_q <= state_q == Write;
      last_q <= state_q != Write || last;
      row_q <= row_at(place_q);
      flit_q <= '0;
      flit_q.desc.port <= job_q.port;
      flit_q.desc.tenant <= job_q.tenant;
      flit_q.desc.stream_connection <= job_q.name;
      flit_q.last <= state_q != Write || last;
      if (state_q == Write) begin
        flit_q.desc.stream_op <= 3'(OpWrite);
        flit_q.desc.stream_bytes <= size_q;
        flit_q.empty <= last ? EmptyWidth'(FlitBytes - 32'(left_q)) : '0;
      end else begin
        flit_q.desc.stream_op <= 3'(job_q.at_end ? OpClose : OpRead);
        flit_q.desc.stream_room <= spent_q > MostRoom - ask ? MostRoom : spent_q + ask;
      end
    end
    if (rst_i) valid_q <= 1'b0;
  end
  for (genvar i = 0; i < int'(FlitBytes); i++) begin : gen_byte
    localparam table_t Printable = printable(i);
    logic [MostEnds:0] behind_end;  // one-hot: the number of line ends between the flit's place and this byte
    logic cr, lf;
    always_comb begin
      behind_end = '0;
      {cr, lf} = '0;
      for (int n = 0; n <= int'(MostEnds); n++) begin
        if (int'(row_q.column) + i >= 74 * n) behind_end = (MostEnds + 1)'(1) << n;
        if (int'(row_q.column) + i == 74 * n + 72) cr = 1'b1;
        if (int'(row_q.column) + i == 74 * n + 73) lf = 1'b1;
      end
    end
    logic [6:0] from;
    always_comb begin
      from = '0;
      for (int unsigned n = 0; n <= MostEnds; n++) if (behind_end[n]) from |= row_q.characters[n];
    end
    assign data[i] = !writes_q ? '0 : cr ? 8'h0d : lf ? 8'h0a : Printable[from];
  end
  always_comb begin
    flit = flit_q;
    flit.data = data;
  end
  assign out_valid_o = valid_q;
  assign out_flit_o = flit;
  assign out_key_o = '0;

  logic known_now;
  assign known_now = in_flit_i.first ? known : known_q;
  assign event_o.drop_unexpected = take && in_flit_i.last && !known_now;
  assign event_o.used_messages = take && in_flit_i.last && known_now;
  assign event_o.made_writes = valid_q && out_ready_i && last_q && writes_q;
  assign event_o.made_commands = valid_q && out_ready_i && last_q && !writes_q;
  assign event_o.mark_opened = job_push && op == OpOpened;

  logic unused;
  assign unused = &{1'b0, cfg_i, job, in_flit_i};
endmodule
