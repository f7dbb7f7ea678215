// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite master: one access at a time, driven cycle by cycle.
#pragma once

#include "model.hpp"

namespace girih {

struct Access {
  bool write = false;
  uint32_t address = 0, data = 0;  // data: written or read
  uint32_t error = 0;              // the response code
  uint64_t start_cycle = 0, end_cycle = 0;
};

class AxiLite {
 public:
  explicit AxiLite(const Pins &pins) : pins_(pins.axil) {}

  void start(const Access &access);
  bool busy() const { return state_ != State::Idle; }
  const Access &access() const { return access_; }
  void sample(uint64_t cycle);  // at the clock edge
  void drive();                 // after it
  void abandon();

 private:
  enum class State { Idle, Request, Response };

  const AxilPins &pins_;
  State state_ = State::Idle;
  bool address_done_ = false, data_done_ = false;
  Access access_;
};

}  // namespace girih
