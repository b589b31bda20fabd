/* SPDX-License-Identifier: GPL-2.0-only */
/* Do numbers become the verdicts that the writer's guide promises, and no others? */
#include "base/banned.h"

#include <math.h>

#include "check/check.h"
#include "judge/judge.h"
#include "judge/skip.h"
#include "sample/sweep.h"
#include "sample/source.h"
#include "tests/unit/machine.h"
#include "tests/unit/tap.h"
#include "check/layers.h"
#include "sample/sink.h"

/* Judges the text of a check on the machine that was written. The caller frees all three. */
struct judged {
	struct sweep *sweep;
	struct check *check;
	struct capture *fs;
	struct check_result result;
};

static struct judged judge(const char *text)
{
	struct judged j = {.sweep = sweep_new()};
	struct str errors = STR_INIT;
	struct judge_context context = {.sweep = j.sweep, .cpus = 4};
	bool unknown;
	char *why;

	j.check = check_parse("test", text, strlen(text), &errors);
	if (errors.len)
		printf("# %s", errors.text);
	str_free(&errors);
	if (!j.check || capture_open_replay(&j.fs, machine_dir)) {
		puts("Bail out! the check or the machine of the test is wrong");
		exit(1);
	}
	check_bind(j.check, j.sweep);
	sweep_open(j.sweep, j.fs);
	while (!sweep_take(j.sweep))
		;
	context.fs = j.fs;
	why = judge_why_skipped(j.check, j.fs, &unknown);
	if (why)
		judge_skip(j.check, why, unknown, &j.result);
	else
		judge_check(j.check, &context, &j.result);
	free(why);
	return j;
}

static void done(struct judged *j)
{
	check_result_free(&j->result);
	check_free(j->check);
	sweep_free(j->sweep);
	capture_close(j->fs);
}

static char *with_metric(const char *keys)
{
	return mem_printf("[check]\nquestion = Is it?\narea = test\n[metric m_count]\n%s\n"
			  "why = because\nhowever = nothing\n",
		keys);
}

static void gives(const char *sentence, const char *keys, enum verdict expected)
{
	char *text = with_metric(keys);
	struct judged j = judge(text);

	if (!ok(j.result.verdict == expected, "%s", sentence))
		printf("# %s instead of %s: %s\n", verdict_text(j.result.verdict),
			verdict_text(expected), j.result.summary);
	done(&j);
	free(text);
}

/* Six samples: up grows by 10 a window, burst by 100 in one window only, flat not at all; what
 * is stuck, 40 requests to a disk, is gone with it by the next look. */
static void write_machine(void)
{
	int i;

	machine_begin(6);
	for (i = 0; i < 6; i++) {
		char *vmstat = mem_printf("up %d\nburst %d\nflat 7\nlevel %d\n", i * 10,
			i >= 3 ? 100 : 0, i == 2 ? 90 : 5);
		char *disks = mem_printf("   8 0 sda %d 0 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
					 " 259 0 nvme0n1 %d 0 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n%s",
			i * 100, i * 500, i * 100, i * 500,
			i == 2 ? "   8 16 sdb 0 0 0 0 0 0 0 0 40 0 0 0 0 0 0 0 0 0\n" : "");

		machine_write(i, "/proc/vmstat", vmstat);
		machine_write(i, "/proc/diskstats", disks);
		machine_write(i, "/sys/block/sda/queue/rotational", "1\n");
		machine_write(i, "/sys/block/sda/queue/wbt_lat_usec", "75000\n");
		machine_write(i, "/sys/block/nvme0n1/queue/rotational", "0\n");
		machine_write(i, "/sys/block/nvme0n1/queue/wbt_lat_usec", "0\n");
		if (i == 2)
			machine_write(i, "/sys/block/sdb/ro", "0\n");
		machine_write(i, "/sys/secret@error", "13");
		machine_write(i, "/sys/word", "none\n");
		free(vmstat);
		free(disks);
	}
}

