/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The same stacks seen otherwise: without frames, from a frame on, from their ends. No weight is
 * lost: a stack that a filter leaves out goes to the one frame OTHER, so that shares stay shares of
 * all.
 */
#ifndef TUESDAY_FLAME_RESHAPE_H
#define TUESDAY_FLAME_RESHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct flame_tree;

/* Patterns (flame/pattern.h) or NULL; they are applied in this order. */
struct flame_filters {
	const char *hide;    /* frames that are taken out of their stacks */
	const char *only;    /* stacks without such a frame become OTHER */
	const char *without; /* stacks with such a frame become OTHER */
	const char *focus;   /* stacks begin with the first such frame; those without it: OTHER */
	const char *callers; /* the first such frame and what called it, it below; others: OTHER */
	bool reverse;	     /* stacks begin where they ended */
	bool collapse;	     /* frames that are always called by the one below are one with it */
};

bool flame_filters_any(const struct flame_filters *filters);

/* A new tree, with the names of the old one. Of two weights of one tree (flame_tree_take_selves)
 * both are reshaped alike: before is replaced where it is not NULL, and is freed. */
struct flame_tree *flame_reshape(
	struct flame_tree *tree, const struct flame_filters *filters, uint64_t **before);

/* The weights of all nodes, which are 0 afterwards: for a second set of stacks in the same tree.
 * The caller frees. *total is that of these weights. */
uint64_t *flame_tree_take_selves(struct flame_tree *tree, uint64_t *total);
/* The same weights with room for the nodes that have come since. */
uint64_t *flame_tree_fit_selves(const struct flame_tree *tree, uint64_t *selves, size_t n);

#endif
