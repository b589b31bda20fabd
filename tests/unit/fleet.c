/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a fleet fold as it should: who counts, who is missing, what is shared, what is chance? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include <jansson.h>
#include <zlib.h>

#include "base/escape.h"
#include "output/read_json.h"
#include "base/str.h"
#include "tap.h"
#include "tools/merge/fleet.h"
#include "tools/merge/input.h"
#include "tools/merge/labelfiles.h"
#include "stats/random.h"
#include "stats/distribution.h"
#include "stats/proportion.h"
#include "tools/merge/text.h"
#include "tools/merge/json.h"
#include "tools/merge/html.h"
#include "tools/merge/phrases.h"
#include "tools/merge/finish.h"
#include "tools/merge/name_folding.h"

#define NOW 1795500000
#define DAY 86400.0

static struct report_reader *reader;

static void add_text(struct fleet *fleet, const char *file, const char *text)
{
	const struct report *report;
	size_t used;

	if (!report_read(reader, text, strlen(text), &used, &report))
		fleet_add(fleet, &(struct origin){.file = file}, report);
}

/* A report of one check; without a boot id for "". */
static void add_from(struct fleet *fleet, const char *file, const char *host, const char *boot,
	int minute, double uptime, const char *verdict, const char *more)
{
	char *text = mem_printf(
		"{\"schema\":\"tuesday/1\",\"host\":\"%s\",\"boot_id\":\"%s\",\"time\":"
		"\"2026-11-24T05:%02d:00Z\",\"uptime_seconds\":%f,\"verdict\":\"%s\",\"checks\":[{"
		"\"check\":\"disk\",\"area\":\"disk\",\"verdict\":\"%s\",\"summary\":\"s\"}]%s}",
		host, boot, minute, uptime, verdict, verdict, more);

	add_text(fleet, file, text);
	free(text);
}

/* As from a file of the host's own. */
static void add_report(struct fleet *fleet, const char *host, const char *boot, int minute,
	double uptime, const char *verdict, const char *more)
{
	add_from(fleet, host, host, boot, minute, uptime, verdict, more);
}

static void add_host(struct fleet *fleet, const char *prefix, int i, bool bad, const char *model,
	const char *rack)
{
	char name[64], more[160];

	snprintf(name, sizeof(name), "%s%d", prefix, i);
	snprintf(more, sizeof(more),
		",\"machine\":{\"disk_models\":\"%s\"},\"labels\":{\"rack\":\"%s\"}", model, rack);
	add_report(fleet, name, name, 30, 1e6, bad ? "bad" : "good", more);
}

static void test_newest(void)
{
	struct fleet *fleet = fleet_new();

	add_report(fleet, "a", "1", 10, 1e6, "bad", "");
	add_report(fleet, "a", "1", 20, 1e6, "good", "");
	add_report(fleet, "a", "1", 5, 1e6, "maybe", "");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 1 && fleet->duplicates == 2 && fleet->verdict == VERDICT_GOOD,
		"of several reports of a host the newest counts");
	fleet_free(fleet);

	fleet = fleet_new();
	add_report(fleet, "a", "1", 10, 1e6, "bad", "");
	add_report(fleet, "a", "2", 50, 60, "good", "");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 1 && fleet->verdict == VERDICT_BAD && fleet->n_conflicts == 1,
		"a reboot makes no second machine, and the worse of both boots counts");
	fleet_free(fleet);

	fleet = fleet_new();
	add_report(fleet, "a", "1", 10, 1e6, "bad", "");
	add_report(fleet, "a", "1", 10, 1e6, "good", "");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 1 && fleet->verdict == VERDICT_BAD,
		"of one moment of one boot the worse report counts");
	fleet_free(fleet);

	fleet = fleet_new();
	add_report(fleet, "localhost", "11111111", 10, 1e6, "bad", "");
	add_report(fleet, "localhost", "22222222", 50, 1e6, "good", "");
	add_report(fleet, "localhost", "11111111", 55, 1e6, "maybe", "");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 2 && fleet->namesakes == 2 && fleet->duplicates == 1,
		"two machines of one name that are up at once are two");
	ok(!strcmp(fleet_text(fleet, fleet->hosts[0].shown), "localhost~11111111"),
		"and are told apart by their boot id");
	fleet_free(fleet);
}

