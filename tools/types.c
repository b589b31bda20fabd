/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Of which types were the incidents of this machine, what did people make of them, and how often
 * did they disagree with the rules?
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/command.h"
#include "base/escape.h"
#include "history/history.h"
#include "history/incidents.h"
#include "base/parsetime.h"
#include "run/options.h"
#include "history/format.h"
#include "base/str.h"
#include "report/incident.h"
#include "history/retypes.h"
#include "tools/types/tally.h"
#include "history/query.h"
#include "tools/types/json.h"

#define DAYS 90
static int cmd_types(int argc, char **argv);
COMMAND(types_command) = {
	.name = "types",
	.args = "[RUN]",
	.what = "count incidents by type, and how often people corrected it",
	.group = COMMAND_KEEPS,
	.run = cmd_types,
};

static void print_counts(const struct tally *tally)
{
	struct str line = STR_INIT;

	str_add(&line, "From ");
	format_time(&line, tally->from, tally->now);
	str_add(&line, " to ");
	format_time(&line, tally->to, tally->now);
	printf("%s: %zu incident%s in %zu run%s\n", str_text(&line), tally->n,
		tally->n == 1 ? "" : "s", tally->runs, tally->runs == 1 ? "" : "s");
	str_free(&line);
}

static void print_matrix(const struct tally *tally)
{
	int row, column;

	printf("\n%-14s", "derived");
	for (column = 0; column < INCIDENT_RULES; column++)
		printf(" %10s", tally_kind(column));
	printf("  <- final\n");
	for (row = 0; row < KINDS; row++) {
		if (!tally_derived(tally, row))
			continue;
		printf("  %-12s", tally_kind(row));
		for (column = 0; column < INCIDENT_RULES; column++) {
			size_t n = tally->matrix[row][column];

			if (n)
				printf(" %10zu", n);
			else
				printf(" %10s", ".");
		}
		putchar('\n');
	}
}

static void types_print_text(const struct tally *tally)
{
	print_counts(tally);
	if (tally->n)
		print_matrix(tally);
	if (tally->retyped)
		printf("\nPeople gave %zu of %zu a type, and disagreed with the rules on %zu.\n",
			tally->retyped, tally->n, tally->disagreed);
	else if (tally->n)
		printf("\nNobody has confirmed or corrected a type yet: tuesday retype RUN TYPE "
		       "--reason TEXT\n");
	if (tally->log.damaged)
		printf("%zu line%s of what people said cannot be read.\n", tally->log.damaged,
			tally->log.damaged == 1 ? "" : "s");
}

/* One run. */

static void print_word(const struct tally *tally, const struct retype_entry *word)
{
	struct str line = STR_INIT;

	str_addf(&line, "  %-10s ", word->type);
	format_time(&line, word->time, tally->now);
	str_add(&line, ", ");
	escape_terminal_cut(&line, word->by, 40);
	str_add(&line, ": ");
	escape_terminal_cut(&line, word->reason, RETYPES_REASON_MAX);
	if (word->ref) {
		str_add(&line, " (");
		escape_terminal_cut(&line, word->ref, RETYPES_REF_MAX);
		str_addc(&line, ')');
	}
	puts(str_text(&line));
	str_free(&line);
}

static int show_run(const struct tally *tally, struct history *history, const char *name)
{
	struct incident incident;
	struct history_run run;
	struct str why = STR_INIT;
	const char *current;
	size_t i;
	int err = history_find(history, name, tally->now, &run, &why);

	if (!err && incident_of(history, run.id, &incident)) {
		err = -EIO;
		str_add(&why, "the history cannot be read");
	}
	if (err)
		fprintf(stderr, "%s: %s\n", tally->program, str_text(&why));
	str_free(&why);
	if (err)
		return 3;
	current = incident.type;
	for (i = 0; i < tally->log.n; i++)
		if (tally_is_about(&tally->log.list[i], &incident))
			current = tally->log.list[i].type;
	if (tally->json)
		return tally_print_run_json(tally, &incident, current);
	printf("Run %lld: %s; derived: %s\n", (long long)incident.run, current ? current : "none",
		incident.derived ? incident.derived : "none");
	for (i = 0; i < tally->log.n; i++)
		if (tally_is_about(&tally->log.list[i], &incident))
			print_word(tally, &tally->log.list[i]);
	return 0;
}

/* The command. */

static int types_set_since(void *to, const char *program, const char *value)
{
	struct tally *tally = to;
	time_t end;

	if (parsetime(value, tally->now, &tally->from, &end))
		return option_refused(
			program, "since", value, "a time: 24h, 7d, 14:30, yesterday, 2026-11-20");
	return 0;
}

static int types_print_rules(void)
{
	struct str out = STR_INIT;

	incident_print_rules(&out);
	fputs(str_text(&out), stdout);
	str_free(&out);
	return 0;
}

static int types_look(struct tally *tally, const struct options *options)
{
	struct history *history;
	int status = 3, err = retypes_load(&tally->log, options->state);

	if (err) {
		fprintf(stderr, "%s: what people said: %s\n", tally->program,
			err == -EPERM ? "the file is not this user's own, or others may write to it"
				      : strerror(-err));
		return 3;
	}
	history = history_open_to_show(tally->program, options->state);
	if (history && options->n_names) {
		status = show_run(tally, history, options->names[0]);
	} else if (history &&
		incident_each(history, tally->from, tally->to, tally_incident, tally)) {
		fprintf(stderr, "%s: the history cannot be read\n", tally->program);
	} else if (history) {
		tally_count(tally);
		status = 0;
		if (tally->json)
			tally_print_json(tally);
		else
			types_print_text(tally);
	}
	history_close(history);
	return status;
}

static int cmd_types(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "since", "TIME", "since then (90 days)", OPTION_CALL(types_set_since)},
		{0, "rules", NULL, "print the rules by which a type is derived",
			OPTION_FLAG(struct tally, rules)},
		{0, "json", NULL, "for programs: docs/json.md", OPTION_FLAG(struct tally, json)},
	};
	struct tally tally = {.program = argv[0], .now = time(NULL)};
	const struct usage usage = {
		.line = "tuesday types [RUN]",
		.what = "Counts the incidents of each type, as derived and as people changed them; "
			"or tells what\nwas said of one run (a number, id, time, last).",
		.groups = OPTIONS_STATE,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &tally,
		.status = "0 printed, 3 the history cannot be read",
	};
	struct options options;
	int err, status;

	tally.to = tally.now;
	tally.from = tally.now - DAYS * 86400;
	err = options_parse_usage(&options, argc, argv, &usage);
	status = err > 0 ? 0 : EXIT_MISUSE;
	if (!err && options.n_names > 1)
		fprintf(stderr, "%s: name one run at most; see --help\n", argv[0]);
	else if (!err)
		status = tally.rules ? types_print_rules() : types_look(&tally, &options);
	retypes_free(&tally.log);
	free(tally.list);
	options_free(&options);
	return status;
}
