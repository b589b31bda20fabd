/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a trace have the last word where it should, and only there? */
#include "base/banned.h"
#include "check/check.h"
#include "judge/judge.h"
#include "sample/sweep.h"
#include "trace/trace.h"
#include "tests/unit/machine.h"
#include "tests/unit/tap.h"
#include "check/layers.h"
#include "trace/spec.h"
#include "trace/result.h"

/* Slots of the histogram: 111 begins at 992 ns, 297 at 3.3 ms, 329 at 13.1 ms, 375 at 96.5 ms. */
#define FAST "instance one = 1000 1000000 1000 111:1000\n"
#define SLOW "instance one = 1000 100000000000 100000000 375:1000\n"
#define MIDDLING "instance one = 1000 13500000000 13600000 329:1000\n"
#define SLOWISH "instance one = 1000 3400000000 3450000 297:1000\n"
#define FEW "instance one = 5 500000000 100000000 375:5\n"
#define BLAMED "who 0 blamed =process text =hog =99 1000 100000000000\n"

static const char counters[] = "[check]\nquestion = Is it?\narea = test\n"
			       "[metric counted_count]\nvalue = delta(vmstat:up)\n"
			       "why = x\nhowever = x\n%s\n"
			       "[trace t]\nevent = sched:sched_switch\n"
			       "[metric traced_seconds]\nvalue = p99(trace:t)\nclass = harm\n"
			       "enough = count(trace:t) >= 100\nacquit = < 1ms\nmaybe = > 10ms\n"
			       "bad = > 50ms\nsource = a book\nwhy = x\nhowever = x\n%s\n";

#define HARM_KEYS "class = harm\nmaybe = > 10\nbad = > 20\nsource = judgement"
#define HARM "witness = trace:t\n" HARM_KEYS

static char *blob(const char *lost, const char *lines)
{
	return mem_printf("tuesday-trace 1\ntrace =test =t\nmethod =test\nunit ns\nran 5000000000\n"
			  "asked 5000000000\nlost %s\nleft-out 0 0\ncost 1 1000 10 100\n%s",
		lost, lines);
}

/* The samples that are judged, behind which there is the one that was taken while the trace looked.
 */
#define JUDGED 3
#define SAMPLES 4

/* What the counters did while the trace looked. */
static enum { STILL, OVER, UNREAD, NOBODY_LOOKED } meanwhile;

static void write_beside(void)
{
	static const char *const texts[] = {[STILL] = "up 60\nlevel 30\nfits 30\nhalf 60\n",
		[OVER] = "up 41\nlevel 1\nfits 1\nhalf 50\n"};
	const char *text = meanwhile <= OVER ? texts[meanwhile] : "other 1\n";

	machine_write(JUDGED, "/proc/vmstat", text);
}

static void want_beside(void *sweep, struct expr_leaf *leaf)
{
	sweep_want_beside(sweep, leaf->reference);
}

/* What there is to know of a disk when it is judged. */
static void put_disk(const char *path, const char *text)
{
	machine_write(JUDGED - 1, path, text);
	machine_write(JUDGED, path, text);
}

/* Judges with the trace, as a run does after the counters; result is the caller's to free. */
static void judge(const char *first, const char *second, const char *trace,
	void (*look)(const struct check_result *result, const char *sentence), const char *sentence)
{
	char *text = mem_printf(counters, first, second);
	struct sweep *sweep = sweep_new();
	struct str errors = STR_INIT;
	struct check *check = check_parse("test", text, strlen(text), &errors);
	struct judge_context context = {.sweep = sweep, .cpus = 2};
	struct check_result result;
	struct traces *traces = NULL;

	machine_write(2, "/@trace", trace);
	write_beside();
	if (!check || capture_open_replay(&context.fs, machine_dir)) {
		printf("Bail out! %s\n", str_text(&errors));
		exit(1);
	}
	check_bind(check, sweep);
	sweep_open(sweep, context.fs);
	while (sweep_samples(sweep) < JUDGED)
		sweep_take(sweep);
	traces = traces_run(
		context.fs, (const struct trace_spec *const *)check->traces, check->n_traces, NULL);
	context.traces = traces;
	context.traced_from = context.traced_to = JUDGED - 1;
	check_each_leaf(check, want_beside, sweep);
	if (meanwhile != NOBODY_LOOKED && !sweep_take_beside(sweep))
		context.traced_to++;
	judge_check(check, &context, &result);
	look(&result, sentence);
	check_result_free(&result);
	traces_free(traces);
	check_free(check);
	sweep_free(sweep);
	capture_close(context.fs);
	str_free(&errors);
	free(text);
}