static bool conflict_is(const struct fleet *fleet, size_t i, const char *wanted)
{
	struct str text = STR_INIT;
	bool same;

	if (i >= fleet->kept_conflicts)
		return false;
	say_conflict(&text, fleet, &fleet->conflicts[i]);
	same = !strcmp(str_text(&text), wanted);
	if (!same)
		printf("# got %s\n", str_text(&text));
	str_free(&text);
	return same;
}

/* Who may speak for a host: what another one sends takes nobody's place. */
static void test_claims(void)
{
	struct fleet *fleet = fleet_new();

	add_from(fleet, "v.json", "victim", "1", 10, 1e6, "bad", "");
	add_from(fleet, "x.json", "victim", "", 11, 1e6, "good", "");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 2 && fleet->verdict == VERDICT_BAD && fleet->namesakes == 2,
		"a report without a boot id is a namesake's");
	ok(fleet->n_conflicts == 1 &&
			conflict_is(fleet, 0, "two files claim victim: v.json and x.json"),
		"and two files that claim a host are named");
	fleet_free(fleet);

	fleet = fleet_new();
	add_from(fleet, "v.json", "victim", "1", 10, 1e6, "bad", "");
	add_from(fleet, "x.json", "victim", "2", 50, 60, "good", "");
	add_from(fleet, "y.json", "victim", "3", 55, 60, "good", "");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 1 && fleet->verdict == VERDICT_BAD && fleet->hosts[0].file &&
			!strcmp(fleet_text(fleet, fleet->hosts[0].file), "v.json"),
		"a boot that is told of hides no other");
	ok(conflict_is(fleet, 0, "3 files claim victim: v.json, x.json and 1 more"),
		"all files that claim it are counted");
	fleet_free(fleet);

	fleet = fleet_new();
	add_from(fleet, "all", "victim", "1", 10, 1e6, "bad", "");
	add_from(fleet, "all", "victim", "2", 50, 60, "good", "");
	add_from(fleet, "all", "other", "", 10, 1e6, "bad", "");
	add_from(fleet, "all", "other", "", 20, 1e6, "good", "");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 2 && fleet->hosts_by[VERDICT_BAD] == 1 &&
			conflict_is(fleet, 0, "2 reports of different boots claim victim: in all"),
		"nor does it in the same file, which goes on with a host that tells no boot");
	fleet_free(fleet);

	fleet = fleet_new();
	add_report(fleet, "a", "1", 10, 1e6, "good", "");
	add_report(fleet, "b", "2", 10, 1e6, "good", "");
	add_text(fleet, "old",
		"{\"schema\":\"tuesday/1\",\"host\":\"a\",\"boot_id\":\"0\","
		"\"uptime_seconds\":9,\"verdict\":\"bad\",\"time\":"
		"\"2026-11-01T00:00:00Z\"}");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 2 && !fleet->stale && !fleet->n_conflicts && fleet->duplicates == 1 &&
			fleet->verdict == VERDICT_GOOD,
		"an earlier boot that is stale is old, and no conflict");
	fleet_free(fleet);
}

/* Whoever collects the files may vouch for their names: then the newest counts. */
static void test_vouched(void)
{
	struct fleet *fleet = fleet_new();
	const struct report *report;
	const char *const texts[] = {
		"{\"schema\":\"tuesday/1\",\"host\":\"a\",\"boot_id\":\"1\",\"verdict\":\"bad\","
		"\"time\":\"2026-11-24T05:00:00Z\"}",
		"{\"schema\":\"tuesday/1\",\"host\":\"a.net\",\"boot_id\":\"2\",\"verdict\":"
		"\"good\",\"time\":\"2026-11-24T05:10:00Z\"}"};
	size_t used, i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (!report_read(reader, texts[i], strlen(texts[i]), &used, &report))
			fleet_add(fleet, &(struct origin){.file = texts[i], .host = "a"}, report);
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->seen == 1 && fleet->verdict == VERDICT_GOOD && !fleet->n_conflicts &&
			fleet->duplicates == 1,
		"of a host that the collector vouches for the newest report counts");
	fleet_free(fleet);
}

