// SPDX-License-Identifier: Apache-2.0
// What a program needs beside its own text: the functions that a compiler calls, the log, and the end after a fault.
#include <stdarg.h>

#include "girih_core.h"

// From the first byte to the last one, so `to` may also be below `from` in the same bytes.
static inline void copy_up(void *to, const void *from, size_t count)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if ((((uintptr_t)out ^ (uintptr_t)in) & 3) == 0) {
        for (; count && ((uintptr_t)out & 3); count--)
            *out++ = *in++;
        uint32_t *out_word = (uint32_t *)out;
        const uint32_t *in_word = (const uint32_t *)in;
        for (; count >= 32; count -= 32, out_word += 8, in_word += 8) {
            uint32_t a = in_word[0], b = in_word[1], c = in_word[2], d = in_word[3];
            uint32_t e = in_word[4], f = in_word[5], g = in_word[6], h = in_word[7];
            out_word[0] = a;
            out_word[1] = b;
            out_word[2] = c;
            out_word[3] = d;
            out_word[4] = e;
            out_word[5] = f;
            out_word[6] = g;
            out_word[7] = h;
        }
        for (; count >= 4; count -= 4)
            *out_word++ = *in_word++;
        out = (uint8_t *)out_word;
        in = (const uint8_t *)in_word;
    }
    while (count--)
        *out++ = *in++;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    copy_up(to, from, count);
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if (out <= in)
        copy_up(to, from, count);
    else
        while (count--)
            out[count] = in[count];
    return to;
}

void *memset(void *to, int value, size_t count)
{
    uint8_t *out = to;
    while (count--)
        *out++ = (uint8_t)value;
    return to;
}

int memcmp(const void *left, const void *right, size_t count)
{
    const uint8_t *a = left, *b = right;
    for (; count; count--, a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}

static void put(char letter)
{
    *girih_device(GIRIH_DEVICE_CONSOLE) = (uint8_t)letter;
}

static void put_number(uint32_t value, uint32_t base)
{
    char digits[10];
    int count = 0;
    do
        digits[count++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (count)
        put(digits[--count]);
}

void girih_log(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%') {
            put(*format);
            continue;
        }
        int32_t number;
        do
            format++;
        while (*format == 'l');
        switch (*format) {
        case 'd':
            number = va_arg(arguments, int32_t);
            if (number < 0)
                put('-');
            put_number(number < 0 ? -(uint32_t)number : (uint32_t)number, 10);
            break;
        case 'u':
            put_number(va_arg(arguments, uint32_t), 10);
            break;
        case 'x':
            put_number(va_arg(arguments, uint32_t), 16);
            break;
        case 'c':
            put((char)va_arg(arguments, int));
            break;
        case 's':
            for (const char *text = va_arg(arguments, const char *); *text; text++)
                put(*text);
            break;
        case '\0':
            format--;
            break;
        default:
            put(*format);
        }
    }
    va_end(arguments);
}

_Noreturn void girih_stop(uint32_t code)
{
    *girih_device(GIRIH_DEVICE_STOP) = code;
    for (;;)
        ;
}

// The causes of the RISC-V privileged architecture.
_Noreturn void girih_fault(uint32_t cause, uint32_t at, uint32_t address);
_Noreturn void girih_fault(uint32_t cause, uint32_t at, uint32_t address)
{
    girih_log("fault %lu at %lx, address %lx\n", cause, at, address);
    *girih_device(GIRIH_DEVICE_RESTART) = cause;
    for (;;)
        ;
}
