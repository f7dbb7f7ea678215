// SPDX-License-Identifier: Apache-2.0
// Hands out free cells, one per cycle, and takes back, all in the same cycle: a cell that was read, a whole chain
// that was discarded, and the cells of a packet that the writer abandons.
//
// The cells to hand out next are a chain, followed along the links of the packets that last used them:
//
//   never used --+
//   discarded ---+--> cell_o .. end_q --> the writer
//   read --------+        ^-- taken back: first .. last, linked in front of cell_o
//
// So a chain of any length is freed without changing its links. A freed cell can be handed out two
// cycles later; until then cell_valid_o may be low although free_o counts the cell.
// It is mapped by itself, because take_i and back_i come late in the cycle.
(* keep_hierarchy *)
module cell_allocator #(
    parameter int unsigned Cells = 1024,
    localparam int unsigned CellWidth = $clog2(Cells),
    localparam type cell_t = logic [CellWidth-1:0],
    localparam type count_t = logic [CellWidth:0]
) (
    input logic clk_i,
    input logic rst_i,

    output logic  cell_valid_o,
    output cell_t cell_o,
    input  logic  take_i,

    // The cells of the abandoned packet, from first to last, are given back; never in a cycle with take_i.
    input logic   back_i,
    input cell_t  back_first_i,
    input cell_t  back_last_i,
    input count_t back_cells_i,

    input logic  read_i,
    input cell_t read_cell_i,

    input logic   discard_i,
    input cell_t  discard_first_i,
    input cell_t  discard_last_i,
    input count_t discard_cells_i,

    // The writer's links between cells, which this module completes.
    input  logic  link_i,
    input  cell_t link_cell_i,
    input  cell_t link_next_i,

    output count_t free_o  // exact as of the start of this cycle
);
  typedef struct packed {
    cell_t first;
    cell_t last;
  } chain_t;

  logic valid_q, linked_q;  // linked_q: cell_o is the link of the previous cell
  cell_t cell_q, end_q, linked;
  count_t fresh_q, free_q;  // fresh_q: the first cell never used; its top bit: there is none

  logic discarded_valid, read_valid, load, at_end, load_fresh, load_discarded, load_read;
  chain_t discarded;
  cell_t read;
  assign cell_valid_o = valid_q;
  assign cell_o = linked_q ? linked : cell_q;
  assign at_end = cell_o == end_q;

  // A chain given back is linked in front of the present one, so no other is loaded in that cycle, in which no cell is taken. What does not
  // wait for take_i and back_i is kept: where the next chain would come from, after the last cell of the present one and if there is none.
  typedef struct packed {
    logic fresh;
    logic discarded;
    logic read;
  } source_t;
  source_t source;
  (* keep *) source_t after_end, if_none;
  assign source.fresh = !fresh_q[CellWidth];
  assign source.discarded = fresh_q[CellWidth] && discarded_valid;
  assign source.read = fresh_q[CellWidth] && !discarded_valid && read_valid;
  assign after_end = at_end ? source : '0;
  assign if_none = valid_q ? '0 : source;
  assign load = (take_i && at_end) || (!back_i && !valid_q);
  assign load_fresh = (take_i && after_end.fresh) || (!back_i && if_none.fresh);
  assign load_discarded = (take_i && after_end.discarded) || (!back_i && if_none.discarded);
  assign load_read = (take_i && after_end.read) || (!back_i && if_none.read);

  cell_list #(
      .Cells(Cells),
      .chain_t(chain_t)
  ) u_discarded (
      .clk_i,
      .rst_i,
      .push_i(discard_i),
      .push_chain_i({discard_first_i, discard_last_i}),
      .push_last_i(discard_last_i),
      .valid_o(discarded_valid),
      .chain_o(discarded),
      .pop_i(load_discarded),
      .last_i(discarded.last)
  );

  cell_list #(
      .Cells(Cells)
  ) u_read (
      .clk_i,
      .rst_i,
      .push_i(read_i),
      .push_chain_i(read_cell_i),
      .push_last_i(read_cell_i),
      .valid_o(read_valid),
      .chain_o(read),
      .pop_i(load_read),
      .last_i(read)
  );

  ram_simple_dual #(
      .T(cell_t),
      .Depth(Cells)
  ) u_links (
      .clk_i,
      .write_enable_i(link_i),
      .write_addr_i(link_cell_i),
      .write_data_i(link_next_i),
      .read_enable_i(take_i && !at_end),
      .read_addr_i(cell_o),
      .read_data_o(linked)
  );

  always_ff @(posedge clk_i) begin
    if (back_i) begin
      valid_q <= 1'b1;
      linked_q <= 1'b0;
      cell_q <= back_first_i;
      if (!valid_q) end_q <= back_last_i;
    end else if (load) begin
      valid_q <= load_fresh || load_discarded || load_read;
      linked_q <= 1'b0;
      if (load_fresh) cell_q <= cell_t'(fresh_q);
      else cell_q <= load_discarded ? discarded.first : read;
      if (load_fresh) end_q <= cell_t'(fresh_q);
      else end_q <= load_discarded ? discarded.last : read;
    end else if (take_i) begin
      linked_q <= 1'b1;
    end
    if (load_fresh) fresh_q <= fresh_q + 1'b1;
    free_q <= free_q - count_t'(take_i) + count_t'(read_i) + (discard_i ? discard_cells_i : '0) + (back_i ? back_cells_i : '0);
    if (rst_i) begin
      valid_q <= 1'b0;
      fresh_q <= '0;
      free_q <= count_t'(Cells);
    end
  end
  assign free_o = free_q;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!take_i || (valid_q && !back_i))
      else $error("cell_allocator: a cell is taken when none is offered");
      assert (free_q <= count_t'(Cells))
      else $error("cell_allocator: more cells are free than exist");
      assert (!valid_q || free_q != '0)
      else $error("cell_allocator: a cell is offered although none is free");
      chain_comes_back : cover (back_i && valid_q);
      chain_comes_back_to_none : cover (back_i && !valid_q);
      last_cell_taken : cover (take_i && free_q == count_t'(1));
      last_cell_taken_and_one_read : cover (take_i && read_i && free_q == count_t'(1));
      from_discarded : cover (load_discarded);
      from_read : cover (load_read);
      none_to_load : cover (load && !load_fresh && !load_discarded && !load_read);
    end
  end
endmodule