static void test_classes(void)
{
	gives("harm beyond bad is bad",
		"value = delta(vmstat:up)\nclass = harm\nmaybe = > 10\n"
		"bad = > 40\nsource = a book",
		VERDICT_BAD);
	gives("harm between maybe and bad is maybe",
		"value = delta(vmstat:up)\nclass = harm\nmaybe = > 10\nbad = > 50\nsource = a book",
		VERDICT_MAYBE);
	gives("harm by judgement alone is no more than maybe",
		"value = delta(vmstat:up)\nclass = harm\nmaybe = > 10\nbad = > 40\n"
		"source = Judgement",
		VERDICT_MAYBE);
	gives("an error by judgement alone is bad",
		"value = delta(vmstat:up)\nclass = error\nbad = > 40\nsource = judgement",
		VERDICT_BAD);
	gives("a limit by judgement alone is bad",
		"value = delta(vmstat:up)\nclass = limit\nbad = > 40\nsource = judgement",
		VERDICT_BAD);
	gives("a cause alone is no more than maybe",
		"value = delta(vmstat:up)\nclass = cause\nmaybe = > 10\nsource = a book",
		VERDICT_MAYBE);
	gives("what is within its limits is good",
		"value = delta(vmstat:up)\nclass = harm\nmaybe = > 60\nsource = a book",
		VERDICT_GOOD);
	gives("limits from below work the other way round",
		"value = delta(vmstat:up)\nclass = harm\nmaybe = < 100\nbad = < 60\nsource = a "
		"book",
		VERDICT_BAD);
}

static void test_guards(void)
{
	gives("a missing name is unknown, not zero",
		"value = delta(vmstat:nothing)\nclass = harm\nmaybe = > 10\nsource = a book",
		VERDICT_UNKNOWN);
	gives("nor does context beside it make it good",
		"value = delta(vmstat:nothing)\nclass = harm\nmaybe = > 10\nsource = a book\n"
		"[metric o_count]\nvalue = vmstat:flat\nclass = cause\nacquit = < 8\nsource = a "
		"book",
		VERDICT_UNKNOWN);
	gives("but a cause that clears does",
		"value = delta(vmstat:nothing)\nclass = harm\nmaybe = > 10\nsource = a book\n"
		"[metric o_count]\nvalue = vmstat:flat\nclass = cause\nacquit = < 8\nclears = yes\n"
		"source = a book",
		VERDICT_GOOD);
	gives("too little work is good, whatever the ratio",
		"value = delta(vmstat:up) / delta(vmstat:flat + vmstat:up)\n"
		"enough = delta(vmstat:up) >= 1000\nclass = harm\nbad = > 1%\nsource = a book",
		VERDICT_GOOD);
	gives("whether there was work is not known: unknown",
		"value = delta(vmstat:up)\nenough = delta(vmstat:nothing) >= 1\nclass = harm\n"
		"bad = > 1000\nsource = a book",
		VERDICT_UNKNOWN);
	gives("a burst in one window is not sustained",
		"value = delta(vmstat:burst)\nclass = harm\nmaybe = > 50\nsustained = 2/5\n"
		"source = a book",
		VERDICT_GOOD);
	gives("a burst counts where one window is enough",
		"value = delta(vmstat:burst)\nclass = harm\nmaybe = > 50\nsustained = 1/5\n"
		"source = a book",
		VERDICT_MAYBE);
	gives("what lasts is sustained",
		"value = delta(vmstat:up)\nclass = harm\nmaybe = > 5\nsustained = 5/5\nsource = a "
		"book",
		VERDICT_MAYBE);
	gives("a gauge is judged window by window",
		"value = vmstat:level\nclass = harm\nmaybe = > 50\nsustained = 1/5\nsource = a "
		"book",
		VERDICT_MAYBE);
	gives("a window needs its share of the work that the run needs",
		"value = delta(vmstat:up) / 10\nenough = delta(vmstat:up) >= 50\nclass = harm\n"
		"maybe = > 0.5\nsustained = 5/5\nsource = a book",
		VERDICT_MAYBE);
	gives("a window with less than its share does not count",
		"value = vmstat:level\nenough = delta(vmstat:burst) >= 50\nclass = harm\n"
		"maybe = > 1\nsustained = 2/5\nsource = a book",
		VERDICT_GOOD);
	gives("a however that applies holds the verdict back",
		"value = delta(vmstat:up)\nclass = harm\nbad = > 40\nsource = a book\n"
		"however.x.when = delta(vmstat:flat) == 0\nhowever.x.cap = maybe\n"
		"however.x.say = it lies",
		VERDICT_MAYBE);
	gives("a however that does not apply changes nothing",
		"value = delta(vmstat:up)\nclass = harm\nbad = > 40\nsource = a book\n"
		"however.x.when = delta(vmstat:flat) > 0\nhowever.x.cap = good\n"
		"however.x.say = it lies",
		VERDICT_BAD);
	gives("a number that is not to be trusted is unknown, neither bad",
		"value = delta(vmstat:up)\nclass = harm\nbad = > 40\nsource = a book\n"
		"however.x.when = delta(vmstat:flat) == 0\nhowever.x.cap = unknown\n"
		"however.x.say = it says nothing",
		VERDICT_UNKNOWN);
	gives("nor good, nor idle",
		"value = delta(vmstat:up)\nenough = delta(vmstat:up) >= 1000\nclass = harm\n"
		"bad = > 1000\nsource = a book\nhowever.x.when = delta(vmstat:flat) == 0\n"
		"however.x.cap = unknown\nhowever.x.say = it says nothing",
		VERDICT_UNKNOWN);
	gives("a number that is to be trusted is judged",
		"value = delta(vmstat:up)\nclass = harm\nbad = > 40\nsource = a book\n"
		"however.x.when = delta(vmstat:flat) > 0\nhowever.x.cap = unknown\n"
		"however.x.say = it says nothing",
		VERDICT_BAD);
	gives("a however of which nobody knows whether it applies changes nothing",
		"value = delta(vmstat:up)\nclass = harm\nbad = > 40\nsource = a book\n"
		"however.x.when = delta(vmstat:nothing) == 0\nhowever.x.cap = good\n"
		"however.x.say = it lies",
		VERDICT_BAD);
}

