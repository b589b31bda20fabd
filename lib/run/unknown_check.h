/* SPDX-License-Identifier: GPL-2.0-only */
/* A name that no check has. */
#ifndef TUESDAY_RUN_UNKNOWN_CHECK_H
#define TUESDAY_RUN_UNKNOWN_CHECK_H

struct checks;

/* Says that there is no check of this name, and which was meant. Returns the exit status. */
int run_unknown_check(const char *program, const struct checks *all, const char *name);

#endif
