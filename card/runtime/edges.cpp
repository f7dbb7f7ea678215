// SPDX-License-Identifier: Apache-2.0
#include "edges.hpp"

#include <stdexcept>

#include "random.hpp"

namespace girih {
namespace {
constexpr uint64_t MostHertz = 1'000'000'000;  // the product of two rates fits in 64 bits
}

void EdgeClock::level(bool high) const {
  for (uint8_t *clk : pins.clk) {
    for (size_t i = 0; clk && i < pins.bytes; i++) clk[i] = high ? static_cast<uint8_t>(pins.ones >> 8 * i) : 0;
  }
}

bool EdgeClock::in_reset() const {
  for (const uint8_t *rst : pins.rst) {
    for (size_t i = 0; rst && i < pins.bytes; i++) {
      if (rst[i]) return true;
    }
  }
  return false;
}

Edges::Edges(const Model &model, uint64_t card_hertz, const uint64_t (&hertz)[EdgeCount], uint64_t seed) : card_hertz_(card_hertz) {
  Random random(seed);
  for (unsigned i = 0; i < EdgeCount; i++) {
    const EdgePins &pins = model.pins.edges[i];
    if (!pins.clk[0] && !hertz[i]) continue;
    if (!pins.clk[0] || !hertz[i] || hertz[i] > MostHertz || !card_hertz || card_hertz > MostHertz) {
      throw std::invalid_argument("a clock of the card's edge does not fit the card, or is not 1 Hz to 1 GHz");
    }
    EdgeClock clock{static_cast<EdgeName>(i), hertz[i], pins};
    if (seed) clock.next = random.below(card_hertz);
    clocks_.push_back(clock);
  }
}

EdgeClock *Edges::next(double &when) {
  EdgeClock *first = nullptr;
  for (EdgeClock &clock : clocks_) {
    if (clock.next >= clock.hertz) continue;  // not in this cycle
    if (!first || clock.next * first->hertz < first->next * clock.hertz) first = &clock;
  }
  if (first) {
    when = static_cast<double>(first->next) / static_cast<double>(first->hertz);
    first->next += card_hertz_;
    return first;
  }
  for (EdgeClock &clock : clocks_) {
    clock.next -= clock.hertz;
    clock.number = 0;
  }
  return nullptr;
}

const EdgeClock *Edges::find(EdgeName name) const {
  for (const EdgeClock &clock : clocks_) {
    if (clock.name == name) return &clock;
  }
  return nullptr;
}

}  // namespace girih
