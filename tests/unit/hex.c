/* SPDX-License-Identifier: GPL-2.0-only */
/* Are two digits a byte, of the right kind only, and is nothing read behind the end? */
#include "base/banned.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "tests/unit/tap.h"

static void goes_both_ways(void)
{
	unsigned char bytes[256];
	char text[2 * sizeof(bytes) + 1], upper[3];
	bool same = true;
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)i;
	hex_write(text, bytes, sizeof(bytes));
	for (i = 0; i < sizeof(bytes); i++) {
		snprintf(upper, sizeof(upper), "%02X", (unsigned int)i);
		same &= hex_byte(text + 2 * i, HEX_LOWER) == (int)i &&
			hex_byte(text + 2 * i, HEX_ANY) == (int)i &&
			hex_byte(upper, HEX_UPPER) == (int)i && hex_byte(upper, HEX_ANY) == (int)i;
	}
	ok(same && !text[2 * sizeof(bytes)] && !strncmp(text + 20, "0a0b", 4),
		"each byte is written and read again");
}

int main(void)
{
	char empty[1] = "x";

	goes_both_ways();
	ok(hex_byte("0A", HEX_LOWER) < 0 && hex_byte("a0", HEX_UPPER) < 0,
		"digits of the other kind are none");
	ok(hex_byte("aF", HEX_ANY) == 0xaf, "they may be mixed where both are taken");
	ok(hex_byte("", HEX_ANY) < 0 && hex_byte("1", HEX_ANY) < 0, "a text that ends is no byte");
	ok(hex_byte("g0", HEX_ANY) < 0 && hex_byte("0:", HEX_ANY) < 0 &&
			hex_byte("-1", HEX_ANY) < 0 && hex_byte("\xff\xff", HEX_ANY) < 0,
		"what is no digit is none");
	hex_write(empty, "", 0);
	ok(!empty[0], "no bytes are an empty text");
	return tap_done();
}
