/* SPDX-License-Identifier: GPL-2.0-only */
/* Do expressions say what the writer's guide says, and never a wrong number? */
#include "base/banned.h"

#include <math.h>

#include "base/arena.h"
#include "expr/bind.h"
#include "expr/parse.h"
#include "sample/source.h"
#include "sample/sweep.h"
#include "tests/unit/machine.h"
#include "tests/unit/tap.h"
#include "expr/eval.h"
#include "expr/condition.h"

static bool has_trace(void *arg, const char *name, struct str *error)
{
	(void)arg;
	if (!strcmp(name, "known"))
		return true;
	str_addf(error, "there is no [trace %s] in this check", name);
	return false;
}

static const char *refusal(const char *text)
{
	static struct str error;
	struct arena arena = {0};
	const struct expr_scope scope = {.arena = &arena,
		.has_source = source_is_known,
		.has_trace = has_trace,
		.has_group = source_has_group};
	size_t column;
	bool parsed;

	str_clear(&error);
	parsed = expr_parse(text, &scope, &error, &column);
	arena_free(&arena);
	return parsed ? "" : str_text(&error);
}

static void test_refusals(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"delta(vmsat:pgscan)", "unknown source 'vmsat'; did you mean 'vmstat'?"},
		{"detla(vmstat:pgscan)", "unknown function 'detla'; did you mean 'delta'?"},
		{"windo", "unknown name 'windo'; did you mean 'window'?"},
		{"1 +", "a value is missing at the end"},
		{"(1 + 2", "')' is missing"},
		{"1 2", "'2' is left over"},
		{"5 parsecs", "'parsecs' is left over"},
		{"5parsecs", "not a number with a valid unit"},
		{"vmstat:", "names no field"},
		{"trace:unknown", "there is no [trace unknown]"},
		{"trace:known", "needs p50, p90, p99"},
		{"trace:known + 1", "needs p50, p90, p99"},
		{"p99(vmstat:pgfault)", "takes a trace"},
		{"delta(trace:known)", "does not take a trace"},
		{"delta(vmstat:a * vmstat:b)", "joined by + and - only"},
		{"delta(5)", "joined by + and - only"},
		{"stat:\"cpu0.user", "quote is not closed"},
		{"", "a value is missing"},
		{"or0(vmstat:a + vmstat:b)", "takes one reference"},
		{"or0(5)", "takes one reference"},
		{"delta(or0(vmstat:a))", "joined by + and - only"},
		{"count(vmstat:a)", "takes a trace, count(trace:NAME), or a comparison"},
		{"sum(stat:*.user by nod)", "stat has no groups by 'nod'; did you mean 'node'?"},
		{"sum(diskstats:*.reads by node)", "the instances of diskstats are in no groups"},
		{"sum(stat:*.user by)", "the kind of group is missing behind 'by'"},
		{"sum(vmstat:a by node)", "'by node' needs instances"},
		{"max(sum(stat:*.user by node) by node)",
			"what is in groups by node cannot be grouped by node once more"},
		{"rate(stat:*.user by node)", "rate() has no groups; max, min, sum and count do"},
		{"1 < 2 < 3", "joined by 'and'"},
		{"1 > 0 and 5", "'and' is for comparisons, as in a > 1 and b > 1"},
		{"5 or 1 > 0", "'or' is for comparisons"},
		{"not 5", "'not' is for comparisons, as in a > 1 and not b > 1"},
		{"1 > 0 or", "a value is missing at the end"},
		{"1 > 0 xor 2 > 1", "'xor 2 > 1' is left over"},
	};
	struct str deep = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ok(strstr(refusal(cases[i].text), cases[i].message) != NULL, "'%s' is refused: %s",
			cases[i].text, refusal(cases[i].text));
	for (i = 0; i < 10000; i++)
		str_addc(&deep, '(');
	ok(strstr(refusal(str_text(&deep)), "too deeply") != NULL, "deep nesting is refused");
	str_clear(&deep);
	for (i = 0; i < 10000; i++)
		str_add(&deep, "not ");
	ok(strstr(refusal(str_text(&deep)), "too deeply") != NULL, "and so is that of not");
	str_clear(&deep);
	for (i = 0; i < 10000; i++)
		str_add(&deep, "1 > 0 or ");
	ok(strstr(refusal(str_text(&deep)), "too many") != NULL, "and a chain without end");
	str_free(&deep);
}

