// SPDX-License-Identifier: Apache-2.0
// The key of a controller and the number of the card's start. Only the operator can write them, and nobody can read them. The
// controller is locked from a write of the key until the start's high half is written.
module controller_window
  import girih_pkg::*, management_pkg::*, controller_window_pkg::*;
(
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

    output logic                       unlocked_o,
    output logic [KeyBytes/4-1:0][31:0] key_o,
    output logic [            1:0][31:0] start_o
);
  logic is_key, is_start, is_state, writes;
  assign is_key = window_addr_i[13:KeyLsb] == KeyPart;
  assign is_start = window_addr_i[13:StartLsb] == StartPart;
  assign is_state = window_addr_i[13:StateLsb] == StatePart;
  assign window_done_o = window_valid_i;
  assign window_error_o = window_tenant_i != '0 || window_addr_i[1:0] != '0 || (window_write_i ? !is_key && !is_start : !is_state);
  assign window_data_o = {31'd0, unlocked_o};
  assign writes = window_valid_i && window_write_i && !window_error_o;

  always_ff @(posedge clk_i) begin
    if (writes && is_key) begin
      key_o[window_addr_i[KeyWordMsb:KeyWordLsb]] <= window_data_i;
      unlocked_o <= 1'b0;
    end
    if (writes && is_start) begin
      start_o[window_addr_i[StartHalfMsb:StartHalfLsb]] <= window_data_i;
      unlocked_o <= window_addr_i[StartHalfLsb];
    end
    if (rst_i) unlocked_o <= 1'b0;
  end
endmodule