static void is_good(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->tier == TIER_TRACE && result->exonerated,
		"%s", sentence);
	ok(strstr(result->summary, "ruled out by the trace") != NULL,
		"and the summary says that it was overruled");
}

static void is_good_within(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated &&
			strstr(result->summary, "within its limits; counters suggested maybe") ==
				result->summary,
		"%s", sentence);
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

static void is_bad_by_hog_less_sure(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_BAD && result->confidence == CONFIDENCE_MEDIUM &&
			result->n_culprits == 1 && !strcmp(result->culprits[0].name, "hog"),
		"%s", sentence);
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

static void is_maybe_cut(const struct check_result *result, const char *sentence)
{
	bool is_said = false;
	size_t i;

	for (i = 0; i < result->n_howevers; i++)
		is_said |= !strcmp(result->howevers[i],
			"trace t ran only 2.4 s of 5 s: too short to rule anything out");
	ok(result->verdict == VERDICT_MAYBE && result->tier == TIER_COUNTERS && is_said, "%s",
		sentence);
}

static void is_bad_hardly_believed(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_BAD && result->confidence == CONFIDENCE_LOW, "%s", sentence);
}

static void is_good_not_exonerated(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated, "%s", sentence);
}

static void is_maybe_as_counted(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE && result->tier == TIER_COUNTERS &&
			result->n_howevers > 0,
		"%s", sentence);
}

static void test_overruling(void)
{
	char *fast = blob("0 0 0 0", FAST), *slow = blob("0 0 0 0", SLOW BLAMED);
	char *middling = blob("0 0 0 0", MIDDLING), *few = blob("0 0 0 0", FEW);
	char *slowish = blob("0 0 0 0", SLOWISH);
	char *blind = blob("900000 0 0 0", FAST);
	char *crowded = blob("0 1 0 0", FAST), *crowded_slow = blob("0 1 0 0", SLOW BLAMED);
	char *stand_in = blob("0 0 0 0", "fallback\n" FAST);
	char *stand_in_slow = blob("0 0 0 0", "fallback\n" SLOW BLAMED);
	char *half = blob("0 0 0 0", "ran 2500000000\n" FAST);
	char *cut = blob("0 0 0 0", "ran 2400000000\n" FAST);
	char *cut_slow = blob("0 0 0 0", "ran 2400000000\n" SLOW BLAMED);

	judge("say = {value}\n" HARM, "", fast, is_good,
		"counters said maybe, nobody waited in the trace: good");
	judge("say = {value}\n" HARM, "", slowish, is_good_within,
		"a trace within its limits overrules too, and says that it was no more than that");
	judge(HARM, "", slow, is_bad_by_hog, "the trace saw it: bad");
	judge(HARM, "", middling, is_bad,
		"the trace agrees that it may be: the counters' bad, held back before, stands");
	judge("class = harm\nmaybe = > 10\nsource = a book", "", middling, is_maybe,
		"both say maybe: maybe");
	judge(HARM, "", few, is_maybe, "a trace that saw too little to judge changes nothing");
	judge(HARM, "", blind, is_maybe_hardly_believed,
		"a trace that lost most of what happened exonerates nobody");
	judge("class = harm\nmaybe = > 100\nsource = a book", "", crowded, is_good_not_exonerated,
		"nor does one that had no room for all");
	judge(HARM, "", crowded, is_maybe_as_counted, "and it overrules nothing");
	judge(HARM, "", crowded_slow, is_bad_by_hog_less_sure, "but it may accuse");
	judge(HARM, "", stand_in, is_maybe_untraced,
		"a trace that stands in for a better one overrules nothing");
	judge(HARM, "", stand_in_slow, is_bad_by_hog, "but it may accuse");
	judge("class = harm\nmaybe = > 100\nsource = a book", "", stand_in, is_good_not_exonerated,
		"nor does it exonerate");
	judge(HARM, "", half, is_good, "a trace that ran for half of its time overrules");
	judge(HARM, "", cut, is_maybe_cut, "one that ran for less overrules nothing, and says so");
	judge("class = harm\nmaybe = > 100\nsource = a book", "", cut, is_good_not_exonerated,
		"nor does it exonerate");
	judge(HARM, "", cut_slow, is_bad_hardly_believed, "but it may accuse");
	judge("class = error\nbad = > 20\nsource = a book", "", fast, is_bad,
		"an error stands, whatever was traced");
	judge("class = limit\nbad = > 20\nsource = a book", "", fast, is_bad, "a limit stands too");
	judge(HARM_KEYS, "", fast, is_maybe, "what names no witness is overruled by no trace");
	judge(HARM, "", "tuesday-trace 1\ntrace =test =t\nmissing =not%20permitted\n",
		is_maybe_with_reason,
		"where tracing is not to be had the verdict stays and says what was missing");
	judge(HARM, "", "nonsense", is_maybe, "a blob of nonsense changes nothing");
	free(fast);
	free(slowish);
	free(slow);
	free(middling);
	free(few);
	free(blind);
	free(crowded);
	free(crowded_slow);
	free(stand_in);
	free(stand_in_slow);
	free(half);
	free(cut);
	free(cut_slow);
}

