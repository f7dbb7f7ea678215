// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace girih {
namespace {
enum Response : uint8_t { Okay = 0, DecodeError = 3 };

int copied(int fd) {
  if (fd < 0) return -1;
  const int copy = dup(fd);
  if (copy < 0) throw std::system_error(errno, std::generic_category(), "cannot copy an eventfd");
  fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK);
  return copy;
}

// The other program shares O_NONBLOCK and may clear it; the card would then wait for it.
bool is_ready(int fd, short events) {
  pollfd one{fd, events, 0};
  return ::poll(&one, 1, 0) == 1 && (one.revents & events) != 0;
}

// Copies memory that another program may be writing. In each 16 bytes, the size of a descriptor, the second half is read first, because it has
// the flags that declare the rest valid.
void copy_shared(uint8_t *to, const uint8_t *from, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(from) % 16 != 0 || bytes % 16 != 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (size_t at = 0; at < bytes; at += 16) {
    for (const size_t half : {at + 8, at}) {
      const uint64_t word = __atomic_load_n(reinterpret_cast<const uint64_t *>(from + half), __ATOMIC_ACQUIRE);
      std::memcpy(to + half, &word, sizeof word);
    }
  }
}

// Stores an aligned value atomically, as an index or the flags of a descriptor must be; returns whether that was
// possible.
template <typename T>
bool store_at_once(uint8_t *to, const uint8_t *from, size_t bytes) {
  if (bytes != sizeof(T) || reinterpret_cast<uintptr_t>(to) % sizeof(T) != 0) return false;
  T value;
  std::memcpy(&value, from, sizeof value);
  std::atomic_ref(*reinterpret_cast<T *>(to)).store(value, std::memory_order_release);
  return true;
}

void closed(int &fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}
}  // namespace

Host::~Host() { close_queues(); }

void Host::close_queues() {
  for (Queue &queue : queues_) {
    closed(queue.kick);
    closed(queue.call);
  }
}

void Host::detach() {
  close_queues();
  memory_.detach();
}

void Host::queue(uint32_t number, int kick, int call, uint32_t doorbell) {
  if (number >= Queues) throw std::invalid_argument("the host has no queue " + std::to_string(number));
  Queue &queue = queues_[number];
  closed(queue.kick);
  closed(queue.call);
  queue.doorbell = doorbell;
  queue.kick = copied(kick);
  queue.call = copied(call);
}

void Host::poll(uint64_t cycle) {
  if (cycle < next_poll_) return;
  next_poll_ = cycle + PollCycles;
  for (Queue &queue : queues_) {
    uint64_t count;
    if (queue.kick < 0 || !is_ready(queue.kick, POLLIN) || read(queue.kick, &count, sizeof count) != sizeof count) continue;
    stats_.kicks++;
    if (std::find(doorbells_.begin(), doorbells_.end(), queue.doorbell) == doorbells_.end()) doorbells_.push_back(queue.doorbell);
  }
}

bool Host::take_doorbell(uint32_t &address) {
  if (doorbells_.empty()) return false;
  address = doorbells_.front();
  doorbells_.pop_front();
  return true;
}

// Reads the mapped bytes of each beat: the first and the last beat of an access may extend beyond mapped memory.
void Host::take_read(uint64_t cycle) {
  const uint32_t beats = *pins_.axi.arlen + 1u;
  const HostMemory::Access access(memory_);
  std::atomic_thread_fence(std::memory_order_acquire);
  for (uint32_t i = 0; i < beats; i++) {
    const uint64_t address = *pins_.axi.araddr + uint64_t{i} * beat_bytes_;
    Beat beat{cycle + latency_, *pins_.axi.arid, Okay, i + 1 == beats, std::vector<uint8_t>(beat_bytes_)};
    if (const uint8_t *data = memory_.at(address, beat_bytes_)) {
      copy_shared(beat.data.data(), data, beat_bytes_);
    } else {
      bool any = false;
      for (uint32_t byte = 0; byte < beat_bytes_; byte++) {
        if (const uint8_t *one = memory_.at(address + byte, 1)) {
          beat.data[byte] = *one;
          any = true;
        }
      }
      if (!any) {
        beat.response = DecodeError;
        stats_.outside++;
      }
    }
    reads_.push_back(std::move(beat));
  }
  stats_.reads++;
  stats_.read_beats += beats;
}

