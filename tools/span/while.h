/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans that nobody had to write: a command is run, and each of its processes is a span. */
#ifndef TUESDAY_TOOLS_SPAN_WHILE_H
#define TUESDAY_TOOLS_SPAN_WHILE_H

#include <stdbool.h>

#include "tools/span/limits.h"
#include "tools/span/meanwhile.h"
#include "tools/span/processes.h"

struct span_analysis;
struct span_options;
struct span_table;

/* What became of the command. */
struct span_while {
	struct span_limits limits;
	struct processes processes;
	double lock_s;		    /* that its processes waited for locks on files, all together */
	char lock_holder[80];	    /* who had the one that was waited for last, or "" */
	uint64_t lost;		    /* events that had no room */
	bool polled;		    /* without BPF: processes were looked for again and again */
	struct meanwhile meanwhile; /* what the checks of this machine said */
	int status;		    /* as of waitpid */
};

/* Where --while stands in a command line, which ends our own options, or argc. */
int span_while_at(int argc, char **argv);

/* Runs the command to its end, and reads its spans into the table. Returns 0, or -errno after a
 * message. The caller frees in every case. */
int span_while_run(
	struct span_while *run, const struct span_options *asked, struct span_table *table);
void span_while_free(struct span_while *run);

/* The exit status that the command had, as a shell has it: 128 and the signal that ended it. */
int span_while_status(const struct span_while *run);

#endif
