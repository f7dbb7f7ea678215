// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <cerrno>
#include <cstring>
#include <deque>
#include <system_error>

#include "card.hpp"
#include "recorder.hpp"

namespace girih {
namespace {

constexpr unsigned StepsBetweenQuestions = 256;  // well below a second's, also of a large card with waves

struct Event {  // anything that drives the card, in the order of its cycles
  uint64_t cycle;
  RecordKind kind;
  uint32_t port;
  AccessRecord access;
  ReadyRecord ready;
  girih_memory_params memory;
  FailRecord fail;
  uint64_t address;
  std::vector<uint8_t> content;
};

struct Recording {
  std::vector<std::deque<Frame>> inputs, outputs;  // by port; an input's first_cycle is the cycle in which it was offered
  std::deque<Event> events;
  uint64_t end = 0;
};

template <typename T>
T take(std::vector<uint8_t> &payload, const std::string &path) {
  T value;
  if (payload.size() < sizeof value) throw FormatError(path + ": a record is too short; record it again");
  std::memcpy(&value, payload.data(), sizeof value);
  payload.erase(payload.begin(), payload.begin() + sizeof value);
  return value;
}

Recording load(const std::string &path, uint32_t ports) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw std::system_error(errno, std::generic_category(), "cannot read the recording " + path);
  char magic[8];
  uint32_t version = 0, label = 0;
  if (std::fread(magic, sizeof magic, 1, file.get()) != 1 || std::memcmp(magic, RecordMagic, sizeof magic) != 0 ||
      std::fread(&version, sizeof version, 1, file.get()) != 1 || version < OldestVersion || version > RecordVersion ||
      std::fread(&label, sizeof label, 1, file.get()) != 1 || std::fseek(file.get(), label, SEEK_CUR) != 0) {
    throw FormatError(path + " is not a recording of this version; make one with --record");
  }
  Recording recording;
  recording.inputs.resize(ports);
  recording.outputs.resize(ports);
  RecordHeader header;
  bool first_reset = true, ended = false;
  while (!ended && std::fread(&header, sizeof header, 1, file.get()) == 1) {
    std::vector<uint8_t> payload;
    if (header.size > 1 << 24 || header.port >= ports) {
      throw FormatError(path + ": a record does not fit this card; it was made on another design, or it is damaged");
    }
    payload.resize(header.size);
    if (header.size && std::fread(payload.data(), 1, header.size, file.get()) != header.size) break;
    if (header.kind < RecordKind::Input || header.kind > RecordKind::MemoryFail) {
      throw FormatError(path + ": a record is of no kind that there is; the file is damaged");
    }
    Event event{header.cycle, header.kind, header.port, {}, {}, {}, {}, 0, {}};
    Frame frame;
    frame.bad = header.bad;
    frame.first_cycle = header.cycle;
    frame.edge = header.edge;
    switch (header.kind) {
      case RecordKind::Output:
        frame.last_cycle = take<uint64_t>(payload, path);
        frame.bytes = std::move(payload);
        recording.outputs[header.port].push_back(std::move(frame));
        break;
      case RecordKind::Input:
        frame.bytes = std::move(payload);
        recording.inputs[header.port].push_back(std::move(frame));
        break;
      case RecordKind::Read:
      case RecordKind::Write:
        event.access = take<AccessRecord>(payload, path);
        recording.events.push_back(event);
        break;
      case RecordKind::Ready:
        event.ready = take<ReadyRecord>(payload, path);
        recording.events.push_back(event);
        break;
      case RecordKind::MemoryWrite:
        event.address = take<uint64_t>(payload, path);
        event.content = std::move(payload);
        recording.events.push_back(std::move(event));
        break;
      case RecordKind::MemorySettings:
        event.memory = take<girih_memory_params>(payload, path);
        recording.events.push_back(event);
        break;
      case RecordKind::MemoryFail:
        event.fail = take<FailRecord>(payload, path);
        recording.events.push_back(event);
        break;
      case RecordKind::Reset:  // the first one is girih_open's
        if (!first_reset) recording.events.push_back(event);
        first_reset = false;
        break;
      case RecordKind::End:
        recording.end = header.cycle;
        ended = true;
        break;
    }
  }
  if (!ended) throw FormatError(path + " ends in the middle; the run that wrote it did not end well");
  return recording;
}

class Comparison final : public Source, public PortObserver {
 public:
  Comparison(Recording &recording, Card &card, uint32_t port, girih_replay_result &result)
      : inputs_(recording.inputs[port]), outputs_(recording.outputs[port]), pins_(card.port(port)), port_(port), result_(result) {}

  bool next(uint64_t cycle, Frame &frame) override {
    if (inputs_.empty() || inputs_.front().first_cycle > cycle) return false;
    if (inputs_.front().first_cycle == cycle && inputs_.front().edge > pins_.edge()) return false;
    frame = std::move(inputs_.front());
    inputs_.pop_front();
    return true;
  }

