/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is a frame: a function of a program, of the kernel, of a GPU? Its name says so by its end,
 * as folded stacks have it everywhere: "_[k]" the kernel, "_[i]" inlined, "_[j]" compiled at run
 * time; and of a GPU's profile "_[g]" a kernel's function, "_[gl]" a line of its source, "_[gi]" an
 * instruction,
 * "_[gr]" why it waited. "_[w]" is of a thread that woke another, "-" is a border, "[broken" begins
 * where a stack was lost.
 */
#ifndef TUESDAY_FLAME_KIND_H
#define TUESDAY_FLAME_KIND_H

#include <stddef.h>
#include <stdint.h>

struct flame_tree;

enum flame_kind {
	FLAME_PROGRAM,
	FLAME_KERNEL,
	FLAME_INLINED,
	FLAME_COMPILED,
	FLAME_PYTHON,
	FLAME_WAKER,
	FLAME_GPU,
	FLAME_GPU_LINE,
	FLAME_GPU_INSTRUCTION,
	FLAME_GPU_REASON,
	FLAME_UNKNOWN,
	FLAME_BROKEN,
	FLAME_BORDER,
	FLAME_REST, /* OTHER */
	FLAME_KINDS
};

/* The bytes of the name without what says its kind go to shown_len. */
enum flame_kind flame_kind_of(const char *name, size_t *shown_len);

/* The weight of stacks with a frame of the kind, each stack once. */
uint64_t flame_kind_weight(const struct flame_tree *tree, enum flame_kind kind);

/* For a class of CSS: "k"; and for a legend: "the kernel". */
const char *flame_kind_class(enum flame_kind kind);
const char *flame_kind_text(enum flame_kind kind);

#endif
