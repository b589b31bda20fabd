/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes is something said about? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/str.h"
#include "tools/wait/answer.h"
#include "tools/wait/disks.h"
#include "tools/wait/frames.h"
#include "tools/wait/limits.h"
#include "tools/wait/watch.h"
#include "tools/wait/options.h"
#include "tools/wait/say.h"
#include "tools/wait/sort.h"
#include "tools/wait/sum.h"

static const struct {
	const char *name, *text;
} answer_categories[WAIT_CATEGORIES] = {
	[WAIT_USER] = {"user", "on CPUs, in the program"},
	[WAIT_KERNEL] = {"kernel", "on CPUs, in the kernel"},
	[WAIT_CPU] = {"cpu", "on CPUs"},
	[WAIT_STOLEN] = {"interrupted", "interrupted on its CPU, or the host took it"},
	[WAIT_QUEUE] = {"run_queue", "in run queues, behind others"},
	[WAIT_QUOTA] = {"quota", "out of the CPU quota of its cgroup"},
	[WAIT_DISK] = {"disk", "waiting for disks"},
	[WAIT_LOCK] = {"kernel_lock", "waiting for locks of the kernel"},
	[WAIT_OWN_LOCK] = {"mutex", "waiting for its own mutexes"},
	[WAIT_SHARED] = {"shared_lock", "waiting for locks that processes share"},
	[WAIT_MEMORY] = {"memory", "waiting for memory"},
	[WAIT_PEER] = {"peer", "waiting for a peer"},
	[WAIT_CHILDREN] = {"children", "waiting for its children"},
	[WAIT_STOPPED] = {"stopped", "stopped"},
	[WAIT_OTHER] = {"uninterruptible", "uninterruptible, for something else"},
	[WAIT_ELSE] = {"other", "other waits"},
	[WAIT_SLEEP] = {"sleep", "asleep by its own wish"},
	[WAIT_THREAD] = {"thread", "waiting for its other threads"},
	[WAIT_WORK] = {"work", "waiting for work"},
};

const char *wait_category_text(enum wait_category category)
{
	return answer_categories[category].text;
}

const char *wait_category_name(enum wait_category category)
{
	return answer_categories[category].name;
}

/* A tick is a hundredth of a second of whatever ran at its end. */
static double answer_user_share(
	const struct wait_process *process, const struct wait_limits *limits)
{
	const double all = process->user_ticks + process->system_ticks;

	return all >= limits->trust.ticks ? process->user_ticks / all : NAN;
}

static void answer_add(struct wait_answers *answers, const struct wait_process *process)
{
	char comm[WAITS_COMM + 1] = "";
	struct str name = STR_INIT;
	struct wait_answer *answer;

	memcpy(comm, process->seen.comm, WAITS_COMM);
	escape_terminal(&name, *comm ? comm : "?");
	ARRAY_GROW(answers->list, answers->n, answers->room);
	answer = &answers->list[answers->n++];
	*answer = (struct wait_answer){.name = str_take(&name),
		.swapped_in = answers->look->swapped_in,
		.stolen_share = answers->look->stolen_share};
	answer->user_share = answer_user_share(process, answers->limits);
	wait_answer_sort(answer, process);
	wait_disks_sort(answer, &answers->look->disks);
	wait_frames_sort(answer, &answers->look->frames);
}

static uint64_t answer_cpu(const struct wait_process *process)
{
	return process->seen.part_ns[WAITS_RUNS];
}

/* What is nobody's wish: not that it sleeps, has no work, or waits for its own threads. */
static uint64_t answer_waiting(const struct wait_process *process)
{
	uint64_t ns = 0;
	int part;

	for (part = WAITS_QUEUE; part <= WAITS_STOPPED; part++)
		ns += process->seen.part_ns[part];
	return ns + process->seen.part_ns[WAITS_OTHER] + process->seen.part_ns[WAITS_SHARED];
}

static int answer_cpu_order(const void *a, const void *b)
{
	const uint64_t left = answer_cpu(a), right = answer_cpu(b);

	return left > right ? -1 : left < right;
}

