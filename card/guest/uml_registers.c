// SPDX-License-Identifier: Apache-2.0
// Lets a kernel of User-Mode Linux run whose place for the registers of a process is smaller than those of this processor (AMX has 8 KB of
// them). It is loaded before that program (LD_PRELOAD). ptrace takes the registers of a process only whole: what the kernel does not
// know of, and so cannot change, is set to what the process has.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { Most = 1 << 16 };  // bytes of the registers of any processor

long ptrace(enum __ptrace_request request, ...) {
  typedef long (*ptrace_t)(enum __ptrace_request, ...);
  static ptrace_t of_library;
  static char registers[Most];
  va_list arguments;
  va_start(arguments, request);
  const pid_t process = va_arg(arguments, pid_t);
  void *const address = va_arg(arguments, void *);
  void *const data = va_arg(arguments, void *);
  va_end(arguments);
  if (!of_library) *(void **)&of_library = dlsym(RTLD_NEXT, "ptrace");
  if (request == PTRACE_SETREGSET && (long)address == NT_X86_XSTATE) {
    const struct iovec *const known = data;
    struct iovec all = {registers, sizeof registers};
    if (of_library(PTRACE_GETREGSET, process, address, &all) < 0) return -1;
    if (known->iov_len < all.iov_len) {
      memcpy(registers, known->iov_base, known->iov_len);
      return of_library(PTRACE_SETREGSET, process, address, &all);
    }
  }
  return of_library(request, process, address, data);
}
