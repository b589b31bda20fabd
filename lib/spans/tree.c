/* SPDX-License-Identifier: GPL-2.0-only */
/* Which span is within which, and what did the one around all of them wait for? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "spans/spans.h"
#include "spans/tree.h"

#define ROUNDED_NS 2000 /* two forms count in whole microseconds */
#define RUN_LENGTH 12	/* that is sorted by insertion */
#define OVERLAP_PER_MILLE 10

static void *span_tree_grow(void *old, size_t n, size_t size)
{
	return mem_realloc_array(old, n, size);
}

static void span_tree_reserve(struct span_tree *tree, uint32_t n)
{
	uint32_t slots = 64;

	while (slots / 2 < n && slots < UINT32_C(1) << 31)
		slots *= 2;
	if (slots > tree->slots_room) {
		tree->slots = span_tree_grow(tree->slots, slots, sizeof(*tree->slots));
		tree->slots_room = slots;
	}
	if (n <= tree->room)
		return;
	tree->room = n + n / 4;
	tree->row = span_tree_grow(tree->row, tree->room, sizeof(*tree->row));
	tree->parent = span_tree_grow(tree->parent, tree->room, sizeof(*tree->parent));
	tree->start_ns = span_tree_grow(tree->start_ns, tree->room, sizeof(*tree->start_ns));
	tree->end_ns = span_tree_grow(tree->end_ns, tree->room, sizeof(*tree->end_ns));
	tree->first = span_tree_grow(tree->first, (size_t)tree->room + 2, sizeof(*tree->first));
	tree->child = span_tree_grow(tree->child, tree->room, sizeof(*tree->child));
	tree->order = span_tree_grow(tree->order, tree->room, sizeof(*tree->order));
	tree->shift = span_tree_grow(tree->shift, tree->room, sizeof(*tree->shift));
}

/* The slot of an id: its own, or the empty one where it belongs. Ids are hashes, whose lower bits
 * are as good as any. */
static uint32_t *tree_slot(const struct span_tree *tree, uint32_t mask, uint64_t id)
{
	uint32_t at = (uint32_t)id & mask;

	for (;; at = (at + 1) & mask) {
		const uint32_t node = tree->slots[at];

		if (!node || tree->table->id[tree->row[node - 1]] == id)
			return &tree->slots[at];
	}
}

/* Of two of one id that one counts which any order of the lines gives. */
static bool tree_is_better(const struct span_table *table, uint32_t row, uint32_t than)
{
	if (table->start_ns[row] != table->start_ns[than])
		return table->start_ns[row] < table->start_ns[than];
	if (table->duration_ns[row] != table->duration_ns[than])
		return table->duration_ns[row] > table->duration_ns[than];
	return table->parent[row] < table->parent[than];
}

/* Who is there, each once. Returns the mask of the slots. */
static uint32_t tree_collect(struct span_tree *tree, const uint32_t *rows, uint32_t n)
{
	const struct span_table *table = tree->table;
	uint32_t mask = 64, i;

	while (mask / 2 < n && mask < UINT32_C(1) << 31)
		mask *= 2;
	memset(tree->slots, 0, mask * sizeof(*tree->slots));
	mask--;
	tree->n = 0;
	for (i = 0; i < n; i++) {
		const uint64_t id = table->id[rows[i]];
		uint32_t *slot = id ? tree_slot(tree, mask, id) : NULL;

		if (slot && *slot) {
			tree->faults.duplicates++;
			if (tree_is_better(table, rows[i], tree->row[*slot - 1]))
				tree->row[*slot - 1] = rows[i];
			continue;
		}
		tree->row[tree->n++] = rows[i];
		if (slot)
			*slot = tree->n;
	}
	return mask;
}

static void tree_find_parents(struct span_tree *tree, uint32_t mask)
{
	uint32_t i;

	for (i = 0; i < tree->n; i++) {
		const uint64_t parent = tree->table->parent[tree->row[i]];
		const uint32_t node = parent ? *tree_slot(tree, mask, parent) : 0;

		tree->parent[i] = node ? node - 1 : SPAN_NONE;
		tree->faults.orphans += parent && !node;
	}
}

