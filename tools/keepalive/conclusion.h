/* SPDX-License-Identifier: GPL-2.0-only */
/* All that a run found out, for the writers: numbers judged, nothing to be calculated any more. */
#ifndef TUESDAY_TOOLS_KEEPALIVE_CONCLUSION_H
#define TUESDAY_TOOLS_KEEPALIVE_CONCLUSION_H

#include "tools/keepalive/comparison.h"
#include "report/report.h"
#include "tools/keepalive/server.h"
#include "base/str.h"
#include "tools/keepalive/target.h"
#include "tools/keepalive/witness.h"

enum likeness { LOOKALIKE_NO, LOOKALIKE_YES, LOOKALIKE_UNKNOWN };

/* Something that looks like the same trouble and is another one. */
struct lookalike {
	const char *name; /* kept for ever: it is in the JSON */
	enum likeness is;
	char *text;
};

#define LOOKALIKES_MAX 12

struct conclusion {
	const struct comparison *experiment;
	const struct server *server;
	const struct target *target;
	const struct limits_of_run *limits;
	const struct witness *witness;
	const char *tls_error, *tls_untrusted; /* struct dialer's */
	double waiting_before, waiting_after;  /* sockets in TIME_WAIT, NAN: not known */

	enum verdict verdict;
	bool from_inside; /* and not from the experiment */
	char *summary;	  /* one line */
	char **notes;	  /* what limits it, and what a person should know */
	size_t n_notes, room_notes;
	struct lookalike lookalikes[LOOKALIKES_MAX];
	size_t n_lookalikes;
};

/* Judges. The caller has set the members before verdict, from experiment to waiting_after; verdict
 * and what follows it are filled. */
void conclusion_make(struct conclusion *answer);
void conclusion_free(struct conclusion *answer);

#endif
