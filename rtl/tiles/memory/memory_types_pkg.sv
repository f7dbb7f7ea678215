// SPDX-License-Identifier: Apache-2.0
// Types between the parts of a memory tile.
package memory_types_pkg;
  import girih_pkg::*;
  import memory_access_pkg::*;

  typedef logic [$clog2(PageBytes)-1:0] in_page_t;
  typedef logic [$clog2(PageBytes):0] bytes_t;
  typedef logic [AddrBits-$clog2(PageBytes)-1:0] page_t;
  typedef logic [IdBits:0] slots_t;  // a number of slots

  // The fields that a reply takes from its request.
  typedef struct packed {
    node_t src;
    tenant_t tenant;
    logic lossless;
    memory_tag_t tag;
    op_e op;
  } reply_t;

  // A request, decoded from its first flit.
  typedef struct packed {
    reply_t reply;
    logic ordered;
    page_t page;
    in_page_t at;  // in the page
  } ask_t;

  // What the reply to an access is part of.
  typedef struct packed {
    logic of_list;
    logic last;  // the last of its list
    logic scatter;
  } part_t;

  // An entry of the table of grants.
  typedef struct packed {
    page_t first, last;
    node_t node;
    tenant_t tenant;
    grant_rights_t rights;
  } grant_t;

  // The fields of a request that are kept for its reply.
  typedef struct packed {
    reply_t reply;
    status_e status;  // if it is not StatusOk, the memory has not been asked
    slots_t slots;  // flits of data that the reply brings, or 1 for the slot of one that brings none
  } owed_t;
endpackage
