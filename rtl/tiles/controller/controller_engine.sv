// SPDX-License-Identifier: Apache-2.0
// Reads and changes registers of the card for operators on the network. They connect by TCP, and prove by a MAC over each
// request that they have the key; docs/management.md has the protocol. Requests are handled one at a time, and each is checked
// whole before anything is read or written. A request can reach what this master of the control network has rights for.
//
//   stack --> controller_places --> this state machine --> controller_sender --> stack
//                                    |            |
//                                mac_core   controller_access --> control network
//
// A change of one word is on the control network some 35 cycles after its bytes have come.
module controller_engine
  import girih_pkg::*, tcp_types_pkg::*, management_pkg::*, controller_types_pkg::*, controller_pkg::*;
#(
    parameter int unsigned Operators = 4,
    parameter bit Cut = TimingMhz >= 250  // before the search for the place of a connection, for one cycle
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

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i,

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
  if (Operators < 2 || Operators > 16 || (Operators & (Operators - 1)) != 0) begin : gen_bad_operators
    $fatal(1, "controller_engine: Operators is %0d; it must be a power of two from 2 to 16", Operators);
  end
  if ($bits(request_t) != RequestBytes * 8) begin : gen_bad_request
    $fatal(1, "controller_engine: a request has %0d bits; RequestBytes is %0d", $bits(request_t), RequestBytes);
  end

  typedef enum logic [2:0] {
    Idle,
    Load,
    Verify,
    Access,
    Sign,
    Send
  } state_e;
  state_e state_q;
  logic [47:0] cycle_q;  // since reset

  logic unlocked;
  logic [KeyBytes*8-1:0] key;
  logic [63:0] start;
  controller_window u_window (
      .clk_i,
      .rst_i,
      .window_valid_i,
      .window_write_i,
      .window_addr_i,
      .window_data_i,
      .window_tenant_i,
      .window_done_o,
      .window_error_o,
      .window_data_o,
      .unlocked_o(unlocked),
      .key_o(key),
      .start_o(start)
  );

  logic cut_valid, cut_ready;
  flit_t cut_flit;
  stream_register #(
      .T(flit_t),
      .Cut(Cut)
  ) u_in (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i(in_flit_i),
      .out_valid_o(cut_valid),
      .out_ready_i(cut_ready),
      .out_data_o(cut_flit)
  );

  logic abort_valid, abort_ready, work_valid, loaded, settle, send_ready, send_valid;
  name_t abort_connection;
  port_t abort_port;
  tenant_t abort_tenant;
  operator_t work;
  logic [RequestBytes*8-1:0] text;
  logic proven_q, ends_q, write_q;
  controller_places #(
      .Operators(Operators)
  ) u_places (
      .clk_i,
      .rst_i,
      .unlocked_i(unlocked),
      .tick_i(cycle_q[19:0] == '0),
      .patience_i(cfg_i.patience),
      .in_valid_i(cut_valid),
      .in_ready_o(cut_ready),
      .in_flit_i(cut_flit),
      .abort_valid_o(abort_valid),
      .abort_ready_i(abort_ready),
      .abort_connection_o(abort_connection),
      .abort_port_o(abort_port),
      .abort_tenant_o(abort_tenant),
      .work_valid_o(work_valid),
      .work_ready_i(state_q == Idle),
      .work_o(work),
      .work_text_o(text),
      .work_loaded_o(loaded),
      .settle_i(settle),
      .settle_free_i(ends_q),
      .settle_proven_i(proven_q),
      .unexpected_o(event_o.drop_unexpected),
      .used_o(event_o.used_messages),
      .opened_o(event_o.mark_opened),
      .locked_o(event_o.mark_locked),
      .crowded_o(event_o.mark_crowded),
      .evicted_o(event_o.mark_evicted)
  );

  // A request is that of `text` until its answer takes its place.
  request_t request_q, request;
  assign request = request_t'(text);

  logic [NonceBytes*8-1:0] nonce;
  logic mac_start_q, mac_started_q, mac_done;
  logic [255:0] digest;
  assign nonce = {work.number, start};
  mac_core u_mac (
      .clk_i,
      .rst_i,
      .start_i(mac_start_q),
      .message_i({request_q[SignedBytes*8-1:0], nonce, key}),
      .done_o(mac_done),
      .digest_o(digest)
  );

  logic access_start_q, access_done;
  status_e access_status;
  logic [2:0] access_index;
  logic [MostEntries-1:0][31:0] access_data;
  controller_access u_access (
      .clk_i,
      .rst_i,
      .start_i(access_start_q),
      .change_i(request_q.kind == KindChange),
      .count_i(request_q.count[3:0]),
      .entries_i(request_q.entries),
      .done_o(access_done),
      .status_o(access_status),
      .index_o(access_index),
      .data_o(access_data),
      .control_valid_o,
      .control_ready_i,
      .control_request_o,
      .control_answer_valid_i,
      .control_answer_i
  );

  // Whether a request is well formed.
  logic good;
  always_comb begin
    good = request_q.kind inside {KindRead, KindChange} && request_q.count != '0 && 32'(request_q.count) <= MostEntries;
    if (request_q.status != StatusDone || request_q.index != '0 || request_q.cycle != '0) good = 1'b0;
    for (int unsigned i = 0; i < MostEntries; i++) begin
      if (request_q.entries[i].reserved != '0 || request_q.entries[i].offset[1:0] != '0) good = 1'b0;
      if (i >= 32'(request_q.count) && request_q.entries[i] != '0) good = 1'b0;
      if (request_q.kind == KindRead && request_q.entries[i].data != '0) good = 1'b0;
    end
  end

  // The answer to a new connection, or to one whose bytes are not a request. A connection that has gone gets none.
  status_e verdict;
  logic writes;
  always_comb begin
    verdict = StatusDone;
    if (!work.fresh && work.fault == FaultTruncated) verdict = StatusTruncated;
    if (!work.fresh && work.fault == FaultExcess) verdict = StatusExcess;
    writes = write_q && (work.fresh || work.fault != FaultGone);
  end

  logic mac_ready;
  assign mac_ready = mac_started_q && mac_done;

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    mac_start_q <= 1'b0;
    mac_started_q <= mac_start_q || (mac_started_q && !mac_ready);
    access_start_q <= 1'b0;
    unique case (state_q)
      Idle: begin
        proven_q <= 1'b0;
        write_q <= 1'b1;
        ends_q <= 1'b0;
        if (work_valid) state_q <= Load;
      end
      Load: begin
        if (work.ending) ends_q <= 1'b1;
        if (work.fresh || work.fault != FaultNone) begin
          // A hello, or the answer to bytes that are not a request.
          request_q <= '0;
          request_q.kind <= work.fresh ? KindHello : KindConfirmation;
          request_q.status <= verdict;
          request_q.cycle <= 64'(cycle_q);
          if (work.fresh) request_q.entries[1:0] <= nonce;
          else begin
            request_q.number <= work.next;
            ends_q <= 1'b1;
          end
          write_q <= writes;
          mac_start_q <= writes;
          state_q <= writes ? Sign : Send;
        end else if (loaded) begin
          request_q <= request;
          mac_start_q <= 1'b1;
          state_q <= Verify;
        end
      end
      Verify:
      if (mac_ready) begin
        state_q <= Sign;
        request_q.number <= work.next;
        request_q.cycle <= 64'(cycle_q);
        mac_start_q <= 1'b1;
        if (digest != request_q.mac || request_q.number != work.next || !unlocked) begin
          request_q.kind <= KindConfirmation;
          request_q.status <= digest != request_q.mac || !unlocked ? StatusMac : StatusReplay;
          ends_q <= 1'b1;
          request_q.entries <= '0;
          request_q.count <= '0;
          request_q.index <= '0;
        end else begin
          proven_q <= 1'b1;
          if (!good) begin
            request_q.kind <= KindConfirmation;
            request_q.status <= StatusMalformed;
            request_q.index <= '0;
          end else begin
            state_q <= Access;
            mac_start_q <= 1'b0;
            access_start_q <= 1'b1;
          end
        end
      end
      Access:
      if (access_done) begin
        for (int unsigned i = 0; i < MostEntries; i++) begin
          if (request_q.kind == KindRead && access_status == StatusDone && i < 32'(request_q.count)) request_q.entries[i].data <= access_data[i];
        end
        request_q.kind <= KindConfirmation;
        request_q.status <= access_status;
        request_q.cycle <= 64'(cycle_q);
        request_q.index <= 8'(access_index);
        mac_start_q <= 1'b1;
        state_q <= Sign;
      end
      Sign:
      if (mac_ready) begin
        request_q.mac <= digest;
        state_q <= Send;
      end
      default: if (send_ready && !abort_valid) state_q <= Idle;
    endcase
    // Nothing is signed while a key is being written: a MAC under half of a new key would give it away word by word.
    if (!unlocked) begin
      write_q <= 1'b0;
      ends_q  <= 1'b1;
    end
    if (rst_i) begin
      cycle_q <= '0;
      state_q <= Idle;
      mac_start_q <= 1'b0;
      mac_started_q <= 1'b0;
      access_start_q <= 1'b0;
    end
  end

  assign send_valid = state_q == Send;
  assign settle = send_valid && send_ready && !abort_valid;
  assign abort_ready = send_ready;
  controller_sender u_sender (
      .clk_i,
      .rst_i,
      .valid_i(send_valid || abort_valid),
      .ready_o(send_ready),
      .write_i(write_q && !abort_valid),
      .request_i(request_q),
      .then_i(abort_valid ? OpAbort : ends_q ? OpClose : OpRead),
      .connection_i(abort_valid ? abort_connection : work.connection),
      .port_i(abort_valid ? abort_port : work.port),
      .tenant_i(abort_valid ? abort_tenant : work.tenant),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .made_o(event_o.made_messages)
  );
  assign out_key_o = '0;

  status_e said;  // to the operator
  logic confirms;
  assign said = request_q.status;
  assign confirms = settle && write_q && request_q.kind == KindConfirmation;
  logic change_q;
  always_ff @(posedge clk_i) if (access_start_q) change_q <= request_q.kind == KindChange;
  assign event_o.mark_reads = confirms && said == StatusDone && !change_q;
  assign event_o.mark_changes = confirms && said == StatusDone && change_q;
  assign event_o.mark_wrong_mac = settle && request_q.kind == KindConfirmation && said == StatusMac;
  assign event_o.mark_replayed = confirms && said == StatusReplay;
  assign event_o.mark_truncated = confirms && said == StatusTruncated;
  assign event_o.mark_excess = confirms && said == StatusExcess;
  assign event_o.mark_malformed = confirms && said == StatusMalformed;
  assign event_o.mark_without_right = confirms && said == StatusRight;
  assign event_o.mark_failed = confirms && said inside {StatusAccess, StatusNode};
  assign event_o.mark_torn = confirms && said == StatusTorn;
  assign event_o.mark_control_refused = 1'b0;
endmodule
