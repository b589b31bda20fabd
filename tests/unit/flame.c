/* SPDX-License-Identifier: GPL-2.0-only */
/* Do stacks merge, keep their weight through each filter, and is a scattered package named? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "flame/folded.h"
#include "flame/kind.h"
#include "flame/layout.h"
#include "flame/pattern.h"
#include "flame/reshape.h"
#include "flame/scattered.h"
#include "flame/svg.h"
#include "flame/tree.h"
#include "stats/discoveries.h"
#include "tests/unit/tap.h"

static struct flame_tree *tree_of(const char *text)
{
	struct flame_tree *tree = flame_tree_new();

	flame_tree_add_text(tree, text, strlen(text));
	return tree;
}

/* The stacks of a tree in the order of their text. */
static char *folded_of(const struct flame_tree *tree)
{
	struct str out = STR_INIT;

	flame_tree_write_folded(&out, tree);
	return str_take(&out);
}

static bool shaped_is(const char *text, const struct flame_filters *filters, const char *wanted)
{
	struct flame_tree *tree = tree_of(text), *shaped = flame_reshape(tree, filters, NULL);
	char *folded = folded_of(shaped);
	const bool is = !strcmp(folded, wanted) && shaped->total == tree->total;

	if (!is)
		printf("# got:\n%s", folded);
	free(folded);
	flame_tree_free(shaped);
	flame_tree_free(tree);
	return is;
}

static void test_lines(void)
{
	struct flame_tree *tree =
		tree_of("a;b 2\na;b 3\r\n\n# a comment\na;c;d 1\nno weight\n;; 4\n"
			"a 1.5\nx 99999999999999999999\n 7\n9\nb;a 0\n");
	char *folded = folded_of(tree);

	ok(tree->total == 12 && tree->unread == 4,
		"weights are summed, and what is no stack is counted");
	ok(!strcmp(folded, "a 2\na;b 5\na;c;d 1\n;; 4\n"), "equal stacks are one");
	free(folded);
	flame_tree_free(tree);
	tree = flame_tree_new();
	flame_tree_add(tree, (const char *[]){"a", "b"}, 2, 7);
	flame_tree_add_text(tree, "a;b 1\n", 6);
	ok(tree->n == 3 && tree->nodes[2].self == 8, "frames and lines meet in one node");
	flame_tree_free(tree);
}

/* Enough stacks for the table to grow, in an order that has no chains. */
static void test_many(void)
{
	struct flame_tree *tree = flame_tree_new();
	uint64_t *totals, leaves = 0;
	char line[64];

	for (unsigned int round = 0; round < 2; round++)
		for (unsigned int i = 0; i < 20000; i++) {
			snprintf(line, sizeof(line), "r;%u;%u;%u 1", i % 10, i % 1000, i);
			flame_tree_add_line(tree, line, strlen(line));
		}
	totals = flame_tree_totals(tree);
	for (size_t i = 1; i < tree->n; i++)
		leaves += tree->nodes[i].self == 2;
	ok(tree->n == 1 + 1 + 10 + 1000 + 20000 && leaves == 20000,
		"each path has one node, however many there are");
	ok(totals[0] == 40000 && totals[1] == 40000, "sums go down to the root");
	free(totals);
	flame_tree_free(tree);
}

static void test_patterns(void)
{
	ok(flame_pattern_matches("x/leg", "com/x/legacy") &&
			!flame_pattern_matches("legal", "com/x/legacy"),
		"a pattern is a piece of a name");
	ok(flame_pattern_matches("^com", "com/x") && !flame_pattern_matches("^x", "com/x") &&
			flame_pattern_matches("x$", "com/x") &&
			!flame_pattern_matches("com$", "com/x"),
		"it may begin it and end it");
	ok(flame_pattern_matches("^c*x*y$", "c-x-x-y") &&
			!flame_pattern_matches("^c*z*y$", "c-x-y") &&
			flame_pattern_matches("a*", "a"),
		"a star is anything, or nothing");
	ok(flame_pattern_matches("no|^yes$", "yes") && !flame_pattern_matches("no|^yes$", "yes!"),
		"one of several is enough");
	ok(flame_pattern_matches("a\\|b", "a|b") && flame_pattern_matches("\\*", "*") &&
			!flame_pattern_matches("\\*", "x") && flame_pattern_matches("5\\$", "5$6"),
		"a backslash takes the next one as it stands");
	ok(flame_pattern_matches("a^b", "a^b") && flame_pattern_matches("", "x"),
		"elsewhere a sign is nothing special");
}

