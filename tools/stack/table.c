/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with the stacks of each process, at a look? */
#include "base/banned.h"

#include "base/escape.h"
#include "base/str.h"
#include "stacks/stack_tally.h"
#include "tools/stack/table.h"

enum { SHOWN = 20 };

static int table_by_samples(const void *a, const void *b)
{
	const struct stack_process *left = *(const struct stack_process *const *)a;
	const struct stack_process *right = *(const struct stack_process *const *)b;

	if (left->samples != right->samples)
		return left->samples > right->samples ? -1 : 1;
	return left < right ? -1 : left > right;
}

static void table_add_share(struct str *out, uint64_t part, uint64_t all)
{
	str_addf(out, "%7.1f %%", all ? 100 * (double)part / (double)all : 0);
}

/* The most frequent of what is wrong, each in a few words. */
static void table_add_why(struct str *out, const struct stack_process *process)
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
		str_addf(out, "%swhere its threads begin is not known", between);
		between = ", ";
	}
	if (process->states[STACK_TRUNCATED]) {
		str_addf(out, "%swants a limit of %llu", between,
			(unsigned long long)stack_limit_for(
				stack_process_depth(process, 0.99) + 1));
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

static void table_add_process(struct str *out, const struct stack_process *process)
{
	uint64_t no_name = 0;

	for (size_t i = 0; i < STACK_UNNAMED; i++)
		no_name += process->unnamed[i];
	table_add_share(out, process->states[STACK_WHOLE], process->samples);
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
	table_add_why(out, process);
	str_addc(out, '\n');
	if (process->walked.samples)
		table_add_walked(out, &process->walked);
}

void stack_table_add(struct str *out, const struct stack_tally *tally, bool all)
{
	const struct stack_process **sorted = mem_zalloc((tally->n + 1) * sizeof(*sorted));
	const size_t n = all || tally->n < SHOWN ? tally->n : SHOWN;

	for (size_t i = 0; i < tally->n; i++)
		sorted[i] = &tally->list[i];
	qsort(sorted, tally->n, sizeof(*sorted), table_by_samples);
	str_add(out, "\n    whole   broken      cut  no name  depth  samples  process\n");
	for (size_t i = 0; i < n; i++)
		table_add_process(out, sorted[i]);
	if (n < tally->n)
		str_addf(out, "  and %zu processes with fewer samples: -v shows them\n",
			tally->n - n);
	if (tally->left_out)
		str_addf(out, "  %llu samples had no room and are not counted\n",
			(unsigned long long)tally->left_out);
	if (tally->unread)
		str_addf(out, "  %llu lines are no stacks and were left out\n",
			(unsigned long long)tally->unread);
	free(sorted);
}
