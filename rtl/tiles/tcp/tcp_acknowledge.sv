// SPDX-License-Identifier: Apache-2.0
// A segment that acknowledges the received bytes and advertises the window. Combinational.
module tcp_acknowledge
  import tcp_types_pkg::*, tcp_stage_pkg::*;
#(
    parameter int unsigned Ring = 8192
) (
    input  connection_t connection_i,
    input  record_t     record_i,
    input  seq_t        edge_i,        // the window's end
    input  seq_t        clock_i,       // of time stamps
    output segment_t    segment_o
);
  localparam int unsigned OwnShift = $clog2(Ring) > 15 ? $clog2(Ring) - 15 : 0;

  seq_t window;
  assign window = window_left(edge_i, record_i.rcv_nxt);
  always_comb begin
    segment_o = '0;
    segment_o.connection = connection_i;
    segment_o.tuple = record_i.tuple;
    segment_o.port = record_i.port;
    segment_o.tenant = record_i.tenant;
    segment_o.seq = record_i.snd_nxt;
    segment_o.ack = record_i.rcv_nxt;
    segment_o.flags = '{ack: 1'b1, default: '0};
    segment_o.flags.ece = record_i.ecn.echoes;
    segment_o.stamp = '{valid: record_i.stamps.on, value: clock_i + record_i.stamps.offset, echo: record_i.stamps.recent};
    if (record_i.scaled) segment_o.window = 16'(window >> OwnShift);
    else segment_o.window = window > 32'hffff ? 16'hffff : window[15:0];
  end

  logic unused;
  assign unused = &{1'b0, record_i};
endmodule
