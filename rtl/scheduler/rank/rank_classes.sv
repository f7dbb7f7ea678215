// SPDX-License-Identifier: Apache-2.0
// The table of classes: the parameters of each class under its service's policy. Combinational read.
// The sweep after reset writes the defaults: all classes have the same weight, and class c has level and
// slack c * 128.
module rank_classes
  import policy_pkg::*;
#(
    parameter int unsigned Services = 8,
    localparam int unsigned IndexWidth = $clog2(Services * Classes)
) (
    input logic clk_i,

    input logic clear_i,
    input logic [IndexWidth-1:0] clear_index_i,

    input  logic                  write_i,
    input  logic [IndexWidth-1:0] index_i,
    input  logic                  word_i,
    input  logic [          31:0] data_i,
    output logic [          31:0] data_o,

    input logic [IndexWidth-1:0] class_index_i,
    output class_policy_t class_o
);
  typedef struct packed {
    logic [1:0]  exponent;
    logic [15:0] scale;
  } price_t;

  price_t prices[1<<IndexWidth];
  time_t offsets[1<<IndexWidth];

  price_t price_d;
  time_t offset_d;
  logic [IndexWidth-1:0] write_index;
  assign price_d = clear_i ? '{exponent: '0, scale: 16'h1000} : data_i[17:0];
  assign offset_d = clear_i ? {13'b0, clear_index_i[3:0], 7'b0} : data_i[TimeWidth-1:0];
  assign write_index = clear_i ? clear_index_i : index_i;

  always_ff @(posedge clk_i) begin
    if (clear_i || (write_i && !word_i)) prices[write_index] <= price_d;
    if (clear_i || (write_i && word_i)) offsets[write_index] <= offset_d;
  end

  assign data_o  = word_i ? 32'(offsets[index_i]) : 32'(prices[index_i]);
  assign class_o = {prices[class_index_i], offsets[class_index_i]};

  logic unused;
  assign unused = &{data_i[31:TimeWidth]};
endmodule
