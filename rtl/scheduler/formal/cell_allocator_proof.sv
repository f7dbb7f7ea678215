// SPDX-License-Identifier: Apache-2.0
// Proves cell_allocator and its lists, by induction: every cell is in one place; none is handed out while a packet has it;
// the number of free cells is exact; and a free cell is available at most two cycles after anything was freed.
//
// The harness is the writer, the reader and every holder of packets: it takes cells into packets, abandons a packet that is not
// complete, discards stored ones, or reads them, a cell at a time and in any order. For each cell the model says where it
// is, which cell its chain ends with, how many links away that is and, in a list of chains, how many are before it.
module cell_allocator_proof #(
    parameter int unsigned Cells = 4,
    localparam int unsigned CellWidth = $clog2(Cells)
) (
    input logic clk_i,
    input logic take_i,
    input logic back_i,
    input logic done_i,  // the packet that is written is complete
    input logic discard_i,
    input logic [CellWidth-1:0] discard_first_i,
    input logic start_i,  // of the read of a packet
    input logic [CellWidth-1:0] start_first_i,
    input logic read_i,
    input logic [CellWidth-1:0] read_cell_i
);
  typedef logic [CellWidth-1:0] cell_t;
  typedef logic [CellWidth:0] count_t;
  typedef enum logic [2:0] {
    Unused,
    Next,       // in the chain to hand out
    Discarded,
    Read,
    Writing,
    Stored,
    Reading
  } place_e;
  typedef struct packed {
    place_e place;
    cell_t  first;   // of its packet
    cell_t  last;    // of its chain
    cell_t  links;   // to the last
    cell_t  ahead;  // chains before its own
  } where_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  where_t where_q[Cells];
  where_t where_d[Cells];
  logic writing_q;
  cell_t first_q, last_q;  // of the packet that is written

  logic cell_valid, take, back, discard, start, read, link;
  cell_t cell_next;
  count_t free_cells;
  assign take = take_i && cell_valid;
  assign back = back_i && writing_q && !take;
  assign discard = discard_i && where_q[discard_first_i].place == Stored && where_q[discard_first_i].first == discard_first_i;
  assign start = start_i && where_q[start_first_i].place == Stored && where_q[start_first_i].first == start_first_i
      && !(discard && discard_first_i == start_first_i);
  assign read = read_i && (where_q[read_cell_i].place == Reading
      || (start && where_q[read_cell_i].place == Stored && where_q[read_cell_i].first == start_first_i));
  assign link = (take && writing_q) || (back && cell_valid);

  cell_allocator #(
      .Cells(Cells)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .cell_valid_o(cell_valid),
      .cell_o(cell_next),
      .take_i(take),
      .back_i(back),
      .back_first_i(first_q),
      .back_last_i(last_q),
      .back_cells_i(count_t'(where_q[first_q].links) + count_t'(1)),
      .read_i(read),
      .read_cell_i,
      .discard_i(discard),
      .discard_first_i,
      .discard_last_i(where_q[discard_first_i].last),
      .discard_cells_i(count_t'(where_q[discard_first_i].links) + count_t'(1)),
      .link_i(link),
      .link_cell_i(last_q),
      .link_next_i(cell_next),
      .free_o(free_cells)
  );

  // How many chains are before one that is pushed to a list.
  cell_t behind_discarded, behind_read;
  assign behind_discarded = u_dut.u_discarded.straight ? '0
      : where_q[u_dut.u_discarded.tail_q].ahead + cell_t'(!u_dut.load_discarded);
  assign behind_read = u_dut.u_read.straight ? '0 : where_q[u_dut.u_read.tail_q].ahead + cell_t'(!u_dut.load_read);

  for (genvar c = 0; c < Cells; c++) begin : gen_cell
    where_t now, then;
    logic given;  // it is handed out in this cycle
    assign now = where_q[c];
    assign given = take && cell_next == cell_t'(c);
    always_comb begin
      then = now;
      unique case (now.place)
        Unused: begin
          if (u_dut.load_fresh && u_dut.fresh_q == count_t'(c)) then = '{Next, cell_t'(c), cell_t'(c), '0, '0};
        end
        Next: begin
          if (given) then = '{done_i ? Stored : Writing, writing_q ? first_q : cell_t'(c), cell_t'(c), '0, '0};
        end
        Discarded: begin
          if (u_dut.load_discarded) then.ahead = now.ahead - cell_t'(1);
          if (u_dut.load_discarded && now.last == u_dut.discarded.last) then.place = Next;
        end
        Read: begin
          if (u_dut.load_read) then.ahead = now.ahead - cell_t'(1);
          if (u_dut.load_read && u_dut.read == cell_t'(c)) then.place = Next;
        end
        Writing: begin
          if (take) then.last = cell_next;
          if (take) then.links = now.links + cell_t'(1);
          if (done_i) then.place = Stored;
          if (back) begin
            then.place = Next;
            if (cell_valid) then.last = u_dut.end_q;
            if (cell_valid) then.links = now.links + where_q[cell_next].links + cell_t'(1);
          end
        end
        Stored: begin
          if (discard && now.first == discard_first_i) then.place = Discarded;
          if (discard && now.first == discard_first_i) then.ahead = behind_discarded;
          if (start && now.first == start_first_i) then.place = Reading;
        end
        default: ;
      endcase
      if (read && read_cell_i == cell_t'(c)) then = '{Read, cell_t'(c), cell_t'(c), '0, behind_read};
    end
    assign where_d[c] = then;
    always_ff @(posedge clk_i) begin
      where_q[c] <= then;
      if (rst) where_q[c].place <= Unused;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take && !writing_q) first_q <= cell_next;
    if (take) last_q <= cell_next;
    writing_q <= (writing_q || take) && !done_i && !back;
    if (rst) writing_q <= 1'b0;
  end

  logic quiet_q;  // nothing was freed and nothing taken in the last cycle
  always_ff @(posedge clk_i) quiet_q <= !rst && !take && !back && !read && !discard;

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
    if (!rst) begin
      assert (!take || !(where_q[cell_next].place inside {Writing, Stored, Reading}));
      assert (free_cells == free);
      assert (!quiet_q || free_cells == '0 || cell_valid);
    end
  end

  // Invariants for the induction: registers and links agree with where the cells are.
  function automatic logic is_last(cell_t c, place_e place);
    return where_q[c].place == place && where_q[c].last == c;
  endfunction

  // Whether first .. last is a whole chain.
  function automatic logic spans(cell_t first, cell_t last, place_e place);
    spans = is_last(last, place) && where_q[first].place == place && where_q[first].last == last;
    for (int c = 0; c < Cells; c++) begin
      if (where_q[c].place == place && where_q[c].last == last && where_q[c].links > where_q[first].links) spans = 1'b0;
    end
  endfunction

  logic [2*CellWidth-1:0] head;
  cell_t tail, read_tail, read_head;
  assign head = u_dut.u_discarded.chain_o;
  assign tail = u_dut.u_discarded.tail_q;
  assign read_head = u_dut.u_read.chain_o;
  assign read_tail = u_dut.u_read.tail_q;

  always_comb begin
    if (!rst) begin
      assert (u_dut.fresh_q <= count_t'(Cells));
      if (cell_valid) assert (spans(cell_next, u_dut.end_q, Next));
      if (writing_q) assert (spans(first_q, last_q, Writing));
      if (writing_q) assert (where_q[first_q].first == first_q);
      assert (u_dut.u_discarded.valid_q == |discarded && u_dut.u_read.valid_q == |freed);
      if (|discarded) begin
        assert (spans(head[CellWidth+:CellWidth], head[0+:CellWidth], Discarded));
        assert (where_q[head[0+:CellWidth]].ahead == '0 && is_last(tail, Discarded));
      end
      if (|freed) assert (freed[read_head] && where_q[read_head].ahead == '0 && freed[read_tail]);
    end
  end

  for (genvar c = 0; c < Cells; c++) begin : gen_invariant
    where_t now;
    cell_t  next, read_next;
    logic   chained;
    logic [2*CellWidth-1:0] following;
    assign now = where_q[c];
    assign next = u_dut.u_links.mem[c];
    assign following = u_dut.u_discarded.u_next.mem[now.last];
    assign read_next = u_dut.u_read.u_next.mem[c];
    assign chained = now.place inside {Next, Discarded, Writing, Stored};

    always_comb begin
      if (!rst) begin
        assert ((now.place == Unused) == (count_t'(c) >= u_dut.fresh_q) && now.place <= Reading);
        assert (now.place != Next || (cell_valid && now.last == u_dut.end_q));
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
          assert (now.ahead == where_q[now.last].ahead && now.ahead <= where_q[tail].ahead);
          assert ((now.ahead == '0) == (now.last == head[0+:CellWidth]));
          if (now.last != tail) begin
            assert (spans(following[CellWidth+:CellWidth], following[0+:CellWidth], Discarded));
            assert (where_q[following[0+:CellWidth]].ahead == now.ahead + cell_t'(1));
            assert (now.ahead != '1);
          end
        end
        if (now.place == Read) begin
          assert (now.last == cell_t'(c) && now.links == '0);
          assert (now.ahead <= where_q[read_tail].ahead && (now.ahead == '0) == (read_head == cell_t'(c)));
          if (read_tail != cell_t'(c)) begin
            assert (freed[read_next] && where_q[read_next].ahead == now.ahead + cell_t'(1) && now.ahead != '1);
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
