/* SPDX-License-Identifier: GPL-2.0-only */
/* Does each rule give the type that it is for, and say why? */
#include <math.h>

#include "result.h"
#include "str.h"
#include "tap.h"
#include "type.h"

#define CHECKS 10

static const struct metric harm = {.name = "wait_seconds", .class = CLASS_HARM};
static const struct metric error = {.name = "lost_count", .class = CLASS_ERROR};
static const struct metric limit = {.name = "full_ratio", .class = CLASS_LIMIT};
static const struct metric cause = {.name = "load_count", .class = CLASS_CAUSE};

/* A report of good checks, each of an area of its own, to be spoilt by a test. */
struct scene {
	struct check checks[CHECKS];
	struct check_result results[CHECKS];
	struct metric_result metrics[CHECKS][2];
	struct culprit culprits[CHECKS][2];
	struct report report;
};

static void set_up(struct scene *scene)
{
	static char names[CHECKS][8] = {
		"cpu", "disk", "listen", "tcp", "irq", "memory", "fs", "lock", "clock", "net"};
	size_t i;

	memset(scene, 0, sizeof(*scene));
	for (i = 0; i < CHECKS; i++) {
		scene->checks[i].name = names[i];
		scene->checks[i].area = names[i];
		scene->results[i].check = &scene->checks[i];
		scene->results[i].verdict = VERDICT_GOOD;
		scene->results[i].metrics = scene->metrics[i];
		scene->results[i].culprits = scene->culprits[i];
	}
	scene->report.checks = scene->results;
	scene->report.n_checks = CHECKS;
	scene->report.uptime_seconds = 86400;
}

/* Adds a metric that accuses, of one instance, or of the whole machine for "". */
static void accuse(struct scene *scene, size_t check, enum verdict verdict,
	const struct metric *metric, const char *instance)
{
	struct check_result *result = &scene->results[check];
	static char texts[4][16];
	static size_t used;
	char *text = texts[used++ % ARRAY_SIZE(texts)];

	snprintf(text, sizeof(texts[0]), "%s", instance);
	result->verdict = verdict;
	result->metrics[result->n_metrics++] = (struct metric_result){.metric = metric,
		.instance = text,
		.label = text,
		.verdict = verdict,
		.instances = 4,
		.accused = 1};
}

static void derives(struct scene *scene, const char *name, const char *why, const char *what)
{
	const struct incident_type *type = &scene->report.type;
	bool same;

	type_derive(&scene->report);
	if (!name) {
		ok(!type->name && !type->why, "%s", what);
		return;
	}
	same = type->name && !strcmp(type->name, name) && strstr(type->why, why);
	ok(same, "%s", what);
	if (!same)
		printf("# got %s: %s\n", type->name ? type->name : "none",
			type->why ? type->why : "none");
	free(type->why);
	scene->report.type = (struct incident_type){0};
}

static void test_nothing_wrong(void)
{
	struct scene scene;

	set_up(&scene);
	derives(&scene, NULL, NULL, "where all is good there is no type");
	scene.results[0].verdict = VERDICT_SKIP;
	scene.results[1].verdict = VERDICT_UNKNOWN;
	derives(&scene, NULL, NULL, "a check that could not look is no incident");
	scene.results[2].verdict = VERDICT_UNKNOWN;
	scene.results[3].verdict = VERDICT_UNKNOWN;
	derives(&scene, "ambiguous", "3 of 9 checks could not be examined",
		"a third of them is too much to say that nothing is wrong");
	scene.report.uptime_seconds = 30;
	derives(&scene, "ambiguous", "3 of 9", "without trouble a young machine is not internal");
}

static void test_internal(void)
{
	struct scene scene;

	set_up(&scene);
	accuse(&scene, 0, VERDICT_BAD, &harm, "");
	scene.report.uptime_seconds = 599;
	derives(&scene, "internal", "started 599 s ago", "trouble while starting is internal");
	scene.report.uptime_seconds = 600;
	derives(&scene, "major", "", "after ten minutes it is not");
	scene.report.uptime_seconds = NAN;
	derives(&scene, "major", "", "nor where the uptime is not known");
	scene.report.under_way = mem_strdup("disk/less_read_ahead");
	derives(&scene, "internal", "an experiment is under way: disk/less_read_ahead",
		"trouble while somebody experiments is internal");
	free(scene.report.under_way);
	scene.report.under_way = NULL;
}

