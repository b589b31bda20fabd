/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernels that ran or may have run on the GPU: where their instructions are, and which CPU
 * stacks launched them.
 *
 * A record of the GPU has an address and neither process nor context, and of the address 32 bits on
 * most GPUs, so all are compared modulo 2^32 (as intel/pti-gpu does). Where two different kernels
 * may be at one address, none is said to be.
 */
#ifndef TUESDAY_TOOLS_GPU_KERNELS_H
#define TUESDAY_TOOLS_GPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KERNELS_MAX = 8192,
	KERNELS_STACKS_MAX = 8192, /* of all of them */
};

struct zebin_kernel;

struct gpu_stack {
	char *frames; /* as folded, the outermost first, each with its kind */
	uint64_t launches;
};

struct gpu_kernel {
	uint32_t id;	  /* of who told of it */
	uint64_t address; /* 0: not known */
	uint64_t size;	  /* bytes; 0: not known */
	char *name;	  /* never NULL; "" where it is not known */
	uint64_t launches;
	struct gpu_stack *stacks;
	size_t n_stacks, stacks_room;
	bool ambiguous;			   /* another one lies across it */
	const struct zebin_kernel *source; /* of a zebin that has its lines, or NULL */
};

struct gpu_kernels {
	struct gpu_kernel *list;
	size_t n, room;
	size_t n_stacks;
	uint64_t unkept; /* kernels and stacks that were too many */
	/* By address, those that have one; made by kernels_settle(). */
	struct gpu_kernel **placed;
	size_t n_placed;
	struct gpu_kernel *only; /* the one that must be meant, where none has an address */
};

/* A kernel by that id, address, size and name, new or known already; NULL where there are too many.
 * Valid until the next one is added. */
struct gpu_kernel *kernels_add(struct gpu_kernels *kernels, uint32_t id, uint64_t address,
	uint64_t size, const char *name);
/* The last one added by that id, or NULL. */
struct gpu_kernel *kernels_by_id(const struct gpu_kernels *kernels, uint32_t id);
/* Launches of one by a stack; frames are copied, and what may not show replaced. */
void kernels_launched(struct gpu_kernels *kernels, struct gpu_kernel *kernel, const char *frames,
	uint64_t launches);
/* To be called when all are there: orders them and finds those that are ambiguous. */
void kernels_settle(struct gpu_kernels *kernels);
/* Whose instruction is at that address, or NULL; offset: in it. */
const struct gpu_kernel *kernels_at(
	const struct gpu_kernels *kernels, uint64_t address, uint64_t *offset);
void kernels_free(struct gpu_kernels *kernels);

#endif
