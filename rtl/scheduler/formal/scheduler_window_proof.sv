// SPDX-License-Identifier: Apache-2.0
// Proves that a tenant's controller learns nothing of other tenants' queues through scheduler_window and changes nothing.
// Two copies see the same state and requests of the watched tenant, and each copy sees arbitrary ones of other tenants. Both give
// the watched tenant the same answers in the same cycles, and only the operator writes classes.
module scheduler_window_proof
  import girih_pkg::*;
#(
    parameter int unsigned Services = 2,
    parameter int unsigned Tenants = 3,
    parameter int unsigned Units = 2,
    parameter int unsigned Channels = 2,
    parameter int unsigned Entries = 4,
    localparam int unsigned Queues = Services * Tenants
) (
    input logic                     clk_i,
    input logic                     start_i,
    input logic                     write_i,
    input logic [             17:0] addr_i,
    input logic [             31:0] data_i,
    input logic                     operator_i,
    input logic [              1:0] other_start_i,
    input logic [              1:0] other_write_i,
    input logic [             17:0] other_addr_i  [2],
    input logic [             31:0] other_data_i  [2],
    input tenant_t                  other_tenant_i[2],
    input tenant_t                  watched_i,
    input logic                     class_ready_i,
    input logic [             31:0] class_data_i,
    input logic [             31:0] waits_data_i,
    input logic [             31:0] fates_data_i  [2],
    input logic [Queues-1:0][  2:0] count_i       [2],
    input logic [Queues-1:0]        head_valid_i  [2],
    input logic [Queues-1:0]        head_overdue_i[2],
    input logic [Queues-1:0][ 11:0] head_rank_i   [2],
    input logic [Services-1:0][11:0] overdue_rank_i,
    input logic [ Units-1:0][ 10:0] credits_i     [2],
    input logic [Channels-1:0][15:0] free_cells_i [2],
    input logic [Tenants-1:0][15:0] used_cells_i  [2],
    input logic [Tenants-1:0][15:0] used_entries_i[2]
);
  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  tenant_t watched_q;
  always_ff @(posedge clk_i) begin
    watched_q <= watched_i;
    if (!rst) assume (watched_i == watched_q);
    for (int s = 0; s < Services; s++) begin
      for (int t = 0; t < Tenants; t++) begin
        if (t == 32'(watched_i)) begin
          assume (count_i[0][s*Tenants+t] == count_i[1][s*Tenants+t]);
          assume (head_valid_i[0][s*Tenants+t] == head_valid_i[1][s*Tenants+t]);
          assume (head_overdue_i[0][s*Tenants+t] == head_overdue_i[1][s*Tenants+t]);
          assume (head_rank_i[0][s*Tenants+t] == head_rank_i[1][s*Tenants+t]);
          assume (used_cells_i[0][t] == used_cells_i[1][t]);
          assume (used_entries_i[0][t] == used_entries_i[1][t]);
        end
      end
    end
  end

  logic common;
  logic [1:0] valid, write, done, error, class_write;
  logic [17:0] addr[2];
  logic [31:0] data[2], answer[2];
  tenant_t tenant[2];
  window_pair #(
      .AddrBits(18)
  ) u_pair (
      .clk_i,
      .rst_i(rst),
      .watched_i,
      .start_i,
      .write_i,
      .addr_i,
      .data_i,
      .operator_i,
      .other_start_i,
      .other_write_i,
      .other_addr_i,
      .other_data_i,
      .other_tenant_i,
      .common_o(common),
      .window_valid_o(valid),
      .window_write_o(write),
      .window_addr_o(addr),
      .window_data_o(data),
      .window_tenant_o(tenant),
      .window_done_i(done),
      .window_error_i(error),
      .window_data_i(answer)
  );

  logic asked[2], slow[2];
  logic [1:0] delay[2];
  logic [31:0] held[2];
  for (genvar i = 0; i < 2; i++) begin : gen_copy
    logic [$clog2(Queues)-1:0] count_queue;
    policy_pkg::rank_t rank[Queues];
    policy_pkg::rank_t overdue_rank[Services];
    policy_pkg::cells_t free_cells[Channels];
    policy_pkg::cells_t used_cells[Tenants];
    policy_pkg::cells_t used_entries[Tenants];
    for (genvar q = 0; q < int'(Queues); q++) begin : gen_queue
      assign rank[q]  = policy_pkg::rank_t'(head_rank_i[i][q]);
    end
    for (genvar s = 0; s < int'(Services); s++) begin : gen_service
      assign overdue_rank[s] = policy_pkg::rank_t'(overdue_rank_i[s]);
    end
    for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
      assign free_cells[c] = policy_pkg::cells_t'(free_cells_i[i][c]);
    end
    for (genvar t = 0; t < int'(Tenants); t++) begin : gen_tenant
      assign used_cells[t]   = policy_pkg::cells_t'(used_cells_i[i][t]);
      assign used_entries[t] = policy_pkg::cells_t'(used_entries_i[i][t]);
    end

    // The counters of fates answer two cycles after they are asked.
    logic fates_read;
    logic [1:0] fates_q;
    logic [$clog2(Tenants)+ServiceBits+3:0] fates_index;
    always_ff @(posedge clk_i) begin
      fates_q <= rst ? '0 : {fates_q[0], fates_read};
      if (!rst && fates_q != '0) assert (valid[i] && !error[i]);
    end
    scheduler_window #(
        .Services(Services),
        .Tenants (Tenants),
        .Units   (Units),
        .Channels(Channels),
        .Entries (Entries)
    ) u_dut (
        .clk_i,
        .rst_i(rst),
        .valid_i(valid[i]),
        .write_i(write[i]),
        .addr_i(addr[i]),
        .tenant_i(tenant[i]),
        .done_o(done[i]),
        .error_o(error[i]),
        .data_o(answer[i]),
        .class_ready_i,
        .class_write_o(class_write[i]),
        .class_addr_o(),
        .class_data_i,
        .count_queue_o(count_queue),
        .count_i(count_i[i][count_queue]),
        .head_valid_i(head_valid_i[i]),
        .head_overdue_i(head_overdue_i[i]),
        .overdue_rank_i(overdue_rank),
        .head_rank_i(rank),
        .credits_i(credits_i[i]),
        .free_cells_i(free_cells),
        .used_cells_i(used_cells),
        .used_entries_i(used_entries),
        .waits_service_o(),
        .waits_word_o(),
        .waits_data_i,
        .fates_read_o(fates_read),
        .fates_index_o(fates_index),
        .fates_done_i(fates_q[1]),
        .fates_data_i(fates_data_i[i])
    );
    always_ff @(posedge clk_i) begin
      if (!rst && asked[i]) assert (u_dut.slow_q == u_dut.slow && u_dut.allowed_q == u_dut.allowed);
    end
    assign asked[i] = u_dut.asked_q;
    assign slow[i]  = u_dut.slow;
    assign delay[i] = fates_q;
    assign held[i]  = u_dut.data_q;
  end

  // What the counters of the watched tenant say is alike.
  always_ff @(posedge clk_i) begin
    if (gen_copy[0].fates_index[ServiceBits+4+:$clog2(Tenants)] == watched_i) assume (fates_data_i[0] == fates_data_i[1]);
    if (!rst) begin
      if (common) begin
        assert (asked[0] == asked[1] && delay[0] == delay[1]);
        if (asked[0] && !error[0] && !write[0] && tenant[0] == watched_i) assert (held[0] == held[1]);
      end
      for (int i = 0; i < 2; i++) begin
        if (asked[i] || delay[i] != '0) assert (valid[i]);
        assert (delay[i] != 2'b11);
        assert ((delay[i] != '0) == (asked[i] && slow[i]));
        if (class_write[i]) assert (common && tenant[i] == '0);
      end
      assert (class_write[0] == class_write[1]);
    end
  end
endmodule
