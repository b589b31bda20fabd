/* SPDX-License-Identifier: GPL-2.0-only */
/* What is unknown and known to be. gaps: names of checks, with blanks or commas between, or NULL.
 */
#ifndef TUESDAY_TOOLS_MERGE_GAPS_H
#define TUESDAY_TOOLS_MERGE_GAPS_H

#include "report/report.h"

/* What a check counts as: what its report says (report/report.h), and good where it is unknown and
 * one of the gaps. */
enum verdict gaps_counts_as(const char *gaps, const struct check_result *result);
/* A report's own word, but for one that says unknown for nothing else than gaps: that is good. */
enum verdict gaps_verdict_of(const char *gaps, const struct report *report);

#endif
