// SPDX-License-Identifier: Apache-2.0
// Write side of packet_buffer: takes packets from the link, cuts them into cells, links the cells and
// reports each packet once, with its last flit. Bytes past desc.length are not stored, and nothing is stored of
// a packet that is bad, finds no free cell, or is too long for the length field.
module cell_writer
  import girih_pkg::*;
#(
    parameter int unsigned Cells = 1024,
    parameter int unsigned CellFlits = 2,
    parameter int unsigned Reports = 4,
    localparam int unsigned CellWidth = $clog2(Cells),
    localparam int unsigned FlitBits = $clog2(CellFlits),
    localparam int unsigned AddrWidth = CellWidth + FlitBits,
    localparam type cell_t = logic [CellWidth-1:0],
    localparam type count_t = logic [CellWidth:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,
    input  logic  in_which_i,
    input  logic  [1:0] in_hold_i,
    input  logic  [1:0] in_refuse_i,
    input  logic  [1:0] in_waits_i,
    input  logic  [1:0] in_reserved_i,

    output logic        stored_valid_o,
    input  logic        stored_ready_i,
    output cell_t       stored_first_o,
    output cell_t       stored_last_o,
    output count_t      stored_cells_o,
    output length_t     stored_flits_o,
    output length_t     stored_length_o,
    output logic        stored_bad_o,
    output logic        stored_overflow_o,
    output logic        stored_reserved_o,
    output descriptor_t stored_desc_o,

    // The allocator: the next cell, and the cells of a packet that is abandoned.
    input  logic   cell_valid_i,
    input  cell_t  cell_i,
    input  count_t free_i,
    input  count_t reserve_i,
    output logic   take_o,
    output logic   back_o,
    output cell_t  back_first_o,
    output cell_t  back_last_o,
    output count_t back_cells_o,

    output logic  link_o,
    output cell_t link_cell_o,
    output cell_t link_next_o,

    output logic                 write_o,
    output logic [AddrWidth-1:0] write_addr_o,
    output logic [        W-1:0] write_data_o
);
  localparam int unsigned PtrWidth = $clog2(Reports);
  localparam length_t FullFlit = length_t'(FlitBytes);

  typedef struct packed {
    cell_t   first;
    cell_t   last;
    count_t  cells;
    length_t length;
    logic    bad;
    logic    overflow;
    logic    reserved;
  } report_t;

  // The packet being written.
  logic open_q, waits_q, reserved_q, trim_q, lost_q;
  cell_t first_q, cell_q;
  count_t cells_q;
  length_t limit_q, length_q;  // bytes to keep (with trim_q); bytes received, in whole flits
  logic most_q;  // one more whole flit is too many for a length
  logic [AddrWidth-1:0] addr_q;  // after the last flit; at the start of a cell, the next flit needs a new cell

  logic reports_ready, waits, reserved, trim, lost;
  length_t limit, length, present;
  assign waits = open_q ? waits_q : in_waits_i[in_which_i];
  assign reserved = open_q ? reserved_q : in_waits_i[in_which_i] && in_reserved_i[in_which_i];
  assign trim = open_q ? trim_q : in_flit_i.desc.length != '0;
  assign limit = open_q ? limit_q : in_flit_i.desc.length;
  assign lost = open_q ? lost_q : in_waits_i[in_which_i] && in_refuse_i[in_which_i];
  assign present = in_flit_i.last ? FullFlit - length_t'(in_flit_i.empty) : FullFlit;
  assign length = (open_q ? length_q : '0) + present;

  // A flit is kept if it is within the limit and the packet is not lost.
  logic in_limit, keep, cell_full, starts_cell;
  assign in_limit = !(open_q && trim_q && length_q >= limit_q);
  assign keep = !lost && in_limit;
  assign cell_full = (addr_q & AddrWidth'(CellFlits - 1)) == '0;
  assign starts_cell = !open_q || cell_full;

  logic fire, give_up, too_long, starved, takes_cell, abandons;
  assign give_up = in_flit_i.last && in_flit_i.bad;
  cell_admission u_admission (
      .open_i(open_q),
      .lost_i(lost_q),
      .waits_i(waits_q),
      .reserved_i(reserved_q),
      .in_which_i,
      .in_hold_i,
      .in_refuse_i,
      .in_waits_i,
      .in_reserved_i,
      .last_i(in_flit_i.last),
      .bad_i(in_flit_i.bad),
      .empty_i(in_flit_i.empty),
      .may_need_i(in_limit && starts_cell),
      .most_i(most_q),
      .cell_valid_i,
      .spare_i(free_i > reserve_i),
      .reports_ready_i(reports_ready),
      .too_long_o(too_long),
      .ready_o(in_ready_o),
      .takes_cell_o(takes_cell),
      .starved_o(starved),
      .abandons_o(abandons)
  );
  assign fire = in_valid_i && in_ready_o;
  assign take_o = in_valid_i && takes_cell;
  assign back_o = in_valid_i && abandons;
  assign back_first_o = first_q;
  assign back_last_o = cell_q;
  assign back_cells_o = cells_q;

  // An abandoned packet is linked in front of the cells to hand out, by the same link port as a growing one.
  assign link_o = (take_o && open_q) || (back_o && cell_valid_i);
  assign link_cell_o = cell_q;
  assign link_next_o = cell_i;

  logic [AddrWidth-1:0] cell_addr;
  assign cell_addr = AddrWidth'(cell_i) << FlitBits;
  // Every flit that is offered is written, because it is known late in the cycle whether it is kept: one that is not leaves its place in
  // the packet's own cell unused, or was written into a cell that is still free.
  assign write_o = in_valid_i && (starts_cell ? cell_valid_i : !lost_q);
  assign write_addr_o = starts_cell ? cell_addr : addr_q;
  assign write_data_o = in_flit_i.data;

  logic lost_d;
  assign lost_d = lost || starved || too_long;

  // Reports. The descriptor is written with the first flit, to the entry that the report will have.
  report_t report, reported;
  logic report_push;
  assign report_push = fire && in_flit_i.last;
  assign report = '{
          first: open_q ? first_q : cell_i,
          last: take_o ? cell_i : cell_q,
          cells: open_q ? cells_q + count_t'(take_o) : count_t'(1),
          length: trim && limit < length ? limit : length,
          bad: in_flit_i.bad,
          overflow: lost_d,
          reserved: reserved
      };

  fifo #(
      .T(report_t),
      .Depth(Reports)
  ) u_reports (
      .clk_i,
      .rst_i,
      .in_valid_i(report_push),
      .in_ready_o(reports_ready),
      .in_data_i(report),
      .out_valid_o(stored_valid_o),
      .out_ready_i(stored_ready_i),
      .out_data_o(reported)
  );

  descriptor_t desc[Reports];
  logic [PtrWidth-1:0] desc_write_q, desc_read_q;

  assign stored_first_o = reported.first;
  assign stored_last_o = reported.last;
  assign stored_cells_o = reported.cells;
  assign stored_length_o = reported.length;
  assign stored_flits_o = length_t'((32'(reported.length) + FlitBytes - 1) >> EmptyWidth);
  assign stored_bad_o = reported.bad;
  assign stored_overflow_o = reported.overflow;
  assign stored_reserved_o = reported.reserved;
  assign stored_desc_o = desc[desc_read_q];

  always_ff @(posedge clk_i) begin
    if (fire) begin
      open_q <= !in_flit_i.last;
      waits_q <= waits;
      reserved_q <= reserved;
      trim_q <= trim;
      limit_q <= limit;
      length_q <= length;
      most_q <= open_q && !in_flit_i.last && length_q[$high(length_q):EmptyWidth] == ($bits(length_t) - EmptyWidth)'(-2);
      lost_q <= lost_d;
      cells_q <= open_q ? cells_q + count_t'(take_o) : count_t'(1);
      if (!open_q) first_q <= cell_i;
      if (keep) addr_q <= write_addr_o + 1'b1;
    end
    if (in_valid_i && !open_q && reports_ready) desc[desc_write_q] <= in_flit_i.desc;
    if (take_o) cell_q <= cell_i;
    if (report_push) desc_write_q <= desc_write_q + 1'b1;
    if (stored_valid_o && stored_ready_i) desc_read_q <= desc_read_q + 1'b1;
    if (rst_i) begin
      open_q <= 1'b0;
      most_q <= 1'b0;
      desc_write_q <= '0;
      desc_read_q <= '0;
    end
  end

  logic unused;
  assign unused = in_flit_i.first;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      no_cell : cover (fire && starved && !open_q);
      no_cell_in_the_middle : cover (fire && starved && open_q);
      waits_for_a_cell : cover (in_valid_i && waits && starved);
      held : cover (in_valid_i && !open_q && waits && in_hold_i[in_which_i]);
      refused : cover (fire && !open_q && lost);
      reports_are_full : cover (in_valid_i && !open_q && !(waits && in_hold_i[in_which_i]) && !reports_ready);
      reserve_is_used : cover (take_o && reserved && free_i <= reserve_i);
      longer_than_a_length : cover (fire && too_long);
      behind_the_limit : cover (fire && !lost && !keep);
      void_of_one_flit : cover (fire && !open_q && give_up);
      void_gives_cells_back : cover (back_o && give_up);
      void_and_lost : cover (fire && lost && give_up);
      gives_back_where_none_is_left : cover (back_o && !cell_valid_i);
    end
  end
endmodule
