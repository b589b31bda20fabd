/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where does each frame of a picture lie? What ends in a frame is to the left, then come the frames
 * above it in the order of their names, each as wide as its weight, and what is too light to be
 * kept is the gap to the right. It is the order of folded lines that were sorted, as flamegraph.pl
 * has it.
 */
#ifndef TUESDAY_FLAME_LAYOUT_H
#define TUESDAY_FLAME_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct flame_tree;

struct flame_box {
	uint32_t node;	 /* of the tree */
	uint32_t parent; /* a box, before this one */
	uint32_t depth;	 /* of the root: 0 */
	uint64_t start;	 /* in weights from the left */
	uint64_t total;	 /* its weight with all above it */
	uint64_t rest;	 /* of that: what ends here or is above in frames that are not kept */
};

struct flame_layout {
	struct flame_box *boxes; /* [0] is the root; each follows what it stands on */
	size_t n;
	uint32_t depth;	  /* the largest of all boxes */
	uint64_t least;	  /* the least weight that is kept */
	uint64_t unkept;  /* the weight of stacks with frames that are not kept */
	uint64_t *totals; /* of all nodes of the tree */
};

/* Lays out a tree. At most n_max boxes are kept, the heaviest; of weights that would pass that
 * border none; but of what weighs drawn or more, up to four times as many. totals is what
 * flame_tree_totals returned, and belongs to the layout. */
void flame_layout_make(struct flame_layout *layout, const struct flame_tree *tree, uint64_t *totals,
	size_t n_max, uint64_t drawn);
void flame_layout_free(struct flame_layout *layout);

#endif
