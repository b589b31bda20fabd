/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs had something to do since the last look? Files that are there once for each CPU are
 * read for those only: on a machine of 256 a look at all of them costs more than the whole run.
 */
#ifndef TUESDAY_SOURCES_KERNEL_BUSY_CPUS_H
#define TUESDAY_SOURCES_KERNEL_BUSY_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/capture.h"

struct busy_cpu {
	char name[16];	    /* "cpu12" */
	double busy, total; /* seconds since boot, at the last look */
	bool is_busy;	    /* for more than a tenth of the time since the look before */
};

/* All zero at first. The caller ends it with busy_cpus_free. */
struct busy_cpus {
	struct busy_cpu *list; /* in the order of /proc/stat; a CPU keeps its place */
	size_t n, room;
};

/* Reads /proc/stat, which costs nothing where others do in the same sample. In the first look
 * nobody is busy yet. Returns 0 or -errno. */
int busy_cpus_look(struct capture *fs, struct busy_cpus *cpus);

void busy_cpus_free(struct busy_cpus *cpus);

#endif
