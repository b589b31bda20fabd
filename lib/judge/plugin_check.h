/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of foreign checks (see check/exec.h): run, and judged by what they say. */
#ifndef TUESDAY_JUDGE_PLUGIN_CHECK_H
#define TUESDAY_JUDGE_PLUGIN_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct check;
struct check_result;
struct capture;

/* Starts the programs of checks that have one and are not skipped, all at once, if this is the live
 * machine. skipped has why for each check, or NULL. */
void foreign_start(struct check *const *checks, char *const *skipped, size_t n, struct capture *fs);

/* Waits for them, and keeps and records what they said. tick as in child_collect. */
void foreign_collect(struct check *const *checks, size_t n, struct capture *fs,
	bool (*tick)(void *arg), void *arg);

/* The verdict of a check that has a program, and its metrics, from what was said. */
void foreign_judge(const struct check *check, struct capture *fs, struct check_result *result);

#endif
