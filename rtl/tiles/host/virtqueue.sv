// SPDX-License-Identifier: Apache-2.0
// The ring of a virtqueue, split or packed as place_i tells; the walker of the other form stays in reset.
module virtqueue
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,
    parameter bit Writes = 1'b0,
    parameter bit Answers = 1'b0,
    parameter int unsigned LeastBytes = 1,
    parameter int unsigned MostBytes = 65535,
    parameter int unsigned LongBytes = MostBytes  // if frames may be cut into segments
) (
    input logic clk_i,
    input logic rst_i,

    input  place_t place_i,
    input  logic   halt_i,
    input  logic   kick_i,
    output logic   busy_o,
    output stop_e  stop_o,
    output logic [15:0] index_o,
    output notice_t notice_o,

    output logic        size_valid_o,  // of a chain that will be given; only if Writes
    input  logic        size_ready_i,
    output chain_size_t size_o,
    output logic  part_valid_o,
    input  logic  part_ready_i,
    output part_t part_o,
    input  logic  used_valid_i,
    output logic  used_ready_o,
    input  used_t used_i,

    output logic         read_valid_o,
    input  logic         read_ready_i,
    output ask_t         read_o,
    input  logic         read_refused_i,
    input  logic         came_i,
    input  logic         came_error_i,
    input  logic [W-1:0] came_data_i,
    output logic         write_valid_o,
    input  logic         write_ready_i,
    output ask_t         write_o,
    input  logic         write_refused_i,
    output logic         data_valid_o,
    input  logic         data_ready_i,
    output write_t       data_o,
    input  logic         done_i,
    input  logic         done_error_i
);
  localparam int unsigned Split = 0, Packed = 1, Forms = 2;
  logic form;  // the form of the ring
  assign form = place_i.packed_ring;

  logic [Forms-1:0] walk_busy, used_busy, check, checked, interrupt, declined, tell, told;
  logic [Forms-1:0] size_valid, part_valid, used_ready, read_valid, write_valid, data_valid;
  shown_t [Forms-1:0] shown;
  stop_e [Forms-1:0] walk_stop, used_stop;
  logic [Forms-1:0][15:0] index, tell_index;
  logic [15:0] split_said;
  logic [31:0] packed_said;
  chain_size_t [Forms-1:0] size;
  part_t [Forms-1:0] part;
  ask_t [Forms-1:0] read, write;
  write_t [Forms-1:0] data;

  assign busy_o = walk_busy[form] || used_busy[form];
  assign stop_o = walk_stop[form] != StopNone ? walk_stop[form] : used_stop[form];
  assign index_o = index[form];
  assign notice_o = '{asks: check[form], wanted: interrupt[form], declined: declined[form], shown: shown[form]};
  assign size_valid_o = size_valid[form];
  assign size_o = size[form];
  assign part_valid_o = part_valid[form];
  assign part_o = part[form];
  assign used_ready_o = used_ready[form];
  assign read_valid_o = read_valid[form];
  assign read_o = read[form];
  assign write_valid_o = write_valid[form];
  assign write_o = write[form];
  assign data_valid_o = data_valid[form];
  assign data_o = data[form];

  virtqueue_split #(
      .Chains(Chains),
      .Writes(Writes),
      .Answers(Answers),
      .LeastBytes(LeastBytes),
      .MostBytes(MostBytes),
      .LongBytes(LongBytes)
  ) u_split_walk (
      .clk_i,
      .rst_i(rst_i || 32'(form) != Split),
      .place_i,
      .halt_i,
      .busy_o(walk_busy[Split]),
      .stop_o(walk_stop[Split]),
      .look_i(kick_i),
      .check_i(check[Split]),
      .checked_o(checked[Split]),
      .said_o(split_said),
      .tell_o(tell[Split]),
      .tell_index_o(tell_index[Split]),
      .told_i(told[Split]),
      .ask_valid_o(read_valid[Split]),
      .ask_ready_i(read_ready_i),
      .ask_o(read[Split]),
      .refused_i(read_refused_i),
      .came_i,
      .came_error_i,
      .came_data_i,
      .size_valid_o(size_valid[Split]),
      .size_ready_i,
      .size_o(size[Split]),
      .part_valid_o(part_valid[Split]),
      .part_ready_i,
      .part_o(part[Split])
  );
  virtqueue_split_used u_split_used (
      .clk_i,
      .rst_i(rst_i || 32'(form) != Split),
      .place_i,
      .halt_i,
      .busy_o(used_busy[Split]),
      .stop_o(used_stop[Split]),
      .index_o(index[Split]),
      .used_valid_i,
      .used_ready_o(used_ready[Split]),
      .used_i,
      .check_o(check[Split]),
      .checked_i(checked[Split]),
      .said_i(split_said),
      .interrupt_o(interrupt[Split]),
      .declined_o(declined[Split]),
      .shown_o(shown[Split]),
      .tell_i(tell[Split]),
      .tell_index_i(tell_index[Split]),
      .told_o(told[Split]),
      .ask_valid_o(write_valid[Split]),
      .ask_ready_i(write_ready_i),
      .ask_o(write[Split]),
      .refused_i(write_refused_i),
      .data_valid_o(data_valid[Split]),
      .data_ready_i,
      .data_o(data[Split]),
      .done_i,
      .done_error_i
  );

  virtqueue_packed #(
      .Chains(Chains),
      .Writes(Writes),
      .Answers(Answers),
      .LeastBytes(LeastBytes),
      .MostBytes(MostBytes),
      .LongBytes(LongBytes)
  ) u_packed_walk (
      .clk_i,
      .rst_i(rst_i || 32'(form) != Packed),
      .place_i,
      .halt_i,
      .busy_o(walk_busy[Packed]),
      .stop_o(walk_stop[Packed]),
      .look_i(kick_i),
      .check_i(check[Packed]),
      .checked_o(checked[Packed]),
      .said_o(packed_said),
      .tell_o(tell[Packed]),
      .tell_index_o(tell_index[Packed]),
      .told_i(told[Packed]),
      .ask_valid_o(read_valid[Packed]),
      .ask_ready_i(read_ready_i),
      .ask_o(read[Packed]),
      .refused_i(read_refused_i),
      .came_i,
      .came_error_i,
      .came_data_i,
      .size_valid_o(size_valid[Packed]),
      .size_ready_i,
      .size_o(size[Packed]),
      .part_valid_o(part_valid[Packed]),
      .part_ready_i,
      .part_o(part[Packed])
  );
  virtqueue_packed_used u_packed_used (
      .clk_i,
      .rst_i(rst_i || 32'(form) != Packed),
      .place_i,
      .halt_i,
      .busy_o(used_busy[Packed]),
      .stop_o(used_stop[Packed]),
      .index_o(index[Packed]),
      .used_valid_i,
      .used_ready_o(used_ready[Packed]),
      .used_i,
      .check_o(check[Packed]),
      .checked_i(checked[Packed]),
      .said_i(packed_said),
      .interrupt_o(interrupt[Packed]),
      .declined_o(declined[Packed]),
      .shown_o(shown[Packed]),
      .tell_i(tell[Packed]),
      .tell_index_i(tell_index[Packed]),
      .told_o(told[Packed]),
      .ask_valid_o(write_valid[Packed]),
      .ask_ready_i(write_ready_i),
      .ask_o(write[Packed]),
      .refused_i(write_refused_i),
      .data_valid_o(data_valid[Packed]),
      .data_ready_i,
      .data_o(data[Packed]),
      .done_i,
      .done_error_i
  );
endmodule
