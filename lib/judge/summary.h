/* SPDX-License-Identifier: GPL-2.0-only */
/* The line of text that a check's verdict comes with, and the evidence for the ledger. */
#ifndef TUESDAY_JUDGE_SUMMARY_H
#define TUESDAY_JUDGE_SUMMARY_H

struct check_result;
struct metric_result;
struct str;

/*
 * Fills summary, and evidence where the check is exonerated, from the phrases (say) of its metrics:
 * those that accuse for maybe and bad, those that speak for it otherwise. Names are not escaped.
 */
void summarize(struct check_result *result);

/* Appends what a metric that accuses says of itself (say), and when its limit is reached where its
 * trend accuses. */
void summary_add_accusation(
	struct str *out, const struct metric_result *metric, const struct check_result *result);

/* Appends what a metric says of itself (say), with another instance and another value than those
 * that it reports; "NAME is VALUE" where it has no phrase. */
void summary_add_value(struct str *out, const struct metric_result *metric,
	const struct check_result *result, const char *label, double value);

#endif
