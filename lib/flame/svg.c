/* SPDX-License-Identifier: GPL-2.0-only */
/* How do stacks become a picture that a browser shows, with a script or without? */
#include "base/banned.h"

#include <math.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/unit.h"
#include "flame/difference.h"
#include "flame/kind.h"
#include "flame/layout.h"
#include "flame/look.h"
#include "flame/page.h"
#include "flame/svg.h"
#include "flame/tree.h"

#define LEFT 10.0
#define ROW 16.0
#define HEAD 188.0 /* title, notes, controls, legend */
#define LEGEND_RIGHT 1010.0
#define CHARACTER 6.62
#define THIN_TENTHS 30
#define THIN_CLASSES 32	 /* more than there are */
#define NAME_COLUMNS 400 /* of a name that is shown whole */

struct flame_drawing {
	struct str *out;
	const struct flame_tree *tree;
	const struct flame_look *look;
	struct flame_layout layout;
	struct flame_difference difference; /* of the boxes; classes is NULL where there is none */
	uint64_t narrow;		    /* the weight below frames that are not drawn */
	uint32_t rows;
	double top, per_weight;
	bool kinds[FLAME_KINDS];
	/* Frames too narrow for a name: a path of each class. */
	struct flame_svg_thin {
		char class[4];
		struct str path;
	} thin[THIN_CLASSES];
	size_t n_thin;
};

/* Functions of one place (a class, a package) share a colour: what is before the last mark counts.
 */
static unsigned int flame_svg_tint(const char *name, size_t len)
{
	size_t end = len, at;

	for (at = 0; at < len && name[at] != '(' && name[at] != ' '; at++)
		if (name[at] == '/' || name[at] == '.' || name[at] == ':' || name[at] == '`')
			end = at;
	return fnv1a_32(FNV1A_32, name, end) % 6;
}

static void flame_svg_add_shown(struct str *out, const char *name, size_t len, size_t columns)
{
	struct str shown = STR_INIT;
	char *cut = mem_strndup(name, len);

	escape_terminal_cut(&shown, *cut ? cut : "[unknown]", columns);
	escape_html_only(out, str_text(&shown));
	free(cut);
	str_free(&shown);
}

void flame_svg_add_count(struct str *out, const char *unit, uint64_t weight)
{
	if (!unit || !strcmp(unit, "samples"))
		plural_add(out, weight, "sample", "samples");
	else
		str_addf(out, "%llu %s", (unsigned long long)weight, unit);
}

static void flame_svg_add_seconds(struct str *out, const struct flame_look *look, uint64_t weight)
{
	if (!(look->seconds_each > 0))
		return;
	str_add(out, ", ");
	value_for_people(out, (double)weight * look->seconds_each, UNIT_SECONDS);
	str_addf(out, " %s", look->seconds_of ? look->seconds_of : "of a CPU");
}

static void flame_svg_add_weight(
	struct str *out, const struct flame_look *look, uint64_t weight, uint64_t all)
{
	str_addf(out, "%.2f %%, ", all ? 100.0 * (double)weight / (double)all : 0.0);
	flame_svg_add_count(out, look->unit, weight);
	flame_svg_add_seconds(out, look, weight);
}

static double flame_svg_y(const struct flame_drawing *drawing, uint32_t depth)
{
	return drawing->top + ROW * (drawing->look->inverted ? depth : drawing->rows - 1 - depth);
}

static void flame_svg_class(
	char class[4], const struct flame_drawing *drawing, size_t at, const char *name)
{
	size_t len;
	const enum flame_kind kind = flame_kind_of(name, &len);

	if (drawing->difference.classes && at)
		snprintf(class, 4, "%s", flame_difference_class(drawing->difference.classes[at]));
	else if (kind == FLAME_PROGRAM && at)
		snprintf(class, 4, "u%u", flame_svg_tint(name, len));
	else
		snprintf(class, 4, "%s", at ? flame_kind_class(kind) : "o");
}

/* As it is written, in tenths: widths are between what is written, so that frames meet. Only what
 * lies between two tenths is left to the C library, which knows its last bit. */
static long flame_svg_tenths(double pixels)
{
	const double tenths = pixels * 10, whole = floor(tenths), rest = tenths - whole;
	char text[32];

	if (fabs(rest - 0.5) > 1e-6)
		return (long)whole + (rest > 0.5);
	snprintf(text, sizeof(text), "%.1f", pixels);
	return lrint(strtod(text, NULL) * 10);
}

