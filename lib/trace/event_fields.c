/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in a tracepoint's record is what a check file names? */
#include "base/banned.h"

#include <errno.h>

#include "trace/event_fields.h"
#include "trace/event_format.h"
#include "trace/event_where.h"
#include "base/str.h"
#include "base/suggest.h"
#include "trace/spec.h"

#define FIELDS_SUGGESTED 64
/* In a record that a BPF program gets the kernel has put a pointer over the common fields. */
#define RECORD_POINTER 8

struct compiling {
	const struct trace_spec *spec;
	const struct event_format *begin; /* NULL for an event */
	const struct event_format *end;	  /* or the event */
	struct str *why;
};

static const char *event_name(const struct compiling *compiling, const struct event_format *format)
{
	if (!compiling->begin)
		return compiling->spec->event;
	return format == compiling->begin ? compiling->spec->begin : compiling->spec->end;
}

static int no_field(
	const struct compiling *compiling, const struct event_format *format, const char *name)
{
	const char *names[FIELDS_SUGGESTED], *near;
	size_t n;

	for (n = 0; n < format->n && n < FIELDS_SUGGESTED; n++)
		names[n] = format->fields[n].name;
	near = suggest(name, names, n);
	str_addf(compiling->why, "%s has no field '%s' on this kernel",
		event_name(compiling, format), name);
	if (near && strcmp(near, name) != 0)
		str_addf(compiling->why, "; did you mean '%s'?", near);
	return -ENOENT;
}

static bool event_field_is_address(const struct event_field *field)
{
	if (!field->is_array || (field->size != 4 && field->size != 16))
		return false;
	if (strcmp(field->type, "__u8") && strcmp(field->type, "u8") &&
		strcmp(field->type, "unsigned char"))
		return false;
	return strstr(field->name, "addr") || str_ends(field->name, "_v6");
}

static enum field_kind event_field_kind_of(const struct event_field *field)
{
	if (field->offset < RECORD_POINTER)
		return FIELD_NONE;
	if (str_starts(field->type, "__data_loc char"))
		return FIELD_STRING;
	if (str_starts(field->type, "__rel_loc char"))
		return FIELD_REL_STRING;
	if (event_field_is_address(field))
		return FIELD_ADDRESS;
	if (field->is_array)
		return str_ends(field->type, "char") && field->size > 1 ? FIELD_CHARS : FIELD_NONE;
	if (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8)
		return FIELD_NUMBER;
	return FIELD_NONE;
}

static bool is_device(const struct event_field *field)
{
	return event_field_kind_of(field) == FIELD_NUMBER && field->size == 4 &&
		(!strcmp(field->type, "dev_t") || !strcmp(field->name, "dev"));
}

static struct trace_field event_field_place_of(const struct event_field *field)
{
	return (struct trace_field){
		.offset = (__u16)field->offset,
		.size = (__u16)field->size,
		.kind = (__u8)event_field_kind_of(field),
		.is_signed = field->is_signed,
	};
}

/* A word that means the present task or CPU and no field, or FIELD_NONE. */
static enum field_kind present(
	const char *word, const char *const *words, const enum field_kind *kinds)
{
	for (; *words; words++, kinds++)
		if (!strcmp(word, *words))
			return *kinds;
	return FIELD_NONE;
}

/* One word of a key. */
static int compile_key_part(const struct compiling *compiling, const struct event_format *format,
	const char *word, struct trace_field *out)
{
	static const char *const words[] = {"tid", "cpu", NULL};
	static const enum field_kind kinds[] = {FIELD_TID, FIELD_CPU};
	const struct event_field *field;

	out->kind = (__u8)present(word, words, kinds);
	if (out->kind)
		return 0;
	field = event_format_field(format, word);
	if (!field)
		return no_field(compiling, format, word);
	*out = event_field_place_of(field);
	if (out->kind == FIELD_NUMBER)
		return 0;
	str_addf(compiling->why, "field '%s' of %s is no number, so it cannot be a key", word,
		event_name(compiling, format));
	return -ENOENT;
}

static bool key_is_task(const char *key)
{
	size_t len = strcspn(key, " \t");

	return len >= 3 && !strncmp(key + len - 3, "pid", 3) && (len == 3 || key[len - 4] == '_');
}

static int compile_key(const struct compiling *compiling, const struct event_format *format,
	const char *text, struct trace_field out[2])
{
	char *words = mem_strdup(text), *save = NULL, *word;
	size_t n = 0;
	int err = 0;

	for (word = strtok_r(words, " \t", &save); word && n < 2 && !err;
		word = strtok_r(NULL, " \t", &save))
		err = compile_key_part(compiling, format, word, &out[n++]);
	free(words);
	return err;
}

/* A field of begin if it has it, else of end. */
static const struct event_field *find_field(
	const struct compiling *compiling, const char *name, const struct event_format **where)
{
	const struct event_field *field = NULL;

	if (compiling->begin) {
		*where = compiling->begin;
		field = event_format_field(compiling->begin, name);
	}
	if (!field) {
		*where = compiling->end;
		field = event_format_field(compiling->end, name);
	}
	return field;
}

/*
 * What is taken of the present task or CPU: at the end if the key says that it is the same one as
 * at the begin, so that it is only taken when it is needed.
 */
static bool taken_at_begin(const struct compiling *compiling, const struct trace_pair *pair)
{
	__u8 kind = pair->begin_key[0].kind;

	return compiling->begin && kind != FIELD_TID && kind != FIELD_CPU;
}

