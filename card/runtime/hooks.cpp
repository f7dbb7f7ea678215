// SPDX-License-Identifier: Apache-2.0
// Turns Verilog's $fatal, $error, $stop and failed asserts into a DesignError that carries the
// message, instead of Verilator's exit(). $display still prints, to stderr.
#include "hooks.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <system_error>

#include "model.hpp"

namespace {
thread_local std::string last_message;  // what $error printed just before it stopped the model

[[noreturn]] void fail(const char *file, int line, const char *message) {
  std::string text = last_message;
  last_message.clear();
  if (text.empty()) text = std::string(file) + ":" + std::to_string(line) + ": " + message;
  throw girih::DesignError("a check inside the card failed: " + text);
}
}  // namespace

int girih_verilog_print(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  const int size = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::string line = text;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  static const std::string mark = "%Error: ";  // $fatal prints the same
  if (const size_t at = line.find(mark); at != std::string::npos) {
    last_message = line.substr(at + mark.size());
  } else {
    std::fputs(text, stderr);
  }
  return size;
}

[[noreturn]] void girih_waves_failed() { throw std::system_error(errno ? errno : EIO, std::generic_category(), "cannot write the waves"); }

// Verilator declares these two in verilated.h and calls them.
void vl_stop(const char *file, int line, const char *) { fail(file, line, "$stop"); }
void vl_fatal(const char *file, int line, const char *, const char *message) { fail(file, line, message); }
