/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the kernel's kinds of wait is what a person calls it, and who is in the way? */
#include "base/banned.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/str.h"
#include "tools/wait/answer.h"
#include "tools/wait/calls.h"
#include "tools/wait/counted.h"
#include "tools/wait/locks.h"
#include "tools/wait/watch.h"
#include "tools/wait/peers.h"
#include "tools/wait/sort.h"

/* Operations of futex(2) in which somebody waits who is let in by one value, and those of a lock
 * whose owner the kernel knows. */
#define FUTEX_WAIT_OP 0
#define FUTEX_WAIT_BITSET_OP 9
#define FUTEX_LOCK_PI_OP 6
#define FUTEX_LOCK_PI2_OP 13

void wait_row_add(struct wait_row *row, const struct waits_sum *sum, const char *text, uint32_t pid)
{
	struct wait_named *named;
	size_t i;

	row->ns += sum->ns;
	if (!text || !*text)
		return;
	for (i = 0; i < row->n; i++)
		if (!strcmp(row->named[i].text, text))
			break;
	if (i == row->n) {
		ARRAY_GROW(row->named, row->n, row->room);
		row->named[row->n++] = (struct wait_named){.text = mem_strdup(text), .pid = pid};
	}
	named = &row->named[i];
	named->ns += sum->ns;
	named->count += sum->count;
	if (sum->max_ns > named->max_ns)
		named->max_ns = sum->max_ns;
}

void wait_sort_who(
	struct str *out, const struct wait_process *process, uint32_t pid, const char *comm)
{
	char name[WAITS_COMM + 1] = "";

	if (pid == process->pid) {
		str_add(out, "its own threads");
		return;
	}
	memcpy(name, comm, strnlen(comm, WAITS_COMM));
	escape_terminal(out, name);
	str_addf(out, " (pid %" PRIu32 ")", pid);
}

static void sort_add_call(struct str *out, uint32_t nr)
{
	const char *name = wait_call_name(nr);

	if (nr == WAITS_NO_CALL)
		str_add(out, "no call that can be seen");
	else if (name)
		str_addf(out, "%s()", name);
	else
		str_addf(out, "system call %" PRIu32, nr);
}

static void sort_add_call_or_fault(struct str *out, uint32_t nr, const char *fault)
{
	if (nr == WAITS_NO_CALL)
		str_add(out, fault);
	else
		sort_add_call(out, nr);
}

/* What is at the other end of what a process waits for, with a phrase for a peer. */
static enum wait_end sort_what_end(const struct wait_kind *kind, const struct wait_process *process,
	const struct wait_sockets *sockets, struct str *text)
{
	const uint32_t detail = kind->key.detail;

	if (detail & WAITS_FD_KNOWN)
		return wait_peers_of(process->pid, sockets, detail & WAITS_FD, text);
	return detail & WAITS_FD_SEVERAL ? wait_peers_of_any(process->pid, sockets, text)
					 : WAIT_END_WORK;
}

/* At this end of it is somebody of this machine, who was there when data came. */
static void sort_peer(
	const struct wait_kind *kind, const struct wait_process *process, struct str *text)
{
	char *phrase = str_take(text);

	if ((!strcmp(phrase, "a pipe") || !strcmp(phrase, "a local socket")) && kind->key.who) {
		wait_sort_who(text, process, kind->key.who, kind->key.comm);
		str_addf(text, ", by %s", phrase);
	} else {
		escape_terminal(text, phrase);
	}
	free(phrase);
}

/* A wait for data or for events, by what is at the other end. */
static enum wait_category sort_end(const struct wait_kind *kind, const struct wait_process *process,
	const struct wait_sockets *sockets, struct str *text)
{
	const enum wait_end end = sort_what_end(kind, process, sockets, text);

	if (end == WAIT_END_PEER) {
		sort_peer(kind, process, text);
		return WAIT_PEER;
	}
	str_clear(text);
	sort_add_call(text, kind->key.nr);
	if (end == WAIT_END_TIME || (end == WAIT_END_NOTHING && kind->key.detail & WAITS_FD_TIMED))
		return WAIT_SLEEP;
	return WAIT_WORK;
}