/* One file with more reports than all others has one voice. */
static void test_one_file(void)
{
	struct fleet *fleet = fleet_new();
	int i;

	for (i = 0; i < 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "h%d", i);
		add_report(fleet, name, name, 10, 1e6, "bad", "");
	}
	for (i = 0; i < 50; i++) {
		char *text = mem_printf("{\"schema\":\"tuesday/1\",\"host\":\"x%d\",\"verdict\":"
					"\"good\",\"time\":\"2026-11-29T05:00:00Z\"}",
			i);

		add_text(fleet, "many", text);
		free(text);
	}
	fleet_settle(fleet, NOW + 10 * (time_t)DAY, DAY);
	ok(!fleet->stale && fleet->hosts_by[VERDICT_BAD] == 3,
		"a file with many reports makes no others stale");
	fleet_free(fleet);

	fleet = fleet_new();
	add_report(fleet, "h", "1", 10, 1e6, "bad", "");
	for (i = 0; i < 3; i++) {
		char *text = mem_printf("{\"schema\":\"tuesday/1\",\"host\":\"x%d\",\"verdict\":"
					"\"good\",\"time\":\"2027-11-29T05:00:00Z\"}",
			i);

		add_text(fleet, text, text);
		free(text);
	}
	fleet_settle(fleet, NOW, DAY);
	ok(!fleet->stale && fleet->hosts_by[VERDICT_BAD] == 1,
		"nor do files of a time that is yet to come");
	fleet_free(fleet);
}

/* What a host says twice, or as the last of many, is not lost. */
static void test_answers(void)
{
	struct fleet *fleet = fleet_new();
	struct str text = STR_INIT;
	int host, i;

	add_text(fleet, "twice",
		"{\"schema\":\"tuesday/1\",\"host\":\"twice\",\"verdict\":\"good\",\"checks\":["
		"{\"check\":\"disk\",\"verdict\":\"good\"},{\"check\":\"disk\",\"verdict\":"
		"\"bad\",\"summary\":\"s\"}]}");
	for (host = 0; host < 3; host++) {
		str_clear(&text);
		str_addf(&text,
			"{\"schema\":\"tuesday/1\",\"host\":\"h%d\",\"verdict\":\"good\","
			"\"checks\":[",
			host);
		for (i = 0; i < 1000; i++)
			str_addf(&text, "{\"check\":\"c%d_%d\",\"verdict\":\"maybe\"},", host, i);
		str_add(&text, "{\"check\":\"last\",\"verdict\":\"bad\"}]}");
		add_text(fleet, "h", str_text(&text));
	}
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->checks[0].counts[VERDICT_BAD] == 1 && !fleet->checks[0].counts[VERDICT_GOOD] &&
			host_accusation(&fleet->hosts[fleet->n_hosts - 1], 0),
		"of what is said twice the worse counts");
	ok(fleet->hosts_by[VERDICT_BAD] == 4 && fleet->left_out,
		"what has no room is counted, and its host is as bad as it says");
	ok(fleet_label(fleet, "rack") != UINT32_MAX, "people's labels have room always");
	str_free(&text);
	fleet_free(fleet);
}

static void test_times(void)
{
	struct fleet *fleet = fleet_new();
	static const char host[] = "{\"schema\":\"tuesday/1\",\"host\":\"old\",\"verdict\":\"bad\","
				   "\"time\":\"2026-11-01T00:00:00Z\"}";
	static const char future[] = "{\"schema\":\"tuesday/1\",\"host\":\"future\",\"verdict\":"
				     "\"good\",\"time\":\"2027-11-01T00:00:00Z\"}";

	add_report(fleet, "a", "1", 10, 1e6, "good", "");
	add_report(fleet, "b", "2", 11, 1e6, "good", "");
	add_text(fleet, "old", host);
	add_text(fleet, "future", future);
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->stale == 1 && fleet->seen == 3 && !fleet->hosts_by[VERDICT_BAD],
		"what is a day older than the median does not count");
	ok(fleet->ahead == 1, "a clock that is ahead is noticed and makes nobody else stale");
	ok(fleet->verdict == VERDICT_UNKNOWN, "who is not seen is not good");
	fleet_free(fleet);
}

