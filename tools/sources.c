/* SPDX-License-Identifier: GPL-2.0-only */
/* Which names can a check file refer to on this machine, and what do they say at present? */
#include "base/banned.h"

#include <math.h>

#include "check/check.h"
#include "check/experiment.h"
#include "expr/bind.h"
#include "base/command.h"
#include "base/escape.h"
#include "run/session.h"
#include "run/options.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "run/select.h"
#include "sample/sweep.h"
#include "sample/source.h"
#include "base/str.h"
#include "expr/unit_guess.h"
#include "sample/instances.h"
#include "tools/sources/internal.h"

/* A name as a check file would write it. */
struct line {
	char *name;
	double value; /* NAN for a name with a star */
	size_t instances;
	const char *hint;
};

struct listing {
	const char *pattern; /* NULL: everything */
	struct capture *fs;
	const struct source *source;
	struct line *lines;
	size_t n, room;
	size_t printed;
	bool all; /* each instance */
};

static int cmd_sources(int argc, char **argv);
COMMAND(sources_command) = {
	.name = "sources",
	.args = "[PATTERN]",
	.what = "list the names of numbers for check files",
	.group = COMMAND_WRITES,
	.paged = true,
	.run = cmd_sources,
	.works = COMMAND_ON_MACHINE,
};

/* An instance is in the line of all, unless it is what was asked for. */
static bool listing_wants_instance(const struct listing *listing, const char *star)
{
	return listing->all || (listing->pattern && !sources_match(star, listing->pattern));
}

static void listing_add_line(
	struct listing *listing, char *name, double value, size_t instances, const char *hint)
{
	if (!sources_match(name, listing->pattern)) {
		free(name);
		return;
	}
	ARRAY_GROW(listing->lines, listing->n, listing->room);
	listing->lines[listing->n++] = (struct line){name, value, instances, hint};
}

/* What an expression takes for a name without quotes: see docs/writing-checks.md. */
static bool needs_quotes(const char *instance)
{
	return instance[strspn(instance,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		       "0123456789_.@-")] != 0;
}

static void listing_add_value(void *arg, const char *instance, const char *field, double value)
{
	struct listing *listing = arg;
	const char *source = listing->source->name;
	const char *quote = needs_quotes(instance) ? "\"" : "";
	char *star;

	/* Neither a quote nor what ends a name can be written in an expression. */
	if (strchr(instance, '"') || needs_quotes(field))
		return;
	if (!*instance) {
		listing_add_line(listing, mem_printf("%s:%s", source, field), value, 0,
			unit_hint(source, field));
		return;
	}
	star = mem_printf("%s:*.%s", source, field);
	listing_add_line(
		listing, mem_strdup(star), NAN, 1, unit_hint(source, star + strlen(source) + 1));
	if (listing_wants_instance(listing, star))
		listing_add_line(listing,
			mem_printf("%s:%s%s%s.%s", source, quote, instance, quote, field), value, 0,
			unit_hint(source, star + strlen(source) + 1));
	free(star);
}

static int listing_by_name(const void *a, const void *b)
{
	return strverscmp(((const struct line *)a)->name, ((const struct line *)b)->name);
}

/* Names with a star are there once for each of their instances: they become one line. */
static void merge_lines(struct listing *listing)
{
	size_t i, n = 0;

	if (listing->n)
		qsort(listing->lines, listing->n, sizeof(*listing->lines), listing_by_name);
	for (i = 0; i < listing->n; i++) {
		struct line *line = &listing->lines[i];

		if (n && !strcmp(listing->lines[n - 1].name, line->name)) {
			listing->lines[n - 1].instances += line->instances;
			free(line->name);
			continue;
		}
		listing->lines[n++] = *line;
	}
	listing->n = n;
}

static void print_line(const struct line *line)
{
	struct str out = STR_INIT;

	escape_terminal(&out, line->name);
	if (isnan(line->value))
		str_addf(&out, "  [%zu instance%s]", line->instances,
			line->instances == 1 ? "" : "s");
	else
		str_addf(&out, "  %.15g", line->value);
	if (*line->hint)
		str_addf(&out, " %s", line->hint);
	puts(str_text(&out));
	str_free(&out);
}