bool wait_futex_is_lock(uint32_t detail)
{
	const uint32_t command = detail & WAITS_FUTEX_CMD;

	if (command == FUTEX_LOCK_PI_OP || command == FUTEX_LOCK_PI2_OP)
		return true;
	return detail & WAITS_FUTEX_CONTENDED &&
		(command == FUTEX_WAIT_OP || command == FUTEX_WAIT_BITSET_OP);
}

static enum wait_category sort_futex(
	const struct wait_kind *kind, const struct wait_process *process, struct str *text)
{
	if (kind->key.who)
		wait_sort_who(text, process, kind->key.who, kind->key.comm);
	return wait_futex_is_lock(kind->key.detail) ? WAIT_OWN_LOCK : WAIT_THREAD;
}

/* "flock() behind postgres (pid 812)": who ended the wait had it. One that has not ended may be
 * told by the kernel's list of locks. */
static void sort_shared(
	const struct wait_kind *kind, const struct wait_process *process, struct str *text)
{
	uint32_t pid = kind->key.who;
	char comm[WAITS_COMM] = "";

	memcpy(comm, kind->key.comm, sizeof(comm));
	sort_add_call(text, kind->key.nr);
	if (!pid) {
		pid = wait_locks_holder(process->pid);
		wait_process_comm(pid, comm);
	}
	if (!pid)
		return;
	str_add(text, " behind ");
	wait_sort_who(text, process, pid, comm);
}

/* Whoever has sent, or has made room. */
static void sort_message(
	const struct wait_kind *kind, const struct wait_process *process, struct str *text)
{
	if (kind->key.who) {
		wait_sort_who(text, process, kind->key.who, kind->key.comm);
		str_add(text, ", by ");
	}
	str_add(text, "a message queue");
}

static void sort_kind(struct wait_answer *answer, const struct wait_kind *kind,
	const struct wait_sockets *sockets)
{
	const struct wait_process *process = answer->process;
	enum wait_category category = WAIT_OTHER;
	struct str text = STR_INIT;

	switch (kind->key.part) {
	case WAITS_DISK:
		category = WAIT_DISK;
		sort_add_call_or_fault(&text, kind->key.nr,
			answer->swapped_in ? "page faults (mapped files or swap)"
					   : "page faults of mapped files");
		break;
	case WAITS_LOCK:
		category = WAIT_LOCK;
		if (kind->key.who)
			wait_sort_who(&text, process, kind->key.who, kind->key.comm);
		break;
	case WAITS_MEMORY:
		category = WAIT_MEMORY;
		sort_add_call_or_fault(&text, kind->key.nr, "page faults");
		break;
	case WAITS_STOPPED:
		category = WAIT_STOPPED;
		break;
	case WAITS_FUTEX:
		category = sort_futex(kind, process, &text);
		break;
	case WAITS_SLEEP:
		category = WAIT_SLEEP;
		sort_add_call(&text, kind->key.nr);
		break;
	case WAITS_FAMILY:
		category = WAIT_CHILDREN;
		break;
	case WAITS_EVENTS:
	case WAITS_DATA:
		category = sort_end(kind, process, sockets, &text);
		break;
	case WAITS_SHARED:
		category = WAIT_SHARED;
		sort_shared(kind, process, &text);
		break;
	case WAITS_MESSAGE:
		category = WAIT_PEER;
		sort_message(kind, process, &text);
		break;
	case WAITS_ELSE:
		category = WAIT_ELSE;
		sort_add_call(&text, kind->key.nr);
		break;
	default:
		sort_add_call(&text, kind->key.nr);
		break;
	}
	wait_row_add(&answer->rows[category], &kind->sum, str_text(&text), 0);
	str_free(&text);
}

