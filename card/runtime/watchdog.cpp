// SPDX-License-Identifier: Apache-2.0
#include "watchdog.hpp"

namespace girih {

void Watchdog::begin() {
  moved_ = false;
  waiting_.clear();
}

void Watchdog::link(uint32_t link, bool moves, uint8_t src, uint8_t dst) {
  if (moves) {
    moved_ = true;
  } else {
    waiting_.push_back({link, src, dst, 0});
  }
}

// A memory that still owes answers counts as working, however long it takes. Frames on a wire count as movement, too: on a slow wire a long frame
// takes longer than its message on the link.
void Watchdog::end(uint64_t cycle, uint64_t sent_beats, bool memory_works) {
  if (moved_ || memory_works || waiting_.empty() || sent_beats != sent_beats_) {
    waiting_since_ = Never;
  } else if (waiting_since_ == Never) {
    waiting_since_ = cycle;
  }
  sent_beats_ = sent_beats;
}

}  // namespace girih
