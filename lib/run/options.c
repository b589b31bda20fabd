/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the command line ask for? */
#include "base/banned.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>

#include "base/version.h"
#include "check/check.h"
#include "base/escape.h"
#include "base/num.h"
#include "run/options.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/suggest.h"
#include "base/wrap.h"

#define OWN_MAX 32

const char *const option_colors[] = {"auto", "always", "never", NULL};
const char *const option_json[] = {"text", "json", NULL};

struct formats {
	const char *names[32];
	size_t n;
};

static void add_format(void *arg, const struct writer *writer)
{
	struct formats *formats = arg;

	if (formats->n < ARRAY_SIZE(formats->names))
		formats->names[formats->n++] = writer->name;
}

static int refuse_format(const char *program, const char *value)
{
	char *shown = escape_word(value);
	struct formats formats = {0};
	const char *near;

	writer_each(add_format, &formats);
	near = suggest(value, formats.names, formats.n);
	fprintf(stderr, "%s: -o: there is no format '%s'", program, shown);
	free(shown);
	fprintf(stderr, near ? "; did you mean '%s'?\n" : "%s; see --help\n", near ? near : "");
	return -EINVAL;
}

static int set_format(void *to, const char *program, const char *value)
{
	if (!writer_find(value))
		return refuse_format(program, value);
	((struct options *)to)->format = value;
	return 0;
}

static int add_directory(void *to, const char *program, const char *value)
{
	struct options *options = to;

	(void)program;
	options->dirs =
		mem_realloc_array(options->dirs, options->n_dirs + 1, sizeof(*options->dirs));
	options->dirs[options->n_dirs++] = value;
	return 0;
}

/* It becomes a file's name. */
static int set_continues(void *to, const char *program, const char *value)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
	size_t len = strlen(value);

	if (!len || len > 100 || *value == '.' || strspn(value, allowed) != len)
		return option_refused(program, "since-last", value,
			"a name of at most 100 letters, digits, '.', '_', '+' and '-'");
	((struct options *)to)->continues = value;
	return 0;
}

/* Lines "NAME VERSION PACKAGE", as embed/libraries.sh wrote them. */
extern const char __start_tuesday_libraries[] __attribute__((weak));
extern const char __stop_tuesday_libraries[] __attribute__((weak));

/* With --verbose also what else is in the program: each may have a flaw of its own to look up. */
int options_print_version(const struct options *options)
{
	const char *line = __start_tuesday_libraries, *end;

	printf("tuesday %s\n", tuesday_version);
	for (; options->verbose && line < __stop_tuesday_libraries; line = end + 1) {
		end = memchr(line, '\n', (size_t)(__stop_tuesday_libraries - line));
		if (!end)
			break;
		printf("  %.*s\n", (int)(end - line), line);
	}
	return 0;
}