static void test_filters(void)
{
	static const char text[] = "m;lib;x;f 4\nm;lib;g 3\nm;x;lib;x;h 2\nm 1\n";

	ok(shaped_is(text, &(struct flame_filters){.hide = "lib"},
		   "m 1\nm;x;f 4\nm;g 3\nm;x;x;h 2\n") ||
			shaped_is(text, &(struct flame_filters){.hide = "lib"},
				"m 1\nm;x;f 4\nm;x;x;h 2\nm;g 3\n"),
		"a hidden frame is taken out of its stacks");
	ok(shaped_is(text, &(struct flame_filters){.only = "x"},
		   "OTHER 4\nm;lib;x;f 4\nm;x;lib;x;h 2\n"),
		"stacks without such a frame become OTHER");
	ok(shaped_is(text, &(struct flame_filters){.without = "x"}, "m 1\nOTHER 6\nm;lib;g 3\n"),
		"and stacks with one");
	ok(shaped_is(
		   text, &(struct flame_filters){.focus = "^x$"}, "OTHER 4\nx;f 4\nx;lib;x;h 2\n"),
		"a focus begins at the first such frame");
	ok(shaped_is(
		   text, &(struct flame_filters){.callers = "^x$"}, "OTHER 4\nx;lib;m 4\nx;m 2\n"),
		"callers are turned around");
	ok(shaped_is(text, &(struct flame_filters){.reverse = true},
		   "m 1\nf;x;lib;m 4\ng;lib;m 3\nh;x;lib;x;m 2\n"),
		"reversed stacks begin where they ended");
	ok(shaped_is("m;a;b;c 3\nm;a;b;d 1\nm;q;r 2\n", &(struct flame_filters){.collapse = true},
		   "m;a > b;c 3\nm;a > b;d 1\nm;q > r 2\n"),
		"a chain is one frame");
	ok(shaped_is(text, &(struct flame_filters){.focus = "nowhere"}, "OTHER 10\n"),
		"what is nowhere leaves all to OTHER");
	ok(shaped_is(text, &(struct flame_filters){.hide = "*"}, ""), "all frames may be hidden");
}

static void test_layout(void)
{
	struct flame_tree *tree = tree_of("m;b 2\nm;a 3\nm 1\nm;a;z 4\n");
	struct flame_layout layout;

	flame_layout_make(&layout, tree, flame_tree_totals(tree), 100, 1);
	ok(layout.n == 5 && layout.boxes[2].start == 1 && layout.boxes[2].total == 7 &&
			layout.boxes[3].start == 4 && layout.boxes[4].start == 8 &&
			layout.boxes[4].total == 2,
		"what ends in a frame is to its left, then its frames by name");
	flame_layout_free(&layout);
	flame_layout_make(&layout, tree, flame_tree_totals(tree), 3, UINT64_MAX);
	ok(layout.n == 3 && layout.unkept == 6 && layout.boxes[2].rest == 7,
		"of too many frames the heaviest are kept, and the rest is told");
	flame_layout_free(&layout);
	flame_tree_free(tree);
}

