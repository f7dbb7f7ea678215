// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace girih {
namespace {
enum Response : uint8_t { Okay = 0, SlaveError = 2, DecodeError = 3 };
}

Memory::Memory(const AxiPins &pins, uint32_t beat_bytes) : pins_(pins), beat_bytes_(beat_bytes) {
  girih_memory_params_init(&params_);
}

void Memory::set(const girih_memory_params &params) {
  if (!(params.bytes_per_cycle > 0)) throw std::invalid_argument("the bandwidth of a memory must be more than 0 bytes per cycle");
  if (!(params.ready > 0 && params.ready <= 1)) throw std::invalid_argument("the probability that a memory is ready must be more than 0, and at most 1");
  if (params.refresh_every && params.refresh_for >= params.refresh_every) throw std::invalid_argument("a refresh must be shorter than the time between two");
  if (params.size == 0) throw std::invalid_argument("a memory needs at least one byte");
  params_ = params;
  random_ = Random(params.seed);
}

void Memory::fail(uint64_t first, uint64_t size) {
  failing_first_ = first;
  failing_size_ = size;
}

void Memory::check(uint64_t address, uint64_t size) const {
  if (address > params_.size || size > params_.size - address) {
    throw std::invalid_argument("bytes " + std::to_string(address) + " to " + std::to_string(address + size) +
                                " are not in the memory, which has " + std::to_string(params_.size));
  }
}

void Memory::read(uint64_t address, uint8_t *data, uint64_t size) const {
  check(address, size);
  while (size > 0) {
    const uint64_t at = address % PageBytes, part = std::min(size, PageBytes - at);
    const auto page = pages_.find(address / PageBytes);
    if (page == pages_.end()) {
      std::memset(data, 0, part);
    } else {
      std::memcpy(data, page->second->data() + at, part);
    }
    address += part;
    data += part;
    size -= part;
  }
}

void Memory::write(uint64_t address, const uint8_t *data, uint64_t size) {
  check(address, size);
  while (size > 0) {
    const uint64_t at = address % PageBytes, part = std::min(size, PageBytes - at);
    auto &page = pages_[address / PageBytes];
    if (!page) page = std::make_unique<std::array<uint8_t, PageBytes>>();
    std::memcpy(page->data() + at, data, part);
    address += part;
    data += part;
    size -= part;
  }
}

uint8_t Memory::response(uint64_t address) const {
  if (address >= params_.size) return DecodeError;
  const bool ends_before = address + beat_bytes_ <= failing_first_;
  const bool begins_behind = address >= failing_first_ && address - failing_first_ >= failing_size_;
  return failing_size_ == 0 || ends_before || begins_behind ? Okay : SlaveError;
}

bool Memory::busy() const { return !reads_.empty() || !done_.empty() || !writes_.empty() || !beats_.empty(); }

// The cycle of a burst's last beat: the data bus carries one burst after another, and none during a refresh.
uint64_t Memory::due(uint64_t cycle, const Burst &burst, std::array<uint64_t, 256> &latest) {
  double start = std::max(bus_free_, static_cast<double>(cycle));
  if (params_.refresh_every) {
    const double into = std::fmod(start, params_.refresh_every);
    if (into < params_.refresh_for) start += params_.refresh_for - into;
  }
  const double takes = static_cast<double>(burst.beats) * beat_bytes_ / params_.bytes_per_cycle;
  bus_free_ = start + takes;
  const auto wait = static_cast<uint64_t>(start + std::max(0.0, takes - burst.beats)) + params_.latency + random_.below(params_.jitter + 1ull);
  return latest[burst.id] = std::max(latest[burst.id], wait);
}