  void input(uint32_t, const Frame &frame, uint64_t cycle) override {
    result_.inputs++;
    if (frame.first_cycle != cycle) {
      differ(cycle, "an input frame entered in cycle %llu; recorded: %llu", cycle, frame.first_cycle);
    }
  }

  void output(uint32_t, const Frame &frame) override {
    result_.outputs++;
    if (outputs_.empty()) {
      differ(frame.first_cycle, "a frame of %llu bytes that the recording does not have (last of its cycles: %llu)",
             frame.bytes.size(), frame.last_cycle);
      return;
    }
    const Frame expected = std::move(outputs_.front());
    outputs_.pop_front();
    if (frame.first_cycle != expected.first_cycle || frame.last_cycle != expected.last_cycle) {
      differ(frame.first_cycle, "a frame left from cycle %llu; recorded: from cycle %llu", frame.first_cycle,
             expected.first_cycle);
    } else if (frame.bytes.size() != expected.bytes.size() || frame.bad != expected.bad) {
      differ(frame.first_cycle, "a frame of %llu bytes left; recorded: %llu bytes", frame.bytes.size(),
             expected.bytes.size());
    } else if (frame.bytes != expected.bytes) {
      size_t i = 0;
      while (frame.bytes[i] == expected.bytes[i]) i++;
      differ(frame.first_cycle, "byte %llu of a frame differs (%llu bytes long)", i, frame.bytes.size());
    }
  }

  void finish(uint64_t cycle) {
    if (!outputs_.empty()) {
      differ(outputs_.front().first_cycle, "a recorded frame of %llu bytes did not leave by cycle %llu",
             outputs_.front().bytes.size(), cycle);
    }
  }

 private:
  void differ(uint64_t cycle, const char *format, unsigned long long a, unsigned long long b) {
    if (result_.difference[0]) return;
    result_.difference_cycle = cycle;
    const int size = std::snprintf(result_.difference, sizeof result_.difference, "port %u: ", port_);
    std::snprintf(result_.difference + size, sizeof result_.difference - static_cast<size_t>(size), format, a, b);
  }

  std::deque<Frame> &inputs_, &outputs_;
  const Port &pins_;
  const uint32_t port_;
  girih_replay_result &result_;
};

void compare_access(const Access &access, const AccessRecord &recorded, girih_replay_result &result) {
  result.accesses++;
  if (result.difference[0] || (access.data == recorded.data && access.error == recorded.error &&
                               access.end_cycle == recorded.end_cycle)) {
    return;
  }
  result.difference_cycle = access.start_cycle;
  std::snprintf(result.difference, sizeof result.difference,
                "the access to 0x%08x gave 0x%08x in cycle %llu; recorded: 0x%08x in cycle %llu", access.address,
                access.data, static_cast<unsigned long long>(access.end_cycle), recorded.data,
                static_cast<unsigned long long>(recorded.end_cycle));
}

}  // namespace

girih_replay_result replay(Card &card, const std::string &path, girih_goes_on goes_on) {
  Recording recording = load(path, card.ports());
  girih_replay_result result{};
  std::vector<std::shared_ptr<Comparison>> comparisons;
  for (uint32_t i = 0; i < card.ports(); i++) {
    comparisons.push_back(std::make_shared<Comparison>(recording, card, i, result));
    card.port(i).add(std::static_pointer_cast<Source>(comparisons.back()));
    card.port(i).observe(comparisons.back().get());
  }
  try {
    bool goes = true;
    for (unsigned step = 0; card.cycle() < recording.end && !result.difference[0]; step++) {
      goes = step % StepsBetweenQuestions != 0 || goes_on();
      if (!goes) break;
      if (recording.events.empty() || recording.events.front().cycle > card.cycle()) {
        card.tick();
        continue;
      }
      const Event event = std::move(recording.events.front());
      recording.events.pop_front();
      if (event.kind == RecordKind::Reset) {
        card.reset();
      } else if (event.kind == RecordKind::Ready) {
        card.set_ready(event.port, event.ready.probability, event.ready.seed);
      } else if (event.kind == RecordKind::MemoryWrite) {
        card.write_memory(event.address, event.content.data(), event.content.size());
      } else if (event.kind == RecordKind::MemorySettings) {
        card.set_memory(event.memory);
      } else if (event.kind == RecordKind::MemoryFail) {
        card.fail_memory(event.fail.first, event.fail.size);
      } else {
        const bool write = event.kind == RecordKind::Write;
        compare_access(card.access(write, event.access.address, write ? event.access.data : 0), event.access, result);
      }
    }
    if (goes) {
      for (auto &comparison : comparisons) comparison->finish(card.cycle());
    }
  } catch (...) {
    for (uint32_t i = 0; i < card.ports(); i++) {
      card.port(i).unobserve(comparisons[i].get());
      card.port(i).remove(static_cast<Source *>(comparisons[i].get()));
    }
    throw;
  }
  for (uint32_t i = 0; i < card.ports(); i++) {
    card.port(i).unobserve(comparisons[i].get());
    card.port(i).remove(static_cast<Source *>(comparisons[i].get()));
  }
  result.cycles = card.cycle();
  return result;
}

}  // namespace girih