/* Half of a large picture's time would be that of printf. */
static void flame_svg_add_tenths(struct str *out, long tenths)
{
	char text[24], *at = text + sizeof(text);

	*--at = (char)('0' + tenths % 10);
	*--at = '.';
	tenths /= 10;
	do {
		*--at = (char)('0' + tenths % 10);
		tenths /= 10;
	} while (tenths);
	str_addn(out, at, (size_t)(text + sizeof(text) - at));
}

static void flame_svg_add_part(struct str *path, long x, long y, long width)
{
	str_addc(path, 'M');
	flame_svg_add_tenths(path, x);
	str_addc(path, ' ');
	flame_svg_add_tenths(path, y * 10);
	path->len -= 2; /* ".0" */
	str_addc(path, 'h');
	flame_svg_add_tenths(path, width);
	str_add(path, "v15h-");
	flame_svg_add_tenths(path, width);
	str_addc(path, 'z');
}

/* The path of all thin frames with the same class. */
static struct str *flame_svg_thin_path(struct flame_drawing *drawing, const char *class)
{
	size_t i;

	for (i = 0; i < drawing->n_thin; i++)
		if (!strcmp(drawing->thin[i].class, class))
			return &drawing->thin[i].path;
	if (i == THIN_CLASSES)
		return &drawing->thin[0].path;
	snprintf(drawing->thin[i].class, sizeof(drawing->thin[i].class), "%s", class);
	drawing->n_thin++;
	return &drawing->thin[i].path;
}

static void flame_svg_add_wide(struct flame_drawing *drawing, size_t at, const char *name,
	const char *class, double x, double y, double width)
{
	const double characters = floor((width - 6) / CHARACTER);
	struct str *out = drawing->out;
	size_t len;

	flame_kind_of(name, &len);
	str_add(out, width >= 4 ? "<g class=\"f c\"><title>" : "<g class=\"f\"><title>");
	flame_svg_add_shown(out, name, len, NAME_COLUMNS);
	str_add(out, ": ");
	flame_svg_add_weight(out, drawing->look, drawing->layout.boxes[at].total,
		drawing->layout.boxes[0].total);
	if (drawing->difference.classes)
		flame_difference_add_words(out, &drawing->difference, at);
	str_addf(out,
		"</title><rect class=\"%s\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" "
		"height=\"15\"/>",
		class, x, y, width);
	if (characters >= 3) {
		str_addf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + 11.5);
		flame_svg_add_shown(out, name, len, (size_t)characters);
		str_add(out, "</text>");
	}
	str_add(out, "</g>\n");
}

static void flame_svg_add_box(struct flame_drawing *drawing, size_t at)
{
	const struct flame_box *box = &drawing->layout.boxes[at];
	const long x = flame_svg_tenths(LEFT + (double)box->start * drawing->per_weight);
	const long end =
		flame_svg_tenths(LEFT + (double)(box->start + box->total) * drawing->per_weight);
	const double y = flame_svg_y(drawing, box->depth);
	const char *name =
		at ? flame_name_text(drawing->tree, drawing->tree->nodes[box->node].name) : "all";
	char class[4];
	size_t len;

	if (at)
		drawing->kinds[flame_kind_of(name, &len)] = true;
	flame_svg_class(class, drawing, at, name);
	if (end - x < THIN_TENTHS)
		flame_svg_add_part(flame_svg_thin_path(drawing, class), x, (long)y, end - x);
	else
		flame_svg_add_wide(
			drawing, at, name, class, (double)x / 10, y, (double)(end - x) / 10);
}

static void flame_svg_add_thin(struct flame_drawing *drawing)
{
	for (size_t i = 0; i < drawing->n_thin; i++) {
		str_addf(drawing->out, "<path class=\"%s\" d=\"%s\"/>\n", drawing->thin[i].class,
			str_text(&drawing->thin[i].path));
		str_free(&drawing->thin[i].path);
	}
	drawing->n_thin = 0;
}

static double flame_svg_least(const struct flame_drawing *drawing)
{
	return drawing->look->least_pixels > 0 ? drawing->look->least_pixels : FLAME_LEAST_PIXELS;
}

static bool flame_svg_is_drawn(const struct flame_drawing *drawing, const struct flame_box *box)
{
	return box->depth < drawing->rows &&
		(double)box->total >= flame_svg_least(drawing) / drawing->per_weight;
}

