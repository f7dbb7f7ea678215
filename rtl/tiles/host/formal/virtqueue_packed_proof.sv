// SPDX-License-Identifier: Apache-2.0
// Checks virtqueue_packed in the first cycles after reset (bounded), with a driver that offers chains of one or two descriptors at any time, and a
// memory that carries out reads in order, each at any time between its request and its answer. The descriptors come out once and in order, each with
// what the driver had written before its chain was available, and under the name of its chain; none comes out that is not available. Once the ring
// is quiet, all that were offered before the last look have come out.
//
// The solver picks any descriptor by its number (number_i): what is shown of it holds for all. The first descriptor that is not offered is not
// available; those behind it hold anything, since a driver makes the head of a chain available last.
module virtqueue_packed_proof
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned MostSize = 2  // of the ring
) (
    input logic clk_i,
    input place_t place_i,
    input logic [4:0] number_i,
    input logic [1:0] advance_i,
    input logic [15:0] id_i,
    input addr_t addr_i,
    input logic [3:0] bytes_i,
    input logic look_i,
    input logic ask_ready_i,
    input logic read_i,
    input logic [W-1:0] anything_i,
    input logic answer_i,
    input logic part_ready_i
);
  localparam int unsigned Reads = 4;
  typedef logic [4:0] number_t;
  typedef struct packed {
    addr_t addr;
    logic [W-1:0] data;
  } read_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic ask_valid, came, part_valid, size_valid, busy, checked, tell;
  logic [31:0] said;
  logic [15:0] tell_index;
  logic [W-1:0] came_data;
  chain_size_t size;
  ask_t ask;
  part_t part;
  stop_e stop;
  virtqueue_packed #(
      .Chains(2),
      .Links(2)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .place_i,
      .halt_i(1'b0),
      .busy_o(busy),
      .stop_o(stop),
      .look_i,
      .check_i(1'b0),
      .checked_o(checked),
      .said_o(said),
      .tell_o(tell),
      .tell_index_o(tell_index),
      .told_i(1'b0),
      .ask_valid_o(ask_valid),
      .ask_ready_i,
      .ask_o(ask),
      .refused_i(1'b0),
      .came_i(came),
      .came_error_i(1'b0),
      .came_data_i(came_data),
      .size_valid_o(size_valid),
      .size_ready_i(1'b1),
      .size_o(size),
      .part_valid_o(part_valid),
      .part_ready_i,
      .part_o(part)
  );

  proof_constant #(
      .T(place_t)
  ) u_place (
      .clk_i,
      .value_i(place_i)
  );
  proof_constant #(
      .T(number_t)
  ) u_number (
      .clk_i,
      .value_i(number_i)
  );
  always_comb begin
    assume (place_i.size inside {[1 : MostSize]} && place_i.descriptors[3:0] == '0 && place_i.start[14:0] < 15'(place_i.size) && place_i.segments == '0);
  end

  // The driver: numbers of descriptors, from reset on. At most a ring's size beyond the chains that have come out.
  number_t offered_q, given_q, whole_q;  // given_q: that have come out; whole_q: whose chains have
  logic [MostSize-1:0] follows_q;  // by slot: another one of its chain follows
  logic [15:0] id_q;
  addr_t addr_q;
  logic [3:0] bytes_q;
  logic pop;
  assign pop = part_valid && part_ready_i;
  typedef logic [15:0] lap_t;  // {wrap counter, slot}
  function automatic lap_t behind(lap_t at);
    behind = 16'(at[14:0]) + 1'b1 == place_i.size ? {!at[15], 15'd0} : at + 1'b1;
  endfunction
  lap_t offered_lap_q, given_lap_q, whole_lap_q;
  lap_t after;
  assign after = behind(offered_lap_q);
  always_comb begin
    assume (advance_i != 2'd3 && 16'(number_t'(offered_q - whole_q)) + 16'(advance_i) <= place_i.size && 32'(offered_q) + 32'(advance_i) < 31);
    assume (bytes_i != '0);
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < MostSize; s++) begin
      if (advance_i != '0 && 32'(offered_lap_q[14:0]) == s) follows_q[s] <= advance_i == 2'd2;
      if (advance_i == 2'd2 && 32'(after[14:0]) == s) follows_q[s] <= 1'b0;
    end
    if (number_t'(number_i - offered_q) < number_t'(advance_i)) begin
      id_q <= id_i;
      addr_q <= addr_i;
      bytes_q <= bytes_i;
    end
    offered_q <= offered_q + number_t'(advance_i);
    if (advance_i == 2'd1) offered_lap_q <= after;
    if (advance_i == 2'd2) offered_lap_q <= behind(after);
    if (pop) given_lap_q <= behind(given_lap_q);
    if (pop && part.last) whole_lap_q <= behind(given_lap_q);
    if (pop) given_q <= given_q + 1'b1;
    if (pop && part.last) whole_q <= given_q + 1'b1;
    if (rst) begin
      offered_q <= '0;
      given_q   <= '0;
      whole_q   <= '0;
      offered_lap_q <= place_i.start;
      given_lap_q <= place_i.start;
      whole_lap_q <= place_i.start;
    end
  end

  // What memory holds at an address.
  function automatic logic [W-1:0] contents(addr_t at);
    packed_descriptor_t held;
    lap_t lap;
    number_t number;
    held = packed_descriptor_t'(anything_i);
    lap = whole_lap_q;
    for (int unsigned i = 0; i <= MostSize; i++) begin
      number = whole_q + number_t'(i);
      if (16'(i) < place_i.size && at == place_i.descriptors + addr_t'({lap[14:0], 4'd0})) begin
        if (number < offered_q) begin
          held.flags = 16'(lap[15]) << PackedAvailable | 16'(!lap[15]) << PackedUsed;
          for (int unsigned s = 0; s < MostSize; s++) if (32'(lap[14:0]) == s) held.flags[PackedNext] = follows_q[s];
          held.bytes = 32'(anything_i[68:65]) | 32'd1;
          if (number == number_i) begin
            held.id = id_q;
            held.addr = addr_q;
            held.bytes = 32'(bytes_q);
          end
        end else if (number == offered_q && held.flags[PackedAvailable] == lap[15]) held.flags[PackedUsed] = lap[15];
      end
      lap = behind(lap);
    end
    contents = held;
  endfunction

  // Memory: reads that have been requested, the oldest first.
  read_t [Reads-1:0] reads_q;
  logic [2:0] count_q, read_q;  // requested; of these carried out
  logic asks, reads;
  assign asks = ask_valid && ask_ready_i;
  assign reads = read_i && read_q != count_q;
  assign came = answer_i && read_q != '0;
  assign came_data = reads_q[0].data;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Reads; i++) begin
      read_t entry;
      entry = reads_q[i];
      if (reads && 32'(read_q) == i) entry.data = contents(entry.addr);
      if (!came) reads_q[i] <= entry;
      else if (i != 0) reads_q[i-1] <= entry;
    end
    for (int unsigned i = 0; i < Reads; i++) if (asks && 32'(count_q) - 32'(came) == i) reads_q[i].addr <= ask.addr;
    count_q <= count_q + 3'(asks) - 3'(came);
    read_q  <= read_q + 3'(reads) - 3'(came);
    if (rst) begin
      count_q <= '0;
      read_q  <= '0;
    end
  end

  number_t due_q;  // offered at the last look
  logic [3:0] quiet_q;  // cycles
  logic quiet, begins_q;
  assign quiet = !ask_valid && count_q == '0 && !part_valid;
  always_ff @(posedge clk_i) begin
    if (look_i) due_q <= offered_q;
    quiet_q <= !quiet ? '0 : quiet_q + 4'(quiet_q != '1);
    if (pop) begins_q <= part.last;
    if (rst) begin
      due_q <= '0;
      quiet_q <= '0;
      begins_q <= 1'b1;
    end
  end

  logic follows;
  always_comb begin
    follows = 1'b0;
    for (int unsigned s = 0; s < MostSize; s++) if (32'(given_lap_q[14:0]) == s) follows = follows_q[s];
  end
  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (stop == StopNone && !size_valid && !checked);
      if (asks) begin
        assert (32'(ask.addr[EmptyWidth-1:0]) + 32'(ask.bytes) <= FlitBytes && ask.bytes != '0 && count_q != 3'(Reads));
        assert (addr_t'(ask.addr - place_i.descriptors) + addr_t'(ask.bytes) <= addr_t'({place_i.size, 4'd0}));
      end
      if (part_valid) begin
        assert (given_q != offered_q);
        if (given_q == number_i) begin
          assert (part.addr == addr_q && part.bytes == 32'(bytes_q) && !part.writes && part.last == !follows);
          if (part.last) assert (part.chain.links == (begins_q ? 6'd1 : 6'd2) && part.chain.id == id_q);
        end
      end
      if (quiet && quiet_q >= 8) assert (given_q >= due_q);
    end
  end
endmodule
