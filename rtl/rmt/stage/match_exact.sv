// SPDX-License-Identifier: Apache-2.0
// Exact match by hash: four ways, each a block RAM with its own hash function, so that a key has
// four places and a table can be filled to 90 %, usually 97 % (cuckoo hashing; software moves an entry by
// copying it and then overwriting the original). An entry is one word of RAM, match and action together, so a packet sees
// either all of it or nothing.
//
//   cycle 0: hash, read all ways      cycle 1: compare, choose: hit_o, data_o (combinational)
//
// Packets of a tenant with a range are looked up in the rows of that range, all others in the rows of tenant 0 (after
// reset, all rows); hashes are folded into the rows. So a tenant that fills its own rows takes no room from others.
//
// An entry with owner 0 matches packets of every tenant; any other matches only its owner's packets, and takes
// precedence over one of owner 0 with the same key. Of equal entries, as in the middle of a move, any may be taken.
//
// Software's port: one access at a time. A packet that reads an entry while it is written gets the old one. Index = {row, way}.
// After reset the table is cleared, one row per cycle; until ready_o nothing hits and nothing may be written.
module match_exact
  import girih_pkg::*, match_hash_pkg::*, match_pkg::range_t;
#(
    parameter int unsigned Entries = 256,
    parameter int unsigned KeyBits = 160,
    parameter type T = logic [7:0],
    localparam int unsigned IndexWidth = $clog2(Entries),
    localparam type entry_t = struct packed {
      logic               valid;
      tenant_t            owner;
      logic [KeyBits-1:0] key;
      T                   data;
    }
) (
    input logic clk_i,
    input logic rst_i,

    input  logic               in_valid_i,
    input  logic [KeyBits-1:0] in_key_i,
    input  tenant_t            in_tenant_i,
    input  logic               in_take_i,    // 0: nothing hits
    output logic               hit_o,
    output T                   data_o,       // 0 if nothing hits
    output logic [3:0]         first_o,      // the way that it is from, one-hot and late; 0 if nothing hits
    output T [3:0]             candidate_o,  // by way; undefined if nothing hits

    input logic    range_write_i,   // the rows of a tenant, all ways of each: an aligned power of two; or none
    input tenant_t range_tenant_i,
    input range_t  range_i,         // of indices

    output logic                  ready_o,
    input  logic                  port_read_i,
    input  logic                  port_write_i,
    input  logic [IndexWidth-1:0] port_index_i,
    input  entry_t                port_entry_i,
    output entry_t                port_entry_o   // from the second cycle after port_read_i on, until the next
);
  localparam int unsigned Ways = 4;  // their memories are named one by one below, because simulators would copy arrays of them
  localparam int unsigned WayWidth = $clog2(Ways);

  if (Entries < 2 * Ways || (Entries & (Entries - 1)) != 0) begin : gen_bad_entries
    $fatal(1, "match_exact: Entries is %0d; it must be a power of two, at least 8", Entries);
  end
  if (KeyBits < 1 || KeyBits > MaxKeyBits) begin : gen_bad_key
    $fatal(1, "match_exact: KeyBits is %0d; it must be from 1 to 160", KeyBits);
  end

  localparam int unsigned Rows = Entries / Ways;
  localparam int unsigned RowWidth = $clog2(Rows);
  typedef logic [RowWidth-1:0] row_t;

  // Clearing after reset.
  row_t clear_row_q;
  logic ready_q;
  assign ready_o = ready_q;

  logic writes;
  row_t port_row;
  logic [WayWidth-1:0] port_way, read_way_q;
  entry_t write_entry;
  assign writes = port_write_i || !ready_q;
  assign port_row = ready_q ? port_index_i[IndexWidth-1:WayWidth] : clear_row_q;
  assign port_way = port_index_i[WayWidth-1:0];
  assign write_entry = ready_q ? port_entry_i : '0;

  logic take_q, tenanted_q;  // tenanted_q: of a tenant that is not 0
  tenant_t tenant_q;
  logic [KeyBits-1:0] key_q;

  // The comparison of keys ends late in the cycle, so the precedence of the ways is computed meanwhile. What is kept is one look-up
  // table of what is kept before it.
  (* keep *) logic [Ways-1:0] equal;  // undefined if it does not fit
  (* keep *) logic [Ways-1:0] fit;
  (* keep *) logic [Ways-1:0] hits;
  (* keep *) logic [Ways-1:0] blocked;  // one of the first three ways goes before it
  (* keep *) logic [Ways-1:0] first;
  (* keep *) logic [Ways-1:0][Ways-1:0] after;  // [c]: those that go before way c if they are equal, too
  (* keep *) logic [Ways-1:0] own;
  logic port_read_q;

  // The rows in which packets are looked up.
  typedef struct packed {
    row_t base;
    row_t mask;
  } rows_t;
  localparam int unsigned Tenants = 1 << $bits(tenant_t);
  rows_t tenant_rows[Tenants];
  rows_t common_rows_q, given_rows, rows;
  logic [Tenants-1:0] has_rows_q;
  assign given_rows.base = range_i.first[WayWidth+:RowWidth];
  assign given_rows.mask = row_t'((range_i.stop - range_i.first) >> WayWidth) - 1'b1;  // an empty range: all rows
  assign rows = has_rows_q[in_tenant_i] ? tenant_rows[in_tenant_i] : common_rows_q;
  always_ff @(posedge clk_i) begin
    if (range_write_i) begin
      tenant_rows[range_tenant_i] <= given_rows;
      if (range_tenant_i == '0) common_rows_q <= given_rows;
      else has_rows_q[range_tenant_i] <= range_i.stop != range_i.first;
    end
    if (rst_i) begin
      common_rows_q <= '{base: '0, mask: '1};
      has_rows_q <= '0;
    end
  end

  localparam int unsigned Parities = Ways * RowWidth;
  (* keep *) logic [Parities-1:0] parity;
  for (genvar n = 0; n < Parities; n++) begin : gen_parity
    localparam key_bits_t Taps = hash_taps(n / RowWidth, n % RowWidth);
    always_comb begin
      parity[n] = 'x;
      if (in_valid_i) parity[n] = ^(in_key_i & Taps[KeyBits-1:0]);
    end
  end

  // Block RAM with two ports: packets read by one, software reads or writes by the other, which reads first: the first
  // port gets the old entry.
  for (genvar w = 0; w < Ways; w++) begin : gen_way
    row_t row;
    for (genvar b = 0; b < RowWidth; b++) begin : gen_hash
      localparam int unsigned N = w * RowWidth + b;
      assign row[b] = rows.base[b] |
          (rows.mask[b] & (parity[N] ^ (parity[(N+MixA)%Parities] & parity[(N+MixB)%Parities])));
    end

    logic write;
    assign write = writes && (port_way == WayWidth'(w) || !ready_q);
    (* ram_style = "block" *) entry_t mem[Rows];
    entry_t found, port_found;
    always_ff @(posedge clk_i) begin
      if (in_valid_i) found <= mem[row];
    end
    always_ff @(posedge clk_i) begin
      if (write || port_read_i) begin
        if (write) mem[port_row] <= write_entry;
        else port_found <= mem[port_row];
      end
    end

    // Whether the entry can be the packet's: its own, or at all. Half of the owner is compared in one look-up table.
    localparam int unsigned Half = $bits(tenant_t) / 2;
    (* keep *) logic low_alike;
    (* keep *) logic high_alike;  // and valid
    (* keep *) logic common;  // and valid
    assign low_alike = found.owner[Half-1:0] == tenant_q[Half-1:0];
    assign high_alike = found.valid && found.owner[$bits(tenant_t)-1:Half] == tenant_q[$bits(tenant_t)-1:Half];
    assign common = found.valid && found.owner == '0;
    assign own[w] = tenanted_q && high_alike && low_alike;
    assign fit[w] = take_q && ((high_alike && low_alike) || common);

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        read_while_written : cover (in_valid_i && port_write_i && write && row == port_row);
      end
    end
  end

  for (genvar w = 0; w < int'(Ways); w++) begin : gen_equal
    // Three bits in one look-up table, and six of these in the next; a mapper by itself takes one level more. Bits of a table are a third or a
    // sixth of the word apart, so that the simulator compares words. The condition lets it skip the work.
    localparam int unsigned Threes = (KeyBits + 2) / 3, Groups = (Threes + 5) / 6;
    logic [2:0][Threes-1:0] differs;
    (* keep *) logic [5:0][Groups-1:0] alike;
    (* keep *) logic [Groups-1:0] group;
    always_comb begin
      differs = 'x;
      alike = 'x;
      group = 'x;
      if (fit[w]) begin
        differs = (3 * Threes)'(gen_way[w].found.key ^ key_q);
        alike = ~(6 * Groups)'({1'b0, differs[0] | differs[1] | differs[2]});
        group = alike[0] & alike[1] & alike[2] & alike[3] & alike[4] & alike[5];
      end
    end
    assign equal[w] = &group;
  end

  assign hits = fit & equal;
  always_comb begin
    // Its own go before those of owner 0.
    for (int unsigned c = 0; c < Ways; c++) begin
      for (int unsigned d = 0; d < Ways; d++) begin
        after[c][d] = d < c ? (own[c] ? own[d] : fit[d]) : d > c && !own[c] && own[d];
      end
      // A way does not go before itself. So three ways fit one look-up table, and the choice, with the fourth way, fits the next.
      blocked[c] = (equal[Ways-2:0] & after[c][Ways-2:0]) != '0;
      first[c] = hits[c] && !blocked[c] && !(equal[Ways-1] && after[c][Ways-1]);
    end
    candidate_o = 'x;
    if (take_q) candidate_o = {gen_way[3].found.data, gen_way[2].found.data, gen_way[1].found.data, gen_way[0].found.data};
    first_o = first;
    hit_o = |hits;
    data_o = '0;
    if (first[0]) data_o |= gen_way[0].found.data;
    if (first[1]) data_o |= gen_way[1].found.data;
    if (first[2]) data_o |= gen_way[2].found.data;
    if (first[3]) data_o |= gen_way[3].found.data;
  end

  always_ff @(posedge clk_i) begin
    take_q <= in_valid_i && in_take_i && ready_q;
    tenanted_q <= in_valid_i && in_take_i && ready_q && in_tenant_i != '0;
    if (in_valid_i) begin
      tenant_q <= in_tenant_i;
      key_q <= in_key_i;
    end
    port_read_q <= port_read_i;
    if (port_read_i) read_way_q <= port_way;
    if (port_read_q) begin
      unique case (read_way_q)
        2'd0: port_entry_o <= gen_way[0].port_found;
        2'd1: port_entry_o <= gen_way[1].port_found;
        2'd2: port_entry_o <= gen_way[2].port_found;
        default: port_entry_o <= gen_way[3].port_found;
      endcase
    end
    if (!ready_q) clear_row_q <= clear_row_q + 1'b1;
    if (clear_row_q == row_t'(Rows - 1)) ready_q <= 1'b1;
    if (rst_i) begin
      take_q <= 1'b0;
      tenanted_q <= 1'b0;
      clear_row_q <= '0;
      ready_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(port_write_i && port_read_i))
      else $error("match_exact: a read and a write in the same cycle");
      assert (!((port_write_i || port_read_i) && !ready_q))
      else $error("match_exact: an access before the table is cleared");
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      own_goes_before_common : cover (|(equal & own) && |(hits & ~own));
      several_fit : cover (!$onehot0(hits));
      looked_up_before_it_is_empty : cover (in_valid_i && !ready_q);
    end
  end
endmodule