/* The common options, in the order of help. */
static const struct {
	unsigned int group; /* 0: every command has it */
	struct option_row row;
} table[] = {
	{OPTIONS_SAMPLING,
		{0, "quick", NULL, "one window of 1 s instead of five of 2 s; traces run 2 s",
			OPTION_FLAG(struct options, quick)}},
	{OPTIONS_SAMPLING,
		{0, "windows", "N", "how many windows to sample (1..1000)",
			OPTION_COUNT(struct options, windows, 1, 1000)}},
	{OPTIONS_SAMPLING,
		{0, "window", "SECONDS", "how long a window is (0.1..3600)",
			OPTION_SECONDS(struct options, window_seconds, 0.1, 3600,
				"a time from 0.1 to 3600 seconds")}},
	{OPTIONS_SAMPLING,
		{0, "deadline", "TIME", "end after that time with what is known by then (1s..1h)",
			OPTION_SECONDS(struct options, deadline_seconds, 1, 3600,
				"a time from 1s to 1h")}},
	{OPTIONS_TRACING,
		{0, "deep", NULL, "trace also what the counters call good",
			OPTION_FLAG(struct options, deep)}},
	{OPTIONS_TRACING,
		{0, "no-trace", NULL, "counters only", OPTION_FLAG(struct options, no_trace)}},
	{OPTIONS_REPORT, {'o', "output", "FORMAT", "how to print:", OPTION_CALL(set_format)}},
	{OPTIONS_REPORT,
		{0, "services", "LIST",
			"checks that Checkmk has services of: disk,memory; all; default: none",
			OPTION_TEXT_OF(struct options, services, 4000, "names of checks, or all")}},
	{OPTIONS_REPORT,
		{0, "to", "FILE", "write to FILE, replaced in one step",
			OPTION_TEXT(struct options, to)}},
	{OPTIONS_REPORT,
		{0, "ledger", NULL, "say by which evidence each part was exonerated",
			OPTION_FLAG(struct options, ledger)}},
	{OPTIONS_REPORT,
		{'v', "verbose", NULL, "show every metric with its value, limits and source",
			OPTION_FLAG(struct options, verbose)}},
	{OPTIONS_REPORT,
		{'q', "quiet", NULL, "show only what is not good",
			OPTION_FLAG(struct options, quiet)}},
	{OPTIONS_REPORT,
		{0, "color", "WHEN", "auto, always or never; NO_COLOR is honoured",
			OPTION_CHOICE(struct options, color, option_colors)}},
	{OPTIONS_CHECKS,
		{'c', "checks", "DIR", "another directory of check files, over all others",
			OPTION_CALL(add_directory)}},
	{OPTIONS_RECORD,
		{0, "record", "DIR", "keep all that is read in DIR, to be replayed",
			OPTION_TEXT(struct options, record)}},
	{OPTIONS_REDACT,
		{0, "redact", NULL, "replace names and addresses in the recording",
			OPTION_FLAG(struct options, redact)}},
	{OPTIONS_MACHINE,
		{0, "replay", "DIR", "judge a recording instead of this machine",
			OPTION_TEXT(struct options, replay)}},
	{OPTIONS_MACHINE,
		{0, "root", "DIR", "read DIR/proc and DIR/sys (a container: /host)",
			OPTION_TEXT(struct options, root)}},
	{OPTIONS_EXPLAIN,
		{0, "explain", NULL, "print what the check looks at and why, and exit",
			OPTION_FLAG(struct options, explain)}},
	{OPTIONS_KEPT,
		{0, "since-last", "NAME", "judge also the time since the last run with this NAME",
			OPTION_CALL(set_continues)}},
	{OPTIONS_KEPT,
		{0, "cron", NULL, "print only what is new since the last such run",
			OPTION_FLAG(struct options, cron)}},
	{OPTIONS_KEPT,
		{0, "honour-mutes", NULL,
			"what is muted does not count: not in the exit status either",
			OPTION_FLAG(struct options, honour_mutes)}},
	{OPTIONS_KEPT,
		{0, "splay", "SECONDS", "wait up to SECONDS first, always as long on a machine",
			OPTION_SECONDS(struct options, splay_seconds, 0, 3600,
				"a time from 0 to 3600 seconds")}},
	{OPTIONS_KEPT,
		{0, "watch", NULL, "again and again until Ctrl-C, with what has changed",
			OPTION_FLAG(struct options, watch)}},
	{OPTIONS_KEPT,
		{0, "no-history", NULL, "neither look into the history nor add to it",
			OPTION_FLAG(struct options, no_history)}},
	{OPTIONS_STATE,
		{0, "state", "DIR", "keep history and counters in DIR (/var/lib/tuesday)",
			OPTION_TEXT(struct options, state)}},
	{0, {'h', "help", NULL, "print this and exit", {.kind = OPTION_IS_HELP}}},
	{0,
		{'V', "version", NULL, "print the version, with -v of all libraries inside",
			OPTION_FLAG(struct options, version)}},
};

/* Help fits a terminal of 80 columns. */
#define HELP_COLUMNS 80
#define HELP_AT 25	  /* where what an option does begins */
#define HELP_FORMAT_AT 37 /* and what a format is for */

/* The text from column from on, behind what stands left of it. */
static void options_print_line(const char *left, size_t from, const char *text)
{
	struct str line = STR_INIT;
	size_t len = strlen(left);

	str_add(&line, left);
	if (len > from)
		str_addc(&line, '\n');
	wrap_blanks(&line, len > from ? from : from - len);
	wrap_text(&line, HELP_COLUMNS, from, from, text);
	fputs(str_text(&line), stdout);
	str_free(&line);
}

static void print_format(void *arg, const struct writer *writer)
{
	char *left = mem_printf("%*s%s", HELP_AT, "", writer->name);

	(void)arg;
	options_print_line(left, HELP_FORMAT_AT, writer->what);
	free(left);
}

