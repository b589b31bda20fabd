/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine that a command looks at, live or recorded: what `run`, `record`, `try` and
 * `check --watch` have in common.
 */
#ifndef TUESDAY_RUN_SESSION_H
#define TUESDAY_RUN_SESSION_H

#include <time.h>

struct options;
struct capture;

/* Opens what the options name, and a recording if they want one. Says on standard error what is
 * wrong. Returns 0 or -errno; the caller closes with capture_close. */
int machine_open(const struct options *options, struct capture **out);

/* Notes host, kernel, CPUs, pages, time and what kind of machine it is for a recording; in a replay
 * these are known already. */
void machine_describe(struct capture *fs, time_t now);

#endif
