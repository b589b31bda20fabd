/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What would N machines like this one report? Copies of one report into a folder, each of another
 * host: reports TEMPLATE DIR N. Of the hosts with one disk model and one kernel most have a bad
 * disk, and one in two hundred has something else, so that there is something to find.
 */
#include "base/banned.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include <jansson.h>

#include "base/num.h"
#include "base/str.h"
#include "tests/unit/random.h"
#include "stats/random.h"

#define BASE_TIME 1795500000
#define PER_FOLDER 1000

static const char *const kernels[] = {"6.1.0-37", "6.1.0-38", "6.1.0-39", "6.12.30"};
static const char *const disks[] = {"INTEL P4510", "SAMSUNG PM9A3", "MICRON 7450", "KIOXIA CD6"};

static const char *pick(struct stats_random *random, const char *const *list, size_t n)
{
	return list[stats_random_below(random, n)];
}

static void set_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_string(text));
}

static json_t *find_check(json_t *report, const char *name)
{
	json_t *check;
	size_t i;

	json_array_foreach(json_object_get(report, "checks"), i,
		check) if (!strcmp(json_string_value(json_object_get(check, "check")),
				   name)) return check;
	return NULL;
}

static void accuse(
	json_t *report, json_t *check, const char *verdict, const char *culprit, double value)
{
	char summary[128];

	snprintf(summary, sizeof(summary), "%s waits %.1f ms", culprit, value);
	set_text(check, "verdict", verdict);
	set_text(check, "summary", summary);
	json_object_set_new(check, "exonerated", json_false());
	json_object_set_new(check, "culprits",
		json_pack("[{s:s, s:s, s:f}]", "kind", "device", "name", culprit, "share", 0.75));
	if (strcmp(json_string_value(json_object_get(report, "verdict")), "bad") != 0)
		set_text(report, "verdict", verdict);
	if (!strcmp(verdict, "bad"))
		json_object_set_new(report, "type",
			json_pack("{s:s, s:s}", "name", "isolated", "why", culprit));
}

static void trouble(
	json_t *report, struct stats_random *random, const char *kernel, const char *disk)
{
	json_t *checks = json_object_get(report, "checks"), *check = find_check(report, "disk");
	bool of_kind = disk == disks[3] && kernel == kernels[2];

	if (check && of_kind && stats_random_below(random, 10) < 8)
		accuse(report, check, "bad", "nvme0n1", 20 + 80 * random_uniform(random));
	if (stats_random_below(random, 200))
		return;
	check = json_array_get(checks, stats_random_below(random, json_array_size(checks)));
	accuse(report, check, stats_random_below(random, 3) ? "maybe" : "bad", "eth0",
		random_uniform(random));
}

static void change(json_t *report, struct stats_random *random, size_t i)
{
	const char *kernel = pick(random, kernels, ARRAY_SIZE(kernels));
	const char *disk = pick(random, disks, ARRAY_SIZE(disks));
	json_t *machine = json_object_get(report, "machine");
	char text[64];
	struct tm utc;
	time_t when = BASE_TIME + (time_t)stats_random_below(random, 300);

	snprintf(text, sizeof(text), "node%05zu.example.net", i);
	set_text(report, "host", text);
	snprintf(text, sizeof(text), "%08zx-0000-4000-8000-000000000000", i);
	set_text(report, "boot_id", text);
	gmtime_r(&when, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	set_text(report, "time", text);
	set_text(report, "kernel", kernel);
	if (!machine) {
		machine = json_object();
		json_object_set_new(report, "machine", machine);
	}
	set_text(machine, "disk_models", disk);
	snprintf(text, sizeof(text), "R%02zu", i % 48);
	json_object_set_new(report, "labels", json_pack("{s:s}", "rack", text));
	trouble(report, random, kernel, disk);
}

/* Whatever the template's machine suffered from is not what is looked for. */
static void calm(json_t *report)
{
	json_t *check;
	size_t i;

	json_array_foreach(json_object_get(report, "checks"), i, check)
	{
		const char *verdict = json_string_value(json_object_get(check, "verdict"));

		if (strcmp(verdict, "bad") != 0 && strcmp(verdict, "maybe") != 0 &&
			strcmp(verdict, "unknown") != 0)
			continue;
		set_text(check, "verdict", "good");
		json_object_set_new(check, "culprits", json_array());
	}
	set_text(report, "verdict", "good");
	json_object_del(report, "type");
}

static int write_one(const json_t *template, const char *dir, size_t i, struct stats_random *random)
{
	char *path = mem_printf("%s/%zu", dir, i / PER_FOLDER);
	json_t *report = json_deep_copy(template);
	int err;

	mkdir(path, 0755);
	free(path);
	path = mem_printf("%s/%zu/%zu.json", dir, i / PER_FOLDER, i);
	change(report, random, i);
	err = json_dump_file(report, path, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(report);
	free(path);
	return err;
}

int main(int argc, char **argv)
{
	struct stats_random random;
	json_t *template;
	uint64_t n, i;

	if (argc != 4 || num_u64(argv[3], 1, 1000000, &n)) {
		fprintf(stderr, "usage: reports TEMPLATE DIR N\n");
		return 64;
	}
	template = json_load_file(argv[1], 0, NULL);
	if (!json_is_object(template)) {
		fprintf(stderr, "reports: %s: no report\n", argv[1]);
		return 1;
	}
	calm(template);
	mkdir(argv[2], 0755);
	stats_random_seed(&random, 7);
	for (i = 0; i < n; i++) {
		if (write_one(template, argv[2], i, &random)) {
			fprintf(stderr, "reports: %s: cannot write\n", argv[2]);
			return 1;
		}
	}
	json_decref(template);
	return 0;
}
