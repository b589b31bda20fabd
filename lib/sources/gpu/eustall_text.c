/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers are in the lines of a sampling, as it wrote them or as a recording has them? */
#include "base/banned.h"

#include <stdio.h>
#include <string.h>

#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/gpu/eustall_text.h"

#define TEXT_BYTES 400

const struct eustall_top *eustall_top_of(const struct eustall_tops *tops, const char *name)
{
	size_t i;

	for (i = 0; i < tops->n; i++)
		if (!strcmp(tops->list[i].name, name))
			return &tops->list[i];
	return NULL;
}

static struct eustall_top *intern_top(struct eustall_tops *tops, const char *name)
{
	const struct eustall_top *known = eustall_top_of(tops, name);
	struct eustall_top *top;

	if (known)
		return &tops->list[known - tops->list];
	if (tops->n == XE_DEVICES_MAX)
		return NULL;
	top = &tops->list[tops->n++];
	*top = (struct eustall_top){.share = -1};
	snprintf(top->name, sizeof(top->name), "%s", name);
	return top;
}

static void take_top(struct eustall_tops *tops, const char *name, struct bytes words)
{
	struct eustall_top *top = intern_top(tops, name);
	struct bytes address, reason;

	if (!top || !text_word(&words, &address) || !text_word(&words, &reason) ||
		!text_copy(reason, top->reason, sizeof(top->reason)) ||
		!text_copy(address, top->address, sizeof(top->address)))
		return;
}

static void eustall_take_number(struct eustall_tops *tops, const char *name, const char *field,
	struct bytes words, struct sink *sink)
{
	struct eustall_top *top;
	double value;

	if (!text_next_number(&words, &value))
		return;
	sink_put(sink, name, field, value);
	if (strcmp(field, "top_instruction") != 0)
		return;
	top = intern_top(tops, name);
	if (top && value >= 0 && value <= 1)
		top->share = value;
}

/* A line that says something else than a number. */
static bool eustall_take_text(
	const char *name, const char *field, const char *text, struct sink *sink)
{
	if (!strcmp(field, "hung")) {
		sink_missing(sink, "%s does not answer: it, or its driver, hangs", name);
	} else if (!strcmp(field, "unable")) {
		sink_missing(sink, "%s", text);
	} else if (!strcmp(field, "absent")) {
		sink_absent(sink, "%s", text);
	} else if (!strcmp(field, "asleep")) {
		sink_put(sink, name, "samples", 0);
		sink_missing(sink, "%s", text);
	} else {
		return false;
	}
	return true;
}

static void eustall_take_line(struct eustall_tops *tops, struct bytes line, struct sink *sink)
{
	char name[EUSTALL_NAME_BYTES], field[EUSTALL_NAME_BYTES], text[TEXT_BYTES] = "";
	struct bytes word;

	if (!text_word(&line, &word) || !text_copy(word, name, sizeof(name)) ||
		!text_word(&line, &word) || !text_copy(word, field, sizeof(field)))
		return;
	while (line.len && *line.data == ' ') {
		line.data++;
		line.len--;
	}
	if (!text_copy(line, text, sizeof(text)))
		*text = 0;
	if (!strcmp(field, "top"))
		take_top(tops, name, line);
	else if (!eustall_take_text(name, field, text, sink))
		eustall_take_number(tops, name, field, line, sink);
}

void eustall_take_lines(struct eustall_tops *tops, struct bytes lines, struct sink *sink)
{
	struct bytes line;

	while (text_line(&lines, &line))
		eustall_take_line(tops, line, sink);
}
