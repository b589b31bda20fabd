/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a trace that is always on heard in the first judgement, and does it clear no more than it saw?
 */
#include "base/banned.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/progress.h"
#include "check/check.h"
#include "check/layers.h"
#include "judge/judge.h"
#include "sample/instances.h"
#include "sample/sweep.h"
#include "trace/result.h"
#include "trace/sentinel.h"
#include "trace/spec.h"
#include "trace/trace.h"
#include "tests/unit/machine.h"
#include "tests/unit/tap.h"

#define KEYS "why = x\nhowever = x\nsource = a book\n"
#define COUNTED \
	"[metric counted_count]\nvalue = delta(vmstat:up)\nclass = harm\nacquit = < 100\n" KEYS
#define WITNESSED \
	"[metric witnessed_count]\nvalue = delta(vmstat:up)\nclass = harm\nmaybe = > 10\n" \
	"witness = trace:t\n" KEYS
#define IDLE \
	"[metric idle_count]\nvalue = delta(vmstat:up)\nclass = harm\nacquit = < 100\n" \
	"enough = delta(vmstat:up) >= 1000\n" KEYS
#define LOOKING \
	"[metric looking_count]\nvalue = delta(vmstat:up)\nclass = cause\nlook = > 10\n" KEYS
#define SENTINEL \
	"[trace t]\nevent = sched:sched_process_fork\nwhen = always\nbudget = 1000/s\n" \
	"[metric traced_per_second]\nvalue = count(trace:t) / window\nclass = harm\n" \
	"acquit = < 10\nmaybe = > 100\nbad = > 500\n" KEYS
#define ACCUSING \
	"[trace t]\nevent = sched:sched_process_fork\nwhen = always\nbudget = 1000/s\n" \
	"[metric traced_per_second]\nvalue = count(trace:t) / window\nclass = harm\n" \
	"maybe = > 20\n" KEYS
#define ASKED \
	"[trace a]\nevent = sched:sched_process_exit\n" \
	"[metric asked_per_second]\nvalue = count(trace:a) / window\nclass = harm\n" \
	"acquit = < 10\nmaybe = > 100\n" KEYS

#define APART \
	"[trace t]\nbegin = sched:sched_switch\nend = sched:sched_wakeup\nkey = tid\nby = cpu\n" \
	"when = always\nbudget = 1000/s\n" \
	"[metric apart_ratio]\nvalue = total(trace:t) / window\nclass = harm\n" \
	"enough = count(trace:t) >= 1\nacquit = < 10%\nmaybe = > 50%\n" KEYS

#define HEAD \
	"tuesday-trace 1\ntrace =test =t\nmethod =test\nunit none\nran 4000000000\n" \
	"asked 4000000000\nlost 0 0 0 0\ncost 1 1000 10 100\n"
#define QUIET HEAD "instance one = 4 0 0\n"
#define BUSY HEAD "instance one = 4000 0 0\n"
#define AWAY HEAD "ran 3000000000\naway 3000000000 1000\ninstance one = 4 0 0\n"
#define NOBODY HEAD "apart\n"
#define NOBODY_AWAY HEAD "ran 3000000000\naway 3000000000 1000\napart\n"
/* Between what clears and what accuses, by one process of one cgroup. */
#define BETWEEN \
	HEAD "instance one = 200 0 0\nwho 0 blamed =cgroup text =/a.service = 200 0\n" \
	     "who 0 blamed =process text =cron =7 150 0\nwho 0 blamed =process text =sh =8 50 0\n"
#define MISSING "tuesday-trace 1\ntrace =test =t\nmissing =no%20such%20tracepoint\n"

