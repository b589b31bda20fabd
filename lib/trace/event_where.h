/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conditions of a declared trace: "order > 0 and comm != kswapd0", for the kernel to ask of
 * each event.
 *
 * FIELD OP VALUE, at most TRACE_CONDITIONS of them with " and " between. OP is one of == != < <= >
 * >= has lacks. A value is a decimal number with an optional sign, a hexadecimal one, a word, or
 * text in double quotes. Of a number "has" means that all these bits are set, "lacks" that none is;
 * of text, that this part stands in it or does not. A word for a number is what the tracepoint's
 * print format calls it.
 */
#ifndef TUESDAY_TRACE_EVENT_WHERE_H
#define TUESDAY_TRACE_EVENT_WHERE_H

#include <linux/types.h>

#include "bpf/trace.h"

struct event_format;
struct event_field;
struct str;

/* Whether the text has this form. Returns 0, or -EINVAL with a phrase in error. */
int where_check(const char *text, struct str *error);

/* Where a condition's field was found, for the compiler of conditions. */
struct where_field {
	const struct event_format *format;
	const struct event_field *field; /* NULL: there is none, and it has been said */
	struct trace_field place;
};

/*
 * Compiles a text that where_check has accepted. find looks a field up, and says it in its own
 * words where there is none. Returns 0, or -ENOENT with a phrase in why: a field or a named number
 * that this kernel does not have, or a value that the field can never have.
 */
int where_compile(const char *text, struct where_field (*find)(void *arg, const char *name),
	void *arg, struct trace_condition out[TRACE_CONDITIONS], struct str *why);

#endif
