/* SPDX-License-Identifier: GPL-2.0-only */
/* Does each rule give the type that it is for, and say why? */
#include "base/banned.h"

#include <math.h>

#include "base/diag.h"
#include "report/report.h"
#include "base/str.h"
#include "tap.h"
#include "report/incident.h"
#include "history/type_notes.h"
#include "history/retypes.h"
#include "check/check.h"
#include "report/incident_key.h"

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
	static char texts[8][16];
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

	incident_derive_type(&scene->report);
	if (!name) {
		ok(!type->name && !type->why, "%s", what);
		return;
	}
	same = type->name && !strcmp(type->name, name) && strstr(type->why, why);
	ok(same, "%s", what);
	if (!same)
		printf("# got %s: %s\n", type->name ? type->name : "none",
			type->why ? type->why : "none");
	incident_type_free(&scene->report.type);
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
	accuse(&scene, 0, VERDICT_MAYBE, &limit, "");
	scene.report.uptime_seconds = 599;
	derives(&scene, "internal", "booted 599 s ago", "a doubt while starting is internal");
	accuse(&scene, 1, VERDICT_MAYBE, &harm, "");
	derives(&scene, "ambiguous", "", "but harm that may be seen meanwhile is harm");
	set_up(&scene);
	accuse(&scene, 0, VERDICT_MAYBE, &limit, "");
	scene.report.uptime_seconds = 600;
	derives(&scene, "ambiguous", "", "after ten minutes it is not");
	scene.report.uptime_seconds = NAN;
	derives(&scene, "ambiguous", "", "nor where the uptime is not known");
	set_up(&scene);
	accuse(&scene, 0, VERDICT_BAD, &limit, "");
	scene.report.uptime_seconds = 599;
	derives(&scene, "internal", "booted 599 s ago", "nor is a limit harm yet");
	set_up(&scene);
	accuse(&scene, 0, VERDICT_BAD, &harm, "");
	scene.report.uptime_seconds = 599;
	derives(&scene, "major", "", "harm is not excused by a start");
	set_up(&scene);
	accuse(&scene, 1, VERDICT_BAD, &error, "sda");
	scene.report.uptime_seconds = 599;
	derives(&scene, "isolated", "only disk in 'sda'", "nor is an error");
	scene.report.under_way = mem_strdup("disk/less_read_ahead");
	derives(&scene, "internal", "an experiment is under way: disk/less_read_ahead",
		"trouble while somebody experiments is internal");
	free(scene.report.under_way);
	scene.report.under_way = NULL;
}

/* Of 'rollout of shop 4.2', by alice, one minute ago. */
static struct announced *announce(struct scene *scene, enum began began)
{
	static char what[] = "rollout of shop 4.2", by[] = "alice";
	static struct announced announced;

	scene->report.time_start = 86400 * 365;
	announced = (struct announced){.what = what,
		.by = by,
		.since = scene->report.time_start - 60,
		.until = scene->report.time_start + 60};
	scene->report.announced = &announced;
	scene->report.n_announced = 1;
	scene->report.accused_began = began;
	return &announced;
}

static void test_announced(void)
{
	struct scene scene;

	set_up(&scene);
	announce(&scene, BEGAN_SINCE);
	derives(&scene, NULL, NULL, "what is announced is no incident where all is good");
	accuse(&scene, 0, VERDICT_BAD, &harm, "");
	derives(&scene, "internal", "'rollout of shop 4.2' (by alice, since ",
		"harm that began after what was announced is internal");
	announce(&scene, BEGAN_BEFORE);
	derives(&scene, "major", "", "harm that was there before is not");
	announce(&scene, BEGAN_UNKNOWN);
	derives(&scene, "major", "", "nor is harm of which nobody knows when it began");
	incident_derive_type(&scene.report);
	ok(scene.report.type.n_candidates == 2 &&
			!strcmp(scene.report.type.candidates[0], "internal"),
		"which may be its doing");
	incident_type_free(&scene.report.type);
}

