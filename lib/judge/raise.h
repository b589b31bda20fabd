/* SPDX-License-Identifier: GPL-2.0-only */
/* A verdict that earlier runs have changed after this one was judged. */
#ifndef TUESDAY_JUDGE_RAISE_H
#define TUESDAY_JUDGE_RAISE_H

#include <stdbool.h>

struct check_result;
struct metric_result;

/* Makes a limit maybe that is due by its forecast, and so its check where that was good. Says so in
 * the summary. Returns whether the check has another verdict; judge_report is the caller's. */
bool judge_raise_due(struct check_result *check, struct metric_result *metric);

/* Takes the accusation of a limit back that its trend alone made, and its check's, where nothing
 * else accuses that. why is said where the check is not cleared. Returns as above. */
bool judge_hold_back(struct check_result *check, struct metric_result *metric, const char *why);

#endif
