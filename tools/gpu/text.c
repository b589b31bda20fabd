/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a person read of a GPU's profile? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>

#include "tools/gpu/conclusion.h"
#include "base/escape.h"
#include "sources/gpu/eustall_reasons.h"
#include "tools/gpu/text.h"

enum { TEXT_KERNELS = 10, NAME_COLUMNS = 48 };

static void gpu_text_add_device(
	struct str *out, const struct gpu_profile *profile, const struct eustallfile_header *device)
{
	str_addf(out,
		"GPU %04x (graphics %u, %s records), %u XeCores: %zu windows, %.3g ms in all, "
		"%llu records, a sample every %llu cycles\n",
		device->pci_id, device->version, eustall_layout_name(device->layout),
		device->xecores, profile->windows, (double)profile->enabled_ns * 1e-6,
		(unsigned long long)profile->totals.records, (unsigned long long)device->rate);
}

static int by_share(const void *a, const void *b)
{
	const struct gpu_share *const *left = a, *const *right = b;

	return ((*left)->share < (*right)->share) - ((*left)->share > (*right)->share);
}

/* A share in columns, its interval behind it. */
static void add_columns(struct str *out, const struct gpu_share *share)
{
	struct str text = STR_INIT;

	if (share->have_interval)
		str_addf(&text, "(%.1f to %.1f)", 100 * share->interval.low,
			100 * share->interval.high);
	str_addf(out, "%6.1f %%  %-16s", 100 * share->share, str_text(&text));
	str_free(&text);
}

static void gpu_text_add_reasons(struct str *out, const struct gpu_conclusion *answer)
{
	const struct gpu_share *sorted[EUSTALL_REASONS];

	if (answer->dominant == EUSTALL_REASONS)
		return;
	for (int i = 0; i < EUSTALL_REASONS; i++)
		sorted[i] = &answer->reasons[i];
	qsort(sorted, EUSTALL_REASONS, sizeof(sorted[0]), by_share);
	str_add(out, "\nOf all stalls (95 % intervals in brackets):\n");
	for (int i = 0; i < EUSTALL_REASONS && sorted[i]->share > 0; i++) {
		const enum eustall_reason reason =
			(enum eustall_reason)(sorted[i] - answer->reasons);
		const char *stage = eustall_stage_name(eustall_reason_stage(reason));

		add_columns(out, sorted[i]);
		str_addf(out, " %-16s %s%s%s\n", eustall_reason_name(reason), stage,
			*stage ? ": " : "", eustall_reason_advice(reason)->meaning);
	}
}

static void gpu_text_add_place(struct str *out, const struct gpu_spot *spot)
{
	if (!spot->kernel) {
		str_addf(out, "[unknown kernel] at 0x%llx", (unsigned long long)spot->address);
		return;
	}
	escape_terminal_cut(
		out, *spot->kernel->name ? spot->kernel->name : "[no name]", NAME_COLUMNS);
	str_addf(out, "+0x%llx", (unsigned long long)spot->offset);
}

static void add_spots(struct str *out, const struct gpu_conclusion *answer)
{
	if (!answer->n_top)
		return;
	str_addf(out, "\nInstructions that wait, of %llu that were seen:\n",
		(unsigned long long)answer->instructions);
	for (size_t i = 0; i < answer->n_top; i++) {
		const struct gpu_spot *spot = &answer->top[i];

		add_columns(out, &spot->share);
		str_addc(out, ' ');
		gpu_text_add_place(out, spot);
		str_addf(out, "  %s %.3g %%\n", eustall_reason_name(spot->reason),
			100 * spot->reason_share);
	}
	if (answer->unnamed_share > 0)
		str_addf(out, "  %.3g %% of all stalls are in kernels whose names are not known\n",
			100 * answer->unnamed_share);
}

static int by_launches(const void *a, const void *b)
{
	const struct gpu_kernel *const *left = a, *const *right = b;

	return ((*left)->launches < (*right)->launches) - ((*left)->launches > (*right)->launches);
}

/* The program is the first frame of a stack. */
static void gpu_text_add_kernel(struct str *out, const struct gpu_kernel *kernel)
{
	str_addf(out, "%9llu  ", (unsigned long long)kernel->launches);
	escape_terminal_cut(out, *kernel->name ? kernel->name : "[no name]", NAME_COLUMNS);
	if (kernel->n_stacks) {
		const char *frames = kernel->stacks[0].frames;
		char *program = mem_strndup(frames, strcspn(frames, ";"));

		str_add(out, "  by ");
		escape_terminal_cut(out, program, NAME_COLUMNS);
		free(program);
	}
	str_add(out, kernel->address ? "\n" : "  (its place on the GPU is not known)\n");
}

static void add_kernels(struct str *out, const struct gpu_kernels *kernels)
{
	const struct gpu_kernel **sorted = mem_realloc_array(NULL, kernels->n, sizeof(*sorted));
	size_t n = 0;

	for (size_t i = 0; i < kernels->n; i++)
		if (kernels->list[i].launches)
			sorted[n++] = &kernels->list[i];
	qsort(sorted, n, sizeof(*sorted), by_launches);
	if (n)
		str_add(out, "\nLaunches that were seen:\n");
	for (size_t i = 0; i < n && i < TEXT_KERNELS; i++)
		gpu_text_add_kernel(out, sorted[i]);
	if (n > TEXT_KERNELS)
		str_addf(out, "           and %zu kernels more\n", n - TEXT_KERNELS);
	free(sorted);
}

static void add_conclusion(struct str *out, const struct gpu_conclusion *answer)
{
	const struct eustall_advice *advice;

	if (answer->verdict == VERDICT_UNKNOWN || answer->dominant == EUSTALL_REASONS)
		return;
	advice = eustall_reason_advice(answer->dominant);
	if (answer->named) {
		str_add(out, answer->sure ? "\nIt is: " : "\nIt may be: ");
		gpu_text_add_place(out, &answer->top[0]);
		str_addf(out, ", %s\n", eustall_reason_name(answer->top[0].reason));
	} else {
		str_add(out, "\nNo instruction stands out.\n");
	}
	str_addf(out, "Next: for %s: %s\n", eustall_reason_name(answer->dominant), advice->next);
	if (advice->however)
		str_addf(out, "however: %s\n", advice->however);
}

void gpu_conclusion_write_text(struct str *out, const struct gpu_conclusion *answer,
	const struct gpu_profile *profile, const struct eustallfile_header *device)
{
	str_addf(out, "%s: %s\n", verdict_text(answer->verdict), str_text(&answer->summary));
	gpu_text_add_device(out, profile, device);
	gpu_text_add_reasons(out, answer);
	add_spots(out, answer);
	add_kernels(out, &profile->kernels);
	add_conclusion(out, answer);
	for (size_t i = 0; i < answer->n_howevers; i++)
		str_addf(out, "however: %s\n", answer->howevers[i]);
}
