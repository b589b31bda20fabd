/* SPDX-License-Identifier: GPL-2.0-only */
/* What is the value of this expression, here and now? For who is about to write a check. */
#include "base/banned.h"

#include <math.h>

#include "check/check.h"
#include "base/arena.h"
#include "base/command.h"
#include "base/escape.h"
#include "expr/bind.h"
#include "run/session.h"
#include "run/options.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "sample/sweep.h"
#include "sample/source.h"
#include "base/str.h"
#include "expr/unit_guess.h"
#include "base/suggest.h"
#include "capture/environment.h"
#include "sample/sampler.h"
#include "sample/instances.h"
#include "expr/eval.h"

/* One call. */
struct expression_trial {
	const char *program;
	const char *text;
	struct options options;
	struct capture *fs;
	struct sweep *sweep;
	struct arena arena; /* of expr */
	struct expr *expr;
	struct str unit;
	size_t values; /* that were printed */
};

static int cmd_try(int argc, char **argv);
COMMAND(try_command) = {
	.name = "try",
	.args = "EXPRESSION",
	.what = "print an expression's value, window by window",
	.group = COMMAND_WRITES,
	.run = cmd_try,
	.works = COMMAND_ON_MACHINE,
};

/* The message, and a mark below the place in the expression. */
static void print_wrong(const struct expression_trial *trial, const char *error, size_t column)
{
	struct str line = STR_INIT;
	char *before = mem_strndup(trial->text, column), *what = escape_path(error);

	escape_terminal(&line, trial->text);
	fprintf(stderr, "%s: %s\n  %s\n  %*s^\n", trial->program, what, str_text(&line),
		(int)escape_columns(before), "");
	free(what);
	free(before);
	str_free(&line);
}

static bool try_parse(struct expression_trial *trial)
{
	const struct expr_scope scope = {.arena = &trial->arena,
		.has_source = source_is_known,
		.has_group = source_has_group};
	struct str error = STR_INIT;
	size_t column = 0;

	trial->expr = expr_parse(trial->text, &scope, &error, &column);
	if (!trial->expr)
		print_wrong(trial, str_text(&error), column);
	else
		unit_hint_expr(&trial->unit, trial->expr);
	str_free(&error);
	return trial->expr != NULL;
}

static void print_value(struct expression_trial *trial, size_t window, const char *name,
	const char *label, double value)
{
	struct str line = STR_INIT;

	str_addf(&line, "%zu", window);
	if (name) {
		str_addc(&line, ' ');
		escape_terminal(&line, name);
	}
	str_addf(&line, " %.6g", value);
	if (trial->unit.len)
		str_addf(&line, " %s", trial->unit.text);
	if (label && strcmp(label, name) != 0) {
		str_add(&line, " (");
		escape_terminal(&line, label);
		str_addc(&line, ')');
	}
	puts(str_text(&line));
	str_free(&line);
	trial->values++;
}

struct row {
	const char *name, *label;
	double value;
};

