/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done to this machine on purpose, a rollout or a chaos test, and until when? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "base/parsetime.h"
#include "base/str.h"
#include "base/username.h"
#include "history/announcements.h"
#include "history/format.h"
#include "run/options.h"

#define DAY_SECONDS 86400
#define LONGEST_SECONDS (30.0 * DAY_SECONDS)

struct announcing {
	const char *program, *what;
	double seconds; /* 0: not given */
	time_t now, until;
	bool list, end;
};

static int cmd_announce(int argc, char **argv);
COMMAND(announce_command) = {
	.name = "announce",
	.args = "WHAT",
	.what = "announce a rollout or a test in the reports of this machine",
	.group = COMMAND_KEEPS,
	.run = cmd_announce,
};

static int announce_cannot(const char *program, const char *what, int err)
{
	fprintf(stderr, "%s: %s: %s\n", program, what,
		err == -EPERM ? "the state directory is not this user's own, or others may write "
				"to it"
			: err == -EINVAL ? "the list of announcements is damaged"
			: err == -ENOSPC
			? "twenty announcements are in force already: end one, see --list"
			: strerror(-err));
	return 3;
}

/* A list that is damaged announces nothing, and a new announcement begins a new one. */
static int announce_load(struct announcements *list, const char *state, const char *program)
{
	int err = announcements_load(list, state);

	if (err == -EINVAL) {
		fprintf(stderr,
			"%s: the list of announcements was damaged: a new one was started\n",
			program);
		err = 0;
	}
	return err;
}

/* The list as it is, and nobody else changes it until the lock is closed. */
static int announce_load_to_change(
	struct announcements *list, const char *state, const char *program, int *lock)
{
	int err;

	*lock = announcements_lock(state);
	if (*lock < 0)
		return *lock;
	err = announce_load(list, state, program);
	if (err)
		close(*lock);
	return err;
}

static void announce_print(const struct announcement *announcement, time_t now)
{
	struct str line = STR_INIT;

	str_addc(&line, '\'');
	escape_terminal_cut(&line, announcement->what, ANNOUNCEMENT_MAX_BYTES);
	str_add(&line, "' by ");
	escape_terminal_cut(&line, announcement->by, 40);
	str_add(&line, ", since ");
	format_time(&line, announcement->since, now);
	str_add(&line, ", ends ");
	format_time(&line, announcement->until, now);
	puts(str_text(&line));
	str_free(&line);
}

static int announce_add(const struct announcing *announcing, const char *state)
{
	struct announcements list;
	char *by;
	int lock, err = announce_load_to_change(&list, state, announcing->program, &lock);

	if (err)
		return announce_cannot(announcing->program, "cannot announce", err);
	by = username_of_caller();
	err = announcements_add(&list, announcing->what, by, announcing->now, announcing->until);
	if (!err)
		err = announcements_store(&list, state, announcing->now);
	close(lock);
	if (!err)
		announce_print(&list.list[list.n - 1], announcing->now);
	announcements_free(&list);
	free(by);
	return err ? announce_cannot(announcing->program, "cannot announce", err) : 0;
}

static int announce_list(const struct announcing *announcing, const char *state)
{
	struct announcements list;
	int err = announce_load(&list, state, announcing->program);
	size_t i;

	if (err)
		return announce_cannot(announcing->program, "cannot read the announcements", err);
	if (!announcements_in_force(&list, announcing->now))
		puts("Nothing is announced.");
	for (i = 0; i < list.n; i++)
		if (announcement_holds(&list.list[i], announcing->now))
			announce_print(&list.list[i], announcing->now);
	announcements_free(&list);
	return 0;
}

/* Those in force that are meant: of that name or, without one, all there are. */
static bool announce_is_meant(
	const struct announcing *announcing, const struct announcement *announcement)
{
	return announcement_holds(announcement, announcing->now) &&
		(!announcing->what || !strcmp(announcement->what, announcing->what));
}

static size_t announce_count_meant(
	const struct announcing *announcing, const struct announcements *list)
{
	size_t i, n = 0;

	for (i = 0; i < list->n; i++)
		n += announce_is_meant(announcing, &list->list[i]);
	return n;
}

/* Says why nothing can be ended. Returns whether that is so. */
static bool announce_refuses_end(
	const struct announcing *announcing, const struct announcements *list)
{
	size_t n = announce_count_meant(announcing, list);

	if (!n && announcing->what) {
		char *shown = escape_word(announcing->what);

		fprintf(stderr, "%s: '%s' is not announced; see --list\n", announcing->program,
			shown);
		free(shown);
	} else if (!n) {
		fprintf(stderr, "%s: nothing is announced\n", announcing->program);
	} else if (n > 1 && !announcing->what) {
		fprintf(stderr,
			"%s: %zu announcements are in force: name the one to end; see --list\n",
			announcing->program, n);
	}
	return !n || (n > 1 && !announcing->what);
}

