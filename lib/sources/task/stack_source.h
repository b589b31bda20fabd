/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks that were looked at, as sources: stack:PROCESS.…, stack/lost:FILE of PROCESS.… */
#ifndef TUESDAY_SOURCES_TASK_STACK_SOURCE_H
#define TUESDAY_SOURCES_TASK_STACK_SOURCE_H

struct stack_tally;

/* What the sources tell of, which must stay until the run is over; NULL: nothing. They are counted
 * before a run begins, by whoever was asked for them. */
void stack_source_set(const struct stack_tally *tally);

#endif
