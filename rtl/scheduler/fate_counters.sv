// SPDX-License-Identifier: Apache-2.0
// What became of packets: 64-bit counters by tenant, service and fate (policy_pkg::fate_e). Each input
// has memory of its own and takes an event in every cycle; a read gives the sum over the inputs. An out-of-range
// tenant counts as the last tenant.
module fate_counters
  import policy_pkg::*;
#(
    parameter int unsigned Inputs = 2,
    parameter int unsigned Tenants = 4,
    localparam int unsigned KindWidth = $bits(service_t) + $bits(fate_e),
    localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1
) (
    input logic clk_i,
    input logic rst_i,

    output logic ready_o,  // low only after reset, until the counters are cleared: no events before

    input logic        [Inputs-1:0] valid_i,
    input fate_event_t              event_i[Inputs],

    // One read at a time; the index holds until done, two cycles later. A read of a low word keeps the high word for the tenant
    // of the counter. A read of the high word returns the kept one if the tenant's last low word was of the same counter, and else
    // the present one. So reads of other tenants' counters change nothing.
    input  logic                             read_i,
    input  logic [TenantWidth+KindWidth:0] index_i,  // {tenant, service, fate, 1 for the high word}
    output logic                             done_o,
    output logic [                     31:0] data_o
);
  if (Inputs < 1) begin : gen_bad_inputs
    $fatal(1, "fate_counters: Inputs is %0d; it must be at least 1", Inputs);
  end
  if (Tenants < 1 || Tenants > 2 ** $bits(tenant_t)) begin : gen_bad_tenants
    $fatal(1, "fate_counters: Tenants is %0d; it must be from 1 to %0d", Tenants, 2 ** $bits(tenant_t));
  end

  localparam int unsigned Depth = Tenants << KindWidth;
  localparam int unsigned IndexWidth = $clog2(Depth);
  typedef logic [IndexWidth-1:0] index_t;

  function automatic index_t index_of(tenant_t tenant, logic [KindWidth-1:0] service_and_fate);
    tenant_t counted;
    counted = 32'(tenant) < Tenants ? tenant : tenant_t'(Tenants - 1);
    return index_t'({counted, service_and_fate});
  endfunction

  tenant_t asked;
  assign asked = tenant_t'(index_i[KindWidth+1+:TenantWidth]);

  logic clearing_q;
  index_t clear_index_q;
  assign ready_o = !clearing_q;
  always_ff @(posedge clk_i) begin
    if (clearing_q) clear_index_q <= clear_index_q + 1'b1;
    if (clear_index_q == index_t'(Depth - 1)) clearing_q <= 1'b0;
    if (rst_i) begin
      clear_index_q <= '0;
      clearing_q <= 1'b1;
    end
  end

  logic [63:0] value[Inputs];
  for (genvar i = 0; i < Inputs; i++) begin : gen_input
    drop_bank #(
        .Depth(Depth)
    ) u_bank (
        .clk_i,
        .rst_i,
        .clear_i(clearing_q),
        .clear_index_i(clear_index_q),
        .count_i(valid_i[i]),
        .index_i(index_of(event_i[i].tenant, {event_i[i].service, event_i[i].fate})),
        .read_i(read_i),
        .read_index_i(index_of(asked, index_i[KindWidth:1])),
        .read_value_o(value[i])
    );
  end

  // ---- A read: memory, sum, out.
  typedef struct packed {
    logic [KindWidth-1:0] counter;  // service and fate
    logic [31:0] high;
  } held_t;
  held_t held[Tenants];
  logic [Tenants-1:0] held_valid_q;
  logic [TenantWidth-1:0] reader;
  logic read_q, same;
  logic [63:0] sum;
  always_comb begin
    sum = '0;
    for (int unsigned i = 0; i < Inputs; i++) sum += value[i];
  end
  assign reader = 32'(asked) < Tenants ? TenantWidth'(asked) : TenantWidth'(Tenants - 1);
  assign same = held_valid_q[reader] && held[reader].counter == index_i[KindWidth:1];

  always_ff @(posedge clk_i) begin
    read_q <= read_i;
    done_o <= read_q;
    if (read_q) data_o <= !index_i[0] ? sum[31:0] : same ? held[reader].high : sum[63:32];
    if (read_q && !index_i[0]) begin
      held[reader] <= '{counter: index_i[KindWidth:1], high: sum[63:32]};
      held_valid_q[reader] <= 1'b1;
    end
    if (rst_i) begin
      read_q <= 1'b0;
      done_o <= 1'b0;
      held_valid_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!clearing_q || valid_i == '0)
      else $error("fate_counters: an event came before the counters were cleared");
    end
  end
endmodule
