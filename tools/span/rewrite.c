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
