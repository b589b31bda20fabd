/* SPDX-License-Identifier: GPL-2.0-only */
/* What else a span says of itself: its fields, attributes, tags or args. */
#ifndef TUESDAY_SPANS_FIELDS_H
#define TUESDAY_SPANS_FIELDS_H

#include <stddef.h>
#include <stdint.h>

struct str;
struct span_table;

#define SPAN_FIELD_MAX 1024 /* bytes of a value; what is longer is cut */

/*
 * Puts the value of a field into value, as text: a number as it stands there, true or false. key is
 * its name or, within objects, a path: "global.build_id". Members of the span itself that are no
 * fields are found too. Returns 0, -ENOENT where the span has none, or what span_table_text() does.
 */
int span_field_text(
	const struct span_table *table, uint32_t row, const char *key, struct str *value);

/* The same in the JSON text of a span. 0 or -ENOENT. */
int span_field_in(const char *text, size_t len, const char *key, struct str *value);

/* Calls each for the fields of the JSON text of a span: those within objects by their paths. */
void span_field_each(const char *text, size_t len,
	void (*each)(void *arg, const char *name, size_t len), void *arg);

/* Appends the object or list of fields as it stands in the text of a span; "{}" where it has none.
 */
void span_fields_add(struct str *out, const char *text, size_t len);

#endif
