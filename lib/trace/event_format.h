/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tracepoint's format file: where its fields are, and what its numbers are called.
 */
#ifndef TUESDAY_TRACE_EVENT_FORMAT_H
#define TUESDAY_TRACE_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "field:__u8 daddr_v6[16]; offset:58; size:16; signed:0;" */
struct event_field {
	char *name;
	char *type; /* without name and brackets: "__u8", "__data_loc char[]" */
	bool is_array;
	bool is_signed;
	unsigned int offset;
	unsigned int size;
};

struct event_format {
	uint64_t id;
	struct event_field *fields;
	size_t n, room;
	char *print; /* what stands behind "print fmt:", "" where nothing does */
};

/*
 * Parses a format file. A field that cannot be read, or does not lie in the first 8 KiB of the
 * record, is left out. Returns 0, or -EINVAL where there is no ID; the caller frees in either case.
 */
int event_format_parse(struct event_format *format, const char *text, size_t len);
void event_format_free(struct event_format *format);

const struct event_field *event_format_field(const struct event_format *format, const char *name);

/* Calls each for every number of a field that the print format has a name for (__print_symbolic),
 * names cut to 63 characters, until it returns true. Returns whether it did. */
typedef bool event_symbol_each(void *arg, uint64_t number, const char *name);
bool event_format_each_symbol(
	const struct event_format *format, const char *field, event_symbol_each *each, void *arg);

/*
 * What the print format calls a number of that field (__print_symbolic), into name, terminated and
 * cut to size. Returns false where it has no name for it.
 */
bool event_format_symbol(const struct event_format *format, const char *field, uint64_t number,
	char *name, size_t size);

#endif
