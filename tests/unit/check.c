/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a check file read as it is meant, or refused with file, line and what was meant? */
#include "base/banned.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/ini.h"
#include "check/check.h"
#include "check/compile.h"
#include "check/keywords.h"
#include "check/lint.h"
#include "check/names.h"
#include "run/select.h"
#include "sample/source.h"
#include "sample/sweep.h"
#include "base/str.h"
#include "tap.h"
#include "base/suggest.h"
#include "base/unit.h"
#include "check/layers.h"
#include "check/packed.h"
#include "check/settings.h"
#include "expr/eval.h"
#include "trace/spec.h"

static int read_nothing(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	(void)sink;
	return 0;
}

SOURCE(fake) = {.name = "fakestat", .what = "nothing", .read = read_nothing};
SOURCE(dear) = {.name = "dearstat", .what = "nothing, at a price", .read = read_nothing};

#define HEAD "[check]\nquestion = Does it work?\narea = test\n"
#define METRIC(name) \
	"[metric " name "]\nvalue = rate(fakestat:*.x)\nclass = harm\nsource = judgement; a " \
	"book\n"

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

static void is_right(const char *text, const char *what)
{
	struct str errors = STR_INIT;
	struct check *check = parse(text, &errors);

	if (!ok(check && !errors.len, "%s", what))
		printf("# got: %s\n", str_text(&errors));
	check_free(check);
	str_free(&errors);
}

static const char full[] =
	"[check]\nquestion = Does it work? Yes; no\narea = test\nneeds = /proc/a /proc/b\n"
	"next = a, b\n"
	"[metric wait_p99_seconds]\nvalue = p99(trace:wait)\nclass = harm\n"
	"enough = count(trace:wait) >= 100\nacquit = < 1ms\nmaybe = > 5ms\nbad = > 10ms\n"
	"source = a book\nwhy = Because.\nhowever = Not all.\nsay = waits {value} by {who}\n"
	"ignore = loop* ram*\n"
	"[metric io_ratio]\nvalue = rate(fakestat:*.x)\nclass = limit\nmaybe = > 1us * "
	"fakestat:*.wbt\n"
	"maybe.nvme = > 2ms\nmaybe.hdd = > 20ms\nbad.nvme = > 4ms\nacquit.hdd = < 1ms\n"
	"sustained = 3/5\nsource = Judgement, ours\n"
	"however.io_uring.when = rate(fakestat:ios) < 10\nhowever.io_uring.cap = good\n"
	"however.io_uring.say = idle waiters count\n"
	"[metric raw_count]\nvalue = fakestat:y\nclass = cause\nsource = judgements differ\n"
	"acquit = < 5\nclears = yes\nwitness = trace:wait\n"
	"[trace wait]\nbegin = vmscan:mm_vmscan_direct_reclaim_begin\n"
	"end = vmscan:mm_vmscan_direct_reclaim_end\nkey = tid\nwho = comm\nslow = 1ms\nseconds = "
	"2\n"
	"value_unit = 1us\n";

static void test_metrics(const struct check *check)
{
	const struct metric *wait = check->metrics[0], *io = check->metrics[1];

	ok(wait->unit == UNIT_SECONDS && wait->class == CLASS_HARM && wait->trace &&
			!strcmp(wait->trace, "wait"),
		"unit, class and trace of a metric are known");
	ok(wait->enough && wait->acquit.plain.set && wait->acquit.plain.op == OP_LT &&
			wait->bad.plain.op == OP_GT && !strcmp(wait->bad.plain.text, "> 10ms"),
		"limits have operator, value and text");
	ok(!wait->judgement && io->judgement && !check->metrics[2]->judgement,
		"a source that begins with the word judgement is one");
	ok(!strcmp(wait->however, "Not all.") && !strcmp(wait->ignore, "loop* ram*") &&
			!strcmp(wait->say, "waits {value} by {who}"),
		"texts are kept");
	ok(io->maybe.plain.set && !expr_is_constant(io->maybe.plain.expr) && io->maybe.n == 2 &&
			!strcmp(io->maybe.by_class[1].class, "hdd") && io->bad.n == 1 &&
			!io->bad.plain.set && io->acquit.n == 1,
		"limits may differ by class and come from the kernel");
	ok(io->sustained_k == 3 && io->sustained_n == 5 && !io->trace, "sustained is read");
	ok(check->metrics[2]->clears && !io->clears && metric_may_clear(io),
		"a cause may clear where it says so, and others do unasked");
	ok(metric_has_witness(check->metrics[2], "wait.field") &&
			!metric_has_witness(check->metrics[2], "waits") &&
			!metric_has_witness(io, "wait"),
		"a trace is a witness where it is named as one, with all its fields");
	ok(io->n_howevers == 1 && io->howevers[0].when && io->howevers[0].cap == CAP_GOOD &&
			!strcmp(io->howevers[0].say, "idle waiters count"),
		"a conditional however has condition, cap and words");
	ok(!strcmp(io->file, "t.ini") && io->line == 18, "a metric knows where it stands");
}

static void test_full(void)
{
	struct str errors = STR_INIT;
	struct check *check = parse(full, &errors);
	const struct trace_spec *trace;

	if (!ok(check && !errors.len, "a file with every key is read")) {
		printf("# %s\n", str_text(&errors));
		str_free(&errors);
		return;
	}
	ok(!strcmp(check->name, "t") && check->enabled && !strcmp(check->next, "a, b") &&
			!strcmp(check->question, "Does it work? Yes; no") &&
			!strcmp(check->needs, "/proc/a /proc/b"),
		"[check] is read");
	if (ok(check->n_metrics == 3 && check->n_traces == 1, "metrics and traces are counted"))
		test_metrics(check);
	trace = check->traces[0];
	ok(!strcmp(trace->check, "t") && !strcmp(trace->name, "wait") &&
			!strcmp(trace->key, "tid") && fabs(trace->slow_seconds - 1e-3) < 1e-12 &&
			trace->run_seconds == 2 && fabs(trace->value_unit - 1e-6) < 1e-12,
		"[trace] is read");
	ok(check->n_settings == 40 && !strcmp(check->settings[0].key, "question") &&
			check->settings[0].line == 2 &&
			!strcmp(check->settings[39].key, "value_unit"),
		"every key stays known with its line");
	ok(check_lint(check, &errors) == 4 &&
			strstr(errors.text, "t.ini:18: [metric io_ratio] has no 'why'") &&
			strstr(errors.text, "t.ini:18: [metric io_ratio] has no 'however'"),
		"lint wants why and however of every metric");
	check_free(check);
	str_free(&errors);
}

