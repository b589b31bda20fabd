/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do these check files say of recorded machines what they should? A folder has NAME.expected, with
 * a verdict a line, beside the recording NAME; its *.ini are the checks. Prints TAP.
 */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/command.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/check.h"
#include "check/site.h"
#include "report/report.h"
#include "run/options.h"
#include "run/run.h"

#define SUFFIX ".expected"
#define MACHINES_MAX 1000
#define LINES_MAX 1000

static int cmd_test(int argc, char **argv);
COMMAND(test_command) = {
	.name = "test",
	.args = "DIR",
	.what = "test check files on recordings with expected verdicts",
	.group = COMMAND_WRITES,
	.run = cmd_test,
};

/* "CHECK VERDICT [CULPRIT]" or "CHECK.METRIC VERDICT", as it stands; all inside the text. */
struct wanted {
	char *check, *metric, *verdict, *culprit;
	int line;
};

struct testing {
	const char *program, *dir;
	char *machine; /* NAME */
	struct wanted *wanted;
	size_t n_wanted;
	bool judged; /* a report came */
	unsigned int tests, failed;
};

static const char *const verdict_words[] = {"good", "maybe", "bad", "unknown", "skip", "accused"};

/* As TAP has it: a '#' would begin a directive. */
static void test_add_text(struct str *out, const char *text)
{
	struct str shown = STR_INIT;
	const char *at;

	escape_terminal(&shown, text);
	for (at = str_text(&shown); *at; at++)
		str_addf(out, "%s%c", *at == '#' ? "\\" : "", *at);
	str_free(&shown);
}

static void test_say(struct testing *testing, const struct wanted *wanted, const char *wrong)
{
	struct str line = STR_INIT;

	testing->tests++;
	testing->failed += wrong != NULL;
	str_addf(&line, "%sok %u - ", wrong ? "not " : "", testing->tests);
	test_add_text(&line, testing->machine);
	str_add(&line, ": ");
	test_add_text(&line, wanted->check);
	if (wanted->metric) {
		str_addc(&line, '.');
		test_add_text(&line, wanted->metric);
	}
	str_addf(&line, " is %s", wanted->verdict);
	if (wanted->culprit) {
		str_add(&line, ", by ");
		test_add_text(&line, wanted->culprit);
	}
	if (wrong) {
		str_addf(&line, "\n# %s" SUFFIX ":%d: ", testing->machine, wanted->line);
		test_add_text(&line, wrong);
	}
	puts(str_text(&line));
	str_free(&line);
}

static bool test_is_verdict(enum verdict verdict, const char *word)
{
	if (!strcmp(word, "accused"))
		return verdict == VERDICT_BAD || verdict == VERDICT_MAYBE;
	return !strcmp(verdict_text(verdict), word);
}

static const struct metric_result *test_metric(const struct check_result *result, const char *name)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		if (!strcmp(result->metrics[i].metric->name, name))
			return &result->metrics[i];
	return NULL;
}

/* What is wrong, or NULL. The caller frees. */
static char *test_compare(const struct check_result *result, const struct wanted *wanted)
{
	const struct metric_result *metric =
		wanted->metric ? test_metric(result, wanted->metric) : NULL;
	enum verdict got = metric ? metric->verdict : result->verdict;
	const char *summary = result->reason ? result->reason : result->summary;

	if (wanted->metric && !metric)
		return mem_printf("the check is %s, and gives no such metric: %s",
			verdict_text(result->verdict), summary ? summary : "");
	if (!test_is_verdict(got, wanted->verdict))
		return mem_printf("it is %s: %s", verdict_text(got), summary ? summary : "");
	if (wanted->culprit && !result->n_culprits)
		return mem_strdup("it names no culprit");
	if (wanted->culprit && strcmp(result->culprits[0].name, wanted->culprit) != 0)
		return mem_printf("%s is named", result->culprits[0].name);
	return NULL;
}

static int test_report(void *arg, const struct report *report)
{
	struct testing *testing = arg;
	size_t i, k;

	testing->judged = true;
	for (i = 0; i < testing->n_wanted; i++) {
		const struct wanted *wanted = &testing->wanted[i];
		char *wrong = NULL;

		for (k = 0; k < report->n_checks; k++)
			if (!strcmp(report->checks[k].check->name, wanted->check))
				break;
		wrong = k < report->n_checks ? test_compare(&report->checks[k], wanted)
					     : mem_strdup("the check did not run");
		test_say(testing, wanted, wrong);
		free(wrong);
	}
	return 0;
}