/* The first level: how many names a source has, and what they are about. */
static void print_summary(struct listing *listing, const char *title, const char *what)
{
	size_t i;

	printf("%-22s %4zu  %s\n", title, listing->n, what);
	for (i = 0; i < listing->n; i++)
		free(listing->lines[i].name);
}

/* Of a source that is about the word, without a name that has it. */
static bool listing_is_about(const struct listing *listing, const char *what)
{
	return listing->pattern && !listing->n && !sources_is_pattern(listing->pattern) &&
		strcasestr(what, listing->pattern);
}

/* The lines of one source below its title. */
static void print_lines(struct listing *listing, const char *title, const char *what)
{
	size_t i;

	merge_lines(listing);
	if (!listing->pattern && !listing->all) {
		print_summary(listing, title, what);
		listing->printed++;
		listing->n = 0;
		return;
	}
	if (listing->n || !listing->pattern)
		printf("%s# %s: %s\n", listing->printed ? "\n" : "", title, what);
	if (listing_is_about(listing, what)) {
		printf("%s# %s: %s (tuesday sources %s:)\n", listing->printed ? "\n" : "", title,
			what, title);
		listing->printed++;
	}
	for (i = 0; i < listing->n; i++) {
		print_line(&listing->lines[i]);
		free(listing->lines[i].name);
	}
	listing->printed += listing->n;
	listing->n = 0;
}

static void list_source(struct listing *listing, const struct source *source)
{
	struct str note = STR_INIT;
	char *missing = NULL;
	int err;

	listing->source = source;
	err = sweep_list(source, listing->fs, listing_add_value, listing, &missing);
	print_lines(listing, source->name, source->what);
	if (listing->all && !listing->pattern && (missing || err)) {
		escape_terminal(&note, missing ? missing : strerror(-err));
		printf("# %s: %s\n", source->name, str_text(&note));
	}
	str_free(&note);
	free(missing);
}

/* Of paths, every file is one: those are listed that checks refer to. */

/* The path without its stars, what they matched put in: "a/b" is two of them. The caller frees. */
static char *path_of(const char *pattern, const char *stars)
{
	struct str path = STR_INIT;

	for (; *pattern; pattern++) {
		size_t len = strcspn(stars, "/");

		if (*pattern != '*') {
			str_addc(&path, *pattern);
			continue;
		}
		str_addn(&path, stars, len);
		stars += len + (stars[len] == '/');
	}
	return str_take(&path);
}

static void listing_add_path(
	struct listing *listing, const struct sweep *sweep, int r, const char *key)
{
	const struct instances *instances = sweep_instances(sweep, r);
	const char *hint = unit_hint("path", key);
	size_t i, n = 0;

	if (!instances) {
		double value = sweep_value(sweep, r, 0, 0);

		if (!isnan(value))
			listing_add_line(listing, mem_strdup(key), value, 0, hint);
		return;
	}
	for (i = 0; i < instances_count(instances); i++) {
		double value = sweep_value(sweep, r, 0, i);

		if (isnan(value))
			continue;
		if (listing_wants_instance(listing, key))
			listing_add_line(listing, path_of(key, instances_name(instances, i)), value,
				0, hint);
		n++;
	}
	listing_add_line(listing, mem_strdup(key), NAN, n, hint);
}

static void bind_path(void *paths, struct expr_leaf *leaf)
{
	if (*leaf->source == '/')
		expr_leaf_bind(paths, leaf);
}

/* A sweep over all paths that any check refers to, those that are switched off left out. */
static struct sweep *sweep_paths(const struct options *options)
{
	struct checks *checks = run_load(options, NULL, 0);
	struct sweep *paths = sweep_new();
	size_t i, k;

	for (i = 0; i < checks->n; i++) {
		const struct check *check = checks->list[i];

		check_each_leaf(check, bind_path, paths);
		for (k = 0; k < check->n_experiments; k++)
			experiment_each_leaf(check->experiments[k], bind_path, paths);
	}
	checks_free(checks);
	return paths;
}

