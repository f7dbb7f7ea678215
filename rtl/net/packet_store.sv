// SPDX-License-Identifier: Apache-2.0
// Store and forward in a block RAM, with commit and rollback. Flits are written as they arrive;
// commit_i with any flit of a message (its last, or an earlier one for cut-through) releases the
// message, with a token given at that time; drop_i with the last flit of a message that was not
// committed removes it. Each message is either committed or dropped by its last flit.
//
// A flit that is committed into an empty store comes out in the next cycle, or without Bypass, which takes a
// look-up table for each bit, in the one after it. One flit, and one message of one flit, per cycle. in_ready_o and every output but the data come from registers;
// nothing is ever overwritten. At most Tokens messages wait at a time.
module packet_store
  import girih_pkg::*;
#(
    parameter type token_t = logic [15:0],
    parameter int unsigned Depth = 1 << $clog2(2 * MaxFrameFlits),  // flits
    parameter int unsigned Tokens = 32,  // messages
    parameter bit Bypass = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic   in_valid_i,
    output logic   in_ready_o,
    input  flit_t  in_flit_i,
    input  logic   commit_i,
    input  logic   drop_i,
    input  token_t token_i,

    output logic   out_valid_o,
    input  logic   out_ready_i,
    output flit_t  out_flit_o,
    output token_t out_token_o,  // beside every flit of its message

    output logic fits_o  // a message of the largest size could start now and never wait
);
  if (Depth < 2 * MaxFrameFlits || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "packet_store: Depth is %0d; it must be a power of two, at least %0d", Depth, 2 * MaxFrameFlits);
  end

  localparam int unsigned PtrWidth = $clog2(Depth);
  typedef logic [PtrWidth:0] ptr_t;

  flit_t ram_flit, bypass_q;
  logic bypassed_q;
  ptr_t write_q, committed_q, read_q;  // read <= committed <= write
  logic open_q;  // the message being written is already committed
  logic full_q, valid_q;  // write_q is Depth ahead of read_q; committed_q is ahead of it

  logic push, pop, commit, token_ready, token_valid;
  ptr_t used, read_next, read_plus, write_plus;
  assign used = write_q - read_q;
  assign in_ready_o = !full_q && (token_ready || open_q);
  assign fits_o = used <= ptr_t'(Depth - MaxFrameFlits) && token_ready;
  assign push = in_valid_i && in_ready_o;
  assign commit = push && commit_i && !open_q;
  assign out_valid_o = valid_q;
  assign pop = out_valid_o && out_ready_i;

  // Computed both for a pop and for none, because pop comes late. Synthesis would put the comparison after a multiplexer.
  logic empty_next;  // read_next is write_q
  assign read_plus = read_q + 1'b1;
  assign write_plus = write_q + 1'b1;
  assign read_next = pop ? read_plus : read_q;
  assign empty_next = (pop && read_plus == write_q) || (!pop && read_q == write_q);

  fifo #(
      .T(token_t),
      .Depth(Tokens)
  ) u_tokens (
      .clk_i,
      .rst_i,
      .in_valid_i(commit),
      .in_ready_o(token_ready),
      .in_data_i(token_i),
      .out_valid_o(token_valid),
      .out_ready_i(pop && out_flit_o.last),
      .out_data_o(out_token_o)
  );

  // The memory is read one cycle ahead; a flit that is written in the same cycle bypasses it.
  assign out_flit_o = Bypass && bypassed_q ? bypass_q : ram_flit;
  ram_simple_dual #(
      .T(flit_t),
      .Depth(Depth)
  ) u_ram (
      .clk_i,
      .write_enable_i(push),
      .write_addr_i(write_q[PtrWidth-1:0]),
      .write_data_i(in_flit_i),
      .read_enable_i(read_q != write_q),  // of what is not there, too, if it has just been read empty: that is not used
      .read_addr_i(read_next[PtrWidth-1:0]),
      .read_data_o(ram_flit)
  );

  always_ff @(posedge clk_i) begin
    bypass_q <= in_flit_i;  // used in the next cycle alone; which flit bypasses, and whether one comes, is known late in the cycle
    bypassed_q <= empty_next;

    read_q <= read_next;
    if (push) begin
      write_q <= drop_i ? committed_q : write_plus;
      if (commit_i || open_q) committed_q <= write_plus;
      open_q <= (commit_i || open_q) && !in_flit_i.last;
    end
    if (pop) full_q <= 1'b0;
    else if (push) full_q <= !drop_i && write_plus == (read_q ^ ptr_t'(Depth));
    if (Bypass && push && (commit_i || open_q)) valid_q <= 1'b1;
    else if (pop) valid_q <= read_plus != committed_q;
    else if (!Bypass) valid_q <= read_q != committed_q;
    if (rst_i) begin
      write_q <= '0;
      committed_q <= '0;
      read_q <= '0;
      open_q <= 1'b0;
      full_q <= 1'b0;
      valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (used <= ptr_t'(Depth) && write_q - committed_q <= used)
      else $error("packet_store: pointers are out of order");
      assert (!out_valid_o || token_valid)
      else $error("packet_store: a message without a token");
      if (push) begin
        assert (!drop_i || (in_flit_i.last && !commit_i && !open_q))
        else $error("packet_store: drop_i is for the last flit of a message that is not committed");
        assert (!in_flit_i.last || drop_i || commit_i || open_q)
        else $error("packet_store: a message ends without being committed or dropped");
      end
      full : cover (in_valid_i && used == ptr_t'(Depth));
      full_and_read : cover (in_valid_i && used == ptr_t'(Depth) && pop);
      tokens_are_out : cover (in_valid_i && !in_ready_o && used != ptr_t'(Depth));
      no_room_for_the_largest : cover (!fits_o && in_ready_o);
      passes_the_ram : cover (push && empty_next);
      cut_through : cover (push && commit && !in_flit_i.last);
      dropped_of_many_flits : cover (push && drop_i && write_q != committed_q);
      dropped_while_held_back : cover (push && drop_i && out_valid_o && !out_ready_i);
      write_wraps_while_held_back : cover (push && !drop_i && &write_q[PtrWidth-1:0] && out_valid_o && !out_ready_i);
      dropped_across_the_wrap : cover (push && drop_i && write_q[PtrWidth] != committed_q[PtrWidth]);
    end
  end
endmodule