/* Two windows of vmstat and diskstats; sdb appears late, sda goes back once. */
static void write_machine(void)
{
	static const char *const vmstat[] = {"up 100\nreset 50\nwraps 10\nbig 9007199254740993\n",
		"up 110\nreset 60\nwraps 5\nbig 9007199254740993\n",
		"up 130\nreset 90\nwraps 500\nbig 9007199254740993\n"};
	static const char *const disks[] = {"   8 0 sda 100 0 0 50 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		"   8 0 sda 110 0 0 60 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		"   8 16 sdb 1000 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		"   8 0 sda 150 0 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		"   8 16 sdb 1001 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0\n"};
	int i;

	machine_begin(3);
	for (i = 0; i < 3; i++) {
		machine_write(i, "/proc/vmstat", vmstat[i]);
		machine_write(i, "/proc/diskstats", disks[i]);
		machine_write(i, "/sys/block/sda/queue/nr_requests", "64\n");
		machine_write(i, "/sys/block/sdb/queue/nr_requests", "32\n");
		machine_write(i, "/sys/block/sda/queue/scheduler", "[none] bfq\n");
		machine_write(i, "/sys/block/sdb/queue/scheduler", "none [bfq]\n");
	}
}

/* traced: seconds that a trace of the same metric ran; 0: it has none. */
static double evaluate(
	const char *text, size_t from, size_t to, const char *instance, double traced)
{
	struct sweep *sweep = sweep_new();
	struct arena arena = {0};
	const struct expr_scope scope = {
		.arena = &arena, .has_source = source_is_known, .has_trace = has_trace};
	struct expr_context context = {.check = "x",
		.sweep = sweep,
		.from = from,
		.to = to,
		.cpus = 4,
		.window_seconds = traced};
	struct capture *fs = NULL;
	struct str error = STR_INIT;
	size_t column;
	struct expr *expr = expr_parse(text, &scope, &error, &column);
	struct value value;
	double number = NAN;

	if (expr && !capture_open_replay(&fs, machine_dir)) {
		expr_bind(expr, sweep);
		sweep_open(sweep, fs);
		while (!sweep_take(sweep))
			;
		value = expr_eval(expr, &context);
		number = value_of(&value, instance);
		value_free(&value);
	}
	if (error.len)
		printf("# %s\n", error.text);
	arena_free(&arena);
	sweep_free(sweep);
	if (fs)
		capture_close(fs);
	str_free(&error);
	return number;
}

static void is(const char *text, size_t from, size_t to, const char *instance, double expected)
{
	double got = evaluate(text, from, to, instance, 0);

	ok(isnan(expected) ? isnan(got) : fabs(got - expected) < 1e-9, "%s%s%s over %zu..%zu is %g",
		text, *instance ? " of " : "", instance, from, to, expected);
	if (isnan(expected) ? !isnan(got) : !(fabs(got - expected) < 1e-9))
		printf("# got %g\n", got);
}

static void test_values(void)
{
	write_machine();
	is("1 + 2 * 3", 0, 2, "", 7);
	is("(1 + 2) * 3 - -1", 0, 2, "", 10);
	is("10 - 3 - 2", 0, 2, "", 5);
	is("16 / 4 / 2", 0, 2, "", 2);
	is("5% * 10ms", 0, 2, "", 0.0005);
	is("cpus", 0, 2, "", 4);
	is("page", 0, 2, "", 4096);
	is("window", 0, 2, "", 4);
	is("window", 0, 1, "", 2);
	is("vmstat:up", 0, 2, "", 130);
	is("since_boot(vmstat:up)", 0, 2, "", 130);
	is("delta(vmstat:up)", 0, 2, "", 30);
	is("delta(vmstat:up)", 0, 1, "", 10);
	is("rate(vmstat:up)", 0, 2, "", 7.5);
	is("delta(vmstat:up + vmstat:reset)", 0, 1, "", 20);
	is("slope(vmstat:up)", 0, 2, "", 7.5);
	is("slope(vmstat:wraps)", 0, 1, "", -2.5);
	is("slope(vmstat:nothing)", 0, 1, "", NAN);
	is("slope(vmstat:up)", 1, 1, "", NAN);
	is("1 / 0", 0, 2, "", NAN);
	is("0 / 0", 0, 2, "", NAN);
	is("vmstat:nothing", 0, 2, "", NAN);
	is("vmstat:nothing + 1", 0, 2, "", NAN);
	is("vmstat:nothing * 0", 0, 2, "", NAN);
	is("delta(vmstat:wraps)", 0, 1, "", NAN);
	is("delta(vmstat:wraps)", 0, 2, "", NAN);
	is("delta(vmstat:wraps)", 1, 2, "", 495);
	is("delta(vmstat:up)", 1, 1, "", NAN);
	is("delta(vmstat:big)", 0, 2, "", 0);
	is("vmstat:up > 100", 0, 2, "", 1);
	is("vmstat:up > 100 and not (vmstat:up > 1 or 1 > 2)", 0, 2, "", 0);
	is("vmstat:nothing > 100 or vmstat:up > 1", 0, 2, "", 1);
	is("vmstat:nothing > 100 or vmstat:up < 1", 0, 2, "", NAN);
	is("not vmstat:nothing > 100", 0, 2, "", NAN);
}

