// SPDX-License-Identifier: Apache-2.0
// Makes one reply of the replies to the accesses of a list (list_split); other replies pass through, in the same cycle while no list's
// reply is here. Replies come in the order of their requests.
//
// A list's reply is stored until its last access has been answered, so it never pauses. It has the first status other than ok, and
// then one flit of zeros, as the reply to a scatter always has.
module list_join
  import girih_pkg::*, memory_access_pkg::*, memory_types_pkg::*;
#(
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits)
) (
    input logic clk_i,
    input logic rst_i,

    input  part_t part_i,  // what the reply at the input answers
    output logic  part_ready_o,  // its last flit is taken

    input  logic         in_valid_i,
    output logic         in_ready_o,
    input  reply_t       in_reply_i,
    input  status_e      in_status_i,
    input  logic         in_last_i,
    input  logic         in_brings_i,
    input  logic [W-1:0] in_data_i,

    output logic         out_valid_o,
    input  logic         out_ready_i,
    output reply_t       out_reply_o,
    output status_e      out_status_o,
    output logic         out_last_o,
    output logic         out_brings_o,
    output logic [W-1:0] out_data_o
);
  typedef struct packed {
    reply_t reply;
    status_e status;
    logic brings;
  } head_t;

  // The list's status so far, and its end: a reply without data takes one more cycle.
  status_e status_q, status;
  logic ends_q, final_flit, whole;
  head_t head, end_q;
  assign status = status_q == StatusOk ? in_status_i : status_q;
  assign final_flit = in_last_i && part_i.last;
  assign whole = !part_i.scatter && status == StatusOk;
  always_comb begin
    head = '{reply: in_reply_i, status: status, brings: whole};
    head.reply.op = part_i.scatter ? OpScatter : OpGather;
  end

  flit_t part, stored;
  head_t stored_head;
  logic store_valid, store_ready, stored_valid, part_valid, unused_fits;
  always_comb begin
    part = '0;
    part.last = ends_q || final_flit;
    part.data = in_data_i;
  end
  assign part_valid = in_valid_i && part_i.of_list;
  assign store_valid = ends_q || (part_valid && !part_i.scatter);
  packet_store #(
      .token_t(head_t),
      .Depth(Flits)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i(store_valid),
      .in_ready_o(store_ready),
      .in_flit_i(part),
      .commit_i(ends_q || (final_flit && whole)),
      .drop_i(!ends_q && final_flit && !whole),
      .token_i(ends_q ? end_q : head),
      .out_valid_o(stored_valid),
      .out_ready_i,
      .out_flit_o(stored),
      .out_token_o(stored_head),
      .fits_o(unused_fits)
  );

  logic take;
  assign take = in_valid_i && in_ready_o;
  assign in_ready_o = part_i.of_list ? !ends_q && (part_i.scatter || store_ready) : !stored_valid && !ends_q && out_ready_i;
  assign part_ready_o = take && in_last_i;
  always_ff @(posedge clk_i) begin
    if (take && part_i.of_list) begin
      status_q <= final_flit ? StatusOk : status;
      end_q <= head;
    end
    if (ends_q) ends_q <= !store_ready;
    else ends_q <= take && part_i.of_list && final_flit && !whole;
    if (rst_i) begin
      status_q <= StatusOk;
      ends_q <= 1'b0;
    end
  end

  assign out_valid_o = stored_valid || (in_valid_i && !part_i.of_list && !ends_q);
  assign out_reply_o = stored_valid ? stored_head.reply : in_reply_i;
  assign out_status_o = stored_valid ? stored_head.status : in_status_i;
  assign out_last_o = stored_valid ? stored.last : in_last_i;
  assign out_brings_o = stored_valid ? stored_head.brings : in_brings_i;
  assign out_data_o = stored_valid ? stored.data : in_data_i;

  logic unused;
  assign unused = &{1'b0, stored.desc, stored.first, stored.bad, stored.empty};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      fails_in_the_middle : cover (part_valid && !part_i.last && in_status_i != StatusOk && status_q == StatusOk);
      fails_at_the_end : cover (part_valid && final_flit && in_status_i != StatusOk && status_q == StatusOk);
      reply_waits_for_a_list : cover (in_valid_i && !part_i.of_list && stored_valid);
      list_behind_a_list : cover (part_valid && stored_valid);
      store_is_full : cover (part_valid && !part_i.scatter && !store_ready);
    end
  end
endmodule
