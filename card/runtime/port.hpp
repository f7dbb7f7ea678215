// SPDX-License-Identifier: Apache-2.0
// One Ethernet port: converts frames to beats and beats to frames. Faults are injected between sources and
// pins, and between pins and sinks.
#pragma once

#include <deque>
#include <memory>

#include "../include/girih_card.h"
#include "faults.hpp"
#include "frame.hpp"
#include "model.hpp"

namespace girih {

// An observer of everything that passes the pins: the recorder, captures.
class PortObserver {
 public:
  virtual ~PortObserver() = default;
  virtual void input(uint32_t port, const Frame &frame, uint64_t cycle) = 0;  // first beat is offered
  virtual void output(uint32_t port, const Frame &frame) = 0;                 // last beat has passed
};

class Port {
 public:
  Port(const Pins &pins, uint32_t index, uint32_t beat_bytes);

  // Before the clock edge. starts: a frame may begin to enter. edge: of the port's own clock, among those in this cycle of the card.
  void drive(uint64_t cycle, bool starts = true, uint32_t edge = 0);
  void sample(uint64_t cycle);  // at the clock edge
  void abandon();               // reset: discards frames that are partly sent or received

  void add(std::shared_ptr<Source> source) { sources_.push_back(std::move(source)); }
  void add(std::shared_ptr<Sink> sink) { sinks_.push_back(std::move(sink)); }
  void finish();  // throws if a sink could not take all frames
  void remove(const Source *source);
  void remove(const Sink *sink);
  void observe(PortObserver *observer) { observers_.push_back(observer); }
  void unobserve(const PortObserver *observer);
  void set_ready(double probability, uint64_t seed);

  void inject(Frame frame, uint64_t cycle);
  void collect(bool enable);
  // Shuts the port: only the rest of a frame that has started still enters, and frames held by faults are lost. Frames that leave are delivered at
  // once.
  void shut();
  void detach();  // closes the port and drops its sources and sinks
  bool cable_gone() const;  // a device of the port has been deleted
  bool collected(Frame &frame);

  uint32_t edge() const { return edge_; }
  bool quiet() const;  // no frame is in flight at this port
  bool waits_for_wire() const;  // a beat is offered and not taken
  uint64_t last_moved() const { return last_moved_; }  // cycle of the last beat, in or out
  const girih_port_stats &stats() const { return stats_; }
  void count_backend_drop() { stats_.backend_drops++; }

  Faults in_faults, out_faults;

 private:
  bool pull(uint64_t cycle);
  bool pull_source(uint64_t cycle);
  void offer_beat();
  void deliver(const Frame &frame);

  const Pins &pins_;
  const uint32_t index_, beat_bytes_;

  std::vector<std::shared_ptr<Source>> sources_;
  std::vector<std::shared_ptr<Sink>> sinks_;
  std::vector<PortObserver *> observers_;
  std::deque<std::pair<uint64_t, Frame>> injected_;

  Frame rx_;                   // being sent into the card
  uint32_t rx_offset_ = 0;
  bool shut_ = false;
  bool rx_busy_ = false, rx_taken_ = false;  // taken: the last offered beat has passed

  Frame tx_;                   // being received from the card
  bool tx_busy_ = false, collecting_ = false, ready_always_ = true;
  double ready_probability_ = 1;
  Random ready_random_{0};
  std::deque<Frame> collected_;

  uint64_t last_moved_ = 0;
  uint32_t edge_ = 0;
  girih_port_stats stats_{};
};

}  // namespace girih
