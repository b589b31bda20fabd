/* SPDX-License-Identifier: GPL-2.0-only */
/* Is an added call found and named, and does nobody accuse what only chance has done? Simulated
 * samples: threads that do one thing for a while, then another. */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "flame/codepath.h"
#include "flame/folded.h"
#include "flame/tree.h"
#include "stats/random.h"
#include "tests/unit/tap.h"

enum { HERTZ = 49, SECONDS = 10, EARLIER = 5, KINDS = 12 };

struct simulated {
	unsigned int threads;
	double phase_seconds; /* how long a thread does the same, on average */
	double added;	      /* the share of a call that was not there before, below f3 */
	bool renamed;
};

static double simulated_uniform(struct stats_random *random)
{
	return (double)(stats_random_next(random) >> 11) * 0x1p-53;
}

/* One of the stacks of the program: some common, some rare. */
static size_t stack_of(const struct simulated *how, struct stats_random *random,
	const char **frames, char names[4][32])
{
	const unsigned int kind = (unsigned int)(pow(simulated_uniform(random), 2) * KINDS);
	const char *letter = how->renamed ? "g" : "f";
	size_t n = 0;

	snprintf(names[0], 32, "%s_main", letter);
	snprintf(names[1], 32, "%s_layer%u", letter, kind / 4);
	snprintf(names[2], 32, "%s%u", letter, kind);
	frames[n++] = names[0];
	if (how->added > 0 && simulated_uniform(random) < how->added) {
		frames[n++] = "f_layer1";
		frames[n++] = "added_call";
		frames[n++] = "added_inner";
		return n;
	}
	frames[n++] = names[1];
	frames[n++] = names[2];
	return n;
}

static struct codepath_look *look_at(const struct simulated *how, struct stats_random *random)
{
	struct codepath_look *look = codepath_look_new(SECONDS, HERTZ);

	for (unsigned int thread = 0; thread < how->threads; thread++) {
		const char *frames[4];
		char names[4][32];
		size_t n = 0;
		int left = 0;

		for (unsigned int i = 0; i < HERTZ * SECONDS; i++) {
			if (left-- <= 0) {
				n = stack_of(how, random, frames, names);
				left = (int)(-log(1 - simulated_uniform(random)) *
					how->phase_seconds * HERTZ);
			}
			codepath_look_add(look, frames, n, thread + 1,
				i * CODEPATH_SLICES / (HERTZ * SECONDS), 1);
		}
	}
	return look;
}

/* Looks once, with EARLIER looks of before. */
static struct codepath_result compared(
	const struct simulated *then, const struct simulated *now, struct stats_random *random)
{
	struct codepath_look *earlier[EARLIER], *look;
	struct codepath_limits limits;
	struct codepath_result result;

	codepath_limits_default(&limits);
	for (size_t i = 0; i < EARLIER; i++)
		earlier[i] = look_at(then, random);
	look = look_at(now, random);
	codepath_compare(&result, look, earlier, EARLIER, &limits);
	codepath_look_free(look);
	for (size_t i = 0; i < EARLIER; i++)
		codepath_look_free(earlier[i]);
	return result;
}

static void test_same(struct stats_random *random, double phase_seconds, unsigned int at_most)
{
	const struct simulated how = {.threads = 4, .phase_seconds = phase_seconds};
	unsigned int accused = 0;

	for (int run = 0; run < 100; run++) {
		struct codepath_result result = compared(&how, &how, random);

		accused += result.answer != CODEPATH_SAME;
		free(result.function);
	}
	ok(accused <= at_most,
		"threads that do the same for %g s: of 100 looks at no change %u accuse",
		phase_seconds, accused);
}

static void test_added(struct stats_random *random)
{
	const struct simulated then = {.threads = 4, .phase_seconds = 0.02};
	const struct simulated now = {.threads = 4, .phase_seconds = 0.02, .added = 0.25};
	unsigned int named = 0;
	double hours = 0;

	for (int run = 0; run < 20; run++) {
		struct codepath_result result = compared(&then, &now, random);

		named += result.answer == CODEPATH_MORE && str_same(result.function, "added_call");
		hours = result.cpu_hours_per_day;
		free(result.function);
	}
	ok(named == 20,
		"an added call of 25 %% is found, and it is the call that is named: %u of 20",
		named);
	ok(fabs(hours - 24) < 6, "of four CPUs it costs 24 hours a day: %.1f", hours);
}

