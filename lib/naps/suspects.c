/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose CPU time fits into a nap, and what has he open? */
#include "base/banned.h"

#include <fcntl.h>

#include "base/str.h"
#include "naps/suspects.h"
#include "sys/privileged_call.h"

#define OVERLAP_LEAST 0.1
#define DESCRIPTORS_MAX 256
#define DESCRIPTOR_GAP 32 /* so many in a row that are not there are the end */
/* A start is told in ticks of 10 ms, and rounded. */
#define FORK_BEFORE_NS 200000000ull

void nap_baseline_take(
	struct nap_baseline *baseline, const struct nap_processes *processes, uint64_t now_ns)
{
	size_t i;

	baseline->n = 0;
	baseline->taken_ns = now_ns;
	for (i = 0; i < processes->n; i++) {
		const struct nap_process *process = &processes->list[i];

		ARRAY_GROW(baseline->list, baseline->n, baseline->room);
		baseline->list[baseline->n++] =
			(struct nap_clock){process->pid, process->time_ns, process->cpu_ns};
	}
}

void nap_baseline_free(struct nap_baseline *baseline)
{
	free(baseline->list);
	*baseline = (struct nap_baseline){0};
}

static struct nap_suspect *suspects_known(struct nap_event *event, pid_t pid)
{
	size_t i;

	for (i = 0; i < event->n_suspects; i++)
		if (event->suspects[i].pid == pid)
			return &event->suspects[i];
	return NULL;
}

/* The list is short: who ran longer stands before, and the last falls out. */
static void suspects_insert(struct nap_event *event, const struct nap_suspect *suspect)
{
	struct nap_suspect *known = suspects_known(event, suspect->pid), entry = *suspect;
	size_t at;

	if (known) {
		memcpy(entry.holds, known->holds, sizeof(entry.holds));
		memmove(known, known + 1,
			(size_t)(event->suspects + event->n_suspects - known - 1) * sizeof(*known));
		event->n_suspects--;
	}
	for (at = event->n_suspects; at && event->suspects[at - 1].overlap < entry.overlap; at--)
		if (at < NAP_SUSPECTS)
			event->suspects[at] = event->suspects[at - 1];
	if (at < NAP_SUSPECTS)
		event->suspects[at] = entry;
	if (event->n_suspects < NAP_SUSPECTS)
		event->n_suspects++;
}

static void suspects_judge(struct nap_event *event, const struct nap_process *process,
	uint64_t from_ns, uint64_t ran_ns, uint64_t now_ns)
{
	struct nap_suspect suspect = {.pid = process->pid};
	const uint64_t begin_ns = from_ns > event->begin_ns ? from_ns : event->begin_ns;

	if (now_ns <= begin_ns || process->pid == event->pid)
		return;
	suspect.overlap = (double)ran_ns / (double)(now_ns - begin_ns);
	if (suspect.overlap > 1)
		suspect.overlap = 1;
	memcpy(suspect.comm, process->comm, sizeof(suspect.comm));
	suspect.child = process->parent == event->pid &&
		process->first_ns + FORK_BEFORE_NS > event->begin_ns && !process->first_cpu_ns;
	if (suspect.overlap >= OVERLAP_LEAST)
		suspects_insert(event, &suspect);
}

void nap_suspects_find(struct nap_event *event, const struct nap_baseline *baseline,
	struct nap_processes *processes, uint64_t now_ns)
{
	const struct nap_process *process;
	size_t i;

	for (i = 0; i < baseline->n; i++) {
		const struct nap_clock *clock = &baseline->list[i];

		process = nap_processes_find(processes, clock->pid);
		if (process && process->cpu_ns > clock->cpu_ns)
			suspects_judge(event, process, clock->time_ns,
				process->cpu_ns - clock->cpu_ns, now_ns);
	}
	for (i = 0; i < processes->n; i++) {
		process = &processes->list[i];
		if (process->first_ns > baseline->taken_ns)
			suspects_judge(event, process, event->begin_ns,
				process->cpu_ns - process->first_cpu_ns, now_ns);
	}
}

const char *nap_file_that_locks(const char *target)
{
	static const char *const files[] = {
		"smaps", "smaps_rollup", "numa_maps", "clear_refs", "pagemap", "maps"};
	const char *slash = strrchr(target, '/');
	size_t i;

	if (!slash || !str_starts(target, "/proc/"))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(slash + 1, files[i]))
			return files[i];
	return NULL;
}

static void suspects_ask(struct nap_suspect *suspect)
{
	char path[64], target[96];
	const char *file = NULL;
	int descriptor, gap = 0;
	ssize_t len;

	for (descriptor = 0; !file && descriptor < DESCRIPTORS_MAX && gap < DESCRIPTOR_GAP;
		descriptor++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)suspect->pid, descriptor);
		len = privileged_readlinkat(AT_FDCWD, path, target, sizeof(target) - 1);
		gap = len < 0 ? gap + 1 : 0;
		if (len < 0)
			continue;
		target[len] = 0;
		file = nap_file_that_locks(target);
	}
	if (file)
		snprintf(suspect->holds, sizeof(suspect->holds), "%s", file);
}

void nap_suspects_ask(struct nap_event *event)
{
	size_t i;

	for (i = 0; i < event->n_suspects; i++)
		if (!*event->suspects[i].holds)
			suspects_ask(&event->suspects[i]);
}