#define LIFE(keys) \
	"[check]\nquestion = q?\narea = a\n[metric x_count]\nvalue = " \
	"since_boot(vmstat:oom_kill)\nclass = error\nsource = s\nwhy = w\nhowever = h\n" keys

static void lint_says(const char *text, bool for_ever, const char *sentence)
{
	struct str errors = STR_INIT;
	struct check *check = parse(text, &errors);
	size_t n = check ? check_lint(check, &errors) : 1;

	ok(for_ever ? n == 1 && strstr(str_text(&errors), "[metric x_count] would accuse for ever")
		    : !n,
		"%s", sentence);
	if (!for_ever && n)
		printf("# %s\n", str_text(&errors));
	check_free(check);
	str_free(&errors);
}

/* What counts since a start never gets better by itself. */
static void test_ends(void)
{
	lint_says(LIFE("maybe = > 0\n"), true, "what counts since the start accuses for ever");
	lint_says(LIFE("acquit = < 1\n"), false, "it may accuse nobody and clear nobody");
	lint_says(LIFE("maybe = > 0\nenough = klog:oopses_age_seconds < 1d\n"), false,
		"or be judged while it is young");
	lint_says(LIFE("maybe = > 0\nenough = delta(vmstat:oom_kill) > 0\n"), false,
		"or while it grows");
	lint_says(LIFE("maybe = > 0\nhowever.o.when = klog:oopses_age_seconds > 1d\n"
		       "however.o.cap = good\nhowever.o.say = s\n"),
		false, "or no more when it is old");
	lint_says(LIFE("maybe = > 0\nhowever.o.when = klog:oopses_age_seconds > 1d\n"
		       "however.o.cap = maybe\nhowever.o.say = s\n"),
		true, "for which maybe is not enough");
	lint_says(LIFE("maybe = > 0\nends = when the disk is replaced\n"), false,
		"or say itself what ends it");
}

static void test_words(void)
{
	is_error(HEAD "enabeld = no\n" METRIC("x_ratio") "maybe = > 1\n",
		"t.ini:4: unknown key 'enabeld'; did you mean 'enabled'?\n",
		"a misspelt key of [check] is an error that says what was meant");
	is_error(HEAD METRIC("x_ratio") "mabe = > 1\nbad = > 2\n",
		"t.ini:8: unknown key 'mabe'; did you mean 'maybe'?\n", "so is one of a metric");
	is_error(HEAD METRIC("x_ratio") "maybe.nvme = > 1\nbda.nvme = > 2\n",
		"t.ini:9: unknown key 'bda.nvme'; did you mean 'bad.nvme'?\n",
		"so is one by class");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\n[trace y]\nevent = a:b\nendkey = c\n",
		"t.ini:11: unknown key 'endkey'; did you mean 'end_key'?\n",
		"so is one of a trace");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nxyzzy.a = 1\n",
		"t.ini:9: unknown key 'xyzzy.a'\n", "a key near to nothing has no suggestion");
	is_error(HEAD "[metrik x_ratio]\nvalue = 1\n" METRIC("x_ratio") "maybe = > 1\n",
		"t.ini:4: unknown section [metrik x_ratio]; did you mean [metric x_ratio]?\n",
		"a misspelt section is an error");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\n[wibble x]\n",
		"t.ini:9: unknown section [wibble x]: there are [check], [metric NAME], "
		"[trace NAME] and [experiment NAME]\n",
		"so is one near to nothing");
	is_error(HEAD "[metric x_ratio]\nvalue = 1\nclass = harmless\nsource = b\nmaybe = > 1\n",
		"t.ini:6: unknown class 'harmless'\n", "an unknown class is an error");
	is_error(HEAD "[metric x_ratio]\nvalue = 1\nclass = limits\nsource = b\nmaybe = > 1\n",
		"t.ini:6: unknown class 'limits'; did you mean 'limit'?\n", "a misspelt class too");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nsay = {valeu} {who} {value\n",
		"t.ini:9: unknown placeholder '{valeu}'; did you mean '{value}'?\n"
		"t.ini:9: unknown placeholder '{value'; did you mean '{value}'?\n",
		"so are unknown and unclosed placeholders");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nnext = cat {instanc}, x {who}\n",
		"t.ini:9: unknown placeholder '{instanc}'; did you mean '{instance}'?\n",
		"so is one of a command");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nremedy = ask '{who}'\n",
		"t.ini:9: {who} stands between quotes: leave them out, it is quoted as the shell "
		"needs it\n",
		"and one that would end the quotes around it");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nnext = awk -F'{who}' x\n",
		"t.ini:9: {who} stands between quotes: leave them out, it is quoted as the shell "
		"needs it\n",
		"in the middle of a word of a command too");
	is_right(HEAD METRIC("x_ratio") "maybe = > 1\nremedy = the host's {who} isn't well\n",
		"an apostrophe is none");
	is_right(HEAD METRIC(
			 "x_ratio") "maybe = > 1\nnext = awk '{print $1}' x{a,b} {y}, kill {pid}\n",
		"other braces are the shell's");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1 < 2\n",
		"t.ini:8: '> 1 < 2' compares twice: a limit is one operator and one value\n",
		"a limit is no condition");
	is_right(HEAD METRIC("x_ratio") "maybe = > 1\nenough = (fakestat:a > 1 or not fakestat:b < "
					"2) and "
					"count(fakestat:*.x > 1) > 3\nonly = a*\n",
		"a condition has or, not and count()");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nclears = maybe\n",
		"t.ini:9: 'clears' is yes or no, not 'maybe'\n", "yes or no is neither");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nclears = yes\n",
		"t.ini:9: 'clears' is for class = cause: what is harm clears anyway\n"
		"t.ini:9: 'clears' without 'acquit': within what does it clear?\n",
		"only context has to say that it clears, and within what");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nrival = 5\n",
		"t.ini:9: 'rival' is what instances of a source do meanwhile\n",
		"a rival is somebody");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nwitness = trace:absent absent\n",
		"t.ini:9: there is no [trace absent] here for 'trace:absent'\n"
		"t.ini:9: 'absent' is no witness: that is trace:NAME, of this check\n",
		"a witness is a trace of the same check");
	is_error(HEAD "[metric x_count]\nvalue = count(trace:y)\nclass = harm\nsource = b\n"
		      "maybe = > 1\nabsent = no y\n[trace y]\nevent = a:b\n",
		"t.ini:9: 'absent' is for counters: a trace that cannot run says why\n",
		"what is not here is never traced");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nbad = > 3\nat_most = 100%\nsigned = no\n",
		"t.ini:10: nothing between '> 1' and 'at_most' would accuse\n"
		"t.ini:10: nothing between '> 3' and 'at_most' would accuse\n",
		"what cannot be accuses nobody");
}

