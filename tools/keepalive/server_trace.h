/* SPDX-License-Identifier: GPL-2.0-only */
/* What was seen inside the server, as a judge. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_SERVER_TRACE_H
#define TUESDAY_TOOLS_KEEPALIVE_SERVER_TRACE_H

#include "report/report.h"

struct conclusion;

/* Whether what was seen inside the server contradicts the outcome, and how; NULL where it does not,
 * or where not enough was seen. */
const char *answer_contradiction(const struct conclusion *answer);

/* The verdict that follows from what was seen inside, where the experiment says less than that, and
 * the sentence for it, which the caller frees; NULL where none follows. stop: why the experiment
 * ended, or NULL. */
char *conclusion_from_inside(
	const struct conclusion *answer, const char *stop, enum verdict *verdict);

#endif
