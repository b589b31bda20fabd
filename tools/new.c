/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a new check file look like? This writes one, from options or from answers, that is
 * right as it stands and says in comments what to think of next.
 */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/command.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/shellquote.h"
#include "base/str.h"
#include "check/check.h"
#include "check/lint.h"
#include "check/names.h"
#include "check/read_file.h"
#include "check/scaffold.h"
#include "run/options.h"
#include "run/select.h"
#include "tools/new/internal.h"

static int cmd_new(int argc, char **argv);
COMMAND(new_command) = {
	.name = "new",
	.args = "NAME",
	.what = "write a first version of a check file",
	.group = COMMAND_WRITES,
	.run = cmd_new,
};

/* From the command line; a line break would be another key. */
static int draft_keep(char **to, const char *program, const char *option, const char *value)
{
	if (strpbrk(value, "\n\r"))
		return option_refused(program, option, value, "one line");
	draft_set(to, value);
	return 0;
}

#define TAKER(field, option) \
	static int set_##field(void *to, const char *program, const char *value) \
	{ \
		return draft_keep(&((struct draft *)to)->field, program, option, value); \
	}
TAKER(question, "question")
TAKER(area, "area")
TAKER(output, "output")
TAKER(exec, "exec")
TAKER(event, "trace")
TAKER(like, "like")

static int set_path(void *to, const char *program, const char *value)
{
	if (*value != '/')
		return option_refused(program, "file", value, "a path from the root: /run/x[name]");
	return draft_keep(&((struct draft *)to)->path, program, "file", value);
}

/* Each --metric begins another one, which the options behind it are about. */
static int set_metric(void *to, const char *program, const char *value)
{
	struct draft *draft = to;

	if (draft->n == DRAFT_METRICS) {
		fprintf(stderr, "%s: more than %d metrics\n", program, DRAFT_METRICS);
		return -EINVAL;
	}
	return draft_keep(&draft->metrics[draft->n++].text[DRAFT_VALUE], program, "metric", value);
}

static int set_key(struct draft *draft, int key, const char *program, const char *value)
{
	/* --file is the first metric, too. */
	if (!draft->n && draft->path)
		set_metric(draft, program, draft->path);
	if (!draft->n) {
		fprintf(stderr, "%s: --%s is about a metric: --metric comes before it\n", program,
			draft_keys[key]);
		return -EINVAL;
	}
	return draft_keep(&draft->metrics[draft->n - 1].text[key], program, draft_keys[key], value);
}

#define SETTER(key, name) \
	static int name(void *to, const char *program, const char *value) \
	{ \
		return set_key(to, key, program, value); \
	}
SETTER(DRAFT_CLASS, set_class)
SETTER(DRAFT_ENOUGH, set_enough)
SETTER(DRAFT_ACQUIT, set_acquit)
SETTER(DRAFT_MAYBE, set_maybe)
SETTER(DRAFT_BAD, set_bad)
SETTER(DRAFT_SAY, set_say)
SETTER(DRAFT_WHY, set_why)
SETTER(DRAFT_SOURCE, set_source)
SETTER(DRAFT_HOWEVER, set_however)