static void test_expressions(void)
{
	is_error(HEAD
		"[metric x_ratio]\nvalue = fakesat:x\nclass = harm\nsource = b\nmaybe = > 1\n",
		"t.ini:5: unknown source 'fakesat'; did you mean 'fakestat'?\n",
		"an unknown source is an error at its line");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1 +\n",
		"t.ini:8: a value is missing at the end\n", "so is a wrong limit");
	is_error(HEAD METRIC("x_ratio") "maybe = 5%\n",
		"t.ini:8: '5%' does not begin with < <= > >= == or !=\n",
		"a limit without an operator is an error");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nenough = fakestat:x\n",
		"t.ini:9: a comparison is missing: < <= > >= == or !=\n",
		"a condition without a comparison is an error");
	is_error(HEAD "[metric x_ratio]\nvalue = p99(trace:y)\nclass = harm\nsource = b\nmaybe = > "
		      "1\n[trace z]\nevent = a:b\n",
		"t.ini:5: there is no [trace y] in this check\n",
		"a trace must be one of the same check");
	is_error(HEAD METRIC("x_ratio") "maybe = > p99(trace:z)\nenough = count(trace:z) > 1\n"
					"[trace z]\nevent = a:b\n",
		"t.ini:8: a limit cannot come from a trace\n"
		"t.ini:9: 'enough' is about a trace, but 'value' is not\n",
		"limits and enough of a counter cannot come from a trace");
}

/* A metric of 'what' of a trace, and that trace, which its tracer measures. */
#define TRACED(what, tracer) \
	HEAD "[metric x_ratio]\nvalue = p99(trace:" what ")\nclass = harm\nsource = b\n" \
	     "maybe = > 1\n[trace y]\ntracer = " tracer "\n"

static void test_fields(void)
{
	is_error(TRACED("y.overtakn", "turns"),
		"t.ini:5: [trace y] measures no 'overtakn'; did you mean 'overtaken'?\n",
		"what a tracer measures is known by name");
	is_error(TRACED("y", "turns"),
		"t.ini:5: [trace y] measures several things, so name one: y.read\n",
		"of several things one must be named");
	is_error(TRACED("y.read", "runq"),
		"t.ini:5: [trace y] measures one thing: leave out .read\n", "of one thing none is");
	is_error(HEAD "[metric x_ratio]\nvalue = p99(trace:y.z)\nclass = harm\nsource = b\n"
		      "maybe = > 1\n[trace y]\nevent = a:b\n",
		"t.ini:5: [trace y] measures one thing: leave out .z\n",
		"and of an event of one's own neither");
}

static void test_parts(void)
{
	is_error("[check]\narea = x\n" METRIC("x_ratio") "maybe = > 1\n",
		"t.ini:1: [check] has no 'question': what does the check answer?\n",
		"the question is mandatory");
	is_error(HEAD, "t.ini: there is no [metric NAME]: nothing would be looked at\n",
		"a check without metrics is an error");
	is_error("",
		"t.ini:1: [check] has no 'question': what does the check answer?\n"
		"t.ini: there is no [metric NAME]: nothing would be looked at\n",
		"so is an empty one");
	is_error(HEAD "[metric x_ratio]\nwhy = a\n",
		"t.ini:4: [metric x_ratio] has no 'value'\nt.ini:4: [metric x_ratio] has no "
		"'class'\nt.ini:4: [metric x_ratio] has no 'source'\n",
		"value, class and source are mandatory");
	is_error(HEAD METRIC("x_ratio") "maybe =\n", "t.ini:8: 'maybe' is empty\n",
		"an empty value is an error where there is no layer below");
	is_error(HEAD METRIC("x_ratio"),
		"t.ini:6: without 'acquit', 'maybe' or 'bad' this is context: class = cause\n",
		"harm without a limit is an error");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nhowever.y.when = cpus > 1\n",
		"t.ini:4: [metric x_ratio] has no 'however.y.cap'\n"
		"t.ini:4: [metric x_ratio] has no 'however.y.say'\n",
		"a conditional however needs all its parts");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nhowever.y.whn = 1\nhowever.z = 1\n",
		"t.ini:9: unknown part 'whn'; did you mean 'when'?\n"
		"t.ini:10: 'however.z' is not however.NAME.when, .cap or .say\n"
		"t.ini:4: [metric x_ratio] has no 'however.y.when'\n"
		"t.ini:4: [metric x_ratio] has no 'however.y.cap'\n"
		"t.ini:4: [metric x_ratio] has no 'however.y.say'\n",
		"and no others");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nhowever.y.when = 1 > 2\nhowever.y.say = "
					"a\nhowever.y.cap = bad\n",
		"t.ini:11: unknown cap 'bad'\n", "its cap is good or maybe");
}

static void test_names(void)
{
	is_error(HEAD METRIC("x_milliseconds") "maybe = > 1\n",
		"t.ini:4: 'x_milliseconds' does not end in its unit: _ratio _seconds _bytes _count "
		"_per_second or _bytes_per_second\n",
		"a metric's name must end in its unit");
	is_error(HEAD METRIC("count") "maybe = > 1\n",
		"t.ini:4: 'count' does not end in its unit: _ratio _seconds _bytes _count "
		"_per_second or _bytes_per_second\n",
		"and be more than that");
	is_error(HEAD METRIC("X_ratio") "maybe = > 1\n",
		"t.ini:4: a metric is [metric NAME], the name of a-z, 0-9 and '_'\n",
		"of small letters");
	is_error(HEAD METRIC("") "maybe = > 1\n",
		"t.ini:4: a metric is [metric NAME], the name of a-z, 0-9 and '_'\n",
		"and there must be one");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\n[trace a b]\nevent = a:b\n",
		"t.ini:9: a trace is [trace NAME], the name of a-z, 0-9 and '_'\n",
		"the same holds for traces");
	is_error("[check x]\nquestion = x\n" METRIC("x_ratio") "maybe = > 1\n",
		"t.ini:1: [check] has no name: the file's is it\n", "[check] has no name");
}

