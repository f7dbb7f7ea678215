// SPDX-License-Identifier: Apache-2.0
// Host memory: mapped ranges of files that other programs have shared. These programs are not trusted: one can truncate its file at any time, and
// accesses behind the end of a file fault. Such a range is unmapped whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace girih {

class HostMemory {
 public:
  HostMemory() = default;
  ~HostMemory() { unmap(); }
  HostMemory(const HostMemory &) = delete;

  void map(uint64_t address, uint64_t size, int fd, uint64_t offset);
  void unmap();  // all ranges
  void detach();  // from here on, what is written stays in this process
  uint8_t *at(uint64_t address, uint64_t size);  // null: not mapped

  // Memory that at() returned may be accessed only while one of these lives, in the same thread.
  class Access {
   public:
    explicit Access(HostMemory &memory);
    ~Access();
    Access(const Access &) = delete;
  };

  bool lose(const void *fault);  // for a signal handler: unmaps the range in which an access faulted

 private:
  struct Region {
    uint64_t address, size;
    uint8_t *data;
    uint8_t *mapped;
    size_t length;
    int file;
  };
  std::vector<Region> regions_;
};

}  // namespace girih
