// SPDX-License-Identifier: Apache-2.0
// Turns requests into transactions on the AXI4 port, in their order, one flit per cycle. Each request gets slots among the replies
// (memory_replies), the first of which is the transaction's ID, so an ID is never in use twice. A request that is malformed or not
// granted gets a slot, and goes no further.
//
// An ordered request waits until all earlier ones of its requester are done, and for one cycle at least. An atomic access waits until all
// earlier accesses are done, and all later ones wait for it: the word is read, changed and written back. A swap whose
// comparison fails, or a read that fails, writes nothing.
module memory_issue
  import girih_pkg::*, memory_access_pkg::*, memory_types_pkg::*, axi_pkg::*;
#(
    parameter int unsigned Slots = 256
) (
    input logic clk_i,
    input logic rst_i,

    // From memory_request.
    input  logic         in_valid_i,
    output logic         in_ready_o,
    input  ask_t         in_ask_i,
    input  slots_t       in_beats_i,
    input  logic [EmptyWidth-1:0] in_end_i,  // the lane behind the last byte, 0 at the end of a flit
    input  status_e      in_status_i,
    input  logic         in_first_i,
    input  logic         in_last_i,
    input  logic [W-1:0] in_operand_i,
    input  logic [W-1:0] in_data_i,

    // To memory_replies: a request begins, and takes these slots.
    output logic  owed_valid_o,
    output owed_t owed_o,
    input  slots_t free_i,  // slots
    input  id_t   next_id_i,  // the first of them
    input  logic  idle_i,  // no slot is taken
    input  logic  busy_requester_i,  // in the previous cycle, its requester had unfinished requests

    // The atomic access: the read has come (its beat is in read_data_i), and ends without a write.
    input  logic  read_valid_i,
    input  logic [W-1:0] read_data_i,
    input  logic read_failed_i,
    input  logic  write_done_i,
    output logic  atomic_o,  // the read in flight is only part of an access
    output logic  atomic_done_o,  // it ends here
    output id_t   atomic_id_o,

    output logic     ar_valid_o,
    input  logic     ar_ready_i,
    output request_t ar_o,
    output logic     aw_valid_o,
    input  logic     aw_ready_i,
    output request_t aw_o,
    output logic     w_valid_o,
    input  logic     w_ready_i,
    output write_t   w_o
);
  localparam int unsigned Words = FlitBytes / WordBytes;
  localparam int unsigned WordBits = 8 * WordBytes;
  typedef logic [WordBits-1:0] word_t;
  typedef logic [FlitBytes-1:0] mask_t;

  typedef enum logic [2:0] {
    AtomicNone,
    AtomicReads,  // waits for the word
    AtomicChanges,  // the word has come
    AtomicWrites,  // until address and data are taken
    AtomicEnds  // waits until it is written
  } atomic_e;

  atomic_e atomic_q, atomic_d;
  logic reads, writes, atomic, good, op_reads, op_writes, op_atomic;
  logic settled_q;  // the request in_ask_i was here in the previous cycle, too
  slots_t slots;
  op_e op;
  assign op = in_ask_i.reply.op;
  assign good = in_status_i == StatusOk;
  assign op_atomic = op inside {OpAdd, OpSwap};
  assign op_reads = op inside {OpRead, OpAdd, OpSwap};
  assign op_writes = op inside {OpWrite, OpMasked};
  assign atomic = good && op_atomic;
  assign reads = good && op_reads;
  assign writes = good && op_writes;
  assign slots = good && op == OpRead ? in_beats_i : slots_t'(1);

  // Whether the flit is taken: worked out for a good request and for another one, beside the status, which comes late. The channels' registers
  // are in skid buffers, so their ready is one.
  logic ar_ready, aw_ready, w_ready;
  (* keep *) logic good_ready, other_ready;
  always_comb begin
    other_ready = !in_first_i
        || (atomic_q == AtomicNone && free_i != '0 && (!in_ask_i.ordered || (settled_q && !busy_requester_i)));
    good_ready = other_ready;
    if (in_first_i && op == OpRead && free_i < in_beats_i) good_ready = 1'b0;
    if (in_first_i && op_atomic && !idle_i) good_ready = 1'b0;
    if (in_first_i && op_reads && !ar_ready) good_ready = 1'b0;
    if (in_first_i && op_writes && !aw_ready) good_ready = 1'b0;
    if (op_writes && !w_ready) good_ready = 1'b0;
  end
  assign in_ready_o = good ? good_ready : other_ready;

  always_ff @(posedge clk_i) settled_q <= in_valid_i && !in_ready_o;

  logic take, begins;
  assign take = in_valid_i && in_ready_o;
  assign begins = take && in_first_i;
  assign owed_valid_o = begins;
  assign owed_o = '{
          reply: in_ask_i.reply,
          status: in_status_i,
          slots: slots
      };

  request_t request;
  assign request = '{
          id: next_id_i,
          addr: {in_ask_i.page, in_ask_i.at[$bits(in_page_t)-1:EmptyWidth], EmptyWidth'(0)},
          len: beats_t'(in_beats_i - 1'b1)
      };

  // The bytes of a write's first and last flit.
  logic [EmptyWidth-1:0] lane;
  mask_t strobe;
  assign lane = in_ask_i.at[EmptyWidth-1:0];
  always_comb begin
    strobe = '1;
    if (in_first_i) strobe &= mask_t'('1) << lane;
    if (in_last_i && in_end_i != '0) strobe &= ~(mask_t'('1) << in_end_i);
    if (op == OpMasked) strobe &= in_operand_i[FlitBytes-1:0];
  end

  // The atomic access.
  request_t atomic_request_q;
  op_e atomic_op_q;
  logic [$clog2(Words)-1:0] word_q;  // in its flit
  word_t operand_q, compare_q, old_q, new_q;
  logic equal_q, failed_q, aw_sent_q, w_sent_q;
  always_comb begin
    atomic_d = atomic_q;
    unique case (atomic_q)
      AtomicNone: if (begins && atomic) atomic_d = AtomicReads;
      AtomicReads: if (read_valid_i) atomic_d = AtomicChanges;
      AtomicChanges: atomic_d = AtomicWrites;
      AtomicWrites: begin
        if (!equal_q || failed_q) atomic_d = AtomicNone;
        else if ((aw_ready || aw_sent_q) && (w_ready || w_sent_q)) atomic_d = AtomicEnds;
      end
      default: if (write_done_i) atomic_d = AtomicNone;
    endcase
  end
  assign atomic_o = atomic_q == AtomicReads;
  assign atomic_done_o = atomic_q == AtomicWrites && (!equal_q || failed_q);
  assign atomic_id_o = atomic_request_q.id;

  always_ff @(posedge clk_i) begin
    atomic_q <= atomic_d;
    if (atomic_q == AtomicNone) begin
      atomic_request_q <= request;
      atomic_op_q <= op;
      word_q <= lane[EmptyWidth-1:$clog2(WordBytes)];
      operand_q <= in_data_i[lane[EmptyWidth-1:$clog2(WordBytes)]*WordBits+:WordBits];
      compare_q <= in_operand_i[lane[EmptyWidth-1:$clog2(WordBytes)]*WordBits+:WordBits];
    end
    if (atomic_q == AtomicReads) begin
      old_q <= read_data_i[word_q*WordBits+:WordBits];
      failed_q <= read_failed_i;
    end
    if (atomic_q == AtomicChanges) begin
      new_q   <= atomic_op_q == OpAdd ? old_q + operand_q : operand_q;
      equal_q <= atomic_op_q == OpAdd || old_q == compare_q;
    end
    aw_sent_q <= atomic_q == AtomicWrites && (aw_sent_q || aw_ready);
    w_sent_q  <= atomic_q == AtomicWrites && (w_sent_q || w_ready);
    if (rst_i) begin
      atomic_q  <= AtomicNone;
      aw_sent_q <= 1'b0;
      w_sent_q  <= 1'b0;
    end
  end

  logic atomic_writes;
  write_t write;
  assign atomic_writes = atomic_q == AtomicWrites && equal_q && !failed_q;
  always_comb begin
    write = '{last: in_last_i, strb: strobe, data: in_data_i};
    if (atomic_q == AtomicWrites) begin
      write.last = 1'b1;
      write.data = {Words{new_q}};
      write.strb = mask_t'({WordBytes{1'b1}}) << {word_q, $clog2(WordBytes)'(0)};
    end
  end

  skid_buffer #(
      .T(request_t)
  ) u_ar (
      .clk_i,
      .rst_i,
      .in_valid_i(begins && reads),
      .in_ready_o(ar_ready),
      .in_data_i(request),
      .out_valid_o(ar_valid_o),
      .out_ready_i(ar_ready_i),
      .out_data_o(ar_o)
  );

  skid_buffer #(
      .T(request_t)
  ) u_aw (
      .clk_i,
      .rst_i,
      .in_valid_i(begins && writes || atomic_writes && !aw_sent_q),
      .in_ready_o(aw_ready),
      .in_data_i(atomic_q == AtomicWrites ? atomic_request_q : request),
      .out_valid_o(aw_valid_o),
      .out_ready_i(aw_ready_i),
      .out_data_o(aw_o)
  );

  skid_buffer #(
      .T(write_t)
  ) u_w (
      .clk_i,
      .rst_i,
      .in_valid_i(take && writes || atomic_writes && !w_sent_q),
      .in_ready_o(w_ready),
      .in_data_i(write),
      .out_valid_o(w_valid_o),
      .out_ready_i(w_ready_i),
      .out_data_o(w_o)
  );
endmodule