void Host::write_beat(uint64_t address, const uint8_t *beat, uint8_t &response) {
  const uint8_t *strobe = beat + beat_bytes_;
  const auto is_set = [&](uint32_t byte) { return strobe[byte / 8] >> byte % 8 & 1; };
  for (uint32_t first = 0; first < beat_bytes_;) {
    if (!is_set(first)) {
      first++;
      continue;
    }
    uint32_t end = first;
    while (end < beat_bytes_ && is_set(end)) end++;
    if (uint8_t *data = memory_.at(address + first, end - first)) {
      if (!store_at_once<uint16_t>(data, beat + first, end - first) && !store_at_once<uint64_t>(data, beat + first, end - first)) {
        std::memcpy(data, beat + first, end - first);
      }
    } else {
      response = DecodeError;
      stats_.outside++;
    }
    first = end;
  }
}

void Host::take_write(uint64_t cycle) {
  const Burst burst = writes_.front();
  writes_.pop_front();
  uint8_t response = Okay;
  const HostMemory::Access access(memory_);
  std::atomic_thread_fence(std::memory_order_release);
  for (uint32_t i = 0; i < burst.beats; i++) {
    write_beat(burst.address + uint64_t{i} * beat_bytes_, beats_.front().data(), response);
    beats_.pop_front();
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  stats_.writes++;
  stats_.write_beats += burst.beats;
  done_.push_back({cycle + latency_, burst.id, response});
}

void Host::drive(uint64_t cycle) {
  *pins_.axi.arready = reads_.size() < Depth;
  *pins_.axi.awready = done_.size() + writes_.size() < Depth;
  *pins_.axi.wready = 1;
  if (!reading_ && !reads_.empty() && reads_.front().due <= cycle) {
    const Beat &beat = reads_.front();
    reading_ = true;
    std::memcpy(pins_.axi.rdata, beat.data.data(), beat_bytes_);
    *pins_.axi.rid = beat.id;
    *pins_.axi.rresp = beat.response;
    *pins_.axi.rlast = beat.last;
  }
  *pins_.axi.rvalid = reading_;
  if (!answering_ && !done_.empty() && done_.front().due <= cycle) {
    answering_ = true;
    *pins_.axi.bid = done_.front().id;
    *pins_.axi.bresp = done_.front().response;
  }
  *pins_.axi.bvalid = answering_;
}

void Host::sample(uint64_t cycle) {
  const AxiPins &axi = pins_.axi;
  if (reading_ && *axi.rready) {
    reading_ = false;
    reads_.pop_front();
  }
  if (answering_ && *axi.bready) {
    answering_ = false;
    done_.pop_front();
  }
  if (*axi.arvalid && *axi.arready) take_read(cycle + 1);
  if (*axi.awvalid && *axi.awready) writes_.push_back({*axi.awaddr, *axi.awlen + 1u, *axi.awid});
  if (*axi.wvalid && *axi.wready) {
    std::vector<uint8_t> beat(axi.wdata, axi.wdata + beat_bytes_);
    beat.insert(beat.end(), axi.wstrb, axi.wstrb + beat_bytes_ / 8);
    beats_.push_back(std::move(beat));
  }
  while (!writes_.empty() && beats_.size() >= writes_.front().beats) take_write(cycle + 1);
  for (unsigned q = 0; *pins_.interrupt >> q; q++) {
    if (!(*pins_.interrupt >> q & 1)) continue;
    stats_.calls++;
    const uint64_t one = 1;
    const int call = queues_[q].call;
    if (call >= 0 && (!is_ready(call, POLLOUT) || write(call, &one, sizeof one) < 0)) stats_.lost_calls++;
  }
}

void Host::abandon() {
  doorbells_.clear();
  reads_.clear();
  done_.clear();
  writes_.clear();
  beats_.clear();
  reading_ = answering_ = false;
  *pins_.axi.rvalid = *pins_.axi.bvalid = 0;
}

}  // namespace girih
