/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Foreign checks: "exec = /usr/lib/nagios/plugins/check_foo -w 5" in [check] runs any program that
 * follows the monitoring plugins' convention, 0 good, 1 maybe, 2 bad, 3 unknown, and reads its
 * performance data into metrics. Only if check file and program can be changed by nobody but root
 * and the caller; never in a replay, which has the recorded answer.
 */
#ifndef TUESDAY_FOREIGN_H
#define TUESDAY_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#define FOREIGN_TIMEOUT_SECONDS 10
#define FOREIGN_TIMEOUT_MAX 60

struct check;
struct check_result;
struct foreign;
struct procfs;
struct str;

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

/* Starts the programs of checks that have one, all at once, if this is the live machine. */
void foreign_start(struct check *const *checks, size_t n, struct procfs *fs);

/* Waits for them, and keeps and records what they said. tick as in child_collect. */
void foreign_collect(struct check *const *checks, size_t n, struct procfs *fs,
	bool (*tick)(void *arg), void *arg);

/* The verdict of a check that has a program, and its metrics, from what was said. */
void foreign_judge(const struct check *check, struct procfs *fs, struct check_result *result);

#endif