static void test_expected(void)
{
	struct fleet *fleet = fleet_new();

	add_report(fleet, "a.example.net", "1", 10, 1e6, "good", "");
	add_report(fleet, "b", "2", 10, 1e6, "good", "");
	add_report(fleet, "c", "3", 10, 1e6, "good", "");
	expected_from_text(fleet, "# the fleet\na, b.example.net\r\n d d\n#e\n");
	fleet_settle(fleet, NOW, DAY);
	ok(fleet->n_missing == 1 && !strcmp(fleet_text(fleet, fleet->missing[0]), "d"),
		"who was expected and has not come is named once, domains or not");
	ok(fleet->unexpected == 1, "and who comes and was not expected is counted");
	ok(fleet->verdict == VERDICT_UNKNOWN, "with a host missing the fleet is unknown");
	fleet_free(fleet);
}

static const struct shared *shared_of(const struct fleet *fleet, const char *label)
{
	size_t i;

	for (i = 0; i < fleet->n_shared; i++)
		if (!strcmp(fleet_text(fleet, fleet->labels[fleet->shared[i].label].name), label) &&
			fleet->shared[i].accused)
			return &fleet->shared[i];
	return NULL;
}

static void test_shared(void)
{
	struct fleet *fleet = fleet_new();
	const struct shared *model;
	struct str text = STR_INIT;
	int i;

	for (i = 0; i < 6; i++)
		add_host(fleet, "bad", i, true, "X", i & 1 ? "r1" : "r2");
	for (i = 0; i < 94; i++)
		add_host(fleet, "good", i, false, i < 4 ? "X" : "Y", i & 1 ? "r1" : "r2");
	fleet_settle(fleet, NOW, DAY);
	model = shared_of(fleet, "disk_models");
	ok(model && model->significant && model->accused == 6 && model->accused_of == 6 &&
			model->good == 4 && model->good_of == 94,
		"a model that all accused have and few others do is significant");
	ok(!shared_of(fleet, "rack")->significant, "a rack that half of each have is not");
	say_shared(&text, fleet, model);
	ok(strstr(text.text, "disk_models X: all 6, and 4 of the 94 that are good"),
		"and it is said in words");
	ok(!why_not_shared(fleet, 0), "so nothing needs an excuse");
	ok(!strcmp(fleet->type.name, "isolated"), "six of a hundred are isolated");
	str_free(&text);
	fleet_free(fleet);
}

static void test_too_few(void)
{
	struct fleet *fleet = fleet_new();

	add_host(fleet, "bad", 0, true, "X", "r1");
	add_host(fleet, "bad", 1, true, "X", "r1");
	add_host(fleet, "good", 0, false, "Y", "r1");
	add_host(fleet, "good", 1, false, "Y", "r2");
	fleet_settle(fleet, NOW, DAY);
	ok(!fleet->shared->significant && strstr(why_not_shared(fleet, 0), "not enough hosts"),
		"two of four can share anything by chance");
	ok(!strcmp(fleet->type.name, "major"), "half of all hosts is major");
	fleet_free(fleet);
}

/* Labels by chance alone: how often is anything called significant? At most one in twenty. */
static void test_chance(void)
{
	struct stats_random random;
	int found = 0, round, i;

	stats_random_seed(&random, 11);
	for (round = 0; round < 400; round++) {
		struct fleet *fleet = fleet_new();
		size_t k;
		bool any = false;

		for (i = 0; i < 40; i++) {
			char model[16], rack[16];

			snprintf(model, sizeof(model), "m%d", (int)stats_random_below(&random, 4));
			snprintf(rack, sizeof(rack), "r%d", (int)stats_random_below(&random, 8));
			add_host(fleet, "h", i, i < 12, model, rack);
		}
		fleet_settle(fleet, NOW, DAY);
		for (k = 0; k < fleet->n_shared; k++)
			any |= fleet->shared[k].significant;
		found += any;
		fleet_free(fleet);
	}
	ok(found <= 30, "of 400 fleets without any cause %d have a false lead (20 are allowed)",
		found);
}