/* The process's own clock stood still for so long: whose doing that is the whole machine tells. */
static void sort_taken(struct wait_answer *answer, uint64_t ns)
{
	struct wait_row *row = &answer->rows[WAIT_STOLEN];
	struct waits_sum sum = {0};

	if (!isnan(answer->stolen_share)) {
		sum.ns = (uint64_t)((double)ns * answer->stolen_share);
		if (sum.ns)
			wait_row_add(row, &sum, "the host (steal)", 0);
		sum.ns = ns - sum.ns;
		if (sum.ns)
			wait_row_add(row, &sum, "interrupts and softirqs", 0);
	}
	row->ns = ns;
}

static void sort_cpu(struct wait_answer *answer)
{
	const struct wait_process *process = answer->process;
	const uint64_t runs = process->seen.part_ns[WAITS_RUNS];
	const uint64_t exec = process->seen.exec_ns < runs ? process->seen.exec_ns : runs;
	const double share = answer->user_share;

	sort_taken(answer, runs - exec);
	if (isnan(share)) {
		answer->rows[WAIT_CPU].ns = exec;
		return;
	}
	answer->rows[WAIT_USER].ns = (uint64_t)((double)exec * share);
	answer->rows[WAIT_KERNEL].ns = exec - answer->rows[WAIT_USER].ns;
}

static int sort_order(const void *a, const void *b)
{
	const struct wait_named *left = a, *right = b;

	return left->ns > right->ns ? -1 : left->ns < right->ns;
}

void wait_row_order(struct wait_row *row)
{
	if (row->n)
		qsort(row->named, row->n, sizeof(*row->named), sort_order);
}

static void sort_behind(struct wait_answer *answer)
{
	const struct wait_process *process = answer->process;
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < process->n_behind; i++) {
		const struct wait_party *party = &process->behind[i];
		const struct waits_sum sum = {.ns = party->ns, .count = 1};

		str_clear(&text);
		if (party->pid)
			wait_sort_who(&text, process, party->pid, party->comm);
		wait_row_add(&answer->rows[WAIT_QUEUE], &sum, str_text(&text), party->pid);
	}
	/* The whole is what the process itself waited. */
	answer->rows[WAIT_QUEUE].ns = process->seen.part_ns[WAITS_QUEUE];
	str_free(&text);
}

static bool sort_needs_sockets(const struct wait_process *process)
{
	return process->seen.part_ns[WAITS_EVENTS] || process->seen.part_ns[WAITS_DATA];
}

/* On what a slow wait was: a file or a peer by its descriptor, which may be another one since, or
 * who had a lock. */
static void sort_slow_on(struct wait_answer *answer, size_t at, const struct wait_sockets *sockets)
{
	const struct wait_process *process = answer->process;
	const struct waits_key *key = &process->slowest[at].key;
	const uint32_t fd = key->detail & WAITS_FD;
	struct str text = STR_INIT, shown = STR_INIT;

	if (key->part == WAITS_LOCK && key->who)
		wait_sort_who(&shown, process, key->who, key->comm);
	else if (key->part != WAITS_FUTEX && key->detail & WAITS_FD_KNOWN &&
		(wait_peers_file(process->pid, fd, &text) ||
			wait_peers_of(process->pid, sockets, fd, &text) == WAIT_END_PEER))
		escape_terminal(&shown, str_text(&text));
	if (shown.len)
		answer->slow_on[at] = str_take(&shown);
	str_free(&shown);
	str_free(&text);
}

void wait_answer_sort(struct wait_answer *answer, const struct wait_process *process)
{
	struct wait_sockets sockets = {0};
	size_t i;

	answer->process = process;
	answer->wall_ns = process->wall_ns;
	sort_cpu(answer);
	sort_behind(answer);
	answer->rows[WAIT_QUOTA].ns = process->seen.part_ns[WAITS_QUOTA];
	if (sort_needs_sockets(process))
		wait_peers_read(process->pid, &sockets);
	for (i = 0; i < process->n_kinds; i++)
		sort_kind(answer, &process->kinds[i], &sockets);
	for (i = 0; i < process->n_slowest; i++)
		sort_slow_on(answer, i, &sockets);
	wait_sockets_free(&sockets);
	for (i = 0; i < WAIT_CATEGORIES; i++) {
		answer->parts_ns += answer->rows[i].ns;
		wait_row_order(&answer->rows[i]);
	}
}