static void test_major(void)
{
	struct scene scene;

	set_up(&scene);
	accuse(&scene, 0, VERDICT_BAD, &harm, "");
	derives(&scene, "major", "cpu is bad for the whole machine",
		"harm that is nobody's in particular is major");
	scene.results[0].n_culprits = 2;
	derives(&scene, "major", "cpu", "so is harm with several culprits");
	set_up(&scene);
	accuse(&scene, 1, VERDICT_BAD, &harm, "sda");
	accuse(&scene, 2, VERDICT_BAD, &harm, ":3000");
	derives(&scene, "major", "disk and listen do harm at once", "harm in two areas is major");
	scene.checks[2].area = scene.checks[1].area;
	derives(&scene, "isolated", "only disk and listen", "in one area it is not");
	set_up(&scene);
	accuse(&scene, 0, VERDICT_MAYBE, &harm, "");
	accuse(&scene, 0, VERDICT_MAYBE, &cause, "");
	scene.results[0].verdict = VERDICT_BAD;
	derives(&scene, "major", "cpu", "harm that a trace has confirmed counts as bad");
}

static void test_isolated(void)
{
	struct scene scene;

	set_up(&scene);
	accuse(&scene, 2, VERDICT_BAD, &error, ":3000");
	derives(&scene, "isolated", "only listen in ':3000'; everything else was examined",
		"one listener and all else good is isolated");
	accuse(&scene, 2, VERDICT_BAD, &limit, "net:[1]");
	derives(&scene, "isolated", "':3000', 'net:[1]'", "a second number names its own place");
	scene.results[4].verdict = VERDICT_UNKNOWN;
	derives(&scene, "isolated", "1 of 10 checks could not", "what was not examined is said");
	scene.results[5].verdict = scene.results[6].verdict = VERDICT_UNKNOWN;
	scene.results[7].verdict = VERDICT_UNKNOWN;
	derives(&scene, "ambiguous", "4 of 10 checks", "where too much was not, it is ambiguous");
	set_up(&scene);
	accuse(&scene, 2, VERDICT_BAD, &error, ":3000");
	scene.metrics[2][0].accused = 2;
	derives(&scene, "ambiguous", "not in one place", "two listeners are not one place");
	set_up(&scene);
	accuse(&scene, 0, VERDICT_BAD, &harm, "");
	scene.results[0].n_culprits = 1;
	snprintf(scene.culprits[0][0].name, sizeof(scene.culprits[0][0].name), "stress");
	derives(&scene, "isolated", "'stress'", "the only culprit of harm is one place");
}

static void test_time_bomb(void)
{
	struct scene scene;

	set_up(&scene);
	accuse(&scene, 6, VERDICT_BAD, &limit, "/var");
	derives(&scene, "time bomb", "fs is at its limit", "a limit without harm is a time bomb");
	accuse(&scene, 7, VERDICT_MAYBE, &harm, "");
	derives(&scene, "time bomb", "fs", "also where harm is only possible");
	accuse(&scene, 6, VERDICT_BAD, &error, "/var");
	derives(&scene, "ambiguous", "fs is bad, lock may be", "an error has happened already");
}

static void test_ambiguous(void)
{
	struct scene scene;

	set_up(&scene);
	accuse(&scene, 1, VERDICT_MAYBE, &harm, "sda");
	derives(&scene, "ambiguous", "nothing is bad; disk may be", "maybes alone are ambiguous");
	accuse(&scene, 2, VERDICT_BAD, &error, ":3000");
	derives(&scene, "ambiguous", "listen is bad, disk may be",
		"so is one place with a doubt elsewhere");
	set_up(&scene);
	scene.results[0].verdict = VERDICT_BAD;
	derives(&scene, "ambiguous", "cpu is bad", "so is a bad check that brings no numbers");
}

int main(void)
{
	test_nothing_wrong();
	test_internal();
	test_major();
	test_isolated();
	test_time_bomb();
	test_ambiguous();
	return tap_done();
}
