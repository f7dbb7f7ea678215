// SPDX-License-Identifier: Apache-2.0
// SYN cookies (RFC 4987, 3.6): initial sequence numbers from which a connection can be made when they are acknowledged. A host that
// has not received the cookie for its addresses and ports guesses it in one of 2^25 tries.
package cookie_pkg;
  typedef logic [4:0] period_t;
  typedef logic [24:0] mac_t;  // the low bits of a sum: the keyed hash of tenant, addresses and ports, plus the peer's initial sequence number
  typedef struct packed {
    period_t period;  // when it was made
    logic [1:0] size;  // the peer's maximum segment size, as a code
    mac_t mac;
  } cookie_t;
  localparam int unsigned CookiePeriods = 8;  // for which a cookie is valid

  function automatic cookie_t make_cookie(mac_t mac, period_t period, logic [13:0] mss);
    make_cookie.period = period;
    make_cookie.size = mss >= 14'd1460 ? 2'd3 : mss >= 14'd1220 ? 2'd2 : mss >= 14'd536 ? 2'd1 : 2'd0;
    make_cookie.mac = mac;
  endfunction

  function automatic logic is_recent(period_t made, period_t now);
    period_t age;
    age = now - made;
    return age < period_t'(CookiePeriods);
  endfunction

  // The maximum segment size: at most the peer's, provided that the peer's is at least LeastMss.
  function automatic logic [13:0] cookie_mss(logic [1:0] size);
    unique case (size)
      2'd3: cookie_mss = 14'd1460;
      2'd2: cookie_mss = 14'd1220;
      2'd1: cookie_mss = 14'd536;
      default: cookie_mss = 14'd64;
    endcase
  endfunction
endpackage