static void test_kinds(void)
{
	size_t len;

	ok(flame_kind_of("vfs_read_[k]", &len) == FLAME_KERNEL && len == 8, "the kernel");
	ok(flame_kind_of("[unknown]", &len) == FLAME_UNKNOWN &&
			flame_kind_of("0x7f00", &len) == FLAME_UNKNOWN &&
			flame_kind_of("", &len) == FLAME_UNKNOWN,
		"no name");
	ok(flame_kind_of("[broken: libc.so.6]", &len) == FLAME_BROKEN, "a broken stack");
	ok(flame_kind_of("0x10_[gi]", &len) == FLAME_GPU_INSTRUCTION, "an instruction");
	ok(flame_kind_of("main", &len) == FLAME_PROGRAM && len == 4, "a program");
}

/* 44 % in 300 towers: each of 300 callers has 22 of its 50 in the package, half of them in another
 * class of it first. */
static void test_scattered(void)
{
	struct flame_tree *tree = flame_tree_new();
	struct flame_scattered_limits limits;
	struct flame_scattered found;
	struct str sentence = STR_INIT;
	uint64_t *totals;
	char line[200];

	for (int i = 0; i < 300; i++) {
		snprintf(line, sizeof(line),
			"java;main;app/C%d.run;com/x/legacy/%s.isOn;com/x/legacy/Map.get%d 22", i,
			i % 2 ? "Flag" : "Gate", i % 3);
		flame_tree_add_line(tree, line, strlen(line));
		snprintf(line, sizeof(line), "java;main;app/C%d.run;other%d 28", i, i);
		flame_tree_add_line(tree, line, strlen(line));
	}
	flame_scattered_limits_default(&limits);
	totals = flame_tree_totals(tree);
	flame_scattered_find(&found, tree, totals, &limits);
	if (ok(found.n == 1, "one package is scattered, not what it is in, nor its parts")) {
		flame_scattered_add_sentence(&sentence, &found.groups[0], tree->total, "samples");
		ok(!strcmp(str_text(&sentence),
			   "com/x/legacy: 44 % of samples in 300 towers, the "
			   "widest 0.1 %: --focus com/x/legacy"),
			"it is named with its share: %s", str_text(&sentence));
	}
	str_free(&sentence);
	flame_scattered_free(&found);
	free(totals);
	flame_tree_free(tree);
	tree = tree_of("m;com/x/legacy/a;b 44\nm;c 56\n");
	totals = flame_tree_totals(tree);
	flame_scattered_find(&found, tree, totals, &limits);
	ok(!found.n, "what stands in one place is seen, and not named");
	flame_scattered_free(&found);
	free(totals);
	flame_tree_free(tree);
}

/* A group of two names in 300 towers, and next to it a name that looks alike: what is said of it.
 */
static const struct {
	const char *one, *two, *other, *wanted;
} languages[] = {
	{"com.x.Legacy.f", "int com.x.Legacy.g(int)", "com.x.LegacyToo.f",
		"com.x.Legacy: 44 % of samples in 300 towers, the widest 0.1 %: --focus "
		"com.x.Legacy."},
	{"Lcom/x/Legacy:::f_[j]", "com/x/Legacy.g", "org/Other.f",
		"com/x/Legacy: 44 % of samples in 300 towers, the widest 0.1 %: --focus "
		"com/x/Legacy"},
	{"LazyCompile:~f /app/file.js:12", "LazyCompile:*g /app/file.js:40:2",
		"LazyCompile:*g /app/other.js:4",
		"/app/file.js: 44 % of samples in 300 towers, the widest 0.1 %: --focus "
		"/app/file.js"},
	{"py::Mod.f", "py::Mod.g:/usr/lib/m.py", "py::Model.f",
		"Mod: 44 % of samples in 300 towers, the widest 0.1 %: --focus Mod."},
	{"ns::Class<int>::f(int)", "void ns::Class<a::B>::g<int>(char const*)", "my_ns::f()",
		"ns::Class: 44 % of samples in 300 towers, the widest 0.1 %: --focus ns::Class"},
	{"(anonymous namespace)::C::f()", "int (anonymous namespace)::C::g()",
		"(anonymous namespace)::D::f()",
		"(anonymous namespace)::C: 44 % of samples in 300 towers, the widest 0.1 %: "
		"--focus '(anonymous namespace)::C'"},
	{"<my::Vec<T> as core::ops::Drop>::drop", "my::Vec<T>::push", "core::ops::f",
		"my::Vec: 44 % of samples in 300 towers, the widest 0.1 %: --focus my::Vec"},
	{"_ZN2ns5Class1fEv", "_ZN2ns5Class1gEi", "_ZN2ns6Class21gEi",
		"ns::Class: 44 % of samples in 300 towers, the widest 0.1 %: --focus _ZN2ns5Class"},
	{"tcp_rcv_[k]", "tcp_rcv.isra.0_[k]", "my_tcp_rcv_[k]",
		"tcp_rcv: 44 % of samples in 300 towers, the widest 0.1 %: --focus '^tcp_rcv'"},
	{"read (libc.so.6)", "write (libc.so.6)", "read (libx.so)",
		"libc.so.6: 44 % of samples in 300 towers, the widest 0.1 %: --focus libc.so.6"},
	{"[unknown] libx.so.1", "[unknown] libx.so.1", "[unknown] liby.so.1",
		"libx.so.1: 44 % of samples in 300 towers, the widest 0.1 %: --focus libx.so.1"},
};

