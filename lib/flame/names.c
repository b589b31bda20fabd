/* SPDX-License-Identifier: GPL-2.0-only */
/* Which number has this name of a frame? */
#include "base/banned.h"

#include "base/arena.h"
#include "base/str.h"
#include "flame/names.h"

struct flame_named {
	const char *text;
	size_t len;
	uint64_t hash;
};

struct flame_names {
	struct arena arena;
	struct flame_named *list;
	size_t n, room;
	uint32_t *slots; /* number + 1; 0 is free */
	size_t n_slots;	 /* a power of two */
};

static uint64_t names_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* At most 8 bytes: of 4 and more the first and the last 4, which may overlap. */
static uint64_t names_short(const char *at, size_t len)
{
	uint32_t first, last;

	if (len >= 4) {
		memcpy(&first, at, 4);
		memcpy(&last, at + len - 4, 4);
		return (uint64_t)first << 32 | last;
	}
	first = len ? (unsigned char)at[0] : 0;
	last = len ? (uint32_t)(unsigned char)at[len / 2] << 8 | (unsigned char)at[len - 1] : 0;
	return (uint64_t)first << 16 | last;
}

static uint64_t names_fold(uint64_t a, uint64_t b)
{
	const __uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t flame_hash(const uint64_t key[2], const char *text, size_t len)
{
	uint64_t hash = key[0] ^ len;

	for (; len > 16; text += 16, len -= 16)
		hash = names_fold(names_word(text) ^ key[1], names_word(text + 8) ^ hash);
	if (len > 8)
		return names_fold(names_word(text) ^ key[1], names_word(text + len - 8) ^ hash);
	return names_fold(names_short(text, len) ^ key[1], hash ^ 0x9e3779b97f4a7c15u);
}

uint64_t flame_hash_pair(const uint64_t key[2], uint64_t a, uint64_t b)
{
	return names_fold(a ^ key[0], b ^ key[1]);
}

struct flame_names *flame_names_new(void)
{
	struct flame_names *names = mem_zalloc(sizeof(*names));

	names->n_slots = 1024;
	names->slots = mem_zalloc(names->n_slots * sizeof(*names->slots));
	return names;
}

void flame_names_free(struct flame_names *names)
{
	if (!names)
		return;
	arena_free(&names->arena);
	free(names->list);
	free(names->slots);
	free(names);
}

static void names_put(struct flame_names *names, uint32_t name)
{
	size_t at = names->list[name].hash & (names->n_slots - 1);

	while (names->slots[at])
		at = (at + 1) & (names->n_slots - 1);
	names->slots[at] = name + 1;
}

static void names_grow(struct flame_names *names)
{
	free(names->slots);
	names->n_slots *= 2;
	names->slots = mem_zalloc(names->n_slots * sizeof(*names->slots));
	for (size_t i = 0; i < names->n; i++)
		names_put(names, (uint32_t)i);
}

/* The slot of these bytes, or the free one where they belong. */
static size_t names_slot(
	const struct flame_names *names, const char *text, size_t len, uint64_t hash)
{
	size_t at = hash & (names->n_slots - 1);

	for (; names->slots[at]; at = (at + 1) & (names->n_slots - 1)) {
		const struct flame_named *named = &names->list[names->slots[at] - 1];

		if (named->hash == hash && named->len == len && !memcmp(named->text, text, len))
			break;
	}
	return at;
}

int64_t flame_names_find(
	const struct flame_names *names, const char *text, size_t len, uint64_t hash)
{
	return (int64_t)names->slots[names_slot(names, text, len, hash)] - 1;
}

uint32_t flame_names_add(struct flame_names *names, const char *text, size_t len, uint64_t hash)
{
	const size_t at = names_slot(names, text, len, hash);

	if (names->slots[at])
		return names->slots[at] - 1;
	if (names->n >= UINT32_MAX - 1)
		out_of_memory(len);
	ARRAY_GROW(names->list, names->n, names->room);
	names->list[names->n++] =
		(struct flame_named){arena_copy(&names->arena, text, len), len, hash};
	if (names->n * 2 > names->n_slots)
		names_grow(names);
	else
		names->slots[at] = (uint32_t)names->n;
	return (uint32_t)(names->n - 1);
}

size_t flame_names_n(const struct flame_names *names)
{
	return names->n;
}

const char *flame_names_text(const struct flame_names *names, uint32_t name)
{
	return names->list[name].text;
}

size_t flame_names_len(const struct flame_names *names, uint32_t name)
{
	return names->list[name].len;
}
