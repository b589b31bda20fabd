/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that a report for people tells: one run, where its checks stand in the system, what the
 * history knows of it, and the state of the investigation. Made once, and then shown as text or as
 * a page; nothing in here is escaped.
 */
#ifndef TUESDAY_REPORT_STORY_H
#define TUESDAY_REPORT_STORY_H

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

/* Sorts the checks of a report by area. */
void areas_make(struct areas *areas, const struct report *report);
void areas_free(struct areas *areas);

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
	size_t changes; /* 0: it was the same all the time */
};

struct past {
	bool known;
	time_t from, to;
	size_t runs;
	struct trail *trails; /* by series */
	size_t n_trails, room_trails;
	struct shift *shifts;
	size_t n_shifts, room_shifts;
	struct contrast contrast; /* the time before from, as long, against from..to */
	struct subject **moved;	  /* what has changed, the surest first */
	size_t n_moved;
};

/* Reads from..to, and as much before it. Returns 0 or -EIO. */
int past_read(struct past *past, struct history *history, const struct report *report, time_t from);
const struct trail *past_trail(
	const struct past *past, const char *check, const struct metric_result *metric);
const struct shift *past_shift(const struct past *past, const char *check);
void past_free(struct past *past);

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
	struct areas areas;
	struct past past;
	struct status status;
};

void status_make(struct status *status, const struct story *story);
void status_free(struct status *status);
/* "It is not", "It may be", "It is", "Not known": the word beside the colour. */
const char *sentence_word(enum sentence_kind kind);

/* The checks in the order of reading, the worst first. The caller frees. */
size_t *worst_checks(const struct report *report);
bool is_accused(const struct check_result *result);

#endif
