/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stacks begin alike, and how heavy is each of their beginnings? */
#include "base/banned.h"

#include "base/hash.h"
#include "base/str.h"
#include "flame/names.h"
#include "flame/tree.h"

enum { SLOT_BITS_FIRST = 12, SLOT_BITS_MAX = 31, WALKS = 16 };

static struct flame_tree *tree_empty(void)
{
	struct flame_tree *tree = mem_zalloc(sizeof(*tree));

	tree->slot_bits = SLOT_BITS_FIRST;
	tree->slots = mem_zalloc(sizeof(*tree->slots) << tree->slot_bits);
	ARRAY_GROW(tree->nodes, tree->n, tree->room);
	tree->nodes[tree->n++] = (struct flame_node){0};
	return tree;
}

struct flame_tree *flame_tree_new(void)
{
	struct flame_tree *tree = tree_empty();

	tree->names = flame_names_new();
	tree->key[0] = hash_keyed("flame", 5);
	tree->key[1] = hash_keyed("graph", 5);
	flame_name(tree, "", 0);
	return tree;
}

struct flame_tree *flame_tree_new_beside(const struct flame_tree *other)
{
	struct flame_tree *tree = tree_empty();

	tree->names = other->names;
	tree->borrows = true;
	memcpy(tree->key, other->key, sizeof(tree->key));
	return tree;
}

void flame_tree_free(struct flame_tree *tree)
{
	if (!tree)
		return;
	if (!tree->borrows)
		flame_names_free(tree->names);
	free(tree->nodes);
	free(tree->slots);
	free(tree->frames);
	free(tree->walks);
	free(tree);
}

uint32_t flame_name(struct flame_tree *tree, const char *text, size_t len)
{
	return flame_names_add(tree->names, text, len, flame_hash(tree->key, text, len));
}

const char *flame_name_text(const struct flame_tree *tree, uint32_t name)
{
	return flame_names_text(tree->names, name);
}

size_t flame_names_count(const struct flame_tree *tree)
{
	return flame_names_n(tree->names);
}

/*
 * Most nodes have one above them, made right after them: that is looked at first, and needs no
 * slot. All others are found by their parent and name.
 *
 * A slot is the upper half of the hash of these two and a node; 0 is free, since the root has none.
 * Its place is that half's uppermost bits, so that it can be put into a larger table as it is.
 */
static size_t tree_place(const struct flame_tree *tree, uint64_t slot)
{
	return slot >> (64 - tree->slot_bits);
}

static size_t tree_next(const struct flame_tree *tree, size_t at)
{
	return (at + 1) & (((size_t)1 << tree->slot_bits) - 1);
}

static void tree_put(struct flame_tree *tree, uint64_t slot)
{
	size_t at = tree_place(tree, slot);

	while (tree->slots[at])
		at = tree_next(tree, at);
	tree->slots[at] = slot;
}

static void tree_grow(struct flame_tree *tree)
{
	const size_t n = (size_t)1 << tree->slot_bits;
	uint64_t *old = tree->slots;

	if (tree->slot_bits == SLOT_BITS_MAX)
		out_of_memory(n * 2 * sizeof(*old));
	tree->slot_bits++;
	tree->slots = mem_zalloc(sizeof(*old) << tree->slot_bits);
	for (size_t i = 0; i < n; i++)
		if (old[i])
			tree_put(tree, old[i]);
	free(old);
}

static bool tree_is(const struct flame_tree *tree, uint32_t node, uint32_t parent, uint32_t name)
{
	return tree->nodes[node].parent == parent && tree->nodes[node].name == name;
}

static uint64_t tree_hash(const struct flame_tree *tree, uint32_t parent, uint32_t name)
{
	return flame_hash_pair(tree->key, parent, name);
}

/* The node of a name above its parent, or 0. */
static uint32_t tree_find(const struct flame_tree *tree, uint32_t parent, uint32_t name)
{
	uint64_t hash;
	size_t at;

	if (parent + 1 < tree->n && tree_is(tree, parent + 1, parent, name))
		return parent + 1;
	hash = tree_hash(tree, parent, name);
	for (at = tree_place(tree, hash); tree->slots[at]; at = tree_next(tree, at)) {
		const uint64_t slot = tree->slots[at];

		if (slot >> 32 == hash >> 32 && tree_is(tree, (uint32_t)slot, parent, name))
			return (uint32_t)slot;
	}
	return 0;
}

