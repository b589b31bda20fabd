/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The screen of a person whose machine is on fire: the answer first, in 24 rows of 80 columns.
 * Parts of the writer "text"; all names are escaped in here.
 */
#ifndef TUESDAY_OUTPUT_SCREEN_H
#define TUESDAY_OUTPUT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "output/writer.h"
#include "report/report.h"

#define SCREEN_ROWS 24
#define SCREEN_NAME_COLUMNS 60	/* of a name that came from outside */
#define SCREEN_LINE_COLUMNS 300 /* of a sentence that has such names in it */

struct screen {
	struct str *out;
	const struct report *report;
	const struct writer_options *options;
	size_t columns;
	size_t indent; /* of what stands beside a check */
	bool single;   /* one check: no roll-up */
};

/* Appends text between columns 'at' and the width, with a hanging indent, and ends the line. */
void screen_flow(const struct screen *screen, size_t at, size_t indent, const char *text);

#endif