/* One line, which is cut up. Returns whether it says something; complains where it is wrong. */
static bool test_read_line(
	char *line, struct wanted *wanted, const char *file, struct complaints *complaints)
{
	char *words[2], *dot;
	size_t n = 0, i;
	const char *near;

	while (n < 2) {
		line += strspn(line, " \t\r");
		if (!*line || (!n && strchr(";#", *line)))
			break;
		words[n++] = line;
		line += strcspn(line, " \t\r");
		if (*line)
			*line++ = 0;
	}
	if (!n)
		return false;
	line += strspn(line, " \t\r");
	for (i = strlen(line); i && strchr(" \t\r", line[i - 1]);)
		line[--i] = 0;
	for (i = 0; n == 2 && i < ARRAY_SIZE(verdict_words); i++)
		if (!strcmp(words[1], verdict_words[i]))
			break;
	if (n < 2 || i == ARRAY_SIZE(verdict_words)) {
		near = n < 2 ? NULL : suggest(words[1], verdict_words, ARRAY_SIZE(verdict_words));
		complain(complaints, file, wanted->line,
			"a line is CHECK VERDICT or CHECK.METRIC VERDICT%s%s%s",
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
		return false;
	}
	dot = strchr(words[0], '.');
	if (dot)
		*dot = 0;
	*wanted = (struct wanted){.check = words[0],
		.metric = dot ? dot + 1 : NULL,
		.verdict = words[1],
		.culprit = *line ? line : NULL,
		.line = wanted->line};
	return true;
}

/* Fills the list from the text, which it keeps its strings in. Returns whether nothing is wrong. */
static bool test_read(struct testing *testing, char *text, const char *file)
{
	struct str errors = STR_INIT;
	struct complaints complaints = {.out = &errors};
	char *line;
	int number = 0;

	testing->n_wanted = 0;
	while ((line = strsep(&text, "\n")) && testing->n_wanted < LINES_MAX) {
		struct wanted *wanted = &testing->wanted[testing->n_wanted];

		wanted->line = ++number;
		testing->n_wanted += test_read_line(line, wanted, file, &complaints);
	}
	if (!complaints.n && !testing->n_wanted)
		complain(&complaints, file, 0, "it has no expected verdicts");
	fputs(str_text(&errors), stderr);
	str_free(&errors);
	return !complaints.n;
}

/* The checks that the lines are about, each once. The caller frees the array. */
static char **test_names(const struct testing *testing, size_t *n)
{
	char **names = mem_realloc_array(NULL, testing->n_wanted + 1, sizeof(*names));
	size_t i, k;

	*n = 0;
	for (i = 0; i < testing->n_wanted; i++) {
		for (k = 0; k < *n && strcmp(names[k], testing->wanted[i].check) != 0; k++)
			;
		if (k == *n)
			names[(*n)++] = testing->wanted[i].check;
	}
	return names;
}

/* One recording. Returns whether it could be judged. */
static bool test_machine(struct testing *testing, const struct options *given)
{
	struct options options = *given;
	char *file = mem_printf("%s/%s" SUFFIX, testing->dir, testing->machine);
	char *recording = mem_printf("%s/%s", testing->dir, testing->machine);
	struct str text = STR_INIT;
	int err = site_read(file, &text);
	char **names = NULL, *copy = mem_strdup(str_text(&text));

	testing->judged = false;
	if (err)
		fprintf(stderr, "%s: %s: %s\n", testing->program, file, strerror(-err));
	if (!err && test_read(testing, copy, file)) {
		names = test_names(testing, &options.n_names);
		options.names = names;
		options.replay = recording;
		options.no_history = true;
		options.take = test_report;
		options.take_arg = testing;
		run_named(testing->program, &options, NULL);
	}
	free(names);
	free(copy);
	free(file);
	free(recording);
	str_free(&text);
	return testing->judged;
}

static int test_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of what is expected in the folder, sorted; NULL after a message. */
static char **test_find(const struct testing *testing, size_t *n)
{
	DIR *dir = opendir(testing->dir);
	char **names = mem_zalloc((MACHINES_MAX + 1) * sizeof(*names));
	struct dirent *entry;
	size_t len;

	*n = 0;
	if (!dir) {
		char *shown = escape_path(testing->dir);

		fprintf(stderr, "%s: %s: %s\n", testing->program, shown, strerror(errno));
		free(shown);
	}
	while (dir && *n < MACHINES_MAX && (entry = readdir(dir))) {
		len = strlen(entry->d_name);
		if (len > strlen(SUFFIX) && str_ends(entry->d_name, SUFFIX))
			names[(*n)++] = mem_strndup(entry->d_name, len - strlen(SUFFIX));
	}
	if (dir)
		closedir(dir);
	qsort(names, *n, sizeof(*names), test_by_name);
	if (dir && !*n)
		fprintf(stderr, "%s: there is no NAME" SUFFIX " in it\n", testing->program);
	return names;
}

static int test_directory(struct testing *testing, struct options *options)
{
	size_t n, i;
	char **names = test_find(testing, &n);
	bool whole = n > 0;

	/* Its own checks lie over all others, but for those of -c. */
	options->dirs =
		mem_realloc_array(options->dirs, options->n_dirs + 1, sizeof(*options->dirs));
	memmove(options->dirs + 1, options->dirs, options->n_dirs * sizeof(*options->dirs));
	options->dirs[0] = testing->dir;
	options->n_dirs++;
	testing->wanted = mem_zalloc((LINES_MAX + 1) * sizeof(*testing->wanted));
	if (n)
		puts("TAP version 13");
	for (i = 0; i < n; i++) {
		testing->machine = names[i];
		whole &= test_machine(testing, options);
		free(names[i]);
	}
	if (n)
		printf("1..%u\n", testing->tests);
	free(names);
	free(testing->wanted);
	return !whole ? 3 : testing->failed ? 1 : 0;
}

static int cmd_test(int argc, char **argv)
{
	static const struct usage usage = {
		.line = "tuesday test DIR",
		.what = "Replays each recording DIR/NAME and holds what its checks say against "
			"DIR/NAME.expected:\nlines 'CHECK VERDICT', 'CHECK VERDICT CULPRIT' or "
			"'CHECK.METRIC VERDICT'. Check files are those\nof DIR, over all others. "
			"Prints TAP.\n  tuesday record DIR/NAME; echo 'zombies bad' "
			">DIR/NAME.expected; "
			"tuesday test DIR",
		.groups = OPTIONS_CHECKS,
		.status = "0 all as expected, 1 some are not, 3 something not tested",
	};
	struct testing testing = {.program = argv[0]};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && options.n_names != 1) {
		fprintf(stderr, "%s: name one folder; see --help\n", argv[0]);
	} else if (!err) {
		testing.dir = options.names[0];
		status = test_directory(&testing, &options);
	}
	options_free(&options);
	return status;
}
