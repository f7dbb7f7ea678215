// SPDX-License-Identifier: Apache-2.0
// Proves cell_allocator and its lists, by induction: what cells_model asserts, whatever is done with packets.
//
// The harness is the writer, the reader and every holder of packets: it takes cells into packets, abandons a packet that is not
// complete, discards stored ones, or reads them, a cell at a time and in any order.
module cell_allocator_proof
  import cells_model_pkg::*;
(
    input logic  clk_i,
    input logic  take_i,
    input logic  back_i,
    input logic  done_i,           // the packet that is written is complete
    input logic  discard_i,
    input cell_t discard_first_i,
    input logic  start_i,          // of the read of a packet
    input cell_t start_first_i,
    input logic  read_i,
    input cell_t read_cell_i
);
  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  where_t where[Cells];
  logic writing;
  cell_t first, last;  // of the packet that is written

  logic cell_valid, take, back, discard, start, read, link;
  cell_t  cell_next;
  count_t free_cells;
  assign take = take_i && cell_valid;
  assign back = back_i && writing && !take;
  assign discard = discard_i && where[discard_first_i].place == Stored && where[discard_first_i].first == discard_first_i;
  assign start = start_i && where[start_first_i].place == Stored && where[start_first_i].first == start_first_i
      && !(discard && discard_first_i == start_first_i);
  assign read = read_i && (where[read_cell_i].place == Reading
      || (start && where[read_cell_i].place == Stored && where[read_cell_i].first == start_first_i));
  assign link = (take && writing) || (back && cell_valid);

  cell_allocator #(
      .Cells(Cells)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .cell_valid_o(cell_valid),
      .cell_o(cell_next),
      .take_i(take),
      .back_i(back),
      .back_first_i(first),
      .back_last_i(last),
      .back_cells_i(count_t'(where[first].links) + count_t'(1)),
      .read_i(read),
      .read_cell_i,
      .discard_i(discard),
      .discard_first_i,
      .discard_last_i(where[discard_first_i].last),
      .discard_cells_i(count_t'(where[discard_first_i].links) + count_t'(1)),
      .link_i(link),
      .link_cell_i(last),
      .link_next_i(cell_next),
      .free_o(free_cells)
  );

  // The links in the memories.
  cell_t  links[Cells], freed_next[Cells];
  chain_t discarded_next[Cells];
  for (genvar c = 0; c < Cells; c++) begin : gen_links
    assign links[c] = u_dut.u_links.mem[c];
    assign freed_next[c] = u_dut.u_read.u_next.mem[c];
    assign discarded_next[c] = u_dut.u_discarded.u_next.mem[c];
  end

  cells_model u_model (
      .clk_i,
      .rst_i(rst),
      .take_i(take),
      .back_i(back),
      .done_i,
      .discard_i(discard),
      .discard_first_i,
      .start_i(start),
      .start_first_i,
      .read_i(read),
      .read_cell_i,
      .cell_valid_i(cell_valid),
      .cell_i(cell_next),
      .end_i(u_dut.end_q),
      .fresh_i(u_dut.fresh_q),
      .free_i(free_cells),
      .load_fresh_i(u_dut.load_fresh),
      .load_discarded_i(u_dut.load_discarded),
      .load_read_i(u_dut.load_read),
      .links_i(links),
      .discarded_valid_i(u_dut.u_discarded.valid_q),
      .discarded_i(u_dut.u_discarded.chain_o),
      .discarded_tail_i(u_dut.u_discarded.tail_q),
      .discarded_straight_i(u_dut.u_discarded.straight),
      .discarded_next_i(discarded_next),
      .freed_valid_i(u_dut.u_read.valid_q),
      .freed_i(u_dut.u_read.chain_o),
      .freed_tail_i(u_dut.u_read.tail_q),
      .freed_straight_i(u_dut.u_read.straight),
      .freed_next_i(freed_next),
      .where_o(where),
      .writing_o(writing),
      .first_o(first),
      .last_o(last)
  );
endmodule
