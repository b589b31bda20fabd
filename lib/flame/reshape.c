/* SPDX-License-Identifier: GPL-2.0-only */
/* How do stacks look without some frames, from a frame on, or from their ends? */
#include "base/banned.h"

#include "base/str.h"
#include "flame/pattern.h"
#include "flame/reshape.h"
#include "flame/tree.h"

struct reshaping {
	const struct flame_filters *filters;
	bool *hide, *only, *without, *focus, *callers; /* of each name; NULL: not asked for */
	uint32_t other;
	uint32_t *names; /* of one stack, its root first */
	size_t n;
};

bool flame_filters_any(const struct flame_filters *filters)
{
	return filters->hide || filters->only || filters->without || filters->focus ||
		filters->callers || filters->reverse || filters->collapse;
}

static void reshape_turn(struct reshaping *shape)
{
	for (size_t i = 0; i < shape->n / 2; i++) {
		const uint32_t name = shape->names[i];

		shape->names[i] = shape->names[shape->n - 1 - i];
		shape->names[shape->n - 1 - i] = name;
	}
}

/* The frames of the stack that ends in a node, without those that are hidden. */
static void reshape_path(struct reshaping *shape, const struct flame_tree *tree, size_t node)
{
	shape->n = 0;
	for (; node && shape->n < FLAME_DEPTH_MAX; node = tree->nodes[node].parent) {
		const uint32_t name = tree->nodes[node].name;

		if (!shape->hide || !shape->hide[name])
			shape->names[shape->n++] = name;
	}
	reshape_turn(shape);
}

/* The first frame that matches, or n. */
static size_t reshape_first(const struct reshaping *shape, const bool *matches)
{
	size_t i = 0;

	while (i < shape->n && !matches[shape->names[i]])
		i++;
	return i;
}

static bool reshape_leaves_out(const struct reshaping *shape)
{
	return (shape->only && reshape_first(shape, shape->only) == shape->n) ||
		(shape->without && reshape_first(shape, shape->without) < shape->n) ||
		(shape->focus && reshape_first(shape, shape->focus) == shape->n) ||
		(shape->callers && reshape_first(shape, shape->callers) == shape->n);
}

static void reshape_stack(struct reshaping *shape)
{
	size_t first;

	if (reshape_leaves_out(shape)) {
		shape->names[0] = shape->other;
		shape->n = 1;
		return;
	}
	if (shape->focus) {
		first = reshape_first(shape, shape->focus);
		shape->n -= first;
		memmove(shape->names, shape->names + first, shape->n * sizeof(*shape->names));
	}
	if (shape->callers) {
		/* Where the focus has cut, the callers are those from there on. */
		first = reshape_first(shape, shape->callers);
		shape->n = first < shape->n ? first + 1 : shape->n;
		reshape_turn(shape);
	}
	if (shape->filters->reverse)
		reshape_turn(shape);
}

static void reshape_into(struct flame_tree *to, struct reshaping *shape,
	const struct flame_tree *tree, const uint64_t *before)
{
	for (size_t i = 0; i < tree->n; i++) {
		const uint64_t weight = before ? before[i] : tree->nodes[i].self;

		if (!weight)
			continue;
		reshape_path(shape, tree, i);
		reshape_stack(shape);
		flame_tree_add_names(to, shape->names, shape->n, weight);
	}
}

/* Chains of frames with one another as only one above, by the first of each. */
struct chains {
	uint32_t *head; /* of each node: the first one of its chain */
	uint32_t *end;	/* of each head: the last one */
	uint32_t *name; /* of each head: what all are called */
};

static void chains_find(
	struct chains *chains, const struct flame_tree *tree, const uint64_t *before)
{
	uint32_t *above = mem_zalloc(tree->n * sizeof(*above));

	for (size_t i = 1; i < tree->n; i++)
		above[tree->nodes[i].parent]++;
	for (size_t i = 1; i < tree->n; i++) {
		const uint32_t below = tree->nodes[i].parent;
		const bool follows = below && above[below] == 1 && !tree->nodes[below].self &&
			!(before && before[below]);

		chains->head[i] = follows ? chains->head[below] : (uint32_t)i;
		chains->end[chains->head[i]] = (uint32_t)i;
	}
	free(above);
}

