/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kernel does an instruction of the GPU belong to, and who launched that? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "tools/gpu/kernels.h"
#include "base/str.h"

static bool is_same(
	const struct gpu_kernel *kernel, uint64_t address, uint64_t size, const char *name)
{
	return kernel->address == address && kernel->size == size && !strcmp(kernel->name, name);
}

struct gpu_kernel *kernels_add(
	struct gpu_kernels *kernels, uint32_t id, uint64_t address, uint64_t size, const char *name)
{
	for (size_t i = kernels->n; i-- > 0;)
		if (kernels->list[i].id == id && is_same(&kernels->list[i], address, size, name))
			return &kernels->list[i];
	if (kernels->n == KERNELS_MAX) {
		kernels->unkept++;
		return NULL;
	}
	ARRAY_GROW(kernels->list, kernels->n, kernels->room);
	kernels->list[kernels->n] = (struct gpu_kernel){
		.id = id, .address = address, .size = size, .name = mem_strdup(name)};
	return &kernels->list[kernels->n++];
}

struct gpu_kernel *kernels_by_id(const struct gpu_kernels *kernels, uint32_t id)
{
	for (size_t i = kernels->n; i-- > 0;)
		if (kernels->list[i].id == id)
			return &kernels->list[i];
	return NULL;
}

void kernels_launched(struct gpu_kernels *kernels, struct gpu_kernel *kernel, const char *frames,
	uint64_t launches)
{
	struct str clean = STR_INIT;

	/* A sum of what others say must not run over. */
	if (launches > UINT32_MAX)
		launches = UINT32_MAX;
	escape_plain(&clean, frames);
	kernel->launches += launches;
	for (size_t i = 0; i < kernel->n_stacks; i++)
		if (!strcmp(kernel->stacks[i].frames, str_text(&clean))) {
			kernel->stacks[i].launches += launches;
			str_free(&clean);
			return;
		}
	if (kernels->n_stacks == KERNELS_STACKS_MAX || !clean.len) {
		kernels->unkept += clean.len != 0;
		str_free(&clean);
		return;
	}
	kernels->n_stacks++;
	ARRAY_GROW(kernel->stacks, kernel->n_stacks, kernel->stacks_room);
	kernel->stacks[kernel->n_stacks++] = (struct gpu_stack){str_take(&clean), launches};
}

static int kernels_by_address(const void *a, const void *b)
{
	const struct gpu_kernel *const *left = a, *const *right = b;
	const uint32_t x = (uint32_t)(*left)->address, y = (uint32_t)(*right)->address;

	return (x > y) - (x < y);
}

/* Two that are one kernel for two processes, or twice the same news. */
static bool is_one(const struct gpu_kernel *a, const struct gpu_kernel *b)
{
	return (uint32_t)a->address == (uint32_t)b->address && a->size == b->size &&
		!strcmp(a->name, b->name);
}

/* The stacks of both are those of the first. */
static void unite(struct gpu_kernels *kernels, struct gpu_kernel *into, struct gpu_kernel *from)
{
	kernels->n_stacks -= from->n_stacks;
	for (size_t i = 0; i < from->n_stacks; i++) {
		kernels_launched(kernels, into, from->stacks[i].frames, from->stacks[i].launches);
		free(from->stacks[i].frames);
	}
	free(from->stacks);
	from->stacks = NULL;
	from->n_stacks = 0;
	from->launches = 0;
}

static void find_ambiguous(struct gpu_kernels *kernels)
{
	struct gpu_kernel *widest = NULL;

	for (size_t i = 0; i < kernels->n_placed; i++) {
		struct gpu_kernel *kernel = kernels->placed[i];

		/* The one that reaches furthest lies across all that begin before its end. */
		if (widest && (uint32_t)kernel->address - (uint32_t)widest->address < widest->size)
			kernel->ambiguous = widest->ambiguous = true;
		if (!widest ||
			(uint32_t)kernel->address + kernel->size >
				(uint32_t)widest->address + widest->size)
			widest = kernel;
	}
	/* Behind the end of the 32 bits is their beginning. */
	if (widest && widest != kernels->placed[0] &&
		(uint32_t)kernels->placed[0]->address - (uint32_t)widest->address < widest->size)
		kernels->placed[0]->ambiguous = widest->ambiguous = true;
}

void kernels_settle(struct gpu_kernels *kernels)
{
	size_t n = 0;

	free(kernels->placed);
	kernels->placed = mem_realloc_array(NULL, kernels->n, sizeof(*kernels->placed));
	for (size_t i = 0; i < kernels->n; i++)
		if (kernels->list[i].address && kernels->list[i].size)
			kernels->placed[n++] = &kernels->list[i];
	qsort(kernels->placed, n, sizeof(*kernels->placed), kernels_by_address);
	kernels->n_placed = 0;
	for (size_t i = 0; i < n; i++) {
		struct gpu_kernel *last =
			kernels->n_placed ? kernels->placed[kernels->n_placed - 1] : NULL;

		if (last && is_one(last, kernels->placed[i]))
			unite(kernels, last, kernels->placed[i]);
		else
			kernels->placed[kernels->n_placed++] = kernels->placed[i];
	}
	find_ambiguous(kernels);
	kernels->only = kernels->n == 1 && !kernels->n_placed ? &kernels->list[0] : NULL;
}

const struct gpu_kernel *kernels_at(
	const struct gpu_kernels *kernels, uint64_t address, uint64_t *offset)
{
	size_t low = 0, high = kernels->n_placed;
	const struct gpu_kernel *kernel;

	*offset = (uint32_t)address;
	if (!kernels->n_placed)
		return kernels->only;
	while (low < high) {
		const size_t middle = (low + high) / 2;

		if ((uint32_t)kernels->placed[middle]->address <= (uint32_t)address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Before the first is behind the last, which may go on at 0. */
	kernel = kernels->placed[low ? low - 1 : kernels->n_placed - 1];
	if ((uint32_t)address - (uint32_t)kernel->address >= kernel->size || kernel->ambiguous)
		return NULL;
	*offset = (uint32_t)address - (uint32_t)kernel->address;
	return kernel;
}

void kernels_free(struct gpu_kernels *kernels)
{
	for (size_t i = 0; i < kernels->n; i++) {
		for (size_t k = 0; k < kernels->list[i].n_stacks; k++)
			free(kernels->list[i].stacks[k].frames);
		free(kernels->list[i].stacks);
		free(kernels->list[i].name);
	}
	free(kernels->list);
	free(kernels->placed);
	*kernels = (struct gpu_kernels){0};
}
