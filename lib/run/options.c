/* SPDX-License-Identifier: GPL-2.0-only */
/* What does the command line ask for? */
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

enum {
	OPT_QUICK = 256,
	OPT_DEEP,
	OPT_NO_TRACE,
	OPT_WINDOWS,
	OPT_WINDOW,
	OPT_DEADLINE,
	OPT_TO,
	OPT_LEDGER,
	OPT_COLOR,
	OPT_ROOT,
	OPT_REPLAY,
	OPT_RECORD,
	OPT_REDACT,
	OPT_EXPLAIN,
	OPT_CRON,
	OPT_SINCE_LAST,
	OPT_SPLAY,
	OPT_NO_HISTORY,
	OPT_STATE,
	OPT_VERSION,
	OPT_OWN /* the first of the command's own */
};

#define OWN_MAX 32

static const struct {
	const char *name;
	int id; /* a letter is also the short option */
	const char *arg;
	const char *help;
	unsigned int group; /* 0: every command has it */
} table[] = {
	{"quick", OPT_QUICK, NULL, "one window of 1 s instead of five of 2 s; traces run 2 s",
		OPTIONS_SAMPLING},
	{"windows", OPT_WINDOWS, "N", "how many windows to sample (1..1000)", OPTIONS_SAMPLING},
	{"window", OPT_WINDOW, "SECONDS", "how long a window is (0.1..3600)", OPTIONS_SAMPLING},
	{"deadline", OPT_DEADLINE, "TIME",
		"end after that time with what is known by then (1s..1h)", OPTIONS_SAMPLING},
	{"deep", OPT_DEEP, NULL, "trace also what the counters call good", OPTIONS_TRACING},
	{"no-trace", OPT_NO_TRACE, NULL, "counters only", OPTIONS_TRACING},
	{"output", 'o', "FORMAT", "how to print:", OPTIONS_REPORT},
	{"to", OPT_TO, "FILE", "write to FILE, replaced in one step", OPTIONS_REPORT},
	{"ledger", OPT_LEDGER, NULL, "say by which evidence each part was exonerated",
		OPTIONS_REPORT},
	{"verbose", 'v', NULL, "show every metric with its value, limits and source",
		OPTIONS_REPORT},
	{"quiet", 'q', NULL, "show only what is not good", OPTIONS_REPORT},
	{"color", OPT_COLOR, "WHEN", "auto, always or never; NO_COLOR is honoured", OPTIONS_REPORT},
	{"checks", 'c', "DIR", "another directory of check files, over all others", OPTIONS_CHECKS},
	{"record", OPT_RECORD, "DIR", "keep all that is read in DIR, to be replayed",
		OPTIONS_RECORD},
	{"redact", OPT_REDACT, NULL, "replace names and addresses in the recording",
		OPTIONS_REDACT},
	{"replay", OPT_REPLAY, "DIR", "judge a recording instead of this machine", OPTIONS_MACHINE},
	{"root", OPT_ROOT, "DIR", "read DIR/proc and DIR/sys (a container: /host)",
		OPTIONS_MACHINE},
	{"explain", OPT_EXPLAIN, NULL, "print what the check looks at and why, and exit",
		OPTIONS_EXPLAIN},
	{"since-last", OPT_SINCE_LAST, "NAME",
		"judge also the time since the last run with this NAME", OPTIONS_KEPT},
	{"cron", OPT_CRON, NULL, "print only what is new since the last such run", OPTIONS_KEPT},
	{"splay", OPT_SPLAY, "SECONDS", "wait up to SECONDS first, always as long on a machine",
		OPTIONS_KEPT},
	{"no-history", OPT_NO_HISTORY, NULL, "neither look into the history nor add to it",
		OPTIONS_KEPT},
	{"state", OPT_STATE, "DIR", "keep history and counters in DIR (/var/lib/tuesday)",
		OPTIONS_STATE},
	{"help", 'h', NULL, "print this and exit", 0},
	{"version", OPT_VERSION, NULL, "print the version and exit", 0},
};

static void print_format(void *arg, const struct writer *writer)
{
	(void)arg;
	printf("  %-20s   %-11s %s\n", "", writer->name, writer->what);
}

static bool has_option(const struct usage *usage, size_t i)
{
	return !table[i].group || (usage->groups & table[i].group);
}