#define AWAIT \
	"value = delta(diskstats:*.read_ms) * 1ms / delta(diskstats:*.reads)\nsource = a book\n"

static void test_limits(void)
{
	gives("the limit of the instance's class counts",
		AWAIT "class = harm\nbad = > 100ms\nbad.nvme = > 2ms", VERDICT_BAD);
	gives("another class's limit does not",
		AWAIT "class = harm\nbad = > 100ms\nbad.virtual = > 2ms", VERDICT_GOOD);
	gives("the kernel's own limit comes before that of the class",
		AWAIT
		"class = harm\nignore = nvme*\nmaybe = > 1us * /sys/block/*/queue/wbt_lat_usec\n"
		"maybe.hdd = > 1ms",
		VERDICT_GOOD);
	gives("a knob that is off limits nothing: the class's limit counts",
		AWAIT
		"class = harm\nignore = sd*\nmaybe = > 1us * /sys/block/*/queue/wbt_lat_usec\n"
		"maybe.nvme = > 1ms",
		VERDICT_MAYBE);
	gives("a knob that is off and no class: no limit",
		AWAIT "class = harm\nignore = sd*\nmaybe = > 1us * /sys/block/*/queue/wbt_lat_usec",
		VERDICT_GOOD);
	gives("instances that are ignored are not judged",
		AWAIT "class = harm\nignore = nvme* sd*\nbad = > 1ms", VERDICT_GOOD);
}

