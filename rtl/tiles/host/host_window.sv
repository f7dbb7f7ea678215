// SPDX-License-Identifier: Apache-2.0
// The registers that the host reaches over PCIe (host_window in spec/windows.yaml): the regions of its memory that it grants, and for each virtqueue
// its addresses, whether it is enabled, its state and its doorbell. Only the operator's requests are answered.
module host_window
  import girih_pkg::*, host_access_pkg::*, host_pkg::*, host_window_pkg::*;
#(
    parameter int unsigned Queues = 3,
    parameter int unsigned Pairs = 1,
    parameter bit Steering = 1'b0,
    parameter bit Segmentation = 1'b1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    output regions_t             regions_o,
    output logic    [Queues-1:0] enable_o,
    // The control queue: the commands it offers, and the results of those it was given.
    input  logic    pairs_set_i,
    input  pairs_t  pairs_i,
    input  logic    rss_set_i,
    input  steer_t  rss_table_i,
    input  logic    rss_on_i,
    output offers_t offers_o,
    // When interrupts come: as the host has set it here, and as it is now.
    output coalesce_t coalesce_receive_o,
    output coalesce_t coalesce_send_o,
    input  coalesce_t coalesce_receive_i,
    input  coalesce_t coalesce_send_i,
    output station_t    mac_o,  // of the card
    input  modes_t  modes_i,
    input  station_t    mac_i,
    input  logic [6:0] known_i,  // addresses in the table
    output place_t  [Queues-1:0] place_o,
    output logic    [Queues-1:0] kick_o,
    input  logic    [Queues-1:0] active_i,
    input  stop_e   [Queues-1:0] reason_i,
    input  logic    [Queues-1:0][15:0] index_i,
    input  logic    [Queues-1:0] frame_i,  // one has passed
    input  logic    [Queues-1:0][2:0] drops_i,
    output steer_t  steer_o
);
  localparam int unsigned RegionBits = $clog2(HostRegions), QueueBits = $clog2(HostQueues);
  // Words of a queue behind those of its addresses.
  localparam logic [3:0] EnableWord = 4'd8, StateWord = 4'd9, DoorbellWord = 4'd10;

  // Words of the filter.
  localparam logic [2:0] MacWord = 3'd0, OffersWord = 3'd2, ModesWord = 3'd3, NowWord = 3'd4, LastWord = 3'd5;

  typedef logic [7:0][31:0] words_t;
  regions_t regions_q;
  words_t [Queues-1:0] words_q;
  logic [Queues-1:0] enable_q;
  steer_t steer_q;

  logic asked_q, error_q;  // an access takes two cycles: it is looked at, and then carried out
  logic in_regions, in_queues, in_steer, in_pairs, in_offloads, in_passed, in_filter, in_coalesce, known;
  logic [31:0] passed, data, data_q;
  logic [RegionBits-1:0] region;
  logic [QueueBits-1:0] queue;
  logic [2:0] part;
  logic [3:0] word;
  logic [2:0] setting;
  offers_t offers_q;
  station_t mac_q;
  logic sends;
  coalesce_t coalesce_receive_q, coalesce_send_q;
  logic [$clog2(SteerEntries)-1:0] entry;
  assign in_steer = window_addr_i[13:SteerLsb] == SteerPart;
  assign in_pairs = window_addr_i[13:PairsLsb] == PairsPart;
  assign in_offloads = window_addr_i[13:OffloadsLsb] == OffloadsPart;
  assign in_passed = window_addr_i[13:PassedLsb] == PassedPart && 32'(window_addr_i[PassedQueueMsb:PassedQueueLsb]) < Queues;
  assign in_coalesce = window_addr_i[13:CoalesceLsb] == CoalescePart;
  assign sends = window_addr_i[CoalesceDirectionMsb];
  assign entry = window_addr_i[SteerEntryMsb:SteerEntryLsb];
  assign in_filter = window_addr_i[13:FilterLsb] == FilterPart;
  assign setting = window_addr_i[FilterWordMsb:FilterWordLsb];
  assign in_regions = window_addr_i[13:RegionsLsb] == RegionsPart;
  assign in_queues = window_addr_i[13:QueuesLsb] == QueuesPart && 32'(queue) < Queues;
  assign region = window_addr_i[RegionsRegionMsb:RegionsRegionLsb];
  assign part = window_addr_i[RegionsWordMsb:RegionsWordLsb];
  assign queue = window_addr_i[QueuesQueueMsb:QueuesQueueLsb];
  assign word = window_addr_i[QueuesWordMsb:QueuesWordLsb];

  always_comb begin
    known = 1'b0;
    data = '0;
    if (in_regions) begin
      known = part <= 3'd4;
      unique case (part)
        3'd0: data = regions_q[region].first[31:0];
        3'd1: data = regions_q[region].first[63:32];
        3'd2: data = regions_q[region].last[31:0];
        3'd3: data = regions_q[region].last[63:32];
        default: data = 32'(regions_q[region].valid);
      endcase
    end
    if (in_steer) begin
      known = !window_write_i || window_data_i < 32'(Pairs);
      data = 32'(steer_q[entry]);
    end
    if (in_pairs) begin
      known = !window_write_i;
      data = 32'(Pairs);
    end
    if (in_offloads) begin
      known = !window_write_i;
      data = 32'({rss_on_i, Pairs > 1 && !Steering, Segmentation});
    end
    if (in_passed) begin
      known = !window_write_i;
      data = passed;
    end
    if (in_filter) begin
      known = setting <= LastWord && !(window_write_i && setting >= ModesWord);
      unique case (setting)
        MacWord: data = mac_q[31:0];
        MacWord + 3'd1: data = 32'(mac_q[47:32]);
        OffersWord: data = 32'(offers_q);
        ModesWord: data = {17'd0, known_i, 1'b0, modes_i};
        NowWord: data = mac_i[31:0];
        default: data = 32'(mac_i[47:32]);
      endcase
    end
    if (in_coalesce) begin
      known = 1'b1;
      data = sends ? coalesce_send_i : coalesce_receive_i;
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      if (in_queues && 32'(queue) == q) begin
        known = word <= DoorbellWord && !(window_write_i && word == StateWord);
        if (!word[3]) data = words_q[q][word[2:0]];
        else if (word == EnableWord) data = 32'(enable_q[q]);
        else if (word == StateWord) data = {index_i[q], 4'd0, 4'(reason_i[q]), 7'd0, active_i[q]};
        // The addresses of a queue cannot change while it is enabled or active.
        if (window_write_i && !word[3] && (enable_q[q] || active_i[q])) known = 1'b0;
      end
    end
  end
  logic unused;
  assign unused = &{1'b0, window_addr_i[1:0]};
  always_ff @(posedge clk_i) begin
    asked_q <= window_valid_i && !asked_q;
    error_q <= !known || window_tenant_i != '0;
    data_q <= data;
    if (rst_i) asked_q <= 1'b0;
  end
  assign window_done_o  = window_valid_i && asked_q;
  assign window_error_o = error_q;
  assign window_data_o  = data_q;

  host_counts #(
      .Queues(Queues)
  ) u_counts (
      .clk_i,
      .rst_i,
      .frame_i,
      .drops_i,
      .read_i(window_valid_i && !asked_q && in_passed && !window_write_i && window_tenant_i == '0),
      .queue_i(window_addr_i[PassedQueueMsb:PassedQueueLsb]),
      .drop_i(window_addr_i[PassedWhatMsb]),
      .high_i(window_addr_i[PassedHalfMsb]),
      .data_o(passed)
  );

  logic write;
  assign write = window_done_o && window_write_i && !error_q;
  always_ff @(posedge clk_i) begin
    kick_o <= '0;
    if (write && in_regions) begin
      unique case (part)
        3'd0: regions_q[region].first[31:0] <= window_data_i;
        3'd1: regions_q[region].first[63:32] <= window_data_i;
        3'd2: regions_q[region].last[31:0] <= window_data_i;
        3'd3: regions_q[region].last[63:32] <= window_data_i;
        default: regions_q[region].valid <= window_data_i[0];
      endcase
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      if (write && in_queues && 32'(queue) == q) begin
        if (!word[3]) words_q[q][word[2:0]] <= window_data_i;
        if (word == EnableWord) enable_q[q] <= window_data_i[0];
        kick_o[q] <= word == DoorbellWord;
      end
    end
    if (write && in_steer) steer_q[entry] <= pair_t'(window_data_i);
    if (rss_set_i) steer_q <= rss_table_i;
    if (pairs_set_i) begin
      for (int unsigned e = 0; e < SteerEntries; e++) begin
        for (int unsigned n = 1; n <= Pairs; n++) if (32'(pairs_i) == n) steer_q[e] <= pair_t'(e % n);
      end
    end
    if (write && in_coalesce && sends) coalesce_send_q <= window_data_i;
    if (write && in_coalesce && !sends) coalesce_receive_q <= window_data_i;
    if (write && in_filter) begin
      if (setting == MacWord) mac_q[31:0] <= window_data_i;
      if (setting == MacWord + 1'b1) mac_q[47:32] <= window_data_i[15:0];
      if (setting == OffersWord) offers_q <= offers_t'(window_data_i);
    end
    if (rst_i) begin
      regions_q <= '0;
      words_q   <= '0;
      enable_q  <= '0;
      kick_o    <= '0;
      steer_q   <= '0;
      offers_q  <= '0;
      coalesce_receive_q <= '0;
      coalesce_send_q <= '0;
    end
  end

  assign regions_o = regions_q;
  assign enable_o  = enable_q;
  assign steer_o   = steer_q;
  assign offers_o  = offers_q;
  assign coalesce_receive_o = coalesce_receive_q;
  assign coalesce_send_o = coalesce_send_q;
  assign mac_o     = mac_q;
  for (genvar q = 0; q < int'(Queues); q++) begin : gen_place
    assign place_o[q] = '{
            descriptors: {words_q[q][1], words_q[q][0]},
            driver: {words_q[q][3], words_q[q][2]},
            device: {words_q[q][5], words_q[q][4]},
            segments: Segmentation ? words_q[q][6][24:21] : '0,
            verified: words_q[q][6][20],
            indirect: words_q[q][6][19],
            mergeable: words_q[q][6][18],
            event_index: words_q[q][6][17],
            packed_ring: words_q[q][6][16],
            size: words_q[q][6][15:0],
            start: words_q[q][7][15:0]
        };
  end
endmodule