/* The sentences of all groups that are found in a tree with these names, one a line. */
static char *scattered_sentences(const char *one, const char *two, const char *other)
{
	struct flame_tree *tree = flame_tree_new();
	struct flame_scattered_limits limits;
	struct flame_scattered found;
	struct str out = STR_INIT;
	uint64_t *totals;
	char caller[32];

	for (int i = 0; i < 300; i++) {
		snprintf(caller, sizeof(caller), "caller%d", i);
		flame_tree_add(tree, (const char *[]){caller, i % 2 ? one : two, "memcpy"}, 3, 22);
		flame_tree_add(tree, (const char *[]){caller, i % 100 ? "rest" : other}, 2, 28);
	}
	flame_scattered_limits_default(&limits);
	totals = flame_tree_totals(tree);
	flame_scattered_find(&found, tree, totals, &limits);
	for (size_t i = 0; i < found.n; i++) {
		if (!strcmp(found.groups[i].name, "rest"))
			continue;
		flame_scattered_add_sentence(&out, &found.groups[i], tree->total, "samples");
		str_addc(&out, '\n');
	}
	flame_scattered_free(&found);
	free(totals);
	flame_tree_free(tree);
	return str_take(&out);
}

static void test_ways(void)
{
	char *got = scattered_sentences("do_syscall_64_[k]", "start_thread", "main");

	ok(!strncmp(got, "memcpy: ", 8) && !strchr(strchr(got, '\n') + 1, '\n'),
		"the way into a thread or the kernel is no package: %.60s", got);
	free(got);
	got = scattered_sentences("Active_[gr]", "0x10_[gi]", "main");
	ok(!strncmp(got, "memcpy: ", 8) && !strchr(strchr(got, '\n') + 1, '\n'),
		"nor is why an instruction of a GPU waits: %.60s", got);
	free(got);
}

static void test_languages(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++) {
		char *got =
			scattered_sentences(languages[i].one, languages[i].two, languages[i].other);

		if (!ok(!strncmp(got, languages[i].wanted, strlen(languages[i].wanted)) &&
				    got[strlen(languages[i].wanted)] == '\n',
			    "of %s and %s", languages[i].one, languages[i].two))
			printf("# got:    %s# wanted: %s\n", got, languages[i].wanted);
		free(got);
	}
}

