/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks, each with a weight, merged from their roots on: the tree that a flame graph draws.
 *
 * A node is a frame below the same frames; its self weight is that of the stacks that end in it.
 * Each node comes after its parent, so that sums are one pass from the last to the first. Weights
 * are whole numbers of whatever was counted: samples, nanoseconds, bytes.
 *
 * Names are bytes of others: any but ';' and the end of a line. They are escaped by whoever shows
 * them.
 */
#ifndef TUESDAY_FLAME_TREE_H
#define TUESDAY_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flame_walk;

enum {
	FLAME_DEPTH_MAX = 65536, /* frames of one stack: what is above is left out, and counted */
};

/* The frame that stands for stacks which a filter leaves out of the picture, so that the total
 * stays. */
#define FLAME_OTHER "OTHER"

struct flame_node {
	uint32_t parent; /* of the root: itself */
	uint32_t name;
	uint64_t self;
};

struct flame_tree {
	struct flame_names *names;
	struct flame_node *nodes; /* [0] is the root, which no stack names */
	size_t n, room;
	uint64_t *slots; /* nodes by parent and name */
	unsigned int slot_bits;
	size_t slots_used;
	uint64_t total;	  /* of all stacks; less than 2^63: what would pass that is unread */
	uint64_t stacks;  /* that were added */
	uint64_t unread;  /* lines that are no stack with a weight */
	uint64_t cut;	  /* stacks deeper than FLAME_DEPTH_MAX */
	uint64_t key[2];  /* of the hashes: others choose the names */
	uint32_t *frames; /* names of the stacks that are being added */
	size_t n_frames, frames_room;
	struct flame_walk *walks; /* these stacks */
	size_t n_walks;
	bool borrows; /* the names belong to another tree */
};

struct flame_tree *flame_tree_new(void);
/* An empty one with the names of another, which has to stay as long as this one. */
struct flame_tree *flame_tree_new_beside(const struct flame_tree *tree);
void flame_tree_free(struct flame_tree *tree);

/* A name, the same for the same bytes; and back. The text is ended by a 0, and valid until the tree
 * is freed. */
uint32_t flame_name(struct flame_tree *tree, const char *text, size_t len);
const char *flame_name_text(const struct flame_tree *tree, uint32_t name);
size_t flame_names_count(const struct flame_tree *tree);

/* Adds weight to the stack of these frames, the first one its root. */
void flame_tree_add(struct flame_tree *tree, const char *const *frames, size_t n, uint64_t weight);
/* The same for frames that have their names. */
void flame_tree_add_names(
	struct flame_tree *tree, const uint32_t *names, size_t n, uint64_t weight);

/* How many nodes ahead of the one that is looked at what belongs to their parents is asked for:
 * parents lie all over the memory. */
enum { FLAME_AHEAD = 32 };

/* Adds a folded line without its end: "main;read;vfs_read 23". False, and counted as unread, for
 * what is none; empty lines and comments (#) are nothing at all. */
bool flame_tree_add_line(struct flame_tree *tree, const char *line, size_t len);
/* All lines of a text. */
void flame_tree_add_text(struct flame_tree *tree, const char *text, size_t len);
/* What finds nodes is given back: none can be added any more. */
void flame_tree_settle(struct flame_tree *tree);

/* The weight of each node with all above it; mem_alloc, the caller frees. */
uint64_t *flame_tree_totals(const struct flame_tree *tree);

#endif
