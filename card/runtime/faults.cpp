// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <algorithm>
#include <stdexcept>

namespace girih {

void Faults::set(const girih_fault_params &params) {
  for (const double p : {params.loss, params.duplicate, params.corrupt, params.reorder, params.delay}) {
    if (!(p >= 0 && p <= 1)) throw std::invalid_argument("a fault's probability must be between 0 and 1");
  }
  params_ = params;
  random_ = Random(params.seed);
  active_ = params.loss + params.duplicate + params.corrupt + params.reorder + params.delay > 0;
}

void Faults::push(const Frame &frame, uint64_t cycle) {
  counts_.frames++;
  if (random_.chance(params_.loss)) {
    counts_.lost++;
    return;
  }
  Frame copy = frame;
  if (random_.chance(params_.corrupt) && !copy.bytes.empty()) {
    counts_.corrupted++;
    copy.bytes[random_.below(copy.bytes.size())] ^= static_cast<uint8_t>(1u << random_.below(8));
  }
  uint64_t release = std::max(order_, cycle);
  if (random_.chance(params_.delay)) {
    counts_.delayed++;
    release = std::max(release, cycle + 1 + random_.below(params_.delay_cycles));
  }
  if (random_.chance(params_.reorder)) {
    counts_.reordered++;
    release += params_.reorder_cycles;  // the others do not wait for it
  } else {
    order_ = release;
  }
  if (random_.chance(params_.duplicate)) {
    counts_.duplicated++;
    held_.emplace(release, copy);
  }
  held_.emplace(release, std::move(copy));
}

void Faults::lose() {
  counts_.lost += held_.size();
  held_.clear();
}

bool Faults::pop(uint64_t cycle, Frame &frame) {
  const auto first = held_.begin();
  if (first == held_.end() || first->first > cycle) return false;
  frame = std::move(first->second);
  held_.erase(first);
  return true;
}

}  // namespace girih
