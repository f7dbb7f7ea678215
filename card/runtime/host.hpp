// SPDX-License-Identifier: Apache-2.0
// The PCIe of a card with a host tile, and nothing more: reads and writes at the card's port to the host access mapped memory, kicks become writes of
// doorbells, and interrupts become calls. Kicks and calls are eventfds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "../include/girih_card.h"
#include "host_memory.hpp"
#include "model.hpp"

namespace girih {

class Host {
 public:
  static constexpr unsigned Queues = 16;  // the bits of host_interrupt_o

  Host(const HostPins &pins, uint32_t beat_bytes) : pins_(pins), beat_bytes_(beat_bytes) {}
  ~Host();
  Host(const Host &) = delete;

  void set_latency(uint32_t cycles) { latency_ = cycles; }
  HostMemory &memory() { return memory_; }
  void queue(uint32_t number, int kick, int call, uint32_t doorbell);  // eventfds, which are copied; -1: none. doorbell: address of the register

  void poll(uint64_t cycle);    // for kicks, at intervals
  void drive(uint64_t cycle);   // before the clock edge
  void sample(uint64_t cycle);  // at the clock edge
  void abandon();               // reset
  void detach();                // in a copy of the process: kicks, interrupts and memory are not its own
  bool take_doorbell(uint32_t &address);  // the next one to be written, if any

  bool busy() const { return !reads_.empty() || !done_.empty() || !writes_.empty() || !beats_.empty() || !doorbells_.empty(); }
  const girih_host_stats &stats() const { return stats_; }

 private:
  static constexpr uint64_t PollCycles = 256;
  static constexpr size_t Depth = 512;  // beats of reads, and writes, in flight

  struct Beat {
    uint64_t due;
    uint8_t id, response;
    bool last;
    std::vector<uint8_t> data;
  };
  struct Burst {
    uint64_t address;
    uint32_t beats;
    uint8_t id;
  };
  struct Done {
    uint64_t due;
    uint8_t id, response;
  };
  struct Queue {
    int kick = -1, call = -1;
    uint32_t doorbell = 0;
  };

  void close_queues();
  void take_read(uint64_t cycle);
  void take_write(uint64_t cycle);
  void write_beat(uint64_t address, const uint8_t *beat, uint8_t &response);

  const HostPins &pins_;
  const uint32_t beat_bytes_;
  uint32_t latency_ = 100;
  uint64_t next_poll_ = 0;
  HostMemory memory_;
  std::array<Queue, Queues> queues_;
  std::deque<uint32_t> doorbells_;
  std::deque<Beat> reads_;  // in the order of their addresses, as PCIe completes the reads of one port
  std::deque<Done> done_;
  std::deque<Burst> writes_;
  std::deque<std::vector<uint8_t>> beats_;  // data and strobe of each
  bool reading_ = false, answering_ = false;
  girih_host_stats stats_{};
};

}  // namespace girih
