/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions that may hang in the kernel, where nothing interrupts them: statvfs on a dead server,
 * an ioctl of a disk that does not answer. A child asks one after the other. What it hung in is
 * marked and not asked again.
 *
 * The answers are text, as a recording has them: each line begins with the number of its question.
 * A line of that number alone says that it was asked; if no other follows, it hung. "still SECONDS"
 * before it says that it was not asked, since a process of an earlier run has hung in it for so
 * long.
 */
#ifndef TUESDAY_SOURCES_COMMON_SLOW_QUERY_H
#define TUESDAY_SOURCES_COMMON_SLOW_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct str;

struct asking {
	size_t n; /* questions, numbered from 0 */

	/* Appends one or more lines, each "NUMBER ANSWER\n". In the child, or where none can hang
	 * here: a fork costs more than a dozen answers that the kernel has at hand. */
	void (*ask)(void *arg, size_t number, struct str *answer);
	void *arg;
	bool calm; /* none can hang */

	bool *skip; /* n of them: not to be asked. */
	bool *hung; /* n of them: set where it hung; such are not asked either. */
	/* What is asked for by a number that is the same in every run, in a file of that name: see
	 * hang_lock.h. NULL: nothing that hangs for ever. */
	const char *lock;
	uint64_t (*identity)(void *arg, size_t number);
	double *since;	 /* n of them: set to seconds where one of an earlier run still hangs */
	int deadline_ms; /* for all together; some hung ones are waited for as long again */
};

/* Returns 0, also where something hung, or -errno: -EPIPE where the child that asks was killed.
 * answer holds what was answered. */
int asking_run(struct asking *asking, struct str *answer);

/* What that error says to people. */
const char *asking_error(int err);

/* Takes "still SECONDS". */
bool asking_still(struct bytes words, double *seconds);

/* Takes the next line of answers to n questions: words is empty where it only says that it was
 * asked. False at the end. */
bool asking_next(struct bytes *answer, size_t n, size_t *number, struct bytes *words);

#endif
