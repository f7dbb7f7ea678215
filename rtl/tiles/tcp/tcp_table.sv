// SPDX-License-Identifier: Apache-2.0
// Finds a connection by its tuple. Four ways of Connections entries each, each with a hash function of its own: a new entry
// takes the first way whose place is free, so it may find none (docs/tcp.md says how
// often); no entry is ever moved or evicted. The answer comes two cycles after lookup_i, and stays. An insertion is for the tuple
// that was looked up last, and waits for insert_ready_o, which is low while an entry is removed.
module tcp_table
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter int unsigned Connections = 1024
) (
    input logic clk_i,

    input logic        clear_i,
    input logic [15:0] clear_index_i,

    input  logic           lookup_i,
    input  tuple_t         tuple_i,
    output logic           hit_o,
    output connection_t connection_o,
    output logic           fits_o,        // there is a free place for it
    output slot_t          slot_o,

    input  logic           insert_i,
    output logic           insert_ready_o,
    input  connection_t insert_connection_i,

    input logic  remove_i,
    input slot_t remove_slot_i
);
  localparam int unsigned Ways = 4;
  localparam int unsigned IndexBits = $clog2(Connections);
  localparam int unsigned KeyBits = 64;
  typedef logic [IndexBits-1:0] index_t;
  typedef logic [KeyBits-1:0] key_t;
  typedef struct packed {
    logic valid;
    key_t key;
    connection_t connection;
  } entry_t;

  // Bit b of the index in way w is the parity of the key under a mask; the masks are pseudo-random (xorshift).
  typedef logic [Ways-1:0][IndexBits-1:0][KeyBits-1:0] masks_t;
  function automatic masks_t make_masks();
    logic [63:0] x;
    x = 64'h9e3779b97f4a7c15;
    for (int unsigned w = 0; w < Ways; w++) begin
      for (int unsigned b = 0; b < IndexBits; b++) begin
        x = x ^ (x << 13);
        x = x ^ (x >> 7);
        x = x ^ (x << 17);
        make_masks[w][b] = x;
      end
    end
  endfunction
  localparam masks_t Masks = make_masks();

  key_t key, key_q;
  index_t [Ways-1:0] index, index_q;
  logic looked_q;
  logic [Ways-1:0] hits, hits_q, used;
  connection_t [Ways-1:0] found, found_q;
  assign key = {tuple_i.remote_addr, tuple_i.remote_port, tuple_i.local_port};
  always_comb begin
    for (int unsigned w = 0; w < Ways; w++) begin
      for (int unsigned b = 0; b < IndexBits; b++) index[w][b] = ^(key & Masks[w][b]);
    end
  end

  logic fits_q;
  logic [1:0] way, way_q;  // the first whose place is free
  always_comb begin
    way = '0;
    for (int w = int'(Ways) - 1; w >= 0; w--) if (!used[w]) way = 2'(w);
  end
  assign insert_ready_o = !remove_i && !clear_i;

  for (genvar w = 0; w < int'(Ways); w++) begin : gen_way
    entry_t read, write;
    index_t write_index;
    logic write_enable, inserts;
    assign inserts = insert_i && insert_ready_o && way_q == 2'(w);
    assign write_enable = clear_i || (remove_i && remove_slot_i.way == 2'(w)) || inserts;
    assign write.valid = inserts;
    assign write.key = key_q;
    assign write.connection = insert_connection_i;
    always_comb begin
      if (clear_i) write_index = index_t'(clear_index_i);
      else if (remove_i) write_index = index_t'(remove_slot_i.index);
      else write_index = index_q[w];
    end
    ram_simple_dual #(
        .T(entry_t),
        .Depth(Connections)
    ) u_ram (
        .clk_i,
        .write_enable_i(write_enable),
        .write_addr_i(write_index),
        .write_data_i(write),
        .read_enable_i(lookup_i),
        .read_addr_i(index[w]),
        .read_data_o(read)
    );
    // A read that coincides with an entry's removal returns the old entry; its connection is free by then.
    assign hits[w]  = read.valid && read.key == key_q;
    assign used[w]  = read.valid;
    assign found[w] = hits[w] ? read.connection : '0;
  end

  always_ff @(posedge clk_i) begin
    looked_q <= lookup_i;
    if (lookup_i) begin
      key_q   <= key;
      index_q <= index;
    end
    if (looked_q) begin
      hits_q  <= hits;
      found_q <= found;
      fits_q  <= !(&used);
      way_q   <= way;
    end
  end
  assign hit_o = |hits_q;
  always_comb begin
    connection_o = '0;
    for (int unsigned w = 0; w < Ways; w++) connection_o = connection_o | found_q[w];
  end
  assign fits_o = fits_q;
  assign slot_o.way = way_q;
  assign slot_o.index = 16'(index_q[way_q]);

  logic unused;
  assign unused = &{1'b0, tuple_i, clear_index_i, remove_slot_i};
endmodule