static void test_exoneration(void)
{
	char *text =
		with_metric("value = delta(vmstat:up)\nclass = harm\nacquit = < 60\nmaybe = > 90\n"
			    "source = a book\nsay = grew by {value}, limit {limit}");
	struct judged j = judge(text);

	ok(j.result.exonerated && j.result.evidence && strstr(j.result.evidence, "grew by 50"),
		"what is below acquit is exonerated, and the ledger says by what");
	ok(!strcmp(j.result.summary, "grew by 50, limit 90"), "the summary is the metric's phrase");
	ok(j.result.confidence == CONFIDENCE_MEDIUM, "a published source is believed more");
	done(&j);
	free(text);

	text = with_metric("value = delta(vmstat:up)\nclass = harm\nacquit = < 10\nmaybe = > 90\n"
			   "source = a book");
	j = judge(text);
	ok(j.result.verdict == VERDICT_GOOD && !j.result.exonerated,
		"between acquit and maybe is good without a place in the ledger");
	done(&j);
	free(text);

	text = with_metric(
		"value = delta(vmstat:flat) / delta(vmstat:flat)\nclass = harm\nmaybe = > 1\n"
		"source = a book");
	j = judge(text);
	ok(j.result.verdict == VERDICT_GOOD && j.result.idle && j.result.exonerated,
		"a ratio of nothing to nothing is idle, and what is idle is not at fault");
	done(&j);
	free(text);
}

static int read_nothing(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	sink_none(sink);
	return 0;
}

SOURCE(nothing) = {.name = "nothing", .what = "what is not there", .read = read_nothing};

static int read_absent(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	sink_absent(sink, "there is no such thing");
	return 0;
}

SOURCE(nowhere) = {.name = "nowhere", .what = "what cannot be here", .read = read_absent};

static int read_some(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	sink_put(sink, "one", "drops", 7);
	sink_missing(sink, "only the first one is read");
	return 0;
}

SOURCE(some) = {.name = "some", .what = "one of many", .read = read_some};

static int read_pots(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	sink_put(sink, "pan", "wait", 5);
	sink_put(sink, "pot", "wait", 7);
	sink_put(sink, "rake", "wait", 9);
	sink_put(sink, "spade", "wait", 0);
	sink_put(sink, "lost", "wait", 9);
	return 0;
}

static bool room_of(
	struct capture *fs, void *state, const char *instance, const char *kind, struct str *out)
{
	(void)fs;
	(void)state;
	(void)kind;
	str_add(out, *instance == 'p' ? "the kitchen" : "shed");
	return strcmp(instance, "lost") != 0;
}

SOURCE(pots) = {.name = "pots",
	.what = "things in rooms",
	.read = read_pots,
	.groups = "room",
	.group_of = room_of};

static void test_groups(void)
{
	struct judged j =
		judge("[check]\nquestion = q\n[metric crowd_count]\nclass = error\n"
		      "value = count(pots:*.wait > 1 by room)\nmaybe = >= 2\nsource = x\n"
		      "say = {value} wait in {instance}\nnext = cat /rooms/{who}, a {pid}\n"
		      "remedy = empty {instance}\n");

	ok(j.result.verdict == VERDICT_MAYBE && !strcmp(j.result.summary, "2 wait in the kitchen"),
		"groups of instances are judged as instances are");
	ok(j.result.n_culprits == 1 && !strcmp(j.result.culprits[0].kind, "room") &&
			!strcmp(j.result.culprits[0].name, "the kitchen"),
		"and the group is the culprit");
	ok(j.result.n_next == 2 && !strcmp(j.result.next[0], "cat /rooms/'the kitchen'") &&
			j.result.n_remedies == 1 &&
			!strcmp(j.result.remedies[0], "empty 'the kitchen'"),
		"its name stands in the commands, quoted, and what lacks a name is left out");
	done(&j);
	j = judge("[check]\nquestion = q\n[metric crowd_count]\nclass = error\nonly = s*\n"
		  "value = count(pots:*.wait > 1 by room)\nmaybe = >= 2\nsource = x\n"
		  "enough = max(pots:*.wait) > 8 or max(pots:*.wait) < 0\n");
	ok(j.result.verdict == VERDICT_GOOD && !strcmp(j.result.metrics[0].instance, "shed"),
		"'only' chooses among them");
	done(&j);
	j = judge("[check]\nquestion = q\n[metric crowd_count]\nclass = error\nonly = nothing*\n"
		  "value = pots:*.wait\nmaybe = >= 2\nsource = x\n");
	ok(j.result.verdict == VERDICT_GOOD && j.result.idle,
		"where it chooses nothing it is idle");
	done(&j);
}

