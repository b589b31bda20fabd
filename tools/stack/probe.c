/* SPDX-License-Identifier: GPL-2.0-only */
/* Would the stacks be whole, if they were walked as perf record --call-graph dwarf does? */
#include "base/banned.h"

#include <errno.h>

#include "base/progress.h"
#include "base/str.h"
#include "stacks/stack_copies.h"
#include "stacks/stack_tally.h"
#include "symbols/walk_code.h"
#include "tools/stack/options.h"
#include "tools/stack/probe.h"

enum { PROCESSES_MOST = 16, SAMPLES_LEAST = 10, HERTZ_MOST = 199 };

#define PROBE_SECONDS 2

static bool probe_tick(void *arg, double share)
{
	(void)arg;
	progress_show("copying stacks:", share);
	return !progress_interrupted();
}

static int probe_by_depth(const void *a, const void *b)
{
	const struct stack_walk *left = a, *right = b;

	return left->depth == right->depth ? 0 : left->depth > right->depth ? 1 : -1;
}

static void probe_stack_add(struct stack_process *process, struct stack_walk *walks, size_t n)
{
	struct stack_walked *walked = &process->walked;

	qsort(walks, n, sizeof(*walks), probe_by_depth);
	walked->samples = n;
	walked->depth_p50 = walks[(n - 1) / 2].depth;
	walked->depth_p99 = walks[(n * 99 + 99) / 100 - 1].depth;
	for (size_t i = 0; i < n; i++) {
		walked->whole += walks[i].end == STACK_WALK_COMPLETE;
		walked->cut += walks[i].end == STACK_WALK_CUT;
		walked->frames += walks[i].depth;
		walked->pointer_frames += walks[i].pointer_depth < walks[i].depth
			? walks[i].pointer_depth
			: walks[i].depth;
	}
}

static void probe_process(struct stack_process *process, const struct stack_copies *copies)
{
	struct stack_walk_sample *samples =
		mem_realloc_array(NULL, copies->n + 1, sizeof(*samples));
	struct stack_walk *walks = mem_zalloc((copies->n + 1) * sizeof(*walks));
	struct stack_walk_code code[STACK_WALK_FILES_MAX];
	const int n_code = walk_code_open(code, process->pid);
	size_t n = 0, i;

	for (i = 0; i < copies->n; i++) {
		if (copies->list[i].pid != process->pid)
			continue;
		samples[n++] = copies->list[i].sample;
		process->walked.bytes += copies->list[i].sample.stack.len;
	}
	if (n && n_code > 0 && !stack_walk_apart(code, (size_t)n_code, samples, n, walks)) {
		probe_stack_add(process, walks, n);
		for (i = 0; i < n; i++)
			stack_walk_free(&walks[i]);
	}
	walk_code_close(code, n_code);
	free(walks);
	free(samples);
}

static size_t probe_count(const struct stack_copies *copies, pid_t pid)
{
	size_t n = 0;

	for (size_t i = 0; i < copies->n; i++)
		n += copies->list[i].pid == pid;
	return n;
}

int stack_probe(struct stack_tally *tally, const struct stack_options *asked, const char *program)
{
	struct stack_copies copies = {.n = 0};
	const int err = stack_copies_take(&copies, (pid_t)asked->pid, PROBE_SECONDS,
		asked->hertz < HERTZ_MOST ? asked->hertz : HERTZ_MOST, probe_tick, NULL);
	size_t probed = 0, left = PROCESSES_MOST; /* each takes two dozen descriptors for a while */

	progress_end();
	if (err)
		fprintf(stderr, "%s: cannot copy stacks: %s\n", program,
			err == -ENOTSUP ? "that is written for x86-64 only" : strerror(-err));
	for (size_t i = 0; !err && i < tally->n && left; i++) {
		struct stack_process *process = &tally->list[i];

		if (probe_count(&copies, process->pid) < SAMPLES_LEAST)
			continue;
		probe_process(process, &copies);
		probed += process->walked.samples > 0;
		left--;
	}
	if (!err && !probed)
		fprintf(stderr, "%s: no stack could be walked: too few samples in %d s\n", program,
			PROBE_SECONDS);
	stack_copies_free(&copies);
	return err ? 3 : 0;
}