#define BETWEEN "class = harm\nacquit = < 10\nmaybe = > 100\nsource = a book"

static void is_cleared_silently(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->exonerated && !result->reason &&
			!strstr(result->summary, "overrules"),
		"%s", sentence);
}

static void is_not_cleared_as_counted(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated && result->reason &&
			strstr(result->reason, "counted_count is 40"),
		"%s", sentence);
}

static void is_not_cleared_for_loss(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated && result->reason &&
			!strncmp(result->reason, "trace t did not see all: ", 25),
		"%s", sentence);
}

static void is_over(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE && !result->exonerated && result->metrics[0].over &&
			strstr(result->summary, "(it was over when the trace looked)"),
		"%s", sentence);
	ok(result->confidence != CONFIDENCE_HIGH, "and a trace of another time makes nobody sure");
}

static void is_good_unwatched(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated && result->reason &&
			!strcmp(result->reason,
				"40; whether it was over when the trace looked is not known"),
		"%s", sentence);
}

static void is_good_by_the_trace(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->exonerated, "%s", sentence);
}

#define SAID "say = {value}\n"
#define BOOK "say = {value}\nwitness = trace:t\nclass = harm\nbad = > 20\nsource = a book"
/* In the two windows 40, and in the one of the trace 20: as many in as much time. */
#define ENOUGH SAID HARM "\nenough = delta(vmstat:up) >= 30"
#define LEVEL_OF(value) \
	"class = cause\nsource = a book\n[metric level_count]\nvalue = " value \
	"\nclass = harm\nwitness = trace:t\nmaybe = > 10\nsource = a book\nsay = {value}\n" \
	"why = x\nhowever = x"
#define LEVEL LEVEL_OF("vmstat:level")
/* 40 in 4 s, and 10 in the 2 s of the trace. */
#define SHARE LEVEL_OF("1.2 * delta(vmstat:half) / window")
/* Beyond it in one window of two. */
#define FITFUL LEVEL_OF("vmstat:fits\nsustained = 1/2")

static void is_level_over(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE && result->metrics[1].over, "%s", sentence);
}

static void is_level_unwatched(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated && result->reason &&
			strstr(result->reason, "whether it was over"),
		"%s", sentence);
}

/* What was over when the trace looked it cannot have seen. */
static void test_over(void)
{
	char *fast = blob("0 0 0 0", FAST), *slow = blob("0 0 0 0", SLOW BLAMED);

	meanwhile = OVER;
	judge(SAID HARM, "", fast, is_over, "what was over is maybe, whatever the trace says");
	judge(BOOK, "", fast, is_over, "and no more than maybe, whatever it was");
	judge(ENOUGH, "", fast, is_over, "so is what had too little work to be judged by then");
	judge(SHARE, "", fast, is_level_over, "and so is a rate that is half of what it was");
	judge(LEVEL, "", fast, is_level_unwatched,
		"but a level is not known to be over by the one look that does not find it");
	judge(FITFUL, "", fast, is_level_unwatched, "nor is one that came and went before");
	judge(SAID HARM, "", slow, is_bad_by_hog, "unless the trace accuses for itself");
	judge("class = error\nbad = > 20\nsource = a book", "", fast, is_bad,
		"an error stands all the same");
	judge("class = harm\nmaybe = > 100\nsource = a book", "", fast, is_good_by_the_trace,
		"and what was never accused is cleared as ever");
	meanwhile = NOBODY_LOOKED;
	judge(SAID HARM, "", fast, is_good_unwatched,
		"where nobody knows whether it was over it is overruled, and not cleared");
	meanwhile = UNREAD;
	judge(SAID HARM, "", fast, is_good_unwatched, "nor where the counter could not be read");
	meanwhile = STILL;
	judge(ENOUGH, "", fast, is_good_by_the_trace,
		"what was still there, in proportion, the trace clears");
	judge(LEVEL, "", fast, is_good_by_the_trace, "and so of a level");
	free(fast);
	free(slow);
}