static void test_traced(void)
{
	ok(evaluate("window", 0, 2, "", 1) == 1, "beside a trace of 1 s, window is that second");
	ok(evaluate("rate(vmstat:up)", 0, 2, "", 1) == 7.5 &&
			evaluate("slope(vmstat:up)", 0, 2, "", 1) == 7.5,
		"and a counter still grew in the time between its own samples");
}

static void test_instances(void)
{
	is("delta(diskstats:*.reads)", 0, 2, "sda", 50);
	is("delta(diskstats:*.reads)", 0, 2, "sdb", NAN);
	is("delta(diskstats:*.reads)", 1, 2, "sdb", 1);
	is("delta(diskstats:sda.reads)", 0, 2, "", 50);
	is("sum(delta(diskstats:*.reads))", 0, 2, "", 50);
	is("sum(delta(diskstats:*.reads))", 1, 2, "", 41);
	is("max(diskstats:*.reads)", 0, 2, "", 1001);
	is("min(diskstats:*.reads)", 0, 2, "", 150);
	is("/sys/block/*/queue/nr_requests", 0, 2, "sdb", 32);
	is("/sys/block/*/queue/scheduler[=none]", 0, 2, "sda", 1);
	is("/sys/block/*/queue/scheduler[=none]", 0, 2, "sdb", 0);
	is("sum(/sys/block/*/queue/scheduler[=bfq])", 0, 2, "", 1);
	is("/sys/block/sda/queue[?]", 0, 2, "", 1);
	is("/sys/block/sdz/queue[?]", 0, 2, "", 0);
	is("diskstats:*.reads / /sys/block/*/queue/nr_requests", 0, 2, "sda", 150.0 / 64);
	is("delta(diskstats:*.read_ms) * 1ms / delta(diskstats:*.reads)", 0, 2, "sda", 0.001);
	is("diskstats:*.reads * 2", 0, 2, "sda", 300);
	is("2 * diskstats:*.reads", 0, 2, "sdb", 2002);
	is("p99(trace:known)", 0, 2, "", NAN);
	is("diskstats:*.reads > 200 or 1 > 2", 0, 2, "sdb", 1);
	is("1 > 2 or diskstats:*.reads > 200", 0, 2, "sda", 0);
	is("sum(diskstats:*.reads > 100)", 0, 2, "", 2);
}

/* Of the disks only sda has a wbt_lat_usec. sdb has no value in the
 * first sample, so that what it grew by is not known. */
