/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a new check file look like? This writes one, from options or from answers, that is
 * right as it stands and says in comments what to think of next.
 */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "check/check.h"
#include "check/lint.h"
#include "check/compile.h"
#include "check/names.h"
#include "base/arena.h"
#include "base/command.h"
#include "base/escape.h"
#include "expr/ast.h"
#include "expr/eval.h"
#include "check/scaffold.h"
#include "run/options.h"
#include "run/select.h"
#include "sample/source.h"
#include "base/str.h"
#include "expr/unit_guess.h"
#include "check/read_file.h"
#include "sample/source.h"

#define METRICS_MAX 16
#define TRIES 3

/* The texts of one metric, as keys of its section. */
enum { VALUE, CLASS, ENOUGH, ACQUIT, MAYBE, BAD, SAY, WHY, SOURCE, HOWEVER, SEEN, KEYS };

static const char *const keys[KEYS] = {"value", "class", "enough", "acquit", "maybe", "bad", "say",
	"why", "source", "however", "seen"};

struct draft_metric {
	char *text[KEYS];
	char *name;
	bool many; /* it has instances */
};

struct draft {
	const char *program;
	const char *name;
	char *question, *area, *file;
	bool force;
	struct draft_metric metrics[METRICS_MAX];
	size_t n;
};

static int cmd_new(int argc, char **argv);
COMMAND(new_command) = {
	.name = "new",
	.args = "NAME",
	.what = "write a check file to begin with",
	.run = cmd_new,
};

/* From the command line or an answer; a line break would be another key. */
static int draft_keep(char **to, const char *program, const char *option, const char *value)
{
	if (strpbrk(value, "\n\r"))
		return option_refused(program, option, value, "one line");
	free(*to);
	*to = mem_strdup(value);
	return 0;
}

static int set_question(void *to, const char *program, const char *value)
{
	return draft_keep(&((struct draft *)to)->question, program, "question", value);
}

static int set_area(void *to, const char *program, const char *value)
{
	return draft_keep(&((struct draft *)to)->area, program, "area", value);
}

static int set_file(void *to, const char *program, const char *value)
{
	return draft_keep(&((struct draft *)to)->file, program, "output", value);
}

/* Each --metric begins another one, which the options behind it are about. */
static int set_metric(void *to, const char *program, const char *value)
{
	struct draft *draft = to;

	if (draft->n == METRICS_MAX) {
		fprintf(stderr, "%s: more than %d metrics\n", program, METRICS_MAX);
		return -EINVAL;
	}
	return draft_keep(&draft->metrics[draft->n++].text[VALUE], program, "metric", value);
}

static int set_key(struct draft *draft, int key, const char *program, const char *value)
{
	if (!draft->n) {
		fprintf(stderr, "%s: --%s is about a metric: --metric comes before it\n", program,
			keys[key]);
		return -EINVAL;
	}
	return draft_keep(&draft->metrics[draft->n - 1].text[key], program, keys[key], value);
}

#define SETTER(key, name) \
	static int name(void *to, const char *program, const char *value) \
	{ \
		return set_key(to, key, program, value); \
	}
SETTER(CLASS, set_class)
SETTER(ENOUGH, set_enough)
SETTER(ACQUIT, set_acquit)
SETTER(MAYBE, set_maybe)
SETTER(BAD, set_bad)
SETTER(SAY, set_say)
SETTER(WHY, set_why)
SETTER(SOURCE, set_source)
SETTER(HOWEVER, set_however)

static const struct option_row own[] = {
	{0, "question", "TEXT", "what the check answers", OPTION_CALL(set_question)},
	{0, "area", "WORD", "cpu, memory, disk, network …", OPTION_CALL(set_area)},
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
	{'o', "output", "FILE", "where to write it; NAME.ini", OPTION_CALL(set_file)},
	{0, "force", NULL, "overwrite FILE if it is there", OPTION_FLAG(struct draft, force)},
};

static void free_draft(struct draft *draft)
{
	size_t i, k;

	free(draft->question);
	free(draft->area);
	free(draft->file);
	for (i = 0; i < draft->n; i++) {
		free(draft->metrics[i].name);
		for (k = 0; k < KEYS; k++)
			free(draft->metrics[i].text[k]);
	}
}

/* Asking. */

/* One answer. Returns false at the end of input. An empty one is left out unless it is needed. */
static bool draft_ask(char **to, const char *question, const char *example, bool needed)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	for (;;) {
		printf("%s%s%s%s ", question, *example ? " (" : "", example, *example ? ")" : "");
		fflush(stdout);
		len = getline(&line, &size, stdin);
		if (len < 0)
			break;
		while (len && strchr("\r\n \t", line[len - 1]))
			line[--len] = 0;
		if (len || !needed)
			break;
	}
	if (len > 0) {
		free(*to);
		*to = mem_strdup(line);
	}
	free(line);
	return len >= 0;
}

