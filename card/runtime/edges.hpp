// SPDX-License-Identifier: Apache-2.0
// The clocks of those edges of the card that do not use the card's own: which of them has its next rising edge, and when.
//
// Times are exact: an edge of a clock is a number of card cycles away that is a fraction over the clock's own rate, so no ratio drifts, and a run
// is the same in every repetition.
#pragma once

#include <cstdint>
#include <vector>

#include "model.hpp"

namespace girih {

struct EdgeClock {
  EdgeName name;
  uint64_t hertz;
  EdgePins pins;
  uint64_t next = 0;    // the time to its next edge, in periods of the card, times `hertz`
  uint64_t edges = 0;   // since the card was opened
  uint32_t number = 0;  // of the edge among those in the same cycle of the card, from 0 on
  uint64_t reset_edge = 0, reset_cycle = 0;  // when its reset was seen last

  void level(bool high) const;
  bool in_reset() const;
  bool holds() const { return *pins.hold != 0; }
};

class Edges {
 public:
  // seed: of the phases at the start; 0: all clocks start together.
  Edges(const Model &model, uint64_t card_hertz, const uint64_t (&hertz)[EdgeCount], uint64_t seed);

  bool empty() const { return clocks_.empty(); }
  // The clock with the earliest edge before the card's next one, and by how much of a cycle it follows the card's last one; null: there is
  // none, and a cycle has ended. Of edges at the same time, the card's is the first, then those of the clocks in their order.
  EdgeClock *next(double &when);
  const EdgeClock *find(EdgeName name) const;
  const std::vector<EdgeClock> &all() const { return clocks_; }

 private:
  uint64_t card_hertz_;
  std::vector<EdgeClock> clocks_;
};

}  // namespace girih