static int answer_waiting_order(const void *a, const void *b)
{
	const uint64_t left = answer_waiting(a), right = answer_waiting(b);

	return left > right ? -1 : left < right;
}

static bool answer_is_there(const struct wait_answers *answers, uint32_t pid)
{
	size_t i;

	for (i = 0; i < answers->n; i++)
		if (answers->list[i].process->pid == pid)
			return true;
	return false;
}

/* The busiest, then the most waiting ones that are not among them. */
static void answers_few(struct wait_answers *answers, struct wait_look *look, size_t top)
{
	struct wait_process *list = look->processes, *waiting;
	size_t i;

	if (!look->n)
		return;
	waiting = mem_realloc_array(NULL, look->n, sizeof(*waiting));
	memcpy(waiting, list, look->n * sizeof(*list));
	qsort(waiting, look->n, sizeof(*waiting), answer_waiting_order);
	qsort(list, look->n, sizeof(*list), answer_cpu_order);
	for (i = 0; i < look->n && i < top; i++)
		if (answer_cpu(&list[i]))
			answer_add(answers, &list[i]);
	for (i = 0; i < look->n && i < top; i++) {
		size_t k;

		if (!answer_waiting(&waiting[i]) || answer_is_there(answers, waiting[i].pid))
			continue;
		for (k = 0; list[k].pid != waiting[i].pid;)
			k++;
		answer_add(answers, &list[k]);
	}
	free(waiting);
}

static void answers_sum(struct wait_answers *answers)
{
	const struct wait_options *asked = answers->asked;
	struct str name = STR_INIT;

	if (asked->user)
		str_add(&name, "user ");
	escape_terminal(&name, asked->user ? asked->user : asked->target);
	answers->summed = mem_zalloc(sizeof(*answers->summed));
	wait_sum_make(&answers->sum, answers->summed, str_take(&name), answers->list, answers->n);
}

void wait_answers_sort(struct wait_answers *answers, struct wait_look *look,
	const struct wait_options *asked, const struct wait_limits *limits)
{
	size_t i;

	*answers = (struct wait_answers){.look = look, .asked = asked, .limits = limits};
	answers->processes = look->n;
	if (!asked->target && !asked->user) {
		answers_few(answers, look, asked->top);
		return;
	}
	if (look->n)
		qsort(look->processes, look->n, sizeof(*look->processes), answer_waiting_order);
	for (i = 0; i < look->n; i++)
		answer_add(answers, &look->processes[i]);
	if (answers->n > 1)
		answers_sum(answers);
}

void wait_answers_say(struct wait_answers *answers)
{
	size_t i;

	for (i = 0; i < answers->n; i++)
		wait_answer_say(&answers->list[i], answers->look, answers->limits);
	if (answers->sum.processes)
		wait_answer_say(&answers->sum, answers->look, answers->limits);
}

static void answer_free_row(struct wait_row *row)
{
	size_t i;

	for (i = 0; i < row->n; i++)
		free(row->named[i].text);
	free(row->named);
}

static void answer_free(struct wait_answer *answer)
{
	size_t k;

	for (k = 0; k < WAIT_CATEGORIES; k++)
		answer_free_row(&answer->rows[k]);
	for (k = 0; k < answer->n_disks; k++) {
		answer_free_row(&answer->disks[k].ahead);
		free(answer->disks[k].name);
	}
	free(answer->disks);
	answer_free_row(&answer->functions);
	for (k = 0; k < WAIT_SLOWEST; k++)
		free(answer->slow_on[k]);
	free(answer->name);
	str_free(&answer->sentence);
	str_free(&answer->more);
	str_free(&answer->advice);
}

void wait_answers_free(struct wait_answers *answers)
{
	size_t i;

	for (i = 0; i < answers->n; i++)
		answer_free(&answers->list[i]);
	if (answers->summed) {
		answer_free(&answers->sum);
		wait_sum_free_process(answers->summed);
		free(answers->summed);
	}
	free(answers->list);
	*answers = (struct wait_answers){0};
}
