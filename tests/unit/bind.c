/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a check file only text until it is bound, and is read then what is wanted and nothing else? */
#include "base/banned.h"

#include <math.h>
#include <sys/stat.h>

#include "capture/capture.h"
#include "check/check.h"
#include "check/compile.h"
#include "check/layers.h"
#include "check/read_file.h"
#include "check/settings.h"
#include "expr/bind.h"
#include "expr/eval.h"
#include "expr/parse.h"
#include "run/select.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sample/sweep.h"
#include "base/arena.h"
#include "base/str.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"

/* How often each source of this test was opened and read. */
static struct {
	int opened, read;
} cheap_calls, dear_calls;

static int cheap_open(struct capture *fs, void **state)
{
	(void)fs;
	(void)state;
	cheap_calls.opened++;
	return 0;
}

static int cheap_read(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	cheap_calls.read++;
	sink_put(sink, "", "x", 2);
	sink_put(sink, "", "y", 3);
	return 0;
}

static int dear_open(struct capture *fs, void **state)
{
	(void)fs;
	(void)state;
	dear_calls.opened++;
	return 0;
}

static int dear_read(struct capture *fs, void *state, struct sink *sink)
{
	(void)fs;
	(void)state;
	dear_calls.read++;
	sink_put(sink, "", "x", 5);
	return 0;
}

SOURCE(cheap) = {.name = "cheapstat", .what = "nothing", .open = cheap_open, .read = cheap_read};
SOURCE(dear) = {.name = "dearstat", .what = "dear", .open = dear_open, .read = dear_read};

#define HEAD "[check]\nquestion = Q?\narea = test\n"
#define METRIC(name, value) "[metric " name "]\nvalue = " value "\nclass = cause\nsource = s\n"

static void forget_calls(void)
{
	memset(&cheap_calls, 0, sizeof(cheap_calls));
	memset(&dear_calls, 0, sizeof(dear_calls));
}

static struct check *parse(const char *name, const char *text)
{
	struct str errors = STR_INIT;
	struct check *check = check_parse(name, text, strlen(text), &errors);

	if (!check) {
		printf("Bail out! %s\n", str_text(&errors));
		exit(1);
	}
	str_free(&errors);
	return check;
}

static size_t count_references(const struct sweep *sweep)
{
	const char *source, *key;
	size_t n = 0;

	while (sweep_reference_name(sweep, (int)n, &source, &key))
		n++;
	return n;
}

/* Samples this machine once; the sources here ask it for nothing. */
static void sample_once(struct sweep *sweep)
{
	struct capture *fs = NULL;

	if (capture_open(&fs, "/", NULL))
		exit(1);
	sweep_open(sweep, fs);
	sweep_take(sweep);
	capture_close(fs);
}

static double value_over(const struct check *check, const struct sweep *sweep)
{
	const struct expr_context context = {.check = check->name, .sweep = sweep};
	struct value value = expr_eval(check->metrics[0]->value, &context);
	double number = value_of(&value, NULL);

	value_free(&value);
	return number;
}

static void test_text(void)
{
	struct check *check = parse("t", HEAD METRIC("a_count", "cheapstat:x + dearstat:x"));
	const struct expr_context nothing = {.check = "t"};
	struct sweep *sweep = sweep_new();
	struct str why = STR_INIT;

	ok(isnan(value_over(check, NULL)), "a check that was compiled has no value by itself");
	ok(expr_why_missing(check->metrics[0]->value, &nothing, &why) &&
			!strcmp(str_text(&why), "cheapstat:x was not read"),
		"and says that nothing was read");
	ok(!cheap_calls.opened && !dear_calls.opened, "nor was any source asked");
	check_bind(check, sweep);
	ok(count_references(sweep) == 2 && !cheap_calls.opened && !cheap_calls.read,
		"what is bound has a number, and is still not read");
	sample_once(sweep);
	ok(value_over(check, sweep) == 7 && cheap_calls.read == 1 && dear_calls.read == 1,
		"a sample reads each source once, and there is the value");
	str_free(&why);
	check_free(check);
	sweep_free(sweep);
	forget_calls();
}

static void test_sharing(void)
{
	struct check *one = parse("one", HEAD METRIC("a_count", "cheapstat:x"));
	struct check *two = parse("two", HEAD METRIC("a_count", "cheapstat:x + cheapstat:y"));
	struct sweep *first = sweep_new(), *second = sweep_new();

	check_bind(one, first);
	check_bind(two, first);
	ok(count_references(first) == 2, "two checks share a reference");
	sample_once(first);
	ok(value_over(one, first) == 2 && value_over(two, first) == 5 && cheap_calls.read == 1,
		"which is read once for both");
	check_bind(two, second);
	sample_once(second);
	ok(value_over(two, second) == 5, "a check can be bound anew, in another sweep");
	check_free(one);
	check_free(two);
	sweep_free(first);
	sweep_free(second);
	forget_calls();
}

