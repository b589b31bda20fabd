/* SPDX-License-Identifier: GPL-2.0-only */
/* Many machines have been asked: which of them is it, which part, and what do these share? */
#include "base/banned.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/escape.h"
#include "run/options.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/terminal.h"
#include "output/writer.h"
#include "tools/merge/fleet.h"
#include "tools/merge/input.h"
#include "tools/merge/labelfiles.h"
#include "sys/atomic_file.h"
#include "sys/write_only.h"
#include "tools/merge/text.h"
#include "tools/merge/json.h"
#include "tools/merge/html.h"
#include "tools/merge/finish.h"

#define STALE_SECONDS 86400.0
#define LABELS_MAX 256

struct merging {
	const char *program;
	bool json, verbose;
	const char *html, *to, *hosts, *expected;
	const char *labels[LABELS_MAX], *label_files[LABELS_MAX];
	size_t n_labels, n_label_files;
	double stale_seconds;
	enum names_from { NAMES_REPORT, NAMES_FILE, NAMES_FOLDER } names;
	enum color_when color;
	struct fleet *fleet;
};

static int cmd_merge(int argc, char **argv);
COMMAND(merge_command) = {
	.name = "merge",
	.args = "REPORT...",
	.what = "merge the JSON reports of many machines into one",
	.group = COMMAND_KEEPS,
	.run = cmd_merge,
};

static int merge_set_label(void *to, const char *program, const char *value)
{
	struct merging *merging = to;
	const char *equals = strchr(value, '='), *colon = strrchr(value, ':');

	if (!equals || equals == value || !colon || colon <= equals + 1 || !colon[1])
		return option_refused(program, "label", value,
			"NAME=VALUE:HOST,... as in rack=A12:web1,web2,db*");
	if (merging->n_labels == LABELS_MAX)
		return option_refused(
			program, "label", value, "given so often: write a file for --labels");
	merging->labels[merging->n_labels++] = value;
	return 0;
}

static int set_labels(void *to, const char *program, const char *value)
{
	struct merging *merging = to;

	if (merging->n_label_files == LABELS_MAX)
		return option_refused(program, "labels", value, "one of at most 256 files");
	merging->label_files[merging->n_label_files++] = value;
	return 0;
}

static const char *const merge_names[] = {"report", "file", "folder", NULL};

static const struct option_row own[] = {
	{'o', "output", "FORMAT", "text or json", OPTION_CHOICE(struct merging, json, option_json)},
	{0, "to", "FILE", "write to FILE, which is replaced atomically",
		OPTION_TEXT(struct merging, to)},
	{0, "html", "FILE", "also write an HTML page; - is standard output, instead",
		OPTION_TEXT(struct merging, html)},
	{0, "hosts", "FILE", "hosts that should report, to name the missing ones",
		OPTION_TEXT(struct merging, hosts)},
	{0, "host-from", "WHAT", "where a report's host name is from: report, file, folder",
		OPTION_CHOICE(struct merging, names, merge_names)},
	{0, "label", "NAME=VALUE:HOST,..", "give hosts a label: rack=A12:web1,web2,db*",
		OPTION_CALL(merge_set_label)},
	{0, "labels", "FILE", "labels of hosts: CSV (host,rack,row) or INI ([host])",
		OPTION_CALL(set_labels)},
	{0, "expected-unknown", "LIST", "checks expected to be unknown: fs,zfs; like tuesday.ini",
		OPTION_TEXT_OF(struct merging, expected, 4000, "names of checks")},
	{0, "stale", "TIME", "leave out reports this much older than the newest (1d)",
		OPTION_SECONDS(struct merging, stale_seconds, 1, 1e9, "a time from 1s on: 1h, 2d")},
	{'v', "verbose", NULL, "every pattern and every name",
		OPTION_FLAG(struct merging, verbose)},
	{0, "color", "WHEN", "auto, always or never; NO_COLOR is honoured",
		OPTION_CHOICE(struct merging, color, option_colors)},
};

