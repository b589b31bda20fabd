/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Foreign checks: "exec = /usr/lib/nagios/plugins/check_foo -w 5" in [check] runs any program that
 * follows the monitoring plugins' convention, 0 good, 1 maybe, 2 bad, 3 unknown, and reads its
 * performance data into metrics. Only if the check file, the program, and each file whose whole
 * path it is handed can be changed by nobody but root and the caller; never in a replay, which has
 * the recorded answer.
 */
#ifndef TUESDAY_CHECK_EXEC_H
#define TUESDAY_CHECK_EXEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "sys/subprocess.h"

struct metric;

#define FOREIGN_TIMEOUT_SECONDS 10
#define FOREIGN_TIMEOUT_MAX 60

struct foreign {
	char *file; /* the check file that names the program */
	char **words;
	size_t n_words;
	/* The rest is of its last run, for judge/plugin_check.c; the timeout is in plugin. */
	struct plugin plugin;
	bool started;
	bool answered;
	struct str report;
	struct metric **metrics; /* of the last judgement, which points to them */
	size_t n_metrics, room_metrics;
};

/*
 * From the text of exec, which stands in file: words separated by blanks, those in quotes of either
 * kind kept together, nothing else is special. Returns NULL with a phrase in error where it is
 * wrong.
 */
struct foreign *foreign_new(const char *exec, const char *file, struct str *error);
void foreign_free(struct foreign *foreign);
void foreign_set_timeout(struct foreign *foreign, double seconds);
double foreign_timeout(const struct foreign *foreign);
/* Appends its words. */
void foreign_command(const struct foreign *foreign, struct str *out);

/* Whether it may be run by this process. Returns 0, or -errno with a phrase in why. */
int foreign_trusted(const struct foreign *foreign, struct str *why);

/* Frees the metrics of the last judgement. */
void foreign_clear_metrics(struct foreign *foreign);

#endif
