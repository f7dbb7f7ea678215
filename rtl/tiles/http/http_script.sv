// SPDX-License-Identifier: Apache-2.0
// Runs the script of an answer (spec/http_script.yaml), byte by byte.
//
// It stops at the end of the answer and of its head, and after any byte of text while stop_i is up. A counter is read as software reads it: its high
// word before and after the low one, again if they differ.
module http_script
  import girih_pkg::*, http_script_pkg::*, http_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic       start_i,
    input  script_t    from_i,
    input  logic       stop_i,
    output logic       stopped_o,   // for one cycle
    output logic       at_end_o,    // with it: of the answer
    output logic       at_body_o,   // with it: of the head
    output script_t    next_o,      // with it: where the script continues
    output logic       byte_valid_o,
    output logic [7:0] byte_o,

    output page_addr_t page_addr_o,  // the byte comes one cycle later
    input  logic [7:0] page_byte_i,

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i
);
  localparam logic [7:0] Counter = 8'(DirectiveCounter), Call = 8'(DirectiveCall), End = 8'(DirectiveEnd);
  localparam logic [7:0] Return = 8'(DirectiveReturn), Body = 8'(DirectiveBody), Jump = 8'(DirectiveJump);
  localparam logic [15:0] Counters = 16'(tile_map_pkg::CountersBase);

  typedef enum logic [3:0] {
    Idle,
    Fetch,
    Run,
    FirstByte,
    FirstGot,
    SecondByte,
    SecondGot,
    Ask,
    Answer,
    Convert,
    Digits,
    Refused
  } state_e;
  state_e state_q;
  page_addr_t at_q, back_q;
  logic leading_q;
  logic [7:0] directive_q, first_q;
  logic [7:0] second_q;
  logic [1:0] word_q;  // high, low, high again
  logic [31:0] high_q, low_q;
  logic [4:0] digit_q;
  logic [19:0][3:0] digits;
  logic convert, converted, is_text;
  assign page_addr_o = at_q;
  assign is_text = !page_byte_i[7];
  assign convert = state_q == Answer && control_answer_valid_i && word_q == 2'd2;
  decimal u_decimal (
      .clk_i,
      .start_i (convert),
      .number_i({high_q, low_q}),
      .done_o  (converted),
      .digits_o(digits)
  );
  assign control_valid_o = state_q == Ask;
  assign control_request_o = '{
          write: 1'b0,
          tag: '0,
          node: first_q,
          offset: Counters + {5'b0, second_q, word_q != 2'd1, 2'b00},
          data: '0
      };

  // Kept, so that one flag is chosen, and not a digit that is compared then: whether there is a byte is needed early.
  (* keep *) logic [19:0] nonzero;
  always_comb begin
    for (int unsigned i = 0; i < 20; i++) nonzero[i] = digits[i] != '0;
  end

  always_comb begin
    byte_valid_o = 1'b0;
    byte_o = page_byte_i;
    if (state_q == Run) byte_valid_o = is_text;
    else if (state_q == Digits) begin
      byte_valid_o = !leading_q || nonzero[digit_q] || digit_q == '0;
      byte_o = {4'h3, digits[digit_q]};
    end else if (state_q == Refused) begin
      byte_valid_o = 1'b1;
      byte_o = digit_q[0] ? "a" : "N";
    end
  end
  assign at_end_o = state_q == Run && page_byte_i == End;
  assign at_body_o = state_q == Run && page_byte_i == Body;
  assign stopped_o = at_end_o || at_body_o || (state_q == Run && is_text && stop_i);
  assign next_o = '{at: at_q + 1'b1, back: back_q};

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: ;
      Fetch: state_q <= Run;
      Run: begin
        at_q <= at_q + 1'b1;
        state_q <= Fetch;
        directive_q <= page_byte_i;
        if (stopped_o) state_q <= Idle;
        else if (page_byte_i inside {Counter, Call, Jump}) state_q <= FirstByte;
        else if (page_byte_i == Return) begin
          at_q <= back_q;
        end
      end
      FirstByte: state_q <= FirstGot;
      FirstGot: begin
        at_q <= at_q + 1'b1;
        first_q <= page_byte_i;
        state_q <= SecondByte;
      end
      SecondByte: state_q <= SecondGot;
      SecondGot: begin
        at_q <= at_q + 1'b1;
        second_q <= page_byte_i;
        word_q <= '0;
        if (directive_q == Counter) begin
          state_q <= Ask;
        end else begin
          at_q <= page_addr_t'({first_q, page_byte_i});
          state_q <= Fetch;
          if (directive_q == Call) begin
            back_q <= at_q + 1'b1;
          end
        end
      end
      Ask: if (control_ready_i) state_q <= Answer;
      Answer:
      if (control_answer_valid_i) begin
        word_q <= word_q + 1'b1;
        state_q <= Ask;
        digit_q <= 5'd19;
        leading_q <= 1'b1;
        unique case (word_q)
          2'd0: high_q <= control_answer_i.data;
          2'd1: low_q <= control_answer_i.data;
          default:
          if (control_answer_i.data == high_q) begin
            state_q <= Convert;
          end else begin
            word_q <= 2'd1;
            high_q <= control_answer_i.data;
          end
        endcase
        if (control_answer_i.status != CtrlOkay) begin
          digit_q <= 5'd2;
          state_q <= Refused;
        end
      end
      Convert: if (converted) state_q <= Digits;
      Digits: begin
        digit_q <= digit_q - 1'b1;
        if (byte_valid_o) leading_q <= 1'b0;
        if (digit_q == '0) state_q <= Fetch;
      end
      Refused: begin
        digit_q <= digit_q - 1'b1;
        if (digit_q == '0) state_q <= Fetch;
      end
      default: state_q <= Idle;
    endcase
    if (start_i) begin
      at_q <= from_i.at;
      back_q <= from_i.back;
      state_q <= Fetch;
    end
    if (rst_i) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, control_answer_i.tag};
endmodule
