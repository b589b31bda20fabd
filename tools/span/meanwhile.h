/* SPDX-License-Identifier: GPL-2.0-only */
/* What this machine's checks say while a command runs, again and again. */
#ifndef TUESDAY_TOOLS_SPAN_MEANWHILE_H
#define TUESDAY_TOOLS_SPAN_MEANWHILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "sys/child.h"

struct span_holder;

/* What they said: of each look at each that was maybe or bad its sentence, as it stands there. */
struct meanwhile {
	struct meanwhile_answer {
		char *check, *verdict, *summary;
		int64_t from_ns, to_ns; /* of the look, since 1970 */
	} * answers;
	size_t n, room;
	size_t asked; /* checks that answered; 0: the command was too short for them */
};

struct meanwhile_checks {
	struct child child;
	bool runs;
	int64_t realtime_ns; /* what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC */
	int64_t from_ns;     /* of the look that is under way */
	struct str answer;   /* as far as it came */
};

/* Starts the first look beside the command, without traces. Where that fails nothing is said. */
void meanwhile_start(struct meanwhile_checks *checks, int64_t realtime_ns);
/* Takes what has come, without waiting, and starts the next look behind one that has ended. */
void meanwhile_look(struct meanwhile_checks *checks, struct meanwhile *said);
/* Ends the last look, and takes what it said. The caller frees both in every case. */
void meanwhile_end(struct meanwhile_checks *checks, struct meanwhile *said);
/* One look's JSON ("tuesday/1"). Returns how many checks are in it. */
size_t meanwhile_read(
	struct meanwhile *said, const struct str *answer, int64_t from_ns, int64_t to_ns);
void meanwhile_free(struct meanwhile *said);

/* One check while something held the build. */
struct meanwhile_finding {
	const struct meanwhile_answer *worst; /* bad before maybe, then the one that lay longest in
					       * its time */
	uint64_t worst_ns, ns;		      /* of that time: of this answer, and of all */
};

/* Of each check what it said while the holder held the build, bad ones first, then the longest;
 * holder may be NULL: of the whole time. The caller frees .list. */
struct meanwhile_findings {
	struct meanwhile_finding *list;
	size_t n, room;
};
void meanwhile_find(struct meanwhile_findings *findings, const struct meanwhile *said,
	const struct span_holder *holder);

#endif
