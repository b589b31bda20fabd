/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is given back all at once: for what is read, used and forgotten as a whole. */
#ifndef TUESDAY_BASE_ARENA_H
#define TUESDAY_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* Zeroed is empty. */
struct arena {
	struct arena_block *blocks; /* the one that is filled first */
	size_t bytes;		    /* that were asked for since it was empty */
	size_t block_bytes;	    /* of a block of the usual size; 0: 64 KiB */
};

/* size bytes of zeros, aligned for anything; never NULL, as all allocations here. */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy of len bytes with a 0 behind them. */
char *arena_copy(struct arena *arena, const char *text, size_t len);

/* ARRAY_GROW (base/str.h) for an array in an arena, where what it outgrew stays until the end: for
 * the few of each of many things. */
#define ARENA_GROW(arena, array, count, room) \
	do { \
		if ((count) == (room)) { \
			(room) = (room) ? (room)*2 : 2; \
			(array) = arena_grow((arena), (array), (count) * sizeof(*(array)), \
				(room) * sizeof(*(array))); \
		} \
	} while (0)
void *arena_grow(struct arena *arena, const void *old, size_t old_size, size_t size);

/* Forgets all that was allocated and keeps one block of the usual size for the next time. */
void arena_clear(struct arena *arena);
void arena_free(struct arena *arena);

#endif
