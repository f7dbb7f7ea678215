// SPDX-License-Identifier: Apache-2.0
// Ternary match. An entry matches if it is valid, equals the key where its mask has ones, and has the
// owner 0 or the packet's tenant. The match with the lowest order wins; of equal orders, the lowest
// index. The order is a field of the entry (a priority, or how short a prefix is), so an entry can be
// written to any place at any time, and entries never have to be moved.
//
//   cycle 0: compare all entries      cycle 1: choose, read the data: hit_o, data_o (combinational)
//
// The precedence of each pair of entries is computed when an entry is written and kept as bits, so the choice
// takes three levels of logic and no comparison of orders.
//
// An access of software takes one cycle. After port_write_i the written entry must hold for one more cycle: the data
// is written a cycle after the match, so that a packet sees both from before the write or both from after it. After
// reset no entry is valid.
module match_ternary
  import girih_pkg::*;
#(
    parameter int unsigned Entries = 32,
    parameter int unsigned KeyBits = 160,
    parameter type T = logic [7:0],
    localparam int unsigned IndexWidth = $clog2(Entries),
    localparam type entry_t = struct packed {
      logic               valid;
      tenant_t            owner;
      logic [15:0]        order;
      logic [KeyBits-1:0] key;
      logic [KeyBits-1:0] mask;
      T                   data;
    }
) (
    input logic clk_i,
    input logic rst_i,

    input  logic               in_valid_i,
    input  logic [KeyBits-1:0] in_key_i,
    input  tenant_t            in_tenant_i,
    input  logic               take_i,       // in cycle 1: 0: nothing hits
    output logic               hit_o,
    output T                   data_o,       // 0 if nothing hits

    input  logic                  port_read_i,
    input  logic                  port_write_i,
    input  logic [IndexWidth-1:0] port_index_i,
    input  entry_t                port_entry_i,
    output entry_t                port_entry_o   // from the second cycle after port_read_i on, until the next
);
  if (Entries < 2 || (Entries & (Entries - 1)) != 0) begin : gen_bad_entries
    $fatal(1, "match_ternary: Entries is %0d; it must be a power of two, at least 2", Entries);
  end

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [Entries-1:0] set_t;

  set_t valid_q, hits_q;
  tenant_t owner_q[Entries];
  logic [15:0] order_q[Entries];
  logic [KeyBits-1:0] key_q[Entries];
  logic [KeyBits-1:0] mask_q[Entries];
  set_t before_q[Entries];  // the entries that go before this one

  // Cycle 0.
  always_ff @(posedge clk_i) begin
    if (in_valid_i) begin
      for (int unsigned i = 0; i < Entries; i++) begin
        hits_q[i] <= valid_q[i] && (owner_q[i] == '0 || owner_q[i] == in_tenant_i) &&
            ((in_key_i ^ key_q[i]) & mask_q[i]) == '0;
      end
    end
    if (!in_valid_i || rst_i) hits_q <= '0;
  end

  // Cycle 1.
  T data[Entries];
  set_t first;
  index_t chosen;
  always_comb begin
    chosen = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      first[i] = hits_q[i] && (hits_q & before_q[i]) == '0;
      chosen |= {IndexWidth{first[i]}} & index_t'(i);
    end
  end
  assign hit_o  = take_i && |hits_q;
  assign data_o = hit_o ? data[chosen] : '0;

  // Software.
  set_t before_written;  // the entries that go before the one being written
  always_comb begin
    for (int unsigned i = 0; i < Entries; i++) begin
      before_written[i] = order_q[i] < port_entry_i.order ||
          (order_q[i] == port_entry_i.order && index_t'(i) < port_index_i);
    end
  end

  entry_t stored[Entries];  // for reading back
  logic write_q;
  index_t write_index_q;
  always_ff @(posedge clk_i) begin
    if (port_write_i) begin
      valid_q[port_index_i] <= port_entry_i.valid;
      owner_q[port_index_i] <= port_entry_i.owner;
      order_q[port_index_i] <= port_entry_i.order;
      key_q[port_index_i] <= port_entry_i.key;
      mask_q[port_index_i] <= port_entry_i.mask;
      stored[port_index_i] <= port_entry_i;
      for (int unsigned i = 0; i < Entries; i++) before_q[i][port_index_i] <= !before_written[i];
      before_q[port_index_i] <= before_written & ~(set_t'(1) << port_index_i);
    end
    write_q <= port_write_i;
    write_index_q <= port_index_i;
    if (write_q) data[write_index_q] <= port_entry_i.data;
    if (port_read_i) begin
      port_entry_o <= stored[port_index_i];
      port_entry_o.valid <= valid_q[port_index_i];
    end
    if (rst_i) begin
      valid_q <= '0;
      write_q <= 1'b0;
    end
  end

  entry_t written_entry_q;
  always_ff @(posedge clk_i) begin
    if (port_write_i) written_entry_q <= port_entry_i;
    if (!rst_i) begin
      assert (!(write_q && port_entry_i != written_entry_q))
      else $error("match_ternary: an entry did not hold for the cycle after it was written");
      assert (!(hit_o && !$onehot(first)))
      else $error("match_ternary: the order of the entries is not total");
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      several_fit : cover (!$onehot0(hits_q));
      last_goes_first : cover (!$onehot0(hits_q) && first[Entries-1]);
      written_meanwhile : cover (in_valid_i && port_write_i);
    end
  end
endmodule
