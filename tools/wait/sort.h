/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TUESDAY_TOOLS_WAIT_SORT_H
#define TUESDAY_TOOLS_WAIT_SORT_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/probe/waits.h"

struct str;
struct wait_answer;
struct wait_process;
struct wait_row;

/* Fills the rows of an answer, which has its user_share: what the kernel calls a kind of wait
 * becomes what a person does, with who or what is in the way. Reads /proc of the process for what
 * its descriptors are. */
void wait_answer_sort(struct wait_answer *answer, const struct wait_process *process);

/* Adds to a row and, unless text is NULL or empty, to who or what has that name; pid 0: it is no
 * process. */
void wait_row_add(
	struct wait_row *row, const struct waits_sum *sum, const char *text, uint32_t pid);
/* The longest first. */
void wait_row_order(struct wait_row *row);
/* "postgres (pid 812)", or "its own threads"; comm has WAITS_COMM bytes at most. */
void wait_sort_who(
	struct str *out, const struct wait_process *process, uint32_t pid, const char *comm);

/* Whether a futex, as in the detail of a wait, is a lock that somebody has. */
bool wait_futex_is_lock(uint32_t detail);

#endif
