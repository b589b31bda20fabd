/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose CPU time fits into a nap, and what has he open? */
#include "base/banned.h"

#include "base/str.h"
#include "naps/suspects.h"

#define OVERLAP_LEAST 0.1
#define DESCRIPTORS_MAX 256
#define ASKED_MAX 32
#define STATUS_TEXT 4096
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

/* Who holds a file goes before all others. */
static double suspects_weight(const struct nap_suspect *suspect)
{
	return suspect->overlap + (*suspect->holds ? 2 : 0) + (suspect->child ? 1 : 0);
}

/* The list is short: who ran longer stands before, and the last falls out. */
static void suspects_insert(struct nap_event *event, const struct nap_suspect *suspect)
{
	struct nap_suspect *known = suspects_known(event, suspect->pid), entry = *suspect;
	size_t at;

	if (known) {
		if (!*entry.holds)
			memcpy(entry.holds, known->holds, sizeof(entry.holds));
		memmove(known, known + 1,
			(size_t)(event->suspects + event->n_suspects - known - 1) * sizeof(*known));
		event->n_suspects--;
	}
	for (at = event->n_suspects;
		at && suspects_weight(&event->suspects[at - 1]) < suspects_weight(&entry); at--)
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
	if (suspect.overlap >= OVERLAP_LEAST || suspects_known(event, process->pid))
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

void nap_suspects_children(struct nap_event *event, const struct nap_processes *processes)
{
	struct nap_suspect child = {.child = true};
	size_t i;

	for (i = 0; i < processes->n; i++) {
		const struct nap_process *process = &processes->list[i];

		if (process->parent != event->pid ||
			process->first_ns + FORK_BEFORE_NS < event->begin_ns)
			continue;
		child.pid = process->pid;
		memcpy(child.comm, process->comm, sizeof(child.comm));
		suspects_insert(event, &child);
	}
}

const char *nap_file_that_locks(const char *target, pid_t *number)
{
	static const char *const files[] = {
		"smaps", "smaps_rollup", "numa_maps", "clear_refs", "pagemap", "maps"};
	const char *slash = strrchr(target, '/');
	int pid;
	size_t i;

	if (!slash || sscanf(target, "/proc/%9d/", &pid) != 1 || pid <= 0)
		return NULL;
	*number = pid;
	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(slash + 1, files[i]))
			return files[i];
	return NULL;
}

bool nap_status_has_number(const char *status, pid_t number)
{
	const char *at = strstr(status, "\nNSpid:");
	int one, taken;

	for (at = at ? at + 7 : ""; sscanf(at, "%*[ \t]%9d%n", &one, &taken) == 1; at += taken)
		if (one == number)
			return true;
	return false;
}

/* Who is asked, by what it ran. */
struct suspects_asked {
	struct nap_suspect list[ASKED_MAX];
	size_t n;
};

static void suspects_ask_too(
	struct suspects_asked *asked, const struct nap_process *process, uint64_t ran_ns)
{
	size_t at = asked->n;

	if (at == ASKED_MAX && asked->list[at - 1].overlap >= (double)ran_ns)
		return;
	at -= at == ASKED_MAX;
	for (; at && asked->list[at - 1].overlap < (double)ran_ns; at--)
		asked->list[at] = asked->list[at - 1];
	asked->list[at] = (struct nap_suspect){.pid = process->pid, .overlap = (double)ran_ns};
	memcpy(asked->list[at].comm, process->comm, sizeof(process->comm));
	asked->n += asked->n < ASKED_MAX;
}

static void suspects_collect(struct suspects_asked *asked, const struct nap_baseline *baseline,
	struct nap_processes *processes)
{
	const struct nap_process *process;
	size_t i;

	for (i = 0; i < baseline->n; i++) {
		process = nap_processes_find(processes, baseline->list[i].pid);
		if (process && !process->kernel && process->cpu_ns > baseline->list[i].cpu_ns)
			suspects_ask_too(
				asked, process, process->cpu_ns - baseline->list[i].cpu_ns);
	}
	for (i = 0; i < processes->n; i++) {
		process = &processes->list[i];
		if (process->first_ns > baseline->taken_ns && process->cpu_ns)
			suspects_ask_too(asked, process, process->cpu_ns - process->first_cpu_ns);
	}
}

struct suspects_search {
	pid_t sleeper;
	const char *status; /* of the sleeper */
	const char *file;   /* found */
};

static bool suspects_descriptor(void *arg, const char *target)
{
	struct suspects_search *search = arg;
	pid_t number;
	const char *file = nap_file_that_locks(target, &number);

	if (file && (number == search->sleeper || nap_status_has_number(search->status, number)))
		search->file = file;
	return !search->file;
}

void nap_suspects_ask(struct nap_event *event, const struct nap_baseline *baseline,
	struct nap_processes *processes)
{
	struct suspects_asked asked = {.n = 0};
	char path[64], status[STATUS_TEXT];
	const struct nap_suspect *known;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)event->pid);
	if (proc_file_read(path, status, sizeof(status)) < 0)
		*status = 0;
	suspects_collect(&asked, baseline, processes);
	for (i = 0; i < asked.n; i++) {
		struct nap_suspect *suspect = &asked.list[i];
		struct suspects_search search = {.sleeper = event->pid, .status = status};

		if (suspect->pid != event->pid)
			proc_each_descriptor(
				suspect->pid, DESCRIPTORS_MAX, suspects_descriptor, &search);
		if (!search.file)
			continue;
		known = suspects_known(event, suspect->pid);
		suspect->overlap = known ? known->overlap : 0;
		suspect->child = known && known->child;
		snprintf(suspect->holds, sizeof(suspect->holds), "%s", search.file);
		suspects_insert(event, suspect);
	}
}
