/* SPDX-License-Identifier: GPL-2.0-only */
/* What else does a span say of itself? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "base/json_read.h"
#include "base/str.h"
#include "spans/fields.h"
#include "spans/spans.h"

#define DEPTH_TOLD 3		   /* objects within objects whose fields are told one by one */
#define TEXT_MAX ((size_t)1 << 20) /* bytes of a span in which a field is looked for */

static const char *const field_containers[] = {"fields", "attributes", "tags", "args"};

static bool field_is_container(const struct json_text *key)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(field_containers); i++)
		if (json_is(key, field_containers[i]))
			return true;
	return false;
}

/* Any value, as text. */
static void field_take(struct json_scan *scan, struct str *value)
{
	struct json_text text;
	const char kind = json_kind(scan), *from = scan->at;

	str_clear(value);
	if (kind == '"') {
		if (json_text(scan, &text))
			json_add_text(value, &text, SPAN_FIELD_MAX);
		return;
	}
	json_skip(scan);
	if (!scan->err && scan->at - from <= SPAN_FIELD_MAX)
		str_addn(value, from, (size_t)(scan->at - from));
}

static bool field_in_object(struct json_scan *scan, const char *key, struct str *value);

/* OTLP's {"stringValue":"x"}, or a value itself. */
static void field_take_any(struct json_scan *scan, struct str *value)
{
	struct json_text key;

	if (json_kind(scan) != '{') {
		field_take(scan, value);
		return;
	}
	json_enter(scan, '{');
	while (json_member(scan, &key))
		field_take(scan, value);
}

/* OTLP's and Jaeger's lists of {"key":…,"value":…}. */
static bool field_in_list(struct json_scan *scan, const char *key, struct str *value)
{
	bool found = false;

	json_enter(scan, '[');
	while (json_element(scan)) {
		struct json_text member, name = {0};
		struct str candidate = STR_INIT;

		if (json_kind(scan) != '{') {
			json_skip(scan);
			continue;
		}
		json_enter(scan, '{');
		while (json_member(scan, &member))
			if (json_is(&member, "key"))
				json_text(scan, &name);
			else if (json_is(&member, "value"))
				field_take_any(scan, &candidate);
			else
				json_skip(scan);
		if (!found && name.at && json_is(&name, key)) {
			str_clear(value);
			str_add(value, str_text(&candidate));
			found = true;
		}
		str_free(&candidate);
	}
	return found && !scan->err;
}

/* The member that key begins with, and the rest of it behind the point. */
static const char *field_behind(const struct json_text *member, const char *key)
{
	return !strncmp(key, member->at, member->len) && key[member->len] == '.'
		? key + member->len + 1
		: NULL;
}

static bool field_in_object(struct json_scan *scan, const char *key, struct str *value)
{
	struct json_text member;
	bool found = false;

	json_enter(scan, '{');
	while (json_member(scan, &member)) {
		const char *rest = field_behind(&member, key);

		if (!found && json_is(&member, key)) {
			field_take(scan, value);
			found = true;
		} else if (!found && rest && json_kind(scan) == '{') {
			found = field_in_object(scan, rest, value);
		} else {
			json_skip(scan);
		}
	}
	return found && !scan->err;
}

int span_field_in(const char *text, size_t len, const char *key, struct str *value)
{
	struct json_scan scan;
	struct json_text member;
	struct str outer = STR_INIT;
	bool found = false, is_outer = false;

	str_clear(value);
	json_begin(&scan, text, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &member)) {
		if (!found && field_is_container(&member) && json_kind(&scan) == '{') {
			found = field_in_object(&scan, key, value);
		} else if (!found && field_is_container(&member) && json_kind(&scan) == '[') {
			found = field_in_list(&scan, key, value);
		} else if (json_is(&member, key)) {
			field_take(&scan, &outer);
			is_outer = true;
		} else {
			json_skip(&scan);
		}
	}
	if (!found && is_outer)
		str_addn(value, outer.text, outer.len);
	str_free(&outer);
	return (found || is_outer) && !scan.err ? 0 : -ENOENT;
}

int span_field_text(
	const struct span_table *table, uint32_t row, const char *key, struct str *value)
{
	struct str text = STR_INIT;
	int err = span_table_text(table, row, TEXT_MAX, &text);

	if (!err)
		err = span_field_in(str_text(&text), text.len, key, value);
	str_free(&text);
	return err;
}

/* Who is told of fields, and how deep they lie. */
struct field_telling {
	void (*each)(void *arg, const char *name, size_t len);
	void *arg;
	struct str path;
	int depth;
};

static void field_tell_object(struct json_scan *scan, struct field_telling *telling);

static void field_tell(
	struct json_scan *scan, const struct json_text *name, struct field_telling *telling)
{
	const size_t before = telling->path.len;

	if (before)
		str_addc(&telling->path, '.');
	json_add_text(&telling->path, name, SPAN_FIELD_MAX);
	if (json_kind(scan) == '{' && telling->depth < DEPTH_TOLD) {
		telling->depth++;
		field_tell_object(scan, telling);
		telling->depth--;
	} else {
		json_skip(scan);
		telling->each(telling->arg, str_text(&telling->path), telling->path.len);
	}
	telling->path.len = before;
	telling->path.text[before] = 0;
}

static void field_tell_object(struct json_scan *scan, struct field_telling *telling)
{
	struct json_text member;

	json_enter(scan, '{');
	while (json_member(scan, &member))
		field_tell(scan, &member, telling);
}

/* OTLP's and Jaeger's lists: of each only its key counts. */
static void field_tell_list(struct json_scan *scan, struct field_telling *telling)
{
	struct json_text member, name;

	json_enter(scan, '[');
	while (json_element(scan)) {
		if (json_kind(scan) != '{') {
			json_skip(scan);
			continue;
		}
		json_enter(scan, '{');
		while (json_member(scan, &member)) {
			if (!json_is(&member, "key")) {
				json_skip(scan);
			} else if (json_text(scan, &name)) {
				json_add_text(&telling->path, &name, SPAN_FIELD_MAX);
				telling->each(
					telling->arg, str_text(&telling->path), telling->path.len);
				str_clear(&telling->path);
			}
		}
	}
}

void span_field_each(const char *text, size_t len,
	void (*each)(void *arg, const char *name, size_t len), void *arg)
{
	struct field_telling telling = {each, arg, STR_INIT, 0};
	struct json_scan scan;
	struct json_text member;

	json_begin(&scan, text, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &member)) {
		if (field_is_container(&member) && json_kind(&scan) == '{')
			field_tell_object(&scan, &telling);
		else if (field_is_container(&member) && json_kind(&scan) == '[')
			field_tell_list(&scan, &telling);
		else
			json_skip(&scan);
	}
	str_free(&telling.path);
}

void span_fields_add(struct str *out, const char *text, size_t len)
{
	struct json_scan scan;
	struct json_text member;
	bool found = false;

	json_begin(&scan, text, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &member)) {
		const char kind = json_kind(&scan), *from = scan.at;

		json_skip(&scan);
		if (scan.err || found || !field_is_container(&member) ||
			(kind != '{' && kind != '['))
			continue;
		str_addn(out, from, (size_t)(scan.at - from));
		found = true;
	}
	if (!found)
		str_add(out, "{}");
}
