/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of a span written anew, so that whatever a file held, what is written is JSON. */
#ifndef TUESDAY_TOOLS_SPAN_REWRITE_H
#define TUESDAY_TOOLS_SPAN_REWRITE_H

#include <stddef.h>

struct str;

/* Appends the fields in the JSON text of a span as one object; lists of keys and values, as OTLP
 * and Jaeger have them, stay lists in its member "list". What is no JSON is null. */
void span_rewrite_fields(struct str *out, const char *text, size_t len);
/* The same as a list of Jaeger's tags, {"key":…,"type":…,"value":…}: what lies within another has
 * a name with a point, and what is null is left out. */
void span_rewrite_tags(struct str *out, const char *text, size_t len);

#endif
