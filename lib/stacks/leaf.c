/* SPDX-License-Identifier: GPL-2.0-only */
/* Which callers do frame pointers not see? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/str.h"
#include "stacks/leaf.h"
#include "stacks/profile.h"
#include "symbols/stack_walk.h"
#include "symbols/walk_code.h"

enum {
	PROCESSES_MAX = 64,
	BETWEEN_MAX = 16, /* frames: more words than that were not copied */
};

/* The stacks of one process. */
struct leaf_process {
	uint32_t pid;
	size_t first, n; /* in the order by process */
};

struct leaf_work {
	struct stacks_profile *profile;
	size_t *order; /* stacks, by process */
	size_t n;
	struct leaf_process *processes;
	size_t n_processes, room;
};

static const struct stacks_stack *leaf_stacks; /* for the order alone */

static int leaf_by_pid(const void *a, const void *b)
{
	const struct stacks_stack *x = &leaf_stacks[*(const size_t *)a];
	const struct stacks_stack *y = &leaf_stacks[*(const size_t *)b];

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int leaf_by_stacks(const void *a, const void *b)
{
	const struct leaf_process *x = a, *y = b;

	return x->n > y->n ? -1 : x->n < y->n;
}

static void leaf_sort(struct leaf_work *work)
{
	const struct stacks_profile *profile = work->profile;

	work->order = mem_realloc_array(NULL, profile->n_stacks + 1, sizeof(*work->order));
	for (size_t i = 0; i < profile->n_stacks; i++)
		if (profile->stacks[i].n_words && profile->stacks[i].n_user > 1)
			work->order[work->n++] = i;
	leaf_stacks = profile->stacks;
	qsort(work->order, work->n, sizeof(*work->order), leaf_by_pid);
	for (size_t i = 0; i < work->n; i++) {
		const uint32_t pid = profile->stacks[work->order[i]].pid;
		struct leaf_process *last =
			work->n_processes ? &work->processes[work->n_processes - 1] : NULL;

		if (!last || last->pid != pid) {
			ARRAY_GROW(work->processes, work->n_processes, work->room);
			last = &work->processes[work->n_processes++];
			*last = (struct leaf_process){.pid = pid, .first = i};
		}
		last->n++;
	}
	if (work->n_processes)
		qsort(work->processes, work->n_processes, sizeof(*work->processes), leaf_by_stacks);
}

/* The pointers lead elsewhere, or further than the words do. */
static void leaf_rule(
	struct stacks_profile *profile, struct stacks_stack *stack, const struct stack_walk *walk)
{
	if (walk->depth < 2)
		return;
	stack->ruled_whole = walk->end == STACK_WALK_COMPLETE;
	stack->n_ruled = walk->depth;
	stack->ruled = arena_alloc(&profile->arena, walk->depth * sizeof(uint64_t));
	memcpy(stack->ruled, walk->frames, walk->depth * sizeof(uint64_t));
}

/* What a walk by the rules found before it came to where the frame pointer leads. */
static void leaf_add(
	struct stacks_profile *profile, struct stacks_stack *stack, const struct stack_walk *walk)
{
	const size_t n = walk->depth < BETWEEN_MAX ? walk->depth : BETWEEN_MAX;
	size_t at;

	for (at = 1; at < n; at++)
		if (walk->frames[at] == stack->frames[1])
			break;
	if (at >= n) {
		leaf_rule(profile, stack, walk);
		return;
	}
	stack->n_between = (uint32_t)at - 1;
	stack->between = arena_alloc(&profile->arena, at * sizeof(uint64_t));
	memcpy(stack->between, walk->frames + 1, stack->n_between * sizeof(uint64_t));
}

static void leaf_fill(struct stack_walk_sample *sample, const struct stacks_stack *stack)
{
	*sample = (struct stack_walk_sample){
		.registers.known = 1u << CFA_BP | 1u << CFA_SP | 1u << CFA_PC,
		.stack = {(const uint8_t *)stack->words, stack->sp,
			stack->n_words * sizeof(*stack->words)},
	};
	sample->registers.value[CFA_BP] = stack->bp;
	sample->registers.value[CFA_SP] = stack->sp;
	sample->registers.value[CFA_PC] = stack->frames[0];
}

static void leaf_walk(struct leaf_work *work, const struct leaf_process *process)
{
	struct stack_walk_code *code = mem_zalloc(STACK_WALK_FILES_MAX * sizeof(*code));
	struct stack_walk_sample *samples = mem_zalloc(process->n * sizeof(*samples));
	struct stack_walk *walks = mem_zalloc(process->n * sizeof(*walks));
	struct stacks_stack *stacks = work->profile->stacks;
	const size_t *order = work->order + process->first;
	const int n_code = walk_code_open(code, (pid_t)process->pid);

	for (size_t i = 0; i < process->n; i++)
		leaf_fill(&samples[i], &stacks[order[i]]);
	if (n_code > 0 && !stack_walk_apart(code, (size_t)n_code, samples, process->n, walks))
		for (size_t i = 0; i < process->n; i++) {
			leaf_add(work->profile, &stacks[order[i]], &walks[i]);
			stack_walk_free(&walks[i]);
		}
	if (n_code > 0)
		walk_code_close(code, n_code);
	free(walks);
	free(samples);
	free(code);
}

void stacks_leaf_find(struct stacks_profile *profile)
{
	struct leaf_work work = {.profile = profile};

	leaf_sort(&work);
	for (size_t i = 0; i < work.n_processes && i < PROCESSES_MAX; i++) {
		progress_show("looking for callers", (double)i / (double)work.n_processes);
		leaf_walk(&work, &work.processes[i]);
	}
	progress_end();
	free(work.processes);
	free(work.order);
}