static void test_unit(const char *name, enum unit unit)
{
	char *text =
		mem_printf(HEAD "[metric %s]\nvalue = cpus\nclass = cause\nsource = b\n", name);
	struct check *check = parse(text, NULL);

	ok(check && check->metrics[0]->unit == unit, "%s is in %s", name, unit_text(unit));
	check_free(check);
	free(text);
}

static void test_units(void)
{
	test_unit("x_ratio", UNIT_RATIO);
	test_unit("x_seconds", UNIT_SECONDS);
	test_unit("x_bytes", UNIT_BYTES);
	test_unit("x_count", UNIT_COUNT);
	test_unit("x_per_second", UNIT_PER_SECOND);
	test_unit("x_bytes_per_second", UNIT_BYTES_PER_SECOND);
}

static void test_rules(void)
{
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nbad = < 2\n",
		"t.ini:9: 'bad' (< 2) and 'maybe' (> 1) must point the same way\n",
		"bad and maybe point the same way");
	is_error(HEAD METRIC("x_ratio") "maybe = > 5%\nbad = > 10ms\n",
		"t.ini:9: 'bad' (> 10ms) is nearer to good than 'maybe' (> 5%)\n",
		"bad is not nearer to good than maybe");
	is_error(HEAD METRIC("x_ratio") "maybe = < 2\nbad = < 3\n",
		"t.ini:9: 'bad' (< 3) is nearer to good than 'maybe' (< 2)\n",
		"also where less is worse");
	is_error(HEAD METRIC("x_ratio") "maybe = > 5\nbad = > 10\nbad.nvme = > 4\nbad.hdd = > 6\n",
		"t.ini:10: 'bad' (> 4) is nearer to good than 'maybe' (> 5)\n",
		"and for every class");
	is_error(HEAD METRIC("x_ratio") "maybe = > 5\nacquit = > 1\n",
		"t.ini:9: 'acquit' (> 1) must point the other way than 'maybe' (> 5)\n",
		"acquit points the other way");
	is_error(HEAD METRIC("x_ratio") "bad = < 5\nacquit = > 4\n",
		"t.ini:9: 'acquit' (> 4) reaches beyond 'bad' (< 5)\n",
		"and does not acquit what is accused");
	is_right(HEAD METRIC("x_ratio") "maybe = > 0\nbad = >= 10\nacquit = == 0\n",
		"== and != point no way");
	is_right(HEAD METRIC("x_ratio") "maybe = > 2 * cpus\nbad = > 1\nacquit = < 8 * window\n",
		"only constants are compared");
	is_right(HEAD METRIC("x_ratio") "maybe = > 5\nbad = > 5\nacquit = <= 5\n",
		"the same number is not nearer");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nsustained = 6/5\n",
		"t.ini:9: '6/5' is not K/N, K of N windows, with 1 <= K <= N <= 60\n",
		"six of five windows is an error");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nsustained = 3\n",
		"t.ini:9: '3' is not K/N, K of N windows, with 1 <= K <= N <= 60\n",
		"so is a number alone");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nsustained = 1/61\n",
		"t.ini:9: '1/61' is not K/N, K of N windows, with 1 <= K <= N <= 60\n",
		"so are more than 60 windows");
	is_right(HEAD "[metric x_ratio]\nvalue = rate(fakestat:*.x)\nclass = cause\n"
		      "source = a book\nlook = > 1\nlook.nvme = > 2\n[trace z]\nevent = a:b\n",
		"context may ask for a trace");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\nlook = > 1\n",
		"t.ini:9: 'look' is for context that accuses nobody: class = cause\n"
		"t.ini:9: what accuses asks for the trace anyway: leave out 'look'\n"
		"t.ini:9: 'look' asks for a trace, but this check has none\n",
		"what accuses need not ask for a trace, and without one nothing can");
	is_error(HEAD METRIC("x_ratio") "maybe.NVME = > 1\n",
		"t.ini:8: 'NVME' is no name of a class of instances\n",
		"a class of instances has small letters");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\n[trace z]\nevent = a:b\nseconds = 3600\n"
					"slow = soon\n",
		"t.ini:11: '3600' is out of range for 'seconds'\n"
		"t.ini:12: 'soon' is not a number with a unit, like 5s or 10ms\n",
		"a trace of an hour is an error, and one that is soon");
}

static void test_many(void)
{
	struct str text = STR_INIT, errors = STR_INIT;
	struct check *check;
	size_t lines = 0;
	char *at;
	int i;

	str_add(&text, HEAD METRIC("x_ratio") "maybe = > 1\n");
	for (i = 0; i < 50; i++)
		str_addf(&text, "wrong%d = 1\n", i);
	check = parse(text.text, &errors);
	for (at = errors.text; at && *at; at++)
		lines += *at == '\n';
	ok(!check && lines == 21 && strstr(errors.text, "t.ini:28: unknown key 'wrong19'\n") &&
			strstr(errors.text, "and more that is not shown\n"),
		"every error is reported, up to twenty");
	str_free(&text);
	str_free(&errors);
	ok(!parse("[check]\nquestion = a\0b\n", NULL), "errors need not be asked for");
}

static void test_suggest(void)
{
	static const char *const words[] = {"maybe", "bad", "acquit", ""};

	ok(!strcmp(suggest("mabye", words, 4), "maybe"), "swapped letters are one mistake");
	ok(!strcmp(suggest("Acquit", words, 4), "acquit"), "case is none");
	ok(!strcmp(suggest("aquit", words, 4), "acquit"), "a missing letter is found");
	ok(!suggest("xyz", words, 4) && !suggest("", words, 4) && !suggest("b", words, 0),
		"what is near to nothing has no suggestion");
}

