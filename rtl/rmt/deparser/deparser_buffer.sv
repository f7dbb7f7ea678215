// SPDX-License-Identifier: Apache-2.0
// Holds the flits of frames while the pipeline decides about them. A flit written in one cycle can be
// read in the next. A frame can be read again: rewind_i with its last flit goes back to its first one;
// its room is free when its last flit is taken without rewind_i.
module deparser_buffer
  import girih_pkg::*;
#(
    parameter type T = logic [7:0],
    parameter int unsigned Depth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input logic push_i,  // only if there is room
    input T     entry_i,

    output logic valid_o,
    output T     entry_o,
    input  logic pop_i,
    input  logic last_i,   // entry_o is the last flit of its frame
    input  logic rewind_i,

    output logic [$clog2(Depth):0] used_o
);
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "deparser_buffer: Depth is %0d; it must be a power of two, at least 2", Depth);
  end

  localparam int unsigned PtrWidth = $clog2(Depth);
  typedef logic [PtrWidth:0] ptr_t;

  // behind_q is read_q + 1. pop_i comes late in the cycle, so everything that depends on it is computed for both of its values.
  // A frame that is rewound has a flit, so its start is not the end.
  ptr_t write_q, read_q, behind_q, start_q, read_next;
  T ram_entry, bypass_q;
  logic valid_q, bypassed_q, at_end;
  assign valid_o = valid_q;
  assign read_next = !pop_i ? read_q : rewind_i ? start_q : behind_q;
  assign at_end = pop_i ? !rewind_i && behind_q == write_q : !valid_q;
  assign used_o = write_q - start_q;

  // The memory is read one cycle ahead; a flit that is written in the same cycle bypasses it.
  assign entry_o = bypassed_q ? bypass_q : ram_entry;
  ram_simple_dual #(
      .T(T),
      .Depth(Depth)
  ) u_ram (
      .clk_i,
      .write_enable_i(push_i),
      .write_addr_i(write_q[PtrWidth-1:0]),
      .write_data_i(entry_i),
      .read_enable_i(!at_end),
      .read_addr_i(read_next[PtrWidth-1:0]),
      .read_data_o(ram_entry)
  );

  always_ff @(posedge clk_i) begin
    if (push_i && at_end) bypass_q <= entry_i;
    bypassed_q <= at_end;
    valid_q <= push_i || !at_end;
    read_q <= read_next;
    behind_q <= !pop_i ? behind_q : (rewind_i ? start_q : behind_q) + 1'b1;
    if (push_i) write_q <= write_q + 1'b1;
    if (pop_i && last_i && !rewind_i) start_q <= read_next;
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      behind_q <= ptr_t'(1);
      valid_q <= 1'b0;
      start_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(push_i && used_o == ptr_t'(Depth)))
      else $error("deparser_buffer: written when full");
      assert (!pop_i || valid_o)
      else $error("deparser_buffer: read when empty");
      assert (!(rewind_i && pop_i) || last_i)
      else $error("deparser_buffer: a frame is rewound before its end");
      passes_the_ram : cover (push_i && at_end && pop_i);
      written_and_read : cover (push_i && pop_i && !at_end);
      write_wraps : cover (push_i && &write_q[PtrWidth-1:0]);
      rewinds_across_the_wrap : cover (pop_i && rewind_i && start_q[PtrWidth] != read_q[PtrWidth]);
    end
  end
endmodule
