/* SPDX-License-Identifier: GPL-2.0-only */
/* Which number has this text? */
#include "base/banned.h"

#include <sys/random.h>

#include "base/hash.h"
#include "base/str.h"
#include "tools/merge/string_pool.h"

#define SLOTS_FIRST 1024
#define WORD_BYTES 48 /* a pointer, a hash, two to four slots, and what the arena rounds up */

static uint32_t hash_of(const struct words *words, const char *text)
{
	const uint32_t hash = fnv1a_32(FNV1A_32 ^ words->seed, text, strlen(text));

	return hash ^ hash >> 15;
}

void words_init(struct words *words)
{
	*words = (struct words){.n_slots = SLOTS_FIRST};
	if (getrandom(&words->seed, sizeof(words->seed), GRND_NONBLOCK) < 0)
		words->seed = 1; /* too early after boot for any: slow at worst */
	words->slots = mem_zalloc(SLOTS_FIRST * sizeof(*words->slots));
	words_add(words, "");
}

void words_free(struct words *words)
{
	arena_free(&words->arena);
	free(words->texts);
	free(words->hashes);
	free(words->slots);
}

/* The slot of a text, or the free one where it would be. */
static size_t words_slot_of(const struct words *words, const char *text, uint32_t hash)
{
	size_t slot = hash & (words->n_slots - 1);

	while (words->slots[slot]) {
		uint32_t word = words->slots[slot] - 1;

		if (words->hashes[word] == hash && !strcmp(words->texts[word], text))
			break;
		slot = (slot + 1) & (words->n_slots - 1);
	}
	return slot;
}

static void words_grow(struct words *words)
{
	size_t i;

	words->n_slots *= 2;
	words->slots = mem_realloc_array(words->slots, words->n_slots, sizeof(*words->slots));
	memset(words->slots, 0, words->n_slots * sizeof(*words->slots));
	for (i = 0; i < words->n; i++)
		words->slots[words_slot_of(words, words->texts[i], words->hashes[i])] =
			(uint32_t)i + 1;
}

uint32_t words_add(struct words *words, const char *text)
{
	uint32_t hash;
	size_t slot, len, room;

	if (!text)
		return NO_WORD;
	hash = hash_of(words, text);
	slot = words_slot_of(words, text, hash);
	if (words->slots[slot])
		return words->slots[slot] - 1;
	if (words->n * 2 >= words->n_slots) {
		words_grow(words);
		slot = words_slot_of(words, text, hash);
	}
	room = words->room;
	ARRAY_GROW(words->texts, words->n, words->room);
	if (room != words->room)
		words->hashes =
			mem_realloc_array(words->hashes, words->room, sizeof(*words->hashes));
	len = strlen(text);
	words->texts[words->n] = arena_copy(&words->arena, text, len);
	words->hashes[words->n] = hash;
	words->bytes += len + WORD_BYTES;
	words->slots[slot] = (uint32_t)++words->n;
	return words->slots[slot] - 1;
}

uint32_t words_find(const struct words *words, const char *text)
{
	size_t slot = words_slot_of(words, text, hash_of(words, text));

	return words->slots[slot] ? words->slots[slot] - 1 : NO_WORD;
}

const char *words_text(const struct words *words, uint32_t word)
{
	return words->texts[word];
}

uint32_t *words_place(uint32_t **array, size_t *n, uint32_t word)
{
	size_t grown = *n ? *n : 1024;

	if (word >= *n) {
		while (grown <= word)
			grown *= 2;
		*array = mem_realloc_array(*array, grown, sizeof(**array));
		memset(*array + *n, 0, (grown - *n) * sizeof(**array));
		*n = grown;
	}
	return *array + word;
}
