/* SPDX-License-Identifier: GPL-2.0-only */
/* What waitdiagnose is asked for. */
#ifndef TUESDAY_TOOLS_WAIT_OPTIONS_H
#define TUESDAY_TOOLS_WAIT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/options.h"

enum wait_format { WAIT_AS_TEXT, WAIT_AS_JSON };

struct wait_options {
	const char *program;
	struct options common;
	double seconds;
	double slow_seconds; /* a wait from here on is told by itself */
	size_t format, top;
	const char *user;   /* or NULL */
	const char *target; /* or NULL: the busiest and the most waiting few */
};

/* As options_parse_usage(). */
int wait_options_read(struct wait_options *asked, int argc, char **argv);

#endif
