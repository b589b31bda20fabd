/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does anything that a fleet sends break the merge or one of its outputs? The first byte says
 * whether the rest is reports, labels as CSV, or a list of hosts beside one report.
 */
#include "base/banned.h"

#include <stdint.h>

#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/input.h"
#include "tools/merge/labelfiles.h"
#include "tools/merge/text.h"
#include "tools/merge/json.h"
#include "tools/merge/html.h"
#include "tools/merge/finish.h"

#define ONE \
	"{\"schema\":\"tuesday/" \
	"1\",\"host\":\"web1\",\"verdict\":\"bad\",\"checks\":[{\"check\":\"a\"," \
	"\"verdict\":\"bad\"}]}{\"schema\":\"tuesday/1\",\"host\":\"web2\",\"verdict\":\"good\"," \
	"\"checks\":[{\"check\":\"a\",\"verdict\":\"good\"}]}"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *take_report(
	void *arg, const char *file, const char *folder, const struct report *report)
{
	(void)folder;
	return fleet_add(arg, &(struct origin){.file = file}, report);
}

static void take_refusal(void *arg, const char *file, size_t number, const char *why)
{
	fleet_refuse(arg, file, number, why);
}

static void take_more(void *arg, const char *file, size_t n)
{
	(void)file;
	fleet_refuse_more(arg, n);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void print_all(const struct fleet *fleet)
{
	const struct print_options how = {.verbose = true};
	struct str out = STR_INIT;

	fleet_as_text(&out, fleet, &how);
	fleet_as_json(&out, fleet);
	fleet_as_html(&out, fleet);
	str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fleet *fleet;
	struct input input = {take_report, take_refusal, take_more, never, NULL};
	struct inputs *inputs;
	char *text;

	if (!size)
		return 0;
	fleet = fleet_new();
	input.arg = fleet;
	inputs = inputs_new(&input);
	text = mem_strndup((const char *)data + 1, size - 1);
	if (data[0] & 3) {
		inputs_read_text(inputs, "f", ONE, strlen(ONE));
		if (data[0] & 1)
			labels_from_csv(fleet, text);
		if (data[0] & 2)
			expected_from_text(fleet, text);
		labels_from_text(fleet, text);
	} else {
		inputs_read_text(inputs, "f", (const char *)data + 1, size - 1);
	}
	fleet_settle(fleet, 1795500000, 86400);
	print_all(fleet);
	inputs_free(inputs);
	fleet_free(fleet);
	free(text);
	return 0;
}
