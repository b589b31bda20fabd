/* SPDX-License-Identifier: GPL-2.0-only */
/* Is it FNV-1a, is it SipHash-1-3? The numbers are those of test vectors. Do tables find everything
 * that was put into them? */
#include "base/banned.h"

#include <string.h>

#include "base/hash.h"
#include "base/number_map.h"
#include "tests/unit/tap.h"

static void test_siphash(void)
{
	const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
	const uint64_t other[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0909u};

	ok(siphash(key, 2, 4, "\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 15) == 0xa129ca6149be45e5u,
		"the example of its authors");
	ok(siphash(key, 1, 3, "", 0) == 0xabac0158050fc4dcu, "SipHash of nothing");
	ok(siphash(key, 1, 3, "\0", 1) == 0xc9f49bf37d57ca93u, "of a byte");
	ok(siphash(key, 1, 3, "\0\1\2\3\4\5\6\7", 8) != siphash(key, 1, 3, "\0\1\2\3\4\5\6", 7),
		"a whole word is not one without its last byte");
	ok(siphash(key, 1, 3, "foobar", 6) != siphash(other, 1, 3, "foobar", 6),
		"another key, another hash");
	ok(hash_keyed("foobar", 6) == hash_keyed("foobar", 6), "a process keeps its key");
}

static void test_map(void)
{
	struct number_map map = {0};
	size_t value = 0, i, found = 0;

	ok(!number_map_get(&map, 0, &value), "nothing is in an empty table");
	for (i = 0; i < 5000; i++)
		found += number_map_add(&map, (uint64_t)i << 40, i);
	ok(found == 5000 && map.n == 5000, "numbers that end in the same bits are put in");
	for (i = found = 0; i < 5000; i++)
		found += number_map_get(&map, (uint64_t)i << 40, &value) && value == i;
	ok(found == 5000, "and found, 0 too");
	ok(!number_map_add(&map, 0, 77) && number_map_get(&map, 0, &value) && value == 0,
		"what is there stays");
	ok(!number_map_get(&map, 1, &value), "what was never put in is not there");
	number_map_clear(&map);
	ok(!number_map_get(&map, 0, &value) && !map.n, "nor is what was cleared");
	number_map_free(&map);
}

int main(void)
{
	test_siphash();
	test_map();
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
