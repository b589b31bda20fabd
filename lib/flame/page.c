/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a browser need to filter the stacks of a picture itself? */
#include "base/banned.h"

#include "base/escape.h"
#include "base/str.h"
#include "flame/layout.h"
#include "flame/look.h"
#include "flame/page.h"
#include "flame/svg.h"
#include "flame/tree.h"

#define NAME_BYTES_MAX 4096 /* of a name that is sought in the page */

extern const char flame_flame_js[], flame_flame_js_end[];
extern const char flame_flame_css[], flame_flame_css_end[];

void flame_page_add_style(struct str *out)
{
	str_addn(out, flame_flame_css, (size_t)(flame_flame_css_end - flame_flame_css));
}

static void page_text(struct str *out, const char *key, const char *text)
{
	if (!text)
		return;
	str_addf(out, "\"%s\":", key);
	escape_script(out, text);
	str_add(out, ",\n");
}

/* Names of the boxes, each once, numbered as they come. Returns each box's number; the caller
 * frees. */
static uint32_t *page_add_names(
	struct str *out, const struct flame_tree *tree, const struct flame_layout *layout)
{
	uint32_t *number = mem_zalloc(flame_names_count(tree) * sizeof(*number));
	uint32_t *of = mem_zalloc(layout->n * sizeof(*of)), n = 0;

	str_add(out, "\"names\":[");
	for (size_t i = 1; i < layout->n; i++) {
		const uint32_t name = tree->nodes[layout->boxes[i].node].name;

		if (!number[name]) {
			char *cut = mem_strndup(flame_name_text(tree, name), NAME_BYTES_MAX);

			number[name] = ++n;
			str_add(out, n > 1 ? ",\n" : "");
			escape_script(out, cut);
			free(cut);
		}
		of[i] = number[name] - 1;
	}
	str_add(out, "],\n");
	free(number);
	return of;
}

/* The weights before of each box's own, with what is above it and not kept. */
static uint64_t *page_before(
	const struct flame_tree *tree, const struct flame_layout *layout, const uint64_t *before)
{
	uint64_t *totals = mem_realloc_array(NULL, tree->n, sizeof(*totals));
	uint64_t *rest = mem_zalloc(layout->n * sizeof(*rest));

	memcpy(totals, before, tree->n * sizeof(*totals));
	for (size_t i = tree->n; i-- > 1;)
		totals[tree->nodes[i].parent] += totals[i];
	for (size_t i = 0; i < layout->n; i++)
		rest[i] = totals[layout->boxes[i].node];
	for (size_t i = 1; i < layout->n; i++)
		rest[layout->boxes[i].parent] -= totals[layout->boxes[i].node];
	free(totals);
	return rest;
}

/* Hundreds of thousands: printf would take longer than all else. */
static void page_add_number(struct str *out, uint64_t number, bool first)
{
	char text[24], *at = text + sizeof(text);

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	if (!first)
		*--at = ',';
	str_addn(out, at, (size_t)(text + sizeof(text) - at));
}

static void page_add_boxes(struct str *out, const struct flame_tree *tree,
	const struct flame_layout *layout, const uint64_t *before)
{
	uint32_t *name = page_add_names(out, tree, layout);
	uint64_t *rest = before ? page_before(tree, layout, before) : NULL;

	str_add(out, "\"depth\":[");
	for (size_t i = 0; i < layout->n; i++)
		page_add_number(out, layout->boxes[i].depth, !i);
	str_add(out, "],\n\"name\":[-1");
	for (size_t i = 1; i < layout->n; i++)
		page_add_number(out, name[i], false);
	str_add(out, "],\n\"self\":[");
	for (size_t i = 0; i < layout->n; i++)
		page_add_number(out, layout->boxes[i].rest, !i);
	str_add(out, rest ? "],\n\"before\":[" : "");
	for (size_t i = 0; rest && i < layout->n; i++)
		page_add_number(out, rest[i], !i);
	str_add(out, "]\n}");
	free(name);
	free(rest);
}

static void page_add_filters(struct str *out, const char *key, const struct flame_filters *filters)
{
	str_addf(out, "\"%s\":{", key);
	page_text(out, "hide", filters->hide);
	page_text(out, "only", filters->only);
	page_text(out, "without", filters->without);
	page_text(out, "focus", filters->focus);
	page_text(out, "callers", filters->callers);
	str_addf(out, "\"reverse\":%s,\"collapse\":%s},\n", filters->reverse ? "true" : "false",
		filters->collapse ? "true" : "false");
}

static void page_add_look(struct str *out, const struct flame_page *page, bool whole)
{
	const struct flame_look *look = page->look;

	str_addf(out, "{\n\"each\":%.17g,\"cut\":%llu,\"inverted\":%s,\"least\":%.17g,\n",
		look->seconds_each, (unsigned long long)(whole ? 0 : page->layout->unkept),
		look->inverted ? "true" : "false",
		look->least_pixels > 0 ? look->least_pixels : FLAME_LEAST_PIXELS);
	page_text(out, "unit", look->unit ? look->unit : "samples");
	page_text(out, "of", look->seconds_of ? look->seconds_of : "of a CPU");
	page_text(out, "title", look->title);
	page_text(out, "note", look->note);
	page_text(out, "options", look->options);
	page_text(out, "input", look->input);
	page_text(out, "search", look->search);
	if (page->before)
		str_addf(out, "\"then\":%llu,\"sample\":%.17g,\n",
			(unsigned long long)look->before_total, flame_look_sample(look));
	if (page->filters)
		page_add_filters(out, whole ? "filters" : "made", page->filters);
}

void flame_page_add(struct str *out, const struct flame_page *page)
{
	const bool whole = page->whole->n <= FLAME_BOXES_MAX;
	const bool same = page->whole == page->shown || !whole;
	const struct flame_tree *tree = same ? page->shown : page->whole;
	const uint64_t *before = same ? page->before : page->look->before;
	struct flame_layout layout;

	str_add(out, "<script type=\"application/json\" id=\"data\"><![CDATA[");
	page_add_look(out, page, whole);
	if (same) {
		page_add_boxes(out, tree, page->layout, before);
	} else {
		flame_layout_make(
			&layout, tree, flame_tree_totals(tree), FLAME_BOXES_MAX, UINT64_MAX);
		page_add_boxes(out, tree, &layout, before);
		flame_layout_free(&layout);
	}
	str_add(out, "]]></script>\n<script><![CDATA[\n");
	str_addn(out, flame_flame_js, (size_t)(flame_flame_js_end - flame_flame_js));
	str_add(out, "]]></script>\n");
}
