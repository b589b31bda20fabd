/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes are there, and what has each used? */
#include "base/banned.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "naps/processes.h"

void nap_processes_open(struct nap_processes *processes)
{
	*processes = (struct nap_processes){.self = getpid()};
}

void nap_processes_close(struct nap_processes *processes)
{
	free(processes->list);
	number_map_free(&processes->by_pid);
	*processes = (struct nap_processes){0};
}

struct nap_process *nap_processes_find(struct nap_processes *processes, pid_t pid)
{
	size_t at;

	if (!number_map_get(&processes->by_pid, (uint64_t)pid, &at))
		return NULL;
	return &processes->list[at];
}

void nap_process_name(struct nap_process *process)
{
	struct proc_stat stat;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process->pid);
	if (!proc_stat_read(path, &stat) && stat.start_ticks == process->start_ticks)
		memcpy(process->comm, stat.comm, sizeof(process->comm));
}

void nap_process_look(struct nap_process *process, uint64_t now_ns)
{
	uint64_t cpu_ns;

	if (process->gone)
		return;
	if (proc_cpu_ns(process->pid, &cpu_ns) || cpu_ns < process->cpu_ns) {
		process->gone = true;
		return;
	}
	process->time_ns = now_ns;
	process->cpu_ns = cpu_ns;
}

/* One that was not in the list before. What it used since its start counts from then on, where we
 * have looked for longer than it is there. */
static void nap_processes_add(struct nap_processes *processes, pid_t pid)
{
	const uint64_t now_ns = monotonic_ns();
	struct nap_process *process;
	struct proc_stat stat;
	uint64_t cpu_ns;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (proc_stat_read(path, &stat) || stat.state == 'Z' || proc_cpu_ns(pid, &cpu_ns))
		return;
	number_map_add(&processes->by_pid, (uint64_t)pid, processes->n);
	ARRAY_GROW(processes->list, processes->n, processes->room);
	process = &processes->list[processes->n++];
	*process = (struct nap_process){.pid = pid,
		.parent = stat.parent,
		.start_ticks = stat.start_ticks,
		.kernel = stat.kernel,
		.time_ns = now_ns,
		.cpu_ns = cpu_ns,
		.first_ns = now_ns,
		.first_cpu_ns = processes->listed_ns ? 0 : cpu_ns,
		.second_cpu_ns = cpu_ns};
	memcpy(process->comm, stat.comm, sizeof(process->comm));
}

static bool nap_processes_found(void *arg, pid_t pid)
{
	struct nap_processes *processes = arg;

	if (pid != processes->self && !nap_processes_find(processes, pid))
		nap_processes_add(processes, pid);
	return processes->n < NAP_PROCESSES_MAX;
}

/* The watched stay, for what is known of them: watch.c lets them go. */
static void nap_processes_forget(struct nap_processes *processes)
{
	size_t i, kept = 0;

	for (i = 0; i < processes->n; i++)
		if (!processes->list[i].gone || processes->list[i].watched)
			processes->list[kept++] = processes->list[i];
	if (kept == processes->n)
		return;
	processes->n = kept;
	number_map_clear(&processes->by_pid);
	/* The last one of a number is the one that lives. */
	for (i = kept; i-- > 0;)
		number_map_add(&processes->by_pid, (uint64_t)processes->list[i].pid, i);
}

int nap_processes_list(struct nap_processes *processes, uint64_t now_ns)
{
	int err;

	nap_processes_forget(processes);
	err = proc_each_number("/proc", nap_processes_found, processes);
	processes->listed_ns = now_ns;
	return err;
}

void nap_processes_look(struct nap_processes *processes, uint64_t now_ns)
{
	size_t i;

	for (i = 0; i < processes->n; i++)
		nap_process_look(&processes->list[i], now_ns);
}

void nap_processes_turn(struct nap_processes *processes, size_t others)
{
	size_t i;

	for (i = 0; i < processes->n; i++)
		if (processes->list[i].quick)
			nap_process_look(&processes->list[i], monotonic_ns());
	if (others > processes->n)
		others = processes->n;
	for (; others; others--) {
		processes->next = processes->next + 1 < processes->n ? processes->next + 1 : 0;
		if (!processes->list[processes->next].quick)
			nap_process_look(&processes->list[processes->next], monotonic_ns());
	}
}
