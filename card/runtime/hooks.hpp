// SPDX-License-Identifier: Apache-2.0
// Included before Verilator's own runtime: what it would print goes to girih_verilog_print.
#pragma once

int girih_verilog_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF girih_verilog_print
#define VL_USER_FATAL
#define VL_USER_STOP