#define QUIET_HARM \
	"[metric harm_count]\nvalue = delta(vmstat:flat)\nclass = harm\nacquit = < 1\n" \
	"maybe = > 2\nsource = a book\nwhy = x\nhowever = x\nsay = {value} quiet\n"

/* Judges the keys of a metric beside others. reason: a part of why it is not cleared; NULL: it is.
 */
static void clears(const char *sentence, const char *keys, const char *others, const char *reason)
{
	char *metric = with_metric(keys);
	char *text = mem_printf("%s%s", metric, others);
	struct judged j = judge(text);
	const char *why = j.result.reason ? j.result.reason : "";

	if (!ok(j.result.verdict == VERDICT_GOOD && j.result.exonerated == !reason &&
			    !j.result.evidence == !j.result.exonerated &&
			    strstr(why, reason ? reason : ""),
		    "%s", sentence))
		printf("# %s %d %s\n", verdict_text(j.result.verdict), j.result.exonerated, why);
	done(&j);
	free(text);
	free(metric);
}

#define UP "value = delta(vmstat:up)\nsource = a book\nsay = grew by {value}\n"
#define LEVEL "value = vmstat:level\nsource = a book\nsay = level of {value}\n"
#define STUCK "value = diskstats:*.in_flight\nsource = a book\nsay = stuck for {value}\n"
#define BURST "value = delta(vmstat:burst)\nsource = a book\nsay = burst of {value}\n"

static void test_what_clears(void)
{
	clears("context alone clears nothing", UP "class = cause\nacquit = < 60", "",
		"nothing but context");
	clears("unless it says that it does", UP "class = cause\nacquit = < 60\nclears = yes", "",
		NULL);
	clears("beside harm that had nothing to do it is the work that there was",
		UP "class = cause\nacquit = < 60\nclears = yes",
		QUIET_HARM "enough = delta(vmstat:up) > 1000\n", NULL);
	clears("one within its acquit does not clear beside another that is not",
		UP "class = harm\nacquit = < 10\nmaybe = > 90", QUIET_HARM,
		"grew by 50 (cleared only < 10)");
	clears("not even a limit", UP "class = limit\nacquit = < 10\nmaybe = > 90", QUIET_HARM,
		"grew by 50 (cleared only < 10)");
	clears("what has no acquit clears within all that accuses",
		UP "class = error\nmaybe = > 90", QUIET_HARM, NULL);
	clears("context in between does not hinder",
		UP "class = cause\nacquit = < 10\nmaybe = > 90", QUIET_HARM, NULL);
	clears("harm that nobody could judge does",
		"value = delta(vmstat:absent)\nclass = harm\nmaybe = > 1\nsource = a book",
		QUIET_HARM, "m_count could not be judged: /proc/vmstat has no 'absent' here");
	clears("but not what is known not to be here",
		"value = nowhere:*.drops\nclass = harm\nmaybe = > 1\nsource = a book", QUIET_HARM,
		NULL);
	clears("what was read only in part clears nothing",
		"value = some:*.drops\nclass = harm\nmaybe = > 10\nsource = a book", QUIET_HARM,
		"only the first one is read");
	clears("a limit alone clears where nothing else could be at work",
		UP "class = limit\nacquit = < 60", "", NULL);
	clears("beside harm without work it does not", UP "class = limit\nacquit = < 60",
		QUIET_HARM "enough = delta(vmstat:up) > 1000\n", "only limits were looked at");
}

#define ERROR_OF(value) \
	"value = " value \
	"\nclass = error\nmaybe = >= 1\nsource = a book\nabsent = no such thing here\n"