static void test_fisher(void)
{
	double p, q;
	size_t a, b;
	bool fits = true;

	for (a = 0; a <= 8; a++)
		for (b = 0; b <= 12; b++) {
			double sum = 0, least = 0;
			size_t i;

			for (i = 0; i <= 8 && i <= a + b; i++) {
				double one = a + b - i > 12
					? 0
					: exp(stats_log_choose(8, i) +
						  stats_log_choose(12, a + b - i) -
						  stats_log_choose(20, a + b));
				sum += i >= a ? one : 0;
				least += one;
			}
			stats_fisher_greater(a, 8, b, 12, &p);
			fits &= fabs(p - sum) < 1e-9 && fabs(least - 1) < 1e-9;
		}
	ok(fits, "the one-sided test is the sum of its tables");
	stats_fisher_greater(0, 5000, 4000, 5000, &p);
	stats_fisher_greater(5000, 5000, 0, 5000, &q);
	ok(fabs(p - 1) < 1e-9 && q >= 0 && q < 1e-100,
		"also where they are too unlikely for a double");
	ok(stats_fisher_greater(2, 1, 0, 1, &p) == -EINVAL, "more hits than tries are refused");
}

static void test_types(void)
{
	struct fleet *fleet = fleet_new();
	int i;

	for (i = 0; i < 30; i++)
		add_host(fleet, "bad", i, i < 4, i < 4 ? "X" : "Y", "r");
	for (i = 0; i < 70; i++)
		add_host(fleet, "good", i, false, "Y", "r");
	fleet_settle(fleet, NOW, DAY);
	ok(!strcmp(fleet->type.name, "major") &&
			strstr(fleet->type.why, "all 4 hosts of disk_models"),
		"all hosts of one kind are major, however few: %s", fleet->type.why);
	fleet_free(fleet);

	fleet = fleet_new();
	add_report(fleet, "a", "1", 10, 60, "bad",
		",\"type\":{\"name\":\"internal\",\"why\":\"started\"}");
	add_report(fleet, "b", "1", 10, 1e6, "good", "");
	fleet_settle(fleet, NOW, DAY);
	ok(!strcmp(fleet->type.name, "internal"), "hosts that start are internal");
	fleet_free(fleet);

	fleet = fleet_new();
	add_report(fleet, "a", "1", 10, 1e6, "bad",
		",\"type\":{\"name\":\"time bomb\",\"why\":\"disk full\"}");
	add_report(fleet, "b", "1", 10, 1e6, "good", "");
	fleet_settle(fleet, NOW, DAY);
	ok(!strcmp(fleet->type.name, "time bomb"), "a time bomb stays one");
	fleet_free(fleet);

	fleet = fleet_new();
	add_report(fleet, "a", "1", 10, 1e6, "good", "");
	fleet_settle(fleet, NOW, DAY);
	ok(!fleet->type.name, "where nothing is wrong there is no type");
	expected_from_text(fleet, "a");
	fleet_free(fleet);
}

