/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a whole run do, from the first sample to the exit status? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/version.h"
#include "run/history_hook.h"
#include "sys/caps.h"
#include "sys/sandbox.h"
#include "check/check.h"
#include "run/cron.h"
#include "run/describe.h"
#include "base/escape.h"
#include "run/experiment_prompt.h"
#include "run/offers.h"
#include "run/policy.h"
#include "check/explain.h"
#include "judge/plugin_check.h"
#include "judge/judge.h"
#include "run/session.h"
#include "history/announcements.h"
#include "history/mutes.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "run/remember.h"
#include "report/incident.h"
#include "report/report.h"
#include "run/run.h"
#include "run/select.h"
#include "run/trace_plan.h"
#include "run/while_traced.h"
#include "sample/sweep.h"
#include "history/run_state.h"
#include "base/str.h"
#include "history/type_notes.h"
#include "output/writer.h"
#include "run/watch.h"
#include "run/write.h"
#include "output/screen_findings.h"
#include "run/asked.h"
#include "capture/environment.h"
#include "sample/sampler.h"
#include "judge/skip.h"
#include "check/layers.h"
#include "check/site.h"
#include "trace/trace.h"
#include "trace/spec.h"
#include "trace/result.h"
#include "trace/sentinel.h"
#include "capture/recording.h"
#include "capture/shortage.h"

/* What goes on for longer is recorded up to here: choose a longer window. */
#define WINDOWS_MAX 1000
#define ENDED_POLL_MS 50
#define CONSUMER_MAX 100
#define NOT_TRACED "not traced: --no-trace"

/* A run under way. */
struct run {
	const struct options *options;
	struct sweep *sweep;
	struct capture *fs;
	const struct checks *checks; /* all that were loaded */
	struct selection selection;
	struct sentinels *sentinels; /* that are on now */
	struct traces *always;	     /* what they saw */
	struct traces *traces;	     /* of those that were asked, and always after them */
	struct trace_plan plan, sentinel_plan;
	struct while_traced while_traced;
	struct report report;
	struct sampler sampler;
	char *no_trace;			   /* why nothing could be traced, or NULL */
	const struct meanwhile *meanwhile; /* or NULL */
	uint64_t others_ns;		   /* CPU time of what was watched */
	bool marked;			   /* an experiment left the machine changed */
	bool cut;			   /* a deadline left it no window */
	struct run_state saved;		   /* of the run before, where this one continues it */
	char *since;			   /* when that was, for people, or NULL */
};

static uint64_t run_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Takes the reason. */
static void run_make_unknown(struct check_result *result, char *reason)
{
	const struct check *check = result->check;

	check_result_free(result);
	*result = (struct check_result){
		.check = check,
		.verdict = VERDICT_UNKNOWN,
		.confidence = CONFIDENCE_LOW,
		.reason = reason,
		.summary = mem_strdup(reason),
	};
}

/* What is wrong at one moment is wrong; that nothing was seen to go wrong in no time says nothing.
 */
static void clear_nothing(struct check_result *result)
{
	if (result->check->foreign || result->verdict == VERDICT_SKIP ||
		verdict_is_worse(result->verdict, VERDICT_UNKNOWN))
		return;
	run_make_unknown(result,
		mem_strdup("the deadline came before half of the first window was over: "
			   "give it a longer --deadline or a shorter --window"));
}

/* Whoever could not open something has not seen that it is well, nor that it is not there. */
static void run_doubt(const struct run *run, struct check_result *result)
{
	int err = shortage_error(run->fs);

	if (!err || result->check->foreign || verdict_is_worse(result->verdict, VERDICT_UNKNOWN))
		return;
	run_make_unknown(result,
		mem_printf("not everything could be opened: %s%s", strerror(-err),
			err == -EMFILE ? "; give it more descriptors (ulimit -n)" : ""));
}

/* Whoever wants no trace has not asked what only a trace can answer. */
static void leave_out_unasked(const struct run *run, struct check_result *result)
{
	const struct check *check = result->check;

	if (!run->options->no_trace || result->verdict != VERDICT_UNKNOWN ||
		!check_is_sentinels(check))
		return;
	check_result_free(result);
	judge_skip(check, NOT_TRACED, false, result);
}