/* Whether the text is an expression; if not, says why. */
static bool try_expression(const char *text)
{
	struct arena arena = {0};
	const struct expr_scope scope = {
		.arena = &arena, .has_source = source_is_known, .has_group = source_has_group};
	struct str error = STR_INIT;
	size_t column;
	struct expr *expr = expr_parse(text, &scope, &error, &column);

	if (!expr)
		printf("  %s\n", str_text(&error));
	arena_free(&arena);
	str_free(&error);
	return expr != NULL;
}

static bool ask_metric(struct draft *draft)
{
	struct draft_metric *metric = &draft->metrics[draft->n];
	char **text = metric->text;
	int tries;

	draft->n++;
	for (tries = 0; tries < TRIES; tries++) {
		if (!draft_ask(&text[VALUE], "Which number?",
			    "rate(vmstat:pgmajfault); see tuesday sources", true))
			return false;
		if (try_expression(text[VALUE]))
			break;
	}
	return draft_ask(&text[ACQUIT], "Within which limit is the part exonerated?",
		       "< 10; empty: none", false) &&
		draft_ask(&text[MAYBE], "From when on is it suspicious?", "> 100; empty: never",
			false) &&
		draft_ask(&text[BAD], "From when on is it bad?", "> 1000; empty: never", false) &&
		draft_ask(&text[CLASS], "What is it?",
			"harm: somebody waits; error; limit: will fail when reached; cause: "
			"context",
			false) &&
		draft_ask(&text[SOURCE], "Who says that the limits are these?",
			"empty: your judgement", false);
}

/* What is missing, from the person at the terminal. Returns false where nobody answers. */
static bool ask_all(struct draft *draft)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return draft->question && draft->n;
	if (!draft->question &&
		!draft_ask(&draft->question, "Which question does it answer?",
			"Do programs wait for pages that were swapped out?", true))
		return false;
	if (!draft->area &&
		!draft_ask(&draft->area, "Which part of the system is it about?", "memory", false))
		return false;
	return draft->n || ask_metric(draft);
}

/* Writing. */

/* The unit that the name of a metric ends in, and the factor that its value needs for that. */
static const char *suffix_of(const char *hint, const char **factor)
{
	static const struct {
		const char *hint, *suffix, *factor;
	} table[] = {
		{"ns", "seconds", "1ns"},
		{"us", "seconds", "1us"},
		{"ms", "seconds", "1ms"},
		{"s", "seconds", NULL},
		{"bytes", "bytes", NULL},
		{"KiB", "bytes", "1k"},
		{"ratio", "ratio", NULL},
		{"%", "ratio", "1%"},
		{"ns/s", "ratio", "1ns"},
		{"us/s", "ratio", "1us"},
		{"ms/s", "ratio", "1ms"},
		{"bytes/s", "bytes_per_second", NULL},
		{"KiB/s", "bytes_per_second", "1k"},
	};
	size_t i;

	*factor = NULL;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(table[i].hint, hint) != 0)
			continue;
		*factor = table[i].factor;
		return table[i].suffix;
	}
	return str_ends(hint, "/s") ? "per_second" : "count";
}

