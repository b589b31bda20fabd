/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writers: one file a format. A writer sees a report and never a source.
 */
#ifndef TUESDAY_WRITER_H
#define TUESDAY_WRITER_H

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

/*
 * Writes text to a file as one step: to NAME.tmp.PID in the same directory, synced, renamed. A
 * full disk or any other error leaves the old file as it was and nothing beside it. mode 0644.
 *
 * What is there and is no regular file (a device, a pipe) is written directly. A symbolic link to a
 * regular file or to nothing is refused with -ELOOP: in a directory that others may write to it
 * would choose for us which file is lost. Returns 0 or -errno.
 */
int write_file_atomically(const char *path, const char *text, size_t len);

/*
 * A value for people: "1.2 ms", "4.1 %", "9.1 GiB", "212/s"; three digits at most, but counts are
 * said in full up to 99999, since a limit of 4096 is known by that number. "no value" for NAN.
 */
void value_for_people(struct str *out, double value, enum unit unit);

/* What a monitoring system should call a number of a check: its metric's name; of another program's
 * performance data the label, as that program wrote it. */
const char *metric_label(const struct check_result *check, const struct metric_result *metric);

/* The operator of a limit, to print beside the number in force: the plain one's, or that of the
 * first class. Returns false where no limit is set. */
bool limits_op(const struct limits *limits, enum op *op);

#endif
