/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a later run of the same condition inherit what a person said, until the state clears? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>

#include "history/history.h"
#include "history/incidents.h"
#include "base/str.h"
#include "report/incident.h"
#include "history/retypes.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"
#include "history/insert.h"
#include "history/retention.h"
#include "base/unit.h"
#include "check/check.h"

#define NOW 1795258800

static struct metric wait_metric = {.name = "wait_seconds",
	.unit = UNIT_SECONDS,
	.class = CLASS_HARM,
	.bad = {.plain = {.set = true, .op = OP_GT}}};
static struct check disk = {.name = (char *)"disk", .area = "disk"};
static struct check net = {.name = (char *)"net", .area = "net"};

/* A run: the verdicts of disk and net, and which disk. */
struct scene {
	struct metric_result metrics[2];
	struct check_result results[2];
	struct report report;
};

static void set_up(struct scene *scene, enum verdict a, enum verdict b, const char *instance)
{
	static int runs;
	size_t i;

	*scene = (struct scene){0};
	for (i = 0; i < 2; i++) {
		scene->metrics[i] = (struct metric_result){.metric = &wait_metric,
			.instance = (char *)(i ? "lo" : instance),
			.label = (char *)"",
			.value = 1,
			.acquit = NAN,
			.maybe = NAN,
			.bad = 0.5,
			.verdict = i ? b : a,
			.accused = 1};
		scene->results[i] = (struct check_result){.check = i ? &net : &disk,
			.metrics = &scene->metrics[i],
			.n_metrics = 1,
			.verdict = i ? b : a};
	}
	scene->report = (struct report){.boot_id = (char *)"boot-1",
		.time_start = NOW + 60 * runs,
		.uptime_seconds = 86400,
		.checks = scene->results,
		.n_checks = 2,
		.verdict = verdict_is_worse(a, b) ? a : b};
	snprintf(scene->report.id, sizeof(scene->report.id), "%032x", 4096 + runs++);
	incident_derive_type(&scene->report);
}

static void scene_write(struct str *json, const struct report *report)
{
	(void)report;
	str_add(json, "{}");
}

/* Enters the run; type is the one in force for it, a static text, or NULL. */
static int64_t run(struct history *history, const char *dir, enum verdict a, enum verdict b,
	const char *instance, const char **type)
{
	const struct retention retention = retention_default();
	struct scene scene;
	int64_t id;

	set_up(&scene, a, b, instance);
	incident_inherit(history, dir, &scene.report);
	if (type)
		*type = scene.report.type.name;
	id = history_enter(history, &scene.report, scene_write, "me", &retention);
	incident_type_free(&scene.report.type);
	return id;
}

static int say(struct history *history, const char *dir, int64_t id, const char *type)
{
	struct incident incident;
	struct retype_entry word;

	if (incident_of(history, id, &incident))
		return -EIO;
	word = (struct retype_entry){.run = incident.uuid,
		.number = (uint64_t)incident.run,
		.key = incident.key,
		.derived = incident.derived,
		.type = incident_type_find(type),
		.by = (char *)"al",
		.reason = (char *)"x\n\"",
		.time = NOW};
	return retypes_add(dir, &word);
}

static bool is_type(const char *type, const char *wanted)
{
	bool same = type && wanted ? !strcmp(type, wanted) : type == wanted;

	if (!same)
		printf("# %s, not %s\n", type ? type : "none", wanted ? wanted : "none");
	return same;
}

