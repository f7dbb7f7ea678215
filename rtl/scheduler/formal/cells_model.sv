// SPDX-License-Identifier: Apache-2.0
// The model of where each cell is, for the proofs of cell_allocator and packet_buffer: in which place, to which packet it
// belongs, which cell its chain ends with, how many links away that is and, in a list of chains, how many are before it.
//
// It asserts that every cell is in one place, that none is handed out while a packet has it, that the number of free cells is
// exact, and that a free cell is available at most two cycles after anything was freed. Its other assertions are the invariants for
// the induction: the registers and links of the allocator and its lists agree with where the cells are.
module cells_model
  import cells_model_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    // What is done with packets and cells in this cycle.
    input logic  take_i,
    input logic  back_i,           // the packet that is written is abandoned
    input logic  done_i,           // the packet that is written is complete
    input logic  discard_i,
    input cell_t discard_first_i,
    input logic  start_i,          // of the read of a packet
    input cell_t start_first_i,
    input logic  read_i,
    input cell_t read_cell_i,

    // The allocator.
    input logic   cell_valid_i,
    input cell_t  cell_i,
    input cell_t  end_i,
    input count_t fresh_i,
    input count_t free_i,
    input logic   load_fresh_i,
    input logic   load_discarded_i,
    input logic   load_read_i,
    input cell_t  links_i[Cells],

    // Its lists.
    input logic   discarded_valid_i,
    input chain_t discarded_i,
    input cell_t  discarded_tail_i,
    input logic   discarded_straight_i,
    input chain_t discarded_next_i[Cells],
    input logic   freed_valid_i,
    input cell_t  freed_i,
    input cell_t  freed_tail_i,
    input logic   freed_straight_i,
    input cell_t  freed_next_i[Cells],

    output where_t where_o[Cells],
    output logic writing_o,  // a packet is being written, from cell first_o to last_o
    output cell_t first_o,
    output cell_t last_o
);
  where_t where_q[Cells];
  logic writing_q;
  cell_t first_q, last_q;  // of the packet that is written
  assign where_o = where_q;
  assign writing_o = writing_q;
  assign first_o = first_q;
  assign last_o = last_q;

  // How many chains are before one that is pushed to a list.
  cell_t behind_discarded, behind_freed;
  assign behind_discarded = discarded_straight_i ? '0 : where_q[discarded_tail_i].ahead + cell_t'(!load_discarded_i);
  assign behind_freed = freed_straight_i ? '0 : where_q[freed_tail_i].ahead + cell_t'(!load_read_i);

  for (genvar c = 0; c < Cells; c++) begin : gen_cell
    where_t now, then;
    logic given;  // it is handed out in this cycle
    assign now = where_q[c];
    assign given = take_i && cell_i == cell_t'(c);
    always_comb begin
      then = now;
      unique case (now.place)
        Unused: begin
          if (load_fresh_i && fresh_i == count_t'(c)) then = '{Next, cell_t'(c), cell_t'(c), '0, '0};
        end
        Next: begin
          if (given) then = '{done_i ? Stored : Writing, writing_q ? first_q : cell_t'(c), cell_t'(c), '0, '0};
        end
        Discarded: begin
          if (load_discarded_i) then.ahead = now.ahead - cell_t'(1);
          if (load_discarded_i && now.last == discarded_i.last) then.place = Next;
        end
        Read: begin
          if (load_read_i) then.ahead = now.ahead - cell_t'(1);
          if (load_read_i && freed_i == cell_t'(c)) then.place = Next;
        end
        Writing: begin
          if (take_i) then.last = cell_i;
          if (take_i) then.links = now.links + cell_t'(1);
          if (done_i) then.place = Stored;
          if (back_i) begin
            then.place = Next;
            if (cell_valid_i) then.last = end_i;
            if (cell_valid_i) then.links = now.links + where_q[cell_i].links + cell_t'(1);
          end
        end
        Stored: begin
          if (discard_i && now.first == discard_first_i) then.place = Discarded;
          if (discard_i && now.first == discard_first_i) then.ahead = behind_discarded;
          if (start_i && now.first == start_first_i) then.place = Reading;
        end
        default: ;
      endcase
      if (read_i && read_cell_i == cell_t'(c)) then = '{Read, cell_t'(c), cell_t'(c), '0, behind_freed};
    end
    always_ff @(posedge clk_i) begin
      where_q[c] <= then;
      if (rst_i) where_q[c].place <= Unused;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i && !writing_q) first_q <= cell_i;
    if (take_i) last_q <= cell_i;
    writing_q <= (writing_q || take_i) && !done_i && !back_i;
    if (rst_i) writing_q <= 1'b0;
  end

  logic quiet_q;  // nothing was freed and nothing taken in the last cycle
  always_ff @(posedge clk_i) quiet_q <= !rst_i && !take_i && !back_i && !read_i && !discard_i;

  count_t free;
  logic [Cells-1:0] discarded, freed;  // which are in the lists
  always_comb begin
    free = '0;
    for (int c = 0; c < Cells; c++) begin
      free += count_t'(where_q[c].place inside {Unused, Next, Discarded, Read});
      discarded[c] = where_q[c].place == Discarded;
      freed[c] = where_q[c].place == Read;
    end
  end

  // The promises.
  always_comb begin
    if (!rst_i) begin
      assert (!take_i || !(where_q[cell_i].place inside {Writing, Stored, Reading}));
      assert (free_i == free);
      assert (!quiet_q || free_i == '0 || cell_valid_i);
    end
  end

  // Invariants for the induction.
  function automatic logic is_last(cell_t c, place_e place);
    return where_q[c].place == place && where_q[c].last == c;
  endfunction

  logic [Cells-1:0] begins;  // the cell is the first of its chain

  // Whether first .. last is a whole chain.
  function automatic logic spans(cell_t first, cell_t last, place_e place);
    return is_last(last, place) && where_q[first].place == place && where_q[first].last == last && begins[first];
  endfunction

  for (genvar c = 0; c < Cells; c++) begin : gen_begins
    always_comb begin
      begins[c] = 1'b1;
      for (int o = 0; o < Cells; o++) begin
        if (where_q[o].place == where_q[c].place && where_q[o].last == where_q[c].last && where_q[o].links > where_q[c].links) begin
          begins[c] = 1'b0;
        end
      end
    end
  end

  always_comb begin
    if (!rst_i) begin
      assert (fresh_i <= count_t'(Cells));
      if (cell_valid_i) assert (spans(cell_i, end_i, Next));
      if (writing_q) assert (spans(first_q, last_q, Writing));
      if (writing_q) assert (where_q[first_q].first == first_q);
      assert (discarded_valid_i == |discarded && freed_valid_i == |freed);
      if (|discarded) begin
        assert (spans(discarded_i.first, discarded_i.last, Discarded));
        assert (where_q[discarded_i.last].ahead == '0 && is_last(discarded_tail_i, Discarded));
      end
      if (|freed) assert (freed[freed_i] && where_q[freed_i].ahead == '0 && freed[freed_tail_i]);
    end
  end

  for (genvar c = 0; c < Cells; c++) begin : gen_invariant
    where_t now;
    cell_t  next, freed_next;
    logic   chained;
    chain_t following;
    assign now = where_q[c];
    assign next = links_i[c];
    assign following = discarded_next_i[now.last];
    assign freed_next = freed_next_i[c];
    assign chained = now.place inside {Next, Discarded, Writing, Stored};

    always_comb begin
      if (!rst_i) begin
        assert ((now.place == Unused) == (count_t'(c) >= fresh_i) && now.place <= Reading);
        assert (now.place != Next || (cell_valid_i && now.last == end_i));
        assert (now.place != Writing || (writing_q && now.last == last_q && now.first == first_q));
        if (chained) begin
          assert (is_last(now.last, now.place) && (now.links == '0) == (now.last == cell_t'(c)));
          if (now.links != '0) begin
            assert (where_q[next].place == now.place && where_q[next].last == now.last);
            assert (where_q[next].links == now.links - cell_t'(1));
          end
        end
        if (now.place == Stored) assert (spans(now.first, now.last, Stored) && where_q[now.first].first == now.first);
        if (now.place == Discarded) begin
          assert (now.ahead == where_q[now.last].ahead && now.ahead <= where_q[discarded_tail_i].ahead);
          assert ((now.ahead == '0) == (now.last == discarded_i.last));
          if (now.last != discarded_tail_i) begin
            assert (spans(following.first, following.last, Discarded));
            assert (where_q[following.last].ahead == now.ahead + cell_t'(1));
            assert (now.ahead != '1);
          end
        end
        if (now.place == Read) begin
          assert (now.last == cell_t'(c) && now.links == '0);
          assert (now.ahead <= where_q[freed_tail_i].ahead && (now.ahead == '0) == (freed_i == cell_t'(c)));
          if (freed_tail_i != cell_t'(c)) begin
            assert (freed[freed_next] && where_q[freed_next].ahead == now.ahead + cell_t'(1) && now.ahead != '1);
          end
        end
        for (int o = 0; o < c; o++) begin
          if (chained && where_q[o].place == now.place) begin
            if (where_q[o].last == now.last) assert (where_q[o].links != now.links);
            if (now.place == Stored) assert ((where_q[o].last == now.last) == (where_q[o].first == now.first));
            if (now.place == Discarded) assert ((where_q[o].last == now.last) == (where_q[o].ahead == now.ahead));
          end
          if (now.place == Read && where_q[o].place == Read) assert (where_q[o].ahead != now.ahead);
        end
      end
    end
  end
endmodule
