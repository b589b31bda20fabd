/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lines does a flame graph of the GPU's work, with the CPU's below it, consist of? */
#include "base/banned.h"

#include <stdlib.h>

#include "tools/gpu/conclusion.h"
#include "base/escape.h"
#include "sources/gpu/eustall_reasons.h"
#include "sources/gpu/eustall_histogram.h"
#include "sys/zebin_elf.h"
#include "tools/gpu/folded.h"

void gpu_conclusion_add_frame(struct str *out, const char *name, const char *kind)
{
	const size_t from = out->len;

	escape_plain(out, *name ? name : "[unknown]");
	for (size_t i = from; i < out->len; i++)
		if (out->text[i] == ';')
			out->text[i] = ':';
	str_add(out, kind);
}

/* The lines of one instruction below what launched it, each reason with its part of the counts:
 * those of launches before this stack's until those including it, of all. */
static void folded_add_lines(struct str *out, const struct str *below,
	const struct eustall_entry *entry, uint64_t before, uint64_t until, uint64_t all)
{
	for (int i = 0; i <= EUSTALL_REASONS; i++) {
		const uint64_t count = i < EUSTALL_REASONS ? entry->stall[i] : entry->active;
		/* Rounded at the borders, so that the parts of all stacks are the whole. */
		const uint64_t part = (uint64_t)((__uint128_t)count * until / all) -
			(uint64_t)((__uint128_t)count * before / all);

		if (part)
			str_addf(out, "%s;%s_[gr] %llu\n", str_text(below),
				eustall_reason_name((enum eustall_reason)i),
				(unsigned long long)part);
	}
}

static void add_instruction(struct str *below, const struct gpu_kernel *kernel, uint64_t offset)
{
	const struct zebin_line *line =
		kernel && kernel->source ? zebin_line_at(kernel->source, offset) : NULL;

	if (kernel)
		gpu_conclusion_add_frame(below, kernel->name, "_[g]");
	else
		str_add(below, "[unknown kernel]_[g]");
	if (line) {
		char *place = mem_printf("%s:%u", line->file, line->line);

		str_addc(below, ';');
		gpu_conclusion_add_frame(below, place, "_[gl]");
		free(place);
	}
	str_addf(below, ";0x%llx_[gi]", (unsigned long long)offset);
}

static void add_entry(
	struct str *out, const struct gpu_kernels *kernels, const struct eustall_entry *entry)
{
	uint64_t offset, before = 0;
	const struct gpu_kernel *kernel = kernels_at(kernels, entry->ip << 3, &offset);
	struct str below = STR_INIT;

	/* Who launched it is known of some launches: what is not is in proportion to those. */
	for (size_t i = 0; kernel && i < kernel->n_stacks; i++)
		before += kernel->stacks[i].launches;
	if (!before) {
		str_add(&below, "[unknown program];-;");
		add_instruction(&below, kernel, offset);
		folded_add_lines(out, &below, entry, 0, 1, 1);
	} else {
		const uint64_t all = before;

		before = 0;
		for (size_t i = 0; i < kernel->n_stacks; i++) {
			const struct gpu_stack *stack = &kernel->stacks[i];

			str_clear(&below);
			str_addf(&below, "%s;-;", stack->frames);
			add_instruction(&below, kernel, offset);
			folded_add_lines(out, &below, entry, before, before + stack->launches, all);
			before += stack->launches;
		}
	}
	str_free(&below);
}

void gpu_conclusion_write_folded(struct str *out, struct gpu_profile *profile)
{
	const size_t n = eustall_table_count(profile->instructions);
	struct eustall_entry *entries = mem_realloc_array(NULL, n, sizeof(*entries));
	struct eustall_entry rest = {0};
	struct eustall_totals unkept;
	struct str below = STR_INIT;

	eustall_table_top(profile->instructions, entries, n);
	for (size_t i = 0; i < n; i++)
		add_entry(out, &profile->kernels, &entries[i]);
	/* What had no place is part of the whole. */
	eustall_table_unkept(profile->instructions, &unkept);
	rest.active = unkept.active;
	memcpy(rest.stall, unkept.stall, sizeof(rest.stall));
	str_add(&below, "[unknown program];-;[not kept]_[g]");
	folded_add_lines(out, &below, &rest, 0, 1, 1);
	str_free(&below);
	free(entries);
}