static void judge_one(struct run *run, size_t i, const struct traces *traces)
{
	const char *why = run->selection.skipped[i];
	struct check_result *result = &run->report.checks[i];
	const struct judge_context context = {
		.fs = run->fs,
		.sweep = run->sweep,
		.traces = traces,
		.cpus = run->report.cpus ? (double)run->report.cpus : (double)NAN,
		.only = run->options->only,
		.since = run->since,
		.traced_from = run->while_traced.from,
		.traced_to = run->while_traced.to,
	};

	check_result_free(result);
	if (why)
		judge_skip(run->selection.checks[i], why, run->selection.unknown[i], result);
	else
		judge_check(run->selection.checks[i], &context, result);
	leave_out_unasked(run, result);
	if (run->cut)
		clear_nothing(result);
	run_doubt(run, result);
}

/*
 * A trace speaks where the counters, as they are by now, ask for it and nowhere else: a replay sees
 * no more than that.
 */
static void run_judge_all(struct run *run)
{
	size_t i;

	for (i = 0; i < run->selection.n; i++) {
		judge_one(run, i, run->always);
		if (run->traces && judge_wants_trace(&run->report.checks[i], run->options->deep))
			judge_one(run, i, run->traces);
	}
	run->report.n_checks = run->selection.n;
}

/* Nothing but the traces is new since the counters were judged. */
static void run_judge_traced(struct run *run)
{
	size_t i;

	for (i = 0; i < run->selection.n; i++)
		if (judge_wants_trace(&run->report.checks[i], run->options->deep))
			judge_one(run, i, run->traces);
}

/* While something else is waited for, what is watched is watched on. */
static bool keep_looking(void *arg)
{
	struct run *run = arg;
	bool carry, more;

	if (!run->meanwhile)
		return !progress_interrupted();
	carry = capture_carry(run->fs, false);
	more = sampler_tick(&run->sampler);
	capture_carry(run->fs, carry);
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
	if (why != run->no_trace) {
		free(run->no_trace);
		run->no_trace = mem_strdup(why);
	}
	trace_plan_note_missing(&run->report, run->options, run->traces, why);
}

/* What was there while the traces looked is asked before they are detached, which is our own doing.
 */
static void run_note_traced(void *arg)
{
	struct run *run = arg;

	if (run->meanwhile)
		while_traced_end(&run->while_traced);
	else
		while_traced_sample(
			&run->while_traced, run->sweep, run->fs, &run->report, run->options->deep);
}

/* What others wrote is thought about, and what that says is written, without any right: from where
 * on only judging is left. An experiment samples again, and a program that is recorded beside is
 * still to be ended. Where the filter cannot be had, the capabilities at least are gone. */
static void run_give_up_rights(const struct run *run)
{
	if (!run->meanwhile && !wishes_any(run->options->wishes))
		sandbox_enter(run->options->cron ? SANDBOX_TELLS : 0);
}

static void run_traces(struct run *run)
{
	const struct trace_watch watch = {
		.progress = show_tracing, .over = run_note_traced, .arg = run};

	while_traced_begin(&run->while_traced, run->sweep);
	run->traces = traces_run(run->fs, run->plan.specs, run->plan.n, &watch);
	if (capture_is_replay(run->fs))
		run_note_traced(run);
	run_give_up_rights(run);
	traces_join(run->traces, run->always);
	progress_end();
	if (!run->meanwhile)
		run_judge_traced(run);
}

static void trace_what_needs_it(struct run *run)
{
	struct str why = STR_INIT;

	trace_plan_make(&run->plan, &run->report, run->options);
	if (!run->plan.n)
		return;
	if (run->options->no_trace) {
		note_no_trace(run, NOT_TRACED);
	} else if (progress_interrupted()) {
		note_no_trace(run, "not traced: interrupted");
	} else if (run->meanwhile && run->sampler.over) {
		note_no_trace(run, "not traced: it ended too soon");
	} else if (!traces_possible(run->fs, &why)) {
		note_no_trace(run, str_text(&why));
	} else {
		run_traces(run);
	}
	str_free(&why);
}

