// SPDX-License-Identifier: Apache-2.0
// What a segment's time stamp says of it (RFC 7323): whether it is an old duplicate (PAWS, 5.3), whether it brings the time stamp to return (4.3), and
// how long ago the one that it returns was sent (RTTM, 4.1). Combinational.
module tcp_stamps
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input  work_t   work_i,
    input  record_t record_i,
    input  logic    acks_timed_i,  // it acknowledges the timed segment
    input  seq_t    age_i,         // the clock less the time stamp that the segment returns
    input  epoch_t  epoch_i,
    input  logic [13:0] mss_i,       // the event's segment size
    input  logic [13:0] mss_less_i,  // the same, less the option
    output stamp_facts_t facts_o
);
  localparam epoch_t Most = epoch_t'(32);  // epochs that begin in the life of a time stamp
  logic older, stamped;
  epoch_t epochs;
  always_comb begin
    facts_o = '0;
    older = precedes(work_i.stamp.value, record_i.stamps.recent);
    // A SYN without the option is from a peer that has forgotten the connection: it gets an acknowledgement (RFC 9293, 3.10.7.4), so that it can reset it.
    facts_o.missing = record_i.stamps.on && !work_i.stamp.valid && !work_i.flags.rst && !work_i.flags.syn;
    facts_o.old = record_i.stamps.on && work_i.stamp.valid && !work_i.flags.rst && record_i.stamps.fresh && older;
    facts_o.renews = record_i.stamps.on && work_i.stamp.valid && (!record_i.stamps.fresh || !older)
        && !precedes_near(record_i.stamps.acked, near_t'(work_i.seq));
    facts_o.age = age_i + record_i.stamps.offset;
    // One segment of a round trip is timed, which is more exact than time stamps. Where there is none, because bytes were sent again, the time stamp tells
    // which transmission is acknowledged. One that was never sent tells nothing.
    facts_o.timed = acks_timed_i;
    facts_o.samples = acks_timed_i || (record_i.stamps.on && work_i.stamp.valid && record_i.stamps.untimed && !facts_o.age[31]);
    epochs = epoch_i - record_i.stamps.at;
    facts_o.expires = epochs > Most;
    // A SYN that is answered comes before its record; what the answer to the card's own agrees on stays, even if the setting changes meanwhile.
    stamped = work_i.kind == EventOpen ? work_i.stamp.valid : record_i.stamps.on && (work_i.stamp.valid || work_i.kind == EventTooBig);
    facts_o.mss = stamped ? mss_less_i : mss_i;
  end

  logic unused;
  assign unused = &{1'b0, work_i, record_i};
endmodule