static void test_absent(void)
{
	struct judged j;
	char *text, *both;

	clears("what is not here need not be asked, where the file says so", ERROR_OF("/sys/none"),
		QUIET_HARM, NULL);
	clears("nor any of what a pattern finds none of", ERROR_OF("/sys/none/*/errors"),
		QUIET_HARM, NULL);
	clears("nor a counter that this kernel does not have", ERROR_OF("vmstat:none"), QUIET_HARM,
		NULL);
	clears("nor what the kernel has no file for", ERROR_OF("delta(pressure/irq:full.total)"),
		QUIET_HARM, NULL);
	clears("what may not be read is not absent", ERROR_OF("/sys/secret"), QUIET_HARM,
		"m_count could not be judged: /sys/secret: Permission denied");
	clears("nor is what holds no number", ERROR_OF("/sys/word"), QUIET_HARM,
		"m_count could not be judged: /sys/word holds no number");
	clears("nor half of it", ERROR_OF("/sys/none + /sys/secret"), QUIET_HARM,
		"m_count could not be judged");
	clears("nor what other instances of are here",
		ERROR_OF("diskstats:*.none") "enough = delta(diskstats:*.reads) >= 1", QUIET_HARM,
		"m_count could not be judged: /proc/diskstats has no 'none' here");
	clears("one path's reason is its own",
		"value = /sys/none\nclass = error\nmaybe = > 1\nsource = a book",
		"[metric other_count]\nvalue = /sys/secret\nclass = cause\nsource = a book\n"
		"why = x\nhowever = x\n" QUIET_HARM,
		"m_count could not be judged: /sys/none: No such file or directory");
	text = with_metric(ERROR_OF("/sys/none"));
	j = judge(text);
	ok(j.result.verdict == VERDICT_SKIP && !strcmp(j.result.reason, "no such thing here") &&
			j.result.metrics[0].verdict == VERDICT_SKIP && !j.result.exonerated,
		"a check of which nothing is here is skipped, and clears nobody");
	done(&j);
	both = mem_printf("%s[metric other_count]\nvalue = /sys/secret\nclass = error\n"
			  "maybe = > 1\nsource = a book\nwhy = x\nhowever = x\n",
		text);
	j = judge(both);
	ok(j.result.verdict == VERDICT_UNKNOWN &&
			!strcmp(j.result.reason, "/sys/secret: Permission denied"),
		"where something else may not be read, that is why it is unknown");
	done(&j);
	free(both);
	free(text);
}

/* What a metric's result says of its number, which is unknown. */
static void contradicts(const char *sentence, const char *keys, const char *expected)
{
	char *text = with_metric(keys);
	struct judged j = judge(text);
	const struct metric_result *metric = &j.result.metrics[0];

	if (!ok(metric->verdict == VERDICT_UNKNOWN && metric->missing &&
			    !strcmp(metric->missing, expected) && !j.result.exonerated,
		    "%s", sentence))
		printf("# %s: %s\n", verdict_text(metric->verdict),
			metric->missing ? metric->missing : "(nothing)");
	done(&j);
	free(text);
}

static void test_contradictions(void)
{
	contradicts("a negative count is unknown, with both numbers",
		"value = vmstat:level - vmstat:flat\nclass = harm\nacquit = < 1\nmaybe = > 2\n"
		"source = a book",
		"m_count is -2 (5 less 7): below 0 cannot be");
	contradicts("also behind a quotient",
		"value = (vmstat:level - vmstat:flat) / 2\nclass = harm\nmaybe = > 2\n"
		"source = a book",
		"m_count is -1 (5 less 7): below 0 cannot be");
	contradicts("so is more than there can be",
		"value = delta(vmstat:up) / (vmstat:flat + 3)\nclass = limit\nmaybe = > 90%\n"
		"at_most = 100%\nsource = a book",
		"m_count is 5 (50 of 10): more than 1 cannot be");
	gives("one that may be negative says so",
		"value = vmstat:level - vmstat:flat\nclass = harm\nacquit = < 1\nmaybe = > 2\n"
		"signed = yes\nsource = a book",
		VERDICT_GOOD);
	gives("what there was no work for contradicts nothing",
		"value = vmstat:level - vmstat:flat\nenough = vmstat:level >= vmstat:flat\n"
		"class = harm\nmaybe = > 2\nsource = a book",
		VERDICT_GOOD);
	gives("a negative window is none: the others are judged",
		"value = vmstat:level - vmstat:flat + delta(vmstat:up)\nsustained = 1/5\n"
		"class = harm\nmaybe = > 60\nbad = > 80\nsource = a book",
		VERDICT_BAD);
}

