/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a whole run do, from the first sample to the exit status? */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "caps.h"
#include "change.h"
#include "check.h"
#include "escape.h"
#include "experiments.h"
#include "explain.h"
#include "foreign.h"
#include "judge.h"
#include "machine.h"
#include "num.h"
#include "procfs.h"
#include "progress.h"
#include "result.h"
#include "run.h"
#include "sample.h"
#include "str.h"
#include "writer.h"

#define QUICK_TRACE_SECONDS 2
/* What goes on for longer is recorded up to here: choose a longer window. */
#define WINDOWS_MAX 1000
#define ENDED_POLL_MS 50
#define UNDER_WAY_MAX 160

/* A run under way. */
struct run {
	const struct options *options;
	struct sweep *sweep;
	struct procfs *fs;
	struct check **checks; /* those that are run */
	size_t n;
	char **skipped; /* why, by check, as it was at the start; NULL where that is asked again */
	struct traces *traces;
	const struct trace_spec **specs;
	size_t n_specs, room_specs;
	struct trace_spec *copies; /* the specs with the seconds of this run */
	struct report report;
	struct sampler sampler;
	char *no_trace;			   /* why nothing could be traced, or NULL */
	const struct meanwhile *meanwhile; /* or NULL */
	uint64_t others_ns;		   /* CPU time of what was watched */
	bool marked;			   /* an experiment left the machine changed */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static struct cost cost_so_far(void)
{
	struct cost cost = {0};
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	cost.cpu_ns = timeval_ns(self.ru_utime) + timeval_ns(self.ru_stime) +
		timeval_ns(children.ru_utime) + timeval_ns(children.ru_stime);
	cost.rss_bytes = (uint64_t)(self.ru_maxrss > children.ru_maxrss ? self.ru_maxrss
									: children.ru_maxrss) *
		1024;
	return cost;
}

static struct check_layers layers_of(
	const struct options *options, const char *const *names, size_t n_names)
{
	return (struct check_layers){
		.root = "",
		.extra = options->dirs,
		.n_extra = options->n_dirs,
		.with_system = true,
		.only = names,
		.n_only = n_names,
		.asked = (const char *const *)options->names,
		.n_asked = options->n_names,
	};
}

struct checks *run_load(const struct options *options, struct sweep *sweep,
	const char *const *names, size_t n_names)
{
	struct check_layers layers = layers_of(options, names, n_names);
	struct checks *checks;

	/* Reading only: with sudo, a check file of the user's own may be closed to plain root. */
	caps_raise(CAPS_READ);
	checks = checks_load(sweep, &layers);
	caps_lower(CAPS_READ);
	return checks;
}

static void judge_one(struct run *run, size_t i, const struct traces *traces)
{
	struct judge_context context = {
		.fs = run->fs,
		.sweep = run->sweep,
		.traces = traces,
		.cpus = run->report.cpus ? (double)run->report.cpus : (double)NAN,
		.only = run->options->only,
		.skip_known = run->skipped,
		.skipped = run->skipped ? run->skipped[i] : NULL,
	};

	check_result_free(&run->report.checks[i]);
	judge_check(run->checks[i], &context, &run->report.checks[i]);
}

/*
 * A trace speaks where the counters, as they are by now, ask for it and nowhere else: a replay sees
 * no more than that.
 */
static void judge_all(struct run *run)
{
	size_t i;

	for (i = 0; i < run->n; i++) {
		judge_one(run, i, NULL);
		if (run->traces && judge_wants_trace(&run->report.checks[i], run->options->deep))
			judge_one(run, i, run->traces);
	}
	run->report.n_checks = run->n;
}

static void collect_specs(struct run *run)
{
	size_t i, k;

	for (i = 0; i < run->n; i++) {
		if (!judge_wants_trace(&run->report.checks[i], run->options->deep))
			continue;
		for (k = 0; k < run->checks[i]->n_traces; k++) {
			ARRAY_GROW(run->specs, run->n_specs, run->room_specs);
			run->specs[run->n_specs++] = run->checks[i]->traces[k];
		}
	}
	run->copies = mem_zalloc((run->n_specs + 1) * sizeof(*run->copies));
	for (i = 0; i < run->n_specs; i++) {
		run->copies[i] = *run->specs[i];
		if (run->options->quick && run->copies[i].run_seconds > QUICK_TRACE_SECONDS)
			run->copies[i].run_seconds = QUICK_TRACE_SECONDS;
		run->specs[i] = &run->copies[i];
	}
}

/* While something else is waited for, what is watched is watched on. */
static bool keep_looking(void *arg)
{
	struct run *run = arg;
	bool carry, more;

	if (!run->meanwhile)
		return !progress_interrupted();
	carry = procfs_carry(run->fs, false);
	more = sampler_tick(&run->sampler);
	procfs_carry(run->fs, carry);
	return more;
}

static bool show_tracing(void *arg, double share)
{
	const struct run *run = arg;

	if (!run->meanwhile)
		progress_show("tracing:", share);
	return keep_looking(arg);
}

/* Says in every result that wanted a trace why there was none. */
static void note_no_trace(struct run *run, const char *why)
{
	size_t i;

	if (why != run->no_trace) {
		free(run->no_trace);
		run->no_trace = mem_strdup(why);
	}

	for (i = 0; i < run->n; i++) {
		struct check_result *result = &run->report.checks[i];

		if (result->tier == TIER_COUNTERS && !result->missing &&
			judge_wants_trace(result, run->options->deep))
			result->missing = mem_strdup(why);
	}
}

static void trace_what_needs_it(struct run *run)
{
	struct str why = STR_INIT;

	collect_specs(run);
	if (!run->n_specs)
		return;
	if (run->options->no_trace) {
		note_no_trace(run, "not traced: --no-trace");
	} else if (progress_interrupted()) {
		note_no_trace(run, "not traced: interrupted");
	} else if (run->meanwhile && run->sampler.over) {
		note_no_trace(run, "not traced: it ended too soon");
	} else if (!traces_possible(run->fs, &why)) {
		note_no_trace(run, str_text(&why));
	} else {
		run->traces = traces_run(run->fs, run->specs, run->n_specs, show_tracing, run);
		progress_end();
		judge_all(run);
	}
	str_free(&why);
}

static char *first_line(struct procfs *fs, const char *path)
{
	struct bytes bytes;

	if (procfs_read(fs, path, &bytes))
		return NULL;
	return mem_strndup(bytes.data, strcspn(bytes.data, "\n"));
}

static double read_uptime(struct procfs *fs)
{
	char *line = first_line(fs, "/proc/uptime");
	double seconds = NAN;

	if (line && num_with_unit(line, &seconds) < 0)
		seconds = NAN;
	free(line);
	return seconds;
}

static char *environment_or(struct procfs *fs, const char *key)
{
	char *value = procfs_environment(fs, key);

	return value ? value : mem_strdup("unknown");
}

/* What the machine is, noted for the recording or read from it. */
static void describe_machine(struct run *run)
{
	struct report *report = &run->report;
	char who[UNDER_WAY_MAX], *when;
	uint64_t n = 0;

	report->host = environment_or(run->fs, "host");
	report->kernel = environment_or(run->fs, "kernel");
	when = procfs_environment(run->fs, "time");
	if (when && !num_u64(when, 0, UINT32_MAX, &n))
		report->time_start = (time_t)n;
	free(when);
	report->boot_id = first_line(run->fs, "/proc/sys/kernel/random/boot_id");
	report->uptime_seconds = read_uptime(run->fs);
	report->replay = procfs_is_replay(run->fs);
	if (procfs_is_live(run->fs) && lease_active(who, sizeof(who)))
		report->under_way = mem_strdup(who);
}

static void add_error(struct report *report, char *text)
{
	report->errors =
		mem_realloc_array(report->errors, report->n_errors + 1, sizeof(*report->errors));
	report->errors[report->n_errors++] = text;
}

static void finish_report(struct run *run, const struct checks *checks, uint64_t start_ns)
{
	struct report *report = &run->report;
	size_t i, samples = sweep_samples(run->sweep);
	const char *at = str_text(checks->errors);

	report->version = mem_strdup(VERSION);
	report->windows = samples ? (unsigned int)(samples - 1) : 0;
	report->window_seconds =
		report->windows ? sweep_seconds(run->sweep, 0, samples - 1) / report->windows : 0;
	report->interrupted = progress_interrupted();
	report->seconds = (double)(now_ns() - start_ns) / 1e9;
	while (*at) {
		size_t len = strcspn(at, "\n");

		add_error(report, mem_strndup(at, len));
		at += len + (at[len] == '\n');
	}
	/* A recording that stops in the middle: less is judged than was recorded. */
	if (run->sampler.error && run->sampler.error != -ENODATA)
		add_error(report,
			mem_printf("the recording breaks off: sample %zu has no time, or one "
				   "before the last; what comes before it is judged",
				samples));
	report->cost = cost_so_far();
	report->cost.cpu_ns -= run->others_ns;
	for (i = 0; i < report->n_checks; i++) {
		report->cost.bpf_ns += report->checks[i].cost.bpf_ns;
		report->cost.bpf_known |= report->checks[i].cost.bpf_known;
		if (report->checks[i].cost.trace_ns > report->cost.trace_ns)
			report->cost.trace_ns = report->checks[i].cost.trace_ns;
	}
	report->cost.wall_ns = now_ns() - start_ns;
	judge_report(report);
}

static bool wants_color(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return !options->to && isatty(options->to_stderr ? STDERR_FILENO : STDOUT_FILENO) &&
		!(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

/* main says what is wrong with standard output, for all commands. */
static int put(const struct options *options, const char *text, size_t len)
{
	FILE *out = options->to_stderr ? stderr : stdout;

	return fwrite(text, 1, len, out) != len || fflush(out) ? -EIO : 0;
}

/* Writes the report. Where the file cannot be had, the result still goes to standard output. */
static int write_report(const struct run *run)
{
	const struct options *options = run->options;
	struct writer_options how = {.color = wants_color(options),
		.ledger = options->ledger,
		.verbose = options->verbose,
		.quiet = options->quiet};
	struct winsize size;
	struct str out = STR_INIT;
	size_t i;
	int err = 0;

	/* The text has them; the other formats are read by programs. */
	if (strcmp(options->format, "text") != 0)
		for (i = 0; i < run->report.n_errors; i++)
			fprintf(stderr, "%s\n", run->report.errors[i]);
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		how.columns = size.ws_col;
	writer_find(options->format)->write(&out, &run->report, &how);
	if (options->to)
		err = write_file_atomically(options->to, str_text(&out), out.len);
	if (err) {
		char *to = escape_path(options->to);

		fprintf(stderr, "tuesday: %s: %s; the result follows on standard output\n", to,
			strerror(-err));
		free(to);
	}
	if (err || !options->to) {
		int put_err = put(options, str_text(&out), out.len);

		err = err ? err : put_err;
	}
	str_free(&out);
	return err;
}

/* A recording that is not whole would be replayed as another machine. */
static bool recording_failed(const struct run *run)
{
	int err = procfs_recording_error(run->fs);

	if (procfs_left_out(run->fs))
		fprintf(stderr,
			"tuesday: %zu parts of the recording were left out: nobody knows which "
			"names "
			"they hold\n",
			procfs_left_out(run->fs));
	if (err) {
		char *path = escape_path(run->options->record);

		fprintf(stderr, "tuesday: %s: the recording is not whole: %s\n", path,
			strerror(-err));
		free(path);
	}
	return err != 0;
}

/* Checks that are switched off are known, so that they can be listed, but not run. */
static void choose_checks(struct run *run, const struct checks *checks)
{
	size_t i;

	run->checks = mem_realloc_array(NULL, checks->n, sizeof(*run->checks));
	for (i = 0; i < checks->n; i++)
		if (checks->list[i]->enabled)
			run->checks[run->n++] = checks->list[i];
}

static void want_reference(void *sweep, int reference)
{
	sweep_want(sweep, reference);
}

/* What is only read for checks that are going to be skipped is not read. Of a recording it is not
 * known before the first sample what is there, and one that is made has to have what was asked. */
static void leave_out_skipped(struct run *run)
{
	bool recording = run->options->record || run->meanwhile;
	size_t i;

	if (procfs_is_replay(run->fs))
		return;
	if (!recording)
		run->skipped = mem_zalloc((run->n + 1) * sizeof(*run->skipped));
	sweep_leave_out(run->sweep);
	for (i = 0; i < run->n; i++) {
		char *why = judge_why_skipped(run->checks[i], run->fs);

		if (!why)
			check_each_reference(run->checks[i], want_reference, run->sweep);
		if (recording)
			free(why);
		else
			run->skipped[i] = why;
	}
}

static void free_skipped(struct run *run)
{
	size_t i;

	for (i = 0; run->skipped && i < run->n; i++)
		free(run->skipped[i]);
	free(run->skipped);
}

/* Looks on until what is watched has ended, and judges all of the time. */
static void watch_on(struct run *run)
{
	const struct meanwhile *meanwhile = run->meanwhile;

	procfs_carry(run->fs, false);
	sampler_run(&run->sampler, WINDOWS_MAX);
	while (!progress_interrupted() && !meanwhile->ended(meanwhile->arg))
		poll(NULL, 0, ENDED_POLL_MS);
	run->others_ns = meanwhile->finish(meanwhile->arg, run->fs);
	procfs_carried(run->fs);
	judge_all(run);
	note_no_trace(run,
		run->no_trace ? run->no_trace
			      : "not traced: it looked good when the traces were started");
}

/* The deepest tier: only what a person asked for, and only while nothing else goes on. */
static void experiment(struct run *run)
{
	const struct check_layers layers = layers_of(run->options, NULL, 0);
	const struct wishes *wishes = run->options->wishes;

	if (!wishes_any(wishes) || run->meanwhile || progress_interrupted())
		return;
	if (procfs_is_live(run->fs))
		run->marked =
			!experiments_run(wishes, run->options, &layers, run->fs, &run->report);
}

/* From the first sample to the last verdict. Returns 0, or -errno where nothing was done. */
static int look(struct run *run)
{
	const struct meanwhile *meanwhile = run->meanwhile;
	int err;

	machine_describe(run->fs, run->report.time_start);
	run->report.cpus = machine_cpus(run->fs);
	leave_out_skipped(run);
	err = sampler_begin(&run->sampler);
	if (!err && meanwhile)
		err = meanwhile->begin(meanwhile->arg, run->fs);
	if (err && meanwhile)
		return err;
	foreign_start(run->checks, run->n, run->fs);
	if (!err)
		sampler_run(&run->sampler, run->options->windows);
	if (meanwhile)
		procfs_carry(run->fs, true);
	foreign_collect(run->checks, run->n, run->fs, keep_looking, run);
	judge_all(run);
	trace_what_needs_it(run);
	experiment(run);
	caps_drop(CAPS_ALL);
	if (meanwhile)
		watch_on(run);
	describe_machine(run);
	return 0;
}

int run_checks_while(const struct options *options, struct sweep *sweep, struct checks *checks,
	const struct meanwhile *meanwhile)
{
	struct run run = {.options = options, .sweep = sweep, .meanwhile = meanwhile};
	uint64_t start_ns = now_ns();
	int status = 3;

	run.report.time_start = time(NULL);
	progress_catch_signals();
	if (machine_open(options, &run.fs))
		return status;
	choose_checks(&run, checks);
	run.report.checks = mem_zalloc((run.n + 1) * sizeof(*run.report.checks));
	run.sampler = (struct sampler){
		.options = options,
		.fs = run.fs,
		.sweep = sweep,
		.windows = meanwhile ? WINDOWS_MAX : options->windows,
		.ended = meanwhile ? meanwhile->ended : NULL,
		.arg = meanwhile ? meanwhile->arg : NULL,
	};
	if (!look(&run)) {
		finish_report(&run, checks, start_ns);
		if (options->wishes && options->wishes->dry_run)
			status = 0;
		else if (!write_report(&run) && !recording_failed(&run))
			status = verdict_exit_status(run.report.verdict);
		if (run.marked && !status)
			status = 3;
	}
	report_free(&run.report);
	traces_free(run.traces);
	free_skipped(&run);
	free(run.checks);
	free(run.specs);
	free(run.copies);
	free(run.no_trace);
	procfs_close(run.fs);
	return status;
}

int run_checks(const struct options *options, struct sweep *sweep, struct checks *checks)
{
	return run_checks_while(options, sweep, checks, NULL);
}

int run_unknown_check(const char *program, const struct checks *all, const char *name)
{
	const char **names = mem_realloc_array(NULL, all->n, sizeof(*names));
	char *shown = escape_word(name);
	const char *near;
	size_t i;

	for (i = 0; i < all->n; i++)
		names[i] = all->list[i]->name;
	near = suggest(name, names, all->n);
	fprintf(stderr, "%s: there is no check '%s'", program, shown);
	if (near)
		fprintf(stderr, "; did you mean '%s'?", near);
	fprintf(stderr, "\n");
	free(shown);
	free(names);
	return EXIT_MISUSE;
}

/* 0 where all names are checks, else the exit status, with a message. A refused check is no typing
 * error: its own message was printed. */
static int check_names(
	const char *program, const struct options *options, const struct checks *checks)
{
	struct sweep *scratch;
	struct checks *all;
	size_t i;
	int status = 0;

	for (i = 0; i < options->n_names && !status; i++) {
		if (checks_find(checks, options->names[i]))
			continue;
		scratch = sweep_new();
		all = checks_load(scratch,
			&(struct check_layers){.root = "",
				.extra = options->dirs,
				.n_extra = options->n_dirs,
				.with_system = true});
		fputs(str_text(checks->errors), stderr);
		status = checks->n_errors ? 3 : run_unknown_check(program, all, options->names[i]);
		checks_free(all);
		sweep_free(scratch);
	}
	return status;
}

static int run_loaded(const char *program, const struct options *options, struct sweep *sweep,
	struct checks *checks, const struct meanwhile *meanwhile)
{
	int status = check_names(program, options, checks);
	size_t i;

	if (!status)
		status = wishes_check(options->wishes, options, program, checks);
	if (status)
		return status;
	if (!checks->n) {
		fputs(str_text(checks->errors), stderr);
		fprintf(stderr, "%s: no check is left to run\n", program);
		return 3;
	}
	if (!options->explain)
		return run_checks_while(options, sweep, checks, meanwhile);
	for (i = 0; i < checks->n; i++)
		explain_check(stdout, checks->list[i]);
	return 0;
}

static char *question_of(const char *only)
{
	struct sweep *sweep = sweep_new();
	struct checks *checks = checks_load(sweep, &(struct check_layers){.root = ""});
	struct check *check = checks_find(checks, only);
	char *question = mem_strdup(check && check->question ? check->question : "");

	checks_free(checks);
	sweep_free(sweep);
	return question;
}

static int load_and_run(const char *program, const struct options *options, const char *const *only,
	size_t n_only, const struct meanwhile *meanwhile)
{
	struct sweep *sweep = sweep_new();
	struct checks *checks = run_load(options, sweep, only, n_only);
	int status = run_loaded(program, options, sweep, checks, meanwhile);

	checks_free(checks);
	sweep_free(sweep);
	return status;
}

int run_named(const char *program, const struct options *options, const struct meanwhile *meanwhile)
{
	return load_and_run(
		program, options, (const char *const *)options->names, options->n_names, meanwhile);
}

int run_main(int argc, char **argv, const char *only)
{
	struct options options;
	struct wishes wishes = {0};
	char *line = only ? mem_printf("%shealth", only) : mem_strdup("tuesday run [CHECK...]");
	char *what = only ? question_of(only)
			  : mem_strdup("Runs the checklist, or the checks that are named.");
	const struct health_options *own = only ? options_of_health(only) : NULL;
	const struct usage usage = {
		.line = line,
		.what = what,
		.groups = OPTIONS_ALL,
		.own = own     ? own->own
			: only ? NULL
			       : experiment_options,
		.n_own = own   ? own->n_own
			: only ? 0
			       : n_experiment_options,
		.to = only ? (void *)&options : &wishes,
	};
	int status, err = options_parse_usage(&options, argc, argv, &usage);

	free(line);
	free(what);
	if (!err && only && options.n_names) {
		char *shown = escape_word(options.names[0]);

		fprintf(stderr, "%s: '%s' is one word too many; see --help\n", argv[0], shown);
		free(shown);
		err = -EINVAL;
	}
	options.wishes = &wishes;
	if (err) {
		wishes_free(&wishes);
		options_free(&options);
		return err > 0 ? 0 : EXIT_MISUSE;
	}
	if (only)
		status = load_and_run(argv[0], &options, &only, 1, NULL);
	else
		status = run_named(argv[0], &options, NULL);
	wishes_free(&wishes);
	options_free(&options);
	return status;
}