/* Layers: an embedded check and directories below a temporary root. */

static const char embedded_text[] =
	"[check]\nquestion = Embedded?\narea = test\n"
	"[metric a_ratio]\nvalue = rate(dearstat:x)\nclass = harm\nmaybe = > 1\nbad = > 2\n"
	"source = judgement\n"
	"[metric b_ratio]\nvalue = fakestat:y\nclass = harm\nmaybe = > 1\nsource = judgement\n"
	"[experiment x]\nknob = /dev/null\nset = 1\nbetter = lower\nrisk = 1\n";
/* What no test of ours would have let through. */
static const char wrong_text[] = "[check]\nquestion = Wrong?\narea = test\n"
				 "[metric a_ratio]\nvalue = 1 +\nclass = harm\nsource = s\n";

/* They are packed in main. The section is writable, so that it has the flags of the real one. */
static struct embedded_check embedded[] __attribute__((used, section("tuesday_checks"),
	aligned(8))) = {{"zz-unit", "zz-unit.ini", NULL}, {"aa-wrong", "aa-wrong.ini", NULL}};

static char *pack(const char *file, const char *text)
{
	struct complaints complaints = {0};
	struct inifile *ini = inifile_parse(file, text, strlen(text), &complaints);
	struct str packed = STR_INIT;

	if (!ini || !packed_write(&packed, ini))
		exit(1);
	inifile_free(ini);
	return str_take(&packed);
}

static char root[] = "/tmp/tuesday-check-XXXXXX";

static char *path_in(const char *layer, const char *name)
{
	return mem_printf("%s/%s/%s", root, layer, name);
}

static void write_layer(const char *layer, const char *name, const char *text)
{
	char *path = path_in(layer, name);
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
	free(path);
}

static void remove_layer(const char *layer, const char *name)
{
	char *path = path_in(layer, name);

	unlink(path);
	free(path);
}

#define USR "usr/lib/tuesday/checks.d"
#define ETC "etc/tuesday/checks.d"
#define OWN "own"

static bool make_root(void)
{
	static const char *const dirs[] = {
		"usr", "usr/lib", "usr/lib/tuesday", USR, "etc", "etc/tuesday", ETC, OWN};
	size_t i;

	if (!mkdtemp(root))
		return false;
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *path = path_in(dirs[i], "");

		if (mkdir(path, 0755))
			return false;
		free(path);
	}
	return true;
}

static void remove_root(void)
{
	static const char *const dirs[] = {
		OWN, ETC, "etc/tuesday", "etc", USR, "usr/lib/tuesday", "usr/lib", "usr", ""};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *path = path_in(dirs[i], "");

		rmdir(path);
		free(path);
	}
}

/* All layers, but only checks of this test: the real ones are not its business. */
static struct checks *load(void)
{
	static const char *const only[] = {"zz-unit", "zz-new", "zz-mask", "zz-dir", "zz-fifo"};
	char *own = path_in(OWN, "");
	const char *const extra[] = {own};
	const struct check_layers layers = {.root = root,
		.extra = extra,
		.n_extra = 1,
		.with_system = true,
		.only = only,
		.n_only = ARRAY_SIZE(only)};
	struct checks *checks;

	own[strlen(own) - 1] = 0;
	checks = checks_load(&layers);
	free(own);
	return checks;
}

static const struct setting *setting_of(
	const struct check *check, const char *section, const char *key)
{
	size_t i;

	for (i = 0; check && i < check->n_settings; i++)
		if (!strcmp(check->settings[i].section, section) &&
			!strcmp(check->settings[i].key, key))
			return &check->settings[i];
	return NULL;
}

static bool is_setting(const struct check *check, const char *section, const char *key,
	const char *value, const char *file_end, int line)
{
	const struct setting *setting = setting_of(check, section, key);

	return setting && !strcmp(setting->value, value) && str_ends(setting->file, file_end) &&
		setting->line == line;
}

static bool has_error(const struct checks *checks, const char *text)
{
	bool has = strstr(str_text(checks->errors), text) != NULL;

	if (!has)
		printf("# errors: %s\n", str_text(checks->errors));
	return has;
}

static void count_leaf(void *arg, struct expr_leaf *leaf)
{
	(void)leaf;
	++*(int *)arg;
}

static int references(const struct check *check)
{
	int n = 0;

	check_each_leaf(check, count_leaf, &n);
	return n;
}

/* What a plain run loads: the rest of a check is read where it is judged. */
static void test_pending(void)
{
	static const char *const only[] = {"zz-unit", "aa-wrong"};
	struct check_layers layers = {.only = only, .n_only = ARRAY_SIZE(only)};
	struct complaints complaints = {0};
	struct checks *checks = checks_load(&layers), *later;
	struct sweep *sweep = sweep_new();
	struct selection selection;
	struct check *check, *bad;

	ok(checks->n == 1 && has_error(checks, "aa-wrong.ini:5: a value is missing at the end\n") &&
			has_error(checks, "aa-wrong.ini: refused; this check does not run\n"),
		"a shipped check that is wrong is refused");
	layers.parts_later = true;
	later = checks_load(&layers);
	check = checks_find(later, "zz-unit");
	bad = checks_find(later, "aa-wrong");
	ok(check && bad && !later->n_errors && !strcmp(check->question, "Embedded?") &&
			!strcmp(check->area, "test") && !check->n_metrics,
		"of a check that may be skipped only [check] is read");
	ok(check && check_complete(check, false, &complaints) && check->n_metrics == 2 &&
			!strcmp(check->metrics[1]->name, "b_ratio") && !check->n_experiments,
		"its metrics are read where they are judged");
	ok(check && check_complete(check, true, &complaints) && check->n_metrics == 2,
		"and only once");
	selection_make(&selection, later);
	selection_bind(&selection, sweep);
	ok(bad && selection.n == 2 && !selection.skipped[1] && selection.skipped[0] &&
			strstr(selection.skipped[0], "tuesday lint says how"),
		"one that is wrong is skipped, and says so");
	selection_free(&selection);
	sweep_free(sweep);
	checks_free(later);
	checks_free(checks);
}