static void test_inheritance(struct history *history, const char *dir)
{
	const char *type;
	int64_t first = run(history, dir, VERDICT_BAD, VERDICT_GOOD, "sda", &type);
	int i;

	ok(first > 0 && is_type(type, "isolated"), "a run has its derived type");
	ok(!say(history, dir, first, "major"), "a person says another");
	run(history, dir, VERDICT_BAD, VERDICT_GOOD, "sda", &type);
	ok(is_type(type, "major"), "the next run has it");
	run(history, dir, VERDICT_BAD, VERDICT_MAYBE, "sda", &type);
	ok(is_type(type, "major"), "also with a doubt elsewhere");
	run(history, dir, VERDICT_BAD, VERDICT_GOOD, "sdb", &type);
	ok(is_type(type, "isolated"), "another disk has not");
	run(history, dir, VERDICT_BAD, VERDICT_BAD, "sda", &type);
	ok(is_type(type, "major"), "more that is bad is derived anew");
	for (i = 0; i < 5; i++)
		run(history, dir, VERDICT_UNKNOWN, VERDICT_GOOD, "sda", NULL);
	run(history, dir, VERDICT_BAD, VERDICT_GOOD, "sda", &type);
	ok(is_type(type, "major"), "what nobody could look at has not cleared");
	for (i = 0; i < 2; i++)
		run(history, dir, VERDICT_GOOD, VERDICT_GOOD, "sda", NULL);
	run(history, dir, VERDICT_MAYBE, VERDICT_GOOD, "sda", NULL);
	for (i = 0; i < 2; i++)
		run(history, dir, VERDICT_GOOD, VERDICT_GOOD, "sda", NULL);
	run(history, dir, VERDICT_BAD, VERDICT_GOOD, "sda", &type);
	ok(is_type(type, "major"), "two good runs in a row are too few");
	for (i = 0; i < 3; i++)
		run(history, dir, VERDICT_GOOD, VERDICT_GOOD, "sda", NULL);
	run(history, dir, VERDICT_BAD, VERDICT_GOOD, "sda", &type);
	ok(is_type(type, "isolated"), "three have cleared it");
}

static int count(void *arg, const struct incident *incident)
{
	int *n = arg;

	*n += incident->derived && incident->type && strlen(incident->key) == INCIDENT_KEY_SIZE - 1;
	return 0;
}

static void test_reading(struct history *history)
{
	struct incident incident;
	int n = 0;

	ok(!incident_each(history, NOW, NOW + 86400, count, &n) && n == 9,
		"the runs that accused are told, with both types");
	ok(incident_of(history, 4711, &incident) == -ENOENT, "a run that there is not is none");
	ok(!incident_of(history, 3, &incident) && is_type(incident.type, "major") &&
			is_type(incident.derived, "ambiguous"),
		"a run has the type in force and the derived one");
}

/* As one that an older Tuesday has begun. */
static void test_old_history(const char *dir)
{
	char *path = mem_printf("%s/history.db", dir);
	struct history *history = NULL;
	struct incident incident;
	const char *type;
	sqlite3 *db = NULL;
	int64_t id;

	sqlite3_open(path, &db);
	sqlite3_exec(db, "DROP TABLE conditions", NULL, NULL, NULL);
	sqlite3_close(db);
	free(path);
	if (!ok(!history_open(&history, dir, HISTORY_ADD), "an older history is opened"))
		return;
	ok(!incident_of(history, 3, &incident) && !*incident.key &&
			is_type(incident.derived, "major"),
		"what was in force there counts as derived");
	ok(!say(history, dir, 3, "internal"), "and can be given a type");
	id = run(history, dir, VERDICT_BAD, VERDICT_GOOD, "sdc", &type);
	ok(id > 0 && is_type(type, "isolated") && !incident_of(history, id, &incident) &&
			*incident.key,
		"a new run is whole");
	history_close(history);
}

/* Numbers begin anew where a history was put aside: a word about run 1 is not about the new one. */
static void test_other_history(const char *dir)
{
	char *path = mem_printf("%s/history.db", dir);
	struct history *history = NULL;
	const char *type;

	unlink(path);
	free(path);
	if (!ok(!history_open(&history, dir, HISTORY_MAKE), "a new history is begun"))
		return;
	run(history, dir, VERDICT_GOOD, VERDICT_GOOD, "sda", NULL);
	run(history, dir, VERDICT_BAD, VERDICT_GOOD, "sda", &type);
	ok(is_type(type, "isolated"), "a word about a run that it does not know is over");
	history_close(history);
}

int main(void)
{
	struct tree tree = tree_new();
	const char *dir = tree.dir;
	struct history *history = NULL;

	setenv("TUESDAY_HISTORY_INI", "/dev/null", 1);
	if (history_open(&history, dir, HISTORY_MAKE)) {
		ok(false, "a history can be begun");
		return tap_done();
	}
	test_inheritance(history, dir);
	test_reading(history);
	history_close(history);
	test_old_history(dir);
	test_other_history(dir);
	tree_free(&tree);
	return tap_done();
}
