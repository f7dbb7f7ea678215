// SPDX-License-Identifier: Apache-2.0
// Memory of the host: ranges of files that another program has given, mapped. That program is not trusted: it can make a file
// shorter at any time, and what is behind the end of a file faults. Such a range is taken away, with all that it had.
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
  void unmap();  // all of it
  uint8_t *at(uint64_t address, uint64_t size);  // null: not mapped

  // What at() gives is accessed while one of these lives, in the same thread.
  class Access {
   public:
    explicit Access(HostMemory &memory);
    ~Access();
    Access(const Access &) = delete;
  };

  bool lose(const void *fault);  // a signal handler's: takes the range away in which an access faulted

 private:
  struct Region {
    uint64_t address, size;
    uint8_t *data;
    uint8_t *mapped;
    size_t length;
  };
  std::vector<Region> regions_;
};

}  // namespace girih
