// SPDX-License-Identifier: Apache-2.0
// Proves packet_buffer at a small size: a cell is never handed out while a packet is in it, cells
// that are free can be had, and a stored packet that is read comes out with its own flits. The
// harness holds the handles of stored packets, and reads or discards any of them, each once.
module packet_buffer_proof
  import girih_pkg::*;
#(
    parameter int unsigned CellFlits = 1,
    parameter bit Track = 1  // 0: only the cells, which takes the solver less time
) (
    input logic clk_i,
    input logic in_valid_i,
    input flit_t in_flit_i,
    input logic out_ready_i,
    input logic [3:0] read_i,
    input logic [3:0] discard_i,
    input logic track_i,
    input length_t track_flit_i
);
  localparam int unsigned Cells = 4;
  typedef logic [1:0] cell_t;
  typedef logic [2:0] count_t;
  typedef logic [3:0] cells_t;  // a set of cells
  typedef struct packed {
    cell_t   first;
    cell_t   last;
    count_t  cells;
    length_t length;
    cells_t  members;
    logic    tracked;
  } packet_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic in_ready, stored_valid, stored_bad, stored_overflow, read_ready, out_valid;
  count_t free_cells;
  flit_t out_flit;
  packet_t stored;

  // Stored packets: each has a cell, so there are no more than cells.
  packet_t packet_q[4];
  logic [3:0] valid_q;
  logic [3:0] read, discard, place;
  packet_t reading, discarding;
  assign read = read_i & valid_q & {4{$onehot(read_i)}};
  assign discard = discard_i & valid_q & ~read & {4{$onehot(discard_i)}};
  assign place = ~valid_q & (valid_q + 1'b1);
  always_comb begin
    reading = '0;
    discarding = '0;
    for (int i = 0; i < 4; i++) begin
      if (read[i]) reading = packet_q[i];
      if (discard[i]) discarding = packet_q[i];
    end
  end

  packet_buffer #(
      .Cells(Cells),
      .CellFlits(CellFlits),
      .Reports(2)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_flit_i,
      .in_hold_i(1'b0),
      .in_refuse_i(1'b0),
      .in_waits_i(in_flit_i.desc.lossless),
      .in_reserved_i(in_flit_i.desc.lossless),
      .reserve_i('0),
      .stored_valid_o(stored_valid),
      .stored_ready_i(1'b1),
      .stored_first_o(stored.first),
      .stored_last_o(stored.last),
      .stored_cells_o(stored.cells),
      .stored_flits_o(),
      .stored_length_o(stored.length),
      .stored_bad_o(stored_bad),
      .stored_overflow_o(stored_overflow),
      .stored_reserved_o(),
      .stored_desc_o(),
      .read_valid_i(|read),
      .read_ready_o(read_ready),
      .read_first_i(reading.first),
      .read_length_i(reading.length),
      .read_desc_i('0),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_flit_o(out_flit),
      .discard_valid_i(|discard),
      .discard_first_i(discarding.first),
      .discard_last_i(discarding.last),
      .discard_cells_i(discarding.cells),
      .free_cells_o(free_cells)
  );

  // The cells of the packet that is being written, reported in the next cycle, and being read.
  cells_t writing_q, written, reported_q, reading_q, held;
  logic open_q;
  assign written = writing_q | (u_dut.take ? cells_t'(1) << u_dut.cell_next : '0);
  assign stored.members = reported_q;
  always_comb begin
    held = writing_q | reported_q | reading_q;
    for (int i = 0; i < 4; i++) if (valid_q[i]) held |= packet_q[i].members;
  end

  // One packet, and one of its flits, is tracked.
  logic tracking_q, tracked, reported_tracked_q, wait_q;
  length_t flit_q, track_flit_q, out_flit_q;
  logic [W-1:0] data_q;
  logic fire, expect_q, start;
  length_t length_q;
  assign fire = in_valid_i && in_ready;
  assign tracked = open_q ? wait_q : track_i && !tracking_q;
  assign stored.tracked = reported_tracked_q;
  assign start = |read && read_ready;

  always_ff @(posedge clk_i) begin
    if (fire) begin
      open_q <= !in_flit_i.last;
      flit_q <= in_flit_i.last ? '0 : flit_q + 1'b1;
      wait_q <= tracked && !in_flit_i.last;
      if (tracked && !open_q) begin
        tracking_q <= 1'b1;
        track_flit_q <= track_flit_i;
      end
      if (tracked && (open_q ? flit_q == track_flit_q : track_flit_i == '0)) data_q <= in_flit_i.data;
    end
    writing_q <= u_dut.back || (fire && in_flit_i.last) ? '0 : written;
    reported_q <= fire && in_flit_i.last && !u_dut.back ? written : '0;
    reported_tracked_q <= fire && in_flit_i.last && tracked;
    if (stored_valid && !stored_bad && !stored_overflow) begin
      for (int i = 0; i < 4; i++) if (place[i]) packet_q[i] <= stored;
    end
    valid_q <= (valid_q | (stored_valid && !stored_bad && !stored_overflow ? place : '0))
        & ~discard & ~(read_ready ? read : '0);
    if (start) reading_q <= reading.members & ~(u_dut.free ? cells_t'(1) << u_dut.free_cell : '0);
    else if (u_dut.free) reading_q <= reading_q & ~(cells_t'(1) << u_dut.free_cell);

    // The flits of a packet come out behind its request.
    if (start) expect_q <= reading.tracked;
    if (start) length_q <= reading.length;
    if (start) out_flit_q <= '0;
    else if (out_valid && out_ready_i) out_flit_q <= out_flit_q + 1'b1;
    if (rst) begin
      open_q <= 1'b0;
      flit_q <= '0;
      tracking_q <= 1'b0;
      wait_q <= 1'b0;
      writing_q <= '0;
      reported_q <= '0;
      reading_q <= '0;
      valid_q <= '0;
      expect_q <= 1'b0;
    end
  end

  // A free cell is available at most two cycles after anything was freed.
  logic [1:0] quiet_q;
  always_ff @(posedge clk_i) begin
    if (u_dut.free || |discard || u_dut.back || u_dut.take) quiet_q <= '0;
    else if (quiet_q != 2'd2) quiet_q <= quiet_q + 1'b1;
    if (rst) quiet_q <= '0;
  end

  // Input: messages no longer than a length can express, with empty bytes only at the end.
  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assume (in_flit_i.last || in_flit_i.empty == '0);

      assert (!u_dut.take || !held[u_dut.cell_next]);
      assert (32'($countones(held)) + 32'(free_cells) == Cells);
      assert (!u_dut.free || (start ? reading.members[u_dut.free_cell] : reading_q[u_dut.free_cell]));
      assert (quiet_q != 2'd2 || free_cells == '0 || u_dut.cell_valid);
      if (stored_valid && !stored_bad && !stored_overflow) begin
        assert (valid_q != '1);
        assert (32'($countones(reported_q)) == 32'(stored.cells));
      end
      if (Track && expect_q && out_valid) begin
        assert (out_flit.last == (32'(out_flit_q) + 1 == (32'(length_q) + 1) / 2));
        if (out_flit_q == track_flit_q) begin
          assert (out_flit.data == data_q);
        end
      end
    end
  end
endmodule
