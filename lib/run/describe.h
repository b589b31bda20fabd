/* SPDX-License-Identifier: GPL-2.0-only */
/* What a report says of the machine and of the run itself. */
#ifndef TUESDAY_RUN_DESCRIBE_H
#define TUESDAY_RUN_DESCRIBE_H

#include <stdint.h>

struct checks;
struct capture;
struct report;
struct sweep;

/* The id of the run, when it was, and whether it is a replay: before anything is sampled. A replay
 * has the id and time of what was recorded. */
void describe_run(struct capture *fs, struct report *report);

/* What the machine is, noted for the recording or read from it. */
void describe_machine(struct capture *fs, struct report *report);

/* Whether an experiment of somebody else's is under way on the machine that runs. */
void describe_under_way(const struct capture *fs, struct report *report);

/* The windows, messages about check files, and whether it was interrupted. sampler_error is what
 * ended the samples early, as -errno, or 0. */
void describe_samples(struct report *report, const struct sweep *sweep, int sampler_error);
void describe_errors(struct report *report, const struct checks *checks);

/* What it cost since start_ns of CLOCK_MONOTONIC, without others_ns of CPU time of children that
 * are no part of the run. */
void describe_cost(struct report *report, uint64_t start_ns, uint64_t others_ns);

#endif