static bool merge_stop(void *arg)
{
	(void)arg;
	return progress_interrupted();
}

/* Whom a file's name is the name of: HOST.json, or FOLDER/HOST/... below what was named. The caller
 * frees; NULL for none. */
static char *merge_name_of(const char *file, const char *folder, enum names_from names)
{
	static const char *const ends[] = {".gz", ".json", ".ndjson", ".jsonl"};
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *below;
	size_t len = strlen(name), i;

	if (names == NAMES_FOLDER) {
		below = folder ? file + strlen(folder) : "";
		below += strspn(below, "/");
		len = strcspn(below, "/");
		return len && below[len] ? mem_strndup(below, len) : NULL;
	}
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (len > strlen(ends[i]) &&
			!strncmp(name + len - strlen(ends[i]), ends[i], strlen(ends[i])))
			len -= strlen(ends[i]);
	return len ? mem_strndup(name, len) : NULL;
}

/* Whether both are one name: the same, or one is the other without its domain. */
static bool merge_is_same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return !strcmp(a, b) || (n == m && !strncmp(a, b, n) && (!a[n] || !b[m]));
}

static const char *take_report(
	void *arg, const char *file, const char *folder, const struct report *report)
{
	struct merging *merging = arg;
	struct origin origin = {.file = file};
	const char *why = NULL;
	char *name = NULL;

	if (merging->names != NAMES_REPORT) {
		name = merge_name_of(file, folder, merging->names);
		if (!name || !merge_is_same_host(name, report->host))
			why = merging->names == NAMES_FILE
				? "the file is not named after the host in the report"
				: "it is in no folder named after the host in the report";
		origin.host = name;
	}
	if (!why)
		why = fleet_add(merging->fleet, &origin, report);
	free(name);
	return why;
}

static void take_refusal(void *arg, const char *file, size_t number, const char *why)
{
	struct merging *merging = arg;
	char *shown = escape_path(file);

	progress_end();
	if (number > 1)
		fprintf(stderr, "%s: %s: report %zu: %s\n", merging->program, shown, number, why);
	else
		fprintf(stderr, "%s: %s: %s\n", merging->program, shown, why);
	free(shown);
	fleet_refuse(merging->fleet, file, number, why);
}

static void take_more_refusals(void *arg, const char *file, size_t n)
{
	struct merging *merging = arg;
	char *shown = escape_path(file);

	fprintf(stderr, "%s: %s: and %zu more\n", merging->program, shown, n);
	free(shown);
	fleet_refuse_more(merging->fleet, n);
}

static void merge_read_all(struct merging *merging, const struct options *options)
{
	const struct input input = {
		take_report, take_refusal, take_more_refusals, merge_stop, merging};
	struct inputs *inputs = inputs_new(&input);
	time_t begun = time(NULL);
	size_t i;

	for (i = 0; i < options->n_names && !progress_interrupted(); i++) {
		if (time(NULL) > begun + 1)
			progress_show("reading reports:", (double)i / (double)options->n_names);
		inputs_read(inputs, options->names[i]);
	}
	progress_end();
	merging->fleet->interrupted = progress_interrupted();
	inputs_free(inputs);
}

/* Returns 0 or -1 after a message. */
static int merge_complain(const struct merging *merging, const char *path, const char *why)
{
	char *shown = escape_path(path);

	fprintf(stderr, "%s: %s: %s\n", merging->program, shown, why);
	free(shown);
	return -1;
}

