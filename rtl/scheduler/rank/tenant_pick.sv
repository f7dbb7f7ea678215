// SPDX-License-Identifier: Apache-2.0
// The tenant of one service whose head rank is the lowest. Combinational; not valid while the head of a
// nonempty queue is not known. Equal ranks take turns: each node of the tree of comparisons has a preferred
// side, which toggles when its winner is used.
module tenant_pick
  import policy_pkg::*;
#(
    parameter int unsigned Tenants = 4
) (
    input logic clk_i,
    input logic rst_i,

    input logic circular_i,
    input logic [Tenants-1:0] nonempty_i,
    input logic [Tenants-1:0] head_valid_i,
    input rank_t head_rank_i[Tenants],

    output logic    valid_o,
    output tenant_t tenant_o,
    output rank_t   rank_o,
    input  logic    advance_i  // the pick was used
);
  if (Tenants < 1 || Tenants > 2 ** $bits(tenant_t)) begin : gen_bad_tenants
    $fatal(1, "tenant_pick: Tenants is %0d; it must be from 1 to %0d", Tenants, 2 ** $bits(tenant_t));
  end

  // Node n of the tree has the children 2n and 2n + 1; the root is 1, the leaves start at Leaves.
  localparam int unsigned Leaves = 1 << $clog2(Tenants);
  typedef struct packed {
    logic valid;
    tenant_t tenant;
    rank_t rank;
  } node_t;

  // A node depends only on nodes of higher numbers.
  // verilator lint_off UNOPTFLAT
  node_t node[2*Leaves];
  logic wins_right[Leaves];
  logic used[2*Leaves];  // the winner of the whole tree comes from this node, if it is valid
  // verilator lint_on UNOPTFLAT
  assign node[0] = '0;
  assign wins_right[0] = 1'b0;
  assign used[0] = 1'b0;
  assign used[1] = 1'b1;

  for (genvar n = Leaves; n < 2 * Leaves; n++) begin : gen_leaf
    if (n - Leaves < Tenants) begin : gen_tenant
      assign node[n] = '{
          valid: nonempty_i[n-Leaves],
          tenant: tenant_t'(n - Leaves),
          rank: head_rank_i[n-Leaves]
      };
    end else begin : gen_none
      assign node[n] = '0;
    end
  end

  for (genvar n = 1; n < Leaves; n++) begin : gen_node
    // verilator lint_off UNOPTFLAT
    logic right, equal, lower, higher;  // equal ranks; b's is lower, higher: a carry each, in which equality is not a further comparison
    node_t a, b;
    // verilator lint_on UNOPTFLAT
    logic prefer_right_q;
    assign a = node[2*n];
    assign b = node[2*n+1];
    if (2 * n >= Leaves) begin : gen_ranks
      assign lower = leaves_before(b.rank, a.rank, circular_i);
      assign higher = leaves_before(a.rank, b.rank, circular_i);
    end else begin : gen_pairs
      // The ranks of both children of a with those of b, so that the comparison does not wait for the winners below.
      logic [1:0][1:0] pair, pair_higher, pair_lower;
      for (genvar x = 0; x < 2; x++) begin : gen_a
        for (genvar y = 0; y < 2; y++) begin : gen_b
          assign pair[x][y] = wins_right[2*n] == 1'(x) && wins_right[2*n+1] == 1'(y);
          assign pair_lower[x][y] = leaves_before(node[4*n+2+y].rank, node[4*n+x].rank, circular_i);
          assign pair_higher[x][y] = leaves_before(node[4*n+x].rank, node[4*n+2+y].rank, circular_i);
        end
      end
      assign lower = |(pair & pair_lower);
      assign higher = |(pair & pair_higher);
    end
    assign equal = !lower && !higher;
    always_comb begin
      if (a.valid && b.valid && !equal) right = lower;
      else right = b.valid && (!a.valid || prefer_right_q);
    end
    assign wins_right[n] = right;
    assign node[n] = right ? b : a;
    assign used[2*n] = used[n] && !right;
    assign used[2*n+1] = used[n] && right;
    always_ff @(posedge clk_i) begin
      if (advance_i && node[n].valid && used[n]) prefer_right_q <= !right;
      if (rst_i) prefer_right_q <= 1'b0;
      if (!rst_i) begin
        equal_ranks_turn : cover (advance_i && a.valid && b.valid && equal);
        right_is_lower : cover (advance_i && right && a.valid && !equal);
      end
    end
  end

  assign valid_o  = node[1].valid && (nonempty_i & ~head_valid_i) == '0;
  assign tenant_o = node[1].tenant;
  assign rank_o   = node[1].rank;

  logic unused;
  assign unused = wins_right[0] && used[0];
  if (Tenants == 1) begin : gen_unused
    logic unused_inputs;
    assign unused_inputs = &{clk_i, rst_i, circular_i, advance_i};
  end
endmodule
