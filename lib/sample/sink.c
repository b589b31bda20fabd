/* SPDX-License-Identifier: GPL-2.0-only */
/* Who has asked for the number that a source hands over? */
#include "base/banned.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "sample/internal.h"
#include "sample/sink.h"
#include "sample/instances.h"

unsigned int reference_slot(const char *field, size_t len)
{
	return fnv1a_32(FNV1A_32, field, len) % 64;
}

static void row_grow(struct row *row)
{
	uint32_t room = row->room ? 2 * row->room : 8;
	double *list = mem_realloc_array(row->room ? row->list : NULL, room, sizeof(*list));

	if (!row->room)
		*list = row->one;
	row->list = list;
	row->room = room;
}

void row_store(struct row *row, size_t instance, double value)
{
	while (row->n <= instance) {
		if (row->n && row->n >= row->room)
			row_grow(row);
		*(row->room ? &row->list[row->n] : &row->one) = NAN;
		row->n++;
	}
	*(row->room ? &row->list[instance] : &row->one) = value;
}

static void sink_store(
	const struct sweep *sweep, struct reference *reference, size_t instance, double value)
{
	row_store(row_now(sweep, reference), instance, value);
	reference->seen = true;
}

/* Gives a value to the references of a name, which is a field or "instance.field". */
static void put_named(struct sink *sink, bool star, const char *name, size_t len,
	const char *instance, double value)
{
	struct sweep *sweep = sink->sweep;
	int r;

	for (r = sink->used->slots[reference_slot(name, len)]; r >= 0;
		r = sweep->references[r].next) {
		struct reference *reference = &sweep->references[r];

		if (reference->star != star || reference->field_len != len ||
			memcmp(reference->field, name, len) != 0)
			continue;
		sink_store(sweep, reference,
			star ? instances_intern(sink->used->instances, instance) : 0, value);
	}
}

static void sink_put_one(struct sink *sink, const char *instance, const char *field, double value)
{
	char name[512];
	int n;

	sink->used->gave = true;
	if (!sink->sweep) {
		sink->listed(sink->arg, instance, field, value);
		return;
	}
	if (!*instance) {
		put_named(sink, false, field, strlen(field), instance, value);
		return;
	}
	put_named(sink, true, field, strlen(field), instance, value);
	if (!sink->used->any_exact)
		return;
	n = snprintf(name, sizeof(name), "%s.%s", instance, field);
	if (n > 0 && (size_t)n < sizeof(name))
		put_named(sink, false, name, (size_t)n, instance, value);
}

void sink_put(struct sink *sink, const char *instance, const char *field, double value)
{
	if (!isfinite(value))
		return;
	sink_put_one(sink, instance, field, value);
	if (!*instance && sink->also)
		sink_put_one(sink, sink->also, field, value);
}

void sink_also(struct sink *sink, const char *instance)
{
	sink->also = instance;
}

static bool sink_is_asked(const struct sink *sink, const struct reference *reference)
{
	return &sink->sweep->used[reference->used] == sink->used;
}

bool sink_wants(const struct sink *sink, const char *field)
{
	const struct sweep *sweep = sink->sweep;
	size_t r;

	if (!sweep)
		return true;
	for (r = 0; r < sweep->n_references; r++) {
		const struct reference *reference = &sweep->references[r];
		const char *key = reference->field;

		if (!sink_is_asked(sink, reference))
			continue;
		if (!strcmp(key, field))
			return true;
		if (!reference->star && str_ends(key, field) &&
			key[strlen(key) - strlen(field) - 1] == '.')
			return true;
	}
	return false;
}

bool sink_wants_prefix(const struct sink *sink, const char *prefix)
{
	const struct sweep *sweep = sink->sweep;
	size_t r;

	if (!sweep)
		return true;
	for (r = 0; r < sweep->n_references; r++) {
		const struct reference *reference = &sweep->references[r];

		if (!sink_is_asked(sink, reference))
			continue;
		/* An exact reference has its instance in front, and instances may have dots. */
		if (reference->star ? str_starts(reference->field, prefix)
				    : strstr(reference->field, prefix) != NULL)
			return true;
	}
	return false;
}

bool sink_wants_instances(const struct sink *sink)
{
	const struct sweep *sweep = sink->sweep;
	size_t r;

	if (!sweep)
		return true;
	for (r = 0; r < sweep->n_references; r++)
		if (sink_is_asked(sink, &sweep->references[r]) && sweep->references[r].star)
			return true;
	return false;
}

void sink_each_wanted(
	const struct sink *sink, void (*each)(void *arg, const char *field), void *arg)
{
	const struct sweep *sweep = sink->sweep;
	size_t r;

	for (r = 0; sweep && r < sweep->n_references; r++)
		if (sink_is_asked(sink, &sweep->references[r]))
			each(arg, sweep->references[r].field);
}

void sink_label(struct sink *sink, const char *instance, const char *label)
{
	long i = instances_find(sink->used->instances, instance);

	if (i >= 0)
		instances_set_label(sink->used->instances, (size_t)i, label);
}

/* The first reason stays. */
__attribute__((format(printf, 2, 0))) static void sink_keep_reason(
	char **kept, const char *format, va_list args)
{
	struct str text = STR_INIT;

	if (*kept)
		return;
	str_addv(&text, format, args);
	*kept = str_take(&text);
}

void sink_missing(struct sink *sink, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sink_keep_reason(&sink->used->missing, format, args);
	va_end(args);
}

void sink_absent(struct sink *sink, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sink_keep_reason(&sink->used->absent, format, args);
	va_end(args);
}

static void sink_keep_unread(struct reference *reference, bool is_there, const char *format,
	va_list args) __attribute__((format(printf, 3, 0)));

static void sink_keep_unread(
	struct reference *reference, bool is_there, const char *format, va_list args)
{
	if (is_there && !reference->is_there) {
		free(reference->unread);
		reference->unread = NULL;
	}
	reference->is_there |= is_there;
	sink_keep_reason(&reference->unread, format, args);
}

/* The first reference to a field as it is written, from number r of a list on; -1: none. */
static int sink_next_named(const struct sweep *sweep, int r, const char *field)
{
	while (r >= 0 && strcmp(sweep->references[r].field, field) != 0)
		r = sweep->references[r].next;
	return r;
}

static int sink_first_named(const struct sink *sink, const char *field)
{
	return sink->sweep ? sink_next_named(sink->sweep,
				     sink->used->slots[reference_slot(field, strlen(field))], field)
			   : -1;
}

void sink_unread(struct sink *sink, const char *field, bool is_there, const char *format, ...)
{
	struct sweep *sweep = sink->sweep;
	va_list args;
	int r;

	for (r = sink_first_named(sink, field); r >= 0;
		r = sink_next_named(sweep, sweep->references[r].next, field)) {
		va_start(args, format);
		sink_keep_unread(&sweep->references[r], is_there, format, args);
		va_end(args);
	}
}

void sink_in_part(struct sink *sink, const char *field, const char *format, ...)
{
	struct sweep *sweep = sink->sweep;
	va_list args;
	int r;

	for (r = sink_first_named(sink, field); r >= 0;
		r = sink_next_named(sweep, sweep->references[r].next, field)) {
		va_start(args, format);
		sink_keep_unread(&sweep->references[r], true, format, args);
		va_end(args);
		sweep->references[r].in_part = true;
	}
}

void sink_none(struct sink *sink)
{
	sink->used->samples_none++;
}
