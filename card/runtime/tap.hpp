// SPDX-License-Identifier: Apache-2.0
// A Linux TAP device as the other end of a port's cable.
#pragma once

#include <string>

#include "frame.hpp"

namespace girih {

class Port;

class Tap final : public Source, public Sink {
 public:
  // Opens device `name` in the network namespace of the file `netns` (empty: the current one).
  Tap(Port &port, const std::string &netns, const std::string &name);
  ~Tap() override;
  Tap(const Tap &) = delete;

  int fd() const { return fd_; }
  bool next(uint64_t cycle, Frame &frame) override;
  void take(const Frame &frame) override;
  bool gone() const override { return gone_; }

 private:
  static constexpr uint64_t PollCycles = 64;  // a system call costs as much as many idle cycles

  Port &port_;
  int fd_ = -1;
  bool gone_ = false;
  uint64_t next_poll_ = 0;
  std::vector<uint8_t> buffer_;
};

}  // namespace girih