static void finish_report(struct run *run, const struct checks *checks, uint64_t start_ns)
{
	struct report *report = &run->report;

	report->version = mem_strdup(tuesday_version);
	report->seconds = run->options->before_seconds + (double)(run_now_ns() - start_ns) / 1e9;
	describe_errors(report, checks);
	describe_samples(report, run->sweep, run->sampler.error);
	describe_cost(report, start_ns, run->others_ns);
	judge_report(report);
}

/* Asked in the sample that is judged, where a replay asks again. */
static void note_not_asked(struct run *run)
{
	struct report *report = &run->report;
	size_t i;

	for (i = 0; i < report->n_not_asked; i++)
		free(report->not_asked[i]);
	free(report->not_asked);
	report->not_asked = NULL;
	report->n_not_asked = selection_not_asked(run->checks, run->fs, &report->not_asked);
}

/* Before the first window: neither that they are attached nor that they are detached is in it. */
static void begin_sentinels(struct run *run)
{
	trace_plan_make_sentinels(&run->sentinel_plan, &run->selection);
	run->sentinels = sentinels_begin(run->fs, run->sentinel_plan.specs, run->sentinel_plan.n,
		run->options->no_trace ? NOT_TRACED : NULL);
}

/* After the last window. */
static void end_sentinels(struct run *run)
{
	if (!run->sentinels)
		return;
	run->always = sentinels_end(run->sentinels);
	run->sentinels = NULL;
	if (run->traces)
		traces_join(run->traces, run->always);
}

/* Looks on until what is watched has ended, and judges all of the time. */
static void watch_on(struct run *run)
{
	const struct meanwhile *meanwhile = run->meanwhile;

	capture_carry(run->fs, false);
	sampler_run(&run->sampler, WINDOWS_MAX);
	while (!progress_interrupted() && !meanwhile->ended(meanwhile->arg))
		poll(NULL, 0, ENDED_POLL_MS);
	run->others_ns = meanwhile->finish(meanwhile->arg, run->fs);
	capture_carried(run->fs);
	while_traced_note(&run->while_traced, run->sweep, run->fs);
	end_sentinels(run);
	selection_skip(&run->selection, run->fs);
	note_not_asked(run);
	run_judge_all(run);
	note_no_trace(run,
		run->no_trace ? run->no_trace
			      : "not traced: it looked good when the traces were started");
	describe_machine(run->fs, &run->report);
}

/* The deepest tier: only what a person asked for, and only while nothing else goes on. */
static void run_experiments(struct run *run)
{
	const struct check_layers layers = run_layers(run->options, NULL, 0);
	const struct wishes *wishes = run->options->wishes;

	if (!wishes_any(wishes) || run->meanwhile || progress_interrupted())
		return;
	if (capture_is_live(run->fs))
		run->marked =
			!experiments_run(wishes, run->options, &layers, run->fs, &run->report);
}

/* A replay has no more of a window than what was recorded, and says why. */
static void note_cut(struct run *run)
{
	char *cut;

	if (run->sampler.cut)
		capture_set_environment(run->fs, "cut", "1");
	cut = capture_environment(run->fs, "cut");
	run->cut = cut != NULL;
	free(cut);
}

/* Of a recording it is not known before the first sample what is there, and one that is made has to
 * have what was asked in the sample that a replay asks again: that in which it is judged. */
static bool skips_are_recorded(const struct run *run)
{
	return capture_is_replay(run->fs) || run->options->record || run->meanwhile;
}

/* Of a recording, all that was asked for by any check. */
static void choose_what_is_read(struct run *run)
{
	if (!capture_is_replay(run->fs))
		selection_skip(&run->selection, run->fs);
	selection_bind(&run->selection, run->sweep);
}