static bool tree_comes_first(const struct span_tree *tree, uint32_t a, uint32_t b)
{
	const struct span_table *table = tree->table;
	const uint32_t left = tree->row[a], right = tree->row[b];

	if (table->start_ns[left] != table->start_ns[right])
		return table->start_ns[left] < table->start_ns[right];
	return table->id[left] < table->id[right];
}

/* A circle is cut above the span of it that begins first. Each node is walked over once: .order has
 * the number of the walk. */
static void tree_cut_circles(struct span_tree *tree)
{
	uint32_t i, at, first;

	memset(tree->order, 0, tree->n * sizeof(*tree->order));
	for (i = 0; i < tree->n; i++) {
		for (at = i; at != SPAN_NONE && !tree->order[at]; at = tree->parent[at])
			tree->order[at] = i + 1;
		if (at == SPAN_NONE || tree->order[at] != i + 1)
			continue;
		tree->faults.circles++;
		first = at;
		for (uint32_t next = tree->parent[at]; next != at; next = tree->parent[next])
			if (tree_comes_first(tree, next, first))
				first = next;
		tree->parent[first] = SPAN_NONE;
	}
}

/* Groups children by their parents, in any order; roots come last, as those of n. */
static void tree_group(struct span_tree *tree)
{
	const uint32_t n = tree->n;
	uint32_t i, sum = 0;

	memset(tree->first, 0, ((size_t)n + 2) * sizeof(*tree->first));
	for (i = 0; i < n; i++)
		tree->first[tree->parent[i] == SPAN_NONE ? n : tree->parent[i]]++;
	for (i = 0; i <= n; i++) {
		const uint32_t count = tree->first[i];

		tree->first[i] = sum;
		sum += count;
	}
	tree->first[n + 1] = sum;
	/* Filling moves each beginning to its end, which is where the next one begins. */
	for (i = 0; i < n; i++)
		tree->child[tree->first[tree->parent[i] == SPAN_NONE ? n : tree->parent[i]]++] = i;
	memmove(tree->first + 1, tree->first, ((size_t)n + 1) * sizeof(*tree->first));
	tree->first[0] = 0;
}

static void tree_put_in_order(struct span_tree *tree)
{
	uint32_t n = tree->first[tree->n + 1] - tree->first[tree->n], i, k;

	memcpy(tree->order, tree->child + tree->first[tree->n], n * sizeof(*tree->order));
	for (i = 0; i < n; i++)
		for (k = tree->first[tree->order[i]]; k < tree->first[tree->order[i] + 1]; k++)
			tree->order[n++] = tree->child[k];
}

/* A clock that is behind is seen where a child begins before its parent, which caused it; one that
 * is ahead where it ends after its parent, which waited for it. Only a child that is alone and has
 * room there is moved: where several are, or a longer one, it may be that nobody waited. */
static int64_t tree_shift_of(
	struct span_tree *tree, uint32_t parent, int64_t start, int64_t duration)
{
	const int64_t room = tree->end_ns[parent] - tree->start_ns[parent] - duration;
	const int64_t late = start - tree->start_ns[parent];

	if ((late >= -ROUNDED_NS && late <= room + ROUNDED_NS) || room < 0 ||
		tree->first[parent + 1] - tree->first[parent] != 1)
		return 0;
	tree->faults.shifted++;
	return tree->start_ns[parent] + room / 2 - start;
}

/* Times that no clock gives could be moved beyond what their type holds. */
static int64_t tree_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a > 0 ? INT64_MAX / 2 : INT64_MIN / 2;
	return sum;
}

