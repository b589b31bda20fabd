/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may be told to be done about what a file says.
 *
 * A report in a file is whoever wrote it: its commands are no advice of ours, however they look.
 * What people paste or follow (commands, remedies, where a limit is from) is taken from our own
 * check files of these names, with the names in it left open; the report's own words are told as
 * its words, and only where no check file here knows the check.
 */
#ifndef TUESDAY_TOOLS_REPORT_ADVICE_H
#define TUESDAY_TOOLS_REPORT_ADVICE_H

#include <stddef.h>

#include "base/arena.h"
#include "report/report.h"

struct checks;

/* What the report says to do about a check that is not known here. */
struct said {
	const char *check, *text;
};

struct advice {
	struct report report; /* to be shown in place of the one that was read */
	struct said *list;
	size_t n, room;
	struct check_result *ours; /* by check: the steps that our own files give, which own them */
	struct arena arena;
};

/* of and own must outlive it. */
void advice_make(struct advice *advice, const struct report *of, const struct checks *own);
void advice_free(struct advice *advice);

#endif