static void print_option(int letter, const char *name, const char *arg, const char *help)
{
	char *left = mem_printf("--%s%s%s", name, arg ? "=" : "", arg ? arg : "");

	if (letter)
		printf("  -%c, %-18s %s\n", letter, left, help);
	else
		printf("      %-18s %s\n", left, help);
	free(left);
}

static void print_help(const struct usage *usage)
{
	size_t i;

	printf("Usage: %s [OPTION...]\n%s\n\n", usage->line, usage->what);
	for (i = 0; i < usage->n_own; i++)
		print_option(usage->own[i].letter, usage->own[i].name, usage->own[i].arg,
			usage->own[i].help);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (!has_option(usage, i))
			continue;
		print_option(table[i].id < 256 ? table[i].id : 0, table[i].name, table[i].arg,
			table[i].help);
		if (table[i].id == 'o')
			writer_each(print_format, NULL);
	}
	printf("\nExit status: %s, 64 misuse.\n",
		usage->status ? usage->status : "0 good, 1 maybe, 2 bad, 3 unknown");
}

int option_refused(const char *program, const char *option, const char *value, const char *wanted)
{
	char *shown = escape_word(value);

	fprintf(stderr, "%s: --%s: '%s' is not %s\n", program, option, shown, wanted);
	free(shown);
	return -EINVAL;
}

static int set_color(struct options *options, const char *program, const char *value)
{
	static const char *const names[] = {"auto", "always", "never"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(value, names[i])) {
			options->color = (enum color_when)i;
			return 0;
		}
	}
	return option_refused(program, "color", value, "auto, always or never");
}

static int set_windows(struct options *options, const char *program, const char *value)
{
	uint64_t n;

	if (num_u64(value, 1, 1000, &n))
		return option_refused(program, "windows", value, "a whole number from 1 to 1000");
	options->windows = (unsigned int)n;
	return 0;
}

static int set_window(struct options *options, const char *program, const char *value)
{
	double seconds;
	int n = num_with_unit(value, &seconds);

	if (n < 0 || value[n] || seconds < 0.1 || seconds > 3600)
		return option_refused(program, "window", value, "a time from 0.1 to 3600 seconds");
	options->window_seconds = seconds;
	return 0;
}

static int set_deadline(struct options *options, const char *program, const char *value)
{
	double seconds;
	int n = num_with_unit(value, &seconds);

	if (n < 0 || value[n] || seconds < 1 || seconds > 3600)
		return option_refused(program, "deadline", value, "a time from 1s to 1h");
	options->deadline_seconds = seconds;
	return 0;
}

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

static int unknown_format(const char *program, const char *value)
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

static int set_format(struct options *options, const char *program, const char *value)
{
	if (!writer_find(value)) {
		return unknown_format(program, value);
	}
	options->format = value;
	return 0;
}

/* It becomes a file's name. */
static int set_continues(struct options *options, const char *program, const char *value)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
	size_t len = strlen(value);

	if (!len || len > 100 || *value == '.' || strspn(value, allowed) != len)
		return option_refused(program, "since-last", value,
			"a name of at most 100 letters, digits, '.', '_', '+' and '-'");
	options->continues = value;
	return 0;
}

static int set_splay(struct options *options, const char *program, const char *value)
{
	double seconds;
	int n = num_with_unit(value, &seconds);

	if (n < 0 || value[n] || seconds < 0 || seconds > 3600)
		return option_refused(program, "splay", value, "a time from 0 to 3600 seconds");
	options->splay_seconds = seconds;
	return 0;
}

/* Those that only set something: a switch, or a text as it is. */
static bool apply_plain(struct options *options, int id, char *value)
{
	const struct {
		int id;
		bool *is_set;
		const char **text;
	} plain[] = {
		{OPT_QUICK, .is_set = &options->quick},
		{OPT_DEEP, .is_set = &options->deep},
		{OPT_NO_TRACE, .is_set = &options->no_trace},
		{OPT_LEDGER, .is_set = &options->ledger},
		{'v', .is_set = &options->verbose},
		{'q', .is_set = &options->quiet},
		{OPT_REDACT, .is_set = &options->redact},
		{OPT_EXPLAIN, .is_set = &options->explain},
		{OPT_CRON, .is_set = &options->cron},
		{OPT_NO_HISTORY, .is_set = &options->no_history},
		{OPT_TO, .text = &options->to},
		{OPT_RECORD, .text = &options->record},
		{OPT_REPLAY, .text = &options->replay},
		{OPT_ROOT, .text = &options->root},
		{OPT_STATE, .text = &options->state},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(plain); i++) {
		if (plain[i].id != id)
			continue;
		if (plain[i].is_set)
			*plain[i].is_set = true;
		else
			*plain[i].text = value;
		return true;
	}
	return false;
}