/* The last word of a reference in small letters: "pgmajfault", "nr_requests". */
static void add_base_name(struct str *out, const char *key)
{
	const char *at = key + strlen(key);

	while (at > key && !strchr("./[", at[-1]))
		at--;
	if (*at < '0' || !*at)
		at = "value";
	for (; *at && *at != ']'; at++) {
		char c = *at >= 'A' && *at <= 'Z' ? (char)(*at | 32) : *at;

		if (!out->len && (c < 'a' || c > 'z'))
			str_add(out, "n_");
		str_addc(out, (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_');
	}
}

/* A metric is called by the first number that it is made of. */
struct naming {
	struct draft_metric *metric;
	struct str *name;
};

static void name_by_leaf(void *arg, struct expr_leaf *leaf)
{
	const struct naming *naming = arg;
	const char *key = *leaf->key ? leaf->key : leaf->source;

	if (!naming->name->len)
		add_base_name(naming->name, key);
	naming->metric->many |= strchr(key, '*') != NULL;
}

/* Names a metric for its expression and brings the value into the unit of that name. */
static void name_metric(struct draft *draft, struct draft_metric *metric)
{
	struct arena arena = {0};
	const struct expr_scope scope = {
		.arena = &arena, .has_source = source_is_known, .has_group = source_has_group};
	struct str error = STR_INIT, hint = STR_INIT, name = STR_INIT;
	struct naming naming = {.metric = metric, .name = &name};
	const char *suffix, *factor;
	size_t column, i, same = 0;
	struct expr *expr = expr_parse(metric->text[VALUE], &scope, &error, &column);

	if (expr)
		unit_hint_expr(&hint, expr);
	suffix = suffix_of(str_text(&hint), &factor);
	expr_each_leaf(expr, name_by_leaf, &naming);
	if (!name.len)
		str_add(&name, "value");
	if (factor) {
		char *value = expr->kind == EXPR_BINARY
			? mem_printf("(%s) * %s", metric->text[VALUE], factor)
			: mem_printf("%s * %s", metric->text[VALUE], factor);

		free(metric->text[VALUE]);
		metric->text[VALUE] = value;
	}
	for (i = 0; i < draft->n; i++)
		if (draft->metrics[i].name && str_starts(draft->metrics[i].name, str_text(&name)))
			same++;
	if (same)
		str_addf(&name, "_%zu", same + 1);
	str_addf(&name, "_%s", suffix);
	metric->name = str_take(&name);
	arena_free(&arena);
	str_free(&error);
	str_free(&hint);
}

/* "5%" is "> 5%". */
static void complete_limit(char **text, const char *op)
{
	enum op ignored;
	char *limit;

	if (!*text || op_parse(*text, &ignored))
		return;
	limit = mem_printf("%s %s", op, *text);
	free(*text);
	*text = limit;
}

static void complete_metric(struct draft *draft, struct draft_metric *metric)
{
	char **text = metric->text;
	bool limited = text[ACQUIT] || text[MAYBE] || text[BAD];

	name_metric(draft, metric);
	complete_limit(&text[MAYBE], ">");
	complete_limit(&text[BAD], ">");
	complete_limit(&text[ACQUIT], "<");
	if (!text[CLASS])
		text[CLASS] = mem_strdup(limited ? "harm" : "cause");
	if (!text[SAY])
		text[SAY] = mem_printf(
			"%s%s is {value}", metric->many ? "{instance}: " : "", metric->name);
	if (!text[WHY])
		text[WHY] = mem_printf(
			LINT_PLACEHOLDER "what %s says about the machine.", metric->name);
	if (!text[SOURCE])
		text[SOURCE] = mem_strdup(limited ? "judgement" : "none, it is context");
	text[SEEN] = mem_strdup("never");
	if (!text[HOWEVER])
		text[HOWEVER] =
			mem_strdup(LINT_PLACEHOLDER "what this number cannot see, or how it lies.");
}

static void draft_add_metric(struct str *out, const struct draft_metric *metric)
{
	size_t k;

	str_addf(out, "\n[metric %s]\n", metric->name);
	ini_add_comment(out,
		"The name ends in the unit of the value: _ratio _seconds _bytes _count "
		"_per_second");
	ini_add_comment(out, "_bytes_per_second. Watch it with: tuesday check FILE --watch");
	for (k = 0; k < KEYS; k++) {
		if (metric->text[k])
			ini_add_key(out, keys[k], metric->text[k]);
		if (k == CLASS && !metric->text[ENOUGH])
			ini_add_comment(out,
				"enough   = delta(...) >= 100: below it there is nothing to "
				"judge, and the metric is idle");
	}
	ini_add_comment(out,
		"If the source is only your judgement, begin it with that word: then "
		"counters say maybe at most.");
}

static void render(struct draft *draft, struct str *out)
{
	size_t i;

	ini_add_comment(out, "A check: one question, the numbers that answer it, and the limits.");
	ini_add_comment(out,
		"tuesday lint FILE says what is missing; docs/writing-checks.md says what "
		"each key means.");
	str_add(out, "[check]\n");
	ini_add_key(out, "question", draft->question);
	ini_add_key(out, "area", draft->area ? draft->area : draft->name);
	ini_add_comment(
		out, "needs    = /proc/... : what must be there; without it the check is skipped");
	ini_add_comment(out,
		"next     = a command, another : what to run when the verdict is maybe or "
		"bad");
	for (i = 0; i < draft->n; i++)
		complete_metric(draft, &draft->metrics[i]);
	for (i = 0; i < draft->n; i++)
		draft_add_metric(out, &draft->metrics[i]);
}

static int write_draft(const struct draft *draft, const struct str *text)
{
	char *shown;

	if (ini_write(draft->program, draft->file, text, draft->force))
		return 3;
	shown = escape_path(draft->file);
	if (strcmp(draft->file, "-") != 0)
		printf("%s is written. Next: tuesday check %s --watch\n", shown, shown);
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

static int draft_write_check(struct draft *draft)
{
	struct str text = STR_INIT;
	int status = EXIT_MISUSE;

	if (!name_is_good(draft))
		return EXIT_MISUSE;
	if (!ask_all(draft)) {
		fprintf(stderr, "%s: --question and --metric are wanted; see --help\n",
			draft->program);
		return EXIT_MISUSE;
	}
	if (!draft->file)
		draft->file = mem_printf("%s.ini", draft->name);
	render(draft, &text);
	if (ini_is_check(draft->program, draft->name, &text))
		status = write_draft(draft, &text);
	str_free(&text);
	return status;
}

static int cmd_new(int argc, char **argv)
{
	struct draft draft = {.program = argv[0]};
	const struct usage usage = {
		.line = "tuesday new NAME",
		.what = "Writes a check file with comments, from options, or asks for what is "
			"missing.\n"
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
	free_draft(&draft);
	options_free(&options);
	return status;
}
