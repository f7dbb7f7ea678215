// SPDX-License-Identifier: Apache-2.0
// The states of RFC 9293 (3.3.2, figure 5) that connections go through, in simulation: asserts that each step from one to another is one that the RFC has, for the
// reason that it has, and counts each step. No hardware.
//
// LISTEN and CLOSED are one state here, that of a place without a connection. So are a connection that is over for its peer while its application still reads
// it, or has yet to hear of its end. The RFC's steps from LISTEN to SYN-SENT, and from SYN-RECEIVED to FIN-WAIT-1, are wishes of an application that it cannot
// have: it names a connection only once it has heard that it is open.
module tcp_states
  import tcp_types_pkg::*;
(
    input logic    clk_i,
    input logic    rst_i,
    input logic    valid_i,   // an event that changes a record, other than EventClear
    input work_t   work_i,
    input record_t before_i,  // the record before it, a cycle earlier,
    input record_t record_i   // and behind it
);
  typedef enum logic [3:0] {
    Closed,
    SynSentState,
    SynReceivedState,
    Established,
    FinWait1,
    FinWait2,
    Closing,
    TimeWaitState,
    CloseWait,
    LastAck
  } state_e;

  // verilator lint_off UNUSEDSIGNAL
  function automatic state_e state_of(record_t r);
    // verilator lint_on UNUSEDSIGNAL
    logic acked;  // its FIN, too
    acked = r.closing && r.snd_una == r.snd_end + 1'b1;
    state_of = Closed;
    if (r.phase == SynSent) state_of = SynSentState;
    if (r.phase == SynReceived) state_of = SynReceivedState;
    if (r.phase == TimeWait) state_of = TimeWaitState;
    if (r.phase == Open) begin
      if (!r.closing) state_of = r.fin_received ? CloseWait : Established;
      else if (!r.fin_received) state_of = acked ? FinWait2 : FinWait1;
      else if (r.active) state_of = acked ? TimeWaitState : Closing;
      else state_of = acked ? Closed : LastAck;
    end
  endfunction

  state_e from_q, to;
  logic segment, reset, timeout, close, abort, moves, ends, legal;
  always_ff @(posedge clk_i) from_q <= state_of(before_i);
  always_comb begin
    to = state_of(record_i);
    moves = valid_i && !rst_i && from_q != to;
    ends = moves && to == Closed;
    segment = work_i.kind == EventSegment && !work_i.flags.rst;
    reset = work_i.kind == EventSegment && work_i.flags.rst;
    timeout = work_i.kind == EventTick;
    close = work_i.kind == EventClose;
    abort = work_i.kind == EventAbort;
    unique case (to)
      Closed: begin
        legal = reset || timeout || (abort && !(from_q inside {SynSentState, SynReceivedState})) || (segment && from_q == LastAck);
      end
      SynSentState: legal = work_i.kind == EventConnect && from_q == Closed;
      SynReceivedState: legal = from_q == Closed ? work_i.kind == EventOpen : segment && from_q == SynSentState;
      Established: legal = from_q == Closed ? work_i.kind == EventAccept : segment && from_q inside {SynSentState, SynReceivedState};
      FinWait1: legal = close && from_q == Established;
      FinWait2: legal = segment && from_q == FinWait1;
      Closing: legal = segment && from_q == FinWait1;
      TimeWaitState: legal = segment && from_q inside {FinWait1, FinWait2, Closing};
      CloseWait: legal = segment && from_q inside {SynReceivedState, Established};
      default: legal = close && from_q == CloseWait;  // LastAck
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!moves || legal)
      else $error("tcp_states: a connection goes from %s to %s by %s", from_q.name(), to.name(), work_i.kind.name());
      // Opening.
      closed_to_syn_sent : cover (moves && from_q == Closed && to == SynSentState);
      listen_to_syn_received : cover (moves && from_q == Closed && to == SynReceivedState);
      listen_to_established_by_cookie : cover (moves && from_q == Closed && to == Established);
      syn_sent_to_syn_received : cover (moves && from_q == SynSentState && to == SynReceivedState);
      syn_sent_to_established : cover (moves && from_q == SynSentState && to == Established);
      syn_received_to_established : cover (moves && from_q == SynReceivedState && to == Established);
      syn_received_to_close_wait : cover (moves && from_q == SynReceivedState && to == CloseWait);
      // Closing.
      established_to_fin_wait_1 : cover (moves && from_q == Established && to == FinWait1);
      established_to_close_wait : cover (moves && from_q == Established && to == CloseWait);
      fin_wait_1_to_fin_wait_2 : cover (moves && from_q == FinWait1 && to == FinWait2);
      fin_wait_1_to_closing : cover (moves && from_q == FinWait1 && to == Closing);
      fin_wait_1_to_time_wait : cover (moves && from_q == FinWait1 && to == TimeWaitState);
      fin_wait_2_to_time_wait : cover (moves && from_q == FinWait2 && to == TimeWaitState);
      closing_to_time_wait : cover (moves && from_q == Closing && to == TimeWaitState);
      close_wait_to_last_ack : cover (moves && from_q == CloseWait && to == LastAck);
      last_ack_to_closed : cover (ends && from_q == LastAck && segment);
      time_wait_to_closed : cover (ends && from_q == TimeWaitState && timeout);
      // Resets.
      syn_sent_reset : cover (ends && from_q == SynSentState && reset);
      syn_received_reset : cover (ends && from_q == SynReceivedState && reset);
      established_reset : cover (ends && from_q == Established && reset);
      fin_wait_1_reset : cover (ends && from_q == FinWait1 && reset);
      fin_wait_2_reset : cover (ends && from_q == FinWait2 && reset);
      closing_reset : cover (ends && from_q == Closing && reset);
      time_wait_reset : cover (ends && from_q == TimeWaitState && reset);
      close_wait_reset : cover (ends && from_q == CloseWait && reset);
      last_ack_reset : cover (ends && from_q == LastAck && reset);
      // The peer does not answer.
      syn_sent_timed_out : cover (ends && from_q == SynSentState && timeout);
      syn_received_timed_out : cover (ends && from_q == SynReceivedState && timeout);
      established_timed_out : cover (ends && from_q == Established && timeout);
      fin_wait_1_timed_out : cover (ends && from_q == FinWait1 && timeout);
      fin_wait_2_timed_out : cover (ends && from_q == FinWait2 && timeout);
      closing_timed_out : cover (ends && from_q == Closing && timeout);
      close_wait_timed_out : cover (ends && from_q == CloseWait && timeout);
      last_ack_timed_out : cover (ends && from_q == LastAck && timeout);
      // The application aborts; of a connection whose sending side it has closed, while it still reads.
      established_aborted : cover (ends && from_q == Established && abort);
      fin_wait_1_aborted : cover (ends && from_q == FinWait1 && abort);
      fin_wait_2_aborted : cover (ends && from_q == FinWait2 && abort);
      closing_aborted : cover (ends && from_q == Closing && abort);
      time_wait_aborted : cover (ends && from_q == TimeWaitState && abort);
      close_wait_aborted : cover (ends && from_q == CloseWait && abort);
      last_ack_aborted : cover (ends && from_q == LastAck && abort);
    end
  end

  logic unused;
  assign unused = &{1'b0, work_i};
endmodule
