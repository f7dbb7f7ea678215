// SPDX-License-Identifier: Apache-2.0
// Loss, duplication, corruption, reordering and delay of the frames of one port in one direction.
#pragma once

#include <map>

#include "../include/girih_card.h"
#include "frame.hpp"
#include "random.hpp"

namespace girih {

class Faults {
 public:
  void set(const girih_fault_params &params);
  bool active() const { return active_ || !held_.empty(); }
  bool empty() const { return held_.empty(); }
  void push(const Frame &frame, uint64_t cycle);
  bool pop(uint64_t cycle, Frame &frame);  // a frame that is due
  void lose();  // drops the held frames; counted
  const girih_fault_counts &counts() const { return counts_; }

 private:
  girih_fault_params params_{};
  girih_fault_counts counts_{};
  Random random_{0};
  bool active_ = false;
  uint64_t order_ = 0;       // the last release of a frame that keeps its order
  std::multimap<uint64_t, Frame> held_;  // by cycle of release; equal ones in order of arrival
};

}  // namespace girih
