/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has waitdiagnose, and what do they mean? */
#include "base/banned.h"

#include <errno.h>

#include "base/str.h"
#include "tools/wait/options.h"

#define SECONDS_MAX 3600
#define NAME_BYTES 1000

static const char *const wait_formats[] = {"text", "json", NULL};

static const struct option_row wait_own[] = {
	{'o', "output", "FORMAT", "text or json",
		OPTION_CHOICE(struct wait_options, format, wait_formats)},
	{'s', "seconds", "TIME", "look for so long (5s)",
		OPTION_SECONDS(
			struct wait_options, seconds, 0.1, SECONDS_MAX, "a time from 100ms to 1h")},
	{'u', "user", "NAME", "all processes of this user",
		OPTION_TEXT_OF(struct wait_options, user, NAME_BYTES, "a user's name or number")},
	{0, "slow", "TIME", "tell the slowest ten of the waits from here on (10ms)",
		OPTION_SECONDS(struct wait_options, slow_seconds, 0.0001, SECONDS_MAX,
			"a time from 100us to 1h")},
	{'n', "top", "N", "without a target: so many of the busiest and of the most waiting (3)",
		OPTION_COUNT(struct wait_options, top, 1, 100)},
};

int wait_options_read(struct wait_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "waitdiagnose [PID | NAME | UNIT | CGROUP]",
		.what = "Where does the time of a program go, and behind whom? Its threads' time "
			"on CPUs, in\nrun queues, and in each kind of wait, with who was in the "
			"way. A unit ends in .service,\n.scope or .slice, a cgroup begins with /. "
			"Without a target it looks at all processes,\nand shows the busiest and "
			"the most waiting few.",
		.own = wait_own,
		.n_own = ARRAY_SIZE(wait_own),
		.to = asked,
		.status = "0 looked, 3 it could not look",
	};
	int err;

	*asked = (struct wait_options){
		.program = argv[0], .seconds = 5, .slow_seconds = 0.01, .top = 3};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	if (asked->common.n_names > 1 || (asked->common.n_names && asked->user)) {
		fprintf(stderr, "%s: one target at a time; see --help\n", asked->program);
		return -EINVAL;
	}
	asked->target = asked->common.n_names ? asked->common.names[0] : NULL;
	return 0;
}