static void test_worst_window(void)
{
	char *text;
	struct judged j;

	clears("a window beyond maybe that did not last is told with its length",
		BURST "class = harm\nsustained = 2/5\nacquit = < 10\nmaybe = > 50", QUIET_HARM,
		"burst of 100 for 2 of 10 s");
	clears("also without an acquit", BURST "class = harm\nsustained = 2/5\nmaybe = > 50",
		QUIET_HARM, "burst of 100 for 2 of 10 s");
	clears("and where only bad accuses", BURST "class = harm\nsustained = 2/5\nbad = > 50",
		QUIET_HARM, "burst of 100 for 2 of 10 s");
	clears("one between acquit and maybe is none",
		BURST "class = harm\nsustained = 2/5\nacquit = < 10\nmaybe = > 500", QUIET_HARM,
		"burst of 100 (cleared only < 10)");
	clears("a state that comes and goes between the first look and the last clears nobody",
		LEVEL "class = harm\nmaybe = > 50", QUIET_HARM, "level of 90 for 2 of 10 s");
	clears("nor does one without an acquit of an instance that is gone",
		STUCK "class = harm\nmaybe = > 30", QUIET_HARM, "stuck for 40 for 2 of 10 s");
	clears("nor one between acquit and maybe", STUCK "class = harm\nacquit = < 1\nmaybe = > 50",
		QUIET_HARM, "stuck for 40 (cleared only < 1)");
	clears("but what was within its limits at each look does",
		STUCK "class = harm\nmaybe = > 40", QUIET_HARM, NULL);
	gives("of what is gone one look of however many accuses where the file says so",
		"value = diskstats:*.in_flight\nclass = harm\nmaybe = > 30\nsustained = 1/60\n"
		"source = a book",
		VERDICT_MAYBE);
	text = with_metric(BURST "class = harm\nsustained = 2/5\nacquit = < 200\nmaybe = > 500");
	j = judge(text);
	ok(!strcmp(j.result.evidence, "burst of 100") && j.result.metrics[0].value == 0 &&
			j.result.metrics[0].worst == 100,
		"what clears is said of the worst window, and what lasted is the value");
	done(&j);
	free(text);
}

static void test_weakest_evidence(void)
{
	char *text = with_metric(UP "class = harm\nacquit = < 60\nmaybe = > 90\n");
	char *both = mem_printf("%s%s", text, QUIET_HARM);
	struct judged j = judge(both);

	ok(!strcmp(j.result.evidence, "grew by 50") &&
			!strcmp(j.result.summary, "grew by 50; 0 quiet"),
		"the ledger names the number that is nearest to its limit");
	done(&j);
	free(both);
	free(text);
	text = mem_printf("[check]\nquestion = q\narea = test\n" QUIET_HARM
			  "[metric left_count]\nvalue = delta(vmstat:up)\nclass = limit\n"
			  "acquit = > 40\nmaybe = < 10\nsource = a book\nwhy = x\nhowever = x\n"
			  "say = {value} left\n");
	j = judge(text);
	ok(!strcmp(j.result.evidence, "50 left"), "also where less is worse");
	done(&j);
	free(text);
	j = judge("[check]\nquestion = q\n[metric pots_count]\nclass = error\nvalue = 1 + 0 * "
		  "delta(vmstat:up)\nmaybe = >= 1\nsource = x\nsay = {value} pot(s) (is|are) full "
		  "(of {limit})\n");
	ok(!strcmp(j.result.summary, "1 pot is full (of 1)"), "one has a word for one");
	done(&j);
	j = judge("[check]\nquestion = q\n[metric pots_count]\nclass = error\nvalue = 2 + 0 * "
		  "delta(vmstat:up)\nmaybe = >= 1\nsource = x\nsay = {value} pot(s) (is|are) full "
		  "(of {limit})\n");
	ok(!strcmp(j.result.summary, "2 pots are full (of 1)"), "and more have one for more");
	done(&j);
}