/* The field of who or by. where is set where it is one of a record. */
static int compile_taken(const struct compiling *compiling, const struct trace_pair *pair,
	const char *word, struct trace_field *out, const struct event_format **where,
	const struct event_field **field)
{
	static const char *const words[] = {"comm", "cgroup", "cpu", "tid", NULL};
	static const enum field_kind kinds[] = {FIELD_COMM, FIELD_CGROUP, FIELD_CPU, FIELD_TID};

	out->kind = (__u8)present(word, words, kinds);
	if (out->kind) {
		out->at_begin = taken_at_begin(compiling, pair);
		return 0;
	}
	*field = find_field(compiling, word, where);
	if (!*field)
		return no_field(compiling, *where, word);
	*out = event_field_place_of(*field);
	out->at_begin = *where == compiling->begin;
	if (out->kind != FIELD_NONE)
		return 0;
	str_addf(compiling->why, "field '%s' of %s is neither a number nor text nor an address",
		word, event_name(compiling, *where));
	return -ENOENT;
}

static enum who_kind who_kind_of(enum field_kind kind)
{
	switch (kind) {
	case FIELD_COMM:
		return WHO_COMM;
	case FIELD_CGROUP:
		return WHO_CGROUP;
	case FIELD_CHARS:
	case FIELD_STRING:
	case FIELD_REL_STRING:
		return WHO_TEXT;
	case FIELD_ADDRESS:
		return WHO_ADDRESS;
	default:
		return WHO_NUMBER;
	}
}

/* The number of the thread that a comm in a record is of: "prev_pid" beside "prev_comm". */
static void compile_who_tid(
	const struct event_format *where, const struct event_field *comm, struct trace_pair *pair)
{
	size_t before = strlen(comm->name) - strlen("comm");
	char *name = mem_printf("%.*spid", (int)before, comm->name);
	const struct event_field *field = event_format_field(where, name);

	if (field)
		pair->who_tid = event_field_place_of(field);
	free(name);
}

static int compile_who(const struct compiling *compiling, struct declared *out)
{
	const struct event_field *field = NULL;
	int err = compile_taken(compiling, &out->pair, compiling->spec->who, &out->pair.who,
		&out->who_format, &field);

	if (err)
		return err;
	out->pair.who_kind = who_kind_of(out->pair.who.kind);
	out->who_is_device = field && is_device(field);
	out->who_is_process = out->pair.who.kind == FIELD_COMM ||
		(out->pair.who_kind == WHO_TEXT && field && str_ends(field->name, "comm"));
	if (out->who_is_process && field)
		compile_who_tid(out->who_format, field, &out->pair);
	return 0;
}

static int compile_by(const struct compiling *compiling, struct declared *out)
{
	const struct event_field *field = NULL;
	int err = compile_taken(
		compiling, &out->pair, compiling->spec->by, &out->pair.by, &out->by_format, &field);

	if (err)
		return err;
	switch (out->pair.by.kind) {
	case FIELD_CPU:
		out->instances = INSTANCE_CPU;
		break;
	case FIELD_COMM:
	case FIELD_CHARS:
	case FIELD_STRING:
	case FIELD_REL_STRING:
		out->instances = INSTANCE_TEXT;
		break;
	case FIELD_ADDRESS:
		out->instances = INSTANCE_ADDRESS;
		break;
	default:
		out->instances = field && is_device(field) ? INSTANCE_DEVICE : INSTANCE_NUMBER;
	}
	return 0;
}

static int compile_value(const struct compiling *compiling, struct declared *out)
{
	const struct event_field *field =
		event_format_field(compiling->end, compiling->spec->value);

	if (!field)
		return no_field(compiling, compiling->end, compiling->spec->value);
	out->pair.value = event_field_place_of(field);
	if (out->pair.value.kind == FIELD_NUMBER)
		return 0;
	str_addf(compiling->why, "field '%s' of %s is no number", field->name,
		compiling->spec->event);
	return -ENOENT;
}

static struct where_field find_condition(void *arg, const char *name)
{
	const struct compiling *compiling = arg;
	struct where_field found = {0};

	found.field = find_field(compiling, name, &found.format);
	if (!found.field) {
		no_field(compiling, found.format, name);
		return found;
	}
	found.place = event_field_place_of(found.field);
	found.place.at_begin = found.format == compiling->begin;
	return found;
}

int declared_compile(const struct trace_spec *spec, const struct event_format *begin,
	const struct event_format *end, struct declared *out, struct str *why)
{
	struct compiling compiling = {
		.spec = spec,
		.begin = end ? begin : NULL,
		.end = end ? end : begin,
		.why = why,
	};
	int err = 0;

	*out = (struct declared){0};
	if (end) {
		err = compile_key(&compiling, begin, spec->key, out->pair.begin_key);
		if (!err)
			err = compile_key(&compiling, end,
				spec->end_key ? spec->end_key : spec->key, out->pair.end_key);
		out->pair.key_is_task = key_is_task(spec->key);
	}
	if (!err && spec->who)
		err = compile_who(&compiling, out);
	if (!err && spec->by)
		err = compile_by(&compiling, out);
	if (!err && spec->value)
		err = compile_value(&compiling, out);
	if (!err && spec->where)
		err = where_compile(spec->where, find_condition, &compiling, out->pair.where, why);
	return err;
}
