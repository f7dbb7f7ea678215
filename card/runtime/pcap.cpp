// SPDX-License-Identifier: Apache-2.0
#include "pcap.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include "card.hpp"
#include "replay.hpp"

namespace girih {
namespace {

constexpr uint32_t SectionBlock = 0x0A0D0D0A, InterfaceBlock = 1, SimplePacketBlock = 3, EnhancedPacketBlock = 6;
constexpr uint32_t ByteOrderMagic = 0x1A2B3C4D;
constexpr uint32_t PcapMicroseconds = 0xA1B2C3D4, PcapNanoseconds = 0xA1B23C4D;
constexpr uint16_t EthernetLink = 1;
constexpr uint16_t OptionEnd = 0, OptionComment = 1, OptionName = 2, OptionTimeResolution = 9;

template <typename T>
void put(std::vector<uint8_t> &out, T value) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

void put_padded(std::vector<uint8_t> &out, const void *data, size_t size) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  out.insert(out.end(), bytes, bytes + size);
  out.resize((out.size() + 3) & ~size_t{3});
}

void put_option(std::vector<uint8_t> &out, uint16_t code, const void *data, size_t size) {
  put(out, code);
  put(out, static_cast<uint16_t>(size));
  put_padded(out, data, size);
}

}  // namespace

PcapngWriter::PcapngWriter(const std::string &path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw std::system_error(errno, std::generic_category(), "cannot write the capture " + path);
  std::vector<uint8_t> body;
  put(body, ByteOrderMagic);
  put(body, uint16_t{1});
  put(body, uint16_t{0});
  put(body, ~uint64_t{0});  // length of the section: unknown
  block(SectionBlock, body);
}

void PcapngWriter::block(uint32_t type, const std::vector<uint8_t> &body) {
  const auto size = static_cast<uint32_t>(body.size() + 12);
  std::fwrite(&type, sizeof type, 1, file_.get());
  std::fwrite(&size, sizeof size, 1, file_.get());
  std::fwrite(body.data(), 1, body.size(), file_.get());
  std::fwrite(&size, sizeof size, 1, file_.get());
}

int PcapngWriter::add_interface(const std::string &name) {
  std::vector<uint8_t> body;
  put(body, EthernetLink);
  put(body, uint16_t{0});
  put(body, uint32_t{0});  // no limit on the length
  put_option(body, OptionName, name.data(), name.size());
  const uint8_t nanoseconds = 9;
  put_option(body, OptionTimeResolution, &nanoseconds, 1);
  put_option(body, OptionEnd, nullptr, 0);
  block(InterfaceBlock, body);
  std::fflush(file_.get());  // so that readers see the interfaces of a running card at once
  return interfaces_++;
}

void PcapngWriter::packet(int interface, uint64_t cycle, const std::vector<uint8_t> &bytes,
                          const std::string &comment) {
  const uint64_t time = cycle * Card::NanosecondsPerCycle;
  std::vector<uint8_t> body;
  put(body, static_cast<uint32_t>(interface));
  put(body, static_cast<uint32_t>(time >> 32));
  put(body, static_cast<uint32_t>(time));
  put(body, static_cast<uint32_t>(bytes.size()));
  put(body, static_cast<uint32_t>(bytes.size()));
  put_padded(body, bytes.data(), bytes.size());
  if (!comment.empty()) {
    put_option(body, OptionComment, comment.data(), comment.size());
    put_option(body, OptionEnd, nullptr, 0);
  }
  block(EnhancedPacketBlock, body);
  packets_++;
}

uint64_t PcapngWriter::finish() {
  const bool failed = std::fflush(file_.get()) != 0 || std::ferror(file_.get()) != 0;
  const int code = errno;
  file_.reset();
  if (failed) throw std::system_error(code, std::generic_category(), "cannot write the capture " + path_);
  return packets_;
}

namespace {

class Reader {
 public:
  Reader(const std::string &path, std::vector<uint8_t> bytes) : path_(path), bytes_(std::move(bytes)) {}

  bool swap = false;

  [[noreturn]] void bad(const std::string &why) const {
    throw FormatError(path_ + ": " + why + "; give a pcap or pcapng file of Ethernet frames");
  }
  size_t size() const { return bytes_.size(); }
  const uint8_t *at(size_t offset, size_t count) const {
    if (offset > size() || count > size() - offset) bad("the file ends in the middle of a packet");
    return bytes_.data() + offset;
  }
  uint32_t u32(size_t offset) const {
    uint32_t value;
    std::memcpy(&value, at(offset, sizeof value), sizeof value);
    return swap ? __builtin_bswap32(value) : value;
  }
  uint16_t u16(size_t offset) const {
    uint16_t value;
    std::memcpy(&value, at(offset, sizeof value), sizeof value);
    return swap ? __builtin_bswap16(value) : value;
  }

