/* SPDX-License-Identifier: GPL-2.0-only */
/* Does any output of a monitoring plugin, or any report of one, make its parser misbehave? */
#include "base/banned.h"

#include <math.h>
#include <stdint.h>

#include "judge/perfdata.h"
#include "sys/subprocess.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(const struct perf_range *range)
{
	if (range->set && (isnan(range->low) || isnan(range->high)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plugin_report report;
	struct plugin_output output;
	size_t i;

	plugin_output_parse(&output, (const char *)data, size);
	for (i = 0; i < output.n; i++) {
		if (!*output.list[i].label || isinf(output.list[i].value))
			abort();
		check_range(&output.list[i].warn);
		check_range(&output.list[i].crit);
	}
	plugin_output_free(&output);
	if (!plugin_report_parse(&report, (const char *)data, size) &&
		report.output + report.output_len != (const char *)data + size)
		abort();
	return 0;
}
