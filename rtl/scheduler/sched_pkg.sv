// SPDX-License-Identifier: Apache-2.0
// What the scheduler and the compute units say to each other beside the fabric.
package sched_pkg;
  // From a unit to the scheduler, one pulse per event and cycle, over wires that may have registers.
  // The three balance: a unit gives back a credit for every message that it lets go of, and takes
  // one (cancels) for every message that came without.
  typedef struct packed {
    logic give;  // room for one more message: the engine has taken one, or it was detoured
    logic give_lossless;  // the message that give speaks of is lossless
    logic cancel;  // a pushed message was accepted: one credit less
  } credit_t;
endpackage
