/* SPDX-License-Identifier: GPL-2.0-only */
/* All that a run found out, for the writers: numbers judged, nothing to be calculated any more. */
#ifndef TUESDAY_KEEPALIVE_ANSWER_H
#define TUESDAY_KEEPALIVE_ANSWER_H

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

/* Judges: the members up to the first blank line are set. */
void answer_make(struct conclusion *answer);
void answer_free(struct conclusion *answer);

/* Whether what was seen inside the server contradicts the outcome, and how; NULL where it does not,
 * or where not enough was seen. */
const char *answer_contradiction(const struct conclusion *answer);

/* The verdict that follows from what was seen inside, where the experiment says less than that, and
 * the sentence for it, which the caller frees; NULL where none follows. stop: why the experiment
 * ended, or NULL. */
char *answer_from_inside(const struct conclusion *answer, const char *stop, enum verdict *verdict);

/* The part of answer_make that is about other causes. */
void answer_lookalikes(struct conclusion *answer);

/* The writers: each appends the whole output. picture: a drawing of characters as well. */
void answer_write_text(struct str *out, const struct conclusion *answer, bool picture);
void answer_write_json(struct str *out, const struct conclusion *answer);

/* Draws the first round of each kind at the decisive level, or at the last one. Nothing is appended
 * where there is none. */
void picture_text(struct str *out, const struct conclusion *answer, unsigned int columns);
void picture_svg(struct str *out, const struct conclusion *answer);

/* The rounds that pictures show; false where there is none. */
bool picture_rounds(
	const struct conclusion *answer, const struct round **keep, const struct round **close);

#endif
