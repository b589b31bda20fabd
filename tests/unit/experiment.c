/* SPDX-License-Identifier: GPL-2.0-only */
/* Is an [experiment NAME] read as it is meant, or refused with file, line and what was meant? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "check/check.h"
#include "check/lint.h"
#include "check/experiment.h"
#include "run/experiment_prompt.h"
#include "experiment/http_get.h"
#include "experiment/observe.h"
#include "report/report.h"
#include "base/str.h"
#include "tap.h"
#include "judge/experiment_verdict.h"
#include "check/layers.h"

#define HEAD \
	"[check]\nquestion = Q?\narea = test\n[metric x_count]\nvalue = vmstat:pgfault\n" \
	"class = cause\nsource = none\nwhy = w\nhowever = h\n"
#define KNOB "[experiment e]\nquestion = Q?\nknob = /sys/a\nset = 1\n"
#define REST \
	"observe = rate(vmstat:pgfault)\nbetter = lower\nrisk = 1\nwarning = w\nproves = p\n" \
	"source = s\nhowever = h\n"

static struct check *parse(const char *text, struct str *errors)
{
	return check_parse("t", text, strlen(text), errors);
}

static void is_error(const char *text, const char *expected, const char *what)
{
	struct str errors = STR_INIT;
	struct check *check = parse(text, &errors);

	if (!ok(!check && !strcmp(str_text(&errors), expected), "%s", what))
		printf("# got: %s\n", str_text(&errors));
	check_free(check);
	str_free(&errors);
}

static void lints(const char *text, const char *expected, const char *what)
{
	struct str errors = STR_INIT;
	struct check *check = parse(text, &errors);

	if (check)
		check_lint(check, &errors);
	if (!ok(check && !strcmp(str_text(&errors), expected), "%s", what))
		printf("# got: %s\n", str_text(&errors));
	check_free(check);
	str_free(&errors);
}

static const char full[] = HEAD
	"[experiment less]\nquestion = Does it?\nknob = /sys/block/{instance}/queue/x\n"
	"set = old / 8 or 128\nundo = -1\nalso = /sys/a /sys/b\nlabel = read-ahead\n"
	"survives_reboot = yes\nobserve = rate(diskstats:*.reads)\nbetter = higher\n"
	"say = reads {effect} faster\nsay.worse = reads {effect} slower\nmargin = 10%\n"
	"rounds = 20\nmeasure = 500ms\nsettle = 0\nbound = 3\nrisk = 2\nwarning = w\n"
	"needs = /proc\nrefuse.dirty.when = vmstat:nr_dirty > 10\nrefuse.dirty.say = it is dirty\n"
	"guard.slow.when = rate(vmstat:pgfault) > 5\nguard.slow.say = too many\n"
	"proves = p\nsource = s\nhowever = h\n";

static void count(void *arg, struct expr_leaf *leaf)
{
	(void)leaf;
	++*(int *)arg;
}

static void test_full(void)
{
	struct str errors = STR_INIT;
	struct check *check = parse(full, &errors);
	const struct experiment *e;
	int references = 0, of_check = 0;

	if (!ok(check && !errors.len && check->n_experiments == 1,
		    "a section with every key is read")) {
		printf("# %s\n", str_text(&errors));
		return;
	}
	e = check->experiments[0];
	ok(!strcmp(e->name, "less") && !strcmp(e->label, "read-ahead") && !strcmp(e->undo, "-1") &&
			!strcmp(e->also, "/sys/a /sys/b") && e->survives_reboot,
		"what is changed");
	ok(e->margin > 0.099 && e->margin < 0.101 && e->rounds == 20 && e->risk == 2 &&
			e->measure_seconds > 0.49 && e->measure_seconds < 0.51 &&
			!(e->settle_seconds > 0) && e->bound > 2.9 && !e->lower_is_better,
		"the numbers of its course");
	ok(e->refuse.n == 1 && e->guards.n == 1 && e->refuse.list[0].when &&
			!strcmp(e->guards.list[0].say, "too many"),
		"when not to run it, and when to end it");
	ok(experiment_wants_instance(e), "it is about an instance");
	experiment_each_leaf(e, count, &references);
	check_each_leaf(check, count, &of_check);
	ok(references == 3 && of_check == 1, "a plain run does not read its numbers");
	ok(!strcmp(e->file, "t.ini") && e->line == 10, "it knows where it stands");
	check_free(check);
	str_free(&errors);
}

static void test_defaults(void)
{
	struct str errors = STR_INIT;
	struct check *check = parse(HEAD KNOB REST, &errors);

	ok(check && !errors.len && check->experiments[0]->rounds == EXPERIMENT_ROUNDS &&
			check->experiments[0]->bound > 1.9 &&
			check->experiments[0]->lower_is_better &&
			!experiment_wants_instance(check->experiments[0]),
		"the least that it takes");
	check_free(check);
	str_clear(&errors);
	check = parse(
		HEAD "[experiment no]\nquestion = Q?\nrefused = it proves nothing\n", &errors);
	ok(check && !errors.len && !strcmp(check->experiments[0]->refused, "it proves nothing"),
		"one that is never run needs no more than its reason");
	check_free(check);
	str_clear(&errors);
	check = parse(
		HEAD "[experiment c]\nsave = a\napply = b {instance}\nrestore = c\n" REST, &errors);
	ok(check && !errors.len && experiment_wants_instance(check->experiments[0]),
		"commands instead of a file");
	check_free(check);
	str_clear(&errors);
	check = parse(HEAD "[experiment c]\nhold = /dev/cpu_dma_latency\nset = 0\n" REST, &errors);
	ok(check && !errors.len, "a device that is held open");
	check_free(check);
	str_free(&errors);
}

static void test_errors(void)
{
	is_error(HEAD KNOB REST "beter = x\n",
		"t.ini:21: unknown key 'beter'; did you mean "
		"'better'?\n",
		"an unknown key has a suggestion");
	is_error(HEAD "[experimnt e]\n",
		"t.ini:10: unknown section [experimnt e]; did you mean [experiment e]?\n",
		"so has an unknown section");
	is_error(HEAD "[experiment e]\n" REST,
		"t.ini:10: [experiment e] changes nothing: one of 'knob', 'apply', 'hold' and "
		"'program' says what\n",
		"it must change something");
	is_error(HEAD KNOB "hold = /dev/x\n" REST,
		"t.ini:10: [experiment e] changes more than one thing: one of 'knob', 'apply', "
		"'hold' and 'program' says what\n",
		"and one thing only");
	is_error(HEAD "[experiment e]\nknob = /sys/a\nset = 1\n",
		"t.ini:10: [experiment e] has no 'better'\nt.ini:10: [experiment e] has no "
		"'risk'\n",
		"better and risk are mandatory");
	is_error(HEAD "[experiment e]\nknob = sys/a\nset = 1\nbetter = more\nrisk = 6\n",
		"t.ini:11: 'sys/a' is not the whole path of a file\n"
		"t.ini:13: 'better' is higher or lower, not 'more'\n"
		"t.ini:14: 'risk' is a whole number from 1 to 5, not '6'\n",
		"each mistake has its line");
}

static void test_more_errors(void)
{
	is_error(HEAD KNOB REST "settle = 1 parsec\nmargin = 0\n",
		"t.ini:21: '1 parsec' is not a number with a unit, like 5s or 10ms\n"
		"t.ini:22: '0' is out of range for 'margin'\n",
		"durations and the margin have a range");
	is_error(HEAD KNOB REST "guard = vmstat:x > 1\n",
		"t.ini:21: 'guard' needs a name: guard.NAME.when = CONDITION and guard.NAME.say = "
		"PHRASE\n",
		"a guard needs a name");
	is_error(HEAD KNOB REST "guard.a.when = vmsat:x > 1\nguard.a.say = x\n",
		"t.ini:21: unknown source 'vmsat'; did you mean 'vmstat'?\n",
		"its condition is checked");
	is_error(HEAD KNOB REST "refuse.a.when = vmstat:x > 1\n",
		"t.ini:10: [experiment e] has no 'refuse.a.say'\n", "and it says something");
	is_error(HEAD KNOB REST "say = {efect} faster\n",
		"t.ini:21: unknown placeholder '{efect}'; did you mean '{effect}'?\n"
		"t.ini:21: 'say' has no {effect} in it\n",
		"phrases have their placeholder");
	is_error(HEAD KNOB REST "say = {effect} faster\n",
		"t.ini:10: [experiment e] has no 'say.worse'\n", "both ways");
	is_error(HEAD "[experiment e]\nknob = /sys/a\nset = old ^ 2\n" REST,
		"t.ini:12: 'old ^ 2': behind 'old' stands * / + or - and a number\n",
		"a relative value is checked");
	is_error(HEAD "[experiment e]\nhold = /dev/a\nset = low\n" REST,
		"t.ini:12: 'low' is no whole number for a device to take\n", "so is a held one");
	is_error(HEAD "[experiment e]\nsave = a\napply = b\n" REST,
		"t.ini:10: [experiment e] has no 'restore'\n", "commands come in threes");
	is_error(HEAD
		"[experiment e]\nknob = /sys/block/{instance}/x\nset = 1\nclears = yes\n" REST,
		"t.ini:13: 'clears' is for what takes all of it away, and this is about one "
		"{instance} of it\n",
		"what takes one disk away clears no check of all disks");
	is_error(HEAD "[experiment E]\nknob = /sys/a\nset = 1\n" REST,
		"t.ini:10: an experiment is [experiment NAME], the name of a-z, 0-9 and '_'\n",
		"a name is a name");
	is_error(HEAD "[experiment e]\nknob = /sys/../etc/passwd\nset = 1\n" REST,
		"t.ini:11: '/sys/../etc/passwd' is not the whole path of a file\n",
		"no path leads out");
	is_error(HEAD "[trace w]\nevent = a:b\n[experiment e]\nknob = /sys/a\nset = 1\n"
		      "observe = count(trace:w)\nbetter = lower\nrisk = 1\n",
		"t.ini:15: an experiment watches counters, not a trace\n", "no trace is watched");
}

static void test_lint(void)
{
	lints(HEAD KNOB REST, "", "lint is silent about a whole one");
	lints(HEAD "[experiment e]\nquestion = Q?\nrefused = r\n", "",
		"and about one that is refused");
	lints(HEAD "[experiment e]\nknob = /sys/a\nset = 1\nbetter = lower\nrisk = 5\n",
		"t.ini:10: [experiment e] has no 'question': what the experiment answers\n"
		"t.ini:10: [experiment e] has no 'warning': what whoever says yes should know "
		"before\n"
		"t.ini:10: [experiment e] has no 'proves': what a change of the number proves\n"
		"t.ini:10: [experiment e] has no 'source': who says so\n"
		"t.ini:10: [experiment e] has no 'however': what it does not prove\n"
		"t.ini:10: [experiment e] has risk 5, so it is never run: say why in 'refused'\n",
		"it says what a reader misses, and that a risk of 5 is never run");
}

#define CLEARS HEAD_OF_HARM KNOB REST "clears = yes\n"
#define HEAD_OF_HARM \
	"[check]\nquestion = Q?\narea = test\n[metric x_count]\nvalue = vmstat:nr_dirty\n" \
	"class = harm\nacquit = < 1\nmaybe = > 5\nsay = s\nclear = c\nsource = judgement\nwhy = " \
	"w\n" \
	"however = h\n"
#define SAYS "say = {effect} faster\nsay.worse = {effect} slower\n"

/* Only what takes a part away, and sees what that does, can clear. */
static void test_lint_clears(void)
{
	lints(CLEARS SAYS "takes_away = the cache\n", "", "what takes a part away may clear it");
	lints(CLEARS SAYS,
		"t.ini:14: [experiment e] has clears = yes and no 'takes_away': which part is gone "
		"meanwhile, as 'the L2ARC'\n",
		"what does not say what it takes away may not");
	lints(CLEARS "takes_away = the cache\n",
		"t.ini:14: [experiment e] has clears = yes and no 'say' and 'say.worse': the size "
		"of "
		"the effect is the evidence\n",
		"nor what has no words for the effect");
	lints(HEAD_OF_HARM "[experiment e]\nquestion = Q?\nknob = /sys/a\nset = old / 2\n" REST SAYS
			   "clears = yes\ntakes_away = the cache\n",
		"t.ini:14: [experiment e] has clears = yes and a 'set' in terms of the old value: "
		"that "
		"is more or less of it, and not without it\n",
		"nor what only makes it smaller");
}

