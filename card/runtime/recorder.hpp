// SPDX-License-Identifier: Apache-2.0
// A recording of everything that crossed the card's pins, and the wire format of its file.
//
//   "GIRIHREC" | u32 version | u32 size of label | label | records ...
//   record = RecordHeader | payload of header.size bytes, by kind:
//     Input   the frame; cycle: its first beat was offered; edge: at this edge of the port's own clock within the cycle, if it has one
//     Output  u64 last cycle | the frame; cycle: its first beat passed
//     Read, Write  AccessRecord; cycle: the access started
//     Ready   ReadyRecord; cycle: from then on
//     MemoryWrite     u64 address | the bytes written there other than by the card, at most MostContent of them
//     MemorySettings  girih_memory_params
//     MemoryFail      FailRecord
//     Reset, End   nothing
// All numbers are little-endian. Records are in the order in which events were completed.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "axil.hpp"
#include "port.hpp"

namespace girih {

constexpr char RecordMagic[] = "GIRIHREC";
constexpr uint32_t RecordVersion = 2, OldestVersion = 1;  // version 1 has no records of the memory
constexpr uint64_t MostContent = 1 << 20;

enum class RecordKind : uint8_t { Input = 1, Output, Read, Write, Ready, Reset, End, MemoryWrite, MemorySettings, MemoryFail };

struct RecordHeader {
  uint64_t cycle;
  uint32_t size;
  RecordKind kind;
  uint8_t port;
  uint8_t bad;
  uint8_t edge;
};
struct AccessRecord {
  uint64_t end_cycle;
  uint32_t address, data, error, reserved;
};
struct ReadyRecord {
  double probability;
  uint64_t seed;
};
struct FailRecord {
  uint64_t first, size;
};
static_assert(sizeof(RecordHeader) == 16 && sizeof(AccessRecord) == 24 && sizeof(ReadyRecord) == 16 && sizeof(FailRecord) == 16);

struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

class Recorder final : public PortObserver {
 public:
  Recorder(const std::string &path, const std::string &label);

  void input(uint32_t port, const Frame &frame, uint64_t cycle) override;
  void output(uint32_t port, const Frame &frame) override;
  void access(const Access &access);
  void ready(uint64_t cycle, uint32_t port, double probability, uint64_t seed);
  void memory_write(uint64_t cycle, uint64_t address, const uint8_t *data, uint64_t size);
  void memory_settings(uint64_t cycle, const girih_memory_params &params);
  void memory_fail(uint64_t cycle, uint64_t first, uint64_t size);
  void reset(uint64_t cycle);
  void finish(uint64_t cycle);  // writes the end and closes; throws if the file could not be written

 private:
  void put(RecordKind kind, uint64_t cycle, uint32_t port, bool bad, const void *head, size_t head_size,
           const void *body = nullptr, size_t body_size = 0, uint8_t edge = 0);

  std::string path_;
  File file_;
};

}  // namespace girih
