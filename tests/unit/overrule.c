/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a trace have the last word where it should, and only there? */
#include "lib/check.h"
#include "lib/judge.h"
#include "lib/sample.h"
#include "lib/trace.h"
#include "tests/unit/machine.h"
#include "tests/unit/tap.h"

/* Slots of the histogram: 111 begins at 992 ns, 375 at 96.5 ms, 329 at 13.1 ms. */
#define FAST "instance one = 1000 1000000 1000 111:1000\n"
#define SLOW "instance one = 1000 100000000000 100000000 375:1000\n"
#define MIDDLING "instance one = 1000 13500000000 13600000 329:1000\n"
#define FEW "instance one = 5 500000000 100000000 375:5\n"
#define BLAMED "who 0 blamed =process text =hog =99 1000 100000000000\n"

static const char counters[] = "[check]\nquestion = Is it?\narea = test\n"
			       "[metric counted_count]\nvalue = delta(vmstat:up)\n"
			       "why = x\nhowever = x\n%s\n"
			       "[trace t]\nevent = sched:sched_switch\n"
			       "[metric traced_seconds]\nvalue = p99(trace:t)\nclass = harm\n"
			       "enough = count(trace:t) >= 100\nacquit = < 1ms\nmaybe = > 10ms\n"
			       "bad = > 50ms\nsource = a book\nwhy = x\nhowever = x\n%s\n";

#define HARM "class = harm\nmaybe = > 10\nbad = > 20\nsource = judgement"

static char *blob(const char *lost, const char *lines)
{
	return mem_printf("tuesday-trace 1\ntrace =test =t\nmethod =test\nunit ns\nran 5000000000\n"
			  "lost %s\nleft-out 0 0\ncost 1 1000 10 100\n%s",
		lost, lines);
}

/* Judges with the trace, as a run does after the counters; result is the caller's to free. */
static void judge(const char *first, const char *second, const char *trace,
	void (*look)(const struct check_result *result, const char *sentence), const char *sentence)
{
	char *text = mem_printf(counters, first, second);
	struct sweep *sweep = sweep_new();
	struct str errors = STR_INIT;
	struct check *check = check_parse(sweep, "test", text, strlen(text), &errors);
	struct judge_context context = {.sweep = sweep, .cpus = 2};
	struct check_result result;
	struct traces *traces = NULL;

	machine_write(2, "/@trace", trace);
	if (!check || procfs_open_replay(&context.fs, machine_dir)) {
		printf("Bail out! %s\n", str_text(&errors));
		exit(1);
	}
	sweep_open(sweep, context.fs);
	while (!sweep_take(sweep))
		;
	traces = traces_run(context.fs, (const struct trace_spec *const *)check->traces,
		check->n_traces, NULL, NULL);
	context.traces = traces;
	judge_check(check, &context, &result);
	look(&result, sentence);
	check_result_free(&result);
	traces_free(traces);
	check_free(check);
	sweep_free(sweep);
	procfs_close(context.fs);
	str_free(&errors);
	free(text);
}

static void is_good(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->tier == TIER_TRACE && result->exonerated,
		"%s", sentence);
	ok(strstr(result->summary, "the trace overrules") != NULL,
		"and the summary says that it was overruled");
}

static void is_maybe(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE, "%s", sentence);
}

static void is_bad(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_BAD, "%s", sentence);
}

static void is_bad_by_hog(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_BAD && result->confidence == CONFIDENCE_HIGH, "%s", sentence);
	ok(result->n_culprits == 1 && !strcmp(result->culprits[0].name, "hog") &&
			!strcmp(result->culprits[0].id, "99"),
		"and the trace names the culprit");
}

static void is_maybe_with_reason(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE && result->tier == TIER_COUNTERS && result->missing &&
			strstr(result->missing, "not permitted"),
		"%s", sentence);
}

static void is_maybe_hardly_believed(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE && result->confidence == CONFIDENCE_LOW, "%s",
		sentence);
}

static void is_maybe_untraced(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE && result->tier == TIER_COUNTERS, "%s", sentence);
}

static void is_good_not_exonerated(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated, "%s", sentence);
}

static void test_overruling(void)
{
	char *fast = blob("0 0 0 0", FAST), *slow = blob("0 0 0 0", SLOW BLAMED);
	char *middling = blob("0 0 0 0", MIDDLING), *few = blob("0 0 0 0", FEW);
	char *blind = blob("900000 0 0 0", FAST);
	char *stand_in = blob("0 0 0 0", "fallback\n" FAST);
	char *stand_in_slow = blob("0 0 0 0", "fallback\n" SLOW BLAMED);

	judge("say = {value}\n" HARM, "", fast, is_good,
		"counters said maybe, nobody waited in the trace: good");
	judge(HARM, "", slow, is_bad_by_hog, "the trace saw it: bad");
	judge(HARM, "", middling, is_bad,
		"the trace agrees that it may be: the counters' bad, held back before, stands");
	judge("class = harm\nmaybe = > 10\nsource = a book", "", middling, is_maybe,
		"both say maybe: maybe");
	judge(HARM, "", few, is_maybe, "a trace that saw too little to judge changes nothing");
	judge(HARM, "", blind, is_maybe_hardly_believed,
		"a trace that lost most of what happened exonerates nobody");
	judge(HARM, "", stand_in, is_maybe_untraced,
		"a trace that stands in for a better one overrules nothing");
	judge(HARM, "", stand_in_slow, is_bad_by_hog, "but it may accuse");
	judge("class = harm\nmaybe = > 100\nsource = a book", "", stand_in, is_good_not_exonerated,
		"nor does it exonerate");
	judge("class = error\nbad = > 20\nsource = a book", "", fast, is_bad,
		"an error stands, whatever was traced");
	judge("class = limit\nbad = > 20\nsource = a book", "", fast, is_bad, "a limit stands too");
	judge("final = yes\n" HARM, "", fast, is_maybe,
		"what no trace can see is not overruled by one");
	judge(HARM, "", "tuesday-trace 1\ntrace =test =t\nmissing =not%20permitted\n",
		is_maybe_with_reason,
		"where tracing is not to be had the verdict stays and says what was missing");
	judge(HARM, "", "nonsense", is_maybe, "a blob of nonsense changes nothing");
	free(fast);
	free(slow);
	free(middling);
	free(few);
	free(blind);
	free(stand_in);
	free(stand_in_slow);
}

static void test_class_of_traced_device(void)
{
	char *trace = blob(
		"0 0 0 0", "apart\ninstance device =259:0 1000 13500000000 13600000 329:1000\n");

	machine_write(2, "/sys/dev/block/259:0@link", "../../devices/pci/nvme/nvme0n1");
	judge(HARM, "bad.nvme = > 12ms", trace, is_bad,
		"a traced disk is judged by the limits of its class");
	free(trace);
}

int main(void)
{
	int i;

	machine_begin(3);
	for (i = 0; i < 3; i++) {
		char *vmstat = mem_printf("up %d\n", i * 20);

		machine_write(i, "/proc/vmstat", vmstat);
		machine_write(i, "/proc/diskstats",
			" 259 0 nvme0n1 5 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
		machine_write(i, "/sys/block/nvme0n1/queue/rotational", "0\n");
		free(vmstat);
	}
	test_overruling();
	test_class_of_traced_device();
	machine_end();
	return tap_done();
}