static void chains_name(struct chains *chains, struct flame_tree *tree)
{
	uint32_t *links = mem_zalloc(tree->n * sizeof(*links));
	struct str name = STR_INIT;

	for (size_t i = 1; i < tree->n; i++)
		links[chains->head[i]]++;
	for (size_t i = 1; i < tree->n; i++) {
		const char *last;

		if (chains->head[i] != i)
			continue;
		chains->name[i] = tree->nodes[i].name;
		if (links[i] == 1)
			continue;
		last = flame_name_text(tree, tree->nodes[chains->end[i]].name);
		str_clear(&name);
		str_add(&name, flame_name_text(tree, tree->nodes[i].name));
		str_add(&name, " > ");
		if (links[i] > 2)
			str_addf(&name, "%u more > ", links[i] - 2);
		str_add(&name, last);
		chains->name[i] = flame_name(tree, name.text, name.len);
	}
	str_free(&name);
	free(links);
}

static void chains_into(struct flame_tree *to, struct reshaping *shape, const struct chains *chains,
	const struct flame_tree *tree, const uint64_t *before)
{
	for (size_t i = 0; i < tree->n; i++) {
		const uint64_t weight = before ? before[i] : tree->nodes[i].self;
		size_t at = i;

		if (!weight)
			continue;
		for (shape->n = 0; at && shape->n < FLAME_DEPTH_MAX;
			at = tree->nodes[chains->head[at]].parent)
			shape->names[shape->n++] = chains->name[chains->head[at]];
		reshape_turn(shape);
		flame_tree_add_names(to, shape->names, shape->n, weight);
	}
}

uint64_t *flame_tree_take_selves(struct flame_tree *tree, uint64_t *total)
{
	uint64_t *selves = mem_realloc_array(NULL, tree->n, sizeof(*selves));

	for (size_t i = 0; i < tree->n; i++) {
		selves[i] = tree->nodes[i].self;
		tree->nodes[i].self = 0;
	}
	*total = tree->total;
	tree->total = 0;
	return selves;
}

uint64_t *flame_tree_fit_selves(const struct flame_tree *tree, uint64_t *selves, size_t n)
{
	selves = mem_realloc_array(selves, tree->n, sizeof(*selves));
	memset(selves + n, 0, (tree->n - n) * sizeof(*selves));
	return selves;
}

/* Both weights go into the new tree, one after the other. */
static struct flame_tree *reshape_twice(struct flame_tree *tree, struct reshaping *shape,
	const struct chains *chains, uint64_t **before)
{
	struct flame_tree *to = flame_tree_new_beside(tree);
	uint64_t *selves = NULL, total;
	size_t n = 0;

	for (int second = !(before && *before); second < 2; second++) {
		const uint64_t *weights = second ? NULL : *before;

		if (chains)
			chains_into(to, shape, chains, tree, weights);
		else
			reshape_into(to, shape, tree, weights);
		if (!second) {
			n = to->n;
			selves = flame_tree_take_selves(to, &total);
		}
	}
	if (selves) {
		free(*before);
		*before = flame_tree_fit_selves(to, selves, n);
	}
	to->unread = tree->unread;
	to->cut = tree->cut;
	to->stacks = tree->stacks;
	return to;
}

static struct flame_tree *reshape_collapse(
	struct flame_tree *tree, struct reshaping *shape, uint64_t **before)
{
	struct chains chains = {
		.head = mem_zalloc(tree->n * sizeof(uint32_t)),
		.end = mem_zalloc(tree->n * sizeof(uint32_t)),
		.name = mem_zalloc(tree->n * sizeof(uint32_t)),
	};
	struct flame_tree *to;

	chains_find(&chains, tree, before ? *before : NULL);
	chains_name(&chains, tree);
	to = reshape_twice(tree, shape, &chains, before);
	free(chains.head);
	free(chains.end);
	free(chains.name);
	return to;
}

struct flame_tree *flame_reshape(
	struct flame_tree *tree, const struct flame_filters *filters, uint64_t **before)
{
	struct reshaping shape = {
		.filters = filters,
		.other = flame_name(tree, FLAME_OTHER, strlen(FLAME_OTHER)),
		.names = mem_realloc_array(NULL, FLAME_DEPTH_MAX + 1, sizeof(uint32_t)),
	};
	struct flame_tree *to, *whole;

	shape.hide = flame_pattern_names(tree, filters->hide);
	shape.only = flame_pattern_names(tree, filters->only);
	shape.without = flame_pattern_names(tree, filters->without);
	shape.focus = flame_pattern_names(tree, filters->focus);
	shape.callers = flame_pattern_names(tree, filters->callers);
	to = reshape_twice(tree, &shape, NULL, before);
	if (filters->collapse) {
		whole = to;
		to = reshape_collapse(whole, &shape, before);
		flame_tree_free(whole);
	}
	free(shape.hide);
	free(shape.only);
	free(shape.without);
	free(shape.focus);
	free(shape.callers);
	free(shape.names);
	return to;
}