static uint32_t tree_make(struct flame_tree *tree, uint32_t parent, uint32_t name)
{
	ARRAY_GROW(tree->nodes, tree->n, tree->room);
	tree->nodes[tree->n] = (struct flame_node){.parent = parent, .name = name};
	if (tree->n++ == parent + 1)
		return parent + 1;
	if (tree->n > UINT32_MAX)
		out_of_memory(tree->n * sizeof(*tree->nodes));
	tree_put(tree, (tree_hash(tree, parent, name) >> 32 << 32) | (tree->n - 1));
	if (++tree->slots_used > ((size_t)3 << tree->slot_bits) / 4)
		tree_grow(tree);
	return (uint32_t)(tree->n - 1);
}

/*
 * Stacks are added some at a time: nodes lie all over the memory, and while that of one stack
 * comes, others go on. A walk goes up the tree for as long as there are nodes; it changes nothing,
 * so that all walks of a batch can be under way. What is new is made afterwards, one stack after
 * the other.
 */
struct flame_walk {
	size_t from, n; /* its names in tree->frames */
	size_t at;	/* of these, how many nodes were found */
	uint64_t weight, hash;
	size_t slot;
	uint32_t node;
	enum { WALK_NEXT, WALK_SLOT, WALK_NODE, WALK_DONE } state;
};

/* Goes on as far as memory is there, and asks for what is needed next. */
static void tree_walk(const struct flame_tree *tree, struct flame_walk *walk)
{
	const uint32_t *names = &tree->frames[walk->from];

	if (walk->state == WALK_NODE) {
		const uint32_t node = (uint32_t)tree->slots[walk->slot];

		if (tree_is(tree, node, walk->node, names[walk->at])) {
			walk->node = node;
			walk->at++;
			walk->state = WALK_NEXT;
		} else {
			walk->slot = tree_next(tree, walk->slot);
			walk->state = WALK_SLOT;
		}
	}
	if (walk->state == WALK_SLOT) {
		while (tree->slots[walk->slot] && tree->slots[walk->slot] >> 32 != walk->hash >> 32)
			walk->slot = tree_next(tree, walk->slot);
		walk->state = tree->slots[walk->slot] ? WALK_NODE : WALK_DONE;
		__builtin_prefetch(&tree->nodes[(uint32_t)tree->slots[walk->slot]]);
		return;
	}
	for (; walk->at < walk->n; walk->at++, walk->node++)
		if (walk->node + 1 >= tree->n ||
			!tree_is(tree, walk->node + 1, walk->node, names[walk->at]))
			break;
	if (walk->at == walk->n) {
		walk->state = WALK_DONE;
		return;
	}
	walk->hash = tree_hash(tree, walk->node, names[walk->at]);
	walk->slot = tree_place(tree, walk->hash);
	__builtin_prefetch(&tree->slots[walk->slot]);
	walk->state = WALK_SLOT;
}

/* What a walk has not found may be there by now; above the first that is not nothing is. */
static void tree_end_walk(struct flame_tree *tree, const struct flame_walk *walk)
{
	const uint32_t *names = &tree->frames[walk->from];
	uint32_t node = walk->node, above;
	size_t at;

	for (at = walk->at; at < walk->n; at++, node = above) {
		above = tree_find(tree, node, names[at]);
		if (!above)
			break;
	}
	for (; at < walk->n; at++)
		node = tree_make(tree, node, names[at]);
	tree->nodes[node].self += walk->weight;
}

/* Adds the stacks that are waiting. */
static void tree_flush(struct flame_tree *tree)
{
	bool going = true;

	while (going) {
		going = false;
		for (size_t i = 0; i < tree->n_walks; i++)
			if (tree->walks[i].state != WALK_DONE) {
				tree_walk(tree, &tree->walks[i]);
				going = true;
			}
	}
	for (size_t i = 0; i < tree->n_walks; i++)
		tree_end_walk(tree, &tree->walks[i]);
	tree->n_walks = 0;
	tree->n_frames = 0;
}

/* The last n names that were taken are a stack. */
static void tree_add_frames(struct flame_tree *tree, size_t n, uint64_t weight)
{
	if (!tree->walks)
		tree->walks = mem_zalloc(WALKS * sizeof(*tree->walks));
	/* A stack may have lost all its frames. */
	ARRAY_GROW(tree->frames, tree->n_frames, tree->frames_room);
	tree->walks[tree->n_walks++] = (struct flame_walk){
		.from = tree->n_frames - n, .n = n, .weight = weight, .state = WALK_NEXT};
	tree->total += weight;
	tree->stacks++;
	if (tree->n_walks == WALKS)
		tree_flush(tree);
}