/* What nobody accuses and nobody clears. */
static void test_witness_that_clears(void)
{
	char *fast = blob("0 0 0 0", FAST), *lossy = blob("5 0 0 0", FAST);

	judge(BETWEEN "\nwitness = trace:t", "", fast, is_cleared_silently,
		"what is between acquit and maybe is cleared by its witness");
	judge(BETWEEN, "", fast, is_not_cleared_as_counted, "and by no other trace");
	judge(BETWEEN "\nwitness = trace:t", "", lossy, is_not_cleared_for_loss,
		"nor by one that lost events");
	free(fast);
	free(lossy);
}

/* Of a thousand connections none was brief, and each of the two fields has a block of its own. */
static char *fields_blob_asked(const char *asked_ns, const char *lost)
{
	return mem_printf("tuesday-trace 1\n"
			  "trace =test =ends\nmethod =test\nunit ns\nran 5000000000\n"
			  "asked %s\nlost %s\nleft-out 0 0\ncost 1 1000 10 100\n"
			  "trace =test =ends.lived\nmethod =test\nunit ns\nran 5000000000\napart\n"
			  "instance text =:80 1000 1000000 1000 111:1000\n"
			  "trace =test =ends.brief\nmethod =test\nunit ns\nran 5000000000\napart\n"
			  "instance text =:80 0 0 0\n",
		asked_ns, lost);
}

static char *fields_blob(const char *lost)
{
	return fields_blob_asked("5000000000", lost);
}

#define HARM_AT_ENDS "witness = trace:ends\n" HARM_KEYS
/* Harm by a field that nothing is in. */
#define BRIEF \
	"[trace ends]\ntracer = churn\n[metric brief_ratio]\n" \
	"value = count(trace:ends.brief) / count(trace:ends.lived)\n" \
	"enough = count(trace:ends.lived) >= 50\nclass = harm\nacquit = < 1%\nmaybe = > 2%\n" \
	"bad = > 5%\nsource = a book\nwhy = x\nhowever = x"

static void is_good_rather_sure(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->exonerated &&
			strstr(result->reason, "did not see all") &&
			result->confidence == CONFIDENCE_MEDIUM,
		"%s", sentence);
}

static void test_lost_of_fields(void)
{
	char *whole = fields_blob("0 0 0 0"), *starts = fields_blob("5 0 0 0");
	char *crowded = fields_blob("0 5 0 0"), *blind = fields_blob("50000 0 0 0");
	char *missed = fields_blob("0 0 0 50000");
	char *cut = fields_blob_asked("50000000000", "0 0 0 0");

	judge(HARM_AT_ENDS, BRIEF, whole, is_good, "a field in which there is nothing exonerates");
	judge(HARM_AT_ENDS, BRIEF, starts, is_good_rather_sure,
		"a few lost of a thousand are not all of a field that nothing is in, but they "
		"clear "
		"nobody");
	judge(HARM_AT_ENDS, BRIEF, crowded, is_maybe_as_counted,
		"a tracer of several things that had no room for all overrules nothing");
	judge(HARM_AT_ENDS, BRIEF, blind, is_maybe_as_counted,
		"nor does one that lost most starts");
	judge(HARM_AT_ENDS, BRIEF, missed, is_maybe_as_counted, "nor one that missed most events");
	judge("class = harm\nmaybe = > 100\nsource = a book", BRIEF, crowded,
		is_good_not_exonerated, "and it exonerates nobody");
	judge(HARM_AT_ENDS, BRIEF, cut, is_maybe_as_counted,
		"nor does one that was cut short overrule");
	free(cut);
	free(whole);
	free(starts);
	free(crowded);
	free(blind);
	free(missed);
}

