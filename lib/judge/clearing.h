/* SPDX-License-Identifier: GPL-2.0-only */
/* What clears a check? Of what is good only some is cleared ("It is not"): the rules are in
 * docs/verdicts.md. */
#ifndef TUESDAY_JUDGE_CLEARING_H
#define TUESDAY_JUDGE_CLEARING_H

struct check;
struct check_result;
struct judge_context;

/*
 * Decides of a result that is good, with all its metrics judged, whether it is exonerated. Where it
 * is not, result->reason becomes why not, for people and not escaped.
 */
void clearing_decide(const struct check *check, const struct judge_context *context,
	struct check_result *result);

#endif