static int merge_take_labels(struct merging *merging)
{
	struct str why = STR_INIT;
	int err = 0;
	size_t i;

	for (i = 0; i < merging->n_label_files && !err; i++) {
		err = labels_from_file(merging->fleet, merging->label_files[i], &why);
		if (err && why.len)
			fputs(why.text, stderr);
		else if (err)
			merge_complain(merging, merging->label_files[i], strerror(-err));
	}
	str_free(&why);
	for (i = 0; i < merging->n_labels && !err; i++)
		if (!labels_from_text(merging->fleet, merging->labels[i]))
			merge_complain(
				merging, merging->labels[i], "none of these hosts has reported");
	if (!err && merging->hosts) {
		err = expected_from_file(merging->fleet, merging->hosts);
		if (err)
			merge_complain(merging, merging->hosts, strerror(-err));
	}
	return err;
}

static int merge_write_to(const struct merging *merging, const char *path, const struct str *text)
{
	struct str why = STR_INIT;
	int err = write_file_atomically(path, FILE_BY_UMASK, str_text(text), text->len, &why);

	if (err)
		err = merge_complain(merging, path, str_text(&why));
	str_free(&why);
	return err;
}

static int print(const struct merging *merging)
{
	bool color = !merging->to || merging->color == COLOR_ALWAYS;
	struct print_options how = {
		.color = color && terminal_color(merging->color, STDOUT_FILENO),
		.verbose = merging->verbose,
		.columns = terminal_columns(),
	};
	struct str out = STR_INIT;
	int err = 0;

	if (merging->html) {
		fleet_as_html(&out, merging->fleet);
		if (!strcmp(merging->html, "-")) {
			fwrite(str_text(&out), 1, out.len, stdout);
			str_free(&out);
			return 0;
		}
		err = merge_write_to(merging, merging->html, &out);
		str_clear(&out);
	}
	if (merging->json)
		fleet_as_json(&out, merging->fleet);
	else
		fleet_as_text(&out, merging->fleet, &how);
	if (merging->to)
		err |= merge_write_to(merging, merging->to, &out);
	else
		fwrite(str_text(&out), 1, out.len, stdout);
	str_free(&out);
	return err;
}

static int merge_run(struct merging *merging, const struct options *options)
{
	const char *const written[] = {
		merging->to, merging->html && strcmp(merging->html, "-") ? merging->html : NULL};
	int status;

	if (!options->n_names) {
		fprintf(stderr,
			"%s: name reports: files, folders, or - for standard input; see --help\n",
			merging->program);
		return EXIT_MISUSE;
	}
	write_only(written, ARRAY_SIZE(written));
	progress_catch_signals();
	merging->fleet = fleet_new();
	merging->fleet->gaps = merging->expected;
	merge_read_all(merging, options);
	status = merge_take_labels(merging) ? 3 : 0;
	if (!status && !merging->fleet->n_hosts) {
		fprintf(stderr, "%s: no report could be read\n", merging->program);
		status = 3;
	}
	if (!status) {
		fleet_settle(merging->fleet, time(NULL), merging->stale_seconds);
		status = print(merging) ? 3 : verdict_exit_status(merging->fleet->verdict);
	}
	fleet_free(merging->fleet);
	return status;
}

static int cmd_merge(int argc, char **argv)
{
	struct merging merging = {.program = argv[0], .stale_seconds = STALE_SECONDS};
	const struct usage usage = {
		.line = "tuesday merge REPORT...",
		.what = "Folds any number of JSON reports (tuesday -o json) into one: what is "
			"wrong on how "
			"many\nhosts, and what these share that the good ones lack. REPORT is a "
			"file, a "
			"folder of\n*.json, *.ndjson or *.jsonl, or - for standard input; also "
			"with .gz.\n"
			"  clush -a 'tuesday -o json' | sed 's/^[^:]*: //' | tuesday merge -\n"
			"  tuesday merge reports/ --hosts all.txt --html fleet.html",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = &merging,
		.status = "the worst of all hosts: 0 good, 1 maybe, 2 bad, 3 unknown or not all "
			  "seen",
	};
	struct options options;
	int err = options_parse_usage(&options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err)
		status = merge_run(&merging, &options);
	options_free(&options);
	return status;
}
