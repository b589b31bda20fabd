/* SPDX-License-Identifier: GPL-2.0-only */
/* How long did one stand behind the other, for a CPU and for a disk? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/progress.h"
#include "base/str.h"
#include "sys/atomic_file.h"
#include "sys/caps.h"
#include "tools/queue/board_look.h"
#include "tools/queue/board_svg.h"
#include "tools/queue/board_text.h"
#include "tools/queue/json.h"
#include "tools/queue/look.h"
#include "tools/queue/text.h"

#define SECONDS 10
#define TOP 10
#define COLUMNS 72 /* of the picture of CPUs by time, where there is no terminal */
#define CPU_COLUMNS 9
#define SVG_COLUMNS 300

static const char *const queue_onlys[] = {"both", "cpu", "disk", NULL};

static const struct option_row queue_own[] = {
	{0, "for", "TIME", "how long to look (10s)",
		OPTION_SECONDS(struct queue_options, seconds, 0.1, 3600, "a time from 0.1s to 1h")},
	{'o', "output", "FORMAT", "text or json",
		OPTION_CHOICE(struct queue_options, json, option_json)},
	{0, "only", "WHAT", "cpu or disk; without it both",
		OPTION_CHOICE(struct queue_options, only, queue_onlys)},
	{0, "board", NULL, "draw the CPUs by time: who has each, and who waits for it",
		OPTION_FLAG(struct queue_options, board)},
	{0, "svg", "FILE", "draw that into a file", OPTION_TEXT(struct queue_options, svg)},
	{0, "color", "WHEN", "auto, always or never",
		OPTION_CHOICE(struct queue_options, color, option_colors)},
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
		.status = "0 looked, 3 the queues cannot be looked at, or there is no A or B",
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
	if ((asked->board || asked->svg) && (asked->common.n_names || asked->json)) {
		fprintf(stderr, "%s: --board and --svg draw all that run, and nothing else\n",
			asked->program);
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

/* Returns 0 or -errno after a message. */
static int queuediagnose_svg(
	const struct queue_options *asked, const struct board *board, uint64_t lost)
{
	struct str svg = STR_INIT, why = STR_INIT;
	char *path;
	int err;

	board_svg(&svg, board, lost);
	err = write_file_atomically(asked->svg, FILE_BY_UMASK, svg.text, svg.len, &why);
	if (err) {
		path = escape_path(asked->svg);
		fprintf(stderr, "%s: %s: %s\n", asked->program, path, str_text(&why));
		free(path);
	}
	str_free(&svg);
	str_free(&why);
	return err;
}

/* CPUs by time. Returns the exit status. */
static int queuediagnose_board(const struct queue_options *asked, struct str *out)
{
	const unsigned int wide = terminal_columns();
	struct board board;
	uint64_t lost = 0;
	int err;

	err = board_look(&board, asked,
		asked->svg			 ? SVG_COLUMNS
			: wide > 2 * CPU_COLUMNS ? wide - CPU_COLUMNS
						 : COLUMNS,
		&lost);
	caps_drop(CAPS_ALL);
	if (!err && asked->svg)
		err = queuediagnose_svg(asked, &board, lost);
	else if (!err)
		board_text(out, &board, lost,
			terminal_color((enum color_when)asked->color, STDOUT_FILENO));
	board_free(&board);
	return err ? 3 : 0;
}

/* Returns the exit status. */
static int queuediagnose_look(const struct queue_options *asked, struct str *out)
{
	struct queue_look look = {0};
	const int err = queue_look(&look, asked);

	caps_drop(CAPS_ALL);
	if (!err && asked->json)
		queue_json(out, &look, asked);
	else if (!err)
		queue_text(out, &look, asked);
	queue_look_free(&look);
	return err ? 3 : 0;
}

static int queuediagnose(int argc, char **argv)
{
	struct str out = STR_INIT;
	struct queue_options asked;
	int err = queuediagnose_read(&asked, argc, argv), status;

	status = err > 0 ? 0 : EXIT_MISUSE;
	if (!err) {
		progress_catch_signals();
		status = asked.board || asked.svg ? queuediagnose_board(&asked, &out)
						  : queuediagnose_look(&asked, &out);
		fputs(str_text(&out), stdout);
	}
	str_free(&out);
	party_free(&asked.a);
	party_free(&asked.b);
	options_free(&asked.common);
	return status;
}

PROGRAM(queuediagnose);