static void test_absent(void)
{
	machine_write(0, "/sys/block/sda/queue/wbt_lat_usec", "75\n");
	machine_write(0, "/sys/block/sda/queue/wbt_ill", "none\n");
	machine_write(2, "/sys/block/sda/queue/wbt_lat_usec", "75\n");
	machine_write(1, "/sys/block/sda/queue/wbt_lat_usec", "75\n");
	machine_write(2, "/var/lib/x@age", "120.5\n");
	is("/var/lib/x[age]", 0, 2, "", 120.5);
	is("/var/lib/y[age]", 0, 2, "", NAN);
	is("or0(vmstat:nothing) + vmstat:up", 0, 2, "", 130);
	is("vmstat:up - or0(rate(vmstat:nothing))", 0, 2, "", 130);
	is("or0(vmstat:up) + 1", 0, 2, "", 131);
	is("or0(vmstat:nothing)", 0, 2, "", NAN);
	is("(or0(vmstat:nothing) + or0(vmstat:nobody)) * 5", 0, 2, "", NAN);
	is("(or0(vmstat:nothing) + or0(vmstat:up)) * 5", 0, 2, "", 650);
	is("or0(vmstat:nothing) / 2 + or0(vmstat:nobody) * 3 + 1", 0, 2, "", 1);
	is("5 / or0(vmstat:nothing)", 0, 2, "", NAN);
	is("or0(vmstat:nothing) > 0", 0, 2, "", 0);
	is("or0(delta(vmstat:wraps)) + 1", 0, 1, "", NAN);
	is("or0(/sys/block/sda/queue/wbt_ill) + 1", 0, 0, "", NAN);
	is("or0(/sys/block/*/queue/wbt_lat_usec) + /sys/block/*/queue/nr_requests", 0, 2, "sda",
		139);
	is("or0(/sys/block/*/queue/wbt_lat_usec) + /sys/block/*/queue/nr_requests", 0, 2, "sdb",
		32);
	is("or0(/sys/block/*/queue/wbt_ill) + /sys/block/*/queue/nr_requests", 0, 0, "sdb", NAN);
	is("or0(/sys/block/*/queue/none) + diskstats:*.reads", 0, 2, "sda", 150);
	is("diskstats:*.reads + or0(/sys/block/*/queue/none)", 0, 2, "sda", 150);
	is("or0(delta(diskstats:*.reads)) + 1", 0, 2, "sdb", NAN);
	is("sum(or0(/sys/block/*/queue/none)) + 1", 0, 2, "", 1);
}

/* Four CPUs on two nodes, of which cpu9 is on none, and three threads. */
static void test_groups(void)
{
	static const char stat_line[] =
		"(a) b) S 1 1 1 0 -1 0 0 0 0 0 5 0 0 0 20 0 1 0 100 0 0 0 0 0 0 0 0 "
		"0 0 0 0 0 0 0 17 %d 0 0\n";
	int i, tid;

	for (i = 0; i < 3; i++) {
		machine_write(i, "/proc/stat",
			"cpu 1 0 0 0\ncpu0 100 0 0 0\ncpu1 200 0 0 0\ncpu2 300 0 0 0\n"
			"cpu3 400 0 0 0\ncpu9 900 0 0 0\n");
		machine_write(i, "/sys/devices/system/node/node0/cpulist", "0-1\n");
		machine_write(i, "/sys/devices/system/node/node1/cpulist", "2,3\n");
		for (tid = 7; tid <= 9; tid++) {
			char path[64], text[320], line[256];

			snprintf(line, sizeof(line), stat_line, tid == 9 ? 3 : 1);
			snprintf(text, sizeof(text), "%d %s", tid, line);
			snprintf(path, sizeof(path), "/proc/%d/stat", tid);
			machine_write(i, path, text);
			snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", tid, tid);
			machine_write(i, path, text);
			snprintf(path, sizeof(path), "/proc/%d/cgroup", tid);
			machine_write(i, path,
				tid == 8 ? "0::/user.slice\n" : "0::/system.slice/a.service\n");
			snprintf(path, sizeof(path), "/proc/%d/status", tid);
			machine_write(i, path, "Name:\tb\nCpus_allowed_list:\t0-3\n");
		}
	}
	is("count(stat:*.user > 2)", 0, 2, "", 3);
	is("count(stat:*.user > 2) >= 3 and count(stat:*.user > 100) == 0", 0, 2, "", 1);
	is("count(diskstats:*.nothing > 2)", 0, 2, "", NAN);
	is("count(vmstat:up > 2)", 0, 2, "", 1);
	is("sum(stat:*.user by node)", 0, 2, "node0", 3);
	is("sum(stat:*.user by node)", 0, 2, "node1", 7);
	is("max(stat:*.user by node)", 0, 2, "node1", 4);
	is("min(stat:*.user by node) * 2", 0, 2, "node1", 6);
	is("count(stat:*.user > 1 by node)", 0, 2, "node0", 1);
	is("max(sum(stat:*.user by node))", 0, 2, "", 7);
	is("count(sum(stat:*.user by node) > 2)", 0, 2, "", 2);
	is("count(task:*.cpu_ns >= 0 by cpu)", 0, 2, "cpu1", 2);
	is("count(task:*.cpu_ns >= 0 by cpu)", 0, 2, "cpu3", 1);
	is("count(task:*.cpu_ns >= 0 by node)", 0, 2, "node1", 1);
	is("count(task:*.cpu_ns >= 0 by cpuset)", 0, 2, "0-3", 3);
	is("count(task:*.cpu_ns >= 0 by cgroup)", 0, 2, "/system.slice/a.service", 2);
	is("count(task:*.cpu_ns >= 0 by unit)", 0, 2, "user.slice", 1);
	is("count(task:*.cpu_ns >= 0 by pod)", 0, 2, "user.slice", NAN);
}

