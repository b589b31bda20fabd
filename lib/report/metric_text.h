/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is to say of a number beside its value: its limits, and what the history knows. */
#ifndef TUESDAY_REPORT_METRIC_TEXT_H
#define TUESDAY_REPORT_METRIC_TEXT_H

struct metric_result;
struct str;

/* Each appends its parts with the separator before every one, and nothing where there is none.
 * There is no text from outside in them. */

/* "acquit < 1 %", "maybe > 5 %", "bad > 10 %": the limits in force; "was bad, overruled" where
 * one of them does not count. */
void metric_limits(struct str *out, const char *separator, const struct metric_result *result);
/* "usual here at this hour: 1 % to 3 %", "at 100 % in 9 d (6 d to 15 d) if it goes on as in the
 * last 7 d". */
void metric_known(struct str *out, const char *separator, const struct metric_result *result);

#endif
