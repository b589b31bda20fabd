/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_WAIT_SAY_H
#define TUESDAY_TOOLS_WAIT_SAY_H

struct wait_answer;
struct wait_limits;
struct wait_look;

/* Fills an answer's top, sentence, more and advice, by its rows and the limits. */
void wait_answer_say(
	struct wait_answer *answer, const struct wait_look *look, const struct wait_limits *limits);

#endif
