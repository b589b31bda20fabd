/* SPDX-License-Identifier: GPL-2.0-only */
/* All processes of a unit, a cgroup, a user or a name as if they were one. */
#ifndef TUESDAY_TOOLS_WAIT_SUM_H
#define TUESDAY_TOOLS_WAIT_SUM_H

#include <stddef.h>

struct wait_answer;
struct wait_process;

/* Adds up n sorted answers into one, which has `process` as its own and a name that is taken over.
 * Each row remembers which process has most of it. Both are freed with wait_sum_free_process() and
 * as an answer. */
void wait_sum_make(struct wait_answer *sum, struct wait_process *process, char *name,
	const struct wait_answer *list, size_t n);
void wait_sum_free_process(struct wait_process *process);

#endif