static void is_idle(const char *sentence, const char *keys)
{
	char *text = with_metric(keys);
	struct judged j = judge(text);

	ok(j.result.verdict == VERDICT_GOOD && j.result.idle && j.result.exonerated, "%s",
		sentence);
	done(&j);
	free(text);
}

static void test_missing(void)
{
	gives("a check of nothing but causes has an answer",
		"value = delta(vmstat:up)\nclass = cause\nsource = a book", VERDICT_GOOD);
	gives("and says maybe where one accuses",
		"value = delta(vmstat:up)\nclass = cause\nmaybe = > 1\nsource = a book",
		VERDICT_MAYBE);
	is_idle("where the source found none of the kind nothing is at fault",
		"value = nothing:*.drops\nclass = harm\nmaybe = > 1\nsource = a book");
	is_idle("also for what would have grown",
		"value = rate(nothing:*.drops)\nclass = error\nmaybe = > 1\nsource = a book");
	is_idle("what is known to have had nothing to do needs no value",
		"value = diskstats:*.reads / delta(vmstat:nothing)\nclass = harm\nmaybe = > 1\n"
		"source = a book\nenough = delta(diskstats:*.flushes) > 0");
	gives("a number without a value is not known as long as there was work",
		"value = diskstats:*.reads / delta(vmstat:nothing)\nclass = harm\nmaybe = > 1\n"
		"source = a book\nenough = delta(diskstats:*.reads) > 0",
		VERDICT_UNKNOWN);
	gives("but a number without instances that is not there is not known",
		"value = nothing:drops\nclass = harm\nmaybe = > 1\nsource = a book",
		VERDICT_UNKNOWN);
	char *text = mem_printf("[check]\nquestion = Is it?\nneeds = /proc/vmstat /proc/absent\n"
				"[metric m_count]\nvalue = vmstat:up\nclass = cause\nsource = x\n");
	struct judged j = judge(text);

	ok(j.result.verdict == VERDICT_SKIP && strstr(j.result.reason, "/proc/absent"),
		"a check whose needs are not there is skipped, and says which");
	done(&j);
	free(text);

	text = with_metric("value = delta(vmstat:nothing)\nclass = harm\nmaybe = > 1\nsource = x");
	j = judge(text);
	ok(j.result.reason && strstr(j.result.reason, "vmstat has no 'nothing'"),
		"unknown says what was missing");
	ok(isnan(j.result.metrics[0].value), "no value is no number");
	done(&j);
	free(text);
}

static void test_worst_instance(void)
{
	char *text = with_metric(AWAIT "class = harm\nmaybe = > 10ms\nmaybe.nvme = > 1ms\n"
				       "say = {instance} takes {value}");
	struct judged j = judge(text);

	ok(!strcmp(j.result.metrics[0].instance, "nvme0n1"),
		"of equal values the one beyond its own limit is reported");
	ok(j.result.metrics[0].instances == 2 && j.result.metrics[0].accused == 1,
		"how many were judged and how many accused is counted");
	ok(j.result.n_culprits == 1 && !strcmp(j.result.culprits[0].name, "nvme0n1"),
		"the device is the culprit");
	done(&j);
	free(text);
}

int main(void)
{
	write_machine();
	test_classes();
	test_guards();
	test_limits();
	test_exoneration();
	test_what_clears();
	test_absent();
	test_contradictions();
	test_worst_window();
	test_weakest_evidence();
	test_missing();
	test_groups();
	test_worst_instance();
	machine_end();
	return tap_done();
}