static void test_embedded(void)
{
	struct checks *checks = load();
	const struct check *check = checks_find(checks, "zz-unit");

	ok(checks->n == 1 && check && !checks->n_errors && check->n_metrics == 2,
		"an embedded check is there, and a layer that is not is no error");
	ok(is_setting(check, "metric a_ratio", "maybe", "> 1", "zz-unit.ini", 7),
		"its keys name the file that it was made of");
	checks_free(checks);
}

static void test_override(void)
{
	const struct check *check;
	struct checks *checks;

	write_layer(USR, "zz-unit.ini", "[metric a_ratio]\nmaybe = > 1.5\nwhy = usr\n");
	write_layer(ETC, "zz-unit.ini", "[metric a_ratio]\nwhy = etc\nbad =\nnever.there =\n");
	write_layer(OWN, "zz-unit.ini",
		"[metric c_count]\nvalue = cpus\nclass = cause\nsource = s\n"
		"[metric b_ratio]\nvalue =\n");
	checks = load();
	check = checks_find(checks, "zz-unit");
	ok(check && !checks->n_errors, "layers are laid over each other");
	ok(is_setting(check, "metric a_ratio", "maybe", "> 1.5", USR "/zz-unit.ini", 2) &&
			is_setting(check, "metric a_ratio", "why", "etc", ETC "/zz-unit.ini", 2) &&
			is_setting(check, "metric a_ratio", "class", "harm", "zz-unit.ini", 6),
		"key by key, each with its place");
	ok(!setting_of(check, "metric a_ratio", "bad") && !check->metrics[0]->bad.plain.set,
		"an empty value takes a key away");
	ok(check && check->n_metrics == 2 && !strcmp(check->metrics[1]->name, "c_count") &&
			!setting_of(check, "metric b_ratio", "class"),
		"a metric may be added, and without its value it goes as a whole");
	checks_free(checks);

	write_layer(OWN, "zz-unit.ini", "[metric b_ratio]\nvalue =\nmaybe = > 3\n");
	checks = load();
	ok(has_error(checks,
		   OWN "/zz-unit.ini:3: there is no metric 'b_ratio' in zz-unit; did you mean "
		       "'a_ratio'?\n"),
		"half a metric that was taken away is an error");
	checks_free(checks);
	remove_layer(OWN, "zz-unit.ini");
	remove_layer(ETC, "zz-unit.ini");
	remove_layer(USR, "zz-unit.ini");
}

static void test_broken_layer(void)
{
	const struct check *check;
	struct checks *checks;

	write_layer(USR, "zz-unit.ini", "[metric a_ratio]\nmaybe = > 1.5\n");
	write_layer(ETC, "zz-unit.ini", "[metric a_ratio]\nmabe = > 1\nmaybe = > 0\n");
	write_layer(OWN, "zz-unit.ini", "[metric a_ratio]\nwhy = own\n");
	checks = load();
	check = checks_find(checks, "zz-unit");
	ok(has_error(checks, ETC "/zz-unit.ini:2: unknown key 'mabe'; did you mean 'maybe'?\n") &&
			has_error(checks, USR "/zz-unit.ini stays in force\n") &&
			checks->n_errors == 2,
		"a broken layer is refused, and the error says what stays in force");
	ok(checks->n_refused == 1 && str_ends(checks->refused[0].file, ETC "/zz-unit.ini") &&
			str_ends(checks->refused[0].why, "did you mean 'maybe'?"),
		"it is one refused file, with the first message about it");
	ok(is_setting(check, "metric a_ratio", "maybe", "> 1.5", USR "/zz-unit.ini", 2) &&
			is_setting(check, "metric a_ratio", "why", "own", OWN "/zz-unit.ini", 2),
		"as a whole: nothing of it counts, and layers above and below do");
	checks_free(checks);

	write_layer(ETC, "zz-unit.ini", "[metric a_ratio]\nmaybe = > 3\n");
	checks = load();
	ok(has_error(checks, "zz-unit.ini:8: 'bad' (> 2) is nearer to good than 'maybe' (> 3)\n") &&
			has_error(checks, ETC "/zz-unit.ini: refused; "),
		"a contradiction between layers is said where the key came from, and blames the "
		"upper");
	checks_free(checks);

	write_layer(ETC, "zz-unit.ini", "[metric a_ratio\n");
	checks = load();
	ok(has_error(checks, ETC "/zz-unit.ini:1: ']' is missing") &&
			has_error(checks, USR "/zz-unit.ini stays in force\n") &&
			checks_find(checks, "zz-unit"),
		"the same holds for a file that is no INI file");
	checks_free(checks);
	remove_layer(ETC, "zz-unit.ini");
	remove_layer(USR, "zz-unit.ini");

	write_layer(OWN, "zz-new.ini", "[check]\nquestion = x\n");
	checks = load();
	ok(has_error(checks, OWN "/zz-new.ini: refused; this check does not run\n") &&
			checks->n == 1 && !checks_find(checks, "zz-new"),
		"a new check that is wrong does not run, and the others do");
	checks_free(checks);
	remove_layer(OWN, "zz-new.ini");
}

#define LIMIT \
	"[check]\nquestion = q\n[metric x_ratio]\nvalue = fakestat:*.x / cpus\nclass = limit\n" \
	"source = s\nmaybe = > 80%\n"

/* What all limits have, what a layer makes of it, and what a metric says itself. */
static void test_defaults(void)
{
	const struct trend_rule *rule;
	struct checks *checks;

	write_layer(USR, "zz-new.ini", LIMIT);
	checks = load();
	rule = &checks_find(checks, "zz-new")->metrics[0]->trend;
	ok(rule->looks == TREND_ALL && rule->within_seconds > 0 && rule->from > 0 &&
			rule->times > 0 && str_starts(rule->source, "judgement"),
		"a limit has a trend that it says nothing of");
	checks_free(checks);

	write_layer(ETC, "defaults.ini", "[limit]\ntrend.within = 2h\ntrend.source = ours\n");
	write_layer(OWN, "zz-new.ini", "[metric x_ratio]\ntrend = history\ntrend.from = 70%\n");
	checks = load();
	rule = &checks_find(checks, "zz-new")->metrics[0]->trend;
	ok(!checks->n_errors && rule->within_seconds > 7199 && rule->within_seconds < 7201 &&
			!strcmp(rule->source, "ours") && rule->looks == TREND_HISTORY &&
			rule->from > 0.69 && rule->from < 0.71 && rule->times > 0 &&
			!checks_find(checks, "defaults"),
		"a site lays its defaults over it, and a metric its own keys over these");
	checks_free(checks);

	write_layer(ETC, "defaults.ini", "[limit]\ntrend.wihin = 2h\n[harm]\nmaybe = > 1\n");
	checks = load();
	rule = &checks_find(checks, "zz-new")->metrics[0]->trend;
	ok(has_error(checks,
		   ETC
		   "/defaults.ini:2: unknown part of a trend 'wihin'; did you mean 'within'?\n") &&
			has_error(checks, ETC "/defaults.ini:3: unknown section [harm]") &&
			checks->n_refused == 1 && str_starts(rule->source, "judgement"),
		"defaults that are wrong are refused, and those below them stay in force");
	checks_free(checks);
	remove_layer(OWN, "zz-new.ini");
	remove_layer(ETC, "defaults.ini");
	remove_layer(USR, "zz-new.ini");
}