static int announce_end(const struct announcing *announcing, const char *state)
{
	struct announcements list;
	int lock, err = announce_load_to_change(&list, state, announcing->program, &lock);
	bool refused;
	size_t i;

	if (err)
		return announce_cannot(announcing->program, "cannot end it", err);
	refused = announce_refuses_end(announcing, &list);
	for (i = 0; !refused && i < list.n; i++)
		if (announce_is_meant(announcing, &list.list[i]))
			list.list[i].until = announcing->now;
	if (!refused)
		err = announcements_store(&list, state, announcing->now);
	close(lock);
	announcements_free(&list);
	if (err)
		return announce_cannot(announcing->program, "cannot end it", err);
	return refused ? 3 : 0;
}

/* A time of the day is the next one there is: the last one before tomorrow at this time. */
static int announcing_set_until(void *to, const char *program, const char *value)
{
	struct announcing *announcing = to;
	time_t end;

	if (!strpbrk(value, ":-") ||
		parsetime(value, announcing->now + DAY_SECONDS, &announcing->until, &end) ||
		announcing->until <= announcing->now ||
		difftime(announcing->until, announcing->now) > LONGEST_SECONDS)
		return option_refused(program, "until", value,
			"a time within 30 days: 14:30, '2026-11-20 14:30'");
	return 0;
}

/* Returns false with a message where the command line is no announcement. */
static bool announcing_is_whole(struct announcing *announcing)
{
	const char *what = announcing->what;
	const char *wrong = !what ? "say what it is: 'rollout of shop 4.2'"
		: !*what || strlen(what) > ANNOUNCEMENT_MAX_BYTES
		? "a text of 1 to 200 bytes says what it is"
		: announcing->seconds > 0 && announcing->until ? "give --for or --until, not both"
		: !(announcing->seconds > 0) && !announcing->until
		? "--for or --until is missing: an announcement must end"
		: NULL;

	if (wrong)
		fprintf(stderr, "%s: %s\n", announcing->program, wrong);
	if (announcing->seconds > 0)
		announcing->until = announcing->now + (time_t)announcing->seconds;
	return !wrong;
}

/* What --list and --end are not given together with. */
static bool announcing_is_mixed(const struct announcing *announcing)
{
	return (announcing->list && (announcing->end || announcing->what)) ||
		announcing->seconds > 0 || announcing->until;
}

static int announce_do(struct announcing *announcing, const struct options *options)
{
	announcing->what = options->n_names ? options->names[0] : NULL;
	if (options->n_names > 1) {
		fprintf(stderr,
			"%s: unexpected second argument: quote what you announce; see --help\n",
			announcing->program);
		return EXIT_MISUSE;
	}
	if ((announcing->list || announcing->end) && announcing_is_mixed(announcing)) {
		fprintf(stderr, "%s: --list takes nothing else, and --end no time\n",
			announcing->program);
		return EXIT_MISUSE;
	}
	if (announcing->list)
		return announce_list(announcing, options->state);
	if (announcing->end)
		return announce_end(announcing, options->state);
	if (!announcing_is_whole(announcing))
		return EXIT_MISUSE;
	return announce_add(announcing, options->state);
}

static int cmd_announce(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "for", "TIME", "how long it takes: 30min, 2h, 3d",
			OPTION_SECONDS(struct announcing, seconds, 60, LONGEST_SECONDS,
				"a time from 1min to 30d")},
		{0, "until", "WHEN", "or when it ends: 14:30, '2026-11-20 14:30'",
			OPTION_CALL(announcing_set_until)},
		{0, "list", NULL, "what is announced, by whom and until when",
			OPTION_FLAG(struct announcing, list)},
		{0, "end", NULL, "end announcement WHAT, or the only one",
			OPTION_FLAG(struct announcing, end)},
	};
	struct announcing announcing = {.program = argv[0], .now = time(NULL)};
	const struct usage usage = {
		.line = "tuesday announce WHAT --for TIME | --list | --end [WHAT]",
		.what = "Every report shows the announcements in force at its time. They change "
			"no verdict\n"
			"and no exit status. What becomes bad meanwhile is of type internal: see "
			"'tuesday\n"
			"types --rules'.",
		.groups = OPTIONS_STATE,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &announcing,
		.status = "0 done, 3 not",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err)
		status = announce_do(&announcing, &options);
	options_free(&options);
	return status;
}
