/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions that may hang in the kernel, where nothing interrupts them: statvfs on a dead server,
 * an ioctl of a disk that does not answer. A child asks one after the other. What it hung in is
 * marked and not asked again.
 *
 * The answers are text, as a recording has them: each line begins with the number of its question.
 * A line of that number alone says that it was asked; if no other follows, it hung.
 */
#ifndef TUESDAY_SOURCES_COMMON_SLOW_QUERY_H
#define TUESDAY_SOURCES_COMMON_SLOW_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/capture.h"

struct str;

struct asking {
	size_t n; /* questions, numbered from 0 */

	/* Appends one or more lines, each "NUMBER ANSWER\n". In the child, or where none can hang
	 * here: a fork costs more than a dozen answers that the kernel has at hand. */
	void (*ask)(void *arg, size_t number, struct str *answer);
	void *arg;
	bool calm; /* none can hang */

	bool *skip;	 /* n of them: not to be asked. */
	bool *hung;	 /* n of them: set where it hung; such are not asked either. */
	int deadline_ms; /* for all together; some hung ones are waited for as long again */
};

/* Returns 0, also where something hung, or -errno. answer holds what was answered. */
int asking_run(struct asking *asking, struct str *answer);

/* Takes the next line of answers to n questions: words is empty where it only says that it was
 * asked. False at the end. */
bool asking_next(struct bytes *answer, size_t n, size_t *number, struct bytes *words);

#endif
