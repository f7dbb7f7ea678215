// SPDX-License-Identifier: Apache-2.0
// Types between the parts of the HTTP server.
package http_types_pkg;
  import girih_pkg::*;
  import http_script_pkg::*;

  // Bytes of the longest write: a power of two that fits into a message.
  localparam int unsigned ChunkBytes = MaxFrameBytes >= 1024 ? 1024 : 1 << ($clog2(MaxFrameBytes + 1) - 1);
  typedef logic [$clog2(PageBytes)-1:0] page_addr_t;

  // The part of a request: its first line, the name or the value of a field, or its end. A target may be a whole URI, with an authority before its path.
  typedef enum logic [2:0] {
    Method,
    Target,
    Authority,
    Query,
    Version,
    Name,
    Value,
    Complete
  } part_e;

  typedef struct packed {
    part_e part;
    logic [3:0] place;  // bytes compared so far
    logic is_get;  // so far it is
    logic is_head;
    logic is_metrics;
    logic is_root;
    logic is_uri;  // the target so far begins as a URI does
    logic is_field;  // the name of the field so far is that of `connection`
    subject_e subject;
    logic old;  // HTTP/1.0
    logic closing;  // the connection ends with the answer
  } request_t;

  // Where a script continues, and where after the text that it has called.
  typedef struct packed {
    page_addr_t at;
    page_addr_t back;
  } script_t;

  // A connection.
  typedef struct packed {
    request_t request;
    logic answering;
    logic chunked;
    script_t script;
  } client_t;

  typedef enum logic [1:0] {
    JobRead,
    JobAnswer,
    JobClose
  } job_e;

  typedef struct packed {
    job_e what;
    logic [15:0] name;
    port_t port;
    tenant_t tenant;
  } job_t;

  localparam request_t NewRequest = '{
      part: Method,
      place: '0,
      is_get: 1'b1,
      is_head: 1'b1,
      is_metrics: 1'b1,
      is_root: 1'b1,
      is_uri: 1'b1,
      is_field: 1'b1,
      subject: SubjectMissing,
      old: 1'b0,
      closing: 1'b0
  };
endpackage
