// SPDX-License-Identifier: Apache-2.0
// Whether a tenant's access from a node to a page is granted: some entry allows it. Combinational; with no entry in use
// nothing is granted.
module memory_grants
  import girih_pkg::*, memory_types_pkg::*;
#(
    parameter int unsigned Grants = 8
) (
    input grant_t [Grants-1:0] grants_i,
    input node_t src_i,
    input tenant_t tenant_i,
    input page_t page_i,
    input logic writes_i,
    input logic reads_i,
    output logic [Grants-1:0] granted_o  // by entry
);
  for (genvar g = 0; g < Grants; g++) begin : gen_grant
    grant_t grant;
    assign grant = grants_i[g];
    memory_access_pkg::grant_rights_t rights;
    assign rights = grant.rights;
    assign granted_o[g] = (rights.any_node || grant.node == src_i) && (rights.any_tenant || grant.tenant == tenant_i) &&
        (rights.write || !writes_i) && (rights.read || !reads_i) && (rights.write || rights.read) &&
        page_i >= grant.first && page_i <= grant.last;
  end
endmodule
