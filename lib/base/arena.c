/* SPDX-License-Identifier: GPL-2.0-only */
/* How is memory had for many small things that end together? */
#include "base/banned.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/str.h"

#define BLOCK_BYTES ((size_t)64 << 10) /* the usual */

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	alignas(max_align_t) char bytes[];
};

static size_t arena_block_bytes(const struct arena *arena)
{
	return arena->block_bytes ? arena->block_bytes : BLOCK_BYTES;
}

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
	return block->bytes;
}

/* Room for size bytes at a multiple of align, which is a power of two. */
static void *arena_take(struct arena *arena, size_t size, size_t align)
{
	struct arena_block *block = arena->blocks;
	size_t at = block ? (block->used + align - 1) & ~(align - 1) : 0;

	arena->bytes += size;
	if (size > arena_block_bytes(arena) / 4)
		return alloc_own(arena, size);
	if (!block || at > block->size || block->size - at < size) {
		block = mem_alloc(sizeof(*block) + arena_block_bytes(arena));
		block->size = arena_block_bytes(arena);
		block->next = arena->blocks;
		arena->blocks = block;
		at = 0;
	}
	block->used = at + size;
	return block->bytes + at;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	return memset(arena_take(arena, size, alignof(max_align_t)), 0, size);
}

char *arena_copy(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_take(arena, len + 1, 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = 0;
	return copy;
}

void *arena_grow(struct arena *arena, const void *old, size_t old_size, size_t size)
{
	void *grown = arena_alloc(arena, size);

	if (old_size)
		memcpy(grown, old, old_size);
	return grown;
}

void arena_clear(struct arena *arena)
{
	struct arena_block *kept = NULL, *next;

	for (; arena->blocks; arena->blocks = next) {
		next = arena->blocks->next;
		if (!kept && arena->blocks->size == arena_block_bytes(arena))
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