static void test_trend(void)
{
	is_right(LIMIT "trend = no\n", "a limit may have no trend");
	is_right(LIMIT "trend.grower = fakestat:*.y\n", "or say whose growth it is");
	is_error(LIMIT "trend = maybe\n", "t.ini:8: unknown trend 'maybe'\n",
		"its trend is yes, history or no");
	is_error(LIMIT "trend.from = 2\n", "t.ini:8: '2' is out of range for 'trend.from'\n",
		"and begins on the way to the limit");
	is_error(HEAD METRIC("x_ratio") "maybe = > 1\ntrend.within = 1h\n",
		"t.ini:9: 'trend.within' is for class = limit\n", "harm has none");
	is_error("[check]\nquestion = q\n[metric x_ratio]\nvalue = rate(fakestat:*.x)\n"
		 "class = limit\nsource = s\nmaybe = > 80%\ntrend = yes\n",
		"t.ini:8: 'trend' is for a value of one moment that nears its limit: not for "
		"counters, traces and times\n",
		"nor has what is counted");
}

static void test_off(void)
{
	char *link = path_in(ETC, "zz-unit.ini");
	const struct check *check;
	struct checks *checks;

	write_layer(ETC, "zz-unit.ini", "[check]\nenabled = no\n");
	checks = load();
	check = checks_find(checks, "zz-unit");
	ok(check && !check->enabled && !checks->n_errors && check->question && !check->n_metrics &&
			check->n_settings == 17,
		"a check that is off is there, without metrics");
	ok(check && references(check) == 0, "and asks no source for anything");
	checks_free(checks);

	unlink(link);
	checks = ok(!symlink("/dev/null", link), "a link to /dev/null can be made") ? load() : NULL;
	check = checks_find(checks, "zz-unit");
	ok(check && !check->enabled && is_setting(check, "check", "enabled", "no", link, 1),
		"a link to /dev/null switches a check off");
	checks_free(checks);
	unlink(link);

	write_layer(ETC, "zz-unit.ini", "");
	write_layer(ETC, "zz-mask.ini", "");
	checks = load();
	check = checks_find(checks, "zz-unit");
	ok(check && !check->enabled, "so does an empty file");
	ok(checks->n == 1 && !checks->n_errors, "one that masks nothing is no check and no error");
	checks_free(checks);
	write_layer(OWN, "zz-unit.ini", "[check]\nenabled = yes\n");
	checks = load();
	check = checks_find(checks, "zz-unit");
	ok(check && check->enabled && check->n_metrics == 2, "a layer above can switch it on");
	checks_free(checks);
	remove_layer(OWN, "zz-unit.ini");
	remove_layer(ETC, "zz-mask.ini");
	remove_layer(ETC, "zz-unit.ini");
	free(link);
}

static void test_files(void)
{
	static const char text[] = "[check]\nquestion = New?\n" METRIC("x_ratio") "maybe = > 1\n";
	char *path = path_in(OWN, "zz-new.ini"), *fifo = path_in(OWN, "zz-fifo.ini");
	char *dir = path_in(OWN, "zz-dir.ini");
	struct checks *checks;

	write_layer(OWN, "zz-new.ini", text);
	write_layer(OWN, "zz-new.ini~", "rubbish");
	write_layer(OWN, "Upper\n.ini", text);
	checks = load();
	ok(checks->n == 2 && !strcmp(checks->list[0]->name, "zz-new") &&
			!strcmp(checks->list[1]->name, "zz-unit"),
		"a file with a new name is a new check, and checks are sorted");
	ok(checks->n_errors == 1 && has_error(checks, "/Upper?.ini: the name of a check is of a-z"),
		"a file whose name is none is an error of one line");
	ok(checks->n_refused == 1 && str_ends(checks->refused[0].file, "/Upper\n.ini"),
		"and is refused");
	checks_free(checks);
	remove_layer(OWN, "zz-new.ini~");
	remove_layer(OWN, "Upper\n.ini");

	if (geteuid() == 0) {
		chmod(path, 0666);
		checks = load();
		ok(checks->n == 1 &&
				has_error(checks,
					"/zz-new.ini is writable by others than its "
					"owner: 'chmod go-w' it\n"),
			"root does not obey a file that others may write");
		checks_free(checks);
	} else {
		ok(true, "root does not obey a file that others may write # SKIP not root");
	}
	unlink(path);
	mkdir(dir, 0755);
	mkfifo(fifo, 0600);
	checks = load();
	ok(has_error(checks, "/zz-dir.ini: not a regular file\n") &&
			has_error(checks, "/zz-fifo.ini: not a regular file\n") && checks->n == 1,
		"a directory and a pipe are refused, and nothing hangs");
	checks_free(checks);
	unlink(fifo);
	rmdir(dir);
	free(dir);
	free(fifo);
	free(path);
}