#define CONTEXT "class = cause\nsource = a book\nsay = {value} is a question\n"

static void is_looked_for(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->looks && !result->idle &&
			!result->exonerated && judge_wants_trace(result, false) &&
			!strcmp(result->summary, "within its limits; 40 is a question"),
		"%s", sentence);
}

static void is_left_alone(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && !result->looks && result->idle &&
			!judge_wants_trace(result, false),
		"%s", sentence);
}

static void is_cleared(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_GOOD && result->tier == TIER_TRACE && result->exonerated,
		"%s", sentence);
}

/* Beside harm that had nothing to do. */
#define QUIET \
	"\n[metric quiet_count]\nvalue = delta(vmstat:up)\nclass = harm\nmaybe = > 1\n" \
	"enough = delta(vmstat:up) > 1000\nsource = a book\nwhy = x\nhowever = x"

static void test_looking(void)
{
	static const char none[] = "tuesday-trace 1\ntrace =test =t\nmissing =not%20permitted\n";
	char *fast = blob("0 0 0 0", FAST), *slow = blob("0 0 0 0", SLOW BLAMED);
	char *few = blob("0 0 0 0", FEW);

	judge(CONTEXT "look = > 10" QUIET, "", none, is_looked_for,
		"a metric may ask for the trace and accuse nobody; without it nobody is "
		"exonerated");
	judge(CONTEXT "look = > 100" QUIET, "", none, is_left_alone,
		"within its limit it does not");
	judge(CONTEXT "look = > 10\nenough = delta(vmstat:up) > 1000" QUIET, "", none,
		is_left_alone, "nor where there was too little to ask about");
	judge(CONTEXT "look = > 10" QUIET, "", fast, is_cleared,
		"the trace that looked exonerates");
	judge(CONTEXT "look = > 10" QUIET, "", slow, is_bad_by_hog, "or accuses");
	judge(CONTEXT "look = > 10" QUIET, "", few, is_looked_for,
		"one that saw too little does neither");
	free(fast);
	free(slow);
	free(few);
}

static void test_class_of_traced_device(void)
{
	char *trace = blob(
		"0 0 0 0", "apart\ninstance device =259:0 1000 13500000000 13600000 329:1000\n");

	put_disk("/sys/dev/block/259:0@link", "../../devices/pci/nvme/nvme0n1");
	judge(HARM, "bad.nvme = > 12ms", trace, is_bad,
		"a traced disk is judged by the limits of its class");
	free(trace);
}

/* Harm at nvme0n1, which has read five times since boot. */
#define AT_A_DISK_BY(witness) \
	CONTEXT "\n[metric disk_count]\nvalue = since_boot(diskstats:*.reads)\n" \
		"class = harm\nwitness = " witness \
		"\nmaybe = > 1\nsource = a book\nsay = {value}\nwhy = x\nhowever = x"
#define AT_A_DISK AT_A_DISK_BY("trace:t")
/* A second metric of the trace, which wants more than it saw of any disk. */
#define RARE \
	"\n[metric rare_seconds]\nvalue = max(trace:t)\nenough = count(trace:t) >= 5000\n" \
	"class = harm\nmaybe = > 10s\nsource = a book\nwhy = x\nhowever = x"
/* Another trace, which keeps no disks apart. */
#define OF_ALL \
	"\n[trace all]\nevent = sched:sched_waking\n[metric all_seconds]\nvalue = " \
	"p99(trace:all)\n" \
	"enough = count(trace:all) >= 100\nclass = harm\nmaybe = > 10s\nsource = a book\n" \
	"why = x\nhowever = x"
#define OF_DISKS(one, other) "apart\ninstance device =259:0 " one "instance device =8:0 " other

static const char fast[] = "1000 1000000 1000 111:1000\n";
static const char few[] = "5 500000000 100000000 375:5\n";

