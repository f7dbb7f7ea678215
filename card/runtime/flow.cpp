// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "generator.hpp"
#include "random.hpp"

namespace girih {
namespace {
constexpr uint64_t MinVariants = 16;  // different payloads for each size
constexpr uint32_t MaxPayload = 16'000;

size_t sequence_bytes(size_t payload) { return std::min<size_t>(payload, 4); }

girih_latency summary(std::vector<uint32_t> samples) {
  girih_latency latency{};
  if (samples.empty()) return latency;
  std::sort(samples.begin(), samples.end());
  const auto rank = [&](double p) {
    return samples[static_cast<size_t>(p * static_cast<double>(samples.size() - 1) + 0.5)];
  };
  latency.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  latency.min = samples.front();
  latency.p50 = rank(0.5);
  latency.p90 = rank(0.9);
  latency.p99 = rank(0.99);
  latency.max = samples.back();
  return latency;
}
}  // namespace

Flow::Flow(const girih_flow_params &params, uint32_t index)
    : params_(params),
      sizes_(params.payload_sizes, params.payload_sizes + params.payload_size_count),
      expected_{params.src_ip, params.dst_ip, params.src_port, params.dst_port},
      index_(index),
      total_(params.warmup + params.count),
      next_cycle_(static_cast<double>(params.start_cycle)) {
  if (sizes_.empty()) throw std::invalid_argument("a flow needs at least one payload size");
  if (params.count < 1) throw std::invalid_argument("a flow needs at least one packet");
  if (*std::max_element(sizes_.begin(), sizes_.end()) > MaxPayload) {
    throw std::invalid_argument("a payload has at most " + std::to_string(MaxPayload) + " bytes");
  }
  const UdpTemplate header{params_.dst_mac, params_.src_mac, params_.vlan, expected_};
  payload_offset_ = payload_offset(header);
  if (params.expect == GIRIH_EXPECT_ECHO) {
    std::swap(expected_.src_ip, expected_.dst_ip);
    std::swap(expected_.src_port, expected_.dst_port);
  }
  Random random(params.seed);
  const uint64_t rounds = (MinVariants + sizes_.size() - 1) / sizes_.size();
  for (uint64_t i = 0; i < rounds * sizes_.size(); i++) {
    std::vector<uint8_t> payload(sizes_[i % sizes_.size()]);
    for (auto &byte : payload) byte = static_cast<uint8_t>(random.next());
    std::fill_n(payload.begin(), sequence_bytes(payload.size()), uint8_t{0});
    auto frame = make_udp(header, payload.data(), payload.size());
    uint8_t *sum = frame.data() + payload_offset_ - 2;
    if (params_.opaque) store16(sum, 0);
    variants_.push_back({frame, static_cast<uint16_t>(~load16(sum))});
    payloads_.push_back(std::move(payload));
  }
  entered_.resize(total_);
  received_.resize(total_);
}

bool Flow::due(uint64_t cycle) const {
  return next_ < total_ && static_cast<double>(cycle) >= next_cycle_ &&
         (params_.window == 0 || next_ - done_ < params_.window);
}

void Flow::send(Frame &frame, uint64_t cycle) {
  const Variant &variant = variants_[next_ % variants_.size()];
  frame.bytes.assign(variant.bytes.begin(), variant.bytes.end());
  uint8_t *payload = frame.bytes.data() + payload_offset_;
  const size_t count = sequence_bytes(payloads_[next_ % payloads_.size()].size());
  for (size_t i = 0; i < count; i++) payload[i] = static_cast<uint8_t>(next_ >> (8 * i));
  if (!params_.opaque) {
    const auto sum = static_cast<uint16_t>(~fold16(add_sum(payload, count, variant.sum)));
    store16(payload - 2, sum ? sum : 0xFFFF);
  }
  frame.flow = static_cast<int32_t>(index_);
  frame.sequence = next_++;
  // A packet that had to wait for other flows does not delay the next packet of its own flow.
  if (params_.rate > 0) next_cycle_ = std::max(next_cycle_ + 1 / params_.rate, static_cast<double>(cycle));
}

void Flow::entered(uint64_t sequence, uint64_t cycle) {
  if (entered_[sequence]) return;  // a duplicate made by a fault
  entered_[sequence] = cycle;
  if (sequence == params_.warmup) result_.first_in = cycle;
  if (sequence >= params_.warmup) result_.last_in = cycle;
}

// The sequence number with the payload's low bytes that is nearest to the next expected one.
uint64_t Flow::sequence_of(const UdpView &view) const {
  const size_t count = sequence_bytes(view.size);
  if (count == 0) return std::min(highest_, total_ - 1);
  uint64_t low = 0;
  for (size_t i = 0; i < count; i++) low |= uint64_t{view.payload[i]} << (8 * i);
  const uint64_t modulus = uint64_t{1} << (8 * count);
  uint64_t sequence = (highest_ & ~(modulus - 1)) | low;
  if (sequence > highest_ + modulus / 2 && sequence >= modulus) sequence -= modulus;
  if (sequence + modulus / 2 < highest_) sequence += modulus;
  return sequence;
}

void Flow::receive(const UdpView &view, const Frame &frame) {
  const uint64_t sequence = view.intact ? sequence_of(view) : total_;
  const bool known = sequence < next_;
  const auto &payload = payloads_[sequence % payloads_.size()];
  const size_t skip = sequence_bytes(payload.size());
  if (!known || frame.bad || view.size != payload.size() ||
      (!params_.opaque &&
       !std::equal(payload.begin() + static_cast<ptrdiff_t>(skip), payload.end(), view.payload + skip))) {
    result_.corrupted++;
    return;
  }
  if (received_[sequence]) {
    result_.duplicated++;
    return;
  }
  received_[sequence] = true;
  done_++;
  const bool overtaken = sequence < highest_;
  highest_ = std::max(highest_, sequence + 1);
  if (sequence < params_.warmup) return;
  result_.reordered += overtaken;
  if (result_.received++ == 0) {
    result_.first_out = frame.last_cycle;
    first_payload_ = view.size;
  }
  result_.last_out = frame.last_cycle;
  result_.payload_bytes += view.size;
  arrivals_.push_back(frame.last_cycle);
  first_latency_.push_back(static_cast<uint32_t>(frame.first_cycle - entered_[sequence]));
  last_latency_.push_back(static_cast<uint32_t>(frame.last_cycle - entered_[sequence]));
}

girih_flow_result Flow::result() const {
  girih_flow_result result = result_;
  result.sent = next_ > params_.warmup ? next_ - params_.warmup : 0;
  result.lost = result.sent - result.received;
  if (result.last_out > result.first_out) {
    const auto cycles = static_cast<double>(result.last_out - result.first_out);
    result.packets_per_cycle = static_cast<double>(result.received - 1) / cycles;
    result.payload_bits_per_cycle = 8.0 * static_cast<double>(result.payload_bytes - first_payload_) / cycles;
  }
  result.first_beat = summary(first_latency_);
  result.last_beat = summary(last_latency_);
  return result;
}

uint64_t Flow::latencies(uint32_t *first, uint32_t *last, uint64_t capacity) const {
  const uint64_t count = std::min<uint64_t>(capacity, first_latency_.size());
  std::copy_n(first_latency_.begin(), count, first);
  std::copy_n(last_latency_.begin(), count, last);
  return first_latency_.size();
}

uint64_t Flow::arrivals(uint64_t *cycles, uint64_t capacity) const {
  std::copy_n(arrivals_.begin(), std::min<uint64_t>(capacity, arrivals_.size()), cycles);
  return arrivals_.size();
}

}  // namespace girih
