// SPDX-License-Identifier: Apache-2.0
// The rules of an AXI4 master port of whole flits, checked in every simulation. For the master: an offer stays until it is
// taken; no burst crosses a page of 4096 bytes; no ID is in use twice; the data of writes come in the order of their
// addresses, with as many beats as these say, and strobes are contiguous in all but the first and last flit. For the
// slave: it answers only requests, a read with as many beats as requested, and a write after its data.
//
// No outputs, so synthesis removes the module.
module axi_check
  import girih_pkg::*, memory_access_pkg::*, axi_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic ar_valid_i,
    input logic ar_ready_i,
    input request_t ar_i,
    input logic aw_valid_i,
    input logic aw_ready_i,
    input request_t aw_i,
    input logic w_valid_i,
    input logic w_ready_i,
    input write_t w_i,
    input logic r_valid_i,
    input logic r_ready_i,
    input id_t r_id_i,
    input logic r_last_i,
    input logic b_valid_i,
    input logic b_ready_i,
    input id_t b_id_i
);
  localparam int unsigned Ids = 2 ** IdBits;
  typedef logic [$clog2(Ids):0] count_t;

  stream_check #(
      .T(request_t)
  ) u_ar (
      .clk_i,
      .rst_i,
      .valid_i(ar_valid_i),
      .ready_i(ar_ready_i),
      .data_i (ar_i)
  );
  stream_check #(
      .T(request_t)
  ) u_aw (
      .clk_i,
      .rst_i,
      .valid_i(aw_valid_i),
      .ready_i(aw_ready_i),
      .data_i (aw_i)
  );
  stream_check #(
      .T(write_t)
  ) u_w (
      .clk_i,
      .rst_i,
      .valid_i(w_valid_i),
      .ready_i(w_ready_i),
      .data_i (w_i)
  );

  function automatic logic in_page(input logic [$clog2(PageBytes)-1:0] at, input beats_t len);
    in_page = 32'(at) + (32'(len) + 1) * FlitBytes <= PageBytes;
  endfunction

  // Outstanding requests by ID. Data may be ahead of their address: addresses_q counts the bursts whose
  // address has been taken, and data_q those whose data have.
  logic [Ids-1:0] reading_q, writing_q;
  beats_t left_q[Ids];  // beats that a read still brings, less one
  beats_t lens_q[Ids];  // of the writes whose data have not come, from the oldest on
  count_t addresses_q, data_q, answers_q;
  beats_t beat_q;  // of the oldest of them
  logic ar, aw, w, r, b;
  assign ar = ar_valid_i && ar_ready_i;
  assign aw = aw_valid_i && aw_ready_i;
  assign w = w_valid_i && w_ready_i;
  assign r = r_valid_i && r_ready_i;
  assign b = b_valid_i && b_ready_i;

  always_ff @(posedge clk_i) begin
    if (r) begin
      left_q[r_id_i] <= left_q[r_id_i] - 1'b1;
      if (r_last_i) reading_q[r_id_i] <= 1'b0;
    end
    if (b) begin
      writing_q[b_id_i] <= 1'b0;
      answers_q <= answers_q + 1'b1;
    end
    if (ar) begin
      reading_q[ar_i.id] <= 1'b1;
      left_q[ar_i.id] <= ar_i.len;
    end
    if (aw) begin
      writing_q[aw_i.id] <= 1'b1;
      lens_q[addresses_q[IdBits-1:0]] <= aw_i.len;
      addresses_q <= addresses_q + 1'b1;
    end
    if (w) begin
      beat_q <= w_i.last ? '0 : beat_q + 1'b1;
      if (w_i.last) data_q <= data_q + 1'b1;
    end
    if (rst_i) begin
      reading_q <= '0;
      writing_q <= '0;
      addresses_q <= '0;
      data_q <= '0;
      answers_q <= '0;
      beat_q <= '0;
    end
  end

  beats_t length;  // of the burst to which the data belong, if its address has been taken
  logic asked, whole;
  count_t ahead;
  assign ahead = addresses_q - data_q;  // negative if data are ahead
  assign asked = ahead != '0 && !ahead[IdBits];
  assign length = lens_q[data_q[IdBits-1:0]];
  assign whole = &w_i.strb;
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      if (ar && (reading_q[ar_i.id] || writing_q[ar_i.id])) begin
        assert (1'b0)
        else $error("axi_check: a read has ID %0d, which is in use", ar_i.id);
      end
      if (aw && (reading_q[aw_i.id] || writing_q[aw_i.id])) begin
        assert (1'b0)
        else $error("axi_check: a write has ID %0d, which is in use", aw_i.id);
      end
      if ((ar && !in_page(ar_i.addr[$clog2(PageBytes)-1:0], ar_i.len)) || (aw && !in_page(aw_i.addr[$clog2(PageBytes)-1:0], aw_i.len))) begin
        assert (1'b0)
        else $error("axi_check: a burst crosses a page");
      end
      if (w && asked && w_i.last != (beat_q == length)) begin
        assert (1'b0)
        else $error("axi_check: beat %0d of a write of %0d is %s", beat_q, length, w_i.last ? "the last" : "not the last");
      end
      if (w && beat_q != '0 && !w_i.last && !whole) begin
        assert (1'b0)
        else $error("axi_check: bytes are missing in the middle of a write");
      end
      if (r && (!reading_q[r_id_i] || r_last_i != (left_q[r_id_i] == '0))) begin
        assert (1'b0)
        else $error("axi_check: the slave answers what was not read, with ID %0d", r_id_i);
      end
      if (b && (!writing_q[b_id_i] || answers_q == data_q)) begin
        assert (1'b0)
        else $error("axi_check: the slave answers what was not written, with ID %0d", b_id_i);
      end
      both : cover (ar && aw);
      data_wait : cover (aw && w_valid_i && !w_ready_i);
      address_waits : cover (w && aw_valid_i && !aw_ready_i);
    end
  end
endmodule
