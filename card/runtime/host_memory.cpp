// SPDX-License-Identifier: Apache-2.0
#include "host_memory.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <stdexcept>
#include <system_error>

namespace girih {
namespace {
thread_local HostMemory *accessed = nullptr;
struct sigaction before;  // the former handler of SIGBUS

void on_bus_error(int number, siginfo_t *info, void *context) {
  if (accessed && accessed->lose(info->si_addr)) return;
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else {
    sigaction(number, &before, nullptr);  // the access is repeated and ends the process
  }
}

void catch_bus_errors() {
  // Another library's handler may call this one, so this library must stay loaded.
  Dl_info library;
  if (dladdr(reinterpret_cast<void *>(&on_bus_error), &library)) dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaction(SIGBUS, &action, &before) != 0) throw std::system_error(errno, std::generic_category(), "cannot handle SIGBUS");
}
}  // namespace

HostMemory::Access::Access(HostMemory &memory) { accessed = &memory; }
HostMemory::Access::~Access() { accessed = nullptr; }

void HostMemory::map(uint64_t address, uint64_t size, int fd, uint64_t offset) {
  if (size == 0 || address + size - 1 < address) throw std::invalid_argument("a region of host memory has at least one byte, and ends before 2^64");
  struct stat file;
  if (fstat(fd, &file) != 0) throw std::system_error(errno, std::generic_category(), "cannot map memory of the host");
  const uint64_t end = offset + size;
  if (end < offset || !S_ISREG(file.st_mode) || end > static_cast<uint64_t>(file.st_size)) {
    throw std::invalid_argument("a region of host memory is not within a file");
  }
  // Maps from the start of the file, because `offset` need not be a multiple of the page size, and in whole pages, even
  // those of a file of huge pages.
  const uint64_t page = static_cast<uint64_t>(file.st_blksize);
  const size_t length = (end + page - 1) / page * page;
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  void *mapped = copy < 0 ? MAP_FAILED : mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    const int code = errno;
    if (copy >= 0) close(copy);
    throw std::system_error(code, std::generic_category(), "cannot map memory of the host");
  }
  uint8_t *start = static_cast<uint8_t *>(mapped);
  regions_.push_back({address, size, start + offset, start, length, copy});
  static std::once_flag once;
  std::call_once(once, catch_bus_errors);
}

void HostMemory::unmap() {
  for (const Region &region : regions_) {
    munmap(region.mapped, region.length);
    close(region.file);
  }
  regions_.clear();
}

void HostMemory::detach() {
  constexpr int Flags = MAP_FIXED | MAP_PRIVATE | MAP_NORESERVE;
  for (const Region &region : regions_) {
    if (region.size == 0) continue;  // it is lost
    if (mmap(region.mapped, region.length, PROT_READ | PROT_WRITE, Flags, region.file, 0) == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "cannot copy memory of the host");
    }
  }
}

uint8_t *HostMemory::at(uint64_t address, uint64_t size) {
  for (const Region &region : regions_) {
    if (address >= region.address && address - region.address <= region.size && size <= region.size - (address - region.address)) {
      return region.data + (address - region.address);
    }
  }
  return nullptr;
}

// The access that faulted is repeated and finds zeros; later ones find nothing mapped here.
bool HostMemory::lose(const void *fault) {
  const auto *byte = static_cast<const uint8_t *>(fault);
  for (Region &region : regions_) {
    if (byte < region.mapped || byte >= region.mapped + region.length) continue;
    constexpr int Flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    region.size = 0;
    return mmap(region.mapped, region.length, PROT_READ | PROT_WRITE, Flags, -1, 0) != MAP_FAILED;
  }
  return false;
}

}  // namespace girih