/* Judges as a run does before any trace was asked. */
static void judge(const char *text, const char *blob, const char *why_not,
	void (*look)(const struct check_result *result, const char *sentence), const char *sentence)
{
	char *whole = mem_printf("[check]\nquestion = Is it?\narea = test\n%s", text);
	struct sweep *sweep = sweep_new();
	struct str errors = STR_INIT;
	struct check *check = check_parse("test", whole, strlen(whole), &errors);
	struct judge_context context = {.sweep = sweep, .cpus = 2};
	struct sentinels *sentinels;
	struct check_result result;
	struct traces *traces;

	machine_write(2, "/@sentinels", blob);
	if (!check || capture_open_replay(&context.fs, machine_dir)) {
		printf("Bail out! %s\n", str_text(&errors));
		exit(1);
	}
	check_bind(check, sweep);
	sweep_open(sweep, context.fs);
	sentinels = sentinels_begin(context.fs, (const struct trace_spec *const *)check->traces,
		check->n_traces, why_not);
	while (!sweep_take(sweep))
		;
	traces = sentinels_end(sentinels);
	context.traces = traces;
	judge_check(check, &context, &result);
	look(&result, sentence);
	check_result_free(&result);
	traces_free(traces);
	check_free(check);
	sweep_free(sweep);
	capture_close(context.fs);
	str_free(&errors);
	free(whole);
}

static void is_cleared(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->exonerated && result->n_metrics == 2, "%s",
		sentence);
	ok(!judge_wants_trace(result, true), "and there is nothing left to ask, even with --deep");
}

static void is_bad_at_once(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_BAD, "%s", sentence);
}

static bool has_reason(const struct check_result *result, const char *part)
{
	if (result->reason && strstr(result->reason, part))
		return true;
	printf("# reason: %s\n", result->reason ? result->reason : "none");
	return false;
}

static void is_good_without_right(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated &&
			has_reason(result, "traced_per_second could not be judged: no right") &&
			!result->missing,
		"%s", sentence);
}

static void is_good_without_tracepoint(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated &&
			has_reason(result, "no such tracepoint"),
		"%s", sentence);
}

static void is_unknown(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_UNKNOWN && has_reason(result, "no right"), "%s", sentence);
}

static void is_good_until_away(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated &&
			has_reason(result,
				"trace t took itself away after 3 s: more than 1000 events a "
				"second"),
		"%s", sentence);
}

static void is_idle(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->idle && result->exonerated, "%s", sentence);
}

static void is_idle_without_right(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->idle && !result->exonerated &&
			has_reason(result, "traced_per_second could not be judged: no right"),
		"%s", sentence);
}

static void is_seen_in_part(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated && !result->idle &&
			has_reason(result, "took itself away"),
		"%s", sentence);
}

static void is_between(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated && !result->n_culprits &&
			has_reason(result, "cron (pid 7) forks 50/s"),
		"%s", sentence);
}

static void is_bad_by_two(const struct check_result *result, const char *sentence)
{
	ok(result->n_culprits == 3 && !strcmp(result->culprits[0].name, "cron") &&
			!strcmp(result->culprits[1].name, "a.service"),
		"%s", sentence);
	ok(result->n_culprits == 3 && result->culprits[0].share == 0.75 &&
			result->culprits[1].share == 1,
		"and each has its share of its own kind");
}

static void asks(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated && result->looks &&
			result->unanswered && judge_wants_trace(result, false),
		"%s", sentence);
}

static void test_judging(void)
{
	judge(COUNTED SENTINEL, QUIET, NULL, is_cleared, "a quiet sentinel helps to clear");
	judge(WITNESSED SENTINEL, QUIET, NULL, is_cleared,
		"as a witness it looked while the counters did, and overrules them");
	judge(COUNTED SENTINEL, BUSY, NULL, is_bad_at_once,
		"what it saw accuses at once, though the counters are good");
	judge(COUNTED SENTINEL, QUIET, "no right", is_good_without_right,
		"without the right to trace a good check stays good, and is not cleared");
	judge(COUNTED SENTINEL, MISSING, NULL, is_good_without_tracepoint,
		"nor is it where the kernel lacks the tracepoint");
	judge(SENTINEL, QUIET, "no right", is_unknown,
		"a check that has nothing but a sentinel is unknown then");
	judge(COUNTED SENTINEL, AWAY, NULL, is_good_until_away,
		"a sentinel that took itself away clears nobody");
	judge(APART, NOBODY, NULL, is_idle,
		"a check that has nothing but a sentinel that saw nothing is idle");
	judge(IDLE SENTINEL, QUIET, "no right", is_idle_without_right,
		"for want of a sentinel a check whose counters are idle is not cleared, not "
		"unknown");
	judge(APART, NOBODY_AWAY, NULL, is_seen_in_part,
		"nor where it saw nothing until then: that is a part, and not nothing");
	judge(COUNTED SENTINEL "say = {who} forks {value}\n", BETWEEN, NULL, is_between,
		"what is in the way of clearing is named");
	judge(ACCUSING, BETWEEN, NULL, is_bad_by_two,
		"a cgroup is charged beside what is in it, and named after it");
	judge(LOOKING COUNTED SENTINEL ASKED, QUIET, NULL, asks,
		"a metric that asks for a trace is not answered by a sentinel");
}

