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
};

/* size bytes of zeros, aligned for anything; never NULL, as all allocations here. */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy of len bytes with a 0 behind them. */
char *arena_copy(struct arena *arena, const char *text, size_t len);

/* Forgets all that was allocated and keeps one block of the usual size for the next time. */
void arena_clear(struct arena *arena);
void arena_free(struct arena *arena);

#endif
