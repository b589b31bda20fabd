/* SPDX-License-Identifier: GPL-2.0-only */
/* One look at the queues of the machine, and what came of it. */
#ifndef TUESDAY_TOOLS_QUEUE_LOOK_H
#define TUESDAY_TOOLS_QUEUE_LOOK_H

#include <stdbool.h>

#include "base/str.h"
#include "bpf/probe/queue.h"
#include "queue/matrix.h"
#include "run/options.h"
#include "tools/queue/people.h"

enum queue_only { QUEUE_ONLY_BOTH, QUEUE_ONLY_CPU, QUEUE_ONLY_DISK };

struct queue_options {
	const char *program;
	struct options common;
	double seconds;
	bool json;
	unsigned int only; /* enum queue_only */
	unsigned int top;
	struct party a, b;
	bool has_a, has_b;
	bool board;	 /* the picture of CPUs by time instead */
	const char *svg; /* a file for it, or NULL */
	unsigned int color;
};

/* Of one of the two kinds of queues. */
struct queue_kind {
	bool looked;
	struct str why; /* it did not look */
	struct queue_lost lost;
};

struct queue_look {
	struct queue_kind cpu, block;
	struct matrix matrix;
	struct people_delays delays; /* as the kernel counted them meanwhile */
	double seconds;		     /* that it took */
	bool interrupted;	     /* somebody wanted it to end sooner */
};

/* Looks for as long as is asked for, or until somebody wants it to end. Returns 0, or -errno after
 * a message: neither kind can be looked at, or -ESRCH, nobody was A or nobody was B all the while.
 */
int queue_look(struct queue_look *look, const struct queue_options *asked);
void queue_look_free(struct queue_look *look);

#endif
