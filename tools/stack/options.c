/* SPDX-License-Identifier: GPL-2.0-only */
/* What is stackhealth asked? */
#include "base/banned.h"

#include <errno.h>
#include <stdint.h>

#include "base/str.h"
#include "tools/stack/options.h"

int stack_options_read(struct stack_options *asked, int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "seconds", "TIME",
			"how long to look at this machine: 1s to 10min, 10s if not given",
			OPTION_SECONDS(
				struct stack_options, seconds, 1, 600, "a time from 1s to 10min")},
		{'F', "hertz", "N", "samples of each CPU a second, 99 if not given",
			OPTION_COUNT(struct stack_options, hertz, 1, 10000)},
		{'p', "pid", "PID", "only this process, and the children that it gets meanwhile",
			OPTION_COUNT(struct stack_options, pid, 1, INT32_MAX)},
		{0, "probe", NULL,
			"walk copies of the stacks by .eh_frame too, for two seconds: their true "
			"depth, and whether DWARF would mend them",
			OPTION_FLAG(struct stack_options, probe)},
		{0, "limit", "N",
			"of a file: the frames that perf kept, 127 if not given, as "
			"kernel.perf_event_max_stack was",
			OPTION_COUNT(struct stack_options, limit, 2, 65536)},
	};
	const struct usage usage = {
		.line = "stackhealth [FILE]",
		.what = "Can the stacks of profiles be trusted: which are broken, cut off or "
			"without "
			"names,\nwhose, and why? Looks at what runs on this machine, or at FILE: "
			"what perf script\nprints, or folded stacks; - is standard input.",
		.groups = OPTIONS_REPORT | OPTIONS_CHECKS | OPTIONS_EXPLAIN,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = asked,
	};
	int err;

	*asked = (struct stack_options){.seconds = 10, .hertz = 99, .limit = 127};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err || asked->common.explain)
		return err;
	if (asked->common.n_names > 1)
		fprintf(stderr, "%s: one file at most; see --help\n", argv[0]);
	else if (asked->common.n_names && asked->probe)
		fprintf(stderr, "%s: --probe is for this machine, not for a file\n", argv[0]);
	else
		return 0;
	return -EINVAL;
}

void stack_options_free(struct stack_options *asked)
{
	options_free(&asked->common);
}
