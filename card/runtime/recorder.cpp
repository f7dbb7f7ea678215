// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace girih {

Recorder::Recorder(const std::string &path, const std::string &label)
    : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw std::system_error(errno, std::generic_category(), "cannot write the recording " + path);
  const auto size = static_cast<uint32_t>(label.size());
  std::fwrite(RecordMagic, 8, 1, file_.get());
  std::fwrite(&RecordVersion, sizeof RecordVersion, 1, file_.get());
  std::fwrite(&size, sizeof size, 1, file_.get());
  std::fwrite(label.data(), 1, size, file_.get());
}

void Recorder::put(RecordKind kind, uint64_t cycle, uint32_t port, bool bad, const void *head, size_t head_size,
                   const void *body, size_t body_size, uint8_t edge) {
  const RecordHeader header{cycle, static_cast<uint32_t>(head_size + body_size), kind, static_cast<uint8_t>(port),
                            bad, edge};
  std::fwrite(&header, sizeof header, 1, file_.get());
  if (head_size) std::fwrite(head, 1, head_size, file_.get());
  if (body_size) std::fwrite(body, 1, body_size, file_.get());
}

void Recorder::input(uint32_t port, const Frame &frame, uint64_t cycle) {
  put(RecordKind::Input, cycle, port, frame.bad, nullptr, 0, frame.bytes.data(), frame.bytes.size(), frame.edge);
}

void Recorder::output(uint32_t port, const Frame &frame) {
  put(RecordKind::Output, frame.first_cycle, port, frame.bad, &frame.last_cycle, sizeof frame.last_cycle,
      frame.bytes.data(), frame.bytes.size());
}

void Recorder::access(const Access &access) {
  const AccessRecord record{access.end_cycle, access.address, access.data, access.error, 0};
  put(access.write ? RecordKind::Write : RecordKind::Read, access.start_cycle, 0, false, &record, sizeof record);
}

void Recorder::ready(uint64_t cycle, uint32_t port, double probability, uint64_t seed) {
  const ReadyRecord record{probability, seed};
  put(RecordKind::Ready, cycle, port, false, &record, sizeof record);
}

void Recorder::memory_write(uint64_t cycle, uint64_t address, const uint8_t *data, uint64_t size) {
  while (size > 0) {
    const uint64_t part = std::min(size, MostContent);
    put(RecordKind::MemoryWrite, cycle, 0, false, &address, sizeof address, data, part);
    address += part;
    data += part;
    size -= part;
  }
}

void Recorder::memory_settings(uint64_t cycle, const girih_memory_params &params) {
  put(RecordKind::MemorySettings, cycle, 0, false, &params, sizeof params);
}

void Recorder::memory_fail(uint64_t cycle, uint64_t first, uint64_t size) {
  const FailRecord record{first, size};
  put(RecordKind::MemoryFail, cycle, 0, false, &record, sizeof record);
}

void Recorder::reset(uint64_t cycle) { put(RecordKind::Reset, cycle, 0, false, nullptr, 0); }

void Recorder::finish(uint64_t cycle) {
  put(RecordKind::End, cycle, 0, false, nullptr, 0);
  const bool failed = std::fflush(file_.get()) != 0 || std::ferror(file_.get()) != 0;
  const int code = errno;
  file_.reset();
  if (failed) throw std::system_error(code, std::generic_category(), "cannot write the recording " + path_);
}

}  // namespace girih
