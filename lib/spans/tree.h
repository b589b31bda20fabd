/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The spans of one trace as a tree, whatever they look like: a span that comes twice is taken once,
 * one whose parent is not there is a root, a circle of parents is cut, and a child is clipped to
 * its parent. Whatever the order of the lines was, the tree is the same.
 */
#ifndef TUESDAY_SPANS_TREE_H
#define TUESDAY_SPANS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span_table;

/* What is wrong with spans, counted. */
struct span_faults {
	uint64_t duplicates; /* came once more */
	uint64_t orphans;    /* name a parent that is not there */
	uint64_t circles;    /* circles of parents, each of which was cut at one place */
	uint64_t outside;    /* begin before their parent or end after it, by more than 2 us */
	uint64_t shifted; /* of these: only children that fit, moved to the middle: another clock */
};

/* Node i of a trace. Nodes that are no duplicates are 0 to n - 1. */
struct span_tree {
	const struct span_table *table;
	uint32_t n, room;
	uint32_t *row;
	uint32_t *parent;  /* node, or SPAN_NONE of a root */
	int64_t *start_ns; /* clipped to the parent and moved with it */
	int64_t *end_ns;   /* never before start_ns */
	uint32_t *first;   /* of its children in .child; of the roots at n; n + 2 of them */
	uint32_t *child;   /* nodes: those of a parent by their end, the last first */
	uint32_t *order;   /* all nodes, parents before children */
	struct span_faults faults;
	/* For building it. */
	uint32_t *slots, slots_room, keys_room;
	struct span_tree_key {
		int64_t end, start;
		uint64_t id;
		uint32_t node;
	} * keys, *merged;
	int64_t *shift;
};

/* Builds the tree of these rows over what the tree held before, whose memory it takes. All zero is
 * an empty tree. */
void span_tree_build(
	struct span_tree *tree, const struct span_table *table, const uint32_t *rows, uint32_t n);
void span_tree_free(struct span_tree *tree);

/* What two children of a node may overlap, or lie apart, and still be one behind the other. */
int64_t span_tree_tolerance(const struct span_tree *tree, uint32_t node);

/* The time of a node that none of its children has. */
int64_t span_tree_self(const struct span_tree *tree, uint32_t node);

/*
 * The critical path within a root or any node, from its end back: the child that ends last, within
 * it the same, then the last child that ends before that one began, and so on; between them it is
 * the node itself. Pieces come in that order, and are as long together as the node: this is how
 * CRISP (Zhang et al., USENIX ATC 2022) goes, which leaves out overlaps of up to 1 % too.
 */
typedef void span_piece(
	void *arg, const struct span_tree *tree, uint32_t node, int64_t from_ns, int64_t to_ns);
void span_tree_path(const struct span_tree *tree, uint32_t node, span_piece *piece, void *arg);

#endif
