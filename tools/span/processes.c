/* SPDX-License-Identifier: GPL-2.0-only */
/* How do events become spans of processes? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/str.h"
#include "bpf/probe/process.h"
#include "spans/spans.h"
#include "tools/span/processes.h"
#include "tools/span/processes_file.h"

#define PROCESSES_MAX 4000000 /* what more there is has no span, as where memory is short */

/* A new one of this pid, after others that may have had it. */
static struct process *processes_add(struct processes *all, uint32_t pid, uint64_t at_ns)
{
	size_t place;

	if (all->n == PROCESSES_MAX)
		return NULL;
	ARRAY_GROW(all->list, all->n, all->room);
	all->list[all->n] =
		(struct process){.pid = pid, .parent = PROCESS_NO_PARENT, .start_ns = at_ns};
	if (!number_map_get(&all->pids, pid, &place)) {
		ARRAY_GROW(all->latest, all->n_latest, all->latest_room);
		place = all->n_latest++;
		number_map_add(&all->pids, pid, place);
	}
	all->latest[place] = all->n;
	return &all->list[all->n++];
}

static size_t processes_find(const struct processes *all, uint32_t pid)
{
	size_t place;

	return number_map_get(&all->pids, pid, &place) ? all->latest[place] : PROCESS_NO_PARENT;
}

struct process *processes_living(struct processes *all, pid_t pid)
{
	const size_t found = processes_find(all, (uint32_t)pid);

	return found == PROCESS_NO_PARENT || all->list[found].end_ns ? NULL : &all->list[found];
}

void processes_begin(struct processes *all, int fd, pid_t command, bool redact)
{
	const uint64_t now_ns = monotonic_ns(), real_ns = realtime_ns();
	struct process *first;

	*all = (struct processes){.fd = fd, .redact = redact};
	all->realtime_ns = (int64_t)(real_ns - now_ns);
	snprintf(all->trace, sizeof(all->trace), "%llx", (unsigned long long)real_ns);
	first = processes_add(all, (uint32_t)command, now_ns);
	first->name = mem_strdup("?");
}

/* The words of a command line. Whoever wrote them, they are one line of visible text. */
static char *processes_visible(const char *words, size_t len, bool cut)
{
	struct str raw = STR_INIT, shown = STR_INIT;
	size_t i;

	while (len && !words[len - 1])
		len--;
	for (i = 0; i < len; i++)
		str_addc(&raw, words[i] ? words[i] : ' ');
	escape_terminal(&shown, str_text(&raw));
	if (cut)
		str_add(&shown, "...");
	str_free(&raw);
	return str_take(&shown);
}

/* The program's file without folders; "-bash" of a login shell stays. */
static char *processes_name(const char *words, size_t len, const char *comm)
{
	const size_t first_len = strnlen(words, len);
	char *first = mem_strndup(words, first_len), *name;
	const char *slash = strrchr(first, '/');
	struct str shown = STR_INIT;

	escape_terminal_cut(&shown, slash && slash[1] ? slash + 1 : *first ? first : comm, 60);
	if (!shown.len)
		str_addc(&shown, '?');
	free(first);
	name = str_take(&shown);
	return name;
}

static void processes_forked(struct processes *all, const struct process_fork *fork)
{
	const size_t parent = processes_find(all, fork->parent);
	struct process *process = processes_add(all, fork->event.pid, fork->event.at_ns);

	if (!process)
		return;
	process->parent = parent;
	snprintf(process->comm, sizeof(process->comm), "%.15s", fork->comm);
	process->name = processes_name("", 0, process->comm);
	if (parent != PROCESS_NO_PARENT && all->list[parent].name) {
		free(process->name);
		process->name = mem_strdup(all->list[parent].name);
	}
}

/* Its event ends where its words end. */
static void processes_executed(struct processes *all, const struct process_exec *exec, size_t size)
{
	struct process *process = processes_living(all, (pid_t)exec->event.pid);
	const size_t there = size - offsetof(struct process_exec, args),
		     len = exec->len < there ? exec->len : there;

	if (!process)
		return;
	snprintf(process->comm, sizeof(process->comm), "%.15s", exec->comm);
	free(process->name);
	free(process->command);
	process->name = processes_name(exec->args, len, process->comm);
	process->command = processes_visible(exec->args, len, exec->whole > len);
}

/* Not before it began, whatever clocks say. */
static void process_end_at(struct process *process, uint64_t at_ns)
{
	process->end_ns = at_ns > process->start_ns ? at_ns : process->start_ns;
}

static void processes_exited(struct processes *all, const struct process_exit *exit)
{
	struct process *process = processes_living(all, (pid_t)exit->event.pid);
	double ticks;
	int part;

	if (!process)
		return;
	process_end_at(process, exit->event.at_ns);
	process->known = true;
	process->status = (int)exit->code;
	process->cpu_s = (double)exit->cpu_ns / 1e9;
	ticks = (double)exit->user_ns + (double)exit->system_ns;
	/* Exact in sum, and as the ticks say in parts: what getrusage() does. */
	process->user_s = ticks > 0 ? process->cpu_s * (double)exit->user_ns / ticks : 0;
	process->system_s = process->cpu_s - process->user_s;
	for (part = 0; part < WAITS_PARTS; part++)
		process->part_s[part] = (double)exit->part_ns[part] / 1e9;
	process->rss_bytes = (double)exit->rss_pages * (double)sysconf(_SC_PAGESIZE);
	processes_file_add(all, (size_t)(process - all->list));
}

void processes_gone(struct processes *all, struct process *process, double user_s, double system_s)
{
	process_end_at(process, monotonic_ns());
	process->gone = true;
	process->user_s = user_s;
	process->system_s = system_s;
	process->cpu_s = user_s + system_s;
	processes_file_add(all, (size_t)(process - all->list));
}

void processes_take(struct processes *all, const void *data, size_t size)
{
	const struct process_event *event = data;

	if (size < sizeof(*event))
		return;
	if (event->kind == PROCESS_FORK && size >= sizeof(struct process_fork))
		processes_forked(all, data);
	else if (event->kind == PROCESS_EXEC && size >= offsetof(struct process_exec, args))
		processes_executed(all, data, size);
	else if (event->kind == PROCESS_EXIT && size >= sizeof(struct process_exit))
		processes_exited(all, data);
}

int processes_end(struct processes *all)
{
	const uint64_t now_ns = monotonic_ns();
	size_t i;

	for (i = 0; i < all->n; i++)
		if (!all->list[i].end_ns) {
			process_end_at(&all->list[i], now_ns);
			processes_file_add(all, i);
		}
	processes_flush(all, now_ns);
	return all->failed;
}

void processes_forget(struct processes *all)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		free(all->list[i].name);
		free(all->list[i].command);
	}
	free(all->list);
	free(all->latest);
	processes_file_free(all);
	number_map_free(&all->pids);
	*all = (struct processes){.fd = -1};
}