static void tree_take(struct flame_tree *tree, uint32_t name)
{
	ARRAY_GROW(tree->frames, tree->n_frames, tree->frames_room);
	tree->frames[tree->n_frames++] = name;
}

static bool tree_has_room(const struct flame_tree *tree, uint64_t weight)
{
	return weight && weight < INT64_MAX - tree->total;
}

void flame_tree_add(struct flame_tree *tree, const char *const *frames, size_t n, uint64_t weight)
{
	if (!tree_has_room(tree, weight))
		return;
	if (n > FLAME_DEPTH_MAX) {
		tree->cut++;
		n = FLAME_DEPTH_MAX;
	}
	for (size_t i = 0; i < n; i++)
		tree_take(tree, flame_name(tree, frames[i], strlen(frames[i])));
	tree_add_frames(tree, n, weight);
	tree_flush(tree);
}

void flame_tree_add_names(struct flame_tree *tree, const uint32_t *names, size_t n, uint64_t weight)
{
	if (!tree_has_room(tree, weight))
		return;
	for (size_t i = 0; i < n; i++)
		tree_take(tree, names[i]);
	tree_add_frames(tree, n, weight);
	tree_flush(tree);
}

/* Returns the bytes before the weight, or 0 where there is none. A weight with a fraction is
 * rounded. */
static size_t tree_read_weight(const char *line, size_t len, uint64_t *weight)
{
	size_t at, end = len;
	uint64_t value = 0;

	while (end && (line[end - 1] == ' ' || line[end - 1] == '\r' || line[end - 1] == '\t'))
		end--;
	for (at = end; at && line[at - 1] != ' ' && line[at - 1] != '\t'; at--)
		;
	len = at ? at - 1 : 0;
	if (at == end)
		return 0;
	for (; at < end && line[at] >= '0' && line[at] <= '9'; at++) {
		if (value > INT64_MAX / 10 - 1)
			return 0;
		value = value * 10 + (uint64_t)(line[at] - '0');
	}
	if (at < end) {
		if (line[at] != '.')
			return 0;
		value += at + 1 < end && line[at + 1] >= '5' && line[at + 1] <= '9';
		for (at++; at < end; at++)
			if (line[at] < '0' || line[at] > '9')
				return 0;
	}
	*weight = value;
	return len;
}

static bool tree_add_line(struct flame_tree *tree, const char *line, size_t len)
{
	uint64_t weight = 0;
	const char *end, *next;
	size_t n = 0, stack;

	if (!len || *line == '#' || (len == 1 && *line == '\r'))
		return true;
	stack = tree_read_weight(line, len, &weight);
	while (stack && (line[stack - 1] == ' ' || line[stack - 1] == '\t'))
		stack--;
	if (!stack || (weight && !tree_has_room(tree, weight))) {
		tree->unread++;
		return false;
	}
	if (!weight)
		return true;
	for (end = line + stack; line <= end && n < FLAME_DEPTH_MAX; line = next + 1) {
		next = memchr(line, ';', (size_t)(end - line));
		next = next ? next : end;
		tree_take(tree, flame_name(tree, line, (size_t)(next - line)));
		n++;
	}
	tree->cut += line <= end;
	tree_add_frames(tree, n, weight);
	return true;
}

bool flame_tree_add_line(struct flame_tree *tree, const char *line, size_t len)
{
	const bool added = tree_add_line(tree, line, len);

	tree_flush(tree);
	return added;
}

void flame_tree_add_text(struct flame_tree *tree, const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		const size_t n = end ? (size_t)(end - text) : len;

		tree_add_line(tree, text, n);
		text += end ? n + 1 : n;
		len -= end ? n + 1 : n;
	}
	tree_flush(tree);
}

void flame_tree_settle(struct flame_tree *tree)
{
	free(tree->slots);
	free(tree->frames);
	tree->slots = NULL;
	free(tree->walks);
	tree->walks = NULL;
	tree->frames = NULL;
	tree->frames_room = 0;
}

uint64_t *flame_tree_totals(const struct flame_tree *tree)
{
	uint64_t *totals = mem_realloc_array(NULL, tree->n, sizeof(*totals));

	for (size_t i = 0; i < tree->n; i++)
		totals[i] = tree->nodes[i].self;
	for (size_t i = tree->n; i-- > 1;) {
		if (i > FLAME_AHEAD)
			__builtin_prefetch(&totals[tree->nodes[i - FLAME_AHEAD].parent], 1);
		totals[tree->nodes[i].parent] += totals[i];
	}
	return totals;
}
