/* SPDX-License-Identifier: GPL-2.0-only */
/* Which value stands here in a report, and is it one that may? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/str.h"
#include "output/read_fields.h"
#include "trace/result.h"

#define TEXT_BYTES 4096
#define NAME_BYTES 128
/* A hundred times what a report of a real machine takes. */
#define MEMORY_MAX ((size_t)48 << 20)

bool fields_enter(struct report_fields *fields, char bracket)
{
	if (json_kind(&fields->scan) == bracket)
		return json_enter(&fields->scan, bracket);
	json_skip(&fields->scan);
	return false;
}

bool fields_more(struct report_fields *fields, size_t n, size_t max)
{
	if (n < max && fields->arena.bytes < MEMORY_MAX)
		return true;
	if (!fields->scan.err) {
		fields->scan.err = -E2BIG;
		fields->scan.wrong = "it has more of something than any run writes";
	}
	return false;
}

void *fields_grow(struct report_fields *fields, void *array, size_t n, size_t *room, size_t size)
{
	void *grown;

	if (n < *room)
		return array;
	*room = *room ? *room * 2 : 4;
	grown = arena_alloc(&fields->arena, *room * size);
	return n ? memcpy(grown, array, n * size) : grown;
}

static bool fields_is_plain(const struct json_text *text)
{
	size_t i;

	for (i = 0; i < text->len; i++)
		if ((unsigned char)text->at[i] >= 0x80)
			return false;
	return !text->escaped;
}

char *fields_copy(struct report_fields *fields, const struct json_text *text, size_t max)
{
	struct str valid = STR_INIT;
	char *copy;

	if (fields_is_plain(text))
		return arena_copy(&fields->arena, text->at, text->len < max ? text->len : max);
	json_add_text(&valid, text, max);
	copy = arena_copy(&fields->arena, str_text(&valid), valid.len);
	str_free(&valid);
	return copy;
}

char *fields_text(struct report_fields *fields, size_t max)
{
	struct json_text text;

	return json_text(&fields->scan, &text) ? fields_copy(fields, &text, max) : NULL;
}

char *fields_name(struct report_fields *fields)
{
	char *name = fields_text(fields, NAME_BYTES), *at;

	for (at = name; at && *at; at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/+@",
			    *at))
			*at = '?';
	return name;
}

size_t fields_texts(struct report_fields *fields, char ***list, size_t max)
{
	size_t n = 0, room = 0;

	if (!fields_enter(fields, '['))
		return 0;
	while (json_element(&fields->scan)) {
		char *text = fields_text(fields, TEXT_BYTES);

		if (!text || !fields_more(fields, n, max))
			continue;
		*list = fields_grow(fields, *list, n, &room, sizeof(**list));
		(*list)[n++] = text;
	}
	return n;
}

uint64_t fields_count(struct report_fields *fields, uint64_t max)
{
	double number;

	if (!json_number(&fields->scan, &number) || number < 0 || number > (double)max)
		return 0;
	return (uint64_t)number;
}

bool fields_verdict(struct report_fields *fields, enum verdict *verdict)
{
	struct json_text text;
	int i;

	if (!json_text(&fields->scan, &text))
		return false;
	*verdict = VERDICT_UNKNOWN;
	for (i = VERDICT_GOOD; i <= VERDICT_SKIP; i++)
		if (json_is(&text, verdict_text((enum verdict)i)))
			*verdict = (enum verdict)i;
	return true;
}

static uint64_t read_ns(struct report_fields *fields)
{
	double seconds;

	if (!json_number(&fields->scan, &seconds) || seconds < 0 || seconds > 1e9)
		return 0;
	return (uint64_t)(seconds * 1e9);
}

void fields_cost(struct report_fields *fields, struct cost *cost)
{
	struct json_scan *scan = &fields->scan;
	struct json_text key;

	if (!fields_enter(fields, '{'))
		return;
	while (json_member(scan, &key))
		if (json_is(&key, "cpu_seconds")) {
			cost->cpu_ns = read_ns(fields);
		} else if (json_is(&key, "wall_seconds")) {
			cost->wall_ns = read_ns(fields);
		} else if (json_is(&key, "trace_seconds")) {
			cost->trace_ns = read_ns(fields);
		} else if (json_is(&key, "rss_bytes")) {
			cost->rss_bytes = fields_count(fields, UINT64_C(1) << 52);
		} else if (json_is(&key, "bpf_seconds")) {
			cost->bpf_known = json_kind(scan) == '0';
			cost->bpf_ns = read_ns(fields);
		} else {
			json_skip(scan);
		}
}

void fields_put_off(struct report_fields *fields, struct json_text *value)
{
	value->at = fields->scan.at;
	json_skip(&fields->scan);
	value->len = (size_t)(fields->scan.at - value->at);
}

bool fields_take_up(struct report_fields *fields, const struct json_text *value)
{
	if (fields->scan.err || !value->at)
		return false;
	fields->scan.at = value->at;
	fields->scan.first = false;
	return true;
}

int fields_word(struct report_fields *fields, const char *const *words, int n, int other)
{
	struct json_text text;
	int i;

	if (!json_text(&fields->scan, &text))
		return other;
	for (i = 0; i < n; i++)
		if (json_is(&text, words[i]))
			return i;
	return other;
}
