// SPDX-License-Identifier: Apache-2.0
// A segment that acknowledges what has come and tells the window, and the window's end as it tells it. Combinational.
module tcp_acknowledge
  import tcp_types_pkg::*, tcp_stage_pkg::*;
#(
    parameter int unsigned Ring = 8192
) (
    input  connection_t connection_i,
    input  record_t     record_i,
    input  seq_t        gain_i,        // by how much the window's end could move
    output seq_t        edge_o,
    output segment_t    segment_o
);
  localparam int unsigned OwnShift = $clog2(Ring) > 15 ? $clog2(Ring) - 15 : 0;
  localparam seq_t Step = Ring / 2 < 1460 ? Ring / 2 : 1460;  // the window's end moves by no less (RFC 9293, 3.8.6.2.2)

  seq_t window;
  assign edge_o = gain_i >= Step ? record_i.rcv_edge + gain_i : record_i.rcv_edge;
  assign window = window_left(edge_o, record_i.rcv_nxt);
  always_comb begin
    segment_o = '0;
    segment_o.connection = connection_i;
    segment_o.tuple = record_i.tuple;
    segment_o.port = record_i.port;
    segment_o.tenant = record_i.tenant;
    segment_o.seq = record_i.snd_nxt;
    segment_o.ack = record_i.rcv_nxt;
    segment_o.flags = '{ack: 1'b1, default: '0};
    if (record_i.scaled) segment_o.window = 16'(window >> OwnShift);
    else segment_o.window = window > 32'hffff ? 16'hffff : window[15:0];
  end

  logic unused;
  assign unused = &{1'b0, record_i};
endmodule
