/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes as two hexadecimal digits, and back. */
#ifndef TUESDAY_BASE_HEX_H
#define TUESDAY_BASE_HEX_H

#include <stddef.h>

/* The digits that a reader takes: those that its writer writes, or both kinds. */
#define HEX_LOWER "0123456789abcdef"
#define HEX_UPPER "0123456789ABCDEF"
#define HEX_ANY "0123456789abcdefABCDEF"

/* The byte that two digits of that kind stand for, or -1. text may end before the second one. */
int hex_byte(const char *text, const char *digits);

/* Two lower-case digits for each of n bytes, and a 0 behind them: out has room for 2 n + 1. */
void hex_write(char *out, const void *bytes, size_t n);

#endif