static const struct option_row own[] = {
	{0, "question", "TEXT", "what the check answers", OPTION_CALL(set_question)},
	{0, "area", "WORD", "cpu, memory, disk, net …", OPTION_CALL(set_area)},
	{0, "file", "PATH", "template: a number in a file, and how old it is: '/run/x[name]'",
		OPTION_CALL(set_path)},
	{0, "exec", "COMMAND", "template: another program answers, as a plugin of Nagios does",
		OPTION_CALL(set_exec)},
	{0, "trace", "EVENT", "template: a tracepoint says who is behind the metric",
		OPTION_CALL(set_event)},
	{0, "like", "CHECK", "template: a copy of another check", OPTION_CALL(set_like)},
	{0, "metric", "EXPR", "a value; the options below are about the last one",
		OPTION_CALL(set_metric)},
	{0, "class", "CLASS", "harm, error, limit or cause", OPTION_CALL(set_class)},
	{0, "enough", "CONDITION", "below it there is nothing to judge", OPTION_CALL(set_enough)},
	{0, "acquit", "LIMIT", "within it the part is exonerated: '< 1%'", OPTION_CALL(set_acquit)},
	{0, "maybe", "LIMIT", "beyond it the verdict is maybe: '> 5%'", OPTION_CALL(set_maybe)},
	{0, "bad", "LIMIT", "beyond it the verdict is bad", OPTION_CALL(set_bad)},
	{0, "say", "TEXT", "the phrase for the summary, with {value}", OPTION_CALL(set_say)},
	{0, "why", "TEXT", "what the number says about the machine", OPTION_CALL(set_why)},
	{0, "source", "TEXT", "who says that the limits are these", OPTION_CALL(set_source)},
	{0, "however", "TEXT", "what the number cannot see", OPTION_CALL(set_however)},
	{'o', "output", "FILE", "where to write it; NAME.ini", OPTION_CALL(set_output)},
	{0, "ask", NULL, "ask for what is missing, also where there is no terminal",
		OPTION_FLAG(struct draft, ask)},
	{0, "force", NULL, "overwrite FILE if it is there", OPTION_FLAG(struct draft, force)},
};

static int write_draft(const struct draft *draft, const struct str *text)
{
	char *shown;

	if (ini_write(draft->program, draft->output, text, draft->force))
		return 3;
	shown = escape_path(draft->output);
	if (strcmp(draft->output, "-") != 0)
		printf("%s is written. Next: tuesday lint %s; tuesday check %s --watch\n", shown,
			shown, shown);
	free(shown);
	return 0;
}

/* A name that is free: a file of a known name would change that check instead. */
static bool name_is_good(const struct draft *draft)
{
	const struct options options = {0};
	struct str errors = STR_INIT;
	struct complaints complaints = {.out = &errors};
	bool plain = !strpbrk(draft->name, "/.");
	char *shown = escape_word(draft->name);
	char *name = plain ? check_name_from(draft->name, &complaints) : NULL;
	struct check_names names;
	bool known;

	run_load_names(&options, &names);
	known = name && check_names_have(&names, name);
	check_names_free(&names);
	if (!name)
		fprintf(stderr, "%s: the name of a check is of a-z, 0-9 and '-', not '%s'\n",
			draft->program, shown);
	else if (known)
		fprintf(stderr, "%s: there is a check '%s' already: see tuesday explain %s\n",
			draft->program, name, name);
	str_free(&errors);
	free(shown);
	plain = name != NULL;
	free(name);
	return plain && !known;
}

/* What there is a template for is known of it. */
static bool draft_is_whole(const struct draft *draft)
{
	return draft->like || (draft->question && (draft->n || draft->exec));
}

/* --like is of a check that is there, --trace is about a number. Returns false after a message. */
static bool draft_templates_fit(const struct draft *draft)
{
	const struct options options = {0};
	struct check_names names;
	bool known = true;

	if (draft->like) {
		run_load_names(&options, &names);
		known = check_names_have(&names, draft->like);
		if (!known)
			check_names_unknown(&names, draft->program, draft->like);
		check_names_free(&names);
	}
	if ((draft->like || draft->exec) && (draft->n || draft->path || draft->event)) {
		fprintf(stderr, "%s: --%s has no metrics of its own beside it\n", draft->program,
			draft->like ? "like" : "exec");
		known = false;
	}
	return known;
}

/* Where nobody is asked, what the options say is all. Returns an exit status, or 0. */
static int draft_complete(struct draft *draft)
{
	bool asks = draft->ask || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));

	if (!draft->n && draft->path && !asks)
		set_metric(draft, draft->program, draft->path);
	if (asks && !(draft->like && !draft->ask) && !draft_ask_all(draft)) {
		fprintf(stderr, "%s: the answers ended before there was a question and a number\n",
			draft->program);
		return EXIT_MISUSE;
	}
	if (!draft_is_whole(draft)) {
		fprintf(stderr,
			draft->event ? "%s: --trace says who is behind a number: --question and "
				       "--metric are wanted too\n"
				     : "%s: --question and --metric are wanted, or --ask; see "
				       "--help\n",
			draft->program);
		return EXIT_MISUSE;
	}
	return 0;
}

