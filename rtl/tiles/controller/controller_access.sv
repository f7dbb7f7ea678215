// SPDX-License-Identifier: Apache-2.0
// Does the accesses of one request on the control network, one after the other. A request to read ends at the first access
// that fails. A change of one word is one write. A change of more words first reads all of them, and changes nothing if
// that fails; if a write fails, the words before it are written back, the latest first. Meanwhile its tiles hold back their
// changes (ChangeHold of spec/tile_map.yaml), so that the whole change has effect at once at each of them. An access that
// starts or ends a hold may fail: the master's tenant or rights then let it write no word that could be held back.
module controller_access
  import girih_pkg::*, management_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic                     start_i,
    input logic                     change_i,
    input logic [             3:0]  count_i,  // 1 to MostEntries
    input entry_t [MostEntries-1:0] entries_i,  // hold until done_o

    output logic                          done_o,  // for one cycle, with the following
    output status_e                       status_o,
    output logic    [                2:0] index_o,  // of the entry that failed
    output logic    [MostEntries-1:0][31:0] data_o,  // what was read

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i
);
  typedef enum logic [2:0] {
    Idle,
    Reads,
    Holds,
    Writes,
    Restores,
    Releases
  } state_e;
  state_e state_q;
  logic change_q, asked_q, torn_q;
  logic [2:0] entry_q, failed_q;
  status_e status_q, status;
  logic [MostEntries-1:0][31:0] data_q;  // of a change: the old words

  // A hold is asked for, and ended, once for entries of the same tile that follow one another.
  logic [MostEntries-1:0] same_tile_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < MostEntries; i++) same_tile_q[i] <= i > 0 && entries_i[i].node == entries_i[i>0?i-1 : 0].node;
  end

  logic answered, fails, last, several, holding, skips;
  assign several = count_i != 4'd1;
  assign holding = state_q inside {Holds, Releases};
  assign skips = holding && same_tile_q[entry_q];
  assign answered = asked_q && control_answer_valid_i;
  assign fails = control_answer_i.status != CtrlOkay;
  assign last = 4'(entry_q) + 4'd1 == count_i;
  always_comb begin
    unique case (control_answer_i.status)
      CtrlOkay: status = StatusDone;
      CtrlRefused: status = StatusRight;
      CtrlError: status = StatusAccess;
      default: status = StatusNode;
    endcase
  end

  assign control_valid_o = state_q != Idle && !asked_q && !skips;
  assign control_request_o = '{
          write: state_q != Reads,
          tag: '0,
          node: entries_i[entry_q].node,
          offset: holding ? 16'(tile_map_pkg::ChangeHold) : entries_i[entry_q].offset,
          data: holding ? 32'(state_q == Holds) : state_q == Restores ? data_q[entry_q] : entries_i[entry_q].data
      };

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    if (control_valid_o && control_ready_i) asked_q <= 1'b1;
    if (answered || skips) begin
      asked_q <= 1'b0;
      unique case (state_q)
        Reads: begin
          data_q[entry_q] <= control_answer_i.data;
          entry_q <= entry_q + 1'b1;
          if (fails || last) begin
            entry_q <= '0;
            state_q <= change_q && !fails ? Holds : Idle;
            done_o  <= !change_q || fails;
            status_q <= status;
            failed_q <= entry_q;
          end
        end
        Holds: begin
          entry_q <= entry_q + 1'b1;
          if (last) begin
            entry_q <= '0;
            state_q <= Writes;
          end
        end
        Writes: begin
          entry_q <= entry_q + 1'b1;
          status_q <= status;
          failed_q <= entry_q;
          if (fails && entry_q != '0) begin
            entry_q <= entry_q - 1'b1;
            state_q <= Restores;
          end else if (fails || last) begin
            entry_q <= '0;
            state_q <= several ? Releases : Idle;
            done_o  <= !several;
          end
        end
        Restores: begin
          entry_q <= entry_q - 1'b1;
          torn_q <= torn_q || fails;
          if (entry_q == '0) begin
            entry_q <= '0;
            state_q <= Releases;
          end
        end
        default: begin
          entry_q <= entry_q + 1'b1;
          if (last) begin
            state_q <= Idle;
            done_o  <= 1'b1;
          end
        end
      endcase
    end
    if (start_i) begin
      state_q <= change_i && !several ? Writes : Reads;
      change_q <= change_i;
      entry_q <= '0;
      torn_q <= 1'b0;
    end
    if (rst_i) begin
      state_q <= Idle;
      asked_q <= 1'b0;
      done_o  <= 1'b0;
    end
  end
  assign status_o = torn_q ? StatusTorn : status_q;
  assign index_o = status_q == StatusDone ? '0 : failed_q;
  assign data_o = data_q;

  logic unused;
  assign unused = &{1'b0, control_answer_i.tag, entries_i};
endmodule
