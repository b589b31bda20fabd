/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of what runs on this machine, looked at for some seconds. */
#ifndef TUESDAY_TOOLS_STACK_LIVE_H
#define TUESDAY_TOOLS_STACK_LIVE_H

struct stack_options;
struct stack_tally;

/* Samples, names and counts them. Returns 0, or an exit status after a message. */
int stack_live(struct stack_tally *tally, const struct stack_options *asked, const char *program);

#endif
