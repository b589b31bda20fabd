/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with the stacks of each process, at a look? */
#include "base/banned.h"

#include "base/escape.h"
#include "base/plural.h"
#include "base/str.h"
#include "stacks/stack_tally.h"
#include "stats/proportion.h"
#include "tools/stack/table.h"

enum { SHOWN = 20 };

#define CONFIDENCE 0.95

static int table_by_samples(const void *a, const void *b)
{
	const struct stack_process *left = *(const struct stack_process *const *)a;
	const struct stack_process *right = *(const struct stack_process *const *)b;

	if (left->samples != right->samples)
		return left->samples > right->samples ? -1 : 1;
	return left < right ? -1 : left > right;
}

static double table_percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void table_add_share(struct str *out, uint64_t part, uint64_t all)
{
	str_addf(out, "%7.1f %%", table_percent(part, all));
}

/* "(72 to 78)": what the share may be in truth. */
static void table_add_interval(struct str *out, uint64_t part, uint64_t all)
{
	struct stats_interval interval = {.high = 1};
	char text[32];

	stats_share_interval(part, all, CONFIDENCE, &interval);
	snprintf(text, sizeof(text), "(%.0f to %.0f)", 100 * interval.low, 100 * interval.high);
	str_addf(out, " %-12s", text);
}

/* What was cut off before it was read may have any depth. */
static void table_add_deep(
	struct str *out, const struct stack_tally *tally, const struct stack_process *process)
{
	if (tally->is_cut)
		str_addf(out, "deeper than %llu", (unsigned long long)tally->limit);
	else
		str_addf(out, "wants kernel.perf_event_max_stack=%llu",
			(unsigned long long)stack_process_limit(process));
}

/* The most frequent of what is wrong, each in a few words. */
static void table_add_why(
	struct str *out, const struct stack_tally *tally, const struct stack_process *process)
{
	static const char *const unnamed[STACK_UNNAMED] = {
		"stripped", "deleted", "no perf map", "code that cannot be read"};
	const struct stack_place *place = NULL;
	const char *between = ": ";
	size_t i;

	for (i = 0; i < process->n_places; i++)
		if (!place || process->places[i].stacks > place->stacks)
			place = &process->places[i];
	if (place) {
		str_addf(out, "%sbreaks in ", between);
		escape_terminal_cut(out, *place->file ? place->file : "compiled code", 30);
		between = ", ";
	}
	if (process->states[STACK_UNSURE]) {
		str_addf(out, "%s%.0f %% unsure: where its threads begin is not known", between,
			table_percent(process->states[STACK_UNSURE], process->samples));
		between = ", ";
	}
	if (process->states[STACK_EMPTY]) {
		str_addf(out, "%s%.0f %% have no stack", between,
			table_percent(process->states[STACK_EMPTY], process->samples));
		between = ", ";
	}
	if (process->states[STACK_TRUNCATED]) {
		str_add(out, between);
		table_add_deep(out, tally, process);
		between = ", ";
	}
	for (i = 0; i < STACK_UNNAMED; i++) {
		if (!process->unnamed[i])
			continue;
		str_addf(out, "%s%s", between, unnamed[i]);
		between = ", ";
	}
}

/* "100.0 % of 97 are whole by .eh_frame, 99 % have at most 205 frames; …" */
static void table_add_walked(struct str *out, const struct stack_walked *walked)
{
	table_add_share(out, walked->whole, walked->samples);
	str_addf(out, " of %llu are whole by .eh_frame, 99 %% have at most %llu frames; ",
		(unsigned long long)walked->samples, (unsigned long long)walked->depth_p99);
	str_addf(out, "frame pointers find %.0f %% of them\n",
		100 * (double)walked->pointer_frames / (double)walked->frames);
}

static void table_add_process(
	struct str *out, const struct stack_tally *tally, const struct stack_process *process)
{
	uint64_t no_name = 0;

