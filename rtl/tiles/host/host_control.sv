// SPDX-License-Identifier: Apache-2.0
// The control queue: each chain holds the bytes of a command, which host_commands carries out, followed by at least one byte for the answer
// (VIRTIO_NET_OK or VIRTIO_NET_ERR). Commands are carried out one after another, a byte per cycle.
//
//   host_queue -> parts that are read -> host_read -> bytes -> host_commands -> the answer -> the chain is used
//
// A chain without a command, or without a byte for the answer, stops the queue. All reads together are those of one client of the bus, and so are all
// writes (host_serial).
module host_control
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Addresses = 16,
    parameter int unsigned Pairs = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        enable_i,
    input  place_t      place_i,
    input  logic        kick_i,
    output logic        active_o,
    output stop_e       reason_o,
    output stop_e       stopped_o,
    output logic [15:0] index_o,
    output logic        interrupt_o,

    output logic         read_valid_o,
    input  logic         read_ready_i,
    output ask_t         read_o,
    input  logic         read_refused_i,
    input  logic         came_i,
    input  logic         came_last_i,
    input  logic         came_error_i,
    input  logic [W-1:0] came_data_i,
    output logic         write_valid_o,
    input  logic         write_ready_i,
    output ask_t         write_o,
    input  logic         write_refused_i,
    output logic         data_valid_o,
    input  logic         data_ready_i,
    output write_t       data_o,
    input  logic         done_i,
    input  logic         done_error_i,

    input  offers_t                offers_i,
    input  station_t                   mac_i,
    output modes_t                 modes_o,
    output station_t                   mac_o,
    output logic   [Addresses-1:0] known_o,
    output station_t   [Addresses-1:0] addresses_o,
    output logic                   vlan_write_o,
    output vlan_id_t                  vlan_o,
    output logic                   vlan_pass_o,
    output logic                   pairs_set_o,
    output pairs_t                 pairs_o,
    output logic                   rss_set_o,
    output steer_t                 rss_table_o,
    output rss_t                   rss_o,
    output coalesce_t              coalesce_receive_o,
    output coalesce_t              coalesce_send_o,

    output logic carried_out_o,  // for a cycle: a command has been carried out
    output logic refused_o       // or refused
);
  localparam int unsigned Ring = 0, Command = 1, Answer = 1;  // numbers of readers, and of writers
  localparam int unsigned Chains = 4;
  localparam int unsigned ReadFlits = 128;
  localparam logic [7:0] Ok = 8'd0, Error = 8'd1;

  notice_t notice;
  assign interrupt_o = notice.wanted;  // at once
  logic clear, halt, unused_size_valid, ring_part_valid, ring_part_ready, part_valid, part_ready, used_valid, used_ready, read_busy;
  stop_e stop, read_stop;
  chain_size_t unused_size;
  part_t ring_part, part;
  name_t name_q;
  logic [1:0] ask_valid, ask_ready, ask_turn, put_valid, put_ready, put_turn, put_data_valid;
  ask_t [1:0] ask, put;
  write_t [1:0] put_data;
  logic put_data_taken;
  typedef enum logic [2:0] {
    Parts,  // of the command, up to the first one to write to
    Rest,  // further parts to write to, which are not used
    Carried,  // the command is being carried out
    Answers,
    Used
  } state_e;
  state_e state_q;
  logic answering_q;  // the answer is on its way
  host_queue #(
      .Chains(Chains),
      .Answers(1'b1)
  ) u_queue (
      .clk_i,
      .rst_i,
      .enable_i,
      .place_i,
      .kick_i,
      .active_o,
      .reason_o,
      .stopped_o,
      .index_o,
      .notice_o(notice),
      .clear_o(clear),
      .halt_o(halt),
      .busy_i(read_busy || answering_q),
      .stop_i(stop),
      .size_valid_o(unused_size_valid),
      .size_ready_i(1'b0),
      .size_o(unused_size),
      .part_valid_o(ring_part_valid),
      .part_ready_i(ring_part_ready),
      .part_o(ring_part),
      .used_valid_i(used_valid),
      .used_ready_o(used_ready),
      .used_i('{more: 1'b0, chain: name_q, bytes: 17'd1}),
      .read_valid_o(ask_valid[Ring]),
      .read_ready_i(ask_ready[Ring]),
      .read_o(ask[Ring]),
      .read_refused_i(read_refused_i && ask_turn[Ring]),
      .came_i(came_i && ask_turn[Ring]),
      .came_error_i,
      .came_data_i,
      .write_valid_o(put_valid[Ring]),
      .write_ready_i(put_ready[Ring]),
      .write_o(put[Ring]),
      .write_refused_i(write_refused_i && put_turn[Ring]),
      .data_valid_o(put_data_valid[Ring]),
      .data_ready_i(put_turn[Ring] && put_data_taken),
      .data_o(put_data[Ring]),
      .done_i(done_i && put_turn[Ring]),
      .done_error_i
  );
  // Behind the memory of the parts.
  skid_buffer #(
      .T(part_t)
  ) u_part (
      .clk_i,
      .rst_i(clear),
      .in_valid_i(ring_part_valid),
      .in_ready_o(ring_part_ready),
      .in_data_i(ring_part),
      .out_valid_o(part_valid),
      .out_ready_i(part_ready),
      .out_data_o(part)
  );
  host_serial u_reads (
      .clk_i,
      .rst_i,
      .ask_valid_i(ask_valid),
      .ask_ready_o(ask_ready),
      .ask_i(ask),
      .ask_valid_o(read_valid_o),
      .ask_ready_i(read_ready_i),
      .ask_o(read_o),
      .turn_o(ask_turn),
      .ends_i((came_i && came_last_i) || read_refused_i)
  );

  // A write has ended when its data have left and its response has come. Each write is one flit.
  logic put_sent_q, put_done_q, put_done, sent_ready;
  assign put_done = done_i || write_refused_i;
  assign put_data_taken = !put_sent_q && sent_ready;
  stream_register #(  // all clients' data are beside one another behind it
      .T(write_t)
  ) u_sent (
      .clk_i,
      .rst_i,
      .in_valid_i(!put_sent_q && |(put_turn & put_data_valid)),
      .in_ready_o(sent_ready),
      .in_data_i(put_turn[Ring] ? put_data[Ring] : put_data[Answer]),
      .out_valid_o(data_valid_o),
      .out_ready_i(data_ready_i),
      .out_data_o(data_o)
  );
  host_serial u_writes (
      .clk_i,
      .rst_i,
      .ask_valid_i(put_valid),
      .ask_ready_o(put_ready),
      .ask_i(put),
      .ask_valid_o(write_valid_o),
      .ask_ready_i(write_ready_i),
      .ask_o(write_o),
      .turn_o(put_turn),
      .ends_i(put_sent_q && put_done_q)
  );
  always_ff @(posedge clk_i) begin
    if (put_data_taken && |(put_turn & put_data_valid)) put_sent_q <= 1'b1;
    if (put_done) put_done_q <= 1'b1;
    if (rst_i || (put_sent_q && put_done_q)) begin
      put_sent_q <= 1'b0;
      put_done_q <= 1'b0;
    end
  end

  // A part of the command is passed on once it is known whether it is the last.
  logic held_q, gives, read_valid, read_ready, bytes_ready, read_last, unused_used_valid;
  part_t held, held_part_q;
  logic [W-1:0] read_data;
  lane_t read_empty;
  used_t unused_used;
  assign gives = state_q == Parts && part_valid && held_q;
  always_comb begin
    held = held_part_q;
    held.last = part.writes;
  end
  logic given;
  host_read #(
      .Flits(ReadFlits)
  ) u_read (
      .clk_i,
      .rst_i(clear),
      .halt_i(halt),
      .busy_o(read_busy),
      .stop_o(read_stop),
      .part_valid_i(gives),
      .part_ready_o(given),
      .part_i(held),
      .ask_valid_o(ask_valid[Command]),
      .ask_ready_i(ask_ready[Command]),
      .ask_o(ask[Command]),
      .refused_i(read_refused_i && ask_turn[Command]),
      .came_i(came_i && ask_turn[Command]),
      .came_last_i,
      .came_error_i,
      .came_data_i,
      .out_valid_o(read_valid),
      .out_ready_i(bytes_ready),
      .out_data_o(read_data),
      .out_empty_o(read_empty),
      .out_last_o(read_last),
      .used_valid_o(unused_used_valid),
      .used_ready_i(1'b1),
      .used_o(unused_used)
  );
  assign read_ready = gives && given;

  // The bytes of a flit, one per cycle.
  logic [W-1:0] bytes_q;
  logic [EmptyWidth:0] left_q;
  logic last_q, byte_ready, byte_valid, done, ok, ok_q, done_q;
  assign bytes_ready = left_q == '0;
  assign byte_valid = left_q != '0;
  always_ff @(posedge clk_i) begin
    if (bytes_ready && read_valid) begin
      bytes_q <= read_data;
      left_q  <= (EmptyWidth + 1)'(FlitBytes) - (EmptyWidth + 1)'(read_empty);
      last_q  <= read_last;
    end else if (byte_valid && byte_ready) begin
      bytes_q <= bytes_q >> 8;
      left_q  <= left_q - 1'b1;
    end
    if (clear) left_q <= '0;
  end
  host_commands #(
      .Addresses(Addresses),
      .Pairs(Pairs)
  ) u_commands (
      .clk_i,
      .rst_i,
      .enable_i,
      .clear_i(clear),
      .offers_i,
      .mac_i,
      .byte_valid_i(byte_valid),
      .byte_ready_o(byte_ready),
      .byte_i(bytes_q[7:0]),
      .byte_last_i(last_q && left_q == (EmptyWidth + 1)'(1)),
      .done_o(done),
      .ok_o(ok),
      .modes_o,
      .mac_o,
      .known_o,
      .addresses_o,
      .vlan_write_o,
      .vlan_o,
      .vlan_pass_o,
      .pairs_set_o,
      .pairs_o,
      .rss_set_o,
      .rss_table_o,
      .rss_o,
      .coalesce_receive_o,
      .coalesce_send_o
  );
  assign carried_out_o = done && ok;
  assign refused_o = done && !ok;

  // The answer.
  addr_t answer_q;
  assign put_valid[Answer] = state_q == Answers && !answering_q && !halt;
  assign put[Answer] = '{addr: answer_q, bytes: bytes_t'(1)};
  assign put_data_valid[Answer] = 1'b1;
  assign put_data[Answer] = '{last: 1'b1, strb: FlitBytes'(1) << answer_q[EmptyWidth-1:0], data: {FlitBytes{ok_q ? Ok : Error}}};
  assign used_valid = state_q == Used;

  logic starts_answer, empty;  // the chain has no command
  assign starts_answer = state_q == Parts && part_valid && part.writes;
  assign empty = starts_answer && !held_q;
  assign part_ready = state_q == Rest || (state_q == Parts && (!held_q || given) && !empty);
  always_comb begin
    stop = read_stop;
    if (empty) stop = StopSize;
    if (put_turn[Answer] && done_i && done_error_i) stop = StopBus;
    if (put_turn[Answer] && write_refused_i) stop = StopRefused;
  end
  always_ff @(posedge clk_i) begin
    if (done) {done_q, ok_q} <= {1'b1, ok};
    unique case (state_q)
      Parts:
      if (part_valid && part_ready) begin
        held_q <= !part.writes;
        held_part_q <= part;
        name_q <= part.chain;
        answer_q <= part.addr;
        if (part.writes) state_q <= part.last ? Carried : Rest;
      end
      Rest: if (part_valid && part.last) state_q <= Carried;
      Carried:
      if (done_q) begin
        done_q  <= 1'b0;
        state_q <= Answers;
      end
      Answers: begin
        if (put_valid[Answer] && put_ready[Answer]) answering_q <= 1'b1;
        if (answering_q && put_turn[Answer] && put_sent_q && put_done_q) begin
          answering_q <= 1'b0;
          state_q <= Used;
        end
      end
      default: if (used_ready) state_q <= Parts;
    endcase
    if (clear) begin
      state_q <= Parts;
      held_q <= 1'b0;
      done_q <= 1'b0;
      answering_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, notice.asks, notice.declined, notice.shown, unused_size_valid, unused_size, unused_used_valid, unused_used, read_ready};
endmodule
