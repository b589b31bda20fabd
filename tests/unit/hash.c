/* SPDX-License-Identifier: GPL-2.0-only */
/* Is it FNV-1a? The numbers are those of its authors' test vectors. */
#include "base/banned.h"

#include <string.h>

#include "base/hash.h"
#include "tests/unit/tap.h"

int main(void)
{
	ok(fnv1a_32(FNV1A_32, "", 0) == 0x811c9dc5u, "32 bits of nothing");
	ok(fnv1a_32(FNV1A_32, "a", 1) == 0xe40c292cu, "of a letter");
	ok(fnv1a_32(FNV1A_32, "foobar", 6) == 0xbf9cf968u, "of a word");
	ok(fnv1a_64(FNV1A_64, "", 0) == 0xcbf29ce484222325u, "64 bits of nothing");
	ok(fnv1a_64(FNV1A_64, "a", 1) == 0xaf63dc4c8601ec8cu, "of a letter");
	ok(fnv1a_64(FNV1A_64, "foobar", 6) == 0x85944171f73967e8u, "of a word");
	ok(fnv1a_64(fnv1a_64(FNV1A_64, "foo", 3), "bar", 3) == 0x85944171f73967e8u,
		"it goes on where it was");
	ok(fnv1a_32(FNV1A_32, "\xff", 1) != fnv1a_32(FNV1A_32, "\x7f", 1),
		"a byte above 127 is not negative");
	return tap_done();
}
