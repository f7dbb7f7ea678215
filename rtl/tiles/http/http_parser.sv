// SPDX-License-Identifier: Apache-2.0
// Takes the messages of the stack: reads requests, a byte per cycle, and makes a job for each connection that needs one. Bytes that come while a
// connection is being answered are dropped, and the connection then ends with the answer. It never waits for jobs.
module http_parser
  import girih_pkg::*, tcp_types_pkg::*, http_script_pkg::*, http_types_pkg::*;
#(
    parameter int unsigned Connections = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,
    input  logic  serves_i,    // the pages are loaded

    input  logic    turn_i,         // it may access the clients in this cycle
    output logic    read_o,
    input  client_t client_i,       // one cycle later
    output logic    write_o,
    output logic    [$clog2(Connections)-1:0] index_o,
    output client_t client_o,

    output logic job_valid_o,
    input  logic job_ready_i,
    output job_t job_o,

    output logic used_o,
    output logic drop_o
);
  typedef enum logic [2:0] {
    Take,
    Fetch,
    Got,
    Bytes,
    Finish,
    Skip
  } state_e;
  state_e state_q;
  flit_t flit_q;
  descriptor_t desc_q;
  logic answering_q;
  length_t left_q;  // bytes of the stream that have not been parsed
  logic [7:0] byte_q;  // that is parsed, chosen among those of the flit a cycle before
  logic [EmptyWidth-1:0] next_q;  // the place of the one after it; 0 if that is in the next flit
  client_t client_q;
  request_t parsed;
  logic move, known, parses, ends;
  op_e op;
  assign op = op_e'(desc_q.stream_op);
  assign known = op_e'(in_flit_i.desc.stream_op) inside {OpOpened, OpData};
  assign in_ready_o = state_q inside {Take, Skip};
  assign move = in_valid_i && in_ready_o;
  assign parses = !client_q.answering && left_q != '0 && op == OpData;
  assign ends = parsed.part == Complete;
  http_request u_request (
      .request_i(client_q.request),
      .byte_i   (byte_q),
      .request_o(parsed)
  );

  assign index_o = ($clog2(Connections))'(desc_q.stream_connection);
  assign read_o = state_q == Fetch && turn_i;
  assign write_o = state_q == Finish && turn_i;
  assign job_valid_o = write_o;
  always_comb begin
    client_o = client_q;
    if (op == OpOpened) client_o = '{request: NewRequest, answering: 1'b0, chunked: 1'b0, script: '0};
    // Bytes after a request, or during its answer, are lost.
    else if (client_q.answering && (desc_q.stream_end || left_q != '0)) client_o.request.closing = 1'b1;
    if (client_q.answering && !answering_q) begin
      client_o.chunked = 1'b0;
      client_o.script = '0;
      client_o.script.at = page_addr_t'({client_q.request.old, client_q.request.subject, ($clog2(EntryBytes))'(0)});
    end
    job_o.name = desc_q.stream_connection;
    job_o.port = desc_q.port;
    job_o.tenant = desc_q.tenant;
    if (!serves_i || desc_q.stream_reset) job_o.what = JobClose;
    else if (op == OpOpened) job_o.what = JobRead;
    else if (client_q.answering) job_o.what = JobAnswer;
    else job_o.what = desc_q.stream_end ? JobClose : JobRead;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Take:
      if (move) begin
        flit_q <= in_flit_i;
        byte_q <= in_flit_i.data[7:0];
        next_q <= EmptyWidth'(1);
        if (in_flit_i.first) begin
          desc_q <= in_flit_i.desc;
          left_q <= in_flit_i.desc.stream_bytes;
          state_q <= known ? Fetch : in_flit_i.last ? Take : Skip;
        end else begin
          state_q <= Bytes;
        end
      end
      Fetch: if (turn_i) state_q <= Got;
      Got: begin
        client_q <= client_i;
        answering_q <= client_i.answering;
        if (op == OpOpened) client_q.answering <= 1'b0;
        state_q <= Bytes;
      end
      Bytes:
      if (parses) begin
        client_q.request <= parsed;
        client_q.answering <= ends;
        left_q <= left_q - 1'b1;
        byte_q <= flit_q.data[8*next_q+:8];
        next_q <= next_q + 1'b1;
        if (ends || left_q == length_t'(1) || next_q == '0) state_q <= flit_q.last ? Finish : Take;
      end else begin
        state_q <= flit_q.last ? Finish : Take;
      end
      Finish: if (turn_i) state_q <= Take;
      Skip: if (move && in_flit_i.last) state_q <= Take;
      default: state_q <= Take;
    endcase
    if (rst_i) begin
      state_q <= Take;
    end
  end
  assign used_o = job_valid_o && job_ready_i;
  assign drop_o = (job_valid_o && !job_ready_i) || (move && in_flit_i.last && (state_q == Skip || (in_flit_i.first && !known)));

  logic unused;
  assign unused = &{1'b0, desc_q, flit_q, in_flit_i.bad};
endmodule
