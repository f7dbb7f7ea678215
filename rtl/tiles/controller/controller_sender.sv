// SPDX-License-Identifier: Apache-2.0
// Messages to the stack: a confirmation (or nothing), followed by a read of the next request, a close, or an abort.
module controller_sender
  import girih_pkg::*, tcp_types_pkg::*, management_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic     valid_i,
    output logic     ready_o,
    input  logic     write_i,  // `request_i` goes out first
    input  request_t request_i,
    input  op_e      then_i,  // OpRead, OpClose or OpAbort
    input  name_t    connection_i,
    input  port_t    port_i,
    input  tenant_t  tenant_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic  made_o        // for one cycle, for each message
);
  localparam int unsigned Flits = (RequestBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned LastBytes = RequestBytes - (Flits - 1) * FlitBytes;

  logic busy_q, writing_q;
  logic [$clog2(Flits+1)-1:0] flit_q;
  logic [Flits*W-1:0] text_q;
  op_e then_q;
  descriptor_t desc_q;
  logic last;
  assign ready_o = !busy_q;
  assign last = !writing_q || 32'(flit_q) == Flits - 1;

  assign out_valid_o = busy_q;
  always_comb begin
    out_flit_o = '0;
    out_flit_o.desc = desc_q;
    out_flit_o.desc.stream_op = 3'(writing_q ? OpWrite : then_q);
    if (writing_q || then_q == OpRead) out_flit_o.desc.stream_bytes = length_t'(RequestBytes);
    if (!writing_q && then_q == OpRead) out_flit_o.desc.stream_room = length_t'(RequestBytes);
    out_flit_o.last = last;
    out_flit_o.empty = EmptyWidth'(writing_q ? (last ? FlitBytes - LastBytes : 0) : FlitBytes - 1);
    if (writing_q) out_flit_o.data = text_q[W-1:0];
  end
  assign made_o = busy_q && out_ready_i && last;

  always_ff @(posedge clk_i) begin
    if (busy_q && out_ready_i) begin
      text_q <= text_q >> W;
      flit_q <= flit_q + 1'b1;
      if (last) begin
        writing_q <= 1'b0;
        busy_q <= writing_q;
      end
    end
    if (valid_i && ready_o) begin
      busy_q <= 1'b1;
      writing_q <= write_i;
      flit_q <= '0;
      text_q <= (Flits * W)'(request_i);
      then_q <= then_i;
      desc_q <= '0;
      desc_q.stream_connection <= connection_i;
      desc_q.port <= port_i;
      desc_q.tenant <= tenant_i;
    end
    if (rst_i) busy_q <= 1'b0;
  end
endmodule
