// SPDX-License-Identifier: Apache-2.0
// A drop-tail queue of whole frames: a frame that arrives at a full queue is dropped whole, whatever its
// class, and so is a frame that ends void. Input is always taken. A frame can leave two cycles after its last
// flit arrived; one flit per cycle, in and out.
module drop_tail
  import girih_pkg::*, compute_pkg::*;
#(
    parameter int unsigned Flits = 65536 / FlitBytes
) (
    input logic clk_i,
    input logic rst_i,

    input logic  in_valid_i,
    input flit_t in_flit_i,

    output logic       out_valid_o,
    input  logic       out_ready_i,
    output beat_t      out_beat_o,
    output length_t    out_length_o,  // these two are valid beside every flit of the frame
    output timestamp_t out_timestamp_o,

    output logic drop_full_o,  // pulses, with the last flit of a frame
    output logic drop_bad_o
);
  if (Flits < 2 || (Flits & (Flits - 1)) != 0) begin : gen_bad_flits
    $fatal(1, "drop_tail: Flits is %0d; it must be a power of two, at least 2", Flits);
  end

  localparam int unsigned PtrWidth = $clog2(Flits);
  typedef logic [PtrWidth:0] ptr_t;

  typedef struct packed {
    length_t length;
    timestamp_t timestamp;
  } frame_t;

  // read <= complete <= write; between the latter two is the arriving frame.
  ptr_t write_q, complete_q, read_q;
  logic lost_q, lost, keep;
  length_t before_q, length;  // bytes of the frame's earlier flits, and of all so far
  timestamp_t timestamp_q, timestamp;

  assign lost = lost_q || write_q - read_q == ptr_t'(Flits);
  assign keep = in_valid_i && in_flit_i.last && !lost && !in_flit_i.bad;
  assign drop_full_o = in_valid_i && in_flit_i.last && lost;
  assign drop_bad_o = in_valid_i && in_flit_i.last && !lost && in_flit_i.bad;
  assign length = (in_flit_i.first ? '0 : before_q) + length_t'(FlitBytes) - (in_flit_i.last ? length_t'(in_flit_i.empty) : '0);
  assign timestamp = in_flit_i.first ? in_flit_i.desc.timestamp : timestamp_q;

  always_ff @(posedge clk_i) begin
    if (in_valid_i) begin
      lost_q <= lost && !in_flit_i.last;
      before_q <= length;
      timestamp_q <= timestamp;
      write_q <= lost || (in_flit_i.last && in_flit_i.bad) ? complete_q : write_q + 1'b1;
      if (keep) complete_q <= write_q + 1'b1;
    end
    if (rst_i) begin
      lost_q <= 1'b0;
      write_q <= '0;
      complete_q <= '0;
    end
  end

  logic refill, read, out_valid_q;
  assign refill = out_ready_i || !out_valid_q;
  assign read = refill && read_q != complete_q;
  assign out_valid_o = out_valid_q;

  ram_simple_dual #(
      .T(beat_t),
      .Depth(Flits)
  ) u_ram (
      .clk_i,
      .write_enable_i(in_valid_i && !lost),
      .write_addr_i(write_q[PtrWidth-1:0]),
      .write_data_i('{bad: 1'b0, last: in_flit_i.last, empty: in_flit_i.empty, data: in_flit_i.data}),
      .read_enable_i(read),
      .read_addr_i(read_q[PtrWidth-1:0]),
      .read_data_o(out_beat_o)
  );

  always_ff @(posedge clk_i) begin
    if (refill) out_valid_q <= read;
    if (read) read_q <= read_q + 1'b1;
    if (rst_i) begin
      out_valid_q <= 1'b0;
      read_q <= '0;
    end
  end

  // There are never more frames than flits.
  logic frame_ready, frame_valid;
  fifo_block #(
      .T(frame_t),
      .Depth(Flits)
  ) u_frames (
      .clk_i,
      .rst_i,
      .in_offer_i(keep),
      .in_valid_i(keep),
      .in_ready_o(frame_ready),
      .in_data_i('{length: length, timestamp: timestamp}),
      .out_valid_o(frame_valid),
      .out_ready_i(out_valid_q && out_ready_i && out_beat_o.last),
      .out_data_o({out_length_o, out_timestamp_o})
  );

  logic unused;
  assign unused = &{1'b0, in_flit_i.desc};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (write_q - read_q <= ptr_t'(Flits) && complete_q - read_q <= write_q - read_q)
      else $error("drop_tail: pointers are out of order");
      assert (!keep || frame_ready)
      else $error("drop_tail: more frames than flits");
      assert (!out_valid_q || frame_valid)
      else $error("drop_tail: a flit without a frame");
    end
  end
endmodule
