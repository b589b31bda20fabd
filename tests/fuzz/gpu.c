/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can what a driver says of a GPU, or what a recording has in its place, break us?
 *
 * The first byte chooses the parser, the rest is the text. Source of numbers: a model is fed twice,
 * as two samples.
 */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/gpu/gpu_source.h"
#include "tests/unit/probe.h"
#include "base/culprit.h"
#include "sources/gpu/drm_fdinfo.h"
#include "sources/gpu/amd_gpu_metrics.h"
#include "sources/gpu/pmu.h"
#include "sources/gpu/model.h"
#include "sources/gpu/lines.h"
#include "sources/gpu/emit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_fdinfo(struct bytes text)
{
	struct drm_usage usage;
	size_t i;

	if (drm_parse_fdinfo(text, &usage) && (!*usage.driver || !usage.has_client))
		abort();
	if (usage.n_engines > GPU_ENGINES_MAX || usage.n_regions > GPU_REGIONS_MAX)
		abort();
	for (i = 0; i < usage.n_engines; i++)
		if (!usage.engines[i].capacity || strchr(usage.engines[i].name, ' '))
			abort();
}

static void fuzz_binary(struct bytes text)
{
	struct gpu_metrics metrics;
	double highest, now;
	uint64_t config = 0;

	if (gpu_metrics_parse(text, &metrics) && text.len < 96)
		abort();
	gpu_parse_levels(text, &highest, &now);
	if (!(highest >= now) || isnan(highest))
		abort();
	gpu_pmu_place(text, text.len, &config);
}

static void put_all(struct bytes text, struct sink *sink)
{
	struct gpu_model *model = gpu_model_new();
	struct culprit culprit;
	int view;

	gpu_model_add(model, text, false);
	gpu_model_add(model, text, true);
	for (view = GPU_VIEW_DEVICE; view <= GPU_VIEW_CLIENT; view++)
		gpu_model_put(model, (enum gpu_view)view, sink);
	gpu_model_culprit(model, "a/gt0", text.len % 2, &culprit);
	gpu_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = {
		"*.busy_least_ns", "*.busy_least_of_ns", "*.clock_ratio", NULL};
	struct bytes text = {(const char *)data + 1, size - 1};
	double values[PROBE_KEYS];

	if (!size)
		return 0;
	if (data[0] % 3 == 0)
		fuzz_fdinfo(text);
	else if (data[0] % 3 == 1)
		fuzz_binary(text);
	else
		probe_bytes(put_all, text.data, text.len, keys, values);
	if (data[0] % 3 == 2 && values[0] > values[1])
		abort();
	return 0;
}
