/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has napdiagnose, and what do they mean? */
#include "base/banned.h"

#include <errno.h>

#include "base/num.h"
#include "base/str.h"
#include "naps/proc_file.h"
#include "tools/nap/options.h"

#define SECONDS_USUAL 10
#define SECONDS_MIN 2
#define SECONDS_MAX 3600
#define PAUSE_USUAL 0.1
#define PAUSE_MIN 0.06
#define PAUSE_MAX 60
#define TOP_USUAL 20
#define TOP_MAX 10000

static const struct option_row nap_own[] = {
	{'o', "output", "FORMAT", "text or json",
		OPTION_CHOICE(struct nap_options, json, option_json)},
	{0, "for", "TIME", "watch so long: 10s if not given, 2s to 1h",
		OPTION_SECONDS(struct nap_options, seconds, SECONDS_MIN, SECONDS_MAX,
			"a time from 2s to 1h")},
	{0, "longer-than", "TIME", "the shortest nap: 100ms if not given, 60ms to 1min",
		OPTION_SECONDS(struct nap_options, longer_than, PAUSE_MIN, PAUSE_MAX,
			"a time from 60ms to 1min")},
	{'n', "top", "N", "show so many naps one by one (20)",
		OPTION_COUNT(struct nap_options, top, 1, TOP_MAX)},
	{0, "events", "FILE", "write each nap as a line \"TIME_S DURATION_S\"",
		OPTION_TEXT(struct nap_options, events)},
	{0, "map", NULL, "draw a subsecond-offset heat map of who ran",
		OPTION_FLAG(struct nap_options, map)},
	{0, "svg", "FILE", "draw that into a file, for a browser",
		OPTION_TEXT(struct nap_options, svg)},
	{0, "color", "WHEN", "auto, always or never",
		OPTION_CHOICE(struct nap_options, color, option_colors)},
};

static int nap_options_check(const struct nap_options *asked)
{
	size_t i;

	if (asked->common.n_names > NAP_TARGETS_MAX) {
		fprintf(stderr, "%s: at most %d processes at a time\n", asked->program,
			NAP_TARGETS_MAX);
		return -EINVAL;
	}
	for (i = 0; i < asked->common.n_names; i++)
		if (!*asked->common.names[i])
			return option_refused(
				asked->program, "process", "", "the number or name of a process");
	return 0;
}

int nap_options_read(struct nap_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "napdiagnose [PID|NAME...]",
		.what = "Which busy programs are wholly off the CPU for 100 ms or more with work "
			"to do, why,\nand whose doing is it? All are watched where none is named. "
			"docs/napdiagnose.md\nsays more.",
		.own = nap_own,
		.n_own = ARRAY_SIZE(nap_own),
		.to = asked,
		.status = "0 no nap, 1 naps, 3 nobody was busy enough to say",
	};
	int err;

	*asked = (struct nap_options){.program = argv[0],
		.seconds = SECONDS_USUAL,
		.longer_than = PAUSE_USUAL,
		.top = TOP_USUAL};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	return err ? err : nap_options_check(asked);
}

bool nap_options_asked(void *arg, pid_t pid, const char *comm)
{
	const struct nap_options *asked = arg;
	uint64_t number;
	size_t i;

	for (i = 0; i < asked->common.n_names; i++) {
		const char *name = asked->common.names[i];

		if (num_u64(name, 1, INT32_MAX, &number) ? !strncmp(name, comm, PROC_COMM - 1)
							 : (pid_t)number == pid)
			return true;
	}
	return !asked->common.n_names;
}
