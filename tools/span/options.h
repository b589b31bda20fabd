/* SPDX-License-Identifier: GPL-2.0-only */
/* What spandiagnose is asked for. */
#ifndef TUESDAY_TOOLS_SPAN_OPTIONS_H
#define TUESDAY_TOOLS_SPAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/options.h"

enum span_format { SPAN_AS_TEXT, SPAN_AS_JSON, SPAN_AS_FOLDED };
enum span_export { SPAN_TO_NONE, SPAN_TO_CHROME, SPAN_TO_JAEGER, SPAN_TO_SQLITE };

struct span_options {
	struct options common; /* .names are the files */
	const char *program;
	unsigned int format; /* enum span_format */
	unsigned int to;     /* enum span_export: "none" is its first name */
	const char *into;    /* a file, or NULL: standard output */
	const char *group;   /* a field, or NULL: by name */
	const char *trace, *span;
	const char *stages; /* a file, or NULL */
	const char *build;  /* the name that it is kept under, or NULL */
	const char *compare;
	const char *svg; /* a file, or NULL */
	char **command;	 /* of --while, or NULL */
	bool is_while;
	const char *keep; /* a file for its spans, or NULL */
	bool redact;	  /* no command lines in it */
	double most_mib;  /* of an export to Chrome or Jaeger */
	size_t top;
};

/* As options_parse_usage(). */
int span_options_read(struct span_options *asked, int argc, char **argv);

#endif