static void test_discoveries(void)
{
	const double p[] = {0.01, 0.04, 0.03, 0.2, 0.9};
	bool found[5];

	ok(fabs(stats_two_shares_p(0.5, 100, 0.7, 100, 1, 1) - 0.00389) < 0.0001,
		"two shares: z is 2.887");
	ok(stats_two_shares_p(0.5, 100, 0.7, 100, 4, 4) > 0.1, "samples in clusters say less");
	ok(stats_two_shares_p(0, 100, 0, 100, 1, 1) == 1 &&
			stats_two_shares_p(0, 0, 1, 1, 1, 1) == 1,
		"of nothing comes nothing");
	ok(stats_discoveries(p, 5, 0.05, found) == 1 && found[0] && !found[2],
		"one of five passes: 0.01");
	ok(stats_discoveries(p, 5, 0.07, found) == 3 && found[1] && found[2] && !found[3],
		"a later one that passes takes those before it along");
	ok(stats_discoveries(p, 0, 0.05, found) == 0, "of none none");
}

static void test_difference(void)
{
	struct flame_tree *tree = tree_of("m;a 500\nm;b 500\nm;gone 100\n");
	struct flame_look look = {.title = "x"};
	struct str out = STR_INIT;
	const size_t n = tree->n;
	uint64_t *before = flame_tree_take_selves(tree, &look.before_total);

	flame_tree_add_text(tree, "m;a 1500\nm;b 1000\nm;new 1\n", 27);
	look.before = before = flame_tree_fit_selves(tree, before, n);
	flame_svg(&out, tree, NULL, &look);
	ok(strstr(str_text(&out), "a: 59.98 %, 1500 samples, 14.52 points more than before"),
		"a share that has changed is told");
	ok(strstr(str_text(&out), "points, which chance may do"), "and one that may be chance");
	ok(strstr(str_text(&out), "Only before: 9.1 % of what was then."), "what is gone is drawn");
	str_free(&out);
	look.unit = "ns";
	flame_svg(&out, tree, NULL, &look);
	ok(strstr(str_text(&out), "a: 59.98 %, 1500 ns, +14.52 points<") &&
			!strstr(str_text(&out), "class=\"d3\"") &&
			strstr(str_text(&out), "more than chance cannot be told of ns"),
		"of times without a count of samples all is grey, and the legend says why");
	str_clear(&out);
	look.sample = 1;
	flame_svg(&out, tree, NULL, &look);
	ok(strstr(str_text(&out), "a: 59.98 %, 1500 ns, 14.52 points more than before") &&
			strstr(str_text(&out), "class=\"d3\""),
		"with a sample's weight it is told again");
	str_clear(&out);
	look.sample = 100;
	flame_svg(&out, tree, NULL, &look);
	ok(strstr(str_text(&out), "a: 59.98 %, 1500 ns, +14.52 points, which chance may do"),
		"and of 25 samples it may be chance");
	str_free(&out);
	free(before);
	flame_tree_free(tree);
}

/* The percentage of a picture that is said to be below frames too narrow to draw, or -1. */
static double narrow_of(const char *picture)
{
	const char *words = strstr(picture, " % of them in frames that are too narrow");

	while (words && words > picture && strchr("0123456789.", words[-1]))
		words--;
	return words ? strtod(words, NULL) : -1;
}

/* 60,000 stacks of two frames each above m, so that some frames are kept and not drawn, and of
 * those the upper ones are not even kept. */
static void test_narrow(void)
{
	struct flame_tree *tree = flame_tree_new();
	const struct flame_look look = {.least_pixels = 1};
	struct str out = STR_INIT;
	char line[64];

	for (unsigned int i = 0; i < 60000; i++) {
		snprintf(line, sizeof(line), "m;f%u;g%u 1", i / 2, i);
		flame_tree_add_line(tree, line, strlen(line));
	}
	flame_tree_add_line(tree, "m;wide 60000", 12);
	flame_svg(&out, tree, NULL, &look);
	ok(fabs(narrow_of(str_text(&out)) - 50) < 0.01,
		"half is too narrow to draw, and counted once: %.1f %%", narrow_of(str_text(&out)));
	str_free(&out);
	flame_tree_free(tree);
}

int main(void)
{
	test_narrow();
	test_lines();
	test_many();
	test_patterns();
	test_filters();
	test_layout();
	test_kinds();
	test_scattered();
	test_languages();
	test_ways();
	test_discoveries();
	test_difference();
	return tap_done();
}
