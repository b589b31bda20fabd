/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a disk with the cache of ZFS known by its label, and what is no label taken for none? */
#include "base/banned.h"

#include <stdint.h>

#include "base/str.h"
#include "sources/block/zfs_label.h"
#include "tap.h"

static void add_number(struct str *out, uint32_t number)
{
	const uint8_t bytes[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16),
		(uint8_t)(number >> 8), (uint8_t)number};

	str_addn(out, bytes, sizeof(bytes));
}

static void add_name(struct str *out, const char *name)
{
	add_number(out, (uint32_t)strlen(name));
	str_add(out, name);
	while (out->len % 4)
		str_addn(out, "", 1);
}

/* A pair whose value is a number of 64 bits, or with a text a string, as libnvpair packs it. */
static void add_pair(struct str *label, const char *name, uint64_t number, const char *text)
{
	struct str pair = STR_INIT;

	add_name(&pair, name);
	add_number(&pair, text ? 9 : 8);
	add_number(&pair, 1);
	if (text) {
		add_name(&pair, text);
	} else {
		add_number(&pair, (uint32_t)(number >> 32));
		add_number(&pair, (uint32_t)number);
	}
	add_number(label, (uint32_t)pair.len + 8);
	add_number(label, 32);
	str_addn(label, str_text(&pair), pair.len);
	str_free(&pair);
}

static void begin(struct str *label)
{
	str_clear(label);
	str_addn(label, "\x01\x01\0\0", 4);
	add_number(label, 0);
	add_number(label, 1);
}

static void make(struct str *label, uint64_t state)
{
	begin(label);
	add_pair(label, "version", 5000, NULL);
	add_pair(label, "name", 0, "tank");
	add_pair(label, "state", state, NULL);
	add_pair(label, "guid", 0x1234567890abcdefu, NULL);
	add_number(label, 0);
	add_number(label, 0);
}

static enum zfs_role role_of(const struct str *label)
{
	return zfs_label_role(str_text(label), label->len);
}

static void test_roles(void)
{
	struct str label = STR_INIT;

	make(&label, 4);
	ok(role_of(&label) == ZFS_CACHE, "a cache device (L2ARC)");
	make(&label, 0);
	ok(role_of(&label) == ZFS_POOL, "a disk of a pool");
	make(&label, 3);
	ok(role_of(&label) == ZFS_OTHER, "a spare is neither");
	make(&label, UINT64_C(4) << 32);
	ok(role_of(&label) == ZFS_OTHER, "all 64 bits of the state count");
	begin(&label);
	add_pair(&label, "version", 5000, NULL);
	add_pair(&label, "state", 4, NULL);
	ok(role_of(&label) == ZFS_CACHE, "with its end beyond what was read");
	str_free(&label);
}

static void test_none(void)
{
	struct str label = STR_INIT;
	size_t len;
	bool none = true;

	make(&label, 4);
	/* The state stands whole within the first 100 bytes. */
	for (len = 0; len <= 90; len++)
		none &= zfs_label_role(str_text(&label), len) == ZFS_NONE;
	ok(none, "what is cut before its state is no label");
	label.text[0] = 0;
	ok(role_of(&label) == ZFS_NONE, "nor is one of another encoding");
	begin(&label);
	add_pair(&label, "state", 0, "four");
	add_pair(&label, "stat", 4, NULL);
	add_pair(&label, "states", 4, NULL);
	ok(role_of(&label) == ZFS_NONE, "nor is a state that is no number, or of another name");
	begin(&label);
	add_number(&label, 0);
	ok(role_of(&label) == ZFS_NONE, "nor pairs without an end");
	begin(&label);
	add_number(&label, UINT32_MAX);
	add_number(&label, 0);
	add_number(&label, 5);
	ok(role_of(&label) == ZFS_NONE, "nor one that is longer than all");
	ok(zfs_label_role("", 0) == ZFS_NONE, "nor nothing");
	str_free(&label);
}

int main(void)
{
	test_roles();
	test_none();
	return tap_done();
}
