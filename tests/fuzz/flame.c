/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any folded text lose weight, or come out of the picture as anything but text?
 *
 * The first byte says what is filtered. What was read is written and read again: it is the same; a
 * filter keeps the total; between what we write into a picture no name begins an element.
 */
#include "base/banned.h"

#include <stdint.h>

#include "base/str.h"
#include "flame/folded.h"
#include "flame/layout.h"
#include "flame/reshape.h"
#include "flame/scattered.h"
#include "flame/svg.h"
#include "flame/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_again(const struct flame_tree *tree)
{
	struct flame_tree *again = flame_tree_new();
	struct str folded = STR_INIT;

	flame_tree_write_folded(&folded, tree);
	flame_tree_add_text(again, str_text(&folded), folded.len);
	/* A name may end in blanks, or hold a 0: then it is another one. */
	require(again->total <= tree->total && again->n <= tree->n);
	str_free(&folded);
	flame_tree_free(again);
}

static void check_picture(struct flame_tree *tree, const struct flame_filters *filters)
{
	const struct flame_look look = {.title = "<&>", .options = "--hertz 99", .input = "x"};
	struct str out = STR_INIT;
	const char *at;

	flame_svg(&out, tree, filters, &look);
	require(strlen(str_text(&out)) == out.len);
	for (at = str_text(&out); (at = strstr(at, "]]>")); at += 3)
		require(str_starts(at, "]]></script>"));
	for (at = str_text(&out); *at; at++)
		require((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t');
	str_free(&out);
}

static void check_scattered(const struct flame_tree *tree)
{
	struct flame_scattered_limits limits = {
		.least = 0.01, .most = 1, .widest = 1, .towers = 1, .same = 0.9};
	uint64_t *totals = flame_tree_totals(tree);
	struct flame_scattered found;

	require(totals[0] == tree->total);
	flame_scattered_find(&found, tree, totals, &limits);
	for (size_t i = 0; i < found.n; i++)
		require(found.groups[i].weight <= tree->total &&
			found.groups[i].widest <= found.groups[i].weight);
	flame_scattered_free(&found);
	free(totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flame_tree *tree = flame_tree_new(), *shaped;
	const unsigned int wanted = size ? data[0] : 0;
	const struct flame_filters filters = {
		.hide = wanted & 1 ? "a" : NULL,
		.only = wanted & 2 ? "^b|c$" : NULL,
		.without = wanted & 4 ? "x" : NULL,
		.focus = wanted & 8 ? "b*" : NULL,
		.callers = wanted & 16 ? "c" : NULL,
		.reverse = wanted & 32,
		.collapse = wanted & 64,
	};

	flame_tree_add_text(tree, (const char *)data, size);
	check_again(tree);
	shaped = flame_reshape(tree, &filters, NULL);
	require(shaped->total == tree->total);
	check_scattered(shaped);
	flame_tree_free(shaped);
	check_picture(tree, &filters);
	flame_tree_free(tree);
	return 0;
}