/* Each weight counts once, where it stops being drawn: above a frame that is drawn in one that was
 * not kept, or in one that is kept and not drawn, with all above that. */
static void flame_svg_count(struct flame_drawing *drawing)
{
	const struct flame_box *boxes = drawing->layout.boxes;
	uint32_t depth = 0;

	drawing->rows = FLAME_ROWS_MAX;
	drawing->narrow = 0;
	for (size_t i = 0; i < drawing->layout.n; i++) {
		if (!i || flame_svg_is_drawn(drawing, &boxes[i])) {
			depth = boxes[i].depth > depth ? boxes[i].depth : depth;
			drawing->narrow += boxes[i].rest - drawing->tree->nodes[boxes[i].node].self;
		} else if (!boxes[i].parent ||
			flame_svg_is_drawn(drawing, &boxes[boxes[i].parent])) {
			drawing->narrow += boxes[i].total;
		}
	}
	drawing->rows = depth + 1;
}

static void flame_svg_add_text(
	struct str *out, double x, double y, const char *class, const char *text)
{
	str_addf(out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">", class, x, y);
	flame_svg_add_shown(out, text, strlen(text), 170);
	str_add(out, "</text>\n");
}

static void flame_svg_add_legend(struct flame_drawing *drawing)
{
	double x = LEFT, y = HEAD - 26;

	if (drawing->difference.classes) {
		flame_difference_add_legend(
			drawing->out, &drawing->difference, flame_look_unit(drawing->look), x, y);
		return;
	}
	for (enum flame_kind kind = 0; kind < FLAME_KINDS; kind++) {
		const char *text = kind == FLAME_BORDER ? "a border" : flame_kind_text(kind);

		if (drawing->kinds[kind] && x > LEGEND_RIGHT) {
			x = LEFT;
			y += 17;
		}
		/* The page shows another one when a filter brings its kind. */
		str_addf(drawing->out,
			"<g data-kind=\"%s\" data-width=\"%.0f\" "
			"transform=\"translate(%.0f,%.0f)\"%s>"
			"<rect class=\"%s%s\" y=\"-10\" width=\"12\" height=\"12\"/>",
			flame_kind_class(kind), floor(40 + 6.4 * (double)strlen(text)), x, y,
			drawing->kinds[kind] ? "" : " style=\"display:none\"",
			flame_kind_class(kind), kind == FLAME_PROGRAM ? "0" : "");
		flame_svg_add_text(drawing->out, 17, 0, "faint", text);
		str_add(drawing->out, "</g>\n");
		x += drawing->kinds[kind] ? floor(40 + 6.4 * (double)strlen(text)) : 0;
	}
}

/* What the picture does not show is said in it. */
static void flame_svg_add_facts(const struct flame_drawing *drawing)
{
	const struct flame_tree *tree = drawing->tree;
	const uint64_t broken = flame_kind_weight(tree, FLAME_BROKEN);
	struct str facts = STR_INIT;

	flame_svg_add_count(&facts, drawing->look->unit, tree->total);
	flame_svg_add_seconds(&facts, drawing->look, tree->total);
	if (drawing->narrow)
		str_addf(&facts,
			"; %.1f %% of them in frames that are too narrow to draw, or too many",
			100.0 * (double)drawing->narrow / (double)tree->total);
	if (broken)
		str_addf(&facts, "; %.1f %% in stacks that were lost on the way",
			100.0 * (double)broken / (double)tree->total);
	if (tree->unread) {
		str_add(&facts, "; ");
		plural_add(&facts, tree->unread, "line was no stack", "lines were no stack");
	}
	if (tree->cut) {
		str_add(&facts, "; ");
		plural_add(&facts, tree->cut, "stack was cut", "stacks were cut");
		str_addf(&facts, " at %d frames", FLAME_DEPTH_MAX);
	}
	if (drawing->rows >= FLAME_ROWS_MAX)
		str_addf(&facts, "; cut at %d rows", FLAME_ROWS_MAX);
	str_add(drawing->out, "<g id=\"facts\">");
	flame_svg_add_text(drawing->out, LEFT, 46, "faint", str_text(&facts));
	str_add(drawing->out, "</g>\n");
	str_free(&facts);
	if (drawing->look->note)
		flame_svg_add_text(drawing->out, LEFT, 64, "faint", drawing->look->note);
}