/* What a shell would have to quote in a way that nobody should paste is asked for again. */
static void draft_add_option(struct str *out, const char *option, const char *text)
{
	struct str word = STR_INIT;

	if (text && shellquote_add(&word, text))
		str_addf(out, " --%s %s", option, str_text(&word));
	str_free(&word);
}

/* The command that goes on from what was answered: answers that took minutes are not thrown away.
 */
static void draft_say_so_far(const struct draft *draft)
{
	/* Those that have an option of their name. */
	static const enum draft_key asked[] = {DRAFT_CLASS, DRAFT_ENOUGH, DRAFT_ACQUIT, DRAFT_MAYBE,
		DRAFT_BAD, DRAFT_SAY, DRAFT_WHY, DRAFT_SOURCE, DRAFT_HOWEVER};
	struct str out = STR_INIT;
	size_t i, k;

	draft_add_option(&out, "question", draft->question);
	draft_add_option(&out, "area", draft->area);
	draft_add_option(&out, "file", draft->path);
	draft_add_option(&out, "exec", draft->exec);
	draft_add_option(&out, "trace", draft->event);
	draft_add_option(&out, "like", draft->like);
	for (i = 0; i < draft->n; i++) {
		draft_add_option(&out, "metric", draft->metrics[i].text[DRAFT_VALUE]);
		for (k = 0; k < ARRAY_SIZE(asked); k++)
			draft_add_option(
				&out, draft_keys[asked[k]], draft->metrics[i].text[asked[k]]);
	}
	if (out.len)
		fprintf(stderr,
			"Nothing is lost; this goes on from here:\n  tuesday new %s%s --ask\n",
			draft->name, str_text(&out));
	str_free(&out);
}

/* Before anything is asked: nobody wants to hear of it after the last answer. */
static bool draft_is_in_the_way(const struct draft *draft)
{
	char *shown;

	if (draft->force || !strcmp(draft->output, "-") || access(draft->output, F_OK))
		return false;
	shown = escape_path(draft->output);
	fprintf(stderr, "%s: %s: File exists; --force overwrites it\n", draft->program, shown);
	free(shown);
	return true;
}

static int draft_write_check(struct draft *draft)
{
	struct str text = STR_INIT, why = STR_INIT;
	int status;

	if (!name_is_good(draft) || !draft_templates_fit(draft))
		return EXIT_MISUSE;
	if (!draft->output)
		draft->output = mem_printf("%s.ini", draft->name);
	if (draft_is_in_the_way(draft))
		return 3;
	status = draft_complete(draft);
	if (status) {
		draft_say_so_far(draft);
		return status;
	}
	draft_render(draft, &text);
	if (draft_is_right(draft, &why)) {
		status = write_draft(draft, &text);
	} else {
		fprintf(stderr, "%s: not written, since this would not be right:\n%s",
			draft->program, str_text(&why));
		draft_say_so_far(draft);
		status = EXIT_MISUSE;
	}
	str_free(&why);
	str_free(&text);
	return status;
}

static int cmd_new(int argc, char **argv)
{
	struct draft draft = {.program = argv[0]};
	const struct usage usage = {
		.line = "tuesday new NAME",
		.what = "Writes a check file with comments, from options, or asks for what is "
			"missing:\nan answer that would not be right is asked for again.\n"
			"  tuesday new majfault --area memory --question 'Are pages read in?' \\\n"
			"      --metric 'rate(vmstat:pgmajfault)' --acquit '< 1' --maybe '> 100'",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &draft,
		.status = "0 it is written, 3 it could not be written",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names != 1) {
		fprintf(stderr, "%s: one name is wanted; see --help\n", argv[0]);
	} else if (!err) {
		draft.name = options.names[0];
		status = draft_write_check(&draft);
	}
	draft_free(&draft);
	options_free(&options);
	return status;
}