static void test_another_instance(void)
{
	char *seen = mem_printf(OF_DISKS("%s", "%s"), fast, few);
	char *unseen = mem_printf(OF_DISKS("%s", "%s"), few, fast);
	char *seen_blob = blob("0 0 0 0", seen), *unseen_blob = blob("0 0 0 0", unseen);

	put_disk("/sys/dev/block/259:0@link", "../../devices/pci/nvme/nvme0n1");
	put_disk("/sys/dev/block/8:0@link", "../../devices/pci/ata/sda");
	judge(AT_A_DISK, "", seen_blob, is_good,
		"the trace overrules what is said of the disk it saw");
	judge(AT_A_DISK, "", unseen_blob, is_maybe,
		"but not what is said of one of which it saw too little");
	judge(AT_A_DISK, RARE, seen_blob, is_good,
		"it overrules where one of its metrics could judge that disk and another could "
		"not");
	judge(AT_A_DISK RARE, "", seen_blob, is_good, "in whichever order they stand");
	judge(AT_A_DISK, RARE, unseen_blob, is_maybe, "and not where none could");
	free(seen);
	free(unseen);
	free(seen_blob);
	free(unseen_blob);
}

static void is_maybe_of_a_disk(const struct check_result *result, const char *sentence)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++)
		if (!strcmp(result->metrics[i].metric->name, "disk_count"))
			break;
	ok(result->verdict == VERDICT_MAYBE && i < result->n_metrics &&
			!strcmp(result->metrics[i].instance, "sda"),
		"%s", sentence);
}

/* What hangs has no event: a trace of others says nothing of it. */
static void test_nothing_seen(void)
{
	char *others = blob("0 0 0 0", "apart\ninstance device =8:0 1000 1000000 1000 111:1000\n");
	char *nobody = blob("0 0 0 0", "apart\n");
	char *all = mem_printf("trace =test =all\nmethod =test\nunit ns\nran 5000000000\n"
			       "lost 0 0 0 0\nleft-out 0 0\ncost 1 1000 10 100\n%s",
		FAST);
	char *both = mem_printf("%s%s", nobody, all);
	char *seen = mem_printf(OF_DISKS("%s", "%s"), fast, few);
	char *seen_blob = blob("0 0 0 0", seen);
	int i;

	judge(AT_A_DISK, "", others, is_maybe,
		"a trace without a row for a disk clears it of nothing");
	judge(AT_A_DISK_BY("trace:t trace:all"), OF_ALL, both, is_maybe,
		"nor does one of all disks together");
	for (i = 0; i < SAMPLES; i++) {
		machine_write(i, "/sys/block/sda/queue/rotational", "0\n");
		machine_write(i, "/proc/diskstats",
			" 259 0 nvme0n1 5 0 80 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n"
			" 8 0 sda 3 0 80 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
	}
	judge(AT_A_DISK, "", seen_blob, is_maybe_of_a_disk,
		"where a trace clears the worst of the accused, another one of them stays so");
	free(others);
	free(nobody);
	free(all);
	free(both);
	free(seen);
	free(seen_blob);
}

static const char middling[] = "1000 13500000000 13600000 329:1000\n";

/* 200 of nvme0n1, and 20 of sda. */
#define OF_BOTH(keys) \
	CONTEXT "\n[metric disk_count]\nvalue = delta(diskstats:*.reads)\n" keys \
		"\nsay = {instance} {value}\nwhy = x\nhowever = x"
#define SEEN "class = harm\nwitness = trace:t"
#define BAD_AND_MAYBE "\nmaybe = > 10\nbad = > 100\nsource = a book"

/* The metric of OF_BOTH: the first is that of counters() itself. */
static const struct metric_result *of_both(const struct check_result *result)
{
	return &result->metrics[1];
}

static bool is_named(const struct check_result *result, const char *name)
{
	size_t i;

	for (i = 0; i < result->n_culprits; i++)
		if (!strcmp(result->culprits[i].name, name))
			return true;
	return false;
}

static bool tells(const struct check_result *result, enum verdict verdict, const char *instance)
{
	const struct metric_result *metric = of_both(result);

	return metric->verdict == verdict && !strcmp(metric->instance, instance);
}

static void is_bad_by_the_first(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_BAD && tells(result, VERDICT_BAD, "nvme0n1") &&
			is_named(result, "nvme0n1"),
		"%s", sentence);
}

static bool is_first_cleared(const struct check_result *result)
{
	return of_both(result)->overruled != VERDICT_GOOD && !is_named(result, "nvme0n1") &&
		!strstr(result->summary, "nvme0n1");
}

static void is_maybe_of_the_second(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE && tells(result, VERDICT_MAYBE, "sda") &&
			of_both(result)->accused == 1 && is_first_cleared(result),
		"%s", sentence);
}

static void is_bad_of_the_second(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_BAD && tells(result, VERDICT_MAYBE, "sda") &&
			is_named(result, "sda") && is_first_cleared(result),
		"%s", sentence);
}

