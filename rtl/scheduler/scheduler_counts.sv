// SPDX-License-Identifier: Apache-2.0
// Counts several things between 0 and Max. In a cycle one of them goes up, and one down. It says of each whether its count is not 0, one
// cycle after a step up and two after a step down, and of one of them what its count is, two cycles after a step.
//
// The steps up are counted in one memory, those down in another, each with one writer. A step down is the last if both have then
// counted the same.
//
// After reset the memories are cleared, for 2^IndexWidth cycles without steps.
module scheduler_counts #(
    parameter int unsigned IndexWidth = 3,
    parameter int unsigned Max = 1024,
    localparam int unsigned Things = 1 << IndexWidth
) (
    input logic clk_i,
    input logic rst_i,

    input logic                  up_valid_i,
    input logic [IndexWidth-1:0] up_index_i,
    input logic                  down_valid_i,
    input logic [IndexWidth-1:0] down_index_i,

    output logic [Things-1:0] some_o,

    input  logic [IndexWidth-1:0] count_index_i,
    output logic [$clog2(Max+1)-1:0] count_o  // of this thing
);
  if (IndexWidth < 1) begin : gen_bad_index_width
    $fatal(1, "scheduler_counts: IndexWidth is %0d; it must be at least 1", IndexWidth);
  end

  localparam int unsigned Width = $clog2(Max + 1);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [Width-1:0] count_t;

  (* ram_style = "distributed" *) count_t ups[Things];
  (* ram_style = "distributed" *) count_t downs[Things];

  logic up_q, down_q, clearing_q, last;
  index_t up_index_q, down_index_q, clear_index_q;
  count_t ups_next, downs_next;
  assign ups_next = ups[up_index_q] + 1'b1;
  assign downs_next = downs[down_index_q] + 1'b1;
  assign last = ups[down_index_q] == downs_next;
  assign count_o = clearing_q ? '0 : ups[count_index_i] - downs[count_index_i];

  logic [Things-1:0] comes_q, goes, some_q;
  assign goes   = down_q && last ? Things'(1) << down_index_q : '0;
  assign some_o = some_q | comes_q;

  always_ff @(posedge clk_i) begin
    up_q <= up_valid_i;
    up_index_q <= up_index_i;
    down_q <= down_valid_i;
    down_index_q <= down_index_i;
    comes_q <= up_valid_i ? Things'(1) << up_index_i : '0;
    some_q <= (some_q & ~goes) | comes_q;
    clear_index_q <= clear_index_q + 1'b1;
    if (clear_index_q == '1) clearing_q <= 1'b0;
    if (clearing_q || up_q) ups[clearing_q ? clear_index_q : up_index_q] <= clearing_q ? '0 : ups_next;
    if (clearing_q || down_q) downs[clearing_q ? clear_index_q : down_index_q] <= clearing_q ? '0 : downs_next;
    if (rst_i) begin
      up_q <= 1'b0;
      down_q <= 1'b0;
      comes_q <= '0;
      some_q <= '0;
      clear_index_q <= '0;
      clearing_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!clearing_q || !(up_q || down_q))
      else $error("scheduler_counts: a step before the memories were cleared");
      assert (!down_q || some_q[down_index_q])
      else $error("scheduler_counts: more left than arrived");
      last_leaves_as_another_comes : cover (up_q && down_q && last && up_index_q == down_index_q);
    end
  end
endmodule
