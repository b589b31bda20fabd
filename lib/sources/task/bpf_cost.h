/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs of this machine cost: how long each ran in a slice of a quarter of a
 * second, by the kernel's own count. The slice is five parts with pauses between, and the median
 * part counts for each, so that what runs for a moment is not taken for what goes on.
 *
 * The kernel counts only while somebody wants it, and then takes two readings of a clock for each
 * run of each program. So a child asks for it beside the sampling, and only where a program that
 * watches others (tracing, kprobes, perf events, LSM) was there before us. When the child ends,
 * however it ends, the kernel stops to count.
 *
 * The answer is text, as a recording has it:
 *
 *   slice NS
 *   program ID KIND WHOSE RUNS NS PID NAME COMM
 *
 * NS of the first line is the length of the slice, 0 where there was nothing to count.
 * KIND is "watch", or "serve" for programs that are a part of something's work (network, cgroups,
 * schedulers). WHOSE is "ours" or "others". PID and COMM are of the process that holds it, 0 and
 * "-" where none does (pinned, attached to something, or not to be seen). NAME is the program's,
 * "-" for none.
 */
#ifndef TUESDAY_SOURCES_TASK_BPF_COST_H
#define TUESDAY_SOURCES_TASK_BPF_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

struct bpf_cost;
struct str;

/* Starts the slice where there is something to count. Never fails; what went wrong comes out of
 * bpf_cost_take. The caller ends it with bpf_cost_free. */
struct bpf_cost *bpf_cost_begin(void);

/*
 * Appends the answer, for which it waits for the rest of the slice where that is not over. Returns
 * 0, -EPERM where CAP_SYS_ADMIN is missing, -EOPNOTSUPP before Linux 5.8, -ENODATA where the answer
 * was taken already, or another -errno. */
int bpf_cost_take(struct bpf_cost *cost, struct str *out);

void bpf_cost_free(struct bpf_cost *cost);

/*
 * What n parts say together, n of them odd: the median part stands for each. What runs for a
 * moment, as an iterator over all tasks does, is no rate, and counts for nothing. Sorts the parts.
 */
uint64_t bpf_cost_of_parts(uint64_t *parts, size_t n);

/* Where nobody says whose a program is: whether it was loaded since we began, and so accuses
 * nobody. Both are nanoseconds since boot; a start that is not known is 0. */
bool bpf_cost_may_be_ours(uint64_t load_ns, uint64_t started_ns);

/* A line of the answer. */
struct bpf_program_cost {
	uint64_t id, runs, ns, pid; /* of its owner */
	bool watches, ours;
	char name[16];
	char owner[32];
};

/* Takes the line "slice NS". */
bool bpf_cost_slice(struct bytes *text, uint64_t *ns);
/* Takes the next program, leaving out lines that are none. False at the end. */
bool bpf_cost_next(struct bytes *text, struct bpf_program_cost *out);

#endif