/* For who waits at a terminal for windows that are still to come. */
static bool run_tells_early(const struct run *run)
{
	return !run->meanwhile && run->options->windows > 1 && !run->options->cron &&
		!capture_is_replay(run->fs) && isatty(STDERR_FILENO);
}

/* The worst of the first window. It is no verdict yet: all is judged anew in the end. */
static void run_tell_early(struct run *run)
{
	struct str line = STR_INIT;
	size_t i;

	if (progress_interrupted())
		return;
	for (i = 0; i < run->selection.n; i++)
		judge_one(run, i, NULL);
	run->report.n_checks = run->selection.n;
	screen_worst_so_far(&line, &run->report);
	progress_end();
	if (line.len)
		fprintf(stderr, "%s\n", str_text(&line));
	str_free(&line);
}

/* From the first sample to the last verdict. Returns 0, or -errno where nothing was done. */
static int run_look(struct run *run)
{
	const struct meanwhile *meanwhile = run->meanwhile;
	int err;

	machine_describe(run->fs, run->report.time_start);
	describe_run(run->fs, &run->report);
	run->report.cpus = machine_cpus(run->fs);
	choose_what_is_read(run);
	begin_sentinels(run);
	err = sampler_begin(&run->sampler);
	if (!err && meanwhile)
		err = meanwhile->begin(meanwhile->arg, run->fs);
	if (err && meanwhile)
		return err;
	foreign_start(run->selection.checks, run->selection.skipped, run->selection.n, run->fs);
	if (!err && run_tells_early(run)) {
		sampler_run(&run->sampler, 1);
		run_tell_early(run);
	}
	if (!err)
		sampler_run(&run->sampler, run->options->windows);
	if (!meanwhile)
		end_sentinels(run);
	note_cut(run);
	if (meanwhile)
		capture_carry(run->fs, true);
	foreign_collect(run->selection.checks, run->selection.n, run->fs, keep_looking, run);
	if (run->options->no_trace)
		run_give_up_rights(run);
	if (skips_are_recorded(run))
		selection_skip(&run->selection, run->fs);
	note_not_asked(run);
	run->since = run_continue(run->options, &run->saved, run->sweep, run->fs, &run->report);
	run_judge_all(run);
	/* In the last sample that every replay has. */
	if (!meanwhile)
		describe_machine(run->fs, &run->report);
	trace_what_needs_it(run);
	run_experiments(run);
	caps_drop(CAPS_ALL);
	run_give_up_rights(run);
	if (meanwhile)
		watch_on(run);
	describe_under_way(run->fs, &run->report);
	offers_make(run->options, run->fs, &run->report);
	return 0;
}

/* What has been said needs no saying again, and what was not said must be said by the next run. */
static void remember(struct run *run, int write_err)
{
	if (write_err || (run->report.interrupted && progress_told_to_stop()))
		return;
	run_remember(run->options, &run->saved, &run->selection, run->sweep, run->fs, &run->report,
		run->cut);
}

/* What is done on purpose to this machine is none of another one's doing, whose recording this is.
 */
static void note_announced(struct run *run)
{
	if (run->options->replay && !run->options->state)
		return;
	announcements_note(&run->report, run->options->state);
	if (run->report.n_announced)
		incident_derive_type(&run->report);
}

/* Tells what was found. Returns the exit status. */
static int run_tell(struct run *run)
{
	const struct options *options = run->options;
	int err, status = 3;

	if (options->cron && run->report.interrupted && progress_told_to_stop())
		/* By a shutdown, say: the next run says what there is to say. After a deadline the
		 * next one would come no further. */
		return 0;
	mutes_note(&run->report, options->state);
	note_announced(run);
	history_hook_recall(options, &run->report);
	policy_apply(&run->report, options);
	type_notes_note(&run->report.type);
	if (options->wishes && options->wishes->dry_run) {
		status = 0;
	} else {
		err = run_write_report(options, &run->report, &run->saved);
		if (!run_recording_failed(options, run->fs) && !err)
			status = writer_exit_status(options->format, run->report.verdict);
		remember(run, err);
		if (options->cron)
			status = err ? 3 : 0;
	}
	return run->marked && !status ? 3 : status;
}