static void tree_clip(struct span_tree *tree)
{
	const struct span_table *table = tree->table;
	uint32_t i;

	for (i = 0; i < tree->n; i++) {
		const uint32_t node = tree->order[i], row = tree->row[node],
			       parent = tree->parent[node];
		const int64_t duration = (int64_t)table->duration_ns[row];
		int64_t start = table->start_ns[row], end;

		tree->shift[node] = parent == SPAN_NONE ? 0 : tree->shift[parent];
		start = tree_add(start, tree->shift[node]);
		end = tree_add(start, duration);
		if (parent != SPAN_NONE &&
			(start < tree->start_ns[parent] || end > tree->end_ns[parent])) {
			const int64_t shift = tree_shift_of(tree, parent, start, duration);

			tree->faults.outside += tree->start_ns[parent] - start > ROUNDED_NS ||
				end - tree->end_ns[parent] > ROUNDED_NS;
			tree->shift[node] = tree_add(tree->shift[node], shift);
			start = tree_add(start, shift);
			end = tree_add(end, shift);
			if (start < tree->start_ns[parent])
				start = tree->start_ns[parent];
			if (end > tree->end_ns[parent])
				end = tree->end_ns[parent];
			/* One that is wholly elsewhere has no time in its parent. */
			if (start > end)
				start = end = tree->end_ns[parent] < start ? tree->end_ns[parent]
									   : tree->start_ns[parent];
		}
		tree->start_ns[node] = start;
		tree->end_ns[node] = end;
	}
}

/* By the end, the last first; then the later, shorter one. */
static inline bool tree_key_before(const struct span_tree_key *a, const struct span_tree_key *b)
{
	if (a->end != b->end)
		return a->end > b->end;
	if (a->start != b->start)
		return a->start > b->start;
	return a->id < b->id;
}

static void tree_insert(struct span_tree_key *keys, uint32_t n)
{
	uint32_t i, k;

	for (i = 1; i < n; i++) {
		const struct span_tree_key key = keys[i];

		for (k = i; k && tree_key_before(&key, &keys[k - 1]); k--)
			keys[k] = keys[k - 1];
		keys[k] = key;
	}
}

static void tree_merge(
	struct span_tree_key *to, const struct span_tree_key *from, uint32_t middle, uint32_t n)
{
	uint32_t left = 0, right = middle, i;

	for (i = 0; i < n; i++) {
		const bool takes_right =
			left == middle || (right < n && tree_key_before(&from[right], &from[left]));

		to[i] = from[takes_right ? right++ : left++];
	}
}

static void tree_sort(struct span_tree_key *keys, struct span_tree_key *other, uint32_t n)
{
	struct span_tree_key *from = keys, *to = other, *swap;
	uint32_t i, run;

	for (i = 0; i < n; i += RUN_LENGTH)
		tree_insert(keys + i, n - i < RUN_LENGTH ? n - i : RUN_LENGTH);
	for (run = RUN_LENGTH; run < n && run < UINT32_C(1) << 31; run *= 2) {
		for (i = 0; i < n && n - i > run; i += 2 * run)
			tree_merge(to + i, from + i, run, n - i < 2 * run ? n - i : 2 * run);
		if (i < n)
			memcpy(to + i, from + i, (n - i) * sizeof(*to));
		swap = from;
		from = to;
		to = swap;
	}
	if (from != keys)
		memcpy(keys, from, n * sizeof(*keys));
}

static void tree_reserve_keys(struct span_tree *tree, uint32_t n)
{
	if (n <= tree->keys_room)
		return;
	tree->keys_room = n + n / 4;
	tree->keys = span_tree_grow(tree->keys, tree->keys_room, sizeof(*tree->keys));
	tree->merged = span_tree_grow(tree->merged, tree->keys_room, sizeof(*tree->merged));
}

/* The children of each parent, and the roots. */
static void tree_sort_children(struct span_tree *tree)
{
	uint32_t i, k;

	for (i = 0; i <= tree->n; i++) {
		const uint32_t first = tree->first[i], n = tree->first[i + 1] - first;
		bool sorted = true;

		if (n < 2)
			continue;
		tree_reserve_keys(tree, n);
		for (k = 0; k < n; k++) {
			const uint32_t node = tree->child[first + k];

			tree->keys[k] = (struct span_tree_key){tree->end_ns[node],
				tree->start_ns[node], tree->table->id[tree->row[node]], node};
			sorted = sorted &&
				(!k || !tree_key_before(&tree->keys[k], &tree->keys[k - 1]));
		}
		if (sorted)
			continue;
		tree_sort(tree->keys, tree->merged, n);
		for (k = 0; k < n; k++)
			tree->child[first + k] = tree->keys[k].node;
	}
}