/* An error of the L2ARC, whose check knows no instance and no culprit. */
static void test_place(void)
{
	struct scene scene;

	set_up(&scene);
	scene.checks[1].place = "the L2ARC";
	accuse(&scene, 1, VERDICT_BAD, &error, "");
	derives(&scene, "isolated", "only disk in 'the L2ARC'",
		"an error in a check of one place is isolated");
	accuse(&scene, 1, VERDICT_BAD, &harm, "");
	derives(&scene, "isolated", "only disk in 'the L2ARC'", "so is its harm");
	accuse(&scene, 2, VERDICT_BAD, &harm, ":3000");
	derives(&scene, "major", "disk and listen do harm at once",
		"harm in two areas is major all the same");
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

static void test_security(void)
{
	struct scene scene;

	set_up(&scene);
	scene.checks[9].area = "security";
	accuse(&scene, 9, VERDICT_BAD, &harm, "");
	derives(&scene, "security", "of the area security: net",
		"what is bad in the area security alone is security");
	accuse(&scene, 1, VERDICT_BAD, &harm, "sda");
	derives(&scene, "major", "", "with something else it is only a candidate");
	incident_derive_type(&scene.report);
	ok(scene.report.type.n_candidates == 2 &&
			!strcmp(scene.report.type.candidates[0], "security") &&
			!strcmp(scene.report.type.candidates[1], "major"),
		"all that may be are candidates, in the order of the rules");
	incident_type_free(&scene.report.type);
	ok(!scene.report.type.name && !scene.report.type.n_candidates, "and none after");
}

static void test_otherwise(void)
{
	struct scene scene;

	set_up(&scene);
	accuse(&scene, 1, VERDICT_BAD, &harm, "sda");
	incident_derive_type(&scene.report);
	ok(!strcmp(scene.report.type.derived, "isolated") && scene.report.type.n_candidates == 1,
		"what has a type is not ambiguous besides");
	incident_type_free(&scene.report.type);
}

static double confidence_at(struct scene *scene)
{
	double ratio;

	incident_derive_type(&scene->report);
	ratio = scene->report.type.confidence_ratio;
	incident_type_free(&scene->report.type);
	return ratio;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void test_confidence(void)
{
	struct scene scene;

	set_up(&scene);
	accuse(&scene, 1, VERDICT_BAD, &harm, "sda");
	scene.results[1].confidence = CONFIDENCE_HIGH;
	ok(near(confidence_at(&scene), 0.7), "what a trace has confirmed is 0.7");
	scene.results[1].tier = TIER_EXPERIMENT;
	ok(near(confidence_at(&scene), 0.9), "what an experiment has confirmed is 0.9");
	scene.results[4].verdict = VERDICT_UNKNOWN;
	ok(near(confidence_at(&scene), 0.81), "what nobody looked at takes its share off");
	scene.results[4].verdict = VERDICT_SKIP;
	accuse(&scene, 2, VERDICT_BAD, &harm, ":80");
	scene.results[2].confidence = CONFIDENCE_LOW;
	ok(near(confidence_at(&scene), 0.3), "the weakest check that is bad counts");
	accuse(&scene, 3, VERDICT_MAYBE, &harm, "lo");
	scene.results[2].confidence = CONFIDENCE_MEDIUM;
	ok(near(confidence_at(&scene), 0.5), "one that may be does not count beside a bad one");
	set_up(&scene);
	scene.checks[9].area = "security";
	accuse(&scene, 9, VERDICT_BAD, &harm, "");
	scene.results[9].tier = TIER_EXPERIMENT;
	ok(near(confidence_at(&scene), 0.5), "nobody is surer than 0.5 of an attack");
}

static void test_due(void)
{
	struct scene scene;
	size_t i;

	set_up(&scene);
	scene.report.time_start = 1000000;
	for (i = 6; i < 9; i++) {
		accuse(&scene, i, VERDICT_BAD, &limit, "/var");
		scene.metrics[i][0].forecast =
			(struct forecast){.known = i > 6, .seconds = 1000.0 * (double)i};
	}
	incident_derive_type(&scene.report);
	ok(!strcmp(scene.report.type.name, "time bomb") && scene.report.type.due == 1007000,
		"a time bomb is due when the first limit is reached");
	incident_type_free(&scene.report.type);
	scene.metrics[7][0].forecast.known = scene.metrics[8][0].forecast.known = false;
	incident_derive_type(&scene.report);
	ok(!scene.report.type.due, "without a trend nobody knows when");
	incident_type_free(&scene.report.type);
	accuse(&scene, 0, VERDICT_BAD, &harm, "");
	scene.metrics[7][0].forecast.known = true;
	incident_derive_type(&scene.report);
	ok(!scene.report.type.due, "what has happened already is not due");
	incident_type_free(&scene.report.type);
}

static bool same_key(struct scene *a, struct scene *b)
{
	char one[INCIDENT_KEY_SIZE], other[INCIDENT_KEY_SIZE];

	return incident_key(&a->report, one) && incident_key(&b->report, other) &&
		!strcmp(one, other);
}

static void test_key(void)
{
	struct scene a, b;
	struct str checks = STR_INIT;
	char key[INCIDENT_KEY_SIZE], boot[] = "boot-2";

	set_up(&a);
	set_up(&b);
	ok(!incident_key(&a.report, key), "where nothing is accused there is no condition");
	accuse(&a, 1, VERDICT_BAD, &harm, "sda");
	accuse(&a, 6, VERDICT_BAD, &limit, "/var");
	accuse(&b, 1, VERDICT_BAD, &harm, "sda");
	ok(!same_key(&a, &b), "another check is another condition");
	accuse(&b, 6, VERDICT_BAD, &limit, "/var");
	ok(same_key(&a, &b), "the same checks and places are the same condition");
	accuse(&b, 3, VERDICT_MAYBE, &harm, "lo");
	b.metrics[1][0].value = 17;
	b.report.uptime_seconds = 1;
	ok(same_key(&a, &b), "a doubt elsewhere, another value and another hour change nothing");
	b.metrics[1][0].instance[2] = 'b';
	ok(!same_key(&a, &b), "another disk is another condition");
	b.metrics[1][0].instance[2] = 'a';
	b.report.boot_id = boot;
	ok(!same_key(&a, &b), "so is another boot");
	b.report.boot_id = NULL;
	b.report.checks[1] = a.report.checks[6];
	b.report.checks[6] = a.report.checks[1];
	ok(same_key(&a, &b), "the order of the checks does not matter");
	incident_key_checks(&b.report, &checks);
	ok(!strcmp(str_text(&checks), "disk fs"), "its checks are sorted");
	str_free(&checks);
}

static void test_words(void)
{
	struct str rules = STR_INIT;

	ok(!strcmp(incident_type_find("time bomb"), "time bomb") &&
			!strcmp(incident_type_find("Time-Bomb"), "time bomb") &&
			!strcmp(incident_type_find("timebomb"), "time bomb") &&
			!strcmp(incident_type_find("MAJOR"), "major"),
		"a type is known however it is written");
	ok(!incident_type_find("") && !incident_type_find("majo") &&
			!incident_type_find("majors") && !incident_type_find("-"),
		"what is none is none");
	ok(!strcmp(incident_type_suggest("magor"), "major") && !incident_type_suggest("qqqqqqqq"),
		"the nearest is suggested");
	incident_print_rules(&rules);
	ok(strstr(str_text(&rules), "1 internal\n") && strstr(str_text(&rules), "6 ambiguous\n"),
		"the rules are printed");
	str_free(&rules);
}

static bool reads(const char *text, size_t n, size_t damaged)
{
	struct retypes log;
	bool as;

	retypes_parse(&log, text, strlen(text));
	as = log.n == n && log.damaged == damaged;
	retypes_free(&log);
	return as;
}

#define WORD \
	"{\"run\":\"ab\",\"number\":3,\"key\":\"0123456789abcdef\",\"derived\":\"major\"," \
	"\"type\":\"isolated\",\"by\":\"al\",\"at\":\"2026-11-21T03:40:00Z\",\"reason\":\"r\\n\"}"

static void test_log(void)
{
	struct retypes log;
	char *large;

	retypes_parse(&log, WORD "\n", strlen(WORD) + 1);
	ok(log.n == 1 && !log.damaged && log.list[0].number == 3 &&
			!strcmp(log.list[0].derived, "major") &&
			!strcmp(log.list[0].type, "isolated") &&
			!strcmp(log.list[0].reason, "r\n") && !log.list[0].ref &&
			log.list[0].time == 1795232400,
		"a word is read");
	retypes_free(&log);
	ok(reads("", 0, 0) && reads("\n\n", 0, 0), "nothing is nothing");
	ok(reads(WORD, 0, 1), "a line without its end is not finished");
	ok(reads("{\"run\":\"a\n" WORD "\n", 1, 1), "what was cut off spoils no other line");
	ok(reads(WORD WORD "\n", 0, 1) && reads(WORD " x\n", 0, 1) && reads("[]\n", 0, 1) &&
			reads("{}\n", 0, 1) && reads("{\"type\":7}\n", 0, 1),
		"what is no word is damaged");
	ok(reads("{\"run\":\"ab\",\"key\":\"\",\"type\":\"SEV1\",\"by\":\"al\",\"at\":"
		 "\"2026-11-21T03:40:00Z\",\"reason\":\"r\"}\n",
		   0, 1),
		"a type that there is not is no word");
	large = mem_printf("{\"x\":\"%*s\"}\n" WORD "\n", RETYPES_LINE_MAX, "");
	ok(reads(large, 1, 1), "a line that is too long is passed over");
	free(large);
}

static bool hints(const char *text, const char *type, const char *invite, size_t wrong)
{
	struct incident_type of = {.name = type};
	struct complaints complaints = {0};
	bool as;

	type_notes_parse(&of, "x.ini", text, strlen(text), &complaints);
	as = complaints.n == wrong &&
		(invite ? of.invite && !strcmp(of.invite, invite) : !of.invite);
	incident_type_free(&of);
	return as;
}

static void test_hints(void)
{
	static const char both[] =
		"[isolated]\ninvite = storage\nnotes = a ; b\n[Time-Bomb]\ninvite = all\n";

	ok(hints(both, "isolated", "storage", 0) && hints(both, "time bomb", "all", 0),
		"who is to be invited is told by type");
	ok(hints(both, "major", NULL, 0), "nobody is where nothing is said");
	ok(hints("[isolatde]\ninvite = x\n", "isolated", NULL, 1) &&
			hints("[isolated]\ninvite = x\npage = y\n", "isolated", NULL, 1) &&
			hints("invite = x\n", "isolated", NULL, 1),
		"a file with a mistake says nothing");
}

int main(void)
{
	test_security();
	test_otherwise();
	test_confidence();
	test_due();
	test_key();
	test_words();
	test_log();
	test_hints();
	test_nothing_wrong();
	test_internal();
	test_announced();
	test_place();
	test_major();
	test_isolated();
	test_time_bomb();
	test_ambiguous();
	return tap_done();
}