/* Fields of a trace that could not run have its reason, and two runs are found as one. */
static void test_finding(struct capture *fs)
{
	struct trace_spec first = {.check = "test", .name = "t"};
	struct trace_spec second = {.check = "test", .name = "u"};
	const struct trace_spec *one[] = {&first}, *other[] = {&second};
	struct traces *traces = sentinels_end(sentinels_begin(fs, one, 1, "no right"));
	struct traces *more = sentinels_end(sentinels_begin(fs, other, 1, "no right either"));
	const struct trace_result *field = traces_find(traces, "test", "t.read");

	ok(field && !strcmp(trace_missing(field), "no right"),
		"a field of a trace that did not run says why");
	ok(!traces_find(traces, "test", "u"), "another trace is not there");
	traces_join(traces, more);
	ok(traces_find(traces, "test", "u") != NULL, "but it is, once the two are joined");
	traces_free(traces);
	traces_free(more);
}

/* In a process of its own: those of who traces do not count. */
static void fork_often(int n)
{
	pid_t often = fork(), pid;
	int i;

	for (i = 0; !often && i < n; i++) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	if (!often)
		_exit(0);
	if (often > 0)
		waitpid(often, NULL, 0);
}

/* Counts forks meanwhile, live, with what the sentinel may cost. */
static struct traces *watch_forks(struct capture *fs, double budget, int forks)
{
	struct trace_spec spec = {.check = "test",
		.name = "forks",
		.event = "sched:sched_process_fork",
		.who = "comm",
		.always = true,
		.budget = budget};
	const struct trace_spec *const specs[] = {&spec};
	struct sentinels *sentinels = sentinels_begin(fs, specs, 1, NULL);

	fork_often(forks);
	return sentinels_end(sentinels);
}

static void test_live(void)
{
	const struct trace_result *result;
	struct capture *fs;
	struct traces *traces;
	uint64_t now;
	char *dir = mem_printf("%s/live", machine_dir);

	if (capture_open(&fs, "/", dir) || capture_next_sample(fs, &now))
		exit(1);
	traces = watch_forks(fs, 1e6, 50);
	result = traces_find(traces, "test", "forks");
	ok(!trace_missing(result) && trace_count(result, 0) >= 50 && !trace_away_text(result) &&
			!trace_is_cut(result),
		"what happens from begin to end is seen");
	capture_close(fs);
	traces_free(traces);
	if (capture_open_replay(&fs, dir) || capture_next_sample(fs, &now))
		exit(1);
	traces = watch_forks(fs, 1e6, 0);
	result = traces_find(traces, "test", "forks");
	ok(!trace_missing(result) && trace_count(result, 0) >= 50, "and recorded");
	capture_close(fs);
	traces_free(traces);
	free(dir);
}

static void test_budget(void)
{
	const struct trace_result *result;
	struct capture *fs;
	struct traces *traces;
	uint64_t now;

	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &now))
		exit(1);
	traces = watch_forks(fs, 20, 200);
	result = traces_find(traces, "test", "forks");
	ok(!trace_missing(result) && trace_away_text(result) &&
			strstr(trace_away_text(result), "more than 20 events a second"),
		"more events than its budget allows take it away");
	ok(trace_count(result, 0) < 100 && trace_seconds(result) < trace_asked_seconds(result),
		"and nothing is counted from then on (%.0f)", trace_count(result, 0));
	traces_free(traces);
	capture_close(fs);
}

