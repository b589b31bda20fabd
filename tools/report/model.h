/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that a report for people tells: one run, where its checks stand in the system, what the
 * history knows of it, and the state of the investigation. Made once, and then shown as text or as
 * a page; nothing in here is escaped.
 */
#ifndef TUESDAY_TOOLS_REPORT_MODEL_H
#define TUESDAY_TOOLS_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "history/diff.h"
#include "report/report.h"

struct history;
struct str;

#define VERDICTS (VERDICT_SKIP + 1)
#define TRAIL_COLUMNS 48

/* A part of the system, with the checks whose area it is. */
struct area {
	char *name, *title, *also;
	char *layers; /* names, separated by commas; NULL: none */
	unsigned int x, y, width, height;
	enum area_part { PART_NONE, PART_RESOURCE, PART_CONFIG, PART_PROGRAMS } part;
	enum verdict verdict; /* the worst; skip where nothing was looked at */
	size_t at[VERDICTS];  /* how many checks have each verdict */
	size_t exonerated;
	size_t *checks; /* indices into the report, the worst first */
	size_t n, room;
};

struct areas {
	struct area *list;
	size_t n, room;
	size_t n_named; /* those of system.ini stand in front */
	unsigned int rows;
};

/* How a number was before, in columns of equal time: the value that accuses most, NAN for none. */
struct trail {
	int64_t series;
	char *check, *metric, *instance;
	int accuses;
	double columns[TRAIL_COLUMNS];
	size_t n;
};

/* How a light was: when it became what it is, and what it was at first. */
struct shift {
	char *check;
	enum verdict first, last;
	bool before;	/* first is from before the time that is shown, as long back at most */
	time_t since;	/* of the last change; without one: from when on it is known */
	size_t changes; /* 0: it was the same all the time, good and skip being one */
};

struct past {
	bool known;
	time_t from, to;
	size_t runs;
	struct trail *trails; /* by series */
	size_t n_trails, room_trails;
	struct shift *shifts;
	size_t n_shifts, room_shifts;
	struct diff diff;	     /* the time before from, as long, against from..to */
	struct diff_subject **moved; /* what has changed, the surest first */
	size_t n_moved;
};

#endif