static int try_by_name(const void *a, const void *b)
{
	return strverscmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static size_t print_instances(
	struct expression_trial *trial, size_t window, const struct value *value)
{
	struct row *rows = mem_realloc_array(NULL, value->n + 1, sizeof(*rows));
	size_t n = 0, i;

	for (i = 0; i < value->n; i++)
		if (!isnan(value->v[i]))
			rows[n++] = (struct row){instances_name(value->instances, i),
				instances_label(value->instances, i), value->v[i]};
	qsort(rows, n, sizeof(*rows), try_by_name);
	for (i = 0; i < n; i++)
		print_value(trial, window, rows[i].name, rows[i].label, rows[i].value);
	free(rows);
	return n;
}

static struct expr_context context_of(const struct expression_trial *trial, size_t from, size_t to)
{
	unsigned int cpus = machine_cpus(trial->fs);

	return (struct expr_context){.check = "",
		.sweep = trial->sweep,
		.from = from,
		.to = to,
		.cpus = cpus ? cpus : (double)NAN};
}

/* window counts from 1: it ends with the sample of that number. */
static void print_window(struct expression_trial *trial, size_t window)
{
	struct expr_context context = context_of(trial, window - 1, window);
	struct value value = expr_eval(trial->expr, &context);
	size_t n = 0;

	if (value.instances) {
		n = print_instances(trial, window, &value);
	} else if (!isnan(value.v[0])) {
		print_value(trial, window, NULL, NULL, value.v[0]);
		n = 1;
	}
	if (!n)
		printf("%zu no value\n", window);
	fflush(stdout);
	value_free(&value);
}

/* The fields that a source has here. */
struct fields {
	const char **list;
	size_t n, room;
};

static void try_add_field(void *arg, const char *instance, const char *field, double value)
{
	struct fields *fields = arg;

	(void)instance;
	(void)value;
	ARRAY_GROW(fields->list, fields->n, fields->room);
	fields->list[fields->n++] = mem_strdup(field);
}

static void suggest_field(struct expression_trial *trial, const char *source, const char *key)
{
	struct fields fields = {0};
	const char *near, *field = str_starts(key, "*.") ? key + 2 : key;
	char *missing = NULL;
	size_t i;

	sweep_list(source_find(source), trial->fs, try_add_field, &fields, &missing);
	near = suggest(field, fields.list, fields.n);
	if (near && strcmp(near, field) != 0)
		fprintf(stderr, "; did you mean '%s:%s%s'?", source, field == key ? "" : "*.",
			near);
	else if (fields.n)
		fprintf(stderr, "; see 'tuesday sources %s:'", source);
	for (i = 0; i < fields.n; i++)
		free((char *)fields.list[i]);
	free(fields.list);
	free(missing);
}

/* Why there was nothing, and which name may have been meant. */
static void print_why(struct expression_trial *trial)
{
	size_t samples = sweep_samples(trial->sweep), i;
	struct expr_context context = context_of(trial, 0, samples ? samples - 1 : 0);
	struct str why = STR_INIT;
	const char *source, *key;

	if (!expr_why_missing(trial->expr, &context, &why))
		str_add(&why,
			"all was read, but there is no value: a division by zero, or a counter "
			"that decreased");
	fprintf(stderr, "%s: no value: %s", trial->program, str_text(&why));
	str_free(&why);
	for (i = 0; sweep_reference_name(trial->sweep, (int)i, &source, &key); i++) {
		if (*key == '/')
			continue;
		if (sweep_never_seen(trial->sweep, (int)i)) {
			suggest_field(trial, source, key);
			break;
		}
	}
	fputc('\n', stderr);
}

static int run_trial(struct expression_trial *trial)
{
	struct sampler sampler = {
		.window_seconds = trial->options.window_seconds, .windows = trial->options.windows};
	size_t printed = 0;
	bool more = true;

	progress_catch_signals();
	if (machine_open(&trial->options, &trial->fs))
		return 3;
	machine_describe(trial->fs, time(NULL));
	trial->sweep = sweep_new();
	expr_bind(trial->expr, trial->sweep);
	sampler.sweep = trial->sweep;
	sampler.fs = trial->fs;
	if (sampler_begin(&sampler))
		more = false;
	while (more) {
		more = sampler_tick(&sampler);
		if (sweep_samples(trial->sweep) > printed + 1) {
			progress_end();
			print_window(trial, ++printed);
		} else if (more) {
			sampler_wait(&sampler);
		}
	}
	progress_end();
	if (!trial->values)
		print_why(trial);
	return trial->values ? 0 : 3;
}

static int cmd_try(int argc, char **argv)
{
	const struct usage usage = {
		.line = "tuesday try EXPRESSION",
		.what = "Prints an expression of a check file, one line a window and instance:\n"
			"window, instance, value, unit as far as the names tell it.\n"
			"  tuesday try 'rate(vmstat:pgmajfault)'\n"
			"  tuesday try --windows 3 'rate(diskstats:*.read_ms) * 1ms'",
		.groups = OPTIONS_SAMPLING | OPTIONS_MACHINE,
		.status = "0 there was a value, 3 no value",
	};
	struct expression_trial trial = {.program = argv[0]};
	int err = options_parse_usage(&trial.options, argc, argv, &usage);
	int status = err > 0 ? 0 : EXIT_MISUSE;

	if (!err && trial.options.n_names != 1) {
		fprintf(stderr,
			"%s: one expression is wanted, in quotes for the shell; see --help\n",
			argv[0]);
	} else if (!err) {
		trial.text = trial.options.names[0];
		if (try_parse(&trial))
			status = run_trial(&trial);
	}
	arena_free(&trial.arena);
	str_free(&trial.unit);
	sweep_free(trial.sweep);
	capture_close(trial.fs);
	options_free(&trial.options);
	return status;
}
