/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can a recording of a GPU's stream that somebody sent break us, from its header to what is printed
 * of it? No sample may get lost on the way to the folded lines.
 */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "sources/gpu/eustall_write.h"
#include "tools/gpu/conclusion.h"
#include "sources/gpu/eustall_read.h"
#include "tools/gpu/folded.h"
#include "tools/gpu/text.h"
#include "tools/gpu/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum_of_lines(const char *text)
{
	uint64_t sum = 0;

	while (*text) {
		const char *end = strchr(text, '\n'), *space = end;

		if (!end)
			abort();
		while (space > text && *space != ' ')
			space--;
		if (space == text)
			abort();
		sum += strtoull(space, NULL, 10);
		text = end + 1;
	}
	return sum;
}

static void print_all(
	struct gpu_profile *profile, const struct eustallfile_header *header, bool cut)
{
	struct gpu_limits limits;
	struct gpu_conclusion answer;
	struct str out = STR_INIT;

	gpu_limits_default(&limits);
	profile_settle(profile);
	gpu_conclusion_make(&answer, profile, &limits, 10, cut);
	if (answer.verdict == VERDICT_BAD)
		abort();
	gpu_conclusion_write_text(&out, &answer, profile, header);
	gpu_conclusion_write_json(&out, &answer, profile, header);
	str_clear(&out);
	gpu_conclusion_write_folded(&out, profile);
	if (sum_of_lines(str_text(&out)) != eustall_totals_samples(&profile->totals))
		abort();
	gpu_conclusion_free(&answer);
	str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eustallfile_reader reader;
	struct eustallfile_header header;
	struct gpu_profile profile;
	uint8_t none = 0;
	FILE *from = fmemopen(size ? (void *)(uintptr_t)data : &none, size ? size : 1, "r");
	bool cut;

	if (!from)
		abort();
	if (!eustallfile_read_header(from, &header)) {
		profile_init(&profile, header.layout);
		reader = profile_reader(&profile);
		if (!eustallfile_replay(from, &reader, &cut))
			print_all(&profile, &header, cut);
		profile_free(&profile);
	}
	fclose(from);
	return 0;
}
