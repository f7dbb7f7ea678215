// SPDX-License-Identifier: Apache-2.0
// The command of a control queue that spreads received flows by the driver's own key and table (receive-side scaling, virtio 1.2, 5.1.6.5.6.4), struct
// virtio_net_rss_config byte by byte:
//
//   hash types (4), mask of the table (2), queue of frames without a hash (2), table (2 for each entry), most send queues (2), bytes of the key (1), key
//
// Its settings are in force from commit_i on, until pairs_set_i or while enable_i is low. Fewer than all entries are repeated.
module host_rss
  import host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Pairs = 2
) (
    input logic clk_i,
    input logic rst_i,

    input logic enable_i,
    input logic pairs_set_i,  // flows are spread by the card's hash again

    input  logic       restart_i,  // the next byte is the first of a command
    input  logic       byte_valid_i,
    input  logic [7:0] byte_i,
    output logic       ok_o,      // the bytes are such a command, and valid
    input  logic       commit_i,

    output rss_t       rss_o,
    output steer_t     table_o   // valid with commit_i
);
  localparam int unsigned EntryBits = $clog2(SteerEntries), KeyBytesBits = $clog2(RssKeyBytes + 1);
  typedef enum logic [2:0] {
    Types,
    Mask,
    Unclassified,
    Table,
    SendQueues,
    KeyLength,
    Key,
    Over
  } part_e;
  part_e part_q;
  logic bad_q, bad, ends, odd_q;
  logic [1:0] at_q;
  logic [EntryBits-1:0] mask_q, entry_q;
  logic [KeyBytesBits-1:0] length_q, key_at_q;
  rss_t staged_q, rss_q;
  steer_t table_q;

  // Of a number of two bytes, the upper one must be 0.
  logic is_mask, is_pair;
  assign is_mask = 32'(byte_i) < SteerEntries && (byte_i & (byte_i + 1'b1)) == '0;
  assign is_pair = 32'(byte_i) < Pairs;
  always_comb begin
    ends = odd_q;
    bad  = odd_q && byte_i != '0;
    unique case (part_q)
      Types: begin
        ends = at_q == 2'd3;
        bad  = at_q == 2'd0 ? byte_i[7:$bits(rss_types_t)] != '0 : byte_i != '0;
      end
      Mask: if (!odd_q) bad = !is_mask;
      Unclassified: if (!odd_q) bad = !is_pair;
      Table: begin
        if (!odd_q) bad = !is_pair;
        ends = odd_q && entry_q == mask_q;
      end
      SendQueues: if (!odd_q) bad = byte_i == '0 || 32'(byte_i) > Pairs;
      KeyLength: begin
        ends = 1'b1;
        bad  = 32'(byte_i) > RssKeyBytes;
      end
      Key: begin
        ends = key_at_q + 1'b1 == length_q;
        bad  = 1'b0;
      end
      default: begin
        ends = 1'b0;
        bad  = 1'b1;
      end
    endcase
  end
  assign ok_o = part_q == Over && !bad_q;
  assign rss_o = rss_q;
  for (genvar e = 0; e < int'(SteerEntries); e++) begin : gen_entry
    assign table_o[e] = table_q[EntryBits'(e) & mask_q];
  end

  always_ff @(posedge clk_i) begin
    if (byte_valid_i) begin
      bad_q <= bad_q || bad;
      odd_q <= !odd_q && !ends;
      at_q  <= ends ? '0 : at_q + 1'b1;
      unique case (part_q)
        Types: if (at_q == 2'd0) staged_q.types <= byte_i[$bits(rss_types_t)-1:0];
        Mask: if (!odd_q) mask_q <= byte_i[EntryBits-1:0];
        Unclassified: if (!odd_q) staged_q.unclassified <= byte_i[$bits(pair_t)-1:0];
        Table: begin
          if (!odd_q) table_q[entry_q] <= byte_i[$bits(pair_t)-1:0];
          if (odd_q) entry_q <= entry_q + 1'b1;
        end
        KeyLength: length_q <= byte_i[KeyBytesBits-1:0];
        Key: begin
          key_at_q <= key_at_q + 1'b1;
          for (int unsigned b = 0; b < RssKeyBytes; b++) begin
            if (32'(key_at_q) == b) staged_q.key[8*(RssKeyBytes-1-b)+:8] <= byte_i;
          end
        end
        default: ;
      endcase
      if (ends) part_q <= part_q == KeyLength && byte_i == '0 ? Over : part_e'(part_q + 1'b1);
    end
    if (restart_i) begin
      part_q <= Types;
      bad_q <= 1'b0;
      odd_q <= 1'b0;
      at_q <= '0;
      entry_q <= '0;
      key_at_q <= '0;
      staged_q.on <= 1'b1;
      staged_q.key <= '0;
    end
    if (commit_i) rss_q <= staged_q;
    if (rst_i || !enable_i || pairs_set_i) rss_q.on <= 1'b0;
  end
endmodule
