/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said alike of what runs and of what waits? */
#include "base/banned.h"

#include <string.h>

#include "base/escape.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/unit.h"
#include "flame/kind.h"
#include "tools/cpu/functions.h"
#include "tools/cpu/look.h"
#include "tools/cpu/words.h"

void cpu_words_frame(struct str *out, const char *frame, size_t columns)
{
	size_t len;
	char *shown;

	flame_kind_of(frame, &len);
	shown = mem_strndup(frame, len);
	escape_terminal_cut(out, *shown ? shown : "[unknown]", columns);
	free(shown);
}

double cpu_words_percent(const struct cpu_look *look, uint64_t weight)
{
	const uint64_t total = look->profile.total;

	return total ? 100 * (double)weight / (double)total : 0;
}

void cpu_words_process(struct str *out, const char *comm, uint32_t pid)
{
	escape_name(out, comm);
	str_addf(out, " (pid %u)", pid);
}

void cpu_words_time(struct str *out, const struct cpu_look *look, uint64_t weight)
{
	value_for_people(out,
		look->asked->waits ? (double)weight / 1e9 : (double)weight / look->asked->hertz,
		UNIT_SECONDS);
}

void cpu_words_who(struct str *out, const struct cpu_look *look)
{
	struct cpu_processes processes = {.n = 0};

	cpu_processes_find(&processes, look);
	if (processes.n > 1)
		str_add(out, look->asked->waits ? "\nWho waits:\n" : "\nWho runs:\n");
	for (size_t i = 0; processes.n > 1 && i < processes.n && i < look->asked->top; i++) {
		const struct cpu_process *process = &processes.list[i];
		struct str time = STR_INIT;

		cpu_words_time(&time, look, process->weight);
		str_addf(out, "  %5.1f %%  %8s  ", cpu_words_percent(look, process->weight),
			str_text(&time));
		cpu_words_process(out, process->comm, process->pid);
		str_addf(out, ", %zu thread%s\n", process->threads,
			process->threads == 1 ? "" : "s");
		str_free(&time);
	}
	cpu_processes_free(&processes);
}

void cpu_words_lost(struct str *out, const struct cpu_look *look)
{
	const struct sample_lost *lost = &look->seen.lost;
	const uint64_t all = look->profile.total + lost->samples;

	plural_add(out, lost->samples, "sample", "samples");
	str_addf(out, " (%.1f %%) %s lost", 100 * (double)lost->samples / (double)all,
		lost->samples == 1 ? "was" : "were");
}

static void words_add_lost(struct str *out, const struct cpu_look *look)
{
	const struct sample_lost *lost = &look->seen.lost;

	if (lost->samples) {
		str_add(out, "however: ");
		cpu_words_lost(out, look);
		str_add(out,
			", since they came faster than they were read: shares may be off by as "
			"much\n");
	}
	if (lost->stacks) {
		str_add(out, "however: ");
		plural_add(out, lost->stacks, "stack was", "stacks were");
		str_add(out, " lost: their waits have no place\n");
	}
	if (lost->away) {
		str_add(out, "however: ");
		plural_add(out, lost->away, "wait was", "waits were");
		str_add(out, " not seen, for so many threads wait\n");
	}
	if (lost->sums) {
		str_add(out, "however: ");
		plural_add(out, lost->sums, "wait", "waits");
		str_addf(out,
			" of %.1f s together had no room: there are too many different ones\n",
			(double)lost->sums_ns / 1e9);
	}
}

void cpu_words_doubts(struct str *out, const struct cpu_look *look)
{
	const struct stacks_folded *folded = &look->folded;
	const double all = folded->with_user ? (double)folded->with_user : 1;

	if (look->interrupted)
		str_addf(out, "however: it was interrupted after %.1f s\n", look->seen.seconds);
	words_add_lost(out, look);
	if (folded->broken)
		str_addf(out,
			"however: %.0f %% of the programs' stacks are broken, as of code without "
			"frame pointers: who called is not known there (tuesday stackhealth says "
			"which)\n",
			100 * (double)folded->broken / all);
	if (folded->truncated)
		str_addf(out,
			"however: %.0f %% of the programs' stacks are deeper than they were "
			"walked, and "
			"were cut (before Linux 5.17 sysctl kernel.perf_event_max_stack)\n",
			100 * (double)folded->truncated / all);
	if (folded->unnamed)
		str_addf(out,
			"however: %.0f %% of the programs' stacks end in code without names "
			"(tuesday "
			"stackhealth says why)\n",
			100 * (double)folded->unnamed / all);
}