void Memory::take_read(uint64_t cycle) {
  Read read{{*pins_.araddr, *pins_.arlen + 1u, *pins_.arid}, 0, {}, {}};
  read.data.resize(uint64_t{read.burst.beats} * beat_bytes_);
  for (uint32_t i = 0; i < read.burst.beats; i++) {
    const uint64_t address = read.burst.address + uint64_t{i} * beat_bytes_;
    read.responses.push_back(response(address));
    if (read.responses.back() == Okay) this->read(address, read.data.data() + uint64_t{i} * beat_bytes_, std::min<uint64_t>(beat_bytes_, params_.size - address));
  }
  stats_.reads++;
  stats_.read_beats += read.burst.beats;
  const uint64_t when = due(cycle, read.burst, latest_read_);
  reads_.emplace(when, std::move(read));
  stats_.most_reads = std::max<uint64_t>(stats_.most_reads, reads_.size());
}

void Memory::take_write(uint64_t cycle) {
  const Burst burst = writes_.front();
  writes_.pop_front();
  uint8_t worst = Okay;
  for (uint32_t i = 0; i < burst.beats; i++) {
    const std::vector<uint8_t> beat = std::move(beats_.front());
    beats_.pop_front();
    const uint64_t address = burst.address + uint64_t{i} * beat_bytes_;
    const uint8_t found = response(address);
    worst = std::max(worst, found);
    if (found != Okay) continue;
    for (uint32_t byte = 0; byte < beat_bytes_ && address + byte < params_.size; byte++) {
      if (beat[beat_bytes_ + byte / 8] >> byte % 8 & 1) write(address + byte, &beat[byte], 1);
    }
  }
  stats_.writes++;
  stats_.write_beats += burst.beats;
  done_.emplace(due(cycle, burst, latest_write_), Write{burst.id, worst});
}

void Memory::drive(uint64_t cycle) {
  const bool ready = params_.ready >= 1;
  *pins_.arready = reads_.size() < Depth && (ready || random_.chance(params_.ready));
  *pins_.awready = done_.size() + writes_.size() < Depth && (ready || random_.chance(params_.ready));
  *pins_.wready = ready || random_.chance(params_.ready);
  // An offer stays: nothing that is due later precedes it.
  if (!reading_ && !reads_.empty() && reads_.begin()->first <= cycle) {
    const Read &read = reads_.begin()->second;
    const uint64_t at = uint64_t{read.sent} * beat_bytes_;
    reading_ = true;
    std::memcpy(pins_.rdata, read.data.data() + at, beat_bytes_);
    *pins_.rid = read.burst.id;
    *pins_.rresp = read.responses[read.sent];
    *pins_.rlast = read.sent + 1 == read.burst.beats;
  }
  *pins_.rvalid = reading_;
  if (!answering_ && !done_.empty() && done_.begin()->first <= cycle) {
    answering_ = true;
    *pins_.bid = done_.begin()->second.id;
    *pins_.bresp = done_.begin()->second.response;
  }
  *pins_.bvalid = answering_;
}

void Memory::sample(uint64_t cycle) {
  if (reading_ && *pins_.rready) {
    reading_ = false;
    Read &read = reads_.begin()->second;
    if (++read.sent == read.burst.beats) reads_.erase(reads_.begin());
  }
  if (answering_ && *pins_.bready) {
    answering_ = false;
    done_.erase(done_.begin());
  }
  if (*pins_.arvalid && *pins_.arready) take_read(cycle + 1);
  if (*pins_.awvalid && *pins_.awready) writes_.push_back({*pins_.awaddr, *pins_.awlen + 1u, *pins_.awid});
  if (*pins_.wvalid && *pins_.wready) {
    std::vector<uint8_t> beat(pins_.wdata, pins_.wdata + beat_bytes_);
    beat.insert(beat.end(), pins_.wstrb, pins_.wstrb + beat_bytes_ / 8);
    beats_.push_back(std::move(beat));
  }
  while (!writes_.empty() && beats_.size() >= writes_.front().beats) take_write(cycle + 1);
}

void Memory::abandon() {
  reads_.clear();
  done_.clear();
  writes_.clear();
  beats_.clear();
  latest_read_ = latest_write_ = {};
  bus_free_ = 0;
  reading_ = answering_ = false;
  *pins_.rvalid = *pins_.bvalid = 0;
}

}  // namespace girih
