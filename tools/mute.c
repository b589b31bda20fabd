/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a person not want to hear of for a while, and why? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "check/names.h"
#include "base/command.h"
#include "base/escape.h"
#include "base/parsetime.h"
#include "history/mutes.h"
#include "run/options.h"
#include "base/username.h"
#include "run/select.h"
#include "history/format.h"
#include "base/str.h"

#define LONGEST_SECONDS (366 * 86400.0)

struct muting {
	const char *program, *reason;
	double seconds; /* 0: not given */
};

static int cmd_mute(int argc, char **argv);
COMMAND(mute_command) = {
	.name = "mute",
	.args = "CHECK",
	.what = "silence a check's notifications for a while",
	.group = COMMAND_KEEPS,
	.run = cmd_mute,
};
static int cmd_unmute(int argc, char **argv);
COMMAND(unmute_command) = {
	.name = "unmute",
	.args = "CHECK",
	.what = "send a check's notifications again",
	.group = COMMAND_KEEPS,
	.run = cmd_unmute,
};
static int cmd_mutes(int argc, char **argv);
COMMAND(mutes_command) = {
	.name = "mutes",
	.args = "",
	.what = "list mutes: until when, by whom and why",
	.group = COMMAND_KEEPS,
	.run = cmd_mutes,
};

static int cannot(const char *program, const char *what, int err)
{
	fprintf(stderr, "%s: %s: %s\n", program, what,
		err == -EPERM ? "the state directory is not this user's own, or others may write "
				"to it"
			: err == -EINVAL ? "the list of mutes is damaged"
					 : strerror(-err));
	return 3;
}

/* A list that is damaged mutes nothing, and a new mute begins a new one. */
static int mute_load(struct mutes *list, const struct options *options, const char *program)
{
	int err = mutes_load(list, options->state, time(NULL));

	if (err == -EINVAL) {
		fprintf(stderr, "%s: the list of mutes was damaged: a new one was started\n",
			program);
		err = 0;
	}
	return err;
}

/* The list as it is, and nobody else changes it until the lock is closed. */
static int load_to_change(
	struct mutes *list, const struct options *options, const char *program, int *lock)
{
	int err;

	*lock = mutes_lock(options->state);
	if (*lock < 0)
		return *lock;
	err = mute_load(list, options, program);
	if (err)
		close(*lock);
	return err;
}

static bool is_check(const struct options *options, const char *program)
{
	struct check_names names;
	bool found;

	run_load_names(options, &names);
	found = check_names_have(&names, options->names[0]);
	if (!found)
		check_names_unknown(&names, program, options->names[0]);
	check_names_free(&names);
	return found;
}

static int add_mute(const struct muting *muting, const struct options *options)
{
	time_t now = time(NULL), until = now + (time_t)muting->seconds;
	struct str text = STR_INIT;
	struct mutes list;
	char *by;
	int lock, err = load_to_change(&list, options, muting->program, &lock);

	if (err)
		return cannot(muting->program, "cannot mute", err);
	by = username_of_caller();
	mutes_set(&list, options->names[0], muting->reason, by, now, until);
	err = mutes_store(&list, options->state);
	close(lock);
	mutes_free(&list);
	free(by);
	if (err)
		return cannot(muting->program, "cannot mute", err);
	format_time(&text, until, now);
	printf("%s is muted until %s.\n", options->names[0], str_text(&text));
	str_free(&text);
	return 0;
}

static int cmd_mute(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "for", "TIME", "how long: 30min, 2h, 7d; needed",
			OPTION_SECONDS(struct muting, seconds, 60, LONGEST_SECONDS,
				"a time from 1min to 366d")},
		{0, "reason", "TEXT", "why; needed",
			OPTION_TEXT_OF(
				struct muting, reason, 500, "a reason of at most 500 bytes")},
	};
	struct muting muting = {.program = argv[0]};
	const struct usage usage = {
		.line = "tuesday mute CHECK --for TIME --reason TEXT",
		.what = "The check still runs and its verdict is shown, but 'run --cron' sends "
			"no notification.\n"
			"Every output says that it is muted (npd: how many are). Other formats "
			"count it all the same,\n"
			"unless --honour-mutes or tuesday.ini ([mutes] honour = yes) says that "
			"mutes count there too.",
		.groups = OPTIONS_STATE | OPTIONS_CHECKS,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &muting,
		.status = "0 muted, 3 not",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names != 1)
		fprintf(stderr, "%s: name one check; see --help\n", argv[0]);
	else if (!err && !(muting.seconds > 0))
		fprintf(stderr, "%s: --for is missing: a mute must end\n", argv[0]);
	else if (!err && !muting.reason)
		fprintf(stderr, "%s: --reason is required\n", argv[0]);
	else if (!err && is_check(&options, argv[0]))
		status = add_mute(&muting, &options);
	options_free(&options);
	return status;
}

static int remove_mute(const struct options *options, const char *program)
{
	struct mutes list;
	int lock, err = load_to_change(&list, options, program, &lock);

	if (err)
		return cannot(program, "cannot unmute", err);
	if (!mutes_remove(&list, options->names[0])) {
		char *shown = escape_word(options->names[0]);

		fprintf(stderr, "%s: '%s' is not muted\n", program, shown);
		free(shown);
		close(lock);
		mutes_free(&list);
		return 3;
	}
	err = mutes_store(&list, options->state);
	close(lock);
	mutes_free(&list);
	return err ? cannot(program, "cannot unmute", err) : 0;
}

static int cmd_unmute(int argc, char **argv)
{
	const struct usage usage = {
		.line = "tuesday unmute CHECK",
		.what = "The check's notifications are sent again.",
		.groups = OPTIONS_STATE,
		.status = "0 it was muted, 3 it was not muted",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names != 1)
		fprintf(stderr, "%s: name one check; see --help\n", argv[0]);
	else if (!err)
		status = remove_mute(&options, argv[0]);
	options_free(&options);
	return status;
}

static void print_mute(const struct mute *mute)
{
	struct str line = STR_INIT;

	escape_terminal_cut(&line, mute->check, 40);
	while (line.len < 16)
		str_addc(&line, ' ');
	str_add(&line, " until ");
	format_time(&line, mute->until, time(NULL));
	str_add(&line, ", by ");
	escape_terminal_cut(&line, mute->by, 40);
	str_add(&line, ": ");
	escape_terminal_cut(&line, mute->reason, 300);
	puts(str_text(&line));
	str_free(&line);
}

static int cmd_mutes(int argc, char **argv)
{
	const struct usage usage = {
		.line = "tuesday mutes",
		.what = "Lists what is muted.",
		.groups = OPTIONS_STATE,
		.status = "0 listed, 3 the list cannot be read",
	};
	struct options options;
	struct mutes list;
	size_t i;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names) {
		fprintf(stderr, "%s: unexpected argument; see --help\n", argv[0]);
	} else if (!err) {
		err = mute_load(&list, &options, argv[0]);
		status = err ? cannot(argv[0], "cannot read the mutes", err) : 0;
		if (!err && !list.n)
			puts("Nothing is muted.");
		for (i = 0; !err && i < list.n; i++)
			print_mute(&list.list[i]);
		if (!err)
			mutes_free(&list);
	}
	options_free(&options);
	return status;
}
