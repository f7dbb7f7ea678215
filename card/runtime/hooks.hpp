// SPDX-License-Identifier: Apache-2.0
// Included before Verilator's own runtime: what it would print goes to girih_verilog_print, and a file of waves that cannot be written is an exception.
#pragma once

int girih_verilog_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF girih_verilog_print
#define VL_USER_FATAL
#define VL_USER_STOP

#if VM_TRACE_FST
#include "fstcpp_assertion.h"

[[noreturn]] void girih_waves_failed();  // these checks would abort the program, such as when the disk is full
#undef FST_CHECK
#undef FST_CHECK_EQ
#undef FST_CHECK_NE
#undef FST_CHECK_GT
#undef FST_CHECK_GE
#undef FST_CHECK_LT
#undef FST_CHECK_LE
#define FST_CHECK(a) if (!(a)) [[unlikely]] { girih_waves_failed(); }
#define FST_CHECK_EQ(a, b) FST_CHECK((a) == (b))
#define FST_CHECK_NE(a, b) FST_CHECK((a) != (b))
#define FST_CHECK_GT(a, b) FST_CHECK((a) > (b))
#define FST_CHECK_GE(a, b) FST_CHECK((a) >= (b))
#define FST_CHECK_LT(a, b) FST_CHECK((a) < (b))
#define FST_CHECK_LE(a, b) FST_CHECK((a) <= (b))
#endif
