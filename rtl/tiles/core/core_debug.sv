// SPDX-License-Identifier: Apache-2.0
// The fetches of a core, and the operator's debugger. Fetches come from the core's memory. In debug mode the core fetches from DebugBase on:
//
//   word 0         reads a register that there is in debug mode alone: elsewhere it is an illegal instruction
//   word 1         leads to word 0 until the operator says go: a core that comes round twice is halted
//   words 2 … 5    the steps that the operator has written
//   the next ones  ebreak, which leads to word 0 again
//   DebugFault     where an exception in debug mode leads to: it is noted, and an ebreak, too
//
// So the operator has a halted core execute up to four instructions at a time, and a word (exchange; at DebugWord for the core) passes
// between both. dret lets the core go. While a debugger is attached, a core that leaves reset halts before its first instruction. Without one, a fetch
// from DebugBase is an error, and so is one beyond word 1 by a core that no operator has said go to: a program that jumps there has a fault, in any mode.
// Fetches answer in the next cycle.
module core_debug
  import core_map_pkg::*, core_window_pkg::*;
#(
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned Debug = 0,  // 0: fetches come from the memory alone
    localparam int unsigned MemoryBits = $clog2(MemoryBytes)
) (
    input logic clk_i,
    input logic rst_i,
    input logic running_i, // the core is out of reset

    // The operator's accesses to debug, exchange and steps.
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    output logic [31:0] window_data_o,

    input  logic        instr_req_i,     // it is always taken
    input  logic [31:0] instr_addr_i,
    output logic        instr_rvalid_o,
    output logic [31:0] instr_rdata_o,
    output logic        instr_err_o,

    input  logic [31:0] fetch_data_i,    // of the memory, in the cycle after the request

    output logic        debug_req_o,
    output logic        debugged_o,    // the core is in debug mode, with a debugger
    output logic        halted_o,      // it waits for the operator: nothing is under way
    output logic [31:0] data_o,
    input  logic        data_write_i,
    input  logic [31:0] data_i
);
  localparam logic [31:0] Ebreak = 32'h0010_0073, ReadDcsr = 32'h7B00_2073, Back = 32'hFFDF_F06F, Nop = 32'h0000_0013;
  localparam int unsigned IndexBits = $clog2(DebugBytes / 4);
  localparam int unsigned FirstStep = 2;
  typedef logic [IndexBits-1:0] index_t;

  logic attached_q, halt_q, debug_req_q, halted_q, go_q, runs_q, failed_q, debugged_q;
  logic [31:0] data_q;
  logic [31:0] steps_mem[DebugSteps];

  // The fetch that is answered. runs: the steps. turns: how often the core has come from word 1 to word 0 since it was elsewhere, or executed steps.
  logic pending_q, debug, data_debug_q;
  logic [31:IndexBits+2] page_q;
  index_t index_q, step;
  logic [1:0] turns_q;
  logic in_debug_q;  // the fetch before was from DebugBase on
  assign debug = Debug != 0 && (attached_q || halted_q || go_q || runs_q) && page_q == DebugBase[31:IndexBits+2];
  assign step = index_q - index_t'(FirstStep);
  assign instr_rvalid_o = pending_q;
  assign instr_err_o = page_q[31:MemoryBits] != '0 && !(debug && (index_q < index_t'(FirstStep) || runs_q));
  always_comb begin
    instr_rdata_o = fetch_data_i;
    if (Debug != 0 && data_debug_q) begin
      unique case (index_q)
        index_t'(0): instr_rdata_o = ReadDcsr;
        index_t'(1): instr_rdata_o = go_q ? Nop : Back;
        default: instr_rdata_o = 32'(step) < DebugSteps ? steps_mem[step[$clog2(DebugSteps)-1:0]] : Ebreak;
      endcase
    end
  end

  assign debug_req_o = Debug != 0 && debug_req_q;
  assign debugged_o = Debug != 0 && debugged_q;
  assign halted_o = Debug != 0 && halted_q;
  assign data_o = Debug == 0 ? '0 : data_q;

  logic writes_debug;
  assign writes_debug = window_write_i && window_addr_i == DebugAt;
  always_comb begin
    unique case (Debug == 0 ? '0 : window_addr_i)
      DebugAt: window_data_o = {29'd0, failed_q, halted_o, attached_q};
      ExchangeAt: window_data_o = data_q;
      default: window_data_o = '0;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, page_q, instr_addr_i[1:0]};

  always_ff @(posedge clk_i) begin
    if (instr_req_i) begin
      page_q <= instr_addr_i[31:IndexBits+2];
      data_debug_q <= instr_addr_i[$clog2(DebugBase)];  // the address comes late, and data are late: no time for more. Elsewhere they come with an error
      index_q <= instr_addr_i[2+:IndexBits];
    end
    pending_q <= running_i && instr_req_i;
    if (pending_q) in_debug_q <= debug;
    if (pending_q && !debug) begin
      turns_q <= '0;
      halted_q <= 1'b0;
      go_q <= 1'b0;
      runs_q <= 1'b0;
      debugged_q <= 1'b0;
    end else if (pending_q && index_q == '0) begin
      runs_q <= 1'b0;
      if (in_debug_q && !runs_q && !go_q) begin
        turns_q <= turns_q + 2'(turns_q != 2'd2);
        halted_q <= turns_q != '0;
      end
    end else if (pending_q && index_q == index_t'(1) && go_q) begin
      go_q <= 1'b0;
      runs_q <= 1'b1;
      turns_q <= '0;
    end
    // Fetches run ahead of what is executed, but not as far as from the operator's steps to DebugFault.
    if (pending_q && debug && runs_q && index_q == index_t'(DebugFault / 4)) failed_q <= 1'b1;
    if (halted_q) begin
      debugged_q <= attached_q;
      halt_q <= 1'b0;
    end
    debug_req_q <= halt_q && attached_q && !debugged_q;

    if (data_write_i) data_q <= data_i;
    if (window_write_i && window_addr_i == ExchangeAt) data_q <= window_data_i;
    if (window_write_i && window_addr_i[13:StepsLsb] == StepsPart) steps_mem[window_addr_i[StepsWordMsb:StepsWordLsb]] <= window_data_i;
    if (writes_debug) begin
      attached_q <= window_data_i[0];
      halt_q <= window_data_i[1] && !halted_o;  // also right after go: the core then halts again
      if (window_data_i[2] && halted_o) begin
        go_q <= 1'b1;
        halted_q <= 1'b0;
        failed_q <= 1'b0;
      end
    end
    if (!running_i) begin
      halt_q <= 1'b1;
      halted_q <= 1'b0;
      go_q <= 1'b0;
      runs_q <= 1'b0;
      turns_q <= '0;
      in_debug_q <= 1'b0;
      debugged_q <= 1'b0;
      debug_req_q <= 1'b0;
    end
    if (rst_i) begin
      attached_q <= 1'b0;
      failed_q   <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(data_write_i && halted_o))
      else $error("core_debug: a core that is halted writes");
      assert (!(halted_q && pending_q && debug && index_q > index_t'(FirstStep + 1)))
      else $error("core_debug: a core that is halted goes on");
      halts : cover (halted_o);
      faults : cover (failed_q);
    end
  end
endmodule
