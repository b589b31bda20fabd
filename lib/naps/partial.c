/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads wait for the lock of their memory map, and since when? */
#include "base/banned.h"

#include <inttypes.h>

#include "naps/cause.h"
#include "naps/evidence.h"
#include "naps/partial.h"
#include "naps/proc_file.h"

struct partial_look {
	struct nap_partial now;
	const struct nap_partial *before;
	pid_t pid;
	size_t threads;
	char *function;
	size_t size;
};

void nap_partial_begin(struct nap_partial *now, uint64_t time_ns)
{
	now->n = 0;
	now->looked_ns = time_ns;
}

void nap_partial_add(
	struct nap_partial *now, const struct nap_partial *before, pid_t tid, uint64_t ran_ns)
{
	struct nap_blocked *blocked;
	size_t i;

	if (now->n == NAP_THREADS_MAX)
		return;
	blocked = &now->list[now->n++];
	*blocked = (struct nap_blocked){tid, ran_ns, now->looked_ns};
	for (i = 0; i < before->n; i++)
		if (before->list[i].tid == tid && before->list[i].ran_ns == ran_ns)
			blocked->since_ns = before->list[i].since_ns;
}

uint64_t nap_partial_since(const struct nap_partial *partial)
{
	uint64_t since_ns = 0;
	size_t i;

	for (i = 0; i < partial->n; i++)
		if (!since_ns || partial->list[i].since_ns < since_ns)
			since_ns = partial->list[i].since_ns;
	return since_ns;
}

static bool partial_thread(void *arg, pid_t tid)
{
	struct partial_look *look = arg;
	char path[64], wchan[128], text[128];
	struct nap_thread thread = {.wchan = wchan, .stack = ""};
	struct proc_stat stat;
	uint64_t ran_ns;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)look->pid, (int)tid);
	if (++look->threads > NAP_THREADS_MAX || proc_stat_read(path, &stat))
		return look->threads <= NAP_THREADS_MAX;
	if (stat.state != 'D')
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/wchan", (int)look->pid, (int)tid);
	if (proc_file_read_hidden(path, wchan, sizeof(wchan)) < 0)
		return true;
	thread.state = stat.state;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)look->pid, (int)tid);
	if (nap_cause_of_thread(&thread, false) != NAP_MEMORY_MAP ||
		proc_file_read(path, text, sizeof(text)) < 0 ||
		sscanf(text, "%" SCNu64, &ran_ns) != 1)
		return true;
	nap_partial_add(&look->now, look->before, tid, ran_ns);
	nap_evidence_function(&thread, look->function, look->size);
	return true;
}

void nap_partial_look(
	struct nap_partial *partial, pid_t pid, uint64_t time_ns, char *function, size_t size)
{
	struct partial_look look = {
		.before = partial, .pid = pid, .function = function, .size = size};
	char path[64];

	*function = 0;
	nap_partial_begin(&look.now, time_ns);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	proc_each_number(path, partial_thread, &look);
	*partial = look.now;
}
