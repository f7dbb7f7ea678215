// SPDX-License-Identifier: Apache-2.0
// The connections of a controller, and one request of each. Each connection has its own place and waits for no other.
// Input is always taken, except while the abort of a connection waits for the stack.
//
// A new connection takes a free place; without one, that of a connection that has not yet shown the key, or else of one that
// has long been silent. The place that is being worked on is never taken. Without any place, the new connection is aborted.
module controller_places
  import girih_pkg::*, tcp_types_pkg::*, management_pkg::*, controller_types_pkg::*;
#(
    parameter int unsigned Operators = 4,
    localparam int unsigned PlaceBits = $clog2(Operators),
    localparam type place_t = logic [PlaceBits-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input logic        unlocked_i,
    input logic        tick_i,  // every 2^20 cycles
    input logic [15:0] patience_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    // A connection that is aborted because it has no place, or because another one takes its place.
    output logic  abort_valid_o,
    input  logic  abort_ready_i,
    output name_t abort_connection_o,
    output port_t abort_port_o,
    output tenant_t abort_tenant_o,

    // Work: the next place, until it is settled.
    output logic        work_valid_o,
    input  logic        work_ready_i,
    output operator_t   work_o,  // from the next cycle on
    output logic [RequestBytes*8-1:0] work_text_o,  // complete from work_loaded_o on
    output logic        work_loaded_o,
    input  logic        settle_i,
    input  logic        settle_free_i,  // the connection has ended
    input  logic        settle_proven_i,  // its request had the right MAC and number

    output logic unexpected_o,
    output logic used_o,
    output logic opened_o,
    output logic locked_o,
    output logic crowded_o,
    output logic evicted_o
);
  localparam int unsigned Flits = (RequestBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned RowBits = Flits > 1 ? $clog2(Flits) : 1;
  typedef logic [RowBits-1:0] row_t;

  operator_t places_q[Operators];
  logic [Operators-1:0] used_q, due_q, busy_q, proven_q;  // due: a hello, or what came, is to be dealt with; busy: it is; proven: its peer has the key
  logic [15:0] silent_q[Operators];  // since its last request, in units of 2^20 cycles
  logic [Operators-1:0] patient_q;  // it may be silent for longer; compared a cycle before the search for a place
  logic [55:0] number_q;  // of the next connection

  // Input.
  logic known_q, mine_q, whole_q;
  place_t place_q;
  row_t row_q;
  logic take, known, mine;
  place_t found, place;
  op_e op;
  assign op = op_e'(in_flit_i.desc.stream_op);
  assign in_ready_o = !abort_valid_o;
  assign take = in_valid_i && in_ready_o;
  always_comb begin
    mine = 1'b0;
    found = '0;
    for (int unsigned i = 0; i < Operators; i++) begin
      if (used_q[i] && !due_q[i] && !busy_q[i] && places_q[i].connection == in_flit_i.desc.stream_connection && op == OpData) begin
        mine  = 1'b1;
        found = place_t'(i);
      end
    end
  end
  assign known = in_flit_i.first ? op inside {OpOpened, OpData} : known_q;
  assign place = in_flit_i.first ? found : place_q;

  // The kinds of bytes in an answer.
  fault_e fault;
  always_comb begin
    fault = FaultNone;
    if (in_flit_i.desc.stream_bytes < length_t'(RequestBytes)) fault = in_flit_i.desc.stream_bytes == '0 ? FaultGone : FaultTruncated;
    if (in_flit_i.desc.stream_bytes > length_t'(RequestBytes)) fault = FaultExcess;
    if (in_flit_i.desc.stream_reset) fault = FaultGone;
  end

  // The place for a new connection.
  logic opens, has_place, evicts;
  place_t next_q, choice;  // next: where the search starts
  always_comb begin
    choice = '0;
    has_place = 1'b0;
    for (int unsigned i = 0; i < Operators; i++) begin
      if (used_q[place_t'(32'(next_q) + i)] && !busy_q[place_t'(32'(next_q) + i)] && !due_q[place_t'(32'(next_q) + i)] &&
          !patient_q[place_t'(32'(next_q) + i)]) begin
        has_place = 1'b1;
        choice = place_t'(32'(next_q) + i);
      end
    end
    for (int unsigned i = 0; i < Operators; i++) begin
      if (used_q[place_t'(32'(next_q) + i)] && !busy_q[place_t'(32'(next_q) + i)] && !proven_q[place_t'(32'(next_q) + i)]) begin
        has_place = 1'b1;
        choice = place_t'(32'(next_q) + i);
      end
    end
    for (int unsigned i = 0; i < Operators; i++) begin
      if (!used_q[i]) begin
        has_place = 1'b1;
        choice = place_t'(i);
      end
    end
  end
  assign opens = take && in_flit_i.first && op == OpOpened;
  assign opened_o = opens && unlocked_i && has_place;
  assign locked_o = opens && !unlocked_i;
  assign crowded_o = opens && unlocked_i && !has_place;
  assign evicts = opened_o && used_q[choice];
  assign evicted_o = evicts;
  assign unexpected_o = take && in_flit_i.last && !known;
  assign used_o = take && in_flit_i.last && known;

  // Bytes of requests.
  logic stores;
  row_t row;
  logic [W-1:0] stored;
  row_t read_row_q;
  logic reading_q, arrives_q, arrives_last_q;
  place_t work_q;
  assign row = in_flit_i.first ? '0 : row_q;
  assign stores = take && (in_flit_i.first ? mine : mine_q && !whole_q);
  ram_simple_dual #(
      .T(logic [W-1:0]),
      .Depth(Operators << RowBits)
  ) u_bytes (
      .clk_i,
      .write_enable_i(stores),
      .write_addr_i({place, row}),
      .write_data_i(in_flit_i.data),
      .read_enable_i(reading_q),
      .read_addr_i({work_q, read_row_q}),
      .read_data_o(stored)
  );
  logic [Flits*W-1:0] text_q, text;
  assign text = (Flits * W)'({stored, text_q} >> W);
  assign work_text_o = text_q[RequestBytes*8-1:0];

  // The next work.
  logic picks;
  place_t pick, after_q;
  always_comb begin
    pick = '0;
    picks = 1'b0;
    for (int unsigned i = Operators; i > 0; i--) begin
      if (used_q[place_t'(32'(after_q) + i)] && due_q[place_t'(32'(after_q) + i)]) begin
        picks = 1'b1;
        pick  = place_t'(32'(after_q) + i);
      end
    end
  end
  logic starts;
  assign work_valid_o = picks && busy_q == '0 && !(opened_o && choice == pick);
  assign work_o = places_q[work_q];
  assign starts = work_valid_o && work_ready_i;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Operators; i++) begin
      if (tick_i && silent_q[i] != '1) silent_q[i] <= silent_q[i] + 1'b1;
      patient_q[i] <= silent_q[i] < patience_i;
    end

    if (abort_ready_i) abort_valid_o <= 1'b0;
    if (take) begin
      row_q <= row + 1'b1;
      whole_q <= (whole_q && !in_flit_i.first) || 32'(row) == Flits - 1;
      if (in_flit_i.first) begin
        known_q <= known;
        mine_q  <= mine;
        place_q <= found;
        if (mine) begin
          places_q[found].fault  <= fault;
          places_q[found].ending <= in_flit_i.desc.stream_end;
        end
      end
      if (in_flit_i.last && (in_flit_i.first ? mine : mine_q)) due_q[place] <= 1'b1;
    end

    // A place is being worked on.
    reading_q <= starts || (reading_q && 32'(read_row_q) != Flits - 1);
    read_row_q <= starts ? '0 : read_row_q + 1'b1;
    arrives_q <= reading_q;
    arrives_last_q <= reading_q && 32'(read_row_q) == Flits - 1;
    work_loaded_o <= arrives_last_q;
    if (arrives_q) text_q <= text;
    if (starts) begin
      work_q <= pick;
      after_q <= pick;
      busy_q[pick] <= 1'b1;
      due_q[pick] <= 1'b0;
    end
    if (settle_i) begin
      busy_q[work_q] <= 1'b0;
      places_q[work_q].fresh <= 1'b0;
      if (settle_free_i) used_q[work_q] <= 1'b0;
      if (settle_proven_i) begin
        proven_q[work_q] <= 1'b1;
        places_q[work_q].next <= places_q[work_q].next + 1'b1;
        silent_q[work_q] <= '0;
        patient_q[work_q] <= 1'b1;
      end
    end

    if (opens) begin
      abort_valid_o <= !opened_o || evicts;
      abort_connection_o <= evicts ? places_q[choice].connection : in_flit_i.desc.stream_connection;
      abort_port_o <= evicts ? places_q[choice].port : in_flit_i.desc.port;
      abort_tenant_o <= evicts ? places_q[choice].tenant : in_flit_i.desc.tenant;
    end
    if (opened_o) begin
      used_q[choice] <= 1'b1;
      due_q[choice] <= 1'b1;
      silent_q[choice] <= '0;
      proven_q[choice] <= 1'b0;
      places_q[choice] <= '{
          connection: in_flit_i.desc.stream_connection,
          port: in_flit_i.desc.port,
          tenant: in_flit_i.desc.tenant,
          fresh: 1'b1,
          ending: 1'b0,
          fault: FaultNone,
          number: {8'(in_flit_i.desc.dst), number_q},
          next: 32'd1
      };
      number_q <= number_q + 1'b1;
      next_q   <= choice + 1'b1;
    end

    if (rst_i) begin
      used_q <= '0;
      due_q <= '0;
      busy_q <= '0;
      number_q <= '0;
      next_q <= '0;
      after_q <= '0;
      reading_q <= 1'b0;
      arrives_q <= 1'b0;
      arrives_last_q <= 1'b0;
      work_loaded_o <= 1'b0;
      abort_valid_o <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, in_flit_i, text_q};
endmodule
