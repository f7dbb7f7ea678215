// SPDX-License-Identifier: Apache-2.0
// Proves packet_store, with Bypass and without, by induction: each flit of a message that is committed comes out once, in order, beside the
// token of its message; no flit of a dropped message comes out; stored flits are never overwritten; valid stays
// and the data holds. The proof follows one arbitrary flit from its entry.
module packet_store_proof
  import girih_pkg::*;
#(
    parameter int unsigned Depth = 4,
    parameter int unsigned Tokens = 2,
    parameter bit Bypass = 1
) (
    input logic clk_i,
    input logic in_valid_i,
    input flit_t in_flit_i,
    input logic commit_i,
    input logic drop_i,
    input logic [1:0] token_i,
    input logic out_ready_i,
    input logic track_i
);
  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam int unsigned TokenWidth = $clog2(Tokens);
  typedef logic [PtrWidth:0] ptr_t;
  typedef logic [PtrWidth-1:0] place_t;
  typedef logic [TokenWidth:0] tokens_t;

  logic rst, in_ready, out_valid, fits;
  flit_t out_flit;
  logic [1:0] out_token;

  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  packet_store #(
      .token_t(logic [1:0]),
      .Depth(Depth),
      .Tokens(Tokens),
      .Bypass(Bypass)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_flit_i,
      .commit_i,
      .drop_i,
      .token_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_flit_o(out_flit),
      .out_token_o(out_token),
      .fits_o(fits)
  );

  // Rules that the user obeys.
  logic push, pop;
  assign push = in_valid_i && in_ready;
  assign pop = out_valid && out_ready_i;
  always_ff @(posedge clk_i) begin
    if (drop_i) assume (in_flit_i.last && !commit_i && !u_dut.open_q);
    if (in_flit_i.last) assume (drop_i || commit_i || u_dut.open_q);
  end

  // The flit that is followed: where it is, whether its message is committed, with which token.
  logic tracking_q, committed_q, tracked;
  ptr_t at_q;
  flit_t flit_q;
  logic [1:0] token_q, open_token_q;
  assign tracked = push && track_i && !tracking_q;
  always_ff @(posedge clk_i) begin
    if (push && commit_i && !u_dut.open_q) open_token_q <= token_i;
    if (tracked) begin
      tracking_q <= !drop_i;
      at_q <= u_dut.write_q;
      flit_q <= in_flit_i;
      committed_q <= commit_i || u_dut.open_q;
      token_q <= u_dut.open_q ? open_token_q : token_i;
    end else if (tracking_q) begin
      if (push && !committed_q && commit_i) begin
        committed_q <= 1'b1;
        token_q <= token_i;
      end
      if ((push && !committed_q && drop_i) || (pop && u_dut.read_q == at_q)) tracking_q <= 1'b0;
    end
    if (rst) tracking_q <= 1'b0;
  end

  // The contents of the store, place by place from the one that is read next.
  ptr_t used, ready;  // flits, and those of committed messages
  ptr_t ends, ends_before;  // messages that end among the committed flits; of those, before the tracked flit
  tokens_t held;
  logic ends_inside;  // a message ends among those that are not committed
  tokens_t last_token;
  logic closed;  // the last committed flit ends its message
  assign used = u_dut.write_q - u_dut.read_q;
  assign ready = u_dut.committed_q - u_dut.read_q;
  assign held = u_dut.u_tokens.write_ptr_q - u_dut.u_tokens.read_ptr_q;
  assign last_token = u_dut.u_tokens.write_ptr_q - tokens_t'(1);
  assign closed = u_dut.u_ram.mem[place_t'(u_dut.committed_q-ptr_t'(1))].last;
  always_comb begin
    ends = '0;
    ends_before = '0;
    ends_inside = 1'b0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (u_dut.u_ram.mem[place_t'(u_dut.read_q+ptr_t'(i))].last) begin
        if (ptr_t'(i) < ready) ends += ptr_t'(1);
        if (ptr_t'(i) < ptr_t'(at_q - u_dut.read_q)) ends_before += ptr_t'(1);
        if (ptr_t'(i) >= ready && ptr_t'(i) < used) ends_inside = 1'b1;
      end
    end
  end

  logic waited_q;  // a committed flit is there that was not written in the last cycle
  always_ff @(posedge clk_i) waited_q <= ready > ptr_t'(pop) && !rst;

  flit_t held_q;
  logic holds_q;
  logic [1:0] held_token_q;
  always_ff @(posedge clk_i) begin
    holds_q <= out_valid && !out_ready_i && !rst;
    held_q <= out_flit;
    held_token_q <= out_token;
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // The promises.
      if (tracking_q && pop && u_dut.read_q == at_q) begin
        assert (committed_q && out_flit == flit_q && out_token == token_q);
      end
      if (holds_q) assert (out_valid && out_flit == held_q && out_token == held_token_q);
      assert (!fits || in_ready);

      // Invariants for the induction.
      assert (used <= ptr_t'(Depth) && ready <= used);
      assert (u_dut.full_q == (used == ptr_t'(Depth)) && u_dut.valid_q == (Bypass ? ready != '0 : waited_q));
      assert (!waited_q || ready != '0);
      assert (!u_dut.open_q || ready == used);
      assert (!ends_inside);
      assert (32'(held) <= Tokens);
      assert (32'(held) == 32'(ends) + 32'(u_dut.open_q));
      assert (ready == '0 || u_dut.open_q != closed);
      if (u_dut.open_q) assert (held != '0 && u_dut.u_tokens.mem[last_token[TokenWidth-1:0]] == open_token_q);
      if (Bypass ? used != '0 : waited_q) assert (out_flit == u_dut.u_ram.mem[u_dut.read_q[PtrWidth-1:0]]);
      if (tracking_q) begin
        assert (ptr_t'(at_q - u_dut.read_q) < used);
        assert (u_dut.u_ram.mem[at_q[PtrWidth-1:0]] == flit_q);
        assert (committed_q == (ptr_t'(at_q - u_dut.read_q) < ready));
        if (committed_q) begin
          assert (u_dut.u_tokens.mem[TokenWidth'(u_dut.u_tokens.read_ptr_q+ends_before)] == token_q);
        end
      end
    end
  end
endmodule