static void test_others(struct stats_random *random)
{
	const struct simulated then = {.threads = 4, .phase_seconds = 0.02};
	const struct simulated twice = {.threads = 8, .phase_seconds = 0.02};
	const struct simulated renamed = {.threads = 4, .phase_seconds = 0.02, .renamed = true};
	struct codepath_result result = compared(&then, &twice, random);

	ok(result.answer == CODEPATH_SAME, "twice the load with the same shares is no change");
	free(result.function);
	result = compared(&then, &renamed, random);
	ok(result.answer == CODEPATH_RENAMED && !result.function && result.known < 0.01,
		"where everything has another name nothing can be compared");
	free(result.function);
}

static void test_few(void)
{
	struct codepath_look *now = codepath_look_new(SECONDS, HERTZ), *then;
	struct flame_tree *tree = flame_tree_new();
	struct codepath_limits limits;
	struct codepath_result result;

	codepath_limits_default(&limits);
	ok(limits.points > 0 && limits.false_rate > 0 && limits.least > 0 && limits.known > 0 &&
			limits.samples > 0 && limits.nearly > 0,
		"each limit has its number");
	codepath_compare(&result, now, NULL, 0, &limits);
	ok(result.answer == CODEPATH_TOO_FEW, "of nothing nothing is said");
	flame_tree_add_text(tree, "m;a 500\nm;b 500\n", 16);
	then = codepath_look_new(0, 0);
	codepath_look_add_tree(then, tree);
	flame_tree_add_text(tree, "m;b;a;c 1000\nm;b;b 0\n", 21);
	codepath_look_add_tree(now, tree);
	codepath_compare(&result, now, &then, 1, &limits);
	ok(result.answer == CODEPATH_MORE && str_same(result.function, "c"),
		"of folded stacks the same, each sample once: %s", result.function);
	ok(fabs(result.share - 0.5) < 1e-9 && result.before == 0, "from nothing to a half");
	free(result.function);
	codepath_look_free(now);
	codepath_look_free(then);
	flame_tree_free(tree);
}

static void test_kept(struct stats_random *random)
{
	const struct simulated how = {.threads = 4, .phase_seconds = 0.5};
	const struct simulated more = {.threads = 4, .phase_seconds = 0.02, .added = 0.25};
	struct codepath_look *then = look_at(&how, random), *kept, *now = look_at(&more, random);
	struct codepath_limits limits;
	struct codepath_result a, b;
	struct str text = STR_INIT, again = STR_INIT;

	codepath_limits_default(&limits);
	codepath_look_write(&text, then, 0);
	kept = codepath_look_read(text.text, text.len);
	if (!ok(kept != NULL, "a look that was kept is read again"))
		return;
	codepath_look_write(&again, kept, 0);
	ok(!strcmp(text.text, again.text), "and is the same");
	codepath_compare(&a, now, &then, 1, &limits);
	codepath_compare(&b, now, &kept, 1, &limits);
	ok(a.answer == b.answer && fabs(a.share - b.share) < 1e-9 && fabs(a.p - b.p) < 1e-3,
		"so is what it says");
	ok(!codepath_look_read("codepath/2 1 1 1\n", 17) && !codepath_look_read("", 0) &&
			!codepath_look_read("codepath/1 9 1 1\n10 1 1 x\n", 26) &&
			!codepath_look_read("codepath/1 9 1 1\n1 1 1 x\n1 1 1 x\n", 33),
		"of another version, with more hits than samples, with a name twice: it is none");
	free(a.function);
	free(b.function);
	str_free(&text);
	str_free(&again);
	codepath_look_free(then);
	codepath_look_free(kept);
	codepath_look_free(now);
}

int main(void)
{
	struct stats_random random;

	stats_random_seed(&random, 19);
	test_few();
	test_same(&random, 0.02, 1);
	test_same(&random, 0.5, 1);
	/* A look has five of such stretches. */
	test_same(&random, 2, 4);
	test_added(&random);
	test_others(&random);
	test_kept(&random);
	return tap_done();
}
