/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a span's fields can be handed on? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_read.h"
#include "base/str.h"
#include "spans/fields.h"
#include "tools/span/rewrite.h"

#define TEXT_BYTES 4096 /* of one value; the rest is cut */
#define INT64_DIGITS 18 /* so many surely fit */

static void rewrite_text(struct str *out, const struct json_text *text)
{
	struct str plain = STR_INIT;

	str_addc(out, '"');
	json_add_text(&plain, text, TEXT_BYTES);
	escape_json(out, str_text(&plain));
	str_addc(out, '"');
	str_free(&plain);
}

/* Numbers keep their digits: nanoseconds since 1970 have more than a double. */
static void rewrite_number(struct str *out, struct json_scan *scan)
{
	const char *from = scan->at;
	double number;

	if (json_number(scan, &number))
		str_addn(out, from, (size_t)(scan->at - from));
	else
		str_add(out, "null");
}

/* A value and all within: no deeper than the reader goes, which is 32. */
static void rewrite_value(struct str *out, struct json_scan *scan)
{
	const char kind = json_kind(scan);
	struct json_text text;
	bool first = true, yes = false;

	if (kind == '{') {
		str_addc(out, '{');
		json_enter(scan, '{');
		while (json_member(scan, &text)) {
			str_add(out, first ? "" : ",");
			first = false;
			rewrite_text(out, &text);
			str_addc(out, ':');
			rewrite_value(out, scan);
		}
		str_addc(out, '}');
	} else if (kind == '[') {
		str_addc(out, '[');
		json_enter(scan, '[');
		while (json_element(scan)) {
			str_add(out, first ? "" : ",");
			first = false;
			rewrite_value(out, scan);
		}
		str_addc(out, ']');
	} else if (kind == '"' && json_text(scan, &text)) {
		rewrite_text(out, &text);
	} else if (kind == '0') {
		rewrite_number(out, scan);
	} else if (kind == 't' || kind == 'f') {
		json_bool(scan, &yes);
		str_add(out, yes ? "true" : "false");
	} else {
		json_skip(scan);
		str_add(out, "null");
	}
}

void span_rewrite_fields(struct str *out, const char *text, size_t len)
{
	struct str fields = STR_INIT;
	struct json_scan scan;

	span_fields_add(&fields, text, len);
	/* A byte behind it, so that a number at its end is seen to end. */
	str_addc(&fields, ' ');
	json_begin(&scan, str_text(&fields), fields.len);
	if (json_kind(&scan) == '{') {
		rewrite_value(out, &scan);
	} else {
		str_add(out, "{\"list\":");
		rewrite_value(out, &scan);
		str_addc(out, '}');
	}
	str_free(&fields);
}

/* Jaeger's tags as they are written: none is within another. */
struct rewrite_tags {
	struct str *out;
	struct str path; /* names on the way down, with points between */
	bool any;
};

static void tags_walk(struct rewrite_tags *tags, struct json_scan *scan);

static const char *tag_type(char kind, const char *value, size_t len)
{
	if (kind == 't' || kind == 'f')
		return "bool";
	if (kind != '0')
		return "string";
	return len <= INT64_DIGITS && strspn(value, "-0123456789") >= len ? "int64" : "float64";
}

static void tag_write(struct rewrite_tags *tags, struct json_scan *scan)
{
	const char kind = json_kind(scan), *from = scan->at;
	size_t len;

	json_skip(scan);
	len = (size_t)(scan->at - from);
	if (scan->err || kind == 'n')
		return;
	str_addf(tags->out, "%s{\"key\":\"", tags->any ? "," : "");
	tags->any = true;
	escape_json(tags->out, str_text(&tags->path));
	str_addf(tags->out, "\",\"type\":\"%s\",\"value\":", tag_type(kind, from, len));
	if (kind == '[') {
		char *list = mem_strndup(from, len);

		str_addc(tags->out, '"');
		escape_json(tags->out, list);
		str_addc(tags->out, '"');
		free(list);
	} else {
		str_addn(tags->out, from, len);
	}
	str_addc(tags->out, '}');
}

static void tag_walk(
	struct rewrite_tags *tags, const struct json_text *name, struct json_scan *scan)
{
	const size_t before = tags->path.len;

	str_add(&tags->path, before && name->len ? "." : "");
	json_add_text(&tags->path, name, TEXT_BYTES);
	if (json_kind(scan) == '{')
		tags_walk(tags, scan);
	else
		tag_write(tags, scan);
	tags->path.len = before;
	if (tags->path.text)
		tags->path.text[before] = 0;
}

static void tags_walk(struct rewrite_tags *tags, struct json_scan *scan)
{
	struct json_text name;

	json_enter(scan, '{');
	while (json_member(scan, &name))
		tag_walk(tags, &name, scan);
}

/* {"key":…,"value":…}, whose value is {"stringValue":…} in OTLP: the name of the type is none of
 * the tag. */
static void tags_pair(struct rewrite_tags *tags, struct json_scan *scan)
{
	struct json_text member, name = {0};

	json_enter(scan, '{');
	while (json_member(scan, &member)) {
		if (json_is(&member, "key")) {
			json_text(scan, &name);
		} else if (!json_is(&member, "value") || !name.at) {
			json_skip(scan);
		} else if (json_kind(scan) == '{') {
			json_enter(scan, '{');
			while (json_member(scan, &member))
				tag_walk(tags, &name, scan);
		} else {
			tag_walk(tags, &name, scan);
		}
	}
}

void span_rewrite_tags(struct str *out, const char *text, size_t len)
{
	struct rewrite_tags tags = {.out = out};
	struct str fields = STR_INIT;
	struct json_scan scan;
	struct json_text name;

	span_rewrite_fields(&fields, text, len);
	str_addc(&fields, ' ');
	json_begin(&scan, str_text(&fields), fields.len);
	str_addc(out, '[');
	json_enter(&scan, '{');
	while (json_member(&scan, &name)) {
		if (!json_is(&name, "list") || json_kind(&scan) != '[') {
			tag_walk(&tags, &name, &scan);
			continue;
		}
		json_enter(&scan, '[');
		while (json_element(&scan))
			if (json_kind(&scan) == '{')
				tags_pair(&tags, &scan);
			else
				json_skip(&scan);
	}
	str_addc(out, ']');
	str_free(&tags.path);
	str_free(&fields);
}