	for (size_t i = 0; i < STACK_UNNAMED; i++)
		no_name += process->unnamed[i];
	table_add_share(out, process->states[STACK_WHOLE], process->samples);
	table_add_interval(out, process->states[STACK_WHOLE], process->samples);
	table_add_share(out,
		process->states[STACK_BROKEN] + process->states[STACK_EMPTY] +
			process->states[STACK_UNSURE],
		process->samples);
	table_add_share(out, process->states[STACK_TRUNCATED], process->samples);
	table_add_share(out, no_name, process->samples);
	str_addf(out, "%7llu%9llu  ", (unsigned long long)stack_process_depth(process, 0.99),
		(unsigned long long)process->samples);
	escape_terminal_cut(out, process->comm, 24);
	if (process->pid)
		str_addf(out, "[%d]", (int)process->pid);
	table_add_why(out, tally, process);
	str_addc(out, '\n');
	if (process->walked.samples)
		table_add_walked(out, &process->walked);
}

/* The file that breaks most stacks. */
static void table_add_mend_broken(struct str *out, const struct stack_tally *tally)
{
	const struct stack_place *worst = NULL;

	for (size_t i = 0; i < tally->n; i++)
		for (size_t k = 0; k < tally->list[i].n_places; k++) {
			const struct stack_place *place = &tally->list[i].places[k];

			if (!worst || place->stacks > worst->stacks)
				worst = place;
		}
	if (!worst || !*worst->file)
		return;
	str_add(out, "  most break in ");
	escape_terminal_cut(out, worst->file, 30);
	str_add(out,
		": build it with\n"
		"    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer\n");
}

/* The limit for the process that has most of what was cut. */
static void table_add_mend_cut(struct str *out, const struct stack_tally *tally)
{
	const struct stack_process *worst = NULL;

	for (size_t i = 0; i < tally->n; i++)
		if (!worst ||
			tally->list[i].states[STACK_TRUNCATED] > worst->states[STACK_TRUNCATED])
			worst = &tally->list[i];
	if (!worst || !worst->states[STACK_TRUNCATED])
		return;
	if (tally->is_cut)
		str_add(out,
			"  how deep those are that perf has cut, a file does not say: "
			"stackhealth does, where they run\n");
	else
		str_addf(out,
			"  for those cut: sysctl kernel.perf_event_max_stack=%llu, then perf "
			"script --max-stack %llu\n",
			(unsigned long long)stack_process_limit(worst),
			(unsigned long long)stack_process_limit(worst));
}

static void table_add_counted(struct str *out, uint64_t n, const char *one, const char *many)
{
	str_add(out, "  ");
	plural_add(out, n, one, many);
	str_addc(out, '\n');
}

static void table_add_left_out(struct str *out, const struct stack_tally *tally)
{
	bool is_in_broken = false;

	for (size_t i = 0; i < tally->n; i++)
		is_in_broken |=
			tally->list[i].states[STACK_EMPTY] || tally->list[i].states[STACK_UNSURE];
	if (is_in_broken)
		str_add(out,
			"  broken has in it what has no stack, and what is not known to be "
			"whole\n");
	if (tally->left_out)
		table_add_counted(out, tally->left_out, "sample had no room and is not counted",
			"samples had no room and are not counted");
	if (tally->unread)
		table_add_counted(out, tally->unread, "line is no stack and was left out",
			"lines are no stacks and were left out");
}

void stack_table_add(struct str *out, const struct stack_tally *tally, bool all)
{
	const struct stack_process **sorted = mem_zalloc((tally->n + 1) * sizeof(*sorted));
	const size_t n = all || tally->n < SHOWN ? tally->n : SHOWN;

	for (size_t i = 0; i < tally->n; i++)
		sorted[i] = &tally->list[i];
	qsort(sorted, tally->n, sizeof(*sorted), table_by_samples);
	str_add(out,
		"\n    whole (95 %)       broken      cut  no name  depth  samples  process\n");
	for (size_t i = 0; i < n; i++)
		table_add_process(out, tally, sorted[i]);
	if (n < tally->n)
		str_addf(out, "  and %zu process%s with fewer samples: -v shows %s\n", tally->n - n,
			tally->n - n == 1 ? "" : "es", tally->n - n == 1 ? "it" : "them");
	table_add_mend_broken(out, tally);
	table_add_mend_cut(out, tally);
	table_add_left_out(out, tally);
	free(sorted);
}