static void flame_svg_begin(struct flame_drawing *drawing, double height)
{
	const char *title = drawing->look->title ? drawing->look->title : "Flame graph";
	struct str *out = drawing->out;

	str_addf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 %.0f\" "
		"width=\"1200\" height=\"%.0f\" role=\"group\" aria-labelledby=\"t d\">\n"
		"<title id=\"t\">",
		height, height);
	flame_svg_add_shown(out, title, strlen(title), NAME_COLUMNS);
	str_add(out,
		"</title>\n<desc id=\"d\">A flame graph: each frame is as wide as its share, and "
		"stands on "
		"what called it. Arrow keys go from frame to frame, Enter zooms, Escape zooms out, "
		"/ "
		"searches.</desc>\n<style>\n");
	flame_page_add_style(out);
	str_add(out,
		"</style>\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
		"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		"<rect width=\"6\" height=\"6\" fill=\"#e6e0dc\"/>"
		"<rect width=\"3\" height=\"6\" fill=\"#b3a59b\"/></pattern></defs>\n");
	str_addf(out, "<rect class=\"paper\" id=\"paper\" width=\"1200\" height=\"%.0f\"/>\n",
		height);
	flame_svg_add_text(out, LEFT, 26, "title", title);
}

/* The frames first, since the legend has the kinds that were drawn. */
static void flame_svg_draw(struct flame_drawing *drawing)
{
	struct str *out = drawing->out, frames = STR_INIT;
	double height;

	flame_svg_count(drawing);
	drawing->top = HEAD;
	height = HEAD + ROW * drawing->rows + 12;
	drawing->out = &frames;
	for (size_t i = 0; i < drawing->layout.n; i++)
		if (flame_svg_is_drawn(drawing, &drawing->layout.boxes[i]) || !i)
			flame_svg_add_box(drawing, i);
	flame_svg_add_thin(drawing);
	drawing->out = out;
	if (drawing->difference.gone_total)
		height += flame_difference_height(&drawing->difference);
	flame_svg_begin(drawing, height);
	flame_svg_add_facts(drawing);
	str_add(out, "<g id=\"controls\">");
	flame_svg_add_text(out, LEFT, 92, "faint",
		"Opened in a browser this picture can be zoomed, searched and filtered.");
	str_add(out, "</g>\n<g id=\"legend\">");
	flame_svg_add_legend(drawing);
	str_add(out, "</g>\n<g id=\"frames\" role=\"tree\" aria-label=\"frames\">\n");
	str_addn(out, str_text(&frames), frames.len);
	str_add(out, "</g>\n");
	if (drawing->difference.gone_total)
		flame_difference_add_gone(
			out, &drawing->difference, drawing->look, HEAD + ROW * drawing->rows + 12);
	str_free(&frames);
}

static void flame_svg_make(
	struct flame_drawing *drawing, struct flame_tree *tree, const uint64_t *before)
{
	drawing->tree = tree;
	drawing->per_weight = tree->total ? FLAME_PIXELS / (double)tree->total : 0;
	flame_layout_make(&drawing->layout, tree, flame_tree_totals(tree), FLAME_BOXES_MAX,
		tree->total ? (uint64_t)ceil(flame_svg_least(drawing) / drawing->per_weight) : 1);
	if (before)
		flame_difference_make(&drawing->difference, tree, &drawing->layout, before,
			drawing->look->before_total, flame_look_sample(drawing->look));
	flame_svg_draw(drawing);
}

static void flame_svg_free(struct flame_drawing *drawing)
{
	flame_layout_free(&drawing->layout);
	flame_difference_free(&drawing->difference);
}

void flame_svg(struct str *out, struct flame_tree *tree, const struct flame_filters *filters,
	const struct flame_look *look)
{
	const bool filtered = filters && flame_filters_any(filters);
	struct flame_drawing drawing = {.out = out, .look = look};
	struct flame_tree *shaped = tree;
	uint64_t *before = NULL;

	if (look->before) {
		before = mem_realloc_array(NULL, tree->n, sizeof(*before));
		memcpy(before, look->before, tree->n * sizeof(*before));
	}
	if (filtered)
		shaped = flame_reshape(tree, filters, &before);
	flame_svg_make(&drawing, shaped, before);
	flame_page_add(out,
		&(struct flame_page){.whole = tree,
			.shown = shaped,
			.layout = &drawing.layout,
			.before = before,
			.filters = filtered ? filters : NULL,
			.look = look});
	str_add(out, "</svg>\n");
	flame_svg_free(&drawing);
	if (filtered)
		flame_tree_free(shaped);
	free(before);
}