static void list_paths(struct listing *listing, struct sweep *paths)
{
	const char *source, *key;
	int r;

	for (r = 0; sweep_reference_name(paths, r, &source, &key); r++)
		listing_add_path(listing, paths, r, key);
	print_lines(listing, "path",
		"any file with a number: /path, /path/with/*/stars, [2] for the third word, "
		"[name] for the number behind a name, [=word] for a chosen word; "
		"those that the checks read:");
}

struct found {
	const struct source **list;
	size_t n, room;
};

static void add_source(void *arg, const struct source *source)
{
	struct found *found = arg;

	if (!strcmp(source->name, "path"))
		return;
	ARRAY_GROW(found->list, found->n, found->room);
	found->list[found->n++] = source;
}

static int by_source(const void *a, const void *b)
{
	return strcmp(
		(*(const struct source *const *)a)->name, (*(const struct source *const *)b)->name);
}

static int list_all(const struct options *options, struct listing *listing)
{
	struct sweep *paths = sweep_paths(options);
	struct found found = {0};
	size_t i;
	int err;

	source_each(add_source, &found);
	qsort(found.list, found.n, sizeof(*found.list), by_source);
	sweep_open(paths, listing->fs);
	err = sweep_take(paths);
	for (i = 0; !err && i < found.n && !progress_interrupted(); i++)
		list_source(listing, found.list[i]);
	if (!err && !progress_interrupted())
		list_paths(listing, paths);
	sweep_free(paths);
	free(found.list);
	free(listing->lines);
	return err;
}

struct sources_asked {
	bool all, tracepoints;
};

/* By name first, and then by what the checks say of the word. Returns an exit status. */
static int sources_list(
	const char *program, const struct options *options, const struct sources_asked *asked)
{
	struct listing listing = {
		.pattern = options->n_names ? options->names[0] : NULL, .all = asked->all};
	int status = 3;

	progress_catch_signals();
	if (!machine_open(options, &listing.fs) && !list_all(options, &listing)) {
		if (listing.pattern && !sources_is_pattern(listing.pattern))
			listing.printed += sources_print_meaning(options, listing.pattern);
		status = listing.printed ? 0 : 3;
		if (!listing.printed)
			fprintf(stderr,
				"%s: there is no such name on this machine, and no check mentions "
				"it\n",
				program);
		else if (!listing.pattern && !asked->all)
			puts("# tuesday sources WORD lists names with that word, and names read by "
			     "checks that mention it.");
	}
	capture_close(listing.fs);
	return status;
}

static int cmd_sources(int argc, char **argv)
{
	static const struct option_row own[] = {
		{0, "all", NULL, "every name, with each instance separately",
			OPTION_FLAG(struct sources_asked, all)},
		{0, "tracepoints", NULL, "this kernel's tracepoints instead, a few with fields",
			OPTION_FLAG(struct sources_asked, tracepoints)},
	};
	struct sources_asked asked = {0};
	const struct usage usage = {
		.line = "tuesday sources [PATTERN]",
		.what = "Lists the sources of numbers; with PATTERN the names that a check file "
			"can refer to, with\n"
			"their present value and unit. PATTERN is a shell pattern, a part of a "
			"name, or a word that\n"
			"checks mention.\n"
			"  tuesday sources listen\n"
			"  tuesday sources oom\n"
			"  tuesday sources 'diskstats:*.read_*'\n"
			"  tuesday sources --tracepoints page_fault",
		.groups = OPTIONS_CHECKS | OPTIONS_MACHINE,
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &asked,
		.status = "0 there are such names, 3 none",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE, found;

	if (!err && options.n_names > 1) {
		fprintf(stderr, "%s: give one pattern; quote it for the shell\n", argv[0]);
	} else if (!err && asked.tracepoints) {
		found = sources_print_tracepoints(
			argv[0], options.n_names ? options.names[0] : NULL);
		status = found > 0 ? 0 : 3;
		if (!found)
			fprintf(stderr, "%s: this kernel has no such tracepoint\n", argv[0]);
	} else if (!err) {
		status = sources_list(argv[0], &options, &asked);
	}
	options_free(&options);
	return status;
}
