// SPDX-License-Identifier: Apache-2.0
#include "port.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace girih {

Port::Port(const Pins &pins, uint32_t index, uint32_t beat_bytes)
    : pins_(pins), index_(index), beat_bytes_(beat_bytes) {
  set_bit(pins_.tx.tready, index_, true);
}

void Port::remove(const Source *source) {
  std::erase_if(sources_, [&](const auto &entry) { return entry.get() == source; });
}

void Port::remove(const Sink *sink) {
  std::erase_if(sinks_, [&](const auto &entry) { return entry.get() == sink; });
}

void Port::unobserve(const PortObserver *observer) { std::erase(observers_, observer); }

void Port::set_ready(double probability, uint64_t seed) {
  if (!(probability >= 0 && probability <= 1)) {
    throw std::invalid_argument("the probability of tready must be from 0 to 1");
  }
  ready_probability_ = probability;
  ready_random_ = Random(seed);
  ready_always_ = probability >= 1;
  set_bit(pins_.tx.tready, index_, true);
}

void Port::inject(Frame frame, uint64_t cycle) {
  if (frame.bytes.empty()) throw std::invalid_argument("a frame to inject needs at least one byte");
  if (shut_) throw std::invalid_argument("the ports of the card are shut; nothing enters any more");
  injected_.emplace_back(cycle, std::move(frame));
}

void Port::collect(bool enable) {
  collecting_ = enable;
  if (!enable) collected_.clear();
}

bool Port::collected(Frame &frame) {
  if (collected_.empty()) return false;
  frame = std::move(collected_.front());
  collected_.pop_front();
  return true;
}

bool Port::pull_source(uint64_t cycle) {
  rx_.flow = -1;
  rx_.bad = false;
  if (!injected_.empty() && injected_.front().first <= cycle) {
    rx_ = std::move(injected_.front().second);
    injected_.pop_front();
    return true;
  }
  return std::any_of(sources_.begin(), sources_.end(),
                     [&](const auto &source) { return source->next(cycle, rx_); });
}

void Port::shut() {
  shut_ = true;
  injected_.clear();
  in_faults.lose();
  Frame held;
  while (out_faults.pop(~uint64_t{0}, held)) deliver(held);
}

void Port::finish() {
  for (const auto &sink : sinks_) sink->finish();
}

void Port::detach() {
  new auto(std::move(sources_));  // never destroyed: their destructors would have effects outside
  new auto(std::move(sinks_));
  sources_.clear();
  sinks_.clear();
  observers_.clear();
  shut();
}

bool Port::cable_gone() const {
  return std::any_of(sources_.begin(), sources_.end(), [](const auto &source) { return source->gone(); });
}

bool Port::pull(uint64_t cycle) {
  if (shut_) return false;
  if (!in_faults.active()) return pull_source(cycle);
  if (pull_source(cycle)) in_faults.push(rx_, cycle);
  return in_faults.pop(cycle, rx_);
}

void Port::offer_beat() {
  const auto size = static_cast<uint32_t>(rx_.bytes.size());
  const uint32_t valid = std::min(size - rx_offset_, beat_bytes_);
  const bool last = rx_offset_ + valid == size;
  uint8_t *data = pins_.rx.tdata + index_ * beat_bytes_;
  uint8_t *keep = pins_.rx.tkeep + index_ * (beat_bytes_ / 8);
  std::memcpy(data, rx_.bytes.data() + rx_offset_, valid);
  std::memset(data + valid, 0, beat_bytes_ - valid);
  for (uint32_t i = 0; i < beat_bytes_ / 8; i++) {
    const uint32_t left = valid > 8 * i ? std::min(valid - 8 * i, 8u) : 0;
    keep[i] = static_cast<uint8_t>((1u << left) - 1);
  }
  set_bit(pins_.rx.tvalid, index_, true);
  set_bit(pins_.rx.tlast, index_, last);
  set_bit(pins_.rx.tuser, index_, last && rx_.bad);
}

void Port::drive(uint64_t cycle, bool starts, uint32_t edge) {
  edge_ = edge;
  if (!rx_busy_) {
    if (starts && pull(cycle)) {
      rx_.edge = static_cast<uint8_t>(edge);
      rx_busy_ = true;
      rx_offset_ = 0;
      for (auto *observer : observers_) observer->input(index_, rx_, cycle);
      offer_beat();
    } else if (get_bit(pins_.rx.tvalid, index_)) {
      set_bit(pins_.rx.tvalid, index_, false);
    }
  } else if (rx_taken_) {
    offer_beat();
  }
  rx_taken_ = false;
  if (!ready_always_) set_bit(pins_.tx.tready, index_, ready_random_.chance(ready_probability_));
}

void Port::sample(uint64_t cycle) {
  if (rx_busy_) {
    if (get_bit(pins_.rx.tready, index_)) {
      if (rx_offset_ == 0 && rx_.flow >= 0) {
        for (const auto &source : sources_) source->entered(rx_, cycle);
      }
      last_moved_ = cycle;
      stats_.rx_beats++;
      rx_taken_ = true;
      rx_offset_ += beat_bytes_;
      rx_busy_ = rx_offset_ < rx_.bytes.size();
      if (!rx_busy_) {
        stats_.rx_frames++;
        stats_.rx_bytes += rx_.bytes.size();
      }
    } else {
      stats_.rx_stalls++;
    }
  }
  if (get_bit(pins_.tx.tvalid, index_) && get_bit(pins_.tx.tready, index_)) {
    if (!tx_busy_) {
      tx_.bytes.clear();
      tx_.first_cycle = cycle;
    }
    const uint8_t *data = pins_.tx.tdata + index_ * beat_bytes_;
    const uint8_t *keep = pins_.tx.tkeep + index_ * (beat_bytes_ / 8);
    uint32_t valid = 0;
    for (uint32_t i = 0; i < beat_bytes_ / 8; i++) valid += static_cast<uint32_t>(std::popcount(keep[i]));
    tx_.bytes.insert(tx_.bytes.end(), data, data + valid);
    tx_busy_ = !get_bit(pins_.tx.tlast, index_);
    last_moved_ = cycle;
    stats_.tx_beats++;
    if (!tx_busy_) {
      tx_.last_cycle = cycle;
      tx_.bad = get_bit(pins_.tx.tuser, index_);
      stats_.tx_frames++;
      stats_.tx_bytes += tx_.bytes.size();
      for (auto *observer : observers_) observer->output(index_, tx_);
      if (out_faults.active() && !shut_) {
        out_faults.push(tx_, cycle);
      } else {
        deliver(tx_);
      }
    }
  }
  if (!out_faults.empty()) {
    Frame due;
    while (out_faults.pop(cycle, due)) deliver(due);
  }
}

bool Port::waits_for_wire() const {
  return get_bit(pins_.tx.tvalid, index_) && !get_bit(pins_.tx.tready, index_);
}

void Port::deliver(const Frame &frame) {
  if (collecting_) collected_.push_back(frame);
  for (const auto &sink : sinks_) sink->take(frame);
}

void Port::abandon() {
  rx_busy_ = rx_taken_ = tx_busy_ = false;
  set_bit(pins_.rx.tvalid, index_, false);
}

bool Port::quiet() const {
  if (rx_busy_ || tx_busy_ || !injected_.empty() || !in_faults.empty() || !out_faults.empty()) return false;
  if (shut_) return true;
  return std::none_of(sources_.begin(), sources_.end(), [](const auto &source) { return source->waiting(); });
}

}  // namespace girih
