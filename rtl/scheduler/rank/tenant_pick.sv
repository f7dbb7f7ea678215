// SPDX-License-Identifier: Apache-2.0
// The tenant of one service whose head rank is the lowest. Combinational; not valid while the head of a
// nonempty queue is not known. Tenants are compared in groups of four, all pairs of a group at once, and so are the
// winners of the groups. Equal ranks take turns: in a binary tree of the tenants, each node has a preferred side,
// which toggles when a tenant below it is used.
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

    output logic               valid_o,
    output logic [Tenants-1:0] pick_o,    // one-hot, or 0 if no queue holds anything
    input  logic [Tenants-1:0] used_i     // one-hot: this pick was used, now or earlier
);
  if (Tenants < 1 || Tenants > 2 ** $bits(tenant_t)) begin : gen_bad_tenants
    $fatal(1, "tenant_pick: Tenants is %0d; it must be from 1 to %0d", Tenants, 2 ** $bits(tenant_t));
  end

  // Node n of the tree has the children 2n and 2n + 1; the root is 1, the leaves start at Leaves. Groups begin at the leaves, so
  // that of the root may have two members only.
  localparam int unsigned Levels = $clog2(Tenants);
  localparam int unsigned Leaves = 1 << Levels;
  typedef struct packed {
    logic  valid;
    rank_t rank;
  } node_t;

  // A node depends only on nodes of higher numbers; `first` only on that of lower ones.
  // verilator lint_off UNOPTFLAT
  node_t node[2*Leaves];  // of the leaves and of those in which groups end
  logic first[2*Leaves];  // of its group, and so are the groups above it
  // verilator lint_on UNOPTFLAT
  logic [Leaves-1:0] picked, used, prefers_right;
  assign node[0] = '0;
  assign first[0] = 1'b0;
  assign first[1] = 1'b1;
  assign prefers_right[0] = 1'b0;
  assign valid_o = nonempty_i != '0 && (nonempty_i & ~head_valid_i) == '0;
  assign pick_o = picked[Tenants-1:0];
  assign used = Leaves'(used_i);

  for (genvar t = 0; t < Leaves; t++) begin : gen_leaf
    assign picked[t] = node[Leaves+t].valid && first[Leaves+t];
    if (t < Tenants) begin : gen_tenant
      assign node[Leaves+t] = '{valid: nonempty_i[t], rank: head_rank_i[t]};
    end else begin : gen_none
      assign node[Leaves+t] = '0;
    end
  end

  for (genvar n = 1; n < Leaves; n++) begin : gen_node
    localparam int unsigned Depth = $clog2(n + 1) - 1;
    localparam int unsigned Below = Leaves >> Depth;  // leaves below this node, and the first of them
    localparam int unsigned FirstBelow = n * Below - Leaves;
    logic prefer_right_q;
    assign prefers_right[n] = prefer_right_q;
    always_ff @(posedge clk_i) begin
      if (|used[FirstBelow+:Below]) prefer_right_q <= !(|used[FirstBelow+Below/2+:Below/2]);
      if (rst_i) prefer_right_q <= 1'b0;
    end

    if (n == 1 || (Levels - Depth) % 2 == 0) begin : gen_group
      localparam int unsigned Members = (Levels - Depth) % 2 == 0 ? 4 : 2;
      // verilator lint_off UNOPTFLAT
      logic [Members-1:0][Members-1:0] ahead;  // [x][y]: x goes before y
      // verilator lint_on UNOPTFLAT
      logic [Members-1:0] best;
      node_t member[Members];
      node_t winner;
      assign node[n] = winner;
      for (genvar x = 0; x < Members; x++) begin : gen_x
        assign member[x] = node[n*Members+x];
        assign ahead[x][x] = 1'b1;
        assign best[x] = &ahead[x];
        assign first[n*Members+x] = first[n] && best[x];
        for (genvar y = x + 1; y < Members; y++) begin : gen_y
          localparam int unsigned Joins = Members == 4 && x / 2 == y / 2 ? 2 * n + x / 2 : n;  // the node in which both meet
          assign ahead[x][y] = !member[y].valid
              || (member[x].valid && leaves_first(member[x].rank, member[y].rank, circular_i, !prefers_right[Joins]));
          assign ahead[y][x] = !ahead[x][y];
          always_ff @(posedge clk_i) begin
            if (!rst_i) begin
              equal_ranks_turn : cover (used_i != '0 && member[x].valid && member[y].valid && member[x].rank == member[y].rank);
              the_later_is_lower : cover (used_i != '0 && member[x].valid && member[y].valid && leaves_before(member[y].rank, member[x].rank, circular_i));
            end
          end
        end
      end
      always_comb begin
        winner = '0;
        for (int unsigned x = 0; x < Members; x++) if (best[x]) winner |= member[x];
      end
    end else begin : gen_inside
      assign node[n]  = '0;
      assign first[n] = 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, clk_i, rst_i, circular_i, used, node[0], first[0], prefers_right};
endmodule