int run_checks_while(const struct options *options, const struct checks *checks,
	const struct meanwhile *meanwhile)
{
	struct run run = {.options = options, .checks = checks, .meanwhile = meanwhile};
	uint64_t start_ns = run_now_ns();
	int status = 3;

	run.report.time_start = time(NULL);
	progress_catch_signals();
	if (options->deadline_seconds > 0)
		progress_deadline(options->deadline_seconds);
	if (machine_open(options, &run.fs))
		return status;
	run.sweep = sweep_new();
	selection_make(&run.selection, checks);
	run.report.checks = mem_zalloc((run.selection.n + 1) * sizeof(*run.report.checks));
	run.sampler = (struct sampler){
		.window_seconds = options->window_seconds,
		.fs = run.fs,
		.sweep = run.sweep,
		.windows = meanwhile ? WINDOWS_MAX : options->windows,
		.recorded = while_traced_windows(run.fs),
		.ended = meanwhile ? meanwhile->ended : NULL,
		.arg = meanwhile ? meanwhile->arg : NULL,
	};
	if (!run_look(&run)) {
		finish_report(&run, checks, start_ns);
		status = run_tell(&run);
	}
	end_sentinels(&run);
	report_free(&run.report);
	traces_free(run.traces);
	traces_free(run.always);
	selection_free(&run.selection);
	trace_plan_free(&run.plan);
	trace_plan_free(&run.sentinel_plan);
	free(run.no_trace);
	free(run.since);
	run_state_free(&run.saved);
	capture_close(run.fs);
	sweep_free(run.sweep);
	return status;
}

int run_checks(const struct options *options, const struct checks *checks)
{
	return run_checks_while(options, checks, NULL);
}

static int run_loaded(const char *program, const struct options *options,
	const struct checks *checks, const struct meanwhile *meanwhile)
{
	int status = run_check_names(program, options, checks);
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
		return run_checks_while(options, checks, meanwhile);
	for (i = 0; i < checks->n; i++)
		explain_check(stdout, checks->list[i]);
	return 0;
}

/* For --help, where a link's name may be of no check, or of one that only -c DIR has. */
static char *question_of(const char *only)
{
	struct checks *checks = checks_load(&(struct check_layers){
		.root = "", .with_system = true, .only = &only, .n_only = 1});
	struct check *check = checks_find(checks, only);
	char *question = check && check->question
		? mem_strdup(check->question)
		: mem_printf("Asks the check '%s', which no check file here has.", only);

	checks_free(checks);
	return question;
}

int run_named(const char *program, const struct options *options, const struct meanwhile *meanwhile)
{
	bool all = options->explain || wishes_any(options->wishes);
	struct checks *checks = all
		? run_load(options, (const char *const *)options->names, options->n_names)
		: run_load_for_selection(options);
	int status = run_loaded(program, options, checks, meanwhile);

	checks_free(checks);
	return status;
}

/* Who is told by --cron: another list of checks has another memory. */
static char *cron_consumer(const struct options *options)
{
	struct str name = STR_INIT;
	size_t i;

	str_add(&name, "cron");
	for (i = 0; i < options->n_names && name.len < CONSUMER_MAX; i++)
		str_addf(&name, "+%s", options->names[i]);
	return str_take(&name);
}

/* Where tuesday.ini names the checks, another list of them is told to the same people. */
static char *run_consumer(const struct options *options)
{
	return options->site && options->site->checks.n ? mem_strdup("cron")
							: cron_consumer(options);
}

static int run_kept(const char *program, struct options *options)
{
	char *consumer = options->cron && !options->continues ? run_consumer(options) : NULL;
	int status = 0;

	/* Before the lock is taken: a service that is stopped just then has not failed. */
	progress_catch_signals();
	if (consumer)
		options->continues = consumer;
	if (consumer && (strlen(consumer) > CONSUMER_MAX || strchr(consumer, '/'))) {
		fprintf(stderr,
			"%s: --cron: so many checks need a name for them: give one with "
			"--since-last\n",
			program);
		status = EXIT_MISUSE;
	}
	/* The one that is under way says what there is to say. */
	if (!status && !cron_begin(options, program)) {
		status = run_named(program, options, NULL);
		cron_end(options);
	}
	free(consumer);
	return status;
}