static void test_names(void)
{
	static const struct {
		const char *names[6];
		size_t columns;
		const char *wanted;
	} cases[] = {
		{{"web3", "web1", "web2", "web7"}, 99, "web[1-3,7]"},
		{{"web09", "web10", "web8"}, 99, "web[8,10], web09"},
		{{"db", "web1.a.net", "web2.a.net", "web1.b.net"}, 99,
			"db, web[1-2].a.net, web1.b.net"},
		{{"a1b", "a2b"}, 99, "a[1-2]b"},
		{{"a12345678901"}, 99, "a12345678901"},
		{{"x1", "x3", "x5", "x7", "x9"}, 4, "x[1,3] and 3 more"},
		{{"evil\033[2J"}, 99, "evil\\x1b[2J"},
		{{"a and b", "c"}, 99, "a\\x20and\\x20b, c"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str out = STR_INIT;
		size_t n = 0;

		while (n < 6 && cases[i].names[n])
			n++;
		fold_names(&out, cases[i].names, n, cases[i].columns);
		ok(!strcmp(str_text(&out), cases[i].wanted), "names fold: %zu", i);
		if (strcmp(str_text(&out), cases[i].wanted) != 0)
			printf("# got %s\n", str_text(&out));
		str_free(&out);
	}
}

static void test_labels(void)
{
	struct fleet *fleet = fleet_new();
	uint32_t rack;
	int i;

	for (i = 0; i < 4; i++)
		add_host(fleet, "web", i, false, "X", "old");
	labels_from_csv(fleet,
		"\xef\xbb\xbfhost, rack ,\"row\"\r\nweb1,A1,\"a \"\"b\"\", c\"\n\n"
		"# no\nweb[23],B2\nnobody,C\nweb3,\n,x,y\nweb0,1,2,3,4\n");
	rack = fleet_label(fleet, "rack");
	ok(!strcmp(fleet_text(fleet, host_value(fleet_find(fleet, "web1"), rack)), "A1") &&
			!strcmp(fleet_text(fleet,
					host_value(fleet_find(fleet, "web1"),
						fleet_label(fleet, "row"))),
				"a \"b\", c"),
		"CSV gives labels, quotes and all");
	ok(!strcmp(fleet_text(fleet, host_value(fleet_find(fleet, "web3"), rack)), "B2"),
		"patterns give them to many, an empty field to nobody");
	ok(labels_from_text(fleet, "rack=Z:9:web0,web1,db*") == 2 &&
			!strcmp(fleet_text(fleet, host_value(fleet_find(fleet, "web0"), rack)),
				"Z:9"),
		"so does the command line");
	ok(labels_from_text(fleet, "rack") == -EINVAL &&
			labels_from_text(fleet, "=a:b") == -EINVAL &&
			labels_from_text(fleet, "a=:b") == -EINVAL &&
			labels_from_text(fleet, "a=b:") == -EINVAL,
		"what is no label is refused");
	fleet_free(fleet);
}

/* What was read, and what was refused. */
struct read {
	size_t reports, refused, more;
	char why[256];
};

static const char *take_report(
	void *arg, const char *file, const char *folder, const struct report *report)
{
	(void)file;
	(void)folder;
	((struct read *)arg)->reports++;
	return strcmp(report->host, "refused") != 0 ? NULL : "it is refused";
}

static void take_refusal(void *arg, const char *file, size_t number, const char *why)
{
	struct read *read = arg;

	(void)file;
	(void)number;
	read->refused++;
	snprintf(read->why, sizeof(read->why), "%s", why);
}

static void take_more(void *arg, const char *file, size_t n)
{
	(void)file;
	((struct read *)arg)->more += n;
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static struct read read_bytes(const void *bytes, size_t len)
{
	struct read read = {0};
	const struct input input = {take_report, take_refusal, take_more, never, &read};
	struct inputs *inputs = inputs_new(&input);

	inputs_read_text(inputs, "file", bytes, len);
	inputs_free(inputs);
	return read;
}

#define ONE "{\"schema\":\"tuesday/1\",\"host\":\"a\",\"verdict\":\"good\"}"

static void test_input(void)
{
	static const struct {
		const char *text;
		size_t reports, refused;
	} cases[] = {
		{"", 0, 1},
		{" \n", 0, 1},
		{ONE, 1, 0},
		{ONE ONE "\n\n" ONE "\n", 3, 0},
		{ONE "\n{\"schema\":", 1, 1},
		{"what is this\n" ONE "\n", 1, 1},
		{ONE "\n{\"a\":}\n" ONE "\n" ONE, 3, 1},
		{"{\n  \"a\":\n  {]\n}\n" ONE, 1, 1},
		{"\n\n{]\n\n" ONE, 1, 1},
		{"\x1f\x8b", 0, 1},
		{"\x1f\x8b nonsense", 0, 1},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct read read = read_bytes(cases[i].text, strlen(cases[i].text));

		ok(read.reports == cases[i].reports && read.refused == cases[i].refused,
			"input %zu: %zu reports, %zu refused (%s)", i, read.reports, read.refused,
			read.why);
	}
}

static void pack(struct str *packed, const struct str *text)
{
	uLongf len = compressBound(text->len) + 64;
	z_stream stream = {0};

	free(packed->text);
	packed->text = mem_alloc(len);
	deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	stream.next_in = (unsigned char *)text->text;
	stream.avail_in = (uInt)text->len;
	stream.next_out = (unsigned char *)packed->text;
	stream.avail_out = (uInt)len;
	deflate(&stream, Z_FINISH);
	packed->len = stream.total_out;
	deflateEnd(&stream);
}

/* What a hostile file may cost: it is refused and counted, and the rest of what it has is not read.
 */
static void test_bounds(void)
{
	struct str text = STR_INIT, packed = STR_INIT;
	struct read read;
	int i;

	for (i = 0; i < 300; i++)
		str_add(&text, "{\n");
	read = read_bytes(text.text, text.len);
	ok(read.refused == REFUSALS_TOLD && read.refused + read.more == 300,
		"of many refusals twenty are told, and the others are counted");
	str_clear(&text);
	for (i = 0; i < 30; i++)
		str_add(&text,
			"{\"schema\":\"tuesday/1\",\"host\":\"refused\",\"verdict\":\"good\"}\n");
	read = read_bytes(text.text, text.len);
	ok(read.reports == 30 && read.refused == REFUSALS_TOLD && read.more == 10,
		"so are those that the caller refuses");
	str_clear(&text);
	str_add(&text, ONE "\n");
	for (i = 0; i < 64 << 10; i++)
		str_addf(&text, "%1024s", "");
	pack(&packed, &text);
	read = read_bytes(packed.text, packed.len);
	ok(read.reports == 1 && read.refused == 1 && strstr(read.why, "100 times"),
		"what unpacks to more than 100 times its size is not unpacked to its end");
	str_clear(&text);
	for (i = 0; i < 100001; i++)
		str_add(&text, ONE);
	read = read_bytes(text.text, text.len);
	ok(read.reports == 100000 && read.refused == 1 && strstr(read.why, "100,000"),
		"a file has 100,000 reports at most");
	str_clear(&text);
	str_add(&text,
		"{\"schema\":\"tuesday/1\",\"host\":\"a\",\"checks\":[{\"past\":[\n" ONE
		"\n{\"schema\":\"tuesday/1\",\"x\":\"\n" ONE "\n");
	read = read_bytes(text.text, text.len);
	ok(read.reports == 2 && read.refused == 2,
		"a report that breaks off, also in a text, takes none of the next ones with it");
	/* Each line begins what is read for sixty lines, until it turns out to be nested too deep.
	 */
	str_clear(&text);
	for (i = 0; i < 160 * 100; i++)
		str_addf(&text, "%1024s", i % 100 ? "" : "\n{\n\"a\":[\"");
	read = read_bytes(text.text, text.len);
	ok(!read.reports && strstr(read.why, "too much of it"),
		"what is read twice and is no report is bounded: %zu refused, %s",
		read.refused + read.more, read.why);
	str_free(&packed);
	str_free(&text);
}

static void test_large(void)
{
	struct str text = STR_INIT, packed = STR_INIT;
	struct read read;
	int i;

	for (i = 0; i < 20000; i++)
		str_add(&text, ONE "\n");
	read = read_bytes(text.text, text.len);
	ok(read.reports == 20000 && !read.refused,
		"many reports in one file are read piece by piece");
	pack(&packed, &text);
	read = read_bytes(packed.text, packed.len);
	ok(read.reports == 20000 && !read.refused, "compressed ones too");
	read = read_bytes(packed.text, packed.len / 2);
	ok(read.reports > 1000 && read.refused >= 1,
		"of a file that breaks off what is there is read");
	str_clear(&text);
	str_add(&text, "{\"schema\":\"tuesday/1\",\"host\":\"a\",\"verdict\":\"good\",\"x\":\"");
	for (i = 0; i < 17 << 10; i++)
		str_addf(&text, "%1024s", "");
	str_add(&text, "\"}\n" ONE);
	read = read_bytes(text.text, text.len);
	ok(read.refused == 1 && read.reports == 1,
		"a report beyond 16 MiB is refused, the next is not");
	str_free(&packed);
	str_free(&text);
}

/* On a terminal no line of a host's words goes on in one that could pose as ours. */
static void test_narrow(void)
{
	static const unsigned int columns[] = {0, 1, 19, 60, 100};
	struct fleet *fleet = fleet_new();
	size_t i;

	for (i = 0; i < 200; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%c%zu and Good: cpu", (char)('a' + i % 26), i * 7);
		add_report(fleet, name, name, 10, 1e6, i < 100 ? "bad" : "good",
			i < 100 ? ",\"labels\":{\"rack\":\"It is not: cpu, It is not: cpu, It is "
				  "not: cpu, It is not: cpu, It is not: cpu, It is not: cpu\"}"
				: ",\"labels\":{\"rack\":\"other\"}");
	}
	add_from(fleet, "f", "z", "z", 10, 1e6, "bad", "");
	fleet_settle(fleet, NOW, DAY);
	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct print_options how = {.columns = columns[i]};
		size_t most = columns[i] < 60 ? 60 : columns[i];
		struct str text = STR_INIT;
		const char *line, *end;
		bool fits = true;

		fleet_as_text(&text, fleet, &how);
		for (line = text.text; (end = strchr(line, '\n')); line = end + 1)
			if (!strncmp(line, "           ", 11))
				fits &= (size_t)(end - line) <= (columns[i] ? most : 160);
		ok(fits && !strstr(text.text, " and Good"),
			"a terminal of %u columns: lines are cut, and names are words", columns[i]);
		str_free(&text);
	}
	fleet_free(fleet);
}

/* Every output is whole with names that would break it. */
static void test_hostile(void)
{
	static const char host[] =
		"</script><script>alert(1)</script>\\u0000\\u202e\\u001b[2J\\\"'&--><!--";
	const struct print_options how = {.verbose = true};
	struct fleet *fleet = fleet_new();
	struct str text = STR_INIT, json = STR_INIT, html = STR_INIT;
	json_t *parsed;
	const char *at;
	int scripts = 0;

	add_report(fleet, host, "b", 10, 1e6, "bad",
		",\"labels\":{\"<b>\":\"</script>\"},\"kernel\":\"'\\\"><img src=x "
		"onerror=alert(1)>\"");
	add_report(fleet, "two", "c", 10, 1e6, "bad", "");
	add_report(fleet, "three", "d", 10, 1e6, "good", "");
	fleet_refuse(fleet, "<img src=x>\033", 1, "why");
	fleet_settle(fleet, NOW, DAY);
	fleet_as_text(&text, fleet, &how);
	fleet_as_json(&json, fleet);
	fleet_as_html(&html, fleet);
	ok(!strchr(text.text, '\033') && !strstr(text.text, "\xe2\x80\xae"),
		"nothing gets through to the terminal");
	parsed = json_loads(json.text, 0, NULL);
	ok(parsed && json_array_size(json_object_get(parsed, "matrix")) == 3, "the JSON is JSON");
	json_decref(parsed);
	for (at = html.text; (at = strstr(at, "<script")); at++)
		scripts++;
	ok(scripts == 2 && !strstr(html.text, "<img") && !strstr(html.text, "alert(1)</script>") &&
			!strchr(html.text, '\033') && !strstr(html.text, "\xe2\x80\xae"),
		"the page has its own two scripts and no other markup than its own");
	str_free(&text);
	str_free(&json);
	str_free(&html);
	fleet_free(fleet);
}

static void test_escapes(void)
{
	struct str out = STR_INIT;

	escape_html(&out, "<a href='x'>\"&\\\x01");
	ok(!strcmp(out.text, "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\\\\\\x01"), "HTML is escaped");
	str_clear(&out);
	escape_script(&out, "</script>\"\\\xe2\x80\xa8");
	ok(!strcmp(out.text,
		   "\"\\u003c/script\\u003e\\u0022\\u005c\\u005c\\u005cxe2\\u005cx80\\u005cxa8\""),
		"a text in a script is escaped: %s", out.text);
	str_free(&out);
}

int main(void)
{
	reader = report_reader_new(true);
	test_newest();
	test_claims();
	test_vouched();
	test_one_file();
	test_answers();
	test_times();
	test_expected();
	test_shared();
	test_too_few();
	test_chance();
	test_fisher();
	test_types();
	test_names();
	test_labels();
	test_input();
	test_large();
	test_bounds();
	test_narrow();
	test_hostile();
	test_escapes();
	report_reader_free(reader);
	return tap_done();
}