#define PROGRAM "[experiment e]\nprogram = keepalivediagnose {url}\nrisk = 1\n"

static void test_program(void)
{
	struct str errors = STR_INIT;
	struct check *check = parse(HEAD PROGRAM "measure = 60s\n", &errors);

	ok(check && !errors.len && experiment_wants_instance(check->experiments[0]) &&
			experiment_seconds(check->experiments[0], 60) >= 60,
		"a program of our own that asks, and changes nothing");
	check_free(check);
	str_free(&errors);
	is_error(HEAD "[experiment e]\nprogram = /bin/sh\nrisk = 1\n",
		"t.ini:11: 'program' is one of Tuesday's own that dig, as keepalivediagnose "
		"{url}\n",
		"and no other");
	is_error(HEAD PROGRAM, "t.ini:10: [experiment e] has no 'measure'\n",
		"how long it may take is said");
	is_error(HEAD PROGRAM "clears = yes\nmeasure = 60s\n",
		"t.ini:13: 'clears' is about what is turned, and 'program' turns nothing\n",
		"it clears nobody");
}

static void test_seconds(void)
{
	struct experiment e = {.rounds = 50, .settle_seconds = 1, .knob = "/sys/a"};
	double file = experiment_seconds(&e, 2);

	e.apply = "true";
	ok(file > 16 * 2 + 100 * 3 && file < 400, "all phases fit into what it takes at most");
	ok(experiment_seconds(&e, 2) > file + 100, "commands take longer than a file");
}

