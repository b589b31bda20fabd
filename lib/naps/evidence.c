/* SPDX-License-Identifier: GPL-2.0-only */
/* What do stat, wchan and stack of each thread say? */
#include "base/banned.h"

#include "naps/evidence.h"
#include "naps/proc_file.h"

#define THREADS_MAX 64
#define STACKS_MAX 8 /* a stack costs more than the rest together */
#define STACK_TEXT 2048

struct evidence_look {
	pid_t pid;
	struct nap_evidence *to;
	size_t threads, stacks;
};

void nap_evidence_function(const struct nap_thread *thread, char *out, size_t size)
{
	const char *from = thread->wchan;
	size_t n;

	if (!*from || !strcmp(from, "0"))
		from = *thread->stack == '[' && strchr(thread->stack, ' ')
			? strchr(thread->stack, ' ') + 1
			: "";
	n = strcspn(from, "+\n ");
	snprintf(out, size, "%.*s", (int)n, from);
}

/* A thread that sleeps is asked for its wait channel only: most do, and mean nothing by it. */
static void evidence_read(struct evidence_look *look, pid_t tid, char state, char *wchan,
	size_t wchan_size, char *stack, size_t stack_size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/wchan", (int)look->pid, (int)tid);
	if (proc_file_read_hidden(path, wchan, wchan_size) < 0)
		*wchan = 0;
	*stack = 0;
	if (state == 'S' || look->stacks >= STACKS_MAX)
		return;
	look->stacks++;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stack", (int)look->pid, (int)tid);
	if (proc_file_read_hidden(path, stack, stack_size) < 0)
		*stack = 0;
	else
		look->to->stacks = true;
}

static bool evidence_thread(void *arg, pid_t tid)
{
	struct evidence_look *look = arg;
	struct nap_evidence *to = look->to;
	char path[64], wchan[128], stack[STACK_TEXT];
	struct nap_thread thread = {.wchan = wchan, .stack = stack};
	struct proc_stat stat;
	enum nap_cause cause;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)look->pid, (int)tid);
	if (proc_stat_read(path, &stat))
		return true;
	thread.state = stat.state;
	evidence_read(look, tid, stat.state, wchan, sizeof(wchan), stack, sizeof(stack));
	cause = nap_cause_of_thread(&thread, false);
	look->threads++;
	to->queued += cause == NAP_RUN_QUEUE;
	if (cause == NAP_RUN_QUEUE)
		return look->threads < THREADS_MAX;
	if (cause > to->cause || !*to->function) {
		nap_evidence_function(&thread, to->function, sizeof(to->function));
		to->cause = nap_cause_join(to->cause, cause);
	}
	return look->threads < THREADS_MAX;
}

void nap_evidence_look(pid_t pid, struct nap_evidence *out)
{
	struct evidence_look look = {.pid = pid, .to = out};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	proc_each_number(path, evidence_thread, &look);
	out->threads = look.threads;
}
