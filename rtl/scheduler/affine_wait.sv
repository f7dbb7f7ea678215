// SPDX-License-Identifier: Apache-2.0
// Popped packets of services with affinity (all packets of a flow go to one unit). The unit is known when a
// packet arrives and is kept here by slot. Once popped, a packet waits here, first in first out per service,
// until its unit has a credit. A packet whose unit has none causes head-of-line blocking in its own service only:
// at most Depth packets have left the PIFO, where they can no longer be reordered or evicted.
module affine_wait #(
    parameter int unsigned Services = 8,
    parameter int unsigned Units = 8,
    parameter int unsigned Entries = 1024,
    parameter int unsigned Depth = 4,  // packets of one service
    localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1,
    localparam int unsigned UnitWidth = Units > 1 ? $clog2(Units) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                 arrive_i,
    input logic [SlotWidth-1:0] arrive_slot_i,
    input logic [UnitWidth-1:0] arrive_unit_i,
    input logic                 arrive_lossless_i,

    input  logic [Services-1:0] fetch_i,  // one-hot: a packet is popped and will arrive here
    output logic [Services-1:0] room_o,
    output logic [Services-1:0] empty_o,  // nothing waits or is in flight

    input logic                    popped_i,
    input logic [ServiceWidth-1:0] popped_service_i,
    input logic [   SlotWidth-1:0] popped_slot_i,

    output logic [Services-1:0]                head_valid_o,
    output logic [Services-1:0][SlotWidth-1:0] head_slot_o,
    output logic [Services-1:0][    Units-1:0] head_unit_o,  // one-hot
    output logic [Services-1:0]                head_lossless_o,
    input  logic [Services-1:0]                take_i
);
  typedef struct packed {
    logic lossless;
    logic [UnitWidth-1:0] unit;
  } note_t;
  typedef struct packed {
    logic [SlotWidth-1:0] slot;
    note_t note;
  } waiting_t;
  typedef logic [$clog2(Depth):0] count_t;

  note_t notes[Entries];
  always_ff @(posedge clk_i) begin
    if (arrive_i) notes[arrive_slot_i] <= '{lossless: arrive_lossless_i, unit: arrive_unit_i};
  end

  waiting_t popped;
  assign popped = '{slot: popped_slot_i, note: notes[popped_slot_i]};

  for (genvar s = 0; s < Services; s++) begin : gen_service
    count_t count_q;
    logic ready, push, load, more;
    waiting_t head, head_q, next;
    logic [Units-1:0] head_unit_q;
    assign push = popped_i && popped_service_i == ServiceWidth'(s);
    assign room_o[s] = count_q != count_t'(Depth);
    assign empty_o[s] = count_q == '0;
    assign head_slot_o[s] = head_q.slot;
    assign head_unit_o[s] = head_unit_q;
    assign head_lossless_o[s] = head_q.note.lossless;
    assign load = take_i[s] || !head_valid_o[s];  // the first one is in a register
    assign head = more ? next : popped;

    fifo #(
        .T(waiting_t),
        .Depth(Depth)
    ) u_waiting (
        .clk_i,
        .rst_i,
        .in_valid_i(push && (more || !load)),
        .in_ready_o(ready),
        .in_data_i(popped),
        .out_valid_o(more),
        .out_ready_i(load),
        .out_data_o(next)
    );

    always_ff @(posedge clk_i) begin
      if (fetch_i[s] != take_i[s]) count_q <= fetch_i[s] ? count_q + 1'b1 : count_q - 1'b1;
      if (load) begin
        head_valid_o[s] <= more || push;
        head_q <= head;
        head_unit_q <= Units'(1) << head.note.unit;
      end
      if (rst_i) begin
        count_q <= '0;
        head_valid_o[s] <= 1'b0;
      end
      if (!rst_i) begin
        assert (!fetch_i[s] || room_o[s])
        else $error("affine_wait: a packet was fetched without room for it");
        assert (!push || ready)
        else $error("affine_wait: a packet arrived that was not fetched");
        assert (!take_i[s] || head_valid_o[s])
        else $error("affine_wait: a packet was taken although none waits");
        no_room : cover (!room_o[s]);
        no_room_and_one_taken : cover (!room_o[s] && take_i[s]);
        fetched_and_taken : cover (fetch_i[s] && take_i[s]);
        empty_but_one_on_its_way : cover (!empty_o[s] && !head_valid_o[s]);
      end
    end
  end
endmodule
