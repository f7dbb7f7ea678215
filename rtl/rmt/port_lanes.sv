// SPDX-License-Identifier: Apache-2.0
// The lanes of a port into the fabric: queues of messages, each with its own fabric port, so that head-of-line blocking
// stays within a lane.
//
//   in --+--> lane 0: messages without a chain --> fabric port 0
//        +--> lane 1: with a chain and key 1   --> fabric port 1
//        +--> lane 2: with a chain and key 2   --> fabric port 2      (with two lanes, lane 1 has both keys)
//
// The input never waits: a message for which its lane has no room is dropped whole and reported with its tenant. A lane has room for
// a tenant while its free space is at least what the tenant holds there plus two messages of the largest size, or one such message if
// the tenant holds nothing. So n tenants that send too much hold 1 / (n + 1) of a lane each, and a tenant that sends little always finds room.
//
// Cut-through with storage: a flit can leave in the cycle after it came. With one lane nothing is stored, and the
// link passes through with its back-pressure.
module port_lanes
  import girih_pkg::*;
#(
    parameter int unsigned Lanes = 1,
    parameter int unsigned Flits = 1 << $clog2(4 * MaxFrameFlits),  // of a lane
    parameter int unsigned Tenants = CardTenants
) (
    input logic clk_i,
    input logic rst_i,

    input  logic      in_valid_i,
    output logic      in_ready_o,
    input  flit_t     in_flit_i,
    input  next_key_t in_key_i,

    output logic      [Lanes-1:0] out_valid_o,
    input  logic      [Lanes-1:0] out_ready_i,
    output flit_t     [Lanes-1:0] out_flit_o,
    output next_key_t [Lanes-1:0] out_key_o,

    output logic [Tenants-1:0] dropped_o  // a message of this tenant
);
  if (Lanes < 1 || Lanes > 3) begin : gen_bad_lanes
    $fatal(1, "port_lanes: Lanes is %0d; it must be from 1 to 3", Lanes);
  end
  if (Flits < 2 * MaxFrameFlits || Flits < 16 || (Flits & (Flits - 1)) != 0) begin : gen_bad_flits
    $fatal(1, "port_lanes: Flits is %0d; it must be a power of two, at least 16 and %0d", Flits, 2 * MaxFrameFlits);
  end
  if (Tenants < 2 || Tenants > 64 || (Tenants & (Tenants - 1)) != 0) begin : gen_bad_tenants
    $fatal(1, "port_lanes: Tenants is %0d; it must be a power of two from 2 to 64", Tenants);
  end

  if (Lanes == 1) begin : gen_one
    assign out_valid_o[0] = in_valid_i;
    assign out_flit_o[0] = in_flit_i;
    assign out_key_o[0] = in_key_i;
    assign in_ready_o = out_ready_i[0];
    assign dropped_o = '0;
    logic unused;
    assign unused = &{1'b0, clk_i, rst_i};
  end else begin : gen_lanes
    localparam int unsigned Extra = 3;  // flits that a message is charged beyond its own, so that descriptors have room, too
    localparam int unsigned TenantWidth = $clog2(Tenants);
    typedef logic [$clog2(Flits):0] flits_t;
    typedef logic [TenantWidth-1:0] number_t;
    localparam flits_t Largest = flits_t'(MaxFrameFlits + Extra);

    typedef struct packed {
      logic first;
      logic bad;
      logic last;
      logic [EmptyWidth-1:0] empty;
      logic [W-1:0] data;
    } beat_t;
    typedef struct packed {
      descriptor_t desc;
      next_key_t key;
    } head_t;

    // The lane of the message, and whether it is taken, are decided with its first flit.
    logic taking_q, chained;
    logic [Lanes-1:0] lane, lane_q, fits;
    number_t tenant;
    assign in_ready_o = 1'b1;
    assign tenant = number_t'(in_flit_i.desc.tenant);
    assign chained = in_flit_i.desc.chain_count != '0;
    always_comb begin
      lane = '0;
      if (!in_flit_i.first) lane = lane_q;
      else if (!chained) lane[0] = 1'b1;
      else if (Lanes == 2 || in_key_i == next_key_t'(1)) lane[1] = 1'b1;
      else lane[Lanes-1] = 1'b1;
    end
    logic taking, drop;
    assign taking = in_flit_i.first ? |(lane & fits) : taking_q;
    assign drop = in_valid_i && in_flit_i.first && !taking;
    always_ff @(posedge clk_i) begin
      if (in_valid_i) begin
        lane_q <= lane;
        taking_q <= taking;
      end
    end
    always_comb begin
      dropped_o = '0;
      dropped_o[tenant] = drop;
    end

    beat_t beat;
    assign beat = '{first: in_flit_i.first, bad: in_flit_i.bad, last: in_flit_i.last, empty: in_flit_i.empty, data: in_flit_i.data};

    for (genvar l = 0; l < int'(Lanes); l++) begin : gen_lane
      logic push, begins, ends, beat_ready, head_ready, beat_valid, head_valid, pop;
      beat_t out_beat;
      head_t head;
      assign push = in_valid_i && lane[l] && taking;
      assign begins = push && in_flit_i.first;
      assign pop = out_valid_o[l] && out_ready_i[l];
      assign ends = pop && out_beat.last;
      assign out_valid_o[l] = beat_valid;

      fifo_block #(
          .T(beat_t),
          .Depth(Flits)
      ) u_beats (
          .clk_i,
          .rst_i,
          .in_offer_i(push),
          .in_valid_i(push),
          .in_ready_o(beat_ready),
          .in_data_i(beat),
          .out_valid_o(beat_valid),
          .out_ready_i(out_ready_i[l]),
          .out_data_o(out_beat)
      );
      fifo_block #(
          .T(head_t),
          .Depth(Flits / (1 + Extra))
      ) u_heads (
          .clk_i,
          .rst_i,
          .in_offer_i(begins),
          .in_valid_i(begins),
          .in_ready_o(head_ready),
          .in_data_i('{desc: in_flit_i.desc, key: in_key_i}),
          .out_valid_o(head_valid),
          .out_ready_i(ends),
          .out_data_o(head)
      );
      assign out_flit_o[l] = '{
              desc: head.desc,
              first: out_beat.first,
              bad: out_beat.bad,
              last: out_beat.last,
              empty: out_beat.empty,
              data: out_beat.data
          };
      assign out_key_o[l] = head.key;

      // The charge to a tenant: each flit while it is here, and Extra for its message.
      flits_t held_q[Tenants];
      flits_t free_q, room, charge, credit;
      number_t writer, writer_q, reader;
      assign writer = in_flit_i.first ? tenant : writer_q;
      assign reader = number_t'(head.desc.tenant);
      assign charge = push ? flits_t'(1) + (begins ? flits_t'(Extra) : '0) : '0;
      assign credit = pop ? flits_t'(1) + (ends ? flits_t'(Extra) : '0) : '0;
      assign room = free_q - Largest;
      assign fits[l] = free_q >= Largest
          && (held_q[tenant] == '0 || (room >= Largest && held_q[tenant] <= room - Largest));

      for (genvar t = 0; t < int'(Tenants); t++) begin : gen_tenant
        always_ff @(posedge clk_i) begin
          held_q[t] <= held_q[t] + (writer == number_t'(t) ? charge : '0) - (reader == number_t'(t) ? credit : '0);
          if (rst_i) held_q[t] <= '0;
        end
      end
      always_ff @(posedge clk_i) begin
        if (begins) writer_q <= tenant;
        free_q <= free_q - charge + credit;
        if (rst_i) free_q <= flits_t'(Flits);
      end

      always_ff @(posedge clk_i) begin
        if (!rst_i) begin
          assert (!push || (beat_ready && (!begins || head_ready)))
          else $error("port_lanes: a flit came for which lane %0d has no room", l);
          assert (!beat_valid || head_valid)
          else $error("port_lanes: a flit without a descriptor in lane %0d", l);
          share_is_used_up : cover (in_valid_i && in_flit_i.first && lane[l] && !fits[l] && free_q >= Largest);
          no_room_for_anybody : cover (in_valid_i && in_flit_i.first && lane[l] && free_q < Largest);
          full_and_taken : cover (drop && lane[l] && pop);
          held_back_while_it_fills : cover (push && out_valid_o[l] && !out_ready_i[l]);
        end
      end
    end
  end
endmodule
