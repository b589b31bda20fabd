/* SPDX-License-Identifier: GPL-2.0-only */
/* Which byte is that, and how is it written? */
#include "base/banned.h"

#include <string.h>

#include "base/hex.h"

static int hex_digit(char c, const char *digits)
{
	const char *at = c ? strchr(digits, c) : NULL;
	const int place = at ? (int)(at - digits) : -1;

	return place < 16 ? place : place - 6; /* HEX_ANY has A to F behind a to f */
}

int hex_byte(const char *text, const char *digits)
{
	const int high = hex_digit(text[0], digits);
	const int low = high < 0 ? -1 : hex_digit(text[1], digits);

	return low < 0 ? -1 : high * 16 + low;
}

void hex_write(char *out, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	for (; n; n--, at++) {
		*out++ = HEX_LOWER[*at >> 4];
		*out++ = HEX_LOWER[*at & 15];
	}
	*out = 0;
}
