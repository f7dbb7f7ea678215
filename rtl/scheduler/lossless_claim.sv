// SPDX-License-Identifier: Apache-2.0
// Whether a packet that comes to the scheduler is lossless, and what its tenant offers a new lossless packet: a token, a place to wait for one, neither, so
// that it is refused, or none of these, so that it has to wait at the link. A packet of an out-of-range tenant is never lossless. Combinational, and
// mapped by itself: one level of look-up tables, because the packet comes late in the cycle.
(* keep_hierarchy *)
module lossless_claim
  import girih_pkg::*;
#(
    parameter int unsigned Tenants = 4
) (
    input logic lossless_i,
    input tenant_t tenant_i,
    input logic [Tenants-1:0] token_i,
    input logic [Tenants-1:0] place_i,
    input logic [Tenants-1:0] refuse_i,

    output logic lossless_o,
    output logic token_o,
    output logic place_o,
    output logic none_o,
    output logic waits_o
);
  localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1;
  logic [TenantWidth-1:0] tenant;
  assign tenant = TenantWidth'(tenant_i);
  assign lossless_o = lossless_i && 32'(tenant_i) < Tenants;
  assign token_o = token_i[tenant];
  assign place_o = place_i[tenant];
  assign none_o = refuse_i[tenant];
  // What each tenant offers is put together before the tenant is chosen.
  logic [Tenants-1:0] nothing;
  assign nothing = ~(token_i | place_i | refuse_i);
  assign waits_o = nothing[tenant];
endmodule
