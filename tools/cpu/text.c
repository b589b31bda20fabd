/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function takes the CPU time, in words? */
#include "base/banned.h"

#include <errno.h>

#include "base/str.h"
#include "flame/scattered.h"
#include "flame/tree.h"
#include "stats/proportion.h"
#include "tools/cpu/functions.h"
#include "tools/cpu/look.h"
#include "tools/cpu/text.h"
#include "tools/cpu/words.h"

#define SURE 0.95

/* The time that the samples are of. */
static double text_seconds(const struct cpu_look *look)
{
	const struct cpu_options *asked = look->asked;
	double until = look->seen.seconds;

	if (asked->until > 0)
		until = (asked->until < until ? asked->until : until) - asked->from;
	return until > 0 ? until : look->seen.seconds;
}

static double text_cpus(const struct cpu_look *look, uint64_t samples)
{
	return (double)samples / look->asked->hertz / text_seconds(look);
}

/* ", 58 to 66": with so few samples the share may as well be any of these. */
static void text_add_interval(struct str *out, const struct cpu_look *look, uint64_t weight)
{
	struct stats_interval interval;

	if (!stats_share_interval(weight, look->profile.total, SURE, &interval))
		str_addf(out, " (95 %%: %.0f to %.0f)", interval.low * 100, interval.high * 100);
}

/* Whose CPU time a share is of. */
static void text_add_of(struct str *out, const struct cpu_look *look)
{
	const struct cpu_options *asked = look->asked;

	if (asked->thread)
		str_addf(out, "of thread %zu", asked->thread);
	else if (asked->cgroup)
		str_add(out, "of that cgroup");
	else if (asked->n_pids == 1)
		str_addf(out, "of process %u", asked->pids[0]);
	else if (asked->n_pids)
		str_add(out, "of these processes");
	else
		str_add(out, "that was used");
}

static void text_add_nothing(struct str *out, const struct cpu_look *look)
{
	str_add(out, "None of the CPU time ");
	text_add_of(out, look);
	str_addf(out, " was seen: no sample in %.1f s at %.0f Hz\n", text_seconds(look),
		look->asked->hertz);
}

static void text_add_sentence(
	struct str *out, const struct cpu_look *look, const struct cpu_functions *functions)
{
	const struct cpu_function *first = functions->list;

	cpu_words_frame(out, first->name, 60);
	str_addf(out, " takes %.1f %%", cpu_words_percent(look, first->self));
	text_add_interval(out, look, first->self);
	str_add(out, " of the CPU time ");
	text_add_of(out, look);
	str_addf(out, ", %.2f of %u CPU%s", text_cpus(look, first->self), look->seen.cpus,
		look->seen.cpus == 1 ? "" : "s");
	if (first->caller) {
		str_add(out, ", called by ");
		cpu_words_frame(out, first->caller, 60);
	}
	if (first->whose && look->asked->n_pids != 1) {
		str_add(out, " in ");
		cpu_words_frame(out, first->whose, 40);
	}
	str_addc(out, '\n');
}

static void text_add_scattered(struct str *out, const struct cpu_look *look)
{
	uint64_t *totals = flame_tree_totals(look->tree);
	struct flame_scattered_limits limits;
	struct flame_scattered scattered;

	flame_scattered_limits_default(&limits);
	flame_scattered_find(&scattered, look->tree, totals, &limits);
	for (size_t i = 0; i < scattered.n; i++) {
		flame_scattered_add_sentence(
			out, &scattered.groups[i], look->tree->total, "samples");
		str_addc(out, '\n');
	}
	flame_scattered_free(&scattered);
	free(totals);
}

static void text_add_facts(struct str *out, const struct cpu_look *look)
{
	const struct stacks_profile *profile = &look->profile;

	str_addf(out, "%llu sample%s in %.1f s at %.0f Hz: %.2f of %u CPU%s; %.0f %% in the kernel",
		(unsigned long long)profile->total, profile->total == 1 ? "" : "s",
		text_seconds(look), look->asked->hertz, text_cpus(look, profile->total),
		look->seen.cpus, look->seen.cpus == 1 ? "" : "s",
		cpu_words_percent(look, profile->in_kernel));
	str_addf(out, "; at most %zu frames deep\n", look->folded.deepest);
}

static void text_add_counters(struct str *out, const struct cpu_look *look)
{
	const struct stacks_counted *counted = &look->counted;

	if (counted->cycles && counted->instructions) {
		str_addf(out, "Cycles per instruction: %.2f\n",
			(double)counted->cycles / (double)counted->instructions);
		return;
	}
	str_add(out, "Cycles per instruction: not known, ");
	if (look->counters_error == -EACCES || look->counters_error == -EPERM)
		str_add(out, "for the counters of the CPU may not be read\n");
	else
		str_add(out,
			"for this machine lets nobody read the counters of its CPUs, as many "
			"virtual machines\n");
}

static void text_add_functions(
	struct str *out, const struct cpu_look *look, const struct cpu_functions *functions)
{
	str_add(out, "\nWhere it runs:\n");
	for (size_t i = 0; i < functions->n && i < look->asked->top; i++) {
		const struct cpu_function *function = &functions->list[i];
		struct str time = STR_INIT;

		cpu_words_time(&time, look, function->self);
		str_addf(out, "  %5.1f %%  %8s  ", cpu_words_percent(look, function->self),
			str_text(&time));
		cpu_words_frame(out, function->name, 60);
		if (function->caller) {
			str_add(out, " < ");
			cpu_words_frame(out, function->caller, 40);
		}
		str_addc(out, '\n');
		str_free(&time);
	}
}

void cpu_text(struct str *out, const struct cpu_look *look)
{
	struct cpu_functions functions = {.n = 0};

	if (!look->profile.total) {
		text_add_nothing(out, look);
		cpu_words_doubts(out, look);
		return;
	}
	cpu_functions_find(&functions, look);
	text_add_sentence(out, look, &functions);
	text_add_scattered(out, look);
	text_add_facts(out, look);
	text_add_counters(out, look);
	text_add_functions(out, look, &functions);
	cpu_functions_free(&functions);
	cpu_words_who(out, look);
	cpu_words_doubts(out, look);
}