static void becomes(const char *set, const char *old, int err, const char *expected)
{
	const struct experiment experiment = {.set = set};
	char *out = NULL;
	int got = experiment_new_value(&experiment, old, &out);

	ok(got == err && (err || !strcmp(out, expected)), "'%s' of '%s' is %s", set, old,
		err ? strerror(-err) : expected);
	ok(!got || !out, "and what failed gives nothing to free");
	free(out);
}

static void test_values(void)
{
	becomes("128", "8192", 0, "128");
	becomes("never", "always", 0, "never");
	becomes("max 100000", "50000 100000", 0, "max 100000");
	becomes("x2", "128", 0, "256");
	becomes("old * 1.5", "3", 0, "5");
	becomes("old/8", "8192", 0, "1024");
	becomes("old + 1k", "0", 0, "1024");
	becomes("old - 5", "3", -ERANGE, NULL);
	becomes("x2", "max", -EINVAL, NULL);
	becomes("x2", "64k", -EINVAL, NULL);
	becomes("x2", "", -EINVAL, NULL);
	becomes("x2", "-1", -EINVAL, NULL);
	becomes("x2", "9007199254740993", -ERANGE, NULL);
	becomes("x2", "0", -EALREADY, NULL);
	becomes("old", "1", -EINVAL, NULL);
	becomes("none", "none", -EALREADY, NULL);
	becomes("none or bfq", "none", 0, "bfq");
	becomes("none or bfq", "kyber", 0, "none");
	becomes("xfs", "1", 0, "xfs");
	becomes("older", "1", 0, "older");
}