static int holds(const char *text, const char *instance)
{
	struct sweep *sweep = sweep_new();
	struct arena arena = {0};
	const struct expr_scope scope = {.arena = &arena, .has_source = source_is_known};
	struct expr_context context = {.check = "x", .sweep = sweep, .from = 0, .to = 2, .cpus = 4};
	struct capture *fs = NULL;
	struct str error = STR_INIT;
	size_t column;
	struct condition *condition = condition_parse(text, &scope, &error, &column);
	int result = -2;

	if (condition && !capture_open_replay(&fs, machine_dir)) {
		condition_bind(condition, sweep);
		sweep_open(sweep, fs);
		while (!sweep_take(sweep))
			;
		result = condition_holds(condition, &context, instance);
	}
	arena_free(&arena);
	sweep_free(sweep);
	if (fs)
		capture_close(fs);
	str_free(&error);
	return result;
}

static void test_conditions(void)
{
	ok(holds("delta(vmstat:up) >= 30", "") == 1, "a condition that holds");
	ok(holds("delta(vmstat:up) > 30", "") == 0, "one that does not");
	ok(holds("vmstat:nothing > 1", "") == -1, "one that nobody can say");
	ok(holds("vmstat:nothing > 1 and 1 > 2", "") == 0,
		"a part that does not hold settles it, whatever is not known");
	ok(holds("vmstat:nothing > 1 and 2 > 1", "") == -1, "else what is not known stays so");
	ok(holds("diskstats:*.reads > 200", "sdb") == 1 &&
			holds("diskstats:*.reads > 200", "sda") == 0,
		"instances are judged apart");
	ok(holds("diskstats:*.reads > 100", "") == 1 && holds("diskstats:*.reads > 200", "") == 0,
		"without an instance all must hold");
	ok(holds("1 > 2 or 2 > 1", "") == 1 && holds("1 > 2 or 2 > 3", "") == 0,
		"or holds where one side does");
	ok(holds("vmstat:nothing > 1 or 2 > 1", "") == 1 &&
			holds("vmstat:nothing > 1 or 1 > 2", "") == -1,
		"and a side that is not known matters only where the other does not settle it");
	ok(holds("1 > 0 or 1 > 0 and 1 > 2", "") == 1 &&
			holds("(1 > 0 or 1 > 0) and 1 > 2", "") == 0,
		"and binds closer than or, and parentheses closer than both");
	ok(holds("not 1 > 2 and 2 > 1", "") == 1 && holds("not (1 > 2 or 2 > 1)", "") == 0 &&
			holds("not not 1 > 0", "") == 1 &&
			holds("not vmstat:nothing > 1", "") == -1,
		"not is of the comparison behind it, and what is not known stays so");
	ok(holds("diskstats:*.reads > 2000 or diskstats:*.reads > 200", "sdb") == 1 &&
			holds("not diskstats:*.reads > 200", "sda") == 1,
		"they judge instances apart");
	ok(holds("or0(vmstat:nothing) > 0", "") == 0 &&
			holds("not or0(vmstat:nothing) > 0", "") == 1,
		"what is absent is compared as 0");
	ok(holds("(1 + 2) * 2 > 5 or(1 > 2)", "") == 1, "parentheses are for numbers too");
	ok(holds("(1 > 0) + (2 > 0) >= 2", "") == 1, "a comparison in a sum is 1 or 0");
	ok(holds("1 > ", "") == -2 && holds("1", "") == -2 && holds("1 > 2 3", "") == -2,
		"conditions without sense are refused");
}

int main(void)
{
	test_refusals();
	test_values();
	test_traced();
	test_instances();
	test_absent();
	test_groups();
	test_conditions();
	machine_end();
	return tap_done();
}
