/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a check has anything to say of a machine. */
#ifndef TUESDAY_JUDGE_SKIP_H
#define TUESDAY_JUDGE_SKIP_H

#include <stdbool.h>

struct check;
struct check_result;
struct capture;

/* Why the check has nothing to say of this machine, or NULL: the reason of the verdict skip, or of
 * unknown where *unknown: it may have, but nobody can tell. The caller frees. */
char *judge_why_skipped(const struct check *check, struct capture *fs, bool *unknown);

/* The result of a check that has nothing to say, for that reason. */
void judge_skip(
	const struct check *check, const char *why, bool unknown, struct check_result *result);

#endif
