/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has gpudiagnose, and what do they mean? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>

#include "tools/gpu/options.h"
#include "base/str.h"
#include "tools/gpu/conclusion.h"

static int set_zebin(void *to, const char *program, const char *value)
{
	struct gpu_options *asked = to;

	if (asked->n_zebins == ASKED_FILES_MAX)
		return option_refused(program, "zebin", value, "among the first 64 files");
	asked->zebins[asked->n_zebins++] = value;
	return 0;
}

static const char *const formats[] = {"text", "json", "folded", NULL};

static const struct option_row own[] = {
	{'o', "output", "FORMAT", "text, json, or folded: a line per stack, for flame graphs",
		OPTION_CHOICE(struct gpu_options, format, formats)},
	{0, "svg", "FILE", "draw a flame graph: who launched what, where and why it waits",
		OPTION_TEXT(struct gpu_options, svg)},
	{'n', "top", "N", "how many instructions to show (10)",
		OPTION_COUNT(struct gpu_options, top, 1, ANSWER_TOP_MAX)},
	{0, "windows", "N", "how many windows to sample (10)",
		OPTION_COUNT(struct gpu_options, windows, 1, 10000)},
	{0, "window", "TIME", "the length of a window (20 ms)",
		OPTION_SECONDS(
			struct gpu_options, window_seconds, 0.001, 10, "a time from 1 ms to 10 s")},
	{0, "gap", "TIME", "the time between two windows (80 ms)",
		OPTION_SECONDS(
			struct gpu_options, gap_seconds, 0.001, 10, "a time from 1 ms to 10 s")},
	{0, "record", "FILE", "also record all that is read, to replay it anywhere",
		OPTION_TEXT(struct gpu_options, record)},
	{0, "replay", "FILE", "read a recording instead of a GPU",
		OPTION_TEXT(struct gpu_options, replay)},
	{0, "zebin", "FILE[@ADDR]", "names of kernels from this file, loaded at that address",
		OPTION_CALL(set_zebin)},
	{0, "library", "FILE", "the runtime to watch for launches (those in use)",
		OPTION_TEXT(struct gpu_options, library)},
	{0, "no-stacks", NULL, "do not watch which program launches kernels",
		OPTION_FLAG(struct gpu_options, no_stacks)},
};

static int gpu_options_check(const struct gpu_options *asked, const char *program)
{
	const char *wrong = NULL;

	if (asked->common.n_names > 1)
		wrong = "name at most one device, such as 0000:03:00.0";
	else if (asked->replay && asked->common.n_names)
		wrong = "--replay reads a recording: do not name a device";
	else if (asked->replay && asked->record)
		wrong = "--replay and --record exclude each other";
	if (!wrong)
		return 0;
	fprintf(stderr, "%s: %s\n", program, wrong);
	return -EINVAL;
}

static unsigned int whole_milliseconds(double seconds)
{
	return (unsigned int)(seconds * 1000 + 0.5);
}

int gpu_options_read(struct gpu_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "gpudiagnose [DEVICE]",
		.what = "At which instructions does an Intel GPU wait, for what, and who launched "
			"them?\nNever run on Intel hardware yet: tested against a model of the "
			"kernel's interface.",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = asked,
		.status = "0 hardly stalls, 1 stalls or not sure, 3 unknown or suspended",
	};
	int err;

	*asked = (struct gpu_options){
		.plan = xe_plan_default,
		.windows = xe_plan_default.windows - 1,
		.window_seconds = xe_plan_default.window_ms / 1e3,
		.gap_seconds = xe_plan_default.gap_ms / 1e3,
		.top = 10,
	};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	if (gpu_options_check(asked, argv[0]))
		return -EINVAL;
	asked->plan.windows = asked->windows + 1;
	asked->plan.window_ms = whole_milliseconds(asked->window_seconds);
	asked->plan.gap_ms = whole_milliseconds(asked->gap_seconds);
	asked->device = asked->common.n_names ? asked->common.names[0] : NULL;
	return 0;
}

void gpu_options_free(struct gpu_options *asked)
{
	options_free(&asked->common);
}
