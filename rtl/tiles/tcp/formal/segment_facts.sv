// SPDX-License-Identifier: Apache-2.0
// For proofs: tcp_facts of a segment or a SACK block and a record. What it takes besides, such as the time, has no part in the facts about their numbers.
module segment_facts
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
(
    input work_t work_i,
    input block_t block_i,
    input record_t record_i,
    input cfg_t cfg_i,
    output facts_t facts_o
);
  tcp_facts u_facts (
      .work_i,
      .block_i,
      .record_i,
      .turn_i(record_i),
      .reading_i('0),
      .reading_seq_i('0),
      .now_i('0),
      .rto_lost_i('0),
      .age_i('0),
      .epoch_i('0),
      .cycle_i('0),
      .mss_i('0),
      .mss_less_i('0),
      .cfg_i,
      .facts_o
  );
endmodule
