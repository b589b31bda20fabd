/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts by number: each is kept once, however many hosts say it. */
#ifndef TUESDAY_TOOLS_MERGE_STRING_POOL_H
#define TUESDAY_TOOLS_MERGE_STRING_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* The number of "", which also stands for what is not known. */
#define NO_WORD 0

/* Zeroed is not yet usable: words_init. */
struct words {
	struct arena arena;
	const char **texts;
	uint32_t *hashes;
	uint32_t *slots; /* of a power of two; 0 is free */
	size_t n, room, n_slots;
	size_t bytes;  /* of the texts, with what the pool keeps beside each */
	uint32_t seed; /* so that nobody can choose names that collide */
};

void words_init(struct words *words);
void words_free(struct words *words);

/* The number of a text; NULL is NO_WORD. */
uint32_t words_add(struct words *words, const char *text);
/* The number of a text that is there, or NO_WORD. */
uint32_t words_find(const struct words *words, const char *text);
/* Valid as long as words is. */
const char *words_text(const struct words *words, uint32_t word);

/* The place of a word in an array by words, which is grown as is needed, with zeros; n places are
 * there. */
uint32_t *words_place(uint32_t **array, size_t *n, uint32_t word);

#endif
