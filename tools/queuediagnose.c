/* SPDX-License-Identifier: GPL-2.0-only */
/* How long did one stand behind the other, for a CPU and for a disk? */
#include "base/banned.h"

#include <errno.h>

#include "base/command.h"
#include "base/progress.h"
#include "base/str.h"
#include "sys/caps.h"
#include "tools/queue/json.h"
#include "tools/queue/look.h"
#include "tools/queue/text.h"

#define SECONDS 10
#define TOP 10

static const char *const queue_onlys[] = {"both", "cpu", "disk", NULL};

static const struct option_row queue_own[] = {
	{0, "for", "TIME", "how long to look (10s)",
		OPTION_SECONDS(struct queue_options, seconds, 0.1, 3600, "a time from 0.1s to 1h")},
	{'o', "output", "FORMAT", "text or json",
		OPTION_CHOICE(struct queue_options, json, option_json)},
	{0, "only", "WHAT", "cpu or disk; without it both",
		OPTION_CHOICE(struct queue_options, only, queue_onlys)},
	{'n', "top", "N", "show so many of those who wait or are ahead (10)",
		OPTION_COUNT(struct queue_options, top, 1, 1000)},
};

static int queuediagnose_party(
	const struct queue_options *asked, struct party *party, const char *said)
{
	struct str why = STR_INIT;
	int err = party_parse(party, said, &why);

	if (err)
		fprintf(stderr, "%s: %s\n", asked->program, str_text(&why));
	str_free(&why);
	return err;
}

static int queuediagnose_read(struct queue_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "queuediagnose [A [B]]",
		.what = "How long did A stand behind B, for CPUs and for block devices? Without B: "
			"behind whom.\n"
			"Without A: who waits behind whom. A and B are a PID, a name, a cgroup's "
			"path, or conditions:\nuser=postgres,nice>0. docs/queuediagnose.md says "
			"more.",
		.own = queue_own,
		.n_own = ARRAY_SIZE(queue_own),
		.to = asked,
		.status = "0 looked, 3 the queues cannot be looked at",
	};
	int err;

	*asked = (struct queue_options){.program = argv[0], .seconds = SECONDS, .top = TOP};
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	if (asked->common.n_names > 2) {
		fprintf(stderr, "%s: A and B are all that it takes; see --help\n", asked->program);
		return -EINVAL;
	}
	asked->has_a = asked->common.n_names > 0;
	asked->has_b = asked->common.n_names > 1;
	if (asked->has_a)
		err = queuediagnose_party(asked, &asked->a, asked->common.names[0]);
	if (!err && asked->has_b)
		err = queuediagnose_party(asked, &asked->b, asked->common.names[1]);
	return err;
}

static int queuediagnose(int argc, char **argv)
{
	struct queue_look look = {0};
	struct str out = STR_INIT;
	struct queue_options asked;
	int err = queuediagnose_read(&asked, argc, argv), status;

	status = err > 0 ? 0 : err ? EXIT_MISUSE : 3;
	if (!err) {
		progress_catch_signals();
		err = queue_look(&look, &asked);
		caps_drop(CAPS_ALL);
		if (!err) {
			if (asked.json)
				queue_json(&out, &look, &asked);
			else
				queue_text(&out, &look, &asked);
			fputs(str_text(&out), stdout);
			status = 0;
		}
	}
	str_free(&out);
	queue_look_free(&look);
	party_free(&asked.a);
	party_free(&asked.b);
	options_free(&asked.common);
	return status;
}

PROGRAM(queuediagnose);
