/* SPDX-License-Identifier: GPL-2.0-only */
/* Which waits are alike? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tools/cpu/look.h"
#include "tools/cpu/waits.h"

static bool waits_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct cpu_wait *waits_of(struct cpu_waits *waits, const struct cpu_wait *like)
{
	for (size_t i = 0; i < waits->n; i++) {
		struct cpu_wait *wait = &waits->list[i];

		if (wait->pid == like->pid && waits_same(wait->function, like->function) &&
			waits_same(wait->caller, like->caller) &&
			waits_same(wait->reason, like->reason))
			return wait;
	}
	ARRAY_GROW(waits->list, waits->n, waits->room);
	waits->list[waits->n] = *like;
	return &waits->list[waits->n++];
}

/* What the kernel was asked for: the first function that is not its scheduler's. */
static const char *waits_reason(const struct stacks_named *named)
{
	for (size_t i = named->waker; i > named->kernel; i--) {
		const char *frame = named->frames[i - 1];

		if (!str_matches(frame,
			    "__schedule_* schedule_* schedule schedule_timeout* "
			    "io_schedule* preempt_schedule* schedule_hrtimeout*"))
			return frame;
	}
	return NULL;
}

static void waits_place(struct cpu_wait *like, const struct stacks_named *named)
{
	const size_t n = named->kernel;

	like->reason = waits_reason(named);
	if (n > named->user)
		like->function = named->frames[n - 1];
	if (n > named->user + 1)
		like->caller = named->frames[n - 2];
	/* What says that a stack is broken is no caller. */
	if (like->caller && like->caller[0] == '[' && !str_starts(like->caller, "[unknown]"))
		like->caller = NULL;
	/* What was not seen is no function. */
	if (like->function && str_starts(like->function, "[not seen"))
		like->function = NULL;
}

static void waits_add_waker(struct cpu_wait *wait, const struct cpu_waker *like)
{
	for (size_t i = 0; i < wait->n_wakers; i++) {
		struct cpu_waker *waker = &wait->wakers[i];

		if (waker->pid != like->pid || !waits_same(waker->function, like->function) ||
			!waits_same(waker->caller, like->caller) ||
			strcmp(waker->comm, like->comm) != 0)
			continue;
		waker->ns += like->ns;
		return;
	}
	ARRAY_GROW(wait->wakers, wait->n_wakers, wait->wakers_room);
	wait->wakers[wait->n_wakers++] = *like;
}

/* Where it was in its program, or where in the kernel if that is all that it is. */
static void waits_waker(struct cpu_wait *wait, const struct cpu_look *look,
	const struct stacks_entry *entry, const struct stacks_named *named)
{
	const struct stacks_thread *thread;
	struct cpu_waker waker = {.ns = entry->weight};

	if (!entry->waker || named->n < named->waker + 2)
		return;
	thread = &look->profile.threads[entry->waker - 1];
	waker.comm = thread->comm;
	waker.pid = thread->pid;
	if (str_starts(named->frames[named->n - 1], "[interrupt]")) {
		waker.comm = "[interrupt]";
		waker.pid = 0;
	}
	if (named->waker_user < named->n - 1)
		waker.function = named->frames[named->waker_user];
	if (waker.function && named->waker_user + 1 < named->n - 1)
		waker.caller = named->frames[named->waker_user + 1];
	if (!waker.function && named->waker + 1 < named->n - 1)
		waker.function = named->frames[named->n - 2];
	waits_add_waker(wait, &waker);
}

static int waits_by_ns(const void *a, const void *b)
{
	const struct cpu_wait *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

static int wakers_by_ns(const void *a, const void *b)
{
	const struct cpu_waker *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

void cpu_waits_find(struct cpu_waits *waits, const struct cpu_look *look)
{
	const struct stacks_profile *profile = &look->profile;
	struct stacks_named *named = mem_alloc(sizeof(*named));

	for (size_t i = 0; i < profile->n_entries; i++) {
		const struct stacks_entry *entry = &profile->entries[i];
		const struct stacks_thread *thread = &profile->threads[entry->thread];
		struct cpu_wait like = {.comm = thread->comm, .pid = thread->pid}, *wait;

		stacks_fold_entry(look->fold, entry, named);
		waits_place(&like, named);
		wait = waits_of(waits, &like);
		wait->ns += entry->weight;
		wait->times += entry->times;
		if (entry->longest_ns > wait->longest_ns)
			wait->longest_ns = entry->longest_ns;
		waits_waker(wait, look, entry, named);
	}
	free(named);
	if (waits->n)
		qsort(waits->list, waits->n, sizeof(*waits->list), waits_by_ns);
	for (size_t i = 0; i < waits->n; i++)
		if (waits->list[i].n_wakers)
			qsort(waits->list[i].wakers, waits->list[i].n_wakers,
				sizeof(*waits->list[i].wakers), wakers_by_ns);
}

void cpu_waits_free(struct cpu_waits *waits)
{
	for (size_t i = 0; i < waits->n; i++)
		free(waits->list[i].wakers);
	free(waits->list);
}
