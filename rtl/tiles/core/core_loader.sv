// SPDX-License-Identifier: Apache-2.0
// The operator's side of a core, behind the tile's window: loads the program, lets the core run, and reads its console and its state. Requests of
// others end with errors. A core that stops itself is put into reset. One that asks for a restart, or whose watchdog expires, starts again.
module core_loader
  import girih_pkg::*, core_map_pkg::*, core_window_pkg::*;
#(
    parameter int unsigned Debug = 0  // 0: without the debugger's parts of the window
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    output logic hold_o,     // the operator holds the core
    output logic core_rst_no,  // for the processor alone
    output logic running_o,  // the same, for everything else
    output logic [31:0] protect_o,  // the core cannot write below

    // Of the core's memory, while the core is in reset or halted: the answer comes in the cycle after.
    output logic        load_valid_o,
    output logic        load_write_o,
    output logic [31:0] load_addr_o,
    output logic [31:0] load_data_o,
    input  logic [31:0] load_data_i,

    input  logic        console_valid_i,
    input  logic [ 7:0] console_byte_i,
    output logic        console_lost_o,
    input  logic        stop_i,
    input  logic [31:0] code_i,
    input  logic        restart_i,
    input  logic        expired_i,
    input  logic        busy_i,  // messages belong to it, or mail waits: it stays in reset until these are dropped
    output logic        stopped_o,

    // The debugger's parts of the window (core_debug).
    input  logic        halted_i,
    output logic        debug_write_o,
    input  logic [31:0] debug_data_i
);
  // emptying_q: the core stays in reset until its messages and mail are dropped, so that its next program gets none of the former one's.
  logic run_q, stopped_q, emptying_q, core_rst_n_q, running_q, runs;
  logic [23:0] restarts_q;
  logic [31:0] address_q, protect_q, code_q;

  logic console_valid, console_pop, console_ready;
  logic [7:0] console_byte;
  fifo_block #(
      .Depth(ConsoleBytes)
  ) u_console (
      .clk_i,
      .rst_i,
      .in_offer_i(console_valid_i),
      .in_valid_i(console_valid_i),
      .in_ready_o(console_ready),
      .in_data_i(console_byte_i),
      .out_valid_o(console_valid),
      .out_ready_i(console_pop),
      .out_data_o(console_byte)
  );
  assign console_lost_o = console_valid_i && !console_ready;

  // A word of the program takes a second cycle, in which the memory answers.
  logic loads, loaded_q, good, writes;
  assign good = window_tenant_i == '0 && window_addr_i <= (Debug != 0 ? StepsAt + 14'(4 * DebugSteps - 4) : CodeAt);
  assign loads = window_valid_i && good && window_addr_i == DataAt && (halted_i || (!run_q && !running_q));
  assign window_done_o = window_valid_i && (!loads || loaded_q);
  assign load_valid_o = loads && !loaded_q;
  assign load_write_o = window_write_i;
  assign load_addr_o = address_q;
  assign load_data_o = window_data_i;
  assign console_pop = window_valid_i && good && window_addr_i == ConsoleAt && !window_write_i;
  always_comb begin
    window_error_o = !good || (window_addr_i == DataAt && !loads) || (window_write_i && window_addr_i >= ConsoleAt && (Debug == 0 || window_addr_i < DebugAt));
    unique case (window_addr_i)
      ControlAt: window_data_o = {31'd0, run_q};
      AddressAt: window_data_o = address_q;
      DataAt: window_data_o = load_data_i;
      ProtectAt: window_data_o = protect_q;
      ConsoleAt: window_data_o = {23'd0, console_valid, console_valid ? console_byte : 8'd0};
      StateAt: window_data_o = {restarts_q, 6'd0, stopped_q, running_q};
      CodeAt: window_data_o = code_q;
      default: window_data_o = debug_data_i;
    endcase
    if (window_tenant_i != '0) window_data_o = '0;
  end

  assign hold_o = !run_q;
  assign stopped_o = stopped_q;
  assign core_rst_no = core_rst_n_q;
  assign running_o = running_q;
  assign runs = run_q && !stopped_q && !emptying_q;
  assign protect_o = protect_q;
  assign debug_write_o = Debug != 0 && writes && window_addr_i >= DebugAt;

  assign writes = window_valid_i && window_write_i && !window_error_o;
  always_ff @(posedge clk_i) begin
    loaded_q <= load_valid_o;
    if (loaded_q) address_q <= address_q + 32'd4;
    if (writes && window_addr_i == AddressAt) address_q <= window_data_i;
    if (writes && window_addr_i == ProtectAt) protect_q <= window_data_i;
    if (!busy_i) emptying_q <= 1'b0;
    if (expired_i || restart_i) begin
      emptying_q <= 1'b1;
      restarts_q <= restarts_q + 1'b1;
    end
    if (stop_i) stopped_q <= 1'b1;
    if (stop_i || restart_i) code_q <= code_i;
    else if (expired_i) code_q <= '1;
    if (writes && window_addr_i == ControlAt) begin
      run_q <= window_data_i[0];
      if (!window_data_i[0]) begin
        stopped_q  <= 1'b0;
        emptying_q <= 1'b1;
      end
    end
    core_rst_n_q <= runs;
    running_q <= runs;
    if (rst_i) begin
      run_q <= 1'b0;
      stopped_q <= 1'b0;
      emptying_q <= 1'b0;
      core_rst_n_q <= 1'b0;
      running_q <= 1'b0;
      loaded_q <= 1'b0;
      restarts_q <= '0;
      address_q <= '0;
      protect_q <= '0;
      code_q <= '0;
    end
  end
endmodule
