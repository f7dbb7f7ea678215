// SPDX-License-Identifier: Apache-2.0
#include "generator.hpp"

#include <algorithm>
#include <stdexcept>

#include "card.hpp"

namespace girih {
namespace {
constexpr size_t ArpBytes = 42;
constexpr uint16_t EtherTypeArp = 0x0806, ArpRequest = 1, ArpReply = 2;
}  // namespace

class Generator::Gate final : public Source, public Sink {
 public:
  Gate(Generator &generator, Port &port) : generator_(generator), port_(port) {}

  void add(Flow *flow) { flows_.push_back(flow); }
  Port &port() { return port_; }

  bool next(uint64_t cycle, Frame &frame) override {
    for (size_t i = 0; i < flows_.size(); i++) {  // the flows of a port take turns
      Flow &flow = *flows_[turn_];
      turn_ = turn_ + 1 == flows_.size() ? 0 : turn_ + 1;
      if (flow.due(cycle)) {
        flow.send(frame, cycle);
        return true;
      }
    }
    return false;
  }
  bool waiting() const override {
    return std::any_of(flows_.begin(), flows_.end(), [](const Flow *flow) {
      return !flow->finished() && flow->params().window == 0;  // a full window waits for the card
    });
  }
  void entered(const Frame &frame, uint64_t cycle) override {
    generator_.flow(static_cast<uint32_t>(frame.flow)).entered(frame.sequence, cycle);
  }
  void take(const Frame &frame) override { generator_.receive(*this, frame); }

 private:
  Generator &generator_;
  Port &port_;
  std::vector<Flow *> flows_;
  size_t turn_ = 0;
};

uint32_t Generator::add(const girih_flow_params &params) {
  card_.port(params.port);  // throws when there is no such port
  auto flow = std::make_unique<Flow>(params, static_cast<uint32_t>(flows_.size()));
  if (gates_.empty()) {  // a flow may leave by another port than it came in by
    for (uint32_t i = 0; i < card_.ports(); i++) {
      gates_.push_back(std::make_shared<Gate>(*this, card_.port(i)));
      card_.port(i).add(std::static_pointer_cast<Source>(gates_.back()));
      card_.port(i).add(std::static_pointer_cast<Sink>(gates_.back()));
    }
  }
  gates_[params.port]->add(flow.get());
  flows_.push_back(std::move(flow));
  return static_cast<uint32_t>(flows_.size() - 1);
}

void Generator::detach() {
  for (auto &gate : gates_) {
    gate->port().remove(static_cast<Source *>(gate.get()));
    gate->port().remove(static_cast<Sink *>(gate.get()));
  }
  gates_.clear();
}

bool Generator::finished() const {
  return std::all_of(flows_.begin(), flows_.end(), [](const auto &flow) { return flow->finished(); });
}

void Generator::release() {
  for (auto &flow : flows_) flow->release();
}

Flow &Generator::flow(uint32_t index) {
  if (index >= flows_.size()) throw std::invalid_argument("there is no flow " + std::to_string(index));
  return *flows_[index];
}

void Generator::receive(Gate &gate, const Frame &frame) {
  UdpView view{};
  if (parse_udp(frame.bytes, view)) {
    for (auto &flow : flows_) {
      if (flow->owns(view)) {
        flow->receive(view, frame);
        return;
      }
    }
  }
  if (!answer_arp(gate, frame)) unexpected_++;
}

// A card that resolves addresses asks for those of the flows.
bool Generator::answer_arp(Gate &gate, const Frame &frame) {
  const auto &bytes = frame.bytes;
  if (bytes.size() < ArpBytes || load16(&bytes[12]) != EtherTypeArp || load16(&bytes[20]) != ArpRequest) return false;
  const uint32_t wanted = load32(&bytes[38]);
  for (const auto &flow : flows_) {
    const auto &params = flow->params();
    const bool source = params.src_ip == wanted;
    if (!source && !(params.expect == GIRIH_EXPECT_FORWARD && params.dst_ip == wanted)) continue;
    const uint8_t *mac = source ? params.src_mac : params.dst_mac;
    Frame reply;
    reply.bytes = bytes;
    std::copy_n(&bytes[6], 6, &reply.bytes[0]);
    std::copy_n(mac, 6, &reply.bytes[6]);
    store16(&reply.bytes[20], ArpReply);
    std::copy_n(mac, 6, &reply.bytes[22]);
    std::copy_n(&bytes[38], 4, &reply.bytes[28]);
    std::copy_n(&bytes[22], 10, &reply.bytes[32]);
    gate.port().inject(std::move(reply), 0);
    return true;
  }
  return false;
}

}  // namespace girih
