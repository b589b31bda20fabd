/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of the investigation. */
#ifndef TUESDAY_TOOLS_REPORT_STATUS_H
#define TUESDAY_TOOLS_REPORT_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/report/model.h"

struct advice;
struct report;

/* The state of the investigation at the end of the day, sentence by sentence. */
struct sentence {
	enum sentence_kind { SAYS_NOT, SAYS_MAYBE, SAYS_IS, SAYS_UNKNOWN } kind;
	char *text;
};

struct status {
	struct sentence *list;
	size_t n, room;
};

struct story {
	const struct report *report;
	const bool *recent; /* by check: it is about an issue of some versions or some time */
	char *note;	    /* how this report came to be shown, or NULL */
	const struct advice *advice; /* of a report that a file says; NULL: it is our own */
	struct areas areas;
	struct past past;
	struct status status;
};

void status_make(struct status *status, const struct story *story);
void status_free(struct status *status);
/* "It is not", "It may be", "It is", "Not known": the word beside the colour. */
const char *sentence_word(enum sentence_kind kind);

#endif
