/* SPDX-License-Identifier: GPL-2.0-only */
/* Does any answer of a tracing process, or a recording's copy of it, lead to absurd results? */
#include "base/banned.h"

#include <math.h>
#include <stdint.h>

#include "sample/source.h"
#include "base/str.h"
#include "trace/codec.h"
#include "trace/result_data.h"
#include "sample/instances.h"
#include "base/culprit.h"
#include "trace/spec.h"
#include "trace/culprits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct trace_result *result)
{
	size_t n = result->instances ? instances_count(result->instances) : 1, i;
	struct culprit culprits[16];

	if (result->instances && n != result->n_rows)
		abort();
	for (i = 0; i < n; i++) {
		if (trace_quantile(result, i, 0.99) < 0 || trace_total(result, i) < 0 ||
			trace_count(result, i) < 0)
			abort();
		trace_max(result, i);
		trace_culprits(result, (long)i, culprits, 16);
	}
	n = trace_culprits(result, -1, culprits, 16);
	for (i = 0; i < n; i++)
		if (culprits[i].share > 1.000001)
			abort();
	if (!(trace_lost_share(result) >= 0 && trace_lost_share(result) <= 1))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_spec a = {.check = "a", .name = "b", .ignore = "x*", .value_unit = 1};
	struct trace_spec b = {.check = "a", .name = "c"};
	const struct trace_spec *const specs[] = {&a, &b};
	struct traces *traces = traces_new(NULL, specs, ARRAY_SIZE(specs));
	char *text = mem_alloc(size);
	size_t i;

	if (size)
		memcpy(text, data, size);
	trace_blob_parse(traces, text, size);
	free(text);
	traces_finish(traces, "not there");
	for (i = 0; i < traces->n; i++)
		if (!trace_missing(&traces->list[i]))
			look_at(&traces->list[i]);
	traces_free(traces);
	return 0;
}
