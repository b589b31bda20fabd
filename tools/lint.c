/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with these check files, as far as it can be told without running them? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/command.h"
#include "base/diag.h"
#include "base/str.h"
#include "base/suggest.h"
#include "capture/capture.h"
#include "check/check.h"
#include "check/defaults.h"
#include "check/layers.h"
#include "check/layer_files.h"
#include "check/lint.h"
#include "check/names.h"
#include "check/read_file.h"
#include "check/site.h"
#include "history/retention.h"
#include "report/incident.h"
#include "run/options.h"
#include "run/run.h"
#include "run/select.h"
#include "sys/caps.h"
#include "sys/file_trust.h"
#include "trace/spec.h"
#include "trace/tracefs.h"

static int cmd_lint(int argc, char **argv);
static void lint_open(void);
COMMAND(lint_command) = {
	.name = "lint",
	.args = "[FILE...]",
	.what = "find mistakes in check files, without running them",
	.group = COMMAND_WRITES,
	.run = cmd_lint,
	.open = lint_open,
};

static int lint_tracefs = -EBADF;

/* The one thing that takes a right: where no tracefs is mounted, one is that nobody else sees. */
static void lint_open(void)
{
	caps_raise(CAPS_NAMESPACE | CAPS_READ);
	lint_tracefs = tracefs_open();
	caps_lower(CAPS_NAMESPACE | CAPS_READ);
}

/* What all files of one call are held against. */
struct linting {
	struct capture *fs;
	int tracefs;	  /* a descriptor or -errno */
	size_t n_skipped; /* declared traces that were not looked up */
	const char **areas;
	size_t n_areas, room_areas;
	struct checks *checks; /* those that are linked in, which own the areas */
	struct str errors, notes;
};

static bool linting_knows(const struct linting *linting, const char *area)
{
	size_t i;

	for (i = 0; i < linting->n_areas; i++)
		if (!strcmp(linting->areas[i], area))
			return true;
	return false;
}

static void linting_add_area(struct linting *linting, const char *area)
{
	if (!area || linting_knows(linting, area))
		return;
	ARRAY_GROW(linting->areas, linting->n_areas, linting->room_areas);
	linting->areas[linting->n_areas++] = area;
}

/* The areas of the checks that are linked in: one that a file says of itself proves nothing. */
static void linting_begin(struct linting *linting)
{
	static const struct check_layers embedded = {0};
	uint64_t now;
	size_t i;

	linting->checks = checks_load(&embedded);
	for (i = 0; i < linting->checks->n; i++)
		linting_add_area(linting, linting->checks->list[i]->area);
	linting_add_area(linting, INCIDENT_AREA_SECURITY);
	linting->tracefs = lint_tracefs;
	if (capture_open(&linting->fs, "/", NULL)) {
		linting->fs = NULL;
	} else if (capture_next_sample(linting->fs, &now)) {
		capture_close(linting->fs);
		linting->fs = NULL;
	}
}

static size_t count_declared(const struct check *check)
{
	size_t i, n = 0;

	for (i = 0; i < check->n_traces; i++)
		n += check->traces[i]->begin || check->traces[i]->event;
	return n;
}

/* Returns whether nothing is wrong with the check. */
static bool linting_check(struct linting *linting, const struct check *check)
{
	size_t wrong = check_lint(check, &linting->errors);

	wrong += check_lint_meaning(check, linting->areas, linting->n_areas, &linting->errors);
	if (linting->tracefs < 0)
		linting->n_skipped += count_declared(check);
	else if (linting->fs)
		wrong += check_lint_traces(
			check, linting->fs, linting->tracefs, &linting->errors, &linting->notes);
	return !wrong;
}

static void linting_end(struct linting *linting)
{
	fputs(str_text(&linting->errors), stderr);
	fputs(str_text(&linting->notes), stderr);
	if (linting->n_skipped)
		fprintf(stderr,
			"%zu declared trace%s not checked: tracefs cannot be read (%s), run as "
			"root\n",
			linting->n_skipped, linting->n_skipped == 1 ? " was" : "s were",
			strerror(-linting->tracefs));
	str_free(&linting->errors);
	str_free(&linting->notes);
	checks_free(linting->checks);
	free(linting->areas);
	if (linting->fs)
		capture_close(linting->fs);
	if (linting->tracefs >= 0)
		close(linting->tracefs);
}

static bool lint_is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, name);
}

/* A file that is no check, but what all of them have. */
static bool lint_defaults(struct linting *linting, const char *path)
{
	struct check_defaults *defaults = check_defaults_new();
	struct complaints complaints = {.out = &linting->errors};
	struct settings settings = {0};
	bool right = settings_read(&settings, path, &complaints) &&
		check_defaults_lay(defaults, &settings, &complaints);

	settings_free(&settings);
	check_defaults_free(defaults);
	return right;
}

