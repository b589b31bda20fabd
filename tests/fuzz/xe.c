/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can a driver's answer, or the lines of a sampling in a recording, break us?
 *
 * The first byte chooses what the rest is.
 */
#include "base/banned.h"
#include "tests/unit/probe.h"
#include "sources/gpu/xe_stream.h"
#include "sources/gpu/eustall_text.h"
#include "sources/gpu/xe_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(struct bytes text, struct sink *sink)
{
	struct eustall_tops tops = {.n = 0};

	eustall_take_lines(&tops, text, sink);
	if (tops.n > XE_DEVICES_MAX)
		abort();
}

static void check_gpu(const struct xe_gpu *gpu)
{
	size_t i;

	if (gpu->n_gts > XE_GTS_MAX || gpu->n_rates > XE_RATES_MAX)
		abort();
	for (i = 0; i < gpu->n_gts; i++)
		if (gpu->gts[i].xecores > XE_XECORES_MAX)
			abort();
	for (i = 0; i < gpu->n_rates; i++)
		if (!gpu->rates[i])
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = {"d.samples", NULL};
	struct xe_gpu gpu = {.gts = {{.id = 0}, {.id = 1}}, .n_gts = 2};
	double values[PROBE_KEYS];
	void *answer;

	if (!size)
		return 0;
	answer = malloc(size);
	memcpy(answer, data + 1, size - 1);
	switch (*data % 4) {
	case 0:
		probe_bytes(parse, answer, size - 1, keys, values);
		break;
	case 1:
		gpu.n_gts = 0;
		xe_take_gts(&gpu, answer, size - 1);
		break;
	case 2:
		xe_take_topology(&gpu, answer, size - 1);
		break;
	default:
		xe_take_stall(&gpu, answer, size - 1);
	}
	check_gpu(&gpu);
	free(answer);
	return 0;
}
