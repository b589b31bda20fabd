/* SPDX-License-Identifier: GPL-2.0-only */
/* The two probes of stacks, for newer kernels and for older ones, as if they were one. */
#ifndef TUESDAY_STACKS_PROBE_H
#define TUESDAY_STACKS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/probe/sample.h"

struct bpf_map;
struct bpf_program;
struct stacks_wanted;

struct stacks_probe {
	bool to_true_depth; /* which of the two it is */
	void *skeleton;
	struct bpf_map *ring, *targets, *away, *sums;
	struct bpf_program *running, *switching, *waking, *fork;
	const struct sample_lost *lost; /* these three are the programs' own */
	const volatile uint64_t *looks, *idle_looks;
};

/* Loads what is wanted. Returns 0 or -errno; nothing has to be freed then. */
int stacks_probe_load(
	struct stacks_probe *probe, bool to_true_depth, const struct stacks_wanted *wanted);
void stacks_probe_free(struct stacks_probe *probe);

#endif