 private:
  const std::string &path_;
  std::vector<uint8_t> bytes_;
};

TimedFrame timed(const Reader &reader, size_t offset, uint32_t size, uint64_t nanoseconds) {
  const uint8_t *data = reader.at(offset, size);
  return {nanoseconds, {data, data + size}};
}

void read_classic(Reader &reader, uint64_t unit, std::deque<TimedFrame> &frames) {
  if (reader.u32(20) != EthernetLink) reader.bad("its packets are not Ethernet frames");
  for (size_t offset = 24; offset < reader.size();) {
    const uint64_t time = reader.u32(offset) * uint64_t{1'000'000'000} + reader.u32(offset + 4) * unit;
    const uint32_t size = reader.u32(offset + 8);
    frames.push_back(timed(reader, offset + 16, size, time));
    offset += 16 + size_t{size};
  }
}

// Nanoseconds in one unit of if_tsresol, as a fraction.
struct Unit {
  uint64_t numerator = 1000, denominator = 1;
};

Unit resolution(uint8_t value) {
  Unit unit{1'000'000'000, 1};
  for (unsigned i = 0; i < (value & 0x7Fu) && i < 18; i++) unit.denominator *= value & 0x80 ? 2 : 10;
  return unit;
}

void read_next_generation(Reader &reader, std::deque<TimedFrame> &frames) {
  struct Interface {
    bool ethernet;
    Unit unit;
  };
  std::vector<Interface> interfaces;
  for (size_t offset = 0; offset < reader.size();) {
    if (reader.u32(offset) == SectionBlock) {
      reader.swap = false;
      reader.swap = reader.u32(offset + 8) != ByteOrderMagic;
      interfaces.clear();
    }
    const uint32_t type = reader.u32(offset), length = reader.u32(offset + 4);
    if (length < 12) reader.bad("a block is too short");
    reader.at(offset, length);
    if (type == InterfaceBlock) {
      Interface entry{reader.u16(offset + 8) == EthernetLink, {}};
      for (size_t option = offset + 16; option + 4 <= offset + length - 4;) {
        const uint16_t code = reader.u16(option), size = reader.u16(option + 2);
        if (code == OptionEnd) break;
        if (code == OptionTimeResolution && size == 1) entry.unit = resolution(*reader.at(option + 4, 1));
        option += 4 + ((size + 3u) & ~3u);
      }
      interfaces.push_back(entry);
    } else if (type == EnhancedPacketBlock) {
      const uint32_t index = reader.u32(offset + 8);
      if (index >= interfaces.size()) reader.bad("a packet names an interface that was not described");
      const Interface &entry = interfaces[index];
      const uint64_t stamp = static_cast<uint64_t>(reader.u32(offset + 12)) << 32 | reader.u32(offset + 16);
      const auto time = static_cast<unsigned __int128>(stamp) * entry.unit.numerator / entry.unit.denominator;
      if (entry.ethernet) {
        frames.push_back(timed(reader, offset + 28, reader.u32(offset + 20), static_cast<uint64_t>(time)));
      }
    } else if (type == SimplePacketBlock) {
      frames.push_back(timed(reader, offset + 12, reader.u32(offset + 8), 0));
    }
    offset += (length + 3u) & ~size_t{3};
  }
}

}  // namespace

std::deque<TimedFrame> read_pcap(const std::string &path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw std::system_error(errno, std::generic_category(), "cannot read " + path);
  std::vector<uint8_t> bytes;
  uint8_t buffer[65536];
  for (size_t size; (size = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    bytes.insert(bytes.end(), buffer, buffer + size);
  }
  Reader reader(path, std::move(bytes));
  std::deque<TimedFrame> frames;
  if (reader.size() < 12) reader.bad("it is too short");
  if (reader.u32(0) == SectionBlock) {
    read_next_generation(reader, frames);
    return frames;
  }
  for (const bool swap : {false, true}) {
    reader.swap = swap;
    if (reader.u32(0) == PcapMicroseconds || reader.u32(0) == PcapNanoseconds) {
      read_classic(reader, reader.u32(0) == PcapNanoseconds ? 1 : 1000, frames);
      return frames;
    }
  }
  reader.bad("it is neither pcap nor pcapng");
}

PcapSource::PcapSource(const std::string &path, bool keep_times, uint64_t start_cycle) : frames_(read_pcap(path)) {
  const uint64_t base = frames_.empty() ? 0 : frames_.front().nanoseconds;
  for (auto &frame : frames_) {
    const uint64_t after = frame.nanoseconds > base ? frame.nanoseconds - base : 0;
    frame.nanoseconds = start_cycle + (keep_times ? after / Card::NanosecondsPerCycle : 0);
  }
  std::erase_if(frames_, [](const auto &frame) { return frame.bytes.empty(); });
}

bool PcapSource::next(uint64_t cycle, Frame &frame) {
  if (frames_.empty() || frames_.front().nanoseconds > cycle) return false;
  frame.bytes = std::move(frames_.front().bytes);
  frames_.pop_front();
  return true;
}

}  // namespace girih
