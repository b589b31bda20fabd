/* SPDX-License-Identifier: GPL-2.0-only */
/* Of a process that is to blame: what do people know it as, and since when does it run? */
#ifndef TUESDAY_JUDGE_WHO_H
#define TUESDAY_JUDGE_WHO_H

struct capture;
struct check_result;

/*
 * Fills in unit and up_seconds of the culprits that are processes, those of the result and those of
 * its metrics, by /proc/PID/cgroup, /proc/PID/stat and /proc/uptime. What is gone by now stays
 * without.
 */
void judge_describe_who(struct capture *fs, struct check_result *result);

#endif