static void number(const char *text, double expected)
{
	double got = observed_number(text, strlen(text));

	ok(isnan(expected) ? isnan(got) : fabs(got - expected) < 1e-12, "'%.*s' is %g",
		(int)strcspn(text, "\n"), text, expected);
}

static void test_numbers(void)
{
	number("12.5\n", 12.5);
	number("  10ms ", 0.01);
	number("5%", 0.05);
	number("", NAN);
	number("\n", NAN);
	number("12 13", NAN);
	number("ok 12", NAN);
	number("nan", NAN);
	number("inf", NAN);
	number("12x", NAN);
	number("-3", NAN);
	ok(isnan(observed_number("1\0002", 3)), "a number with a NUL in it is none");
}

static void url(const char *text, const char *hosts, const char *host, const char *path)
{
	struct str why = STR_INIT;
	struct http_server server;
	int err = http_server_find(&server, text, hosts, &why);

	ok(host ? !err && !strcmp(server.url.authority, host) && !strcmp(server.url.path, path)
		: err && why.len,
		"%.*s %s", (int)strcspn(text, "\r\n"), text, host ? "is a URL" : "is none");
	http_server_free(&server);
	str_free(&why);
}

static void test_urls(void)
{
	const char *hosts = "127.0.0.1 localhost # web7\n\n#10.0.0.9 web9\n10.0.0.7\tweb7 w7 \n";

	url("http://127.0.0.1", NULL, "127.0.0.1", "/");
	url("http://127.0.0.1:80/a?b#c", NULL, "127.0.0.1", "/a?b");
	url("http://127.0.0.1?b", NULL, "127.0.0.1", "/?b");
	url("http://[::1]:8080/", NULL, "[::1]:8080", "/");
	url("http://web7/", hosts, "web7", "/");
	url("http://w7/", hosts, "w7", "/");
	url("http://web9/", hosts, NULL, NULL);
	url("http://web/", hosts, NULL, NULL);
	url("http://web7/", NULL, NULL, NULL);
	url("https://127.0.0.1/", NULL, NULL, NULL);
	url("http://me@127.0.0.1/", NULL, NULL, NULL);
	url("127.0.0.1", NULL, NULL, NULL);
	url("http://", NULL, NULL, NULL);
	url("http://:80/", NULL, NULL, NULL);
	url("http://127.0.0.1:0/", NULL, NULL, NULL);
	url("http://127.0.0.1:65536/", NULL, NULL, NULL);
	url("http://[::1/", NULL, NULL, NULL);
	url("http://[::1]x/", NULL, NULL, NULL);
	url("http://127.0.0.1/a b", NULL, NULL, NULL);
	url("http://127.0.0.1/\r\nX: y", NULL, NULL, NULL);
}

