// SPDX-License-Identifier: Apache-2.0
// Takes every message, one flit per cycle, and tells of it by an interrupt. Only for tests.
module alarm_engine
  import girih_pkg::*, alarm_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    /* verilator lint_off UNUSEDSIGNAL */
    input  flit_t in_flit_i,
    /* verilator lint_on UNUSEDSIGNAL */

    output interrupt_t interrupt_o,
    output event_t event_o
);
  assign in_ready_o = !rst_i;
  assign event_o.used_messages = in_valid_i && in_ready_o && in_flit_i.last;
  assign interrupt_o = '{message: event_o.used_messages, spoiled: event_o.used_messages && in_flit_i.bad};

  logic unused;
  assign unused = clk_i;
endmodule