static int apply(struct options *options, const char *program, int id, char *value)
{
	if (apply_plain(options, id, value))
		return 0;
	switch (id) {
	case OPT_WINDOWS:
		return set_windows(options, program, value);
	case OPT_WINDOW:
		return set_window(options, program, value);
	case OPT_DEADLINE:
		return set_deadline(options, program, value);
	case 'o':
		return set_format(options, program, value);
	case OPT_COLOR:
		return set_color(options, program, value);
	case 'c':
		options->dirs = mem_realloc_array(
			options->dirs, options->n_dirs + 1, sizeof(*options->dirs));
		options->dirs[options->n_dirs++] = value;
		return 0;
	case OPT_SINCE_LAST:
		return set_continues(options, program, value);
	case OPT_SPLAY:
		return set_splay(options, program, value);
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

static void fill_getopt(const struct usage *usage, struct option *longs, char *shorts)
{
	size_t i, n = 0, n_longs = 0;

	shorts[n++] = ':'; /* a missing value is told from an unknown option */
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (!has_option(usage, i))
			continue;
		longs[n_longs++] = (struct option){table[i].name,
			table[i].arg ? required_argument : no_argument, NULL, table[i].id};
		if (table[i].id < 256) {
			shorts[n++] = (char)table[i].id;
			if (table[i].arg)
				shorts[n++] = ':';
		}
	}
	for (i = 0; i < usage->n_own && i < OWN_MAX; i++) {
		const struct own_option *own = &usage->own[i];

		longs[n_longs++] = (struct option){own->name,
			own->arg ? required_argument : no_argument, NULL, OPT_OWN + (int)i};
		if (own->letter) {
			shorts[n++] = (char)own->letter;
			if (own->arg)
				shorts[n++] = ':';
		}
	}
	shorts[n] = 0;
	longs[n_longs] = (struct option){0};
}

/* What is wrong with a word that getopt stopped at. It would print the word as it is. */
static void explain_refusal(
	const struct option *longs, const char *program, int id, const char *word, bool known)
{
	const char *names[ARRAY_SIZE(table) + OWN_MAX], *near = NULL;
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
		fprintf(stderr, "%s: there is no option '%s', or more than one that begins so\n",
			program, shown);
	fprintf(stderr, "Try '%s --help'.\n", program);
	free(shown);
}

/* at is the word that getopt stopped at; in a word of several letters it is still before it. */
static int refuse(const struct option *longs, const char *program, int id, const char *at)
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
static int take_option(
	struct options *options, const struct usage *usage, const char *program, int id)
{
	size_t i;

	if (id == 'h') {
		print_help(usage);
		return 1;
	}
	if (id == OPT_VERSION) {
		printf("tuesday %s\n", tuesday_version);
		return 1;
	}
	if (id >= OPT_OWN)
		return usage->own[id - OPT_OWN].set(usage->to, program, optarg);
	for (i = 0; i < usage->n_own; i++)
		if (usage->own[i].letter == id)
			return usage->own[i].set(usage->to, program, optarg);
	return apply(options, program, id, optarg);
}

int options_parse_usage(struct options *options, int argc, char **argv, const struct usage *usage)
{
	struct option longs[ARRAY_SIZE(table) + OWN_MAX + 1];
	char shorts[2 * (ARRAY_SIZE(table) + OWN_MAX) + 2];
	const char *program = argv[0];
	int id, err = 0;

	*options = (struct options){.format = "text", .root = "/", .window_seconds = NAN};
	fill_getopt(usage, longs, shorts);
	optind = 1;
	opterr = 0;
	while (!err && (id = getopt_long(argc, argv, shorts, longs, NULL)) != -1)
		err = id == '?' || id == ':' ? refuse(longs, program, id, argv[optind - 1])
					     : take_option(options, usage, program, id);
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