void span_tree_build(
	struct span_tree *tree, const struct span_table *table, const uint32_t *rows, uint32_t n)
{
	uint32_t mask;

	tree->table = table;
	tree->faults = (struct span_faults){0};
	span_tree_reserve(tree, n ? n : 1);
	mask = tree_collect(tree, rows, n);
	tree_find_parents(tree, mask);
	tree_cut_circles(tree);
	tree_group(tree);
	tree_put_in_order(tree);
	tree_clip(tree);
	tree_sort_children(tree);
}

void span_tree_free(struct span_tree *tree)
{
	free(tree->slots);
	free(tree->row);
	free(tree->parent);
	free(tree->start_ns);
	free(tree->end_ns);
	free(tree->first);
	free(tree->child);
	free(tree->order);
	free(tree->keys);
	free(tree->merged);
	free(tree->shift);
	*tree = (struct span_tree){0};
}

int64_t span_tree_tolerance(const struct span_tree *tree, uint32_t node)
{
	return (tree->end_ns[node] - tree->start_ns[node]) / 1000 * OVERLAP_PER_MILLE;
}

int64_t span_tree_self(const struct span_tree *tree, uint32_t node)
{
	int64_t low = tree->end_ns[node], covered = 0;
	uint32_t i;

	for (i = tree->first[node]; i < tree->first[node + 1]; i++) {
		const uint32_t child = tree->child[i];
		const int64_t start = tree->start_ns[child],
			      end = tree->end_ns[child] < low ? tree->end_ns[child] : low;

		if (start >= low)
			continue;
		if (end > start)
			covered += end - start;
		low = start;
	}
	return tree->end_ns[node] - tree->start_ns[node] - covered;
}

/* Where one is on the way back through a node. */
struct tree_walk {
	uint32_t node, next; /* the child that is looked at next */
	int64_t to;	     /* what is behind it has been told */
};

/* The next child on the path, or SPAN_NONE; where it ends is put into end. */
static uint32_t tree_walk_child(const struct span_tree *tree, struct tree_walk *walk, int64_t *end)
{
	const uint32_t last = tree->first[walk->node + 1];
	const int64_t overlap = span_tree_tolerance(tree, walk->node);

	while (walk->next < last) {
		const uint32_t child = tree->child[walk->next++];
		const int64_t ends = tree->end_ns[child];

		if (tree->start_ns[child] >= walk->to || ends - walk->to > overlap ||
			ends <= tree->start_ns[child])
			continue;
		*end = ends < walk->to ? ends : walk->to;
		return child;
	}
	return SPAN_NONE;
}

void span_tree_path(const struct span_tree *tree, uint32_t node, span_piece *piece, void *arg)
{
	size_t room = 64, depth = 1;
	struct tree_walk *walks = mem_realloc_array(NULL, room, sizeof(*walks));

	walks[0] = (struct tree_walk){node, tree->first[node], tree->end_ns[node]};
	while (depth) {
		struct tree_walk *walk = &walks[depth - 1];
		int64_t end = 0;
		const uint32_t child = tree_walk_child(tree, walk, &end);
		const int64_t from = child == SPAN_NONE ? tree->start_ns[walk->node] : end;

		if (walk->to > from)
			piece(arg, tree, walk->node, from, walk->to);
		if (child == SPAN_NONE) {
			depth--;
			continue;
		}
		walk->to = tree->start_ns[child];
		if (depth == room) {
			room *= 2;
			walks = mem_realloc_array(walks, room, sizeof(*walks));
		}
		walks[depth++] = (struct tree_walk){child, tree->first[child], end};
	}
	free(walks);
}
