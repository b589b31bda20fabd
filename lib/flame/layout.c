/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does each frame of a picture lie? */
#include "base/banned.h"

#include "base/str.h"
#include "flame/layout.h"
#include "flame/tree.h"

/* Weights by their first bits, so that one pass finds how heavy the heaviest are: within a
 * thousandth, which only means that a few less are kept. */
enum { CLASS_BITS = 10, CLASSES = 64 << CLASS_BITS };

static size_t layout_class(uint64_t weight)
{
	const unsigned int top = 63 - (unsigned int)__builtin_clzll(weight | 1);

	if (top <= CLASS_BITS)
		return (size_t)weight;
	return ((size_t)(top - CLASS_BITS) << CLASS_BITS) + (size_t)(weight >> (top - CLASS_BITS));
}

static uint64_t layout_class_least(size_t class)
{
	const size_t shift = class >> CLASS_BITS;

	if (shift < 2)
		return class;
	return (uint64_t)(class - ((shift - 1) << CLASS_BITS)) << (shift - 1);
}

/* The least weight of which, with all that is heavier, there are at most n_max. */
static uint64_t layout_least(const struct flame_tree *tree, const uint64_t *totals, size_t n_max)
{
	uint32_t *counts = mem_zalloc(CLASSES * sizeof(*counts));
	size_t class = CLASSES, kept = 0;

	for (size_t i = 1; i < tree->n; i++)
		counts[layout_class(totals[i])]++;
	while (class > 1 && kept + counts[class - 1] < n_max)
		kept += counts[--class];
	free(counts);
	return class > 1 ? layout_class_least(class) : 1;
}

struct layout_kept {
	const struct flame_tree *tree;
	uint32_t node;
	uint32_t parent; /* among those kept */
	char next;	 /* what stands behind its name in a folded line */
};

/* As lines are sorted: where one name begins the other, what comes behind it counts. */
static int layout_order(const void *a, const void *b)
{
	const struct layout_kept *x = a, *y = b;
	const unsigned char *s, *t;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	s = (const unsigned char *)flame_name_text(x->tree, x->tree->nodes[x->node].name);
	t = (const unsigned char *)flame_name_text(y->tree, y->tree->nodes[y->node].name);
	while (*s && *s == *t) {
		s++;
		t++;
	}
	return (*s ? *s : (unsigned char)x->next) - (*t ? *t : (unsigned char)y->next);
}

/* The nodes that are kept but the root, by parent and name; what is not is added up. place: of each
 * node among those kept. */
static struct layout_kept *layout_keep(
	struct flame_layout *layout, const struct flame_tree *tree, uint32_t *place, size_t *n)
{
	struct layout_kept *kept = NULL;
	size_t room = 0;

	*n = 0;
	place[0] = 0;
	for (size_t i = 1; i < tree->n; i++) {
		if (layout->totals[i] < layout->least) {
			if (layout->totals[tree->nodes[i].parent] >= layout->least)
				layout->unkept += layout->totals[i];
			continue;
		}
		ARRAY_GROW(kept, *n, room);
		kept[*n] = (struct layout_kept){tree, (uint32_t)i, place[tree->nodes[i].parent],
			layout->totals[i] > tree->nodes[i].self ? ';' : ' '};
		place[i] = (uint32_t)++ * n;
	}
	if (*n)
		qsort(kept, *n, sizeof(*kept), layout_order);
	return kept;
}

/* Boxes that stand on the one at, pushed so that the first is on top. */
static size_t layout_push(uint32_t *stack, size_t depth, uint32_t from, uint32_t to)
{
	while (to > from)
		stack[depth++] = --to;
	return depth;
}

static void layout_place(struct flame_layout *layout, const struct layout_kept *kept,
	const uint32_t *first, const uint32_t *place, uint64_t root_self)
{
	const size_t n = layout->n;
	uint32_t *stack = mem_realloc_array(NULL, n + 1, sizeof(*stack));
	uint32_t *box_of = mem_zalloc((n + 1) * sizeof(*box_of));
	uint64_t *next = mem_zalloc((n + 1) * sizeof(*next));
	size_t depth = layout_push(stack, 0, first[0], first[1]), at = 1;

	next[0] = root_self;
	while (depth) {
		const struct layout_kept *one = &kept[stack[--depth]];
		const uint32_t self = place[one->node], below = box_of[one->parent];
		struct flame_box *box = &layout->boxes[at], *parent = &layout->boxes[below];

		*box = (struct flame_box){.node = one->node,
			.parent = below,
			.depth = parent->depth + 1,
			.start = parent->start + next[below],
			.total = layout->totals[one->node]};
		box->rest = box->total;
		parent->rest -= box->total;
		next[below] += box->total;
		if (box->depth > layout->depth)
			layout->depth = box->depth;
		next[at] = one->tree->nodes[one->node].self;
		box_of[self] = (uint32_t)at++;
		depth = layout_push(stack, depth, first[self], first[self + 1]);
	}
	free(stack);
	free(box_of);
	free(next);
}

/* What is drawn has more room than what is kept for the page's filters only. */
static uint64_t layout_border(
	const struct flame_tree *tree, const uint64_t *totals, size_t n_max, uint64_t drawn)
{
	const uint64_t least = tree->n <= n_max ? 1 : layout_least(tree, totals, n_max);
	uint64_t at_most;

	if (least <= drawn)
		return least;
	at_most = layout_least(tree, totals, n_max * 4);
	return at_most > drawn ? at_most : drawn;
}

void flame_layout_make(struct flame_layout *layout, const struct flame_tree *tree, uint64_t *totals,
	size_t n_max, uint64_t drawn)
{
	uint32_t *place = mem_realloc_array(NULL, tree->n, sizeof(*place)), *first;
	struct layout_kept *kept;
	size_t n, at = 0;

	*layout = (struct flame_layout){.totals = totals};
	layout->least = layout_border(tree, totals, n_max, drawn > 1 ? drawn : 1);
	kept = layout_keep(layout, tree, place, &n);
	layout->n = n + 1;
	layout->boxes = mem_zalloc(layout->n * sizeof(*layout->boxes));
	layout->boxes[0].total = layout->boxes[0].rest = totals[0];
	first = mem_realloc_array(NULL, n + 2, sizeof(*first));
	for (size_t parent = 0; parent < n + 2; parent++) {
		while (at < n && kept[at].parent < parent)
			at++;
		first[parent] = (uint32_t)at;
	}
	layout_place(layout, kept, first, place, tree->nodes[0].self);
	free(first);
	free(kept);
	free(place);
}

void flame_layout_free(struct flame_layout *layout)
{
	free(layout->boxes);
	free(layout->totals);
	*layout = (struct flame_layout){0};
}