/* No fault of what the file says: it may lie elsewhere once it is done. */
static void lint_note_trust(struct linting *linting, const char *path)
{
	struct complaints complaints = {.out = &linting->notes};
	struct str why = STR_INIT;

	if (!obeyed_file(path, &why))
		complain(&complaints, path, 0, "root's runs would ignore it: %s", str_text(&why));
	str_free(&why);
}

/* Names of checks that are none: what they were to say is said of nothing. */
static void lint_site_names(struct linting *linting, const struct options *options,
	const struct site *site, const struct site_words *words)
{
	struct complaints complaints = {.out = &linting->errors};
	struct check_names names;
	size_t i;

	run_load_names(options, &names);
	for (i = 0; i < words->n; i++) {
		const char *name = words->list[i], *near;

		if (words == &site->services && !strcmp(name, "all"))
			continue;
		if (*name == '@' ? linting_knows(linting, name + 1)
				 : check_names_have(&names, name))
			continue;
		near = suggest(name, (const char *const *)names.list, names.n);
		complain(&complaints, site->file, words->line, "there is no %s '%s'%s%s%s",
			*name == '@' ? "area" : "check", name + (*name == '@'),
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	check_names_free(&names);
}

/* The main file of a machine. */
static bool lint_site(struct linting *linting, const struct options *options, const char *path)
{
	struct complaints complaints = {.out = &linting->errors};
	size_t before = linting->errors.len;
	struct retention retention = retention_default();
	struct str text = STR_INIT;
	struct site site = {0};
	bool right;

	if (site_read(path, &text))
		complain(&complaints, path, 0, "%s", strerror(errno));
	else
		site_parse(&site, path, str_text(&text), text.len, &linting->errors);
	lint_site_names(linting, options, &site, &site.checks);
	lint_site_names(linting, options, &site, &site.expected);
	lint_site_names(linting, options, &site, &site.services);
	retention_parse_part(&retention, path, str_text(&text), text.len, &linting->errors);
	right = linting->errors.len == before;
	right &= run_options_of_site_are_right(&site);
	lint_note_trust(linting, path);
	site_free(&site);
	str_free(&text);
	return right;
}

/* What hinders it from being a check was said; this is what a second round would have said. */
static void lint_unfinished(struct linting *linting, const char *path)
{
	struct str said = STR_INIT;
	struct complaints complaints = {.out = &said};
	struct settings settings = {0};
	char *name = check_name_from(path, &complaints);

	/* What an override leaves out it has from the check. */
	if (name && !embedded_check_find(name) && settings_read(&settings, path, &complaints))
		check_lint_settings(&settings, &linting->errors);
	settings_free(&settings);
	str_free(&said);
	free(name);
}

static bool lint_check_file(struct linting *linting, const char *path)
{
	struct check *check = check_read_file(path, &linting->errors);
	bool right = check && linting_check(linting, check);

	if (!check)
		lint_unfinished(linting, path);
	lint_note_trust(linting, path);
	check_free(check);
	return right;
}

static int lint_files(const struct options *options, struct linting *linting)
{
	int status = 0;
	size_t i;

	for (i = 0; i < options->n_names; i++) {
		const char *path = options->names[i];

		if (lint_is_called(path, SITE_NAME) ? lint_site(linting, options, path)
				: lint_is_called(path, DEFAULTS_NAME ".ini")
				? lint_defaults(linting, path)
				: lint_check_file(linting, path))
			printf("%s: ok\n", path);
		else
			status = 2;
	}
	return status;
}

static int lint_layers(const struct options *options, struct linting *linting)
{
	struct checks *checks = run_load(options, NULL, 0);
	int status = checks->n_errors ? 2 : 0;
	size_t i;

	fputs(str_text(checks->errors), stderr);
	for (i = 0; i < checks->n; i++)
		if (checks->list[i]->enabled && !linting_check(linting, checks->list[i]))
			status = 2;
	if (!status)
		printf("%zu checks: ok\n", checks->n);
	checks_free(checks);
	return status;
}

static int cmd_lint(int argc, char **argv)
{
	struct options options;
	struct linting linting = {.errors = STR_INIT, .notes = STR_INIT};
	char *line = mem_printf("tuesday lint %s", lint_command.args);
	const struct usage usage = {.line = line,
		.what = lint_command.what,
		.groups = OPTIONS_CHECKS,
		.status = "0 no mistake, 2 mistakes"};
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	free(line);
	if (!err) {
		linting_begin(&linting);
		status = options.n_names ? lint_files(&options, &linting)
					 : lint_layers(&options, &linting);
		linting_end(&linting);
	}
	options_free(&options);
	return status;
}
