/* SPDX-License-Identifier: GPL-2.0-only */
/* How is memory had for many small things that end together? */
#include "base/banned.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/str.h"

#define BLOCK_BYTES ((size_t)64 << 10)

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	alignas(max_align_t) char bytes[];
};

/* A large thing gets a block of its own behind the one that is being filled. */
static void *alloc_own(struct arena *arena, size_t size)
{
	struct arena_block *block = mem_alloc(sizeof(*block) + size);

	block->size = block->used = size;
	block->next = arena->blocks ? arena->blocks->next : NULL;
	if (arena->blocks)
		arena->blocks->next = block;
	else
		arena->blocks = block;
	return memset(block->bytes, 0, size);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *block = arena->blocks;
	void *at;

	arena->bytes += size;
	if (size > BLOCK_BYTES / 4)
		return alloc_own(arena, size);
	size = (size + align - 1) / align * align;
	if (!block || block->size - block->used < size) {
		block = mem_alloc(sizeof(*block) + BLOCK_BYTES);
		block->size = BLOCK_BYTES;
		block->used = 0;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	at = block->bytes + block->used;
	block->used += size;
	return memset(at, 0, size);
}

char *arena_copy(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (len)
		memcpy(copy, text, len);
	return copy;
}

void arena_clear(struct arena *arena)
{
	struct arena_block *kept = NULL, *next;

	for (; arena->blocks; arena->blocks = next) {
		next = arena->blocks->next;
		if (!kept && arena->blocks->size == BLOCK_BYTES)
			kept = arena->blocks;
		else
			free(arena->blocks);
	}
	if (kept) {
		kept->next = NULL;
		kept->used = 0;
	}
	arena->blocks = kept;
	arena->bytes = 0;
}

void arena_free(struct arena *arena)
{
	arena_clear(arena);
	free(arena->blocks);
	arena->blocks = NULL;
}
