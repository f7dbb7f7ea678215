// SPDX-License-Identifier: Apache-2.0
// Notices when the card has stalled: links hold messages, and none of them moves. It samples all links at intervals,
// which costs next to nothing, and in every cycle once it has seen that messages wait and none moves.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../include/girih_card.h"

namespace girih {

// The card has stalled while the caller waited for it to come to rest.
class StallError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Watchdog {
 public:
  void set(uint64_t cycles) { limit_ = cycles; }  // 0: off

  // In a cycle in which looks() is true: begin, then link for each link that holds a flit, then end.
  bool looks(uint64_t cycle) const {
    return limit_ != 0 && (cycle % Interval == 0 || (waiting_since_ != Never && cycle - waiting_since_ < limit_));
  }
  void begin();
  void link(uint32_t link, bool moves, uint8_t src, uint8_t dst);
  void end(uint64_t cycle, uint64_t sent_beats, bool memory_works);

  bool occupied() const { return moved_ || !waiting_.empty(); }  // links held messages at the last sample
  bool suspects() const { return waiting_since_ != Never; }  // messages waited and none moved at the last sample
  uint64_t waiting_cycles(uint64_t cycle) const { return suspects() ? cycle - waiting_since_ : 0; }
  bool stalled(uint64_t cycle) const { return suspects() && cycle - waiting_since_ >= limit_; }
  const std::vector<girih_waiting> &waiting() const { return waiting_; }
  void forget() {  // reset
    begin();
    waiting_since_ = Never;
  }
  void look_again(uint64_t cycle) { if (suspects()) waiting_since_ = cycle; }

 private:
  static constexpr uint64_t Interval = 256;
  static constexpr uint64_t Never = ~uint64_t{0};

  uint64_t limit_ = 0, waiting_since_ = Never, sent_beats_ = 0;
  bool moved_ = false;
  std::vector<girih_waiting> waiting_;  // at the last sample
};

}  // namespace girih
