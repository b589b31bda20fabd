/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writers: one file a format. A writer sees a report and never a source.
 */
#ifndef TUESDAY_OUTPUT_WRITER_H
#define TUESDAY_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "check/check.h"
#include "report/report.h"

struct str;

struct writer_options {
	bool color;
	bool ledger;	      /* say for each exonerated part by which evidence */
	bool verbose;	      /* every metric with value and limits */
	bool quiet;	      /* only what is not good */
	bool brief;	      /* JSON: without the check files' words on what accuses nobody */
	const char *services; /* names of checks, or "all": those that get a service of their own */
	bool terminal;	      /* a person reads it as it is written */
	unsigned int columns; /* width of the terminal; 0: unbounded */
};

struct writer {
	const char *name; /* as in -o NAME */
	const char *what; /* one line of help */
	/* Appends the whole output to out. */
	void (*write)(
		struct str *out, const struct report *report, const struct writer_options *options);
	/* What its readers take an exit status for; NULL: verdict_exit_status. */
	int (*exit_status)(enum verdict verdict);
	/* What is written to a file is for a program of another user to collect. */
	bool is_collected;
};

#define WRITER(id) \
	static const struct writer id; \
	static const struct writer *const id##_registered \
		__attribute__((used, section("tuesday_writers"))) = &id; \
	static const struct writer id

const struct writer *writer_find(const char *name);
/* The exit status of a run that was written in this format. */
int writer_exit_status(const char *name, enum verdict verdict);
void writer_each(void (*each)(void *arg, const struct writer *writer), void *arg);

/* What a monitoring system should call a number of a check: its metric's name; of another program's
 * performance data the label, as that program wrote it. */
const char *metric_label(const struct check_result *check, const struct metric_result *metric);

/*
 * Whether a threshold of performance data agrees with what is said of the number. of: VERDICT_MAYBE
 * or VERDICT_BAD. A value beyond its limit that is not accused, since there was too little of it, a
 * trace cleared it, or somebody muted it, must not be drawn as an alert beside the word OK.
 */
bool threshold_agrees(
	const struct check_result *check, const struct metric_result *metric, enum verdict of);

#endif