static int run_as_asked(const char *program, struct options *options, const char *only)
{
	if (options->watch &&
		(options->cron || options->to || options->record || options->replay ||
			strcmp(options->format, "text") != 0 || wishes_any(options->wishes))) {
		fprintf(stderr,
			"%s: --watch is for a person at a live machine: without --cron, --to, "
			"--record, "
			"--replay, experiments and another format than text\n",
			program);
		return EXIT_MISUSE;
	}
	if (options->watch)
		return run_watch(program, options, run_named);
	return only ? run_named(program, options, NULL) : run_kept(program, options);
}

/* The same again, with what tuesday.ini wants of a run that nobody watches. */
static int run_parse_with_site(struct options *options, int argc, char **argv,
	const struct usage *usage, const struct site *site, char ***arguments)
{
	bool with_checks = !options->n_names;
	struct wishes *wishes = usage->more_to;
	int n;

	options_free(options);
	wishes_free(wishes);
	*wishes = (struct wishes){0};
	if (!policy_options_are_right(site, argv[0], usage)) {
		*options = (struct options){0};
		return -EINVAL;
	}
	wishes_free(wishes);
	*wishes = (struct wishes){0};
	*arguments = policy_arguments(site, argc, argv, with_checks, &n);
	return options_parse_usage(options, n, *arguments, usage);
}

/* A replay is another machine's, which this one's administrator says nothing of, unless it has a
 * place of its own. */
static int run_parse(struct options *options, int argc, char **argv, const struct usage *usage,
	struct site *site, char ***arguments)
{
	int err = options_parse_usage(options, argc, argv, usage);

	*site = (struct site){0};
	if (err || (options->replay && !options->state))
		return err;
	site_load(site);
	if (options->cron && (site->options.n || site->checks.n))
		err = run_parse_with_site(options, argc, argv, usage, site, arguments);
	options->site = site;
	return err;
}

bool run_options_of_site_are_right(const struct site *site)
{
	struct wishes wishes = {0};
	const struct usage usage = {
		.line = "tuesday run [CHECK...]",
		.what = "",
		.groups = OPTIONS_ALL | OPTIONS_STATE | OPTIONS_KEPT,
		.more = experiment_options,
		.n_more = n_experiment_options,
		.more_to = &wishes,
	};
	bool right = !site->options.n || policy_options_are_right(site, "tuesday run", &usage);

	wishes_free(&wishes);
	return right;
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
		.groups = only ? OPTIONS_ALL : OPTIONS_ALL | OPTIONS_STATE | OPTIONS_KEPT,
		.own = own ? own->own : NULL,
		.n_own = own ? own->n_own : 0,
		.to = &options,
		.more = experiment_options,
		.n_more = n_experiment_options,
		.more_to = &wishes,
	};
	struct site site;
	char **arguments = NULL, **expanded;
	int status, err = run_parse(&options, argc, argv, &usage, &site, &arguments);

	free(line);
	free(what);
	if (!err && only && options.n_names) {
		char *shown = escape_word(options.names[0]);

		fprintf(stderr, "%s: unexpected argument '%s'; see --help\n", argv[0], shown);
		free(shown);
		err = -EINVAL;
	}
	options.wishes = &wishes;
	if (only) {
		options.names = (char **)&only;
		options.n_names = 1;
		/* A look at one part is no run of the checklist, which the history compares. */
		options.no_history = true;
	}
	status = err > 0 ? 0 : EXIT_MISUSE;
	if (!err) {
		status = asked_expand(argv[0], &options, &expanded);
		if (!status)
			status = run_as_asked(argv[0], &options, only);
		asked_free(expanded);
	}
	wishes_free(&wishes);
	options_free(&options);
	site_free(&site);
	free(arguments);
	return status;
}
