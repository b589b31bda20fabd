/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has `tuesday nudge`, and what do they mean? */
#include "base/banned.h"

#include <errno.h>

#include "base/num.h"
#include "base/str.h"
#include "experiment/nudge.h"
#include "tools/nudge/options.h"

#define MOST_USUAL 0.2
#define MOST_LEAST 0.01
#define MOST_MOST 0.5 /* more is no nudge */
#define MARGIN_USUAL 0.3
#define ROUNDS_USUAL 8
#define PHASE_USUAL 1
#define PHASE_LEAST 0.2
#define PHASE_MOST 60

static int nudge_set_ratio(double *to, const char *program, const char *option, const char *value,
	double least, double most, const char *wanted)
{
	const int n = num_with_unit(value, to);

	if (n <= 0 || value[n] || !(*to >= least && *to <= most))
		return option_refused(program, option, value, wanted);
	return 0;
}

static int nudge_set_most(void *to, const char *program, const char *value)
{
	struct nudge_options *asked = to;

	return nudge_set_ratio(
		&asked->most, program, "by", value, MOST_LEAST, MOST_MOST, "a part from 1% to 50%");
}

static int nudge_set_margin(void *to, const char *program, const char *value)
{
	struct nudge_options *asked = to;

	return nudge_set_ratio(
		&asked->margin, program, "margin", value, 0.01, 10, "a slope from 0.01 to 10");
}

static const struct option_row nudge_own[] = {
	{0, "quota", "CGROUP", "suspect this cgroup, or that of a process: take CPU time from it",
		OPTION_TEXT_OF(struct nudge_options, quota, 0, "a cgroup, or a process")},
	{0, "io", "CGROUP", "suspect it: slow its disk I/O down",
		OPTION_TEXT_OF(struct nudge_options, io, 0, "a cgroup, or a process")},
	{0, "url", "URL", "the number to watch is the time of a request",
		OPTION_TEXT_OF(struct nudge_options, url, 0, "a URL")},
	{0, "metric", "COMMAND", "the number to watch is what COMMAND prints",
		OPTION_TEXT_OF(struct nudge_options, command, 0, "a command")},
	{0, "by", "PART", "the most to take away of what it uses (20%)",
		OPTION_CALL(nudge_set_most)},
	{0, "rounds", "N", "rounds of four phases each (8)",
		OPTION_COUNT(struct nudge_options, rounds, NUDGE_ROUNDS_LEAST, NUDGE_ROUNDS_MAX)},
	{0, "phase", "TIME", "how long a phase measures the number (1s)",
		OPTION_SECONDS(struct nudge_options, phase_seconds, PHASE_LEAST, PHASE_MOST,
			"a time from 200ms to 1min")},
	{0, "margin", "SLOPE", "a slope below this clears the suspect (0.3)",
		OPTION_CALL(nudge_set_margin)},
	{0, "yes", NULL, "do it without asking", OPTION_FLAG(struct nudge_options, yes)},
	{0, "dry-run", NULL, "show what would be changed, and change nothing",
		OPTION_FLAG(struct nudge_options, dry_run)},
	{'o', "output", "FORMAT", "text or json",
		OPTION_CHOICE(struct nudge_options, json, option_json)},
};

static int nudge_options_check(const struct nudge_options *asked)
{
	const char *wrong = NULL;

	if (asked->common.n_names)
		wrong = "name the cgroup with --quota or --io, not as an operand";
	else if (!asked->quota == !asked->io)
		wrong = "name the suspect: --quota CGROUP or --io CGROUP";
	else if (!asked->url == !asked->command)
		wrong = "name the number to watch: --url URL or --metric COMMAND";
	if (!wrong)
		return 0;
	fprintf(stderr, "%s: %s; see --help\n", asked->program, wrong);
	return -EINVAL;
}

int nudge_options_read(struct nudge_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "tuesday nudge --quota|--io CGROUP --url URL|--metric COMMAND",
		.what = "Does this suspect matter for that number? Takes a little from one "
			"cgroup, in four\n"
			"strengths and in random order, and shows how much the number follows. "
			"Zero clears it.\n"
			"Asks first, and restores everything, however it ends. See docs/nudge.md.\n"
			"  tuesday nudge --quota /system.slice/backup.service --url "
			"http://127.0.0.1/",
		.groups = OPTIONS_CHECKS,
		.own = nudge_own,
		.n_own = ARRAY_SIZE(nudge_own),
		.to = asked,
		.status = "0 cleared, 1 unclear, 2 it matters, 3 not known",
	};
	int err;

	*asked = (struct nudge_options){.program = argv[0],
		.most = MOST_USUAL,
		.margin = MARGIN_USUAL,
		.rounds = ROUNDS_USUAL,
		.phase_seconds = PHASE_USUAL};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	return err ? err : nudge_options_check(asked);
}

enum nudge_kind nudge_options_kind(const struct nudge_options *asked)
{
	return asked->quota ? NUDGE_QUOTA : NUDGE_IO;
}

const char *nudge_options_target(const struct nudge_options *asked)
{
	return asked->quota ? asked->quota : asked->io;
}