/* A name is there whatever stands in its file: a pipe that was opened would hang the test. */
static void test_name_list(void)
{
	char *own = path_in(OWN, ""), *fifo = path_in(OWN, "zz-fifo.ini");
	const char *const extra[] = {own};
	const struct check_layers layers = {
		.root = root, .extra = extra, .n_extra = 1, .with_system = true};
	struct check_names names;

	write_layer(ETC, "zz-unit.ini", "[metric a_ratio\n");
	write_layer(OWN, "zz-new.ini", "");
	write_layer(OWN, "Upper.ini", "");
	mkfifo(fifo, 0600);
	own[strlen(own) - 1] = 0;
	check_names_of_layers(&names, &layers);
	ok(check_names_have(&names, "zz-unit") && check_names_have(&names, "zz-new") &&
			check_names_have(&names, "zz-fifo"),
		"every file of a layer is a name, and none is opened");
	ok(!check_names_have(&names, "Upper") && !check_names_have(&names, "zz"),
		"what is no name of a check is none");
	ok(names.n > 3 && !strcmp(names.list[names.n - 1], "zz-unit") &&
			strcmp(names.list[names.n - 2], "zz-unit") != 0,
		"a name that several layers have is there once, and names are sorted");
	check_names_free(&names);
	unlink(fifo);
	remove_layer(OWN, "Upper.ini");
	remove_layer(OWN, "zz-new.ini");
	remove_layer(ETC, "zz-unit.ini");
	free(fifo);
	free(own);
}

static void test_read_file(void)
{
	char *path = path_in(OWN, "zz-unit.ini"), *gone = path_in(OWN, "zz-gone.ini");
	struct str errors = STR_INIT;
	struct check *check;

	write_layer(OWN, "zz-unit.ini", "[metric a_ratio]\nmaybe = > 1.5\n");
	check = check_read_file(path, &errors);
	ok(is_setting(check, "metric a_ratio", "maybe", "> 1.5", path, 2) &&
			is_setting(check, "check", "question", "Embedded?", "zz-unit.ini", 2),
		"a file by its path lies over the embedded check of its name");
	check_free(check);
	write_layer(OWN, "zz-unit.ini", "[metric a_ratio]\nmaybe = > 1.5\nlimit = 1\n");
	check = check_read_file(path, &errors);
	ok(!check && strstr(str_text(&errors), "zz-unit.ini:3: unknown key 'limit'"),
		"one that is wrong is refused");
	str_clear(&errors);
	ok(!check_read_file(gone, &errors) &&
			strstr(str_text(&errors), "/zz-gone.ini: No such file or directory\n"),
		"one that is not there too");
	write_layer(OWN, "zz-gone.ini", "");
	str_clear(&errors);
	ok(!check_read_file(gone, &errors) &&
			strstr(str_text(&errors), "switches the check off and says nothing else"),
		"one that is empty too");
	unlink(path);
	unlink(gone);
	str_free(&errors);
	free(path);
	free(gone);
}

static void test_missing_dir(void)
{
	static const char *const extra[] = {"/nonexistent/checks.d"}, *const only[] = {"zz-unit"};
	const struct check_layers layers = {
		.extra = extra, .n_extra = 1, .only = only, .n_only = 1};
	struct checks *checks = checks_load(&layers);

	ok(checks->n == 1 &&
			!strcmp(str_text(checks->errors),
				"/nonexistent/checks.d: No such file or directory\n"),
		"a directory that was asked for and is not there is an error");
	checks_free(checks);
}

static void test_keywords(void)
{
	struct str errors = STR_INIT;
	struct check *check =
		parse("[check]\nquestion = q\nkeywords = OOM killer , huge page, D\n" METRIC(
			      "x_ratio") "maybe = > 1\nkeywords = soft lockup\n",
			&errors);

	ok(check && check_is_about(check, "oom") && check_is_about(check, "Killer") &&
			check_is_about(check, "OOM killer") && check_is_about(check, "d"),
		"a keyword is found by it, or by the beginning of a word in it");
	ok(check && !check_is_about(check, "age") && !check_is_about(check, "h") &&
			!check_is_about(check, "") && !check_is_about(check, "killer ,"),
		"and not by its inside, nor by a letter");
	ok(check && check_is_about(check, "lockup") && !check_has_keyword(check, "lockup") &&
			check_is_about(check, "x_ratio"),
		"those of a metric, and its name");
	check_free(check);
	str_free(&errors);
}

/* An INI file of one section [check] with one key. */
static bool packs(const char *section, size_t key_len, size_t value_len)
{
	struct complaints complaints = {0};
	struct str text = STR_INIT, packed = STR_INIT;
	struct inifile *ini;
	bool packed_right;
	size_t i;

	str_addf(&text, "[%s]\nk", section);
	for (i = 1; i < key_len; i++)
		str_addc(&text, 'k');
	str_add(&text, " = v");
	for (i = 1; i < value_len; i++)
		str_addc(&text, 'v');
	ini = inifile_parse("x.ini", str_text(&text), text.len, &complaints);
	packed_right = ini && packed_write(&packed, ini);
	if (packed_right) {
		struct settings settings = {0};

		settings_from_packed(&settings, str_text(&packed), "x.ini", true);
		packed_right = settings.n == 2 && !*settings.list[0].key &&
			!strcmp(settings.list[1].section, section) && settings.list[1].line == 2 &&
			strlen(settings.list[1].key) == key_len &&
			strlen(settings.list[1].value) == value_len;
		settings_free(&settings);
	}
	inifile_free(ini);
	str_free(&text);
	str_free(&packed);
	return packed_right;
}

static void test_packed(void)
{
	ok(packs("check", 1, 1) && packs("check", 49, 130), "what was packed is read as it was");
	ok(!packs("metric x_ratio", 1, 1),
		"a shipped file that does not begin with [check] is not");
}

int main(void)
{
	char *unit, *wrong;

	test_full();
	test_words();
	test_ends();
	test_expressions();
	test_fields();
	test_parts();
	test_names();
	test_units();
	test_rules();
	test_many();
	test_suggest();
	embedded[0].packed = unit = pack("zz-unit.ini", embedded_text);
	embedded[1].packed = wrong = pack("aa-wrong.ini", wrong_text);
	if (!ok(make_root(), "a temporary root can be made"))
		return tap_done();
	test_embedded();
	test_pending();
	test_override();
	test_broken_layer();
	test_defaults();
	test_trend();
	test_off();
	test_files();
	test_name_list();
	test_read_file();
	test_missing_dir();
	remove_root();
	ok(access(root, F_OK) != 0, "the temporary root is gone");
	test_keywords();
	test_packed();
	free(unit);
	free(wrong);
	return tap_done();
}
