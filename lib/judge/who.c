/* SPDX-License-Identifier: GPL-2.0-only */
/* What is a process part of, and how old is it? */
#include "base/banned.h"

#include <math.h>
#include <unistd.h>

#include <linux/types.h>

#include "base/num.h"
#include "base/str.h"
#include "bpf/iter/task.h"
#include "capture/capture.h"
#include "judge/who.h"
#include "report/report.h"
#include "sources/common/parse_text.h"
#include "sources/task/task.h"
#include "sources/task/task_group.h"
#include "sources/task/task_walk.h"

/* Seconds since the machine was started; NAN where it does not say. */
static double who_uptime(struct capture *fs)
{
	struct bytes text, word;
	double seconds;

	if (capture_read(fs, "/proc/uptime", &text) || !text_word(&text, &word) ||
		!text_number(word, &seconds))
		return NAN;
	return seconds;
}

static void who_find_unit(struct capture *fs, const char *pid, struct culprit *culprit)
{
	struct str path = STR_INIT, name = STR_INIT;
	struct bytes text;
	char file[96];

	snprintf(file, sizeof(file), "/proc/%s/cgroup", pid);
	if (!capture_read_once(fs, file, &text) && parse_task_cgroup(text, &path) &&
		(cgroup_pod(str_text(&path), &name) || cgroup_unit(str_text(&path), &name)))
		snprintf(culprit->unit, sizeof(culprit->unit), "%s", str_text(&name));
	str_free(&path);
	str_free(&name);
}

/* The kernel tells the start of a process in ticks since that of the machine. */
static void who_find_age(struct capture *fs, const char *pid, struct culprit *culprit)
{
	long ticks = sysconf(_SC_CLK_TCK);
	struct task_record task = {0};
	struct bytes text;
	char file[96];
	double age;

	snprintf(file, sizeof(file), "/proc/%s/stat", pid);
	if (ticks <= 0 || capture_read_once(fs, file, &text) || !parse_task_stat(text, &task) ||
		!task.start)
		return;
	age = who_uptime(fs) - (double)task.start / (double)ticks;
	if (age > 0)
		culprit->up_seconds = age;
}

static void who_describe(struct capture *fs, struct culprit *culprit)
{
	uint64_t pid;

	culprit->unit[0] = 0;
	culprit->up_seconds = 0;
	if (strcmp(culprit->kind, "process") != 0 || num_u64(culprit->id, 1, 1u << 22, &pid))
		return;
	who_find_unit(fs, culprit->id, culprit);
	who_find_age(fs, culprit->id, culprit);
}

void judge_describe_who(struct capture *fs, struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_culprits; i++)
		who_describe(fs, &result->culprits[i]);
	for (i = 0; i < result->n_metrics; i++)
		who_describe(fs, &result->metrics[i].who);
	for (i = 0; i < result->n_past; i++)
		who_describe(fs, &result->past[i].who);
}
