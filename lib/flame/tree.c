/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stacks begin alike, and how heavy is each of their beginnings? */
#include "base/banned.h"

#include "base/hash.h"
#include "base/str.h"
#include "flame/names.h"
#include "flame/tree.h"

enum { SLOT_BITS_FIRST = 12, SLOT_BITS_MAX = 31 };

struct flame_frame {
	const char *text; /* NULL: name is known */
	size_t len;
	uint64_t hash; /* of its name */
	uint64_t path; /* of all names until here */
	uint32_t name;
};

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
 * slot. All others are found by the hash of their path.
 *
 * A slot is the upper half of a path's hash and a node; 0 is free, since the root has none. Its
 * place is that half's uppermost bits, so that slots are in the order of their hashes, but for
 * those that were taken, and can be put into a larger table without the hashes.
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

static bool tree_is(const struct flame_tree *tree, uint32_t node, uint32_t parent,
	const struct flame_frame *frame)
{
	const struct flame_node *found = &tree->nodes[node];

	if (found->parent != parent || flame_names_hash(tree->names, found->name) != frame->hash)
		return false;
	if (!frame->text)
		return found->name == frame->name;
	return flame_names_len(tree->names, found->name) == frame->len &&
		!memcmp(flame_names_text(tree->names, found->name), frame->text, frame->len);
}

/* The node of a frame below its parent, or 0. */
static uint32_t tree_find(
	const struct flame_tree *tree, uint32_t parent, const struct flame_frame *frame)
{
	size_t at = tree_place(tree, frame->path);

	if (parent + 1 < tree->n && tree_is(tree, parent + 1, parent, frame))
		return parent + 1;
	for (; tree->slots[at]; at = tree_next(tree, at)) {
		const uint64_t slot = tree->slots[at];

		if (slot >> 32 == frame->path >> 32 && tree_is(tree, (uint32_t)slot, parent, frame))
			return (uint32_t)slot;
	}
	return 0;
}

static uint32_t tree_make(struct flame_tree *tree, uint32_t parent, const struct flame_frame *frame)
{
	const uint32_t name = frame->text
		? flame_names_add(tree->names, frame->text, frame->len, frame->hash)
		: frame->name;

	ARRAY_GROW(tree->nodes, tree->n, tree->room);
	tree->nodes[tree->n] = (struct flame_node){.parent = parent, .name = name};
	if (tree->n++ == parent + 1)
		return parent + 1;
	if (tree->n > UINT32_MAX)
		out_of_memory(tree->n * sizeof(*tree->nodes));
	tree_put(tree, (frame->path >> 32 << 32) | (tree->n - 1));
	if (++tree->slots_used > ((size_t)3 << tree->slot_bits) / 4)
		tree_grow(tree);
	return (uint32_t)(tree->n - 1);
}

/* Adds the stack that lies in tree->frames. */
static void tree_add_frames(struct flame_tree *tree, size_t n, uint64_t weight)
{
	uint32_t node = 0, below;
	size_t i;

	for (i = 0; i < n; i++, node = below) {
		below = tree_find(tree, node, &tree->frames[i]);
		if (!below)
			break;
	}
	/* What is new has nothing above it yet. */
	for (; i < n; i++)
		node = tree_make(tree, node, &tree->frames[i]);
	tree->nodes[node].self += weight;
	tree->total += weight;
	tree->stacks++;
}

static void tree_take(struct flame_tree *tree, size_t i, struct flame_frame frame)
{
	const uint64_t before = i ? tree->frames[i - 1].path : tree->key[1];

	if (i == tree->frames_room) {
		tree->frames_room = i ? i * 2 : 64;
		tree->frames =
			mem_realloc_array(tree->frames, tree->frames_room, sizeof(*tree->frames));
	}
	frame.path = flame_hash_path(tree->key, before, frame.hash);
	tree->frames[i] = frame;
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
	for (size_t i = 0; i < n; i++) {
		const size_t len = strlen(frames[i]);

		tree_take(tree, i,
			(struct flame_frame){.text = frames[i],
				.len = len,
				.hash = flame_hash(tree->key, frames[i], len)});
	}
	tree_add_frames(tree, n, weight);
}

void flame_tree_add_names(struct flame_tree *tree, const uint32_t *names, size_t n, uint64_t weight)
{
	if (!tree_has_room(tree, weight))
		return;
	for (size_t i = 0; i < n; i++)
		tree_take(tree, i,
			(struct flame_frame){
				.name = names[i], .hash = flame_names_hash(tree->names, names[i])});
	tree_add_frames(tree, n, weight);
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

bool flame_tree_add_line(struct flame_tree *tree, const char *line, size_t len)
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
		len = (size_t)(next - line);
		tree_take(tree, n++,
			(struct flame_frame){.text = line,
				.len = len,
				.hash = flame_hash(tree->key, line, len)});
	}
	tree->cut += line <= end;
	tree_add_frames(tree, n, weight);
	return true;
}

void flame_tree_settle(struct flame_tree *tree)
{
	free(tree->slots);
	free(tree->frames);
	tree->slots = NULL;
	tree->frames = NULL;
	tree->frames_room = 0;
}

uint64_t *flame_tree_totals(const struct flame_tree *tree)
{
	uint64_t *totals = mem_realloc_array(NULL, tree->n, sizeof(*totals));

	for (size_t i = 0; i < tree->n; i++)
		totals[i] = tree->nodes[i].self;
	for (size_t i = tree->n; i-- > 1;)
		totals[tree->nodes[i].parent] += totals[i];
	return totals;
}
