// SPDX-License-Identifier: Apache-2.0
// The memory behind a card's AXI4 port, like a controller with DRAM on a board: sparse, with a latency, a bandwidth and refreshes. Answers of
// different IDs may overtake one another; those of one ID do not.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "../include/girih_card.h"
#include "model.hpp"
#include "random.hpp"

namespace girih {

class Memory {
 public:
  Memory(const AxiPins &pins, uint32_t beat_bytes);

  void set(const girih_memory_params &params);
  void fail(uint64_t first, uint64_t size);  // from now on, accesses there are answered with an error

  void drive(uint64_t cycle);   // before the clock edge
  void sample(uint64_t cycle);  // at the clock edge
  void abandon();               // reset: discards what is in flight; the contents stay

  void read(uint64_t address, uint8_t *data, uint64_t size) const;
  void write(uint64_t address, const uint8_t *data, uint64_t size);

  bool busy() const;
  bool owes() const { return !reads_.empty() || !done_.empty(); }  // answers are due, however late they come
  const girih_memory_stats &stats() const { return stats_; }

 private:
  static constexpr uint64_t PageBytes = 4096;
  static constexpr size_t Depth = 256;  // reads that wait, and writes

  struct Burst {
    uint64_t address;
    uint32_t beats;
    uint8_t id;
  };
  struct Read {
    Burst burst;
    uint32_t sent = 0;
    std::vector<uint8_t> data, responses;  // as they were when the read was requested
  };
  struct Write {
    uint8_t id, response;
  };

  void check(uint64_t address, uint64_t size) const;
  uint8_t response(uint64_t address) const;
  uint64_t due(uint64_t cycle, const Burst &burst, std::array<uint64_t, 256> &latest);
  void take_read(uint64_t cycle);
  void take_write(uint64_t cycle);

  const AxiPins &pins_;
  const uint32_t beat_bytes_;
  girih_memory_params params_;
  Random random_{0};
  std::unordered_map<uint64_t, std::unique_ptr<std::array<uint8_t, PageBytes>>> pages_;
  uint64_t failing_first_ = 0, failing_size_ = 0;

  std::multimap<uint64_t, Read> reads_;  // by the earliest cycle of their answer
  std::multimap<uint64_t, Write> done_;
  std::deque<Burst> writes_;       // bursts whose data have not all come
  std::deque<std::vector<uint8_t>> beats_;  // data and strobe of each
  std::array<uint64_t, 256> latest_read_{}, latest_write_{};  // by ID: when the last one is due
  double bus_free_ = 0;  // the cycle from which on the data bus is free
  bool reading_ = false, answering_ = false;  // the first of reads_, or of done_, is being offered
  girih_memory_stats stats_{};
};

}  // namespace girih
