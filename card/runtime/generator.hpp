// SPDX-License-Identifier: Apache-2.0
// Flows of UDP packets into the card, and the agent that checks the packets that come back. Frames are built before the
// run; when one is sent, only its checksum and its sequence number are written. The sequence number is in the first four
// bytes of the payload, or in all of a shorter one.
#pragma once

#include <memory>
#include <vector>

#include "../include/girih_card.h"
#include "frame.hpp"
#include "packet.hpp"

namespace girih {

class Card;

class Flow {
 public:
  Flow(const girih_flow_params &params, uint32_t index);

  bool due(uint64_t cycle) const;
  bool finished() const { return next_ == total_; }
  void send(Frame &frame, uint64_t cycle);
  void release() { done_ = next_; }  // gives up on packets still in flight
  void entered(uint64_t sequence, uint64_t cycle);
  bool owns(const UdpView &view) const { return view.address == expected_; }
  void receive(const UdpView &view, const Frame &frame);

  const girih_flow_params &params() const { return params_; }
  girih_flow_result result() const;
  uint64_t latencies(uint32_t *first, uint32_t *last, uint64_t capacity) const;
  uint64_t arrivals(uint64_t *cycles, uint64_t capacity) const;

 private:
  struct Variant {  // one prebuilt frame
    std::vector<uint8_t> bytes;
    uint64_t sum;  // of all bytes that the UDP checksum covers, except the sequence number
  };

  uint64_t sequence_of(const UdpView &view) const;

  girih_flow_params params_;
  std::vector<uint32_t> sizes_;
  std::vector<Variant> variants_;
  std::vector<std::vector<uint8_t>> payloads_;
  UdpAddress expected_;
  size_t payload_offset_;
  uint32_t index_;
  uint64_t total_, next_ = 0, done_ = 0, highest_ = 0;
  double next_cycle_;

  std::vector<uint64_t> entered_;  // by sequence number
  std::vector<bool> received_;
  std::vector<uint32_t> first_latency_, last_latency_;
  std::vector<uint64_t> arrivals_;
  girih_flow_result result_{};
  uint64_t first_payload_ = 0;
};

// All flows of a card. One gate at each port is the source and the sink there.
class Generator {
 public:
  explicit Generator(Card &card) : card_(card) {}

  uint32_t add(const girih_flow_params &params);
  void detach();
  bool finished() const;
  void release();
  Flow &flow(uint32_t index);
  uint64_t unexpected() const { return unexpected_; }

 private:
  class Gate;
  void receive(Gate &gate, const Frame &frame);
  bool answer_arp(Gate &gate, const Frame &frame);

  Card &card_;
  std::vector<std::unique_ptr<Flow>> flows_;
  std::vector<std::shared_ptr<Gate>> gates_;  // by port
  uint64_t unexpected_ = 0;
};

}  // namespace girih
