// SPDX-License-Identifier: Apache-2.0
// Proves packet_buffer, by induction, with all flits, and whenever the other side of each link is ready:
//
// - A cell is in one place, and is not handed out while a packet has it; the number of free cells is exact; a free cell is
//   available at most two cycles after anything was freed (cells_model).
// - A packet is refused or held only for the documented reasons, and is lost only if it was refused, found no free cell although it
//   does not wait, or is too long. A packet that is bad or lost keeps no cell.
// - Each packet is reported once, in order, in the cycle after its last flit, with its length, its cells and its descriptor.
// - A stored packet that is read comes out whole, without a bubble, with its own flits in order, `last` and `empty` at its
//   end and the descriptor of the request; each cell is free once its last flit is read.
// - No memory is read at the address that is written in the same cycle.
//
// The harness has the handles of the packets whose reports it accepted, and reads or discards each of them once, in any order. One
// flit is watched for its data: flit watch_flit_i of any packet whose first cell is watch_cell_i. Both are constant and arbitrary, so
// the proof is about each flit of each packet.
module packet_buffer_proof
  import girih_pkg::*;
  import cells_model_pkg::*;
#(
    parameter int unsigned CellFlits = 1,
    parameter int unsigned Reports = 2
) (
    input logic clk_i,
    input logic in_valid_i,
    input flit_t in_flit_i,
    input logic in_which_i,
    input logic [1:0] in_hold_i,
    input logic [1:0] in_refuse_i,
    input logic [1:0] in_waits_i,
    input logic [1:0] in_reserved_i,
    input count_t reserve_i,
    input logic stored_ready_i,
    input logic read_i,
    input cell_t read_first_i,
    input descriptor_t read_desc_i,
    input logic out_ready_i,
    input logic discard_i,
    input cell_t discard_first_i,
    input cell_t watch_cell_i,
    input length_t watch_flit_i
);
  localparam int unsigned LengthWidth = $bits(length_t);
  localparam int unsigned PtrWidth = $clog2(Reports);
  typedef logic [LengthWidth:0] number_t;  // of bytes or flits, including one more than a length can be

  typedef struct packed {
    cell_t       first;
    cell_t       last;
    count_t      cells;
    length_t     length;
    logic        bad;
    logic        lost;
    logic        too_long;
    logic        reserved;
    descriptor_t desc;
  } report_t;

  function automatic number_t flits_of(length_t length);
    return (number_t'(length) + number_t'(FlitBytes - 1)) / number_t'(FlitBytes);
  endfunction

  function automatic number_t cells_of(number_t flits);
    return (flits + number_t'(CellFlits - 1)) / number_t'(CellFlits);
  endfunction

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  where_t where[Cells];
  logic [Cells-1:0] known_q;  // the report of the packet that begins with this cell was accepted
  length_t length_q[Cells];  // of the stored packet that begins with this cell

  function automatic logic stored_at(cell_t first);
    return where[first].place == Stored && where[first].first == first;
  endfunction

  logic in_ready, stored_valid, read, read_ready, start, out_valid, discard;
  report_t reported;
  length_t stored_flits;
  count_t  free_cells;
  flit_t   out_flit;
  assign discard = discard_i && stored_at(discard_first_i) && known_q[discard_first_i];
  assign read = read_i && stored_at(read_first_i) && known_q[read_first_i] && !(discard && discard_first_i == read_first_i);
  assign start = read && read_ready;

  packet_buffer #(
      .Cells(Cells),
      .CellFlits(CellFlits),
      .Reports(Reports)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_flit_i,
      .in_which_i,
      .in_hold_i,
      .in_refuse_i,
      .in_waits_i,
      .in_reserved_i,
      .reserve_i,
      .stored_valid_o(stored_valid),
      .stored_ready_i,
      .stored_first_o(reported.first),
      .stored_last_o(reported.last),
      .stored_cells_o(reported.cells),
      .stored_flits_o(stored_flits),
      .stored_length_o(reported.length),
      .stored_bad_o(reported.bad),
      .stored_overflow_o(reported.lost),
      .stored_reserved_o(reported.reserved),
      .stored_desc_o(reported.desc),
      .read_valid_i(read),
      .read_ready_o(read_ready),
      .read_first_i,
      .read_length_i(length_q[read_first_i]),
      .read_desc_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_flit_o(out_flit),
      .discard_valid_i(discard),
      .discard_first_i,
      .discard_last_i(where[discard_first_i].last),
      .discard_cells_i(count_t'(where[discard_first_i].links) + count_t'(1)),
      .free_cells_o(free_cells)
  );

  cell_t   watch_cell_q;
  length_t watch_flit_q;
  number_t watch_flit;
  assign watch_flit = number_t'(watch_flit_i);
  always_ff @(posedge clk_i) begin
    watch_cell_q <= watch_cell_i;
    watch_flit_q <= watch_flit_i;
  end
  always_comb begin
    if (!rst) assume (watch_cell_i == watch_cell_q && watch_flit_i == watch_flit_q);
  end

  // The packet that is being received.
  logic open_q, lost_q, too_long_q, waits_q, reserved_q;
  length_t limit_q;  // bytes to keep; 0: all
  number_t flits_q;  // received until now, while they are not too many
  descriptor_t desc_q;

  logic fire, lost, waits, reserved, keep, bad, overlong, needs, found, good;
  length_t limit, kept_bytes;
  number_t flit, earlier, bytes, kept_flits, kept_offset;
  assign fire = in_valid_i && in_ready;
  assign lost = open_q ? lost_q : in_waits_i[in_which_i] && in_refuse_i[in_which_i];
  assign waits = open_q ? waits_q : in_waits_i[in_which_i];
  assign reserved = open_q ? reserved_q : in_waits_i[in_which_i] && in_reserved_i[in_which_i];
  assign limit = open_q ? limit_q : in_flit_i.desc.length;
  assign flit = open_q ? flits_q : '0;
  assign earlier = flit * number_t'(FlitBytes);
  assign bytes = earlier + number_t'(FlitBytes) - (in_flit_i.last ? number_t'(in_flit_i.empty) : '0);
  assign overlong = (open_q && too_long_q) || bytes[LengthWidth];
  assign bad = in_flit_i.last && in_flit_i.bad;
  assign keep = !lost && !overlong && !bad && (limit == '0 || flit == '0 || earlier < number_t'(limit));  // this flit
  assign needs = keep && flit % number_t'(CellFlits) == '0;  // a cell
  assign found = u_dut.cell_valid && (reserved || free_cells > reserve_i);
  assign good = !lost && !overlong && !bad && (!needs || u_dut.take);
  assign kept_bytes = limit != '0 && number_t'(limit) < bytes ? limit : length_t'(bytes);
  // Flits of the open packet in cells.
  assign kept_flits = limit_q != '0 && flits_of(limit_q) < flits_q ? flits_of(limit_q) : flits_q;
  assign kept_offset = kept_flits % number_t'(CellFlits);  // of the next one in its cell

  logic writing, done;
  cell_t first, last;
  count_t cells;  // of the packet, with that of this flit
  assign done = fire && in_flit_i.last && good;
  assign cells = count_t'(u_dut.take) + (writing ? count_t'(where[first].links) + count_t'(1) : '0);

  always_ff @(posedge clk_i) begin
    if (fire) begin
      open_q <= !in_flit_i.last;
      lost_q <= !good;
      too_long_q <= overlong;
      waits_q <= waits;
      reserved_q <= reserved;
      limit_q <= limit;
      flits_q <= flit + number_t'(!overlong);
      if (!open_q) desc_q <= in_flit_i.desc;
    end
    if (rst) open_q <= 1'b0;
  end

  // The reports that are due.
  report_t due_q[Reports];
  report_t due;
  logic [PtrWidth:0] pushed_q, popped_q;
  logic report, known;
  assign due = due_q[popped_q[PtrWidth-1:0]];
  assign report = stored_valid && stored_ready_i;
  assign known = report && !due.bad && !due.lost;

  always_ff @(posedge clk_i) begin
    if (fire && in_flit_i.last) begin
      pushed_q <= pushed_q + 1'b1;
      due_q[pushed_q[PtrWidth-1:0]] <= '{
          first: writing ? first : u_dut.cell_next,
          last: u_dut.take ? u_dut.cell_next : last,
          cells: cells,
          length: kept_bytes,
          bad: in_flit_i.bad,
          lost: lost || overlong || (needs && !u_dut.take),
          too_long: overlong,
          reserved: reserved,
          desc: open_q ? desc_q : in_flit_i.desc
      };
    end
    if (done) length_q[writing ? first : u_dut.cell_next] <= kept_bytes;
    if (report) popped_q <= popped_q + 1'b1;
    for (int unsigned c = 0; c < Cells; c++) begin
      if (known && due.first == cell_t'(c)) known_q[c] <= 1'b1;
      if ((discard && discard_first_i == cell_t'(c)) || (start && read_first_i == cell_t'(c))) known_q[c] <= 1'b0;
    end
    if (rst) begin
      pushed_q <= '0;
      popped_q <= '0;
      known_q <= '0;
    end
  end

  // The packet that is being read.
  number_t pending_q;  // its flits that have not left
  length_t read_length_q;
  descriptor_t read_desc_q;
  cell_t read_links_q;  // from its first cell to its last
  logic read_watched_q;
  logic [W-1:0] data_q, read_data_q;  // of the watched flit: of the packet that was written last, and of this one

  always_ff @(posedge clk_i) begin
    if (fire && keep && good && flit == watch_flit && (writing ? first : u_dut.cell_next) == watch_cell_i) data_q <= in_flit_i.data;
    if (start) begin
      pending_q <= flits_of(length_q[read_first_i]);
      read_length_q <= length_q[read_first_i];
      read_desc_q <= read_desc_i;
      read_links_q <= where[read_first_i].links;
      read_watched_q <= read_first_i == watch_cell_i;
      read_data_q <= data_q;
    end else if (out_valid && out_ready_i) begin
      pending_q <= pending_q - 1'b1;
    end
    if (rst) pending_q <= '0;
  end

  // Where the cells are.
  cell_t links[Cells], reader_links[Cells], freed_next[Cells];
  chain_t discarded_next[Cells];
  logic [CellFlits-1:0][W-1:0] data[Cells];
  for (genvar c = 0; c < Cells; c++) begin : gen_memories
    assign links[c] = u_dut.u_allocator.u_links.mem[c];
    assign reader_links[c] = u_dut.u_reader.u_links.mem[c];
    assign freed_next[c] = u_dut.u_allocator.u_read.u_next.mem[c];
    assign discarded_next[c] = u_dut.u_allocator.u_discarded.u_next.mem[c];
    for (genvar o = 0; o < CellFlits; o++) begin : gen_offset
      assign data[c][o] = u_dut.u_data.mem[c*CellFlits+o];
    end
  end

  cells_model u_model (
      .clk_i,
      .rst_i(rst),
      .take_i(u_dut.take),
      .back_i(u_dut.back),
      .done_i(done),
      .discard_i(discard),
      .discard_first_i,
      .start_i(start),
      .start_first_i(read_first_i),
      .read_i(u_dut.free),
      .read_cell_i(u_dut.free_cell),
      .cell_valid_i(u_dut.cell_valid),
      .cell_i(u_dut.cell_next),
      .end_i(u_dut.u_allocator.end_q),
      .fresh_i(u_dut.u_allocator.fresh_q),
      .free_i(free_cells),
      .load_fresh_i(u_dut.u_allocator.load_fresh),
      .load_discarded_i(u_dut.u_allocator.load_discarded),
      .load_read_i(u_dut.u_allocator.load_read),
      .links_i(links),
      .discarded_valid_i(u_dut.u_allocator.u_discarded.valid_q),
      .discarded_i(u_dut.u_allocator.u_discarded.chain_o),
      .discarded_tail_i(u_dut.u_allocator.u_discarded.tail_q),
      .discarded_straight_i(u_dut.u_allocator.u_discarded.straight),
      .discarded_next_i(discarded_next),
      .freed_valid_i(u_dut.u_allocator.u_read.valid_q),
      .freed_i(u_dut.u_allocator.u_read.chain_o),
      .freed_tail_i(u_dut.u_allocator.u_read.tail_q),
      .freed_straight_i(u_dut.u_allocator.u_read.straight),
      .freed_next_i(freed_next),
      .where_o(where),
      .writing_o(writing),
      .first_o(first),
      .last_o(last)
  );

  // The promises of the write side.
  always_comb begin
    if (!rst) begin
      assume (in_flit_i.last || in_flit_i.empty == '0);

      if (!open_q && in_waits_i[in_which_i] && in_hold_i[in_which_i]) assert (!in_ready);
      if (in_valid_i && !in_ready) begin
        assert ((!open_q && ((in_waits_i[in_which_i] && in_hold_i[in_which_i]) || pushed_q - popped_q == (PtrWidth + 1)'(Reports))) || (waits && needs && !found));
      end
      assert (!u_dut.take || (fire && needs && found));
      if (fire && needs && !u_dut.take) assert (!waits && !found);
      assert (u_dut.back == (fire && writing && !good));

      assert (stored_valid == (pushed_q != popped_q));
      if (stored_valid) begin
        assert (reported.bad == due.bad && reported.lost == due.lost && reported.reserved == due.reserved);
        assert (reported.desc == due.desc);
        if (!due.too_long) assert (reported.length == due.length && number_t'(stored_flits) == flits_of(due.length));
        if (!due.bad && !due.lost) begin
          assert (reported.first == due.first && reported.last == due.last && reported.cells == due.cells);
        end
      end
    end
  end

  // The promises of the read side.
  number_t read_flits, number;  // of the flit at the output
  assign read_flits = flits_of(read_length_q);
  assign number = read_flits - pending_q;
  always_comb begin
    if (!rst) begin
      assert (read_ready == (pending_q == '0 || (pending_q == number_t'(1) && out_ready_i)));
      assert (out_valid == (pending_q != '0));
      if (out_valid) begin
        assert (out_flit.last == (pending_q == number_t'(1)) && !out_flit.bad);
        assert (number_t'(out_flit.empty) == (out_flit.last ? read_flits * number_t'(FlitBytes) - number_t'(read_length_q) : '0));
        assert (out_flit.desc == read_desc_q);
        if (read_watched_q && number == watch_flit) assert (out_flit.data == read_data_q);
      end
    end
  end

  // The promises of the memories.
  always_comb begin
    if (!rst) begin
      assert (!(u_dut.write && u_dut.fetch) || u_dut.write_addr != u_dut.fetch_addr);
      assert (!(u_dut.link && u_dut.u_reader.u_links.read_enable_i) || u_dut.link_cell != u_dut.u_reader.u_links.read_addr_i);
      assert (!(u_dut.link && u_dut.u_allocator.u_links.read_enable_i) || u_dut.link_cell != u_dut.cell_next);
      assert (!(u_dut.u_allocator.u_read.u_next.write_enable_i && u_dut.u_allocator.u_read.u_next.read_enable_i)
              || u_dut.u_allocator.u_read.u_next.write_addr_i != u_dut.u_allocator.u_read.u_next.read_addr_i);
      assert (!(u_dut.u_allocator.u_discarded.u_next.write_enable_i && u_dut.u_allocator.u_discarded.u_next.read_enable_i)
              || u_dut.u_allocator.u_discarded.u_next.write_addr_i != u_dut.u_allocator.u_discarded.u_next.read_addr_i);
    end
  end

  // Invariants for the induction: the writer has the state of the model, and the counts of cells agree.
  count_t writing_cells, held_cells, reading_cells;
  always_comb begin
    writing_cells = '0;
    held_cells = '0;
    reading_cells = '0;
    for (int unsigned c = 0; c < Cells; c++) begin
      writing_cells += count_t'(where[c].place == Writing);
      held_cells += count_t'(where[c].place inside {Stored, Reading});
      reading_cells += count_t'(where[c].place == Reading);
    end
  end

  logic [PtrWidth:0] reports;
  assign reports = pushed_q - popped_q;

  always_comb begin
    if (!rst) begin
      assert (u_dut.u_writer.open_q == open_q);
      assert (u_dut.u_writer.most_q == (open_q && &u_dut.u_writer.length_q[LengthWidth-1:EmptyWidth]));
      assert (reports <= (PtrWidth + 1)'(Reports) && !(open_q && reports == (PtrWidth + 1)'(Reports)));
      assert (u_dut.u_writer.u_reports.write_ptr_q == pushed_q && u_dut.u_writer.u_reports.read_ptr_q == popped_q);
      assert (u_dut.u_writer.u_reports.full_q == (reports == (PtrWidth + 1)'(Reports)));
      assert (u_dut.u_writer.u_reports.ready_q == !u_dut.u_writer.u_reports.full_q && u_dut.u_writer.u_reports.valid_q == (reports != '0));
      assert (u_dut.u_writer.desc_write_q == pushed_q[PtrWidth-1:0] && u_dut.u_writer.desc_read_q == popped_q[PtrWidth-1:0]);
      assert (writing == (open_q && !lost_q));
      if (open_q) begin
        assert (u_dut.u_writer.waits_q == waits_q && u_dut.u_writer.reserved_q == reserved_q && u_dut.u_writer.lost_q == lost_q);
        assert (u_dut.u_writer.trim_q == (limit_q != '0) && u_dut.u_writer.limit_q == limit_q);
        assert (lost_q || !too_long_q);
        if (!too_long_q) begin
          assert (flits_q != '0 && flits_q <= flits_of('1));
          assert (number_t'(u_dut.u_writer.length_q) == flits_q * number_t'(FlitBytes));
        end
        assert (u_dut.u_writer.desc[pushed_q[PtrWidth-1:0]] == desc_q);
      end
      assert (number_t'(writing_cells) == (writing ? cells_of(kept_flits) : '0));
      if (writing) begin
        assert (u_dut.u_writer.first_q == first && u_dut.u_writer.cell_q == last && u_dut.u_writer.cells_q == writing_cells);
        assert (number_t'(u_dut.u_writer.addr_q) % number_t'(CellFlits) == kept_offset);
        if (kept_offset != '0) assert (number_t'(u_dut.u_writer.addr_q) / number_t'(CellFlits) == number_t'(last));
        assert (count_t'(where[first].links) + count_t'(1) == writing_cells);
      end
      assert (u_dut.writing_q == writing_cells && u_dut.held_q == held_cells);
      if (writing) assert (u_dut.writing_first_q == first);
    end
  end

  // Each report that is due is in the queue, and names a stored packet that has no other report.
  typedef struct packed {
    cell_t   first;
    cell_t   last;
    count_t  cells;
    length_t length;
    logic    bad;
    logic    lost;
    logic    reserved;
  } entry_t;  // as cell_writer keeps it

  logic [Reports-1:0] here, intact;  // the report is due, and of a packet that was stored
  for (genvar r = 0; r < Reports; r++) begin : gen_report
    report_t now;
    entry_t  entry;
    assign now = due_q[r];
    assign entry = u_dut.u_writer.u_reports.mem[r];
    assign here[r] = (PtrWidth + 1)'(PtrWidth'(PtrWidth'(r) - popped_q[PtrWidth-1:0])) < reports;
    assign intact[r] = here[r] && !now.bad && !now.lost;
    always_comb begin
      if (!rst && here[r]) begin
        assert (entry.bad == now.bad && entry.lost == now.lost && entry.reserved == now.reserved);
        assert (u_dut.u_writer.desc[r] == now.desc);
        assert (now.too_long || entry.length == now.length);
      end
      if (!rst && intact[r]) begin
        assert (!now.too_long && entry.first == now.first && entry.last == now.last && entry.cells == now.cells);
        assert (stored_at(now.first) && !known_q[now.first] && where[now.first].last == now.last);
        assert (now.cells == count_t'(where[now.first].links) + count_t'(1) && now.length == length_q[now.first]);
        for (int unsigned o = 0; o < r; o++) assert (!intact[o] || due_q[o].first != now.first);
      end
    end
  end

  // A stored packet has as many cells as its length needs, and a cell that holds the watched flit holds its data.
  function automatic logic watched(cell_t position, number_t offset);
    return number_t'(position) * number_t'(CellFlits) + offset == watch_flit;
  endfunction

  for (genvar c = 0; c < Cells; c++) begin : gen_cell
    where_t now;
    cell_t position, read_position;  // cells before it in its packet
    logic is_due;
    assign now = where[c];
    assign position = where[now.first].links - now.links;
    assign read_position = read_links_q - now.links;
    always_comb begin
      is_due = 1'b0;
      for (int unsigned r = 0; r < Reports; r++) begin
        if (intact[r] && due_q[r].first == cell_t'(c)) is_due = 1'b1;
      end
      if (!rst) begin
        assert (!known_q[c] || stored_at(cell_t'(c)));
        if (stored_at(cell_t'(c))) begin
          assert (known_q[c] != is_due);
          assert (length_q[c] != '0 && cells_of(flits_of(length_q[c])) == number_t'(now.links) + number_t'(1));
          assert (u_dut.begins_q[c]);
        end
        if (now.place inside {Writing, Stored} && now.links != '0) assert (reader_links[c] == links[c]);
        for (int unsigned o = 0; o < CellFlits; o++) begin
          if (now.place == Writing && now.first == watch_cell_i && watched(position, number_t'(o)) && watch_flit < kept_flits) begin
            assert (data[c][o] == data_q);
          end
          if (now.place == Stored && now.first == watch_cell_i && watched(position, number_t'(o))
              && watch_flit < flits_of(length_q[watch_cell_i])) begin
            assert (data[c][o] == data_q);
          end
          if (now.place == Reading && read_watched_q && watched(read_position, number_t'(o)) && watch_flit < read_flits) begin
            assert (data[c][o] == read_data_q);
          end
        end
      end
    end
  end

  // The reader has the state of the model, and follows the chain of the cells that are left.
  number_t left, fetched;  // flits of the packet that are read that are to be fetched, and were
  number_t offset;  // of the next fetch in its cell
  cell_t front;  // the cell of the next fetch
  assign left = pending_q - number_t'(out_valid);
  assign fetched = read_flits - left;
  assign offset = fetched % number_t'(CellFlits);
  assign front = offset == '0 ? u_dut.u_reader.next_cell : u_dut.u_reader.cell_q;

  always_comb begin
    if (!rst) begin
      assert (number_t'(u_dut.u_reader.left_q) == left);
      assert (number_t'(reading_cells) == (left == '0 ? '0 : cells_of(read_flits) - fetched / number_t'(CellFlits)));
      if (pending_q != '0) begin
        assert (pending_q <= read_flits && read_length_q != '0 && cells_of(read_flits) == number_t'(read_links_q) + number_t'(1));
        assert (u_dut.u_reader.empty_q == EmptyWidth'(-read_length_q));
      end
      if (left != '0) begin
        assert (number_t'(u_dut.u_reader.offset_q) == offset);
        assert (where[front].place == Reading && number_t'(read_links_q) - number_t'(where[front].links) == fetched / number_t'(CellFlits));
        if (offset != '0 && where[front].links != '0) assert (u_dut.u_reader.next_cell == reader_links[front]);
      end
    end
  end

  for (genvar c = 0; c < Cells; c++) begin : gen_reading
    where_t now;
    cell_t  next;
    assign now = where[c];
    assign next = reader_links[c];
    always_comb begin
      if (!rst && now.place == Reading) begin
        assert (now.links <= where[front].links);
        if (now.links != '0) assert (where[next].place == Reading && where[next].links == now.links - cell_t'(1));
        for (int unsigned o = 0; o < c; o++) assert (where[o].place != Reading || where[o].links != now.links);
      end
    end
  end
endmodule