static void lay(struct settings *merged, const char *file, const char *text)
{
	struct complaints complaints = {0};
	struct settings layer = {0};

	if (!settings_parse(&layer, file, text, strlen(text), &complaints))
		exit(1);
	settings_merge(merged, &layer);
	settings_free(&layer);
}

static void test_layers(void)
{
	struct complaints complaints = {0};
	struct settings merged = {0};
	struct sweep *sweep = sweep_new();
	struct check *check;

	lay(&merged, "low.ini",
		HEAD METRIC("a_count", "dearstat:x") METRIC("b_count", "dearstat:y"));
	lay(&merged, "high.ini",
		"[metric a_count]\nvalue = cheapstat:x\n[metric b_count]\nvalue =\n");
	check = check_compile("t", true, &merged, NULL, &complaints);
	if (!check)
		exit(1);
	check_bind(check, sweep);
	ok(count_references(sweep) == 1, "what a layer overrules is not bound");
	sample_once(sweep);
	ok(value_over(check, sweep) == 2 && !dear_calls.opened && !dear_calls.read,
		"and its source is neither opened nor read");
	check_free(check);
	sweep_free(sweep);
	forget_calls();
}

static void test_names(void)
{
	struct arena arena = {0};
	const struct expr_scope any = {.arena = &arena};
	const struct expr_scope known = {.arena = &arena, .has_source = source_is_known};
	struct sweep *sweep = sweep_new();
	struct str error = STR_INIT;
	size_t column;
	struct expr *expr = expr_parse("nosuchstat:x + cheapstat:x", &any, &error, &column);

	ok(expr && !error.len, "text is an expression whatever sources there are");
	expr_bind(expr, sweep);
	ok(count_references(sweep) == 1, "a name that is no source here stays unbound");
	ok(!expr_parse("1 + cheapsat:x", &known, &error, &column) && column == 14 &&
			!strcmp(str_text(&error),
				"unknown source 'cheapsat'; did you mean 'cheapstat'?"),
		"whoever knows the sources can have it refused with what was meant");
	str_clear(&error);
	ok(!expr_parse("quitedifferent:x", &known, &error, &column) &&
			!strcmp(str_text(&error), "unknown source 'quitedifferent'"),
		"or without");
	str_free(&error);
	arena_free(&arena);
	sweep_free(sweep);
}

static bool was_read(const struct tree *recording, const char *path)
{
	char *file = mem_printf("%s/0%s", recording->dir, path);
	struct stat st;
	bool there = !stat(file, &st) && st.st_size > 0;

	free(file);
	return there;
}

/* A recording has what was read, file by file. */
static void test_skipped(void)
{
	struct tree machine = tree_new(), recording = tree_new();
	struct check *list[] = {
		parse("here", HEAD METRIC("a_count", "vmstat:pgfault")),
		parse("off", HEAD "enabled = no\n" METRIC("a_count", "dearstat:x")),
		parse("there",
			HEAD
			"needs = /sys/gone\n" METRIC("a_count", "meminfo:MemFree + dearstat:x")),
	};
	const struct checks checks = {.list = list, .n = ARRAY_SIZE(list)};
	struct selection selection;
	struct sweep *sweep = sweep_new();
	struct capture *fs = NULL;
	size_t i;

	tree_write(&machine, "proc/vmstat", "pgfault 3\n");
	tree_write(&machine, "proc/meminfo", "MemFree: 3 kB\n");
	if (capture_open(&fs, machine.dir, recording.dir))
		exit(1);
	selection_make(&selection, &checks);
	selection_skip(&selection, fs);
	ok(selection.n == 2 && !selection.skipped[0] && selection.skipped[1] &&
			!strcmp(selection.skipped[1], "no /sys/gone here"),
		"what is switched off is not selected, what has nothing to say is skipped");
	selection_bind(&selection, sweep);
	sweep_open(sweep, fs);
	sweep_take(sweep);
	ok(was_read(&recording, "/proc/vmstat"), "the files of a check that is judged are read");
	ok(!was_read(&recording, "/proc/meminfo") && !dear_calls.opened && !dear_calls.read,
		"those of the others are not");
	ok(count_references(sweep) == 1 && value_over(list[0], sweep) == 3,
		"nor are they interned");
	capture_close(fs);
	sweep_free(sweep);
	selection_free(&selection);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		check_free(list[i]);
	tree_free(&machine);
	tree_free(&recording);
}

int main(void)
{
	test_text();
	test_sharing();
	test_layers();
	test_names();
	test_skipped();
	return tap_done();
}
