/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does it wait, in words? */
#include "base/banned.h"

#include "base/escape.h"
#include "base/str.h"
#include "base/unit.h"
#include "tools/cpu/look.h"
#include "tools/cpu/waits.h"
#include "tools/cpu/waits_text.h"
#include "tools/cpu/words.h"

#define WAKERS_SHOWN 3 /* of each wait */

/* "read < fetch_answer (pipe_read)" */
static void waits_text_place(struct str *out, const struct cpu_wait *wait)
{
	if (wait->function)
		cpu_words_frame(out, wait->function, 60);
	if (wait->caller) {
		str_add(out, " < ");
		cpu_words_frame(out, wait->caller, 40);
	}
	if (!wait->reason) {
		str_add(out, wait->function ? "" : "[no stack]");
		return;
	}
	str_add(out, wait->function ? " (kernel: " : "kernel: ");
	cpu_words_frame(out, wait->reason, 40);
	str_add(out, wait->function ? ")" : "");
}

static void waits_text_waker(
	struct str *out, const struct cpu_wait *wait, const struct cpu_waker *waker)
{
	if (waker->pid)
		cpu_words_process(out, waker->comm, waker->pid);
	else
		str_add(out, "an interrupt");
	if (waker->function) {
		str_add(out, waker->pid ? " in " : ", ");
		cpu_words_frame(out, waker->function, 60);
	}
	if (waker->caller) {
		str_add(out, " < ");
		cpu_words_frame(out, waker->caller, 40);
	}
	str_addf(out, " (%.0f %% of that)",
		wait->ns ? 100 * (double)waker->ns / (double)wait->ns : 0);
}

static void waits_text_sentence(
	struct str *out, const struct cpu_look *look, const struct cpu_wait *wait)
{
	cpu_words_process(out, wait->comm, wait->pid);
	str_add(out, " waits in ");
	waits_text_place(out, wait);
	str_addf(out, ": %.1f %% of the waiting", cpu_words_percent(look, wait->ns));
	if (wait->n_wakers) {
		str_add(out, ", ended by ");
		waits_text_waker(out, wait, &wait->wakers[0]);
	}
	str_addc(out, '\n');
}

static void waits_text_time(struct str *out, uint64_t ns)
{
	value_for_people(out, (double)ns / 1e9, UNIT_SECONDS);
}

static void waits_text_list(
	struct str *out, const struct cpu_look *look, const struct cpu_waits *waits)
{
	str_add(out, "\nWhere it waits:\n");
	for (size_t i = 0; i < waits->n && i < look->asked->top; i++) {
		const struct cpu_wait *wait = &waits->list[i];
		struct str time = STR_INIT;

		waits_text_time(&time, wait->ns);
		str_addf(out, "  %5.1f %%  %8s  ", cpu_words_percent(look, wait->ns),
			str_text(&time));
		waits_text_place(out, wait);
		str_addf(out, ", %llu time%s, at most ", (unsigned long long)wait->times,
			wait->times == 1 ? "" : "s");
		waits_text_time(out, wait->longest_ns);
		str_addc(out, '\n');
		for (size_t k = 0; k < wait->n_wakers && k < WAKERS_SHOWN; k++) {
			str_add(out, "                     ended by ");
			waits_text_waker(out, wait, &wait->wakers[k]);
			str_addc(out, '\n');
		}
		str_free(&time);
	}
}

static void waits_text_facts(struct str *out, const struct cpu_look *look)
{
	size_t threads = 0;

	for (size_t i = 0; i < look->profile.n_threads; i++)
		threads += look->profile.threads[i].weight > 0;
	str_addf(out, "%zu thread%s in %.1f s: ", threads, threads == 1 ? "" : "s",
		look->seen.seconds);
	waits_text_time(out, look->profile.total);
	str_add(out, " of waiting, and ");
	waits_text_time(out, look->profile.queued_ns);
	str_add(out, " in which a thread wanted to run and had no CPU\n");
}

void cpu_waits_text(struct str *out, const struct cpu_look *look)
{
	struct cpu_waits waits = {.n = 0};

	cpu_waits_find(&waits, look);
	if (waits.n)
		waits_text_sentence(out, look, &waits.list[0]);
	else
		str_add(out, "Nobody has waited\n");
	waits_text_facts(out, look);
	if (waits.n)
		waits_text_list(out, look, &waits);
	cpu_words_who(out, look);
	str_add(out,
		"however: a thread that has nothing to do waits too, as a server in epoll_wait: "
		"look for what should not wait\n");
	cpu_words_doubts(out, look);
	cpu_waits_free(&waits);
}
