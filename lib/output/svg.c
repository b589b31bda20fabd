/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen as a picture: for a ticket, a chat or a page. */
#include "base/banned.h"

#include "base/escape.h"
#include "base/str.h"
#include "output/writer.h"

#define SVG_COLUMNS 80
#define CELL_WIDTH 8.4 /* of a letter of 14 pixels in a face of equal widths */
#define LINE_HEIGHT 18
#define MARGIN 14

static const char svg_head[] =
	"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.0f\" height=\"%zu\" "
	"viewBox=\"0 0 %.0f %zu\">\n"
	"<title>What Tuesday says of this machine</title>\n"
	"<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#16181d\"/>\n"
	"<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', "
	"monospace\" font-size=\"14\" fill=\"#d7dae0\">\n";

/* The colours of verdicts, by the codes that a terminal is given. */
static const struct {
	const char *code, *style;
} svg_styles[] = {
	{"\033[32m", "fill=\"#7ec97e\""},
	{"\033[33m", "fill=\"#e5c07b\""},
	{"\033[1;31m", "fill=\"#ff6b68\" font-weight=\"bold\""},
	{"\033[35m", "fill=\"#c792ea\""},
	{"\033[2m", "fill=\"#8a8f98\""},
};
static const char svg_plain[] = "\033[0m";

/* Takes a code, which opens or closes a part of the line. Returns its length, 0: it is none. */
static size_t svg_take_code(struct str *out, const char *at)
{
	size_t i;

	if (str_starts(at, svg_plain)) {
		str_add(out, "</tspan>");
		return strlen(svg_plain);
	}
	for (i = 0; i < ARRAY_SIZE(svg_styles); i++)
		if (str_starts(at, svg_styles[i].code)) {
			str_addf(out, "<tspan %s>", svg_styles[i].style);
			return strlen(svg_styles[i].code);
		}
	return 0;
}

/* The text is escaped for a terminal already: no control character is in it but the codes. */
static void svg_add_line(struct str *out, const char *line, size_t len, size_t row)
{
	size_t i = 0;

	if (!len)
		return;
	str_addf(out, "<text x=\"%d\" y=\"%zu\" xml:space=\"preserve\">", MARGIN,
		MARGIN + LINE_HEIGHT * row + 12);
	while (i < len) {
		size_t code = svg_take_code(out, line + i), plain = 0;
		char *part;

		i += code;
		if (code)
			continue;
		while (i + plain < len && line[i + plain] != '\033')
			plain++;
		part = mem_strndup(line + i, plain ? plain : 1);
		escape_html(out, plain ? part : "");
		free(part);
		i += plain ? plain : 1;
	}
	str_add(out, "</text>\n");
}

static void svg_write(
	struct str *out, const struct report *report, const struct writer_options *options)
{
	struct writer_options how = *options;
	struct str text = STR_INIT;
	const double width = SVG_COLUMNS * CELL_WIDTH + 2 * MARGIN;
	size_t rows = 0, height, row, i;
	const char *at;

	how.color = true;
	how.columns = SVG_COLUMNS;
	how.terminal = false;
	writer_find("text")->write(&text, report, &how);
	for (i = 0; i < text.len; i++)
		rows += text.text[i] == '\n';
	height = rows * LINE_HEIGHT + 2 * MARGIN;
	str_addf(out, svg_head, width, height, width, height);
	at = str_text(&text);
	for (row = 0; row < rows; row++) {
		size_t len = strcspn(at, "\n");

		svg_add_line(out, at, len, row);
		at += len + 1;
	}
	str_add(out, "</g>\n</svg>\n");
	str_free(&text);
}

WRITER(svg) = {
	.name = "svg",
	.what = "the screen as a picture",
	.write = svg_write,
};