/* Of one that counts calls, each CPU has a budget of its own. */
/* Each write fails for want of room. */
static void fail_often(int n)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), i;

	for (i = 0; i < n; i++)
		if (write(full, "x", 1) >= 0)
			_exit(1);
	close(full);
}

static void test_own_failures(void)
{
	struct trace_spec spec = {.check = "test",
		.name = "failing",
		.tracer = "failing",
		.always = true,
		.budget = 1e9};
	const struct trace_spec *const specs[] = {&spec};
	const struct trace_result *result;
	struct sentinels *sentinels;
	struct capture *fs;
	struct traces *traces;
	uint64_t now;
	long full = -1;
	pid_t other;

	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &now))
		exit(1);
	sentinels = sentinels_begin(fs, specs, 1, NULL);
	fail_often(70);
	other = fork();
	if (!other) {
		fail_often(30);
		_exit(0);
	}
	waitpid(other, NULL, 0);
	traces = sentinels_end(sentinels);
	result = traces_find(traces, "test", "failing");
	if (!trace_missing(result) && trace_instances(result))
		full = instances_find(trace_instances(result), "ENOSPC");
	ok(full >= 0 && trace_count(result, (size_t)full) > 29.5 &&
			trace_count(result, (size_t)full) < 30.5,
		"what fails for us is not counted, what fails for another is (%.0f)",
		full >= 0 ? trace_count(result, (size_t)full) : -1);
	traces_free(traces);
	capture_close(fs);
}

static void test_budget_of_calls(void)
{
	struct trace_spec spec = {.check = "test",
		.name = "failing",
		.tracer = "failing",
		.always = true,
		.budget = 1000};
	const struct trace_spec *const specs[] = {&spec};
	const struct trace_result *result;
	struct sentinels *sentinels;
	struct capture *fs;
	struct traces *traces;
	uint64_t now;
	int i;

	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &now))
		exit(1);
	sentinels = sentinels_begin(fs, specs, 1, NULL);
	for (i = 0; i < 100000; i++)
		syscall(SYS_getppid);
	traces = sentinels_end(sentinels);
	result = traces_find(traces, "test", "failing");
	ok(!trace_missing(result) && trace_away_text(result),
		"more calls than its budget allows take away the one that looks at calls (%s)",
		trace_missing(result) ? trace_missing(result) : "attached");
	traces_free(traces);
	capture_close(fs);
}

/* Ctrl-C while they are loaded: nobody waits for them any longer. */
static void test_interrupted(void)
{
	struct trace_spec spec = {.check = "test",
		.name = "forks",
		.event = "sched:sched_process_fork",
		.always = true,
		.budget = 1e6};
	const struct trace_spec *const specs[] = {&spec};
	struct capture *fs;
	struct traces *traces;
	const char *missing;
	uint64_t now;

	if (capture_open(&fs, "/", NULL) || capture_next_sample(fs, &now))
		exit(1);
	signal(SIGINT, SIG_DFL); /* whoever starts tests in the background may have it ignored */
	progress_catch_signals();
	raise(SIGINT);
	traces = sentinels_end(sentinels_begin(fs, specs, 1, NULL));
	missing = trace_missing(traces_find(traces, "test", "forks"));
	ok(missing && strstr(missing, "interrupted"),
		"whoever presses Ctrl-C does not wait for sentinels (%s)",
		missing ? missing : "they were begun");
	traces_free(traces);
	capture_close(fs);
}

int main(void)
{
	struct str why = STR_INIT;
	struct capture *fs;
	int i;

	machine_begin(3);
	for (i = 0; i < 3; i++) {
		char *vmstat = mem_printf("up %d\n", i * 20);

		machine_write(i, "/proc/vmstat", vmstat);
		free(vmstat);
	}
	test_judging();
	if (capture_open(&fs, "/", NULL))
		exit(1);
	test_finding(fs);
	if (traces_possible(fs, &why) && !geteuid()) {
		test_live();
		test_budget();
		test_budget_of_calls();
		test_own_failures();
		test_interrupted();
	} else {
		ok(true, "what happens between two samples is seen # SKIP %s", str_text(&why));
	}
	capture_close(fs);
	str_free(&why);
	machine_end();
	return tap_done();
}
