// SPDX-License-Identifier: Apache-2.0
// A frame at a port, and the interfaces of its sources and sinks.
#pragma once

#include <cstdint>
#include <vector>

namespace girih {

struct Frame {
  std::vector<uint8_t> bytes;
  bool bad = false;
  uint64_t first_cycle = 0, last_cycle = 0;  // of its beats at the card's pins
  uint8_t edge = 0;  // of its port's own clock, among those in its first cycle
  int32_t flow = -1;                         // of the generator, or -1
  uint64_t sequence = 0;                     // in that flow
};

// Gives frames to a port on request, when one is due. It reuses the frame's memory.
class Source {
 public:
  virtual ~Source() = default;
  virtual bool next(uint64_t cycle, Frame &frame) = 0;
  virtual bool waiting() const { return false; }  // it holds frames for later
  virtual bool gone() const { return false; }  // its device has been deleted
  virtual void entered(const Frame &, uint64_t /*cycle*/) {}  // the first beat was taken
};

// Takes frames that leave a port.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void take(const Frame &frame) = 0;
  virtual void finish() {}  // no frame follows; throws if one was not written
};

inline bool get_bit(const uint8_t *bytes, unsigned index) { return bytes[index / 8] >> (index % 8) & 1; }

inline void set_bit(uint8_t *bytes, unsigned index, bool value) {
  const auto mask = static_cast<uint8_t>(1u << (index % 8));
  bytes[index / 8] = static_cast<uint8_t>(value ? bytes[index / 8] | mask : bytes[index / 8] & ~mask);
}

}  // namespace girih