static enum verdict after(enum verdict before, enum answer answer, bool better, enum tier *tier)
{
	struct experiment_result experiment = {
		.answer = answer, .better = better, .told = better ? VERDICT_BAD : VERDICT_GOOD};
	struct check_result result = {.verdict = before, .exonerated = before == VERDICT_GOOD};
	enum verdict verdict;

	experiment.summary = mem_strdup("s");
	result.experiments = mem_alloc(sizeof(experiment));
	result.experiments[0] = experiment;
	result.n_experiments = 1;
	experiments_judge(&result);
	verdict = result.verdict;
	*tier = result.tier;
	if (verdict != VERDICT_GOOD && result.exonerated)
		verdict = VERDICT_SKIP;
	check_result_free(&result);
	return verdict;
}

/* One that takes all of it away, beside a metric that accuses. */
static void test_clearing(enum metric_class class, enum answer answer, bool better, bool cleared,
	const char *sentence)
{
	const struct metric metric = {.name = "slow", .class = class};
	struct check_result result = {.verdict = VERDICT_MAYBE, .n_metrics = 1, .n_experiments = 1};

	result.metrics = mem_zalloc(sizeof(*result.metrics));
	result.metrics[0].metric = &metric;
	result.metrics[0].verdict = VERDICT_MAYBE;
	result.experiments = mem_zalloc(sizeof(*result.experiments));
	result.experiments[0].answer = answer;
	result.experiments[0].better = better;
	result.experiments[0].clears = true;
	result.experiments[0].name = mem_strdup("offline");
	result.experiments[0].before = 100;
	result.experiments[0].summary = mem_strdup("31 % less without it");
	experiments_judge(&result);
	ok(result.exonerated == cleared && (result.verdict == VERDICT_GOOD) == cleared &&
			(result.metrics[0].overruled == VERDICT_MAYBE) == cleared &&
			(!cleared ||
				!strcmp(result.evidence,
					"experiment offline: 31 % less without it")),
		"%s", sentence);
	check_result_free(&result);
}

