/* SPDX-License-Identifier: GPL-2.0-only */
/* What both the text and the page say, in words; none of it is escaped. */
#ifndef TUESDAY_TOOLS_REPORT_PHRASES_H
#define TUESDAY_TOOLS_REPORT_PHRASES_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "report/report.h"
#include "tools/report/model.h"

struct story;

/* "2026-11-21 15:33 UTC": a report is read on other machines. */
void say_time(struct str *out, time_t time);
/* "puma (pid 4242) 61 %", "device sda". */
void say_culprit(struct str *out, const struct culprit *culprit);
/* "listen turned from good to bad at TIME", and how often it changed. */
void say_shift(struct str *out, const struct shift *shift);
/* "disk latency_seconds[sda]". */
void say_metric(struct str *out, const char *check, const char *metric, const char *instance);
/* How it was looked at: "5 windows of 2 s", "traced for 5 s". */
void say_window(struct str *out, const struct report *report, const struct check_result *result);
/* "Linux 6.1.0, 8 CPUs, up 41 d". */
void say_machine(struct str *out, const struct report *report);
void say_cost(struct str *out, const struct cost *cost);
/* "11 good, 2 unknown, 1 skip" */
void say_counts(struct str *out, const size_t at[VERDICTS]);
/* "listen, tcp: 1 bad, 1 maybe, 11 good": who accuses, and how many there are. */
void say_area(struct str *out, const struct report *report, const struct area *area);
/* The instance as people know it, "" for none. */
const char *instance_of(const struct metric_result *metric);
/* The first that is not empty, or "". */
const char *first_text(const char *a, const char *b);

/* Whether a number is shown among the others: it has a value, or one is missed. */
bool is_shown(const struct check_result *result, const struct metric_result *metric);

/* What is to be known of all of it first: that a file says it; NULL for a run of ours. */
const char *whose_words(const struct story *story);
/* The heading of what was not examined, and of the column that says why. */
const char *unexamined_heading(const struct story *story);
const char *unexamined_column(const struct story *story);

/* Commands to run next, those for what is bad first, each once; the caller frees the array. */
const char **next_steps(const struct report *report, size_t *n);

#endif
