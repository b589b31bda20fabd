/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has gpudiagnose, and what do they mean? */
#include <errno.h>
#include <string.h>

#include "tools/gpu/options.h"
#include "base/num.h"
#include "base/str.h"
#include "tools/gpu/conclusion.h"

static int set_output(void *to, const char *program, const char *value)
{
	static const char *const formats[] = {"text", "json", "folded"};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(value, formats[i])) {
			((struct gpu_asked *)to)->format = (enum gpu_format)i;
			return 0;
		}
	return option_refused(program, "output", value, "text, json or folded");
}

static int set_record(void *to, const char *program, const char *value)
{
	(void)program;
	((struct gpu_asked *)to)->record = value;
	return 0;
}

static int set_replay(void *to, const char *program, const char *value)
{
	(void)program;
	((struct gpu_asked *)to)->replay = value;
	return 0;
}

static int set_zebin(void *to, const char *program, const char *value)
{
	struct gpu_asked *asked = to;

	if (asked->n_zebins == ASKED_FILES_MAX)
		return option_refused(program, "zebin", value, "among the first 64 files");
	asked->zebins[asked->n_zebins++] = value;
	return 0;
}

static int set_library(void *to, const char *program, const char *value)
{
	(void)program;
	((struct gpu_asked *)to)->library = value;
	return 0;
}

static int set_no_stacks(void *to, const char *program, const char *value)
{
	(void)program;
	(void)value;
	((struct gpu_asked *)to)->no_stacks = true;
	return 0;
}

static int set_windows(void *to, const char *program, const char *value)
{
	uint64_t n;

	if (num_u64(value, 1, 10000, &n))
		return option_refused(program, "windows", value, "a number from 1 to 10000");
	/* One more, which only warms up. */
	((struct gpu_asked *)to)->plan.windows = (unsigned int)n + 1;
	return 0;
}

/* A time in whole milliseconds. */
static int set_ms(unsigned int *to, const char *program, const char *name, const char *value)
{
	double seconds;
	const int n = num_with_unit(value, &seconds);

	if (n < 0 || value[n] || seconds < 0.001 || seconds > 10)
		return option_refused(program, name, value, "a time from 1 ms to 10 s");
	*to = (unsigned int)(seconds * 1000 + 0.5);
	return 0;
}

static int set_window(void *to, const char *program, const char *value)
{
	return set_ms(&((struct gpu_asked *)to)->plan.window_ms, program, "window", value);
}

static int set_gap(void *to, const char *program, const char *value)
{
	return set_ms(&((struct gpu_asked *)to)->plan.gap_ms, program, "gap", value);
}

static int set_top(void *to, const char *program, const char *value)
{
	uint64_t n;

	if (num_u64(value, 1, ANSWER_TOP_MAX, &n))
		return option_refused(program, "top", value, "a number from 1 to 1000");
	((struct gpu_asked *)to)->top = (size_t)n;
	return 0;
}

static const struct option_row own[] = {
	{'o', "output", "FORMAT", "text, json, or folded: a line for each stack, for flame graphs",
		OPTION_CALL(set_output)},
	{'n', "top", "N", "show so many instructions (10)", OPTION_CALL(set_top)},
	{0, "windows", "N", "look so many times (10)", OPTION_CALL(set_windows)},
	{0, "window", "TIME", "for so long each (20 ms)", OPTION_CALL(set_window)},
	{0, "gap", "TIME", "with so long between two (80 ms)", OPTION_CALL(set_gap)},
	{0, "record", "FILE", "also keep all that is read, to be replayed anywhere", OPTION_CALL(set_record)},
	{0, "replay", "FILE", "read a recording instead of a GPU", OPTION_CALL(set_replay)},
	{0, "zebin", "FILE[@ADDR]", "kernels of this file, at that address of the GPU", OPTION_CALL(set_zebin)},
	{0, "library", "FILE", "the runtime whose launches to watch (those in use)", OPTION_CALL(set_library)},
	{0, "no-stacks", NULL, "do not watch who launches kernels", OPTION_CALL(set_no_stacks)},
};

static int check(const struct gpu_asked *asked, const char *program)
{
	const char *wrong = NULL;

	if (asked->common.n_names > 1)
		wrong = "one device at most, as 0000:03:00.0";
	else if (asked->replay && asked->common.n_names)
		wrong = "--replay looks at a recording, and at no device";
	else if (asked->replay && asked->record)
		wrong = "--replay and --record: a recording of a recording is a copy";
	if (!wrong)
		return 0;
	fprintf(stderr, "%s: %s\n", program, wrong);
	return -EINVAL;
}

int gpu_asked_read(struct gpu_asked *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "gpudiagnose [DEVICE]",
		.what = "At which instructions does an Intel GPU wait, for what, and who launched "
			"them?\nNever run on Intel hardware yet: tested against a model of the "
			"kernel's interface.",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = asked,
		.status = "0 hardly in stall, 1 in stall or not sure, 3 not known or asleep",
	};
	int err;

	*asked = (struct gpu_asked){.plan = xe_plan_default, .top = 10};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	if (check(asked, argv[0]))
		return -EINVAL;
	asked->device = asked->common.n_names ? asked->common.names[0] : NULL;
	return 0;
}

void gpu_asked_free(struct gpu_asked *asked)
{
	options_free(&asked->common);
}