/* A metric of class error that is not asked here, beside one that accuses. */
static void test_clearing_absent(void)
{
	const struct metric slow = {.name = "slow", .class = CLASS_HARM};
	const struct metric absent = {.name = "failed", .class = CLASS_ERROR};
	struct metric_result metrics[] = {{.metric = &slow, .verdict = VERDICT_MAYBE},
		{.metric = &absent, .verdict = VERDICT_SKIP}};
	struct experiment_result experiment = {.name = (char[]){"offline"},
		.answer = ANSWER_SAME,
		.before = 100,
		.clears = true,
		.summary = (char[]){"the same"}};
	struct check_result result = {.verdict = VERDICT_MAYBE,
		.metrics = metrics,
		.n_metrics = ARRAY_SIZE(metrics),
		.experiments = &experiment,
		.n_experiments = 1};

	experiments_judge(&result);
	ok(result.exonerated, "what is not here to fail keeps nothing from being cleared");
	free(result.summary);
	free(result.evidence);
	metrics[0].verdict = VERDICT_MAYBE;
	metrics[1].verdict = VERDICT_UNKNOWN;
	result = (struct check_result){.verdict = VERDICT_MAYBE,
		.metrics = metrics,
		.n_metrics = ARRAY_SIZE(metrics),
		.experiments = &experiment,
		.n_experiments = 1};
	experiments_judge(&result);
	ok(!result.exonerated, "what could not be read may have failed");
}

/* Nothing was read with it, and nothing without it. */
static void test_clearing_idle(void)
{
	struct experiment_result experiment = {
		.answer = ANSWER_SAME, .clears = true, .summary = (char[]){"the same"}};
	struct check_result result = {
		.verdict = VERDICT_MAYBE, .experiments = &experiment, .n_experiments = 1};

	experiments_judge(&result);
	ok(!result.exonerated && result.verdict == VERDICT_MAYBE,
		"the same of nothing clears nobody");
}

static void test_clears(void)
{
	test_clearing_absent();
	test_clearing(CLASS_HARM, ANSWER_SAME, false, true,
		"what is as slow without the whole of it is not slow by it");
	test_clearing(CLASS_CAUSE, ANSWER_CHANGED, false, true, "nor what is slower without it");
	test_clearing(CLASS_HARM, ANSWER_CHANGED, true, false, "what is quicker without it is");
	test_clearing(CLASS_HARM, ANSWER_INCONCLUSIVE, false, false, "no answer clears nobody");
	test_clearing_idle();
	test_clearing(CLASS_ERROR, ANSWER_SAME, false, false,
		"a device that fails fails, whether anybody waits for it or not");
	test_clearing(CLASS_LIMIT, ANSWER_SAME, false, false, "and a full table is full");
}

static void test_verdicts(void)
{
	enum tier tier;

	ok(after(VERDICT_GOOD, ANSWER_CHANGED, true, &tier) == VERDICT_MAYBE &&
			tier == TIER_EXPERIMENT,
		"a change for the better accuses what was good, and it is exonerated no more");
	ok(after(VERDICT_MAYBE, ANSWER_CHANGED, true, &tier) == VERDICT_BAD,
		"and confirms what may be");
	ok(after(VERDICT_UNKNOWN, ANSWER_CHANGED, true, &tier) == VERDICT_MAYBE,
		"and knows something where nobody knew anything");
	ok(after(VERDICT_MAYBE, ANSWER_CHANGED, false, &tier) == VERDICT_MAYBE &&
			tier == TIER_EXPERIMENT,
		"a change for the worse leaves the verdict");
	ok(after(VERDICT_GOOD, ANSWER_SAME, false, &tier) == VERDICT_GOOD &&
			tier == TIER_EXPERIMENT,
		"so does no change");
	ok(after(VERDICT_GOOD, ANSWER_TOLD, true, &tier) == VERDICT_BAD && tier == TIER_EXPERIMENT,
		"what a program says that asked is believed");
	ok(after(VERDICT_GOOD, ANSWER_INCONCLUSIVE, true, &tier) == VERDICT_GOOD &&
			tier == TIER_COUNTERS,
		"an experiment without an answer has not spoken");
	ok(after(VERDICT_MAYBE, ANSWER_REFUSED, true, &tier) == VERDICT_MAYBE &&
			tier == TIER_COUNTERS,
		"nor has one that was not run");
}

int main(void)
{
	test_full();
	test_defaults();
	test_errors();
	test_more_errors();
	test_lint();
	test_lint_clears();
	test_program();
	test_seconds();
	test_values();
	test_numbers();
	test_urls();
	test_verdicts();
	test_clears();
	return tap_done();
}
