/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Behind whose I/O do processes wait for disks? What queuediagnose's probe on block devices sums,
 * for one look.
 */
#ifndef TUESDAY_TOOLS_WAIT_DISKS_H
#define TUESDAY_TOOLS_WAIT_DISKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "queue/matrix.h"
#include "tools/queue/probe.h"

struct wait_answer;

struct wait_disks {
	struct queue_probe probe;
	struct matrix matrix;
	bool looked;
	struct str why; /* it did not look, in a phrase */
	struct queue_lost lost;
	double taken; /* when those who ended were taken out last, of the monotonic clock */
};

/* Loads the probe, which counts nothing yet. A kernel that does not take it leaves looked false. */
void wait_disks_open(struct wait_disks *disks);
void wait_disks_begin(struct wait_disks *disks);
/* Takes out who has ended, once a second; to be called again and again. */
void wait_disks_take(struct wait_disks *disks);
/* Counts no more; the sums stay. */
void wait_disks_end(struct wait_disks *disks);
void wait_disks_free(struct wait_disks *disks);

/* Adds to an answer, of each device that its process has asked: all requests' time added up, with
 * who was ahead in it. */
void wait_disks_sort(struct wait_answer *answer, const struct wait_disks *disks);

#endif