static bool has_option(const struct usage *usage, size_t i)
{
	return !table[i].group || (usage->groups & table[i].group);
}

static void print_option(const struct option_row *row)
{
	const char letter[] = {' ', ' ', row->letter ? '-' : ' ',
		(char)(row->letter ? row->letter : ' '), row->letter ? ',' : ' ', ' ', 0};
	char *left = mem_printf(
		"%s--%s%s%s", letter, row->name, row->arg ? "=" : "", row->arg ? row->arg : "");

	options_print_line(left, HELP_AT, row->help);
	free(left);
}

/* Where what is explained begins behind "  NAME  ", or the text of a line. */
static size_t options_text_at(const char *line, size_t len)
{
	size_t at = strspn(line, " "), gap;

	for (gap = at; at && gap + 1 < len; gap++)
		if (line[gap] == ' ' && line[gap + 1] == ' ')
			return gap + strspn(line + gap, " ");
	return at;
}

/* A line that is indented, wrapped below its text where it is too long. */
static void options_print_indented(const char *line, size_t len)
{
	size_t at = options_text_at(line, len);
	char *left = mem_strndup(line, at), *rest = mem_strndup(line + at, len - at);

	if (len <= HELP_COLUMNS)
		printf("%s%s\n", left, rest);
	else
		options_print_line(left, at, rest);
	free(left);
	free(rest);
}

/* Paragraphs are filled; what is indented keeps its lines. */
static void options_print_text(const char *text)
{
	struct str paragraph = STR_INIT;

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *next = text + len + (text[len] == '\n');

		if (*text == ' ' || !len) {
			options_print_indented(text, len);
		} else {
			str_addn(&paragraph, text, len);
			str_addc(&paragraph, ' ');
		}
		if (paragraph.len && (!*next || *next == ' ' || *next == '\n')) {
			options_print_line("", 0, str_text(&paragraph));
			str_clear(&paragraph);
		}
		text = next;
	}
	str_free(&paragraph);
}

static void print_help(const struct usage *usage)
{
	char *line = mem_printf("Usage: %s [OPTION...]", usage->line);
	size_t i;

	options_print_text(line);
	options_print_text(usage->what);
	putchar('\n');
	free(line);
	for (i = 0; i < usage->n_own; i++)
		print_option(&usage->own[i]);
	for (i = 0; i < usage->n_more; i++)
		print_option(&usage->more[i]);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (!has_option(usage, i))
			continue;
		print_option(&table[i].row);
		if (table[i].row.value.set == set_format)
			writer_each(print_format, NULL);
	}
	line = mem_printf("Exit status: %s, 64 misuse.",
		usage->status ? usage->status : "0 good, 1 maybe, 2 bad, 3 unknown");
	putchar('\n');
	options_print_text(line);
	free(line);
}

int option_refused(const char *program, const char *option, const char *value, const char *wanted)
{
	char *shown = escape_word(value);

	fprintf(stderr, "%s: --%s: '%s' is not %s\n", program, option, shown, wanted);
	free(shown);
	return -EINVAL;
}