static void is_maybe_by_the_trace(const struct check_result *result, const char *sentence)
{
	ok(result->verdict == VERDICT_MAYBE && tells(result, VERDICT_GOOD, "nvme0n1") &&
			of_both(result)->overruled == VERDICT_BAD && !of_both(result)->accused &&
			is_first_cleared(result),
		"%s", sentence);
}

/* A blob of what the trace saw of nvme0n1 and of sda. The caller frees. */
static char *of_disks(const char *lost, const char *nvme, const char *sda)
{
	char *lines = mem_printf("apart\n%s%s%s%s", *nvme ? "instance device =259:0 " : "", nvme,
		*sda ? "instance device =8:0 " : "", sda);
	char *text = blob(lost, lines);

	free(lines);
	return text;
}

static void count_both(void)
{
	int i;

	for (i = 0; i < SAMPLES; i++) {
		char *text = mem_printf(" 259 0 nvme0n1 %d 0 80 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n"
					" 8 0 sda %d 0 80 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n",
			i * 100, i * 10);

		machine_write(i, "/proc/diskstats", text);
		free(text);
	}
}

/* Of each instance what its counters and the trace say of that one, and the worst that remains. */
static void test_who_remains(void)
{
	char *agrees = of_disks("0 0 0 0", middling, ""), *blind = of_disks("9000 0 0 0", fast, "");
	char *crossed = of_disks("0 0 0 0", fast, middling),
	     *clears = of_disks("0 0 0 0", fast, "");
	char *crowded = of_disks("0 1 0 0", fast, middling);
	char *other = of_disks("0 0 0 0", "", middling);

	judge(OF_BOTH(SEEN BAD_AND_MAYBE), "", agrees, is_bad_by_the_first,
		"one of which the trace saw nothing and that is maybe hides no bad one");
	judge(OF_BOTH(SEEN BAD_AND_MAYBE), "", blind, is_bad_by_the_first,
		"nor does it where the trace does not count");
	judge(OF_BOTH("class = error" BAD_AND_MAYBE), "", clears, is_bad_by_the_first,
		"nor an error of one that the trace clears");
	judge(OF_BOTH("class = limit" BAD_AND_MAYBE), "", clears, is_bad_by_the_first,
		"nor its limit");
	judge(OF_BOTH("class = harm" BAD_AND_MAYBE), "", clears, is_bad_by_the_first,
		"nor what no trace can see of it");
	judge(OF_BOTH(SEEN BAD_AND_MAYBE), "", clears, is_maybe_of_the_second,
		"whom a trace cleared is not told, counted or named where another remains");
	judge(OF_BOTH(SEEN "\nmaybe = > 100\nbad = > 150\nsource = a book"), "", crossed,
		is_maybe_by_the_trace,
		"a trace's maybe of one does not convict by the bad of another that it cleared");
	judge(OF_BOTH(SEEN "\nmaybe = > 100\nbad = > 150\nsource = judgement"), "", other, is_maybe,
		"nor by what was held back of one of which it saw nothing");
	judge(OF_BOTH(SEEN "\nmaybe = > 10\nbad = > 15\nsource = judgement"), "", crossed,
		is_bad_of_the_second, "it does by what was held back of the one that it accuses");
	judge(OF_BOTH(SEEN BAD_AND_MAYBE), "", crowded, is_bad_by_the_first,
		"a trace without room for all clears none of those it saw");
	free(agrees);
	free(blind);
	free(crossed);
	free(clears);
	free(crowded);
	free(other);
}

int main(void)
{
	int i;

	machine_begin(SAMPLES);
	for (i = 0; i < SAMPLES; i++) {
		char *vmstat = mem_printf(
			"up %d\nlevel 30\nfits %d\nhalf %d\n", i * 20, i * 5 + 4, i * 20);

		machine_write(i, "/proc/vmstat", vmstat);
		machine_write(i, "/proc/diskstats",
			" 259 0 nvme0n1 5 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
		machine_write(i, "/sys/block/nvme0n1/queue/rotational", "0\n");
		free(vmstat);
	}
	test_overruling();
	test_over();
	test_witness_that_clears();
	test_lost_of_fields();
	test_looking();
	test_another_instance();
	test_nothing_seen();
	test_class_of_traced_device();
	count_both();
	test_who_remains();
	machine_end();
	return tap_done();
}
