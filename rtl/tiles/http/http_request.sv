// SPDX-License-Identifier: Apache-2.0
// The state of a request after one more byte (RFC 9112): GET or HEAD of /metrics or /, as a path or as an http URI of any authority, the version, and
// whether the field `connection` says `close`. All other fields are ignored. Combinational.
module http_request
  import http_script_pkg::*, http_types_pkg::*;
(
    input  request_t       request_i,
    input  logic     [7:0] byte_i,
    output request_t       request_o
);
  function automatic logic [7:0] letter(logic [127:0] text, int unsigned bytes, logic [3:0] place);
    letter = '0;
    for (int unsigned i = 0; i < bytes; i++) if (place == 4'(i)) letter = text[8*(bytes-1-i)+:8];
  endfunction

  request_t r;
  logic [7:0] lower;
  logic ends_line;
  always_comb begin
    r = request_i;
    lower = byte_i | 8'h20;
    ends_line = byte_i == "\n";
    if (byte_i != "\r" && request_i.place != '1) r.place = request_i.place + 1'b1;
    unique case (request_i.part)
      Method: begin
        r.is_get = request_i.is_get && byte_i == letter(128'("GET"), 3, request_i.place);
        r.is_head = request_i.is_head && byte_i == letter(128'("HEAD"), 4, request_i.place);
        if (byte_i == " ") begin
          r.is_get = request_i.is_get && request_i.place == 4'd3;
          r.is_head = request_i.is_head && request_i.place == 4'd4;
          r.part = Target;
          r.place = '0;
        end
        if (byte_i inside {"\r", "\n"}) begin
          r = request_i;  // an empty line before a request is no error
          if (request_i.place != '0) begin
            r.part = Complete;
            r.subject = SubjectBadRequest;
          end
        end
      end

      Target: begin
        r.is_metrics = request_i.is_metrics && byte_i == letter(128'("/metrics"), 8, request_i.place);
        r.is_root = request_i.is_root && byte_i == letter(128'("/"), 1, request_i.place);
        if (byte_i inside {" ", "?"}) begin
          if (request_i.is_metrics && request_i.place == 4'd8) r.subject = SubjectMetrics;
          else if (request_i.is_root && request_i.place == 4'd1) r.subject = SubjectRoot;
          else r.subject = SubjectMissing;
          r.part  = byte_i == " " ? Version : Query;
          r.place = '0;
        end
        r.is_uri = request_i.is_uri && (byte_i == letter(128'("http://"), 7, request_i.place) || lower == letter(128'("http"), 4, request_i.place));
        if (r.is_uri && request_i.place == 4'd6) begin
          r.part = Authority;
          r.is_uri = 1'b0;
        end
      end

      Authority:
      if (byte_i inside {"/", " ", "?"}) begin
        r.is_metrics = 1'b1;
        r.is_root = 1'b1;
        r.subject = SubjectRoot;
        r.part = byte_i == "/" ? Target : byte_i == " " ? Version : Query;
        r.place = byte_i == "/" ? 4'd1 : '0;
      end

      Query:
      if (byte_i == " ") begin
        r.part  = Version;
        r.place = '0;
      end

      Version:
      if (ends_line) begin
        r.part = Name;
        r.place = '0;
        r.is_field = 1'b1;
        if (request_i.place != 4'd8) begin
          r.part = Complete;
          r.subject = SubjectBadRequest;
        end
      end else if (request_i.place == 4'd7) begin
        r.old = byte_i == "0";
      end else if (byte_i != "\r" && byte_i != letter(128'("HTTP/1."), 7, request_i.place)) begin
        r.part = Complete;
        r.subject = SubjectBadRequest;
      end

      Name: begin
        r.is_field = request_i.is_field && lower == letter(128'("connection:"), 11, request_i.place);
        if (r.is_field && request_i.place == 4'd10) begin
          r.part  = Value;
          r.place = '0;
        end
        if (byte_i == "\r") r.is_field = request_i.is_field;
        if (ends_line) begin
          r.place = '0;
          r.is_field = 1'b1;
          if (request_i.place == '0) r.part = Complete;
        end
      end

      Value: begin
        if (lower != letter(128'("close"), 5, request_i.place)) r.place = lower == "c" ? 4'd1 : '0;
        else if (request_i.place == 4'd4) begin
          r.closing = 1'b1;
          r.place   = '0;
        end
        if (ends_line) begin
          r.part = Name;
          r.place = '0;
          r.is_field = 1'b1;
        end
      end

      default: ;
    endcase
    if (request_i.part inside {Target, Authority, Query} && ends_line) begin
      r.part = Complete;
      r.subject = SubjectBadRequest;
    end
    if (r.part == Complete) begin
      if (r.subject != SubjectBadRequest && !r.is_get && !r.is_head) r.subject = SubjectUnimplemented;
      if (r.old || r.subject inside {SubjectBadRequest, SubjectUnimplemented}) r.closing = 1'b1;
    end
  end
  assign request_o = r;
endmodule
