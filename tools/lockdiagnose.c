/* SPDX-License-Identifier: GPL-2.0-only */
/* Which locks are waited for, by whom, who holds them, and where in the kernel? */
#include "base/banned.h"

#include <errno.h>

#include "base/command.h"
#include "base/num.h"
#include "base/progress.h"
#include "base/str.h"
#include "sys/caps.h"
#include "tools/lock/answer.h"
#include "tools/lock/watch.h"

#define SECONDS 5
#define SLOW_SECONDS 10e-6
#define TOP 10

static const struct option_row lock_own[] = {
	{0, "for", "TIME", "how long to watch (5s)",
		OPTION_SECONDS(struct lock_options, seconds, 0.1, 3600, "a time from 0.1s to 1h")},
	{0, "slow", "TIME", "leave out shorter waits (10us)",
		OPTION_SECONDS(struct lock_options, slow_seconds, 0, 60, "a time of at most 60s")},
	{'o', "output", "FORMAT", "text or json",
		OPTION_CHOICE(struct lock_options, json, option_json)},
	{'n', "top", "N", "how many to show (10)", OPTION_COUNT(struct lock_options, top, 1, 1000)},
};

static int lockdiagnose_read(struct lock_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "lockdiagnose [PID]",
		.what = "Which locks do threads wait for, who holds them, and where? Kernel "
			"locks by kind,\n"
			"and locks of programs (futexes). With PID only what that process waits "
			"for. See\n"
			"docs/lockdiagnose.md.",
		.own = lock_own,
		.n_own = ARRAY_SIZE(lock_own),
		.to = asked,
		.status = "0 watched, 3 locks cannot be watched",
	};
	uint64_t pid = 0;
	int err;

	*asked = (struct lock_options){
		.program = argv[0], .seconds = SECONDS, .slow_seconds = SLOW_SECONDS, .top = TOP};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	if (asked->common.n_names > 1 ||
		(asked->common.n_names && num_u64(asked->common.names[0], 1, UINT32_MAX, &pid))) {
		fprintf(stderr, "%s: name one process by its pid, or none; see --help\n",
			asked->program);
		return -EINVAL;
	}
	asked->pid = (uint32_t)pid;
	return 0;
}

static int lockdiagnose(int argc, char **argv)
{
	struct lock_watch watch = {0};
	struct lock_options asked;
	struct str out = STR_INIT;
	int err = lockdiagnose_read(&asked, argc, argv), status;

	status = err > 0 ? 0 : err ? EXIT_MISUSE : 3;
	if (!err) {
		progress_catch_signals();
		err = lock_watch_run(&watch, &asked);
		caps_drop(CAPS_ALL);
		if (!err && asked.json)
			lock_answer_json(&out, &watch, &asked);
		else if (!err)
			lock_answer_text(&out, &watch, &asked);
		status = err ? 3 : 0;
		fputs(str_text(&out), stdout);
	}
	str_free(&out);
	lock_watch_free(&watch);
	options_free(&asked.common);
	return status;
}

PROGRAM(lockdiagnose);
