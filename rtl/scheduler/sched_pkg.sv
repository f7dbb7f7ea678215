// SPDX-License-Identifier: Apache-2.0
// Signals between the scheduler and the compute units, beside the fabric.
package sched_pkg;
  // From a unit to the scheduler, one pulse per event and cycle, over wires that may have registers.
  // Credits are conserved: a unit gives back a credit for every message that it releases, and cancels
  // one for every message that arrived without.
  typedef struct packed {
    logic give;  // room for one more message: the engine has taken one, or it was detoured
    logic give_lossless;  // with give: that message is lossless
    logic cancel;  // a pushed message was accepted: one credit less
  } credit_t;
endpackage
