/* SPDX-License-Identifier: GPL-2.0-only */
/* How deep are the stacks truly, and would .eh_frame mend what frame pointers cannot walk? */
#ifndef TUESDAY_TOOLS_STACK_PROBE_H
#define TUESDAY_TOOLS_STACK_PROBE_H

struct stack_options;
struct stack_tally;

/* Takes copies of stacks for two seconds, walks them, and adds what comes out to the processes that
 * the tally has. Returns 0, or an exit status after a message. */
int stack_probe(struct stack_tally *tally, const struct stack_options *asked, const char *program);

#endif
