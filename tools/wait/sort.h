/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_WAIT_SORT_H
#define TUESDAY_TOOLS_WAIT_SORT_H

#include <stdbool.h>
#include <stdint.h>

struct wait_answer;
struct wait_process;

/* Fills the rows of an answer: what the kernel calls a kind of wait becomes what a person does,
 * with who or what is in the way. Reads /proc of the process for what its descriptors are. */
void wait_answer_sort(struct wait_answer *answer, const struct wait_process *process);

/* Whether a futex, as in the detail of a wait, is a lock that somebody has. */
bool wait_futex_is_lock(uint32_t detail);

#endif
