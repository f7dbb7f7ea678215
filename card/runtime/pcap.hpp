// SPDX-License-Identifier: Apache-2.0
// pcap and pcapng files: read into a port, written from a port or a link.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "frame.hpp"
#include "recorder.hpp"

namespace girih {

// Writes pcapng with one interface for each link; times are cycles x 4 ns.
class PcapngWriter {
 public:
  explicit PcapngWriter(const std::string &path);

  int add_interface(const std::string &name);
  void packet(int interface, uint64_t cycle, const std::vector<uint8_t> &bytes, const std::string &comment);
  uint64_t finish();  // how many packets; throws when the file could not be written

 private:
  void block(uint32_t type, const std::vector<uint8_t> &body);

  std::string path_;
  File file_;
  uint64_t packets_ = 0;
  int interfaces_ = 0;
};

struct TimedFrame {
  uint64_t nanoseconds;
  std::vector<uint8_t> bytes;
};

// All Ethernet packets of a pcap or pcapng file, either byte order. Throws FormatError.
std::deque<TimedFrame> read_pcap(const std::string &path);

class PcapSource final : public Source {
 public:
  PcapSource(const std::string &path, bool keep_times, uint64_t start_cycle);
  bool next(uint64_t cycle, Frame &frame) override;
  bool waiting() const override { return !frames_.empty(); }

 private:
  std::deque<TimedFrame> frames_;  // the times are converted to the cycles in which frames are due
};

class PcapSink final : public Sink {
 public:
  PcapSink(const std::string &path, const std::string &name) : writer_(path) { writer_.add_interface(name); }
  void take(const Frame &frame) override { writer_.packet(0, frame.first_cycle, frame.bytes, ""); }
  void finish() override { writer_.finish(); }

 private:
  PcapngWriter writer_;
};

}  // namespace girih
