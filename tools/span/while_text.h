/* SPDX-License-Identifier: GPL-2.0-only */
/* What held a command back, as only its processes show. */
#ifndef TUESDAY_TOOLS_SPAN_WHILE_TEXT_H
#define TUESDAY_TOOLS_SPAN_WHILE_TEXT_H

struct span_while;
struct str;

/* Appends a sentence for the reason, where one is seen, and what the processes had of CPUs. */
void span_while_text(struct str *out, const struct span_while *run);

#endif