static int refuse_choice(const struct option_row *row, const char *program, const char *value)
{
	const char *const *choices = row->value.choices;
	struct str wanted = STR_INIT;
	size_t i;
	int err;

	for (i = 0; choices[i]; i++)
		str_addf(&wanted, "%s%s", !i ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
	err = option_refused(program, row->name, value, str_text(&wanted));
	str_free(&wanted);
	return err;
}

static void store_number(const struct option_value *how, void *field, uint64_t n)
{
	switch (how->as) {
	case OPTION_AS_BOOL:
		*(bool *)field = n;
		return;
	case OPTION_AS_UINT:
		*(unsigned int *)field = (unsigned int)n;
		return;
	case OPTION_AS_SIZE:
		*(size_t *)field = (size_t)n;
		return;
	case OPTION_AS_DOUBLE:
		*(double *)field = (double)n;
		return;
	}
}

static int store_choice(
	const struct option_row *row, void *field, const char *program, const char *value)
{
	size_t i;

	for (i = 0; row->value.choices[i]; i++) {
		if (!strcmp(value, row->value.choices[i])) {
			store_number(&row->value, field, i);
			return 0;
		}
	}
	return refuse_choice(row, program, value);
}

static int store_count(
	const struct option_row *row, void *field, const char *program, const char *value)
{
	const struct option_value *how = &row->value;
	char wanted[64];
	uint64_t n;

	if (!num_u64(value, (uint64_t)how->least, (uint64_t)how->most, &n)) {
		store_number(how, field, n);
		return 0;
	}
	snprintf(wanted, sizeof(wanted), "a whole number from %.0f to %.0f", how->least, how->most);
	return option_refused(program, row->name, value, wanted);
}

static int store_seconds(
	const struct option_row *row, double *field, const char *program, const char *value)
{
	double seconds;
	const int n = num_with_unit(value, &seconds);

	if (n < 0 || value[n] || seconds < row->value.least || seconds > row->value.most)
		return option_refused(program, row->name, value, row->value.wanted);
	*field = seconds;
	return 0;
}

static int store_text(
	const struct option_row *row, const char **field, const char *program, const char *value)
{
	const double len = (double)strlen(value);

	if (len < row->value.least || (row->value.most > 0 && len > row->value.most))
		return option_refused(program, row->name, value, row->value.wanted);
	*field = value;
	return 0;
}

/* Puts a value where its row wants it. Returns 0, 1 where a text was printed, or -EINVAL. */
static int options_store(
	const struct option_row *row, void *to, const char *program, const char *value)
{
	void *field = (char *)to + row->value.at;

	switch (row->value.kind) {
	case OPTION_IS_CALL:
		return row->value.set(to, program, value);
	case OPTION_IS_FLAG:
		*(bool *)field = true;
		return 0;
	case OPTION_IS_TEXT:
		return store_text(row, field, program, value);
	case OPTION_IS_COUNT:
		return store_count(row, field, program, value);
	case OPTION_IS_SECONDS:
		return store_seconds(row, field, program, value);
	case OPTION_IS_CHOICE:
		return store_choice(row, field, program, value);
	case OPTION_IS_HELP:
		break;
	}
	return -EINVAL;
}

static int conflict(const char *program, const char *a, const char *b)
{
	fprintf(stderr, "%s: %s and %s exclude each other\n", program, a, b);
	return -EINVAL;
}

static int check_together(
	const struct options *options, const struct usage *usage, const char *program)
{
	if (options->deep && options->no_trace)
		return conflict(program, "--deep", "--no-trace");
	if (options->replay && options->record)
		return conflict(program, "--replay", "--record");
	if (options->replay && strcmp(options->root, "/") != 0)
		return conflict(program, "--replay", "--root");
	if (options->redact && !options->record && (usage->groups & OPTIONS_RECORD)) {
		fprintf(stderr, "%s: --redact is about a recording: it needs --record\n", program);
		return -EINVAL;
	}
	if (options->replay && (options->continues || options->cron) && !options->state) {
		fprintf(stderr,
			"%s: a replay is not this machine: give its state a place of its "
			"own with --state\n",
			program);
		return -EINVAL;
	}
	if (options->cron && options->explain)
		return conflict(program, "--cron", "--explain");
	if (options->quiet && options->verbose)
		return conflict(program, "--quiet", "--verbose");
	return 0;
}

#define ROWS_MAX (ARRAY_SIZE(table) + OWN_MAX)
#define FIRST_ID 256 /* of the rows' numbers for getopt: no letter is one */

/* The options that a command has, as getopt wants them. */
struct command_options {
	const struct option_row *rows[ROWS_MAX];
	void *to[ROWS_MAX]; /* what each fills */
	size_t n;
	struct option longs[ROWS_MAX + 1];
	char shorts[2 * ROWS_MAX + 2];
	size_t n_shorts;
};

static void command_add_row(struct command_options *command, const struct option_row *row, void *to)
{
	if (command->n == ROWS_MAX)
		return;
	if (row->letter)
		command->shorts[command->n_shorts++] = (char)row->letter;
	if (row->letter && row->arg)
		command->shorts[command->n_shorts++] = ':';
	command->longs[command->n] = (struct option){row->name,
		row->arg ? required_argument : no_argument, NULL, FIRST_ID + (int)command->n};
	command->to[command->n] = to;
	command->rows[command->n++] = row;
}

static void command_fill(
	struct command_options *command, const struct usage *usage, struct options *options)
{
	size_t i;

	command->shorts[command->n_shorts++] =
		':'; /* a missing value is told from an unknown option */
	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (has_option(usage, i))
			command_add_row(command, &table[i].row, options);
	for (i = 0; i < usage->n_own; i++)
		command_add_row(command, &usage->own[i], usage->to);
	for (i = 0; i < usage->n_more; i++)
		command_add_row(command, &usage->more[i], usage->more_to);
}

/* The row of what getopt returned: a letter or FIRST_ID and the row's place. */
static size_t command_find_row(const struct command_options *command, int id)
{
	size_t i;

	if (id >= FIRST_ID)
		return (size_t)(id - FIRST_ID);
	for (i = 0; command->rows[i]->letter != id; i++)
		;
	return i;
}

/* What is wrong with a word that getopt stopped at. It would print the word as it is. */
static void explain_refusal(
	const struct option *longs, const char *program, int id, const char *word, bool known)
{
	const char *names[ROWS_MAX], *near = NULL;
	char *shown = escape_word(word);
	size_t n;

	for (n = 0; longs[n].name; n++)
		names[n] = longs[n].name;
	if (!known && str_starts(word, "--"))
		near = suggest(word + 2, names, n);
	if (id == ':')
		fprintf(stderr, "%s: the option %s wants a value\n", program, shown);
	else if (known)
		fprintf(stderr, "%s: %s: it takes no value\n", program, shown);
	else if (near)
		fprintf(stderr, "%s: there is no option '%s'; did you mean '--%s'?\n", program,
			shown, near);
	else
		fprintf(stderr, "%s: unknown or ambiguous option '%s'\n", program, shown);
	fprintf(stderr, "Try '%s --help'.\n", program);
	free(shown);
}

/* at is the word that getopt stopped at; in a word of several letters it is still before it. */
static int options_refuse(const struct option *longs, const char *program, int id, const char *at)
{
	const char letter[] = {'-', (char)optopt, 0};
	bool known = false;
	size_t i;

	for (i = 0; longs[i].name; i++)
		known |= optopt && longs[i].val == optopt;
	explain_refusal(longs, program, id, optopt && !known ? letter : at, known);
	return -EINVAL;
}

/* One option. Returns 1 where it asked for a text that was printed. */
static int options_take_one(const struct command_options *command, const struct usage *usage,
	const char *program, int id)
{
	const size_t i = command_find_row(command, id);

	if (command->rows[i]->value.kind == OPTION_IS_HELP) {
		print_help(usage);
		return 1;
	}
	return options_store(command->rows[i], command->to[i], program, optarg);
}

int options_parse_usage(struct options *options, int argc, char **argv, const struct usage *usage)
{
	struct command_options command = {0};
	const char *program = argv[0];
	int id, err = 0;

	*options = (struct options){.format = "text", .root = "/", .window_seconds = NAN};
	command_fill(&command, usage, options);
	/* Not 1: getopt would go on in a word of an earlier line where it stopped in the middle. */
	optind = 0;
	opterr = 0;
	while (!err && (id = getopt_long(argc, argv, command.shorts, command.longs, NULL)) != -1)
		err = id == '?' || id == ':'
			? options_refuse(command.longs, program, id, argv[optind - 1])
			: options_take_one(&command, usage, program, id);
	if (!err && options->version)
		err = 1 + options_print_version(options);
	if (!err)
		err = check_together(options, usage, program);
	if (!options->windows)
		options->windows = options->quick ? 1 : 5;
	if (isnan(options->window_seconds))
		options->window_seconds = options->quick ? 1 : 2;
	options->names = argv + optind;
	options->n_names = (size_t)(argc - optind);
	return err;
}

extern const struct health_options *const __start_tuesday_health_options[] __attribute__((weak));
extern const struct health_options *const __stop_tuesday_health_options[] __attribute__((weak));

const struct health_options *options_of_health(const char *check)
{
	const struct health_options *const *at;

	for (at = __start_tuesday_health_options; at < __stop_tuesday_health_options; at++)
		if (!strcmp((*at)->check, check))
			return *at;
	return NULL;
}

int options_parse(
	struct options *options, int argc, char **argv, const char *line, const char *what)
{
	const struct usage usage = {.line = line, .what = what, .groups = OPTIONS_ALL};

	return options_parse_usage(options, argc, argv, &usage);
}

void options_free(struct options *options)
{
	free(options->dirs);
	free(options->only);
}
