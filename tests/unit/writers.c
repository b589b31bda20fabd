/* SPDX-License-Identifier: GPL-2.0-only */
/* Does every writer print the same report, whole and harmless, in the grammar of its format? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "report/report.h"
#include "base/str.h"
#include "tap.h"
#include "output/writer.h"
#include "base/unit.h"
#include "sys/atomic_file.h"
#include "check/exec.h"
#include "trace/result.h"

/* A name as an attacker would choose it: each format has a byte in it that breaks it. "EVIL" is how
 * the tests find it again where it must not be. */
#define HOSTILE "EVIL\n# \033[2J\"'|=\\ \xe2\x80\xae\xff{}"
#define CHECKS 6

static struct metric dropped = {.name = "dropped_per_second",
	.unit = UNIT_PER_SECOND,
	.class = CLASS_ERROR,
	.acquit.plain = {.set = true, .op = OP_EQ},
	.maybe.plain = {.set = true, .op = OP_GT},
	.bad.plain = {.set = true, .op = OP_GE},
	.why = "The kernel dropped connections.",
	.source = "netdata 1 and 5 a second",
	.however = "A port scan counts here.",
	.ends = "when it is started anew"};
static struct limit by_class[] = {{.set = true, .op = OP_GT}};
static struct metric await = {.name = "read_await_seconds",
	.unit = UNIT_SECONDS,
	.class = CLASS_HARM,
	.maybe = {.by_class = by_class, .n = 1},
	.source = "judgement"};
static struct metric available = {.name = "available_ratio",
	.unit = UNIT_RATIO,
	.class = CLASS_LIMIT,
	.maybe.plain = {.set = true, .op = OP_LT},
	.source = "judgement"};
static struct metric missing = {.name = "stall_seconds", .unit = UNIT_SECONDS, .class = CLASS_HARM};

static struct check checks[CHECKS] = {{.name = "cpu", .area = "cpu"},
	{.name = "memory", .area = "memory"}, {.name = "listen", .area = "net"},
	{.name = "disk", .area = "disk"}, {.name = "lock"}, {.name = "l2arc"}};

static struct metric_result *add_metric(struct check_result *result, const struct metric *metric,
	const char *instance, double value)
{
	struct metric_result *out;

	result->metrics =
		mem_realloc_array(result->metrics, result->n_metrics + 1, sizeof(*result->metrics));
	out = &result->metrics[result->n_metrics++];
	*out = (struct metric_result){.metric = metric,
		.instance = mem_strdup(instance),
		.label = mem_strdup(instance),
		.value = value,
		.acquit = NAN,
		.maybe = NAN,
		.bad = NAN,
		.look = NAN,
		.instances = 1};
	return out;
}

static void free_metrics(struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics; i++) {
		free(result->metrics[i].instance);
		free(result->metrics[i].label);
	}
	free(result->metrics);
}

static void add_text(char ***list, size_t *n, const char *text)
{
	*list = mem_realloc_array(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = mem_strdup(text);
}

static void add_culprit(struct check_result *result, const char *kind, const char *name,
	const char *id, double share)
{
	struct culprit *culprit;

	result->culprits = mem_realloc_array(
		result->culprits, result->n_culprits + 1, sizeof(*result->culprits));
	culprit = &result->culprits[result->n_culprits++];
	memset(culprit, 0, sizeof(*culprit));
	snprintf(culprit->kind, sizeof(culprit->kind), "%s", kind);
	snprintf(culprit->name, sizeof(culprit->name), "%s", name);
	snprintf(culprit->id, sizeof(culprit->id), "%s", id);
	culprit->share = share;
}

static void set_up_good(struct check_result *cpu, struct check_result *memory)
{
	struct metric_result *metric;

	cpu->exonerated = true;
	cpu->confidence = CONFIDENCE_HIGH;
	cpu->tier = TIER_TRACE;
	cpu->summary = mem_strdup("waits 0.4 % of the time");
	cpu->evidence = mem_strdup("waits 0.4 % of the time, 5 windows");
	memory->summary = mem_strdup("9.1 GiB available");
	metric = add_metric(memory, &available, "", 0.57);
	metric->maybe = 0.1;
	metric->verdict = VERDICT_GOOD;
}

/* name stands where names from outside do. */
static void set_up_accused(struct check_result *listen, struct check_result *disk, const char *name)
{
	struct metric_result *metric;

	listen->verdict = VERDICT_BAD;
	listen->confidence = CONFIDENCE_MEDIUM;
	listen->summary = mem_printf("%s on :3000 dropped 212/s", name);
	metric = add_metric(listen, &dropped, name, 212.5);
	metric->verdict = VERDICT_BAD;
	metric->acquit = metric->maybe = 0;
	metric->bad = 1;
	metric->windows = 5;
	metric->windows_over = 4;
	metric->accused = 1;
	metric = add_metric(listen, &missing, "", NAN);
	metric->verdict = VERDICT_UNKNOWN;
	metric->missing = mem_printf("no %s here", name);
	add_culprit(listen, "process", name, "1234", 0.92);
	add_culprit(listen, "remote", name, "", -1);
	add_text(&listen->howevers, &listen->n_howevers, "A port scan counts here.");
	add_text(&listen->next, &listen->n_next, "ss -ltn");
	add_text(&listen->next, &listen->n_next, "tuesday explain listen");
	listen->missing = mem_strdup("needs CAP_BPF");
	disk->verdict = VERDICT_MAYBE;
	disk->summary = mem_printf("%s takes 23 ms for a read", name);
	metric = add_metric(disk, &await, "sda", 0.023);
	metric->verdict = VERDICT_MAYBE;
	metric->maybe = 0.02;
	metric->accused = 1;
	add_culprit(disk, "device", "sda", "8:0", -1);
	add_text(&disk->next, &disk->n_next, "ss -ltn");
}

static void set_up(struct report *report, const char *name)
{
	size_t i;

	*report = (struct report){.host = mem_strdup(name),
		.kernel = mem_strdup("6.1.0"),
		.boot_id = mem_strdup("c1d2"),
		.version = mem_strdup("0.1"),
		.cpus = 8,
		.uptime_seconds = 41 * 86400.0,
		.time_start = 1795500000,
		.seconds = 16,
		.window_seconds = 2,
		.windows = 5,
		.verdict = VERDICT_BAD,
		.n_checks = CHECKS};
	report->cost = (struct cost){.cpu_ns = 31000000,
		.wall_ns = 16000000000,
		.rss_bytes = 4096,
		.trace_ns = 5000000000,
		.bpf_ns = 3000000,
		.bpf_known = true};
	report->type.name = "ambiguous";
	report->type.why = mem_printf("%s", name);
	report->checks = mem_zalloc(CHECKS * sizeof(*report->checks));
	for (i = 0; i < CHECKS; i++)
		report->checks[i].check = &checks[i];
	set_up_good(&report->checks[0], &report->checks[1]);
	set_up_accused(&report->checks[2], &report->checks[3], name);
	report->checks[4].verdict = VERDICT_UNKNOWN;
	report->checks[4].reason = mem_printf("needs CAP_BPF, not %s", name);
	report->checks[5].verdict = VERDICT_SKIP;
	report->checks[5].reason = mem_strdup("no ZFS here");
	add_text(&report->errors, &report->n_errors, "x.ini:9: unknown source 'vmsat'");
}

static char *written(const char *format, const struct report *report, struct writer_options options)
{
	struct str out = STR_INIT;

	writer_find(format)->write(&out, report, &options);
	return str_take(&out);
}

/* One that accuses or not, with name in all that the machine and the command line say. */
static void add_experiment(
	struct check_result *result, enum answer answer, bool better, const char *name)
{
	struct experiment_result *experiment;

	result->experiments = mem_realloc_array(
		result->experiments, result->n_experiments + 1, sizeof(*result->experiments));
	experiment = &result->experiments[result->n_experiments++];
	*experiment = (struct experiment_result){.name = mem_strdup("less_read_ahead"),
		.answer = answer,
		.better = better,
		.summary = mem_printf("read-ahead 8192 → 128 on %s: reads 31 %% faster", name),
		.why = answer > ANSWER_SAME ? mem_printf("not on %s", name) : NULL,
		.knob = mem_printf("/sys/block/%s/queue/read_ahead_kb", name),
		.instance = mem_strdup(name),
		.from = mem_strdup(name),
		.to = mem_strdup("128"),
		.observed = mem_strdup(name),
		.before = 100,
		.meanwhile = 131,
		.effect = 0.31,
		.low = 0.24,
		.high = INFINITY,
		.margin = 0.05,
		.pairs = 12,
		.control_pairs = 8,
		.seconds = 60,
		.risk = 2,
		.turned = true,
		.left = better ? NULL : mem_printf("%s still holds 128", name),
		.proves = "What was read ahead was not used.",
		.however = "A stream gains."};
	add_text(&experiment->notes, &experiment->n_notes, name);
}

/* What a person said of it, and what is to be done. */
static void retype(struct report *report, const char *name)
{
	struct incident_type *type = &report->type;

	type->name = "major";
	type->derived = "ambiguous";
	type->rule = 6;
	type->candidates[type->n_candidates++] = "time bomb";
	type->candidates[type->n_candidates++] = "ambiguous";
	type->due = report->time_start + 86400;
	type->changes = mem_zalloc(sizeof(*type->changes));
	type->changes[type->n_changes++] = (struct type_change){.type = "major",
		.by = mem_strdup(name),
		.reason = mem_strdup(name),
		.ref = mem_strdup(name),
		.time = report->time_start};
	type->invite = mem_strdup(name);
	type->notes = mem_strdup(name);
}

/* What is known of the time before this run. */
static void add_before(struct report *report, const char *name)
{
	struct check_result *listen = &report->checks[2];

	memcpy(report->id, "0123456789abcdef0123456789abcdef", 33);
	report->continued = (struct continued){.asked = true,
		.time = 1795499700,
		.seconds = 300,
		.context = mem_strdup("the clock was set back by 60 min since")};
	report->muted = mem_zalloc(sizeof(*report->muted));
	report->muted[report->n_muted++] = (struct muted){.check = mem_strdup(name),
		.reason = mem_strdup(name),
		.by = mem_strdup(name),
		.until = 1795600000};
	listen->metrics[0].normal = (struct normal){.runs = 84, .low = 0, .middle = 0.5, .high = 2};
	listen->metrics[0].forecast = (struct forecast){.known = true,
		.seconds = 864000,
		.low = 432000,
		.high = INFINITY,
		.target = 1,
		.over_seconds = 604800};
	listen->only_past = true;
	listen->past = mem_zalloc(sizeof(*listen->past));
	listen->past[listen->n_past++] = (struct metric_result){.metric = &dropped,
		.instance = mem_strdup(name),
		.label = mem_strdup(name),
		.value = 3,
		.verdict = VERDICT_BAD,
		.acquit = NAN,
		.maybe = NAN,
		.bad = 1};
}

/* Everything that a report holds from outside, in this format. */
static char *written_hostile(const char *format, struct writer_options options)
{
	struct report report;
	char *text;

	set_up(&report, HOSTILE);
	report.under_way = mem_strdup(HOSTILE);
	retype(&report, HOSTILE);
	add_before(&report, HOSTILE);
	add_experiment(&report.checks[2], ANSWER_CHANGED, true, HOSTILE);
	add_experiment(&report.checks[3], ANSWER_INCONCLUSIVE, false, HOSTILE);
	text = written(format, &report, options);
	report_free(&report);
	return text;
}

static bool matches(const char *pattern, const char *text)
{
	regex_t regex;
	bool found;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE))
		return false;
	found = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return found;
}

static bool all_lines_match(const char *text, const char *pattern)
{
	bool all = true;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = mem_strndup(text, len);

		if (!matches(pattern, line)) {
			printf("# line: %s\n", line);
			all = false;
		}
		free(line);
		text += len + (text[len] == '\n');
	}
	return all;
}

static size_t count_text(const char *text, const char *part)
{
	size_t n = 0;

	while ((text = strstr(text, part))) {
		n++;
		text += strlen(part);
	}
	return n;
}

static bool has_control(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f)
			return true;
	return false;
}

static void is_text(const char *got, const char *expected, const char *what)
{
	bool same = !strcmp(got, expected);

	ok(same, "%s", what);
	if (!same)
		printf("# got:\n%s# expected:\n%s", got, expected);
}

static void test_text_golden(void)
{
	static const char expected[] =
		"BAD    listen   web7 on :3000 dropped 212/s\n"
		"       what     The kernel dropped connections.\n"
		"       but      A port scan counts here.\n"
		"       next     ss -ltn\n"
		"                tuesday explain listen\n"
		"       ends     when it is started anew\n"
		"       untraced needs CAP_BPF\n"
		"MAYBE  disk     web7 takes 23 ms for a read, by device sda (8:0)\n"
		"       next     ss -ltn\n"
		"\n"
		"Not the cause: cpu: 1 of 4 examined (tuesday --ledger). Good, but not ruled\n"
		"  out: memory. Not examined: lock (needs CAP_BPF, not web7). Not on this\n"
		"  machine: 1.\n"
		"Refused: x.ini:9: unknown source 'vmsat'\n"
		"web7: 16 s, 31 ms of CPU, BPF 3 ms.\n";
	struct report report;
	char *text;

	set_up(&report, "web7");
	text = written("text", &report, (struct writer_options){.columns = 79});
	is_text(text, expected, "the screen is as designed");
	free(text);
	report.interrupted = report.replay = true;
	text = written("text", &report, (struct writer_options){0});
	ok(strstr(text, "\nInterrupted after 16 s"), "an interrupted run says so");
	ok(strstr(text, ", replayed: 16 s"), "a replay says so");
	free(text);
	report_free(&report);
}

/* Each run of white space becomes one blank, so that a test need not know where a line was broken.
 */
static void fold(char *text)
{
	char *to = text;

	while (*text) {
		if (strchr(" \n", *text)) {
			*to++ = ' ';
			text += strspn(text, " \n");
		} else {
			*to++ = *text++;
		}
	}
	*to = 0;
}

static void test_text_options(void)
{
	struct report report;
	char *plain, *text;

	set_up(&report, "web7");
	plain = written("text", &report, (struct writer_options){0});
	text = written("text", &report, (struct writer_options){.quiet = true});
	ok(!strstr(text, "of CPU") && strstr(text, "BAD    listen") &&
			strstr(text, "Not the cause: cpu"),
		"quiet leaves out what the run cost, and keeps the roll-up");
	free(text);
	text = written("text", &report, (struct writer_options){.ledger = true});
	ok(strstr(text,
		   "Not the cause:  cpu: 1 of 4 examined, by this evidence:\n"
		   "  cpu           waits 0.4 % of the time, 5 windows\n"),
		"the ledger says what exonerated each part");
	free(text);
	text = written("text", &report, (struct writer_options){.verbose = true});
	fold(text);
	ok(strstr(text,
		   "dropped_per_second[web7] 212/s bad error acquit == 0/s, maybe > 0/s, bad >= "
		   "1/s, over in 4 of 5 windows, 1 of 1 accused; source: netdata 1 and 5 a "
		   "second "),
		"verbose prints value, verdict, class, limits, windows and source");
	ok(strstr(text, "stall_seconds no value unknown harm no web7 here "),
		"and why a metric has no value");
	ok(strstr(text, "read_await_seconds[sda] 23 ms maybe harm maybe > 20 ms, 1 of 1"),
		"and limits that are there by class only");
	free(text);
	text = written("text", &report, (struct writer_options){.color = true});
	ok(count_text(text, "\033[") == 4 && strstr(text, "\033[1;31mBAD\033[0m    listen"),
		"colour is on the words of verdicts and nowhere else");
	ok(!strchr(plain, '\033') && strlen(text) > strlen(plain), "and absent unless asked for");
	free(text);
	free(plain);
	report_free(&report);
}

static void test_text_single(void)
{
	struct report report;
	char *text;
	size_t i;

	set_up(&report, "web7");
	for (i = 1; i < CHECKS; i++)
		check_result_free(&report.checks[i]);
	report.n_checks = 1;
	free(report.errors[0]);
	report.n_errors = 0;
	text = written("text", &report, (struct writer_options){0});
	is_text(text, "good cpu: waits 0.4 % of the time\n",
		"a single good check is a single line");
	free(text);
	text = written("text", &report, (struct writer_options){.ledger = true});
	ok(strstr(text, "  cpu           waits 0.4 % of the time, 5 windows\n"),
		"and has its evidence when asked");
	free(text);
	text = written("text", &report, (struct writer_options){.quiet = true});
	is_text(text, "", "and is silent when quiet");
	free(text);
	report_free(&report);
}

/* Where the state is OK no threshold is drawn below the value, of what was not judged. */
static void test_thresholds(void)
{
	struct report report;
	struct metric_result *metric = NULL;
	struct check_result *check = NULL;
	size_t i;

	set_up(&report, "web7");
	for (i = 0; i < CHECKS; i++)
		if (!strcmp(report.checks[i].check->name, "listen"))
			check = &report.checks[i];
	metric = &check->metrics[0];
	ok(threshold_agrees(check, metric, VERDICT_MAYBE) &&
			threshold_agrees(check, metric, VERDICT_BAD),
		"the thresholds of what is bad are said");
	metric->verdict = VERDICT_MAYBE;
	ok(threshold_agrees(check, metric, VERDICT_MAYBE) &&
			!threshold_agrees(check, metric, VERDICT_BAD),
		"of what was held back at maybe the one for bad is not");
	metric->verdict = VERDICT_GOOD;
	ok(!threshold_agrees(check, metric, VERDICT_MAYBE),
		"nor is any of a value beyond it that is good");
	metric->verdict = VERDICT_BAD;
	check->set_aside = ASIDE_MUTED;
	ok(!threshold_agrees(check, metric, VERDICT_MAYBE), "or of what somebody muted");
	check->set_aside = ASIDE_NOT;
	metric->verdict = VERDICT_GOOD;
	metric->value = 0;
	ok(threshold_agrees(check, metric, VERDICT_MAYBE), "of a value within them both are said");
	report_free(&report);
}

static void test_text_width(void)
{
	static const unsigned int widths[] = {1, 40, 60, 80, 100, 200};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		struct report report;
		char *text, *at, *line;
		size_t widest = 0, columns = widths[i] < 45 ? 45 : widths[i];

		set_up(&report, "a name of words");
		text = written("text", &report,
			(struct writer_options){.columns = widths[i], .verbose = true});
		at = strstr(text, "\n\n");
		while ((line = at ? strsep(&at, "\n") : NULL))
			if (strlen(line) > widest)
				widest = strlen(line);
		ok(widest <= (columns > 100 ? 100 : columns), "text keeps within %u columns (%zu)",
			widths[i], widest);
		free(text);
		report_free(&report);
	}
}

static void test_text_hostile(void)
{
	char *text =
		written_hostile("text", (struct writer_options){.verbose = true, .ledger = true});
	struct report report;
	char name[4000];

	ok(!has_control(text), "no control character reaches the screen");
	ok(!strstr(text, "\xe2\x80\xae") && !strchr(text, 0xff),
		"nor a bidi control nor an invalid byte");
	ok(!strstr(text, "\n# ") && strstr(text, "EVIL\\x0a# \\x1b[2J"),
		"a name cannot begin a line of its own");
	free(text);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	set_up(&report, name);
	text = written("text", &report, (struct writer_options){.verbose = true});
	ok(strlen(text) < 5000 && strstr(text, "xxx... (pid 1234) 92 %"), "long names are cut");
	free(text);
	report_free(&report);
}

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		printf("# %s at %d\n", error.text, error.position);
	return json;
}

static const char *text_at(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static double number_at(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static void test_json_report(json_t *json)
{
	json_t *cost = json_object_get(json, "cost"), *type;

	ok(!strcmp(text_at(json, "schema"), "tuesday/1"), "the schema is named");
	ok(!strcmp(text_at(json, "time"), "2026-11-24T06:00:00Z"), "the time is ISO 8601 in UTC");
	ok(!strcmp(text_at(json, "verdict"), "bad"), "the roll-up is there");
	ok(number_at(json, "uptime_seconds") == 41 * 86400.0 && number_at(json, "windows") == 5 &&
			number_at(json, "window_seconds") == 2 && number_at(json, "cpus") == 8 &&
			number_at(json, "duration_seconds") == 16,
		"so are the numbers of the machine and the run");
	ok(!json_object_get(json, "interrupted") && !json_object_get(json, "replay"),
		"what did not happen has no key");
	ok(number_at(cost, "cpu_seconds") == 0.031 && number_at(cost, "bpf_seconds") == 0.003 &&
			number_at(cost, "rss_bytes") == 4096 &&
			number_at(cost, "trace_seconds") == 5 &&
			number_at(cost, "wall_seconds") == 16,
		"the cost is in base units");
	ok(json_array_size(json_object_get(json, "errors")) == 1, "refused files are named");
	type = json_object_get(json, "type");
	ok(!strcmp(text_at(type, "name"), "major") && !strcmp(text_at(type, "current"), "major") &&
			!strcmp(text_at(type, "derived"), "ambiguous") &&
			json_array_size(json_object_get(type, "candidates")) == 2 &&
			json_array_size(json_object_get(type, "history")) == 2,
		"so is the type, with what a person said and what the rules say");
	ok(json_array_size(json_object_get(json, "exonerated")) == 1 &&
			!strcmp(text_at(json_array_get(json_object_get(json, "exonerated"), 0),
					"evidence"),
				"waits 0.4 % of the time, 5 windows"),
		"the ledger has the exonerated part and its evidence");
}

static void test_json_check(json_t *listen)
{
	json_t *metrics = json_object_get(listen, "metrics");
	json_t *first = json_array_get(metrics, 0), *second = json_array_get(metrics, 1);
	json_t *culprits = json_object_get(listen, "culprits");

	ok(!strcmp(text_at(listen, "check"), "listen") &&
			!strcmp(text_at(listen, "tier"), "counters") &&
			!strcmp(text_at(listen, "confidence"), "medium") &&
			json_is_false(json_object_get(listen, "exonerated")),
		"a check has name, tier, confidence and whether it is exonerated");
	ok(number_at(first, "value") == 212.5 && number_at(first, "bad") == 1 &&
			number_at(first, "maybe") == 0 && number_at(first, "acquit") == 0,
		"a metric has its value and the limits in force");
	ok(!strcmp(text_at(first, "accuses"), "above") &&
			!strcmp(text_at(first, "unit"), "per_second") &&
			!strcmp(text_at(first, "class"), "error"),
		"and their side, its unit and class");
	ok(number_at(first, "windows_over") == 4 && number_at(first, "accused") == 1,
		"and in how many windows and instances it was over");
	ok(!json_object_get(second, "value") && !json_object_get(second, "maybe") &&
			!json_object_get(second, "instance") && json_object_get(second, "missing"),
		"what has no value has no key, and why it is missing is said");
	ok(number_at(json_array_get(culprits, 0), "share") == 0.92 &&
			!json_object_get(json_array_get(culprits, 1), "share"),
		"a share that is not known has no key");
	ok(!strcmp(text_at(json_array_get(culprits, 0), "name"),
		   "EVIL\n# \033[2J\"'|=\\ \xe2\x80\xae\xef\xbf\xbd{}"),
		"a hostile name comes back as it was, invalid bytes apart");
	ok(json_array_size(json_object_get(listen, "next")) == 2 &&
			json_array_size(json_object_get(listen, "howevers")) == 1,
		"next and howevers are lists");
}

static bool all_documented(json_t *json, const char *page)
{
	const char *key;
	json_t *value;
	size_t i;
	bool all = true;

	if (json_is_array(json))
		for (i = 0; i < json_array_size(json); i++)
			all = all_documented(json_array_get(json, i), page) && all;
	if (!json_is_object(json))
		return all;
	json_object_foreach(json, key, value)
	{
		char *quoted = mem_printf("`%s`", key);

		if (!strstr(page, quoted)) {
			printf("# %s is not in docs/json.md\n", quoted);
			all = false;
		}
		free(quoted);
		all = all_documented(value, page) && all;
	}
	return all;
}

static void test_json_documented(json_t *json)
{
	char page[65536];
	FILE *file = fopen("docs/json.md", "r");
	size_t len;

	if (!file) {
		ok(true, "every key is documented # SKIP not run from the source tree");
		return;
	}
	len = fread(page, 1, sizeof(page) - 1, file);
	page[len] = 0;
	fclose(file);
	ok(all_documented(json, page), "every key is documented");
}

static void test_json(void)
{
	char *text = written_hostile("json", (struct writer_options){0});
	json_t *json = parse(text);
	const char *at;
	bool ascii = true;

	for (at = text; *at; at++)
		ascii = ascii && (*at == '\n' || (*at >= 0x20 && *at < 0x7f));
	ok(ascii && strchr(text, '\n') == text + strlen(text) - 1,
		"JSON is one line of printable ASCII");
	ok(json_is_object(json), "and one object without a key given twice");
	ok(!strstr(text, "null") && !strstr(text, "nan") && !strstr(text, "inf"),
		"there is neither null nor NaN in it");
	ok(strstr(text, "\"cpu_seconds\":0.031,") && strstr(text, "\"bad\":1.0,"),
		"numbers are short, and reals stay reals");
	if (json) {
		json_t *list = json_object_get(json, "checks");

		test_json_report(json);
		ok(json_array_size(list) == CHECKS, "all checks are in it");
		ok(!json_object_get(json_array_get(list, 4), "tier") &&
				!json_object_get(json_array_get(list, 5), "confidence"),
			"no tier has spoken and nothing is sure where nothing was looked at");
		test_json_check(json_array_get(list, 2));
		test_json_documented(json);
	}
	json_decref(json);
	free(text);
}

/* How many metrics a check's JSON has, with or without a source, that accuse or that do not. */
static size_t count_metrics(json_t *check, bool with_source, bool accusing)
{
	json_t *list = json_object_get(check, "metrics");
	size_t i, n = 0;

	for (i = 0; i < json_array_size(list); i++) {
		json_t *metric = json_array_get(list, i);
		const char *verdict = json_string_value(json_object_get(metric, "verdict"));
		bool accuses = verdict && (!strcmp(verdict, "bad") || !strcmp(verdict, "maybe"));

		n += accuses == accusing &&
			with_source == (json_object_get(metric, "source") != NULL);
	}
	return n;
}

/* As the history keeps it. */
static void test_json_brief(void)
{
	char *whole = written_hostile("json", (struct writer_options){0});
	char *brief = written_hostile("json", (struct writer_options){.brief = true});
	json_t *of_whole = parse(whole), *of_brief = parse(brief);
	size_t i, before[2] = {0, 0}, after[2] = {0, 0}, left_out = 0;

	for (i = 0; i < CHECKS; i++) {
		json_t *one = json_array_get(json_object_get(of_whole, "checks"), i);
		json_t *other = json_array_get(json_object_get(of_brief, "checks"), i);

		before[0] += count_metrics(one, true, false);
		before[1] += count_metrics(one, true, true);
		after[0] += count_metrics(other, true, false);
		after[1] += count_metrics(other, true, true);
		left_out += count_metrics(other, false, false);
	}
	ok(before[0] && !after[0] && left_out >= before[0],
		"in a brief report what accuses nobody stands without the words of its check");
	ok(before[1] && after[1] == before[1], "and what accuses with them");
	json_decref(of_whole);
	json_decref(of_brief);
	free(whole);
	free(brief);
}

static void test_experiments(void)
{
	struct writer_options plain = {.columns = 80};
	struct report report;
	char *text;

	set_up(&report, "web7");
	add_experiment(&report.checks[0], ANSWER_SAME, true, "sda");
	add_experiment(&report.checks[3], ANSWER_CHANGED, true, "sda");
	add_experiment(&report.checks[3], ANSWER_INCONCLUSIVE, false, "sdb");
	text = written("text", &report, plain);
	ok(strstr(text, "experiment: read-ahead 8192 → 128 on sda") != NULL,
		"an experiment that found nothing is said below its check");
	ok(strstr(text, "proves: What was read ahead was not used.") != NULL,
		"what an answer proves is said where it accuses");
	ok(strstr(text, "NOT PUT BACK: sdb still holds 128") != NULL,
		"what is left changed cannot be overlooked");
	free(text);
	text = written("line", &report, plain);
	ok(strstr(text, " | changed disk/less_read_ahead | same cpu/less_read_ahead") != NULL,
		"the line has answers without numbers");
	free(text);
	report_free(&report);
}

static void test_json_empty(void)
{
	struct report report = {.uptime_seconds = NAN, .seconds = NAN, .window_seconds = INFINITY};
	char *text = written("json", &report, (struct writer_options){0});
	json_t *json = parse(text);

	ok(json_is_object(json) && !json_object_get(json, "host") &&
			!json_object_get(json, "uptime_seconds") &&
			!json_object_get(json, "window_seconds") &&
			!json_object_get(json, "type") &&
			json_array_size(json_object_get(json, "checks")) == 0,
		"a report of nothing is an object with empty lists and no guesses");
	json_decref(json);
	free(text);
}

/* As /etc/tuesday/labels.ini may have it. */
static void test_json_labels(void)
{
	static char rack[] = "rack", row[] = "r\"w", first[] = "A1", second[] = "7", last[] = "A2";
	struct fact labels[] = {{rack, first}, {row, second}, {rack, last}};
	struct report report = {.labels = labels, .n_labels = ARRAY_SIZE(labels)};
	char *text = written("json", &report, (struct writer_options){0});

	ok(strstr(text, "\"labels\":{\"rack\":\"A2\",\"r\\\"w\":\"7\"},") != NULL,
		"of a label that is given twice the last one counts");
	free(text);
}

#define NUMBER "-?[0-9]+(\\.[0-9]+)?"
#define RANGE "(@?(~:)?" NUMBER ":?(" NUMBER ")?)?"

static void test_nagios(void)
{
	char *text = written_hostile("nagios", (struct writer_options){0});
	char *rest = text, *line = strsep(&rest, "\n"), *perfdata = line;
	char *status = strsep(&perfdata, "|"), *one;
	size_t n = 0;
	bool grammar = true;

	ok(strlen(status) <= 381 &&
			!strncmp(status,
				"TUESDAY CRITICAL: 1 bad (listen), 1 maybe (disk), 1 unknown, ",
				61) &&
			strstr(status, ": listen: EVIL\\x0a"),
		"the plugin's text counts, names what is bad, and says what is critical");
	ok(perfdata && !strchr(perfdata, '|') && !strchr(rest, '|'), "there is one '|' in all");
	ok(!has_control(rest) && !has_control(line), "and no control character");
	while (perfdata && (one = strsep(&perfdata, " "))) {
		if (!*one)
			continue;
		grammar = grammar &&
			matches("^'[^'=|]+'=(U|" NUMBER ")(s|%|B)?(;" RANGE "(;" RANGE ")?)?$",
				one);
		n++;
	}
	ok(grammar && n == 8, "performance data is by the grammar: the counts (%zu)", n);
	ok(strstr(rest, "\nmaybe disk: ") && strstr(rest, "unknown lock: ") &&
			strstr(rest, "it is not: cpu\n") && strstr(rest, "  next: ss -ltn\n"),
		"the long text has all that is not good, what it is not, and what to do");
	free(text);
}

static void test_nagios_golden(void)
{
	static const char counts[] = " | 'bad'=1;;0 'maybe'=1;0 'unknown'=1 'good'=2 ";
	struct report report;
	char *text;

	set_up(&report, "web7");
	text = written("nagios", &report, (struct writer_options){0});
	ok(!strncmp(text, "TUESDAY CRITICAL: 1 bad (listen), 1 maybe (disk), ", 50) &&
			strstr(text,
				": listen: web7 on :3000 dropped 212/s; disk: web7 takes 23 ms") &&
			strstr(text, counts),
		"a roll-up says how many checks are what, and why, and graphs the counts: %s",
		text);
	free(text);
	report_free(&report);
}

/* "'a'= 'b'=" of a first line. */
static char *labels_of(const char *text)
{
	struct str labels = STR_INIT;
	const char *at = strchr(text, '|'), *end = text + strcspn(text, "\n");

	while (at && (at = strchr(at, '\'')) && at < end) {
		const char *close = strchr(at + 1, '\'');

		str_addn(&labels, at, (size_t)(close - at) + 1);
		at = close + 1;
	}
	return str_take(&labels);
}

/* The same labels in the same order, whatever the verdict is and which values there are. */
static void test_nagios_fixed(void)
{
	static const char wanted[] = "'bad''maybe''unknown''good''skip''gaps''muted''seconds'"
				     "'disk.read_await_seconds''memory.available_ratio'";
	struct check disk = {.name = (char[]){"disk"}, .headline = "read_await_seconds"};
	struct check memory = {.name = (char[]){"memory"}, .headline = "available_ratio"};
	struct check_result results[] = {{.check = &disk, .verdict = VERDICT_GOOD},
		{.check = &memory, .verdict = VERDICT_GOOD}};
	struct report report = {.checks = results, .n_checks = 2, .seconds = 10.25};
	char *quiet, *loud, *labels;

	quiet = written("nagios", &report, (struct writer_options){0});
	labels = labels_of(quiet);
	ok(!strcmp(labels, wanted), "labels are fixed, also where nothing could be had: %s",
		labels);
	ok(strstr(quiet, "'seconds'=10.25s 'disk.read_await_seconds'=U"), "what is not there is U");
	free(labels);
	add_metric(&results[1], &available, "", 0.57);
	add_metric(&results[0], &await, "", 22e-9);
	results[0].verdict = report.verdict = VERDICT_BAD;
	loud = written("nagios", &report, (struct writer_options){0});
	labels = labels_of(loud);
	ok(!strcmp(labels, wanted), "and the same in the same order with another verdict: %s",
		labels);
	ok(strstr(loud, "'disk.read_await_seconds'=0.000000022s;") &&
			strstr(loud, "'memory.available_ratio'=57%"),
		"small numbers keep their digits, in plain notation");
	free(labels);
	free(quiet);
	free(loud);
	free_metrics(&results[0]);
	free_metrics(&results[1]);
}

static void test_nagios_states(void)
{
	static const struct {
		enum verdict verdict;
		const char *status;
	} states[] = {{VERDICT_GOOD, "cpu OK: fine"}, {VERDICT_SKIP, "cpu OK: fine"},
		{VERDICT_MAYBE, "cpu WARNING: fine"}, {VERDICT_BAD, "cpu CRITICAL: fine"},
		{VERDICT_UNKNOWN, "cpu UNKNOWN: fine"}};
	static char fine[] = "fine";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		struct check_result result = {
			.check = &checks[0], .verdict = states[i].verdict, .summary = fine};
		struct report report = {
			.checks = &result, .n_checks = 1, .verdict = states[i].verdict};
		char *text = written("nagios", &report, (struct writer_options){0});

		ok(!strncmp(text, states[i].status, strlen(states[i].status)), "%s is %s",
			verdict_text(states[i].verdict), states[i].status);
		free(text);
	}
}

static void test_nagios_full(void)
{
	struct report report;
	char *text, *line;
	size_t i, shown;
	unsigned int left = 0;

	set_up(&report, HOSTILE);
	for (i = 0; i < 200; i++)
		add_metric(&report.checks[0], &await, "", 1e9 / (double)(i + 3));
	for (i = 1; i < report.n_checks; i++)
		check_result_free(&report.checks[i]);
	report.n_checks = 1;
	text = written("nagios", &report, (struct writer_options){0});
	line = strstr(text, "performance data of ");
	if (line)
		sscanf(line, "performance data of %u metrics", &left);
	line = mem_strndup(text, strcspn(text, "\n"));
	shown = count_text(line, "'=");
	ok(strlen(line) < 1023 && strlen(line) > 800, "a long first line stays below 1024 bytes");
	ok(left && shown + left == report.checks[0].n_metrics,
		"and what was left out of it is said (%zu and %u)", shown, left);
	free(line);
	free(text);
	report_free(&report);
}

/* Each family has its head once, and all its samples behind it. */
static bool families_are_contiguous(const char *text)
{
	char family[128] = "";
	bool all = true;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = mem_strndup(text, len), *head;

		if (sscanf(line, "# HELP %127s", family) != 1 && *line != '#')
			all = all && !strncmp(line, family, strlen(family)) &&
				strchr("{ ", line[strlen(family)]);
		free(line);
		text += len + (text[len] == '\n');
		head = mem_printf("# TYPE %s gauge\n", family);
		all = all && count_text(text, head) <= 1;
		free(head);
	}
	return all;
}

#define LABELS "\\{[a-z]+=\"([^\"\\]|\\\\.)*\"(,[a-z]+=\"([^\"\\]|\\\\.)*\")*\\}"

static void test_prometheus(void)
{
	static const char *const families[] = {"tuesday_check_state", "tuesday_check_value",
		"tuesday_check_threshold", "tuesday_limit_reached_in_seconds",
		"tuesday_metric_accuses", "tuesday_last_run_timestamp_seconds",
		"tuesday_run_seconds", "tuesday_run_cpu_seconds", "tuesday_report_type_info"};
	char *text = written_hostile("prometheus", (struct writer_options){0});
	size_t i;

	ok(all_lines_match(text,
		   "^(# HELP [a-z_]+ [^\\]+|# TYPE [a-z_]+ gauge|"
		   "[a-z_]+(" LABELS ")? " NUMBER "(e[+-][0-9]+)?)$"),
		"each line is by the grammar");
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		char *help = mem_printf("# HELP %s ", families[i]);
		char *type = mem_printf("# TYPE %s gauge\n", families[i]);

		ok(count_text(text, help) == 1 && count_text(text, type) == 1,
			"%s has HELP and TYPE once", families[i]);
		free(help);
		free(type);
	}
	ok(families_are_contiguous(text), "families are contiguous");
	ok(count_text(text, "EVIL") == count_text(text, "_seconds{check=\"EVIL") &&
			!strstr(text, "1234") && !strstr(text, "\"sda"),
		"no process, number of one, or instance is a label");
	ok(!strcasestr(text, " nan") && !strcasestr(text, " inf"), "no value is left out");
	ok(count_text(text, "tuesday_check_state{") == 5 * CHECKS &&
			count_text(text, ",state=\"good\"} 1\n") == 2 &&
			count_text(text, "\"} 1\n") == CHECKS + 1 + 2 + 1,
		"each check has five states of which one is 1");
	ok(strstr(text, "tuesday_check_state{check=\"listen\",state=\"bad\"} 1\n") &&
			strstr(text,
				"tuesday_check_value{check=\"disk\","
				"metric=\"read_await_seconds\"} 0.023\n") &&
			strstr(text,
				"tuesday_check_threshold{check=\"disk\","
				"metric=\"read_await_seconds\",level=\"maybe\"} 0.02\n") &&
			strstr(text,
				"tuesday_metric_accuses{check=\"disk\","
				"metric=\"read_await_seconds\",class=\"harm\",state=\"maybe\"} "
				"1\n") &&
			strstr(text, "\",source=\"history\"} 864000\n") &&
			strstr(text, "\ntuesday_last_run_timestamp_seconds 1795500016\n") &&
			strstr(text,
				"\ntuesday_report_type_info{type=\"major\",derived=\"ambiguous\"} "
				"1\n"),
		"states, values, limits, time and type are there");
	free(text);
}

/* What was between two runs is one sample with what is now, since a sample must not stand twice. */
static void test_prometheus_past(void)
{
	struct metric_result now = {.metric = &dropped, .verdict = VERDICT_MAYBE, .value = NAN};
	struct metric_result past = {.metric = &dropped, .verdict = VERDICT_BAD, .value = NAN};
	struct check_result result = {
		.check = &checks[2], .metrics = &now, .n_metrics = 1, .past = &past, .n_past = 1};
	struct muted muted = {.check = (char *)HOSTILE, .until = 1795600000};
	struct report report = {.checks = &result, .n_checks = 1, .muted = &muted, .n_muted = 1};
	char *text = written("prometheus", &report, (struct writer_options){0});

	ok(count_text(text, "\ntuesday_metric_accuses{") == 1 &&
			strstr(text, "class=\"error\",state=\"bad\"} 1\n"),
		"the worse of now and since the run before is the one that counts");
	ok(all_lines_match(text, "^(# .*|[a-z_]+(" LABELS ")? " NUMBER ")$") &&
			count_text(text, "\"} 1795600000\n") == 1,
		"and who is muted is said, with until when");
	free(text);
}

/* What another program printed: all its seconds are perfdata_seconds here. */
static void test_foreign_values(void)
{
	static char *const labels[] = {(char *)HOSTILE, (char *)"/var log", (char *)"/srv"};
	static struct metric several = {.name = "perfdata_seconds", .unit = UNIT_SECONDS};
	struct check check = {.name = "plugin", .foreign = (struct foreign *)&several};
	struct metric_result values[ARRAY_SIZE(labels)];
	struct check_result result = {
		.check = &check, .metrics = values, .n_metrics = ARRAY_SIZE(values)};
	struct report report = {.checks = &result, .n_checks = 1};
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = (struct metric_result){.metric = &several,
			.label = labels[i],
			.instance = labels[i],
			.value = (double)i,
			.acquit = NAN,
			.maybe = 1,
			.bad = NAN,
			.look = NAN,
			.verdict = i == 1 ? VERDICT_MAYBE : VERDICT_GOOD};
	text = written("prometheus", &report, (struct writer_options){0});
	ok(count_text(text, "\ntuesday_check_value{") == 1 &&
			count_text(text, "\ntuesday_check_threshold{") == 1 &&
			count_text(text, "\ntuesday_metric_accuses{") == 1 &&
			strstr(text, "metric=\"perfdata_seconds\"} 1\n"),
		"values of another program are one sample, the worst, since none may stand twice");
	free(text);
	text = written("nagios", &report, (struct writer_options){0});
	ok(strstr(text, " 'plugin./var log'=1s;") && strstr(text, " 'plugin./srv'=2s;") &&
			strstr(text, "\\xff{}'=0s;"),
		"a monitoring plugin's labels are that program's");
	free(text);
	text = written("checkmk", &report, (struct writer_options){.services = "all"});
	ok(matches(" EVIL_[a-zA-Z0-9_]+=0;;\\|_var_log=1;;\\|_srv=2", text),
		"and a local check's are identifiers");
	free(text);
}

static void test_prometheus_label(void)
{
	static char name[] = HOSTILE;
	struct check check = {.name = name};
	struct check_result result = {.check = &check};
	struct report report = {.checks = &result, .n_checks = 1};
	char *text = written("prometheus", &report, (struct writer_options){0});

	ok(all_lines_match(text, "^(# .*|[a-z_]+(" LABELS ")? " NUMBER ")$"),
		"even a hostile label stays within its quotes");
	free(text);
}

static void test_line(void)
{
	struct report report, other;
	struct check_result swap;
	char *text, *again;

	set_up(&report, "web7");
	report.checks[5].verdict = VERDICT_UNKNOWN;
	text = written("line", &report, (struct writer_options){0});
	is_text(text, "bad listen | maybe disk(sda) | unknown l2arc lock | not cpu\n",
		"the line has verdicts, names in order, and devices");
	set_up(&other, HOSTILE);
	other.checks[5].verdict = VERDICT_UNKNOWN;
	swap = other.checks[0];
	other.checks[0] = other.checks[3];
	other.checks[3] = swap;
	other.checks[0].metrics[0].value = 17;
	other.time_start++;
	again = written("line", &other, (struct writer_options){0});
	is_text(again, text, "it is the same for other hosts, numbers, processes and orders");
	free(again);
	snprintf(other.checks[0].culprits[0].name, sizeof(other.checks[0].culprits[0].name), "%s",
		"a) | (b\n");
	other.interrupted = true;
	again = written("line", &other, (struct writer_options){0});
	is_text(again,
		"bad listen | maybe disk(a_____b\\x0a) | unknown l2arc lock | not cpu | "
		"interrupted\n",
		"a hostile device cannot pose as another part of it");
	free(again);
	free(text);
	report_free(&report);
	report_free(&other);
}

static void test_line_good(void)
{
	struct check_result result = {.check = &checks[0]};
	struct report report = {.checks = &result, .n_checks = 1};
	char *text = written("line", &report, (struct writer_options){0});

	is_text(text, "good\n", "where nothing is accused or cleared, the verdict is the line");
	free(text);
}

/* A directory of its own for a test, and names in it. */
static char directory[] = "/tmp/tuesday-writers-XXXXXX";

static char *path_of(const char *name)
{
	return mem_printf("%s/%s", directory, name);
}

static bool holds(const char *path, const char *expected)
{
	char text[256] = "";
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return !strcmp(text, expected);
}

static bool has_temporary(const char *path)
{
	char *temporary = mem_printf("%s.tmp.%ld", path, (long)getpid());
	bool there = !access(temporary, F_OK);

	free(temporary);
	return there;
}

static int put_file(const char *path, const char *text, size_t len)
{
	struct str why = STR_INIT;
	int err = write_file_atomically(path, FILE_BY_UMASK, text, len, &why);

	if (!err == (why.len > 0))
		ok(false, "what goes wrong has a phrase, and nothing else: %s", str_text(&why));
	str_free(&why);
	return err;
}

static void test_file_replaced(const char *path)
{
	struct str why = STR_INIT;
	struct stat st;
	mode_t mask = umask(077);

	ok(!put_file(path, "one\n", 4) && holds(path, "one\n"), "a new file is written");
	ok(!put_file(path, "two\n", 4) && holds(path, "two\n"), "an old one replaced");
	ok(!stat(path, &st) && (st.st_mode & 0777) == 0600, "readable for whom the umask says");
	ok(!write_file_atomically(path, FILE_FOR_ALL, "two\n", 4, &why) && !stat(path, &st) &&
			(st.st_mode & 0777) == 0644,
		"or for all where it is to be collected");
	umask(mask);
	ok(!has_temporary(path), "and nothing is left beside it");
}

/* In a child: the limit on the size of files ends a write early as a full disk does. */
static int write_beyond_limit(const char *path)
{
	static char large[65536];
	struct rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	return put_file(path, large, sizeof(large)) == -EFBIG && !has_temporary(path) &&
		holds(path, "two\n");
}

/* In a child with mounts of its own: a disk of 64 KiB that is really full. */
static int write_to_full_disk(const char *path)
{
	static char large[131072];

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("none", directory, "tmpfs", 0, "size=64k"))
		return 2;
	return !put_file(path, "old\n", 4) && put_file(path, large, sizeof(large)) == -ENOSPC &&
		!has_temporary(path) && holds(path, "old\n");
}

static int in_child(int (*work)(const char *path), const char *path)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(work(path));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void test_file_errors(const char *path)
{
	char *absent = path_of("no/such"), *link_path = path_of("link"),
	     *pipe_path = path_of("pipe");
	int full = in_child(write_to_full_disk, path);

	ok(in_child(write_beyond_limit, path) == 1,
		"a write that ends early leaves the old file and no other");
	ok(full == 1 || full == 2, "so does a full disk%s",
		full == 2 ? " # SKIP no mounts here" : "");
	ok(put_file("/dev/full", "x", 1) == -ENOSPC, "a device that is full says so");
	ok(!put_file("/dev/null", "x", 1), "and one that takes it is written to");
	ok(put_file(absent, "x", 1) == -ENOENT, "no directory is an error");
	ok(put_file(directory, "x", 1) == -EISDIR, "so is a directory");
	ok(!symlink(path, link_path) && put_file(link_path, "x", 1) == -ELOOP &&
			holds(path, "two\n"),
		"a link to a file is refused and the file left alone");
	alarm(10); /* a hang is a failure */
	ok(!mkfifo(pipe_path, 0600) && put_file(pipe_path, "x", 1) == -ENXIO,
		"a pipe that nobody reads is an error and no hang");
	alarm(0);
	unlink(link_path);
	unlink(pipe_path);
	free(absent);
	free(link_path);
	free(pipe_path);
}

static void test_file(void)
{
	char *path;

	if (!ok(mkdtemp(directory) != NULL, "there is a directory to write to"))
		return;
	path = path_of("tuesday.prom");
	test_file_replaced(path);
	test_file_errors(path);
	unlink(path);
	ok(!rmdir(directory), "the directory is empty at the end");
	free(path);
}

static void test_people(void)
{
	static const struct {
		double value;
		enum unit unit;
		const char *text;
	} cases[] = {
		{0.004, UNIT_RATIO, "0.4 %"},
		{0, UNIT_RATIO, "0 %"},
		{1, UNIT_RATIO, "100 %"},
		{0.9964, UNIT_RATIO, "99.6 %"},
		{1e-9, UNIT_RATIO, "<0.001 %"},
		{-0.041, UNIT_RATIO, "-4.1 %"},
		{0, UNIT_SECONDS, "0 s"},
		{80e-6, UNIT_SECONDS, "80 us"},
		{0.0012, UNIT_SECONDS, "1.2 ms"},
		{0.0009996, UNIT_SECONDS, "1 ms"},
		{2.5, UNIT_SECONDS, "2.5 s"},
		{119, UNIT_SECONDS, "119 s"},
		{120, UNIT_SECONDS, "2 min"},
		{7200, UNIT_SECONDS, "2 h"},
		{41 * 86400.0, UNIT_SECONDS, "41 days"},
		{9.1 * 1073741824, UNIT_BYTES, "9.1 GiB"},
		{1023 * 1024, UNIT_BYTES, "0.999 MiB"},
		{512, UNIT_BYTES, "512 B"},
		{212, UNIT_PER_SECOND, "212/s"},
		{12345678, UNIT_PER_SECOND, "12.3M/s"},
		{1.2 * 1048576, UNIT_BYTES_PER_SECOND, "1.2 MiB/s"},
		{4096, UNIT_COUNT, "4096"},
		{123456, UNIT_COUNT, "123 k"},
		{0, UNIT_COUNT, "0"},
		{1e300, UNIT_COUNT, "1e+285 P"},
		{NAN, UNIT_COUNT, "no value"},
		{INFINITY, UNIT_SECONDS, "no value"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str out = STR_INIT;

		value_for_people(&out, cases[i].value, cases[i].unit);
		if (!ok(!strcmp(str_text(&out), cases[i].text), "%g is said for people, case %zu",
			    cases[i].value, i + 1))
			printf("# got %s\n", str_text(&out));
		str_free(&out);
	}
}

static void test_verdicts(void)
{
	static const enum verdict order[] = {
		VERDICT_BAD, VERDICT_MAYBE, VERDICT_UNKNOWN, VERDICT_GOOD, VERDICT_SKIP};
	static const int statuses[] = {2, 1, 3, 0, 0};
	bool ordered = true, exits = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		exits = exits && verdict_exit_status(order[i]) == statuses[i];
		ordered = ordered && !verdict_is_worse(order[i], order[i]);
		if (i)
			ordered = ordered && verdict_is_worse(order[i - 1], order[i]) &&
				!verdict_is_worse(order[i], order[i - 1]);
	}
	ok(ordered, "bad is worse than maybe, unknown, good and skip, in this order");
	ok(exits, "exit statuses are 2, 1, 3, 0 and 0");
}

static void count_writer(void *arg, const struct writer *writer)
{
	size_t *n = arg;

	*n += writer_find(writer->name) == writer;
}

static void test_registry(void)
{
	size_t n = 0;

	writer_each(count_writer, &n);
	ok(n >= 5 && writer_find("text") && writer_find("json") && writer_find("nagios") &&
			writer_find("prometheus") && writer_find("line"),
		"every writer is found by its name");
	ok(!writer_find("yaml"), "and no other");
}

static void test_tap(void)
{
	char *text = written_hostile("tap", (struct writer_options){0});

	ok(all_lines_match(text,
		   "^(TAP version 13|1\\.\\.6|(not )?ok [1-6] - [a-z0-9]+( # (TODO|SKIP) .*)?|"
		   "  ---|  verdict: [a-z]+|  summary: \".*\"|  culprits:|    - \".*\"|  "
		   "\\.\\.\\.|# muted: EVIL.*)$") &&
			!has_control(text),
		"every line of TAP is of its grammar");
	ok(count_text(text, "\nnot ok ") == 3 && count_text(text, " # TODO ") == 2 &&
			count_text(text, " # SKIP ") == 1,
		"maybe and unknown are to do, and only bad fails");
	free(text);
}

static void test_junit(void)
{
	char *text = written_hostile("junit", (struct writer_options){0});

	ok(count_text(text, "<testcase") == CHECKS && count_text(text, "<failure") == 1 &&
			count_text(text, "<error") == 1 && count_text(text, "<skipped") == 1 &&
			count_text(text, "<system-out") == 1,
		"each check is a test case with its outcome");
	ok(!has_control(text) && !strstr(text, "\xe2\x80\xae") && strstr(text, "EVIL\\x0a") &&
			strstr(text, "&quot;&#39;|"),
		"names are escaped in the XML");
	free(text);
}

static void test_checkmk(void)
{
	char *text = written_hostile("checkmk", (struct writer_options){0});

	ok(count_text(text, "\n") == 1, "a local check is one service of all checks");
	free(text);
	text = written_hostile("checkmk", (struct writer_options){.services = "all"});
	ok(all_lines_match(
		   text, "^[0-3] \"Tuesday( [a-z0-9]+)?\" (-|[a-z_]+=[^ ]+) [0-9a-z]+[ :].*$") &&
			!has_control(text) && count_text(text, "\n") == CHECKS,
		"where asked for, each check that applies is one too");
	ok(writer_exit_status("checkmk", VERDICT_BAD) == 0, "and ends with 0");
	free(text);
}

static void test_npd(void)
{
	char *text = written_hostile("npd", (struct writer_options){0});
	const char *at;
	bool ascii = true;

	for (at = text; *at; at++)
		ascii &= (unsigned char)*at < 0x80;
	ok(ascii && !has_control(text) && count_text(text, "\n") == 1 && strlen(text) <= 256,
		"for node-problem-detector it is one short line of ASCII");
	ok(writer_exit_status("npd", VERDICT_GOOD) == 0 &&
			writer_exit_status("npd", VERDICT_SKIP) == 0 &&
			writer_exit_status("npd", VERDICT_MAYBE) == 0 &&
			writer_exit_status("npd", VERDICT_BAD) == 1 &&
			writer_exit_status("npd", VERDICT_UNKNOWN) == 2 &&
			writer_exit_status("json", VERDICT_BAD) == 2,
		"with exit statuses of its own");
	free(text);
}

struct muting {
	const struct report *report;
	size_t silent;
};

static void mutes(void *arg, const struct writer *writer)
{
	struct muting *muting = arg;
	const char *who = strcmp(writer->name, "npd") ? "cpu" : "(2 muted)";
	char *text = written(writer->name, muting->report, (struct writer_options){0});

	if (!(strstr(text, "muted") || strstr(text, "Muted")) || !strstr(text, who)) {
		printf("# %s says nothing of who is muted\n", writer->name);
		muting->silent++;
	}
	free(text);
}

static void test_muted(void)
{
	struct muted muted[] = {{.check = (char *)"memory", .until = 1795600000},
		{.check = (char *)"cpu", .until = 1795600000}};
	struct check_result result = {.check = &checks[2], .verdict = VERDICT_GOOD};
	struct report report = {.host = "web7",
		.checks = &result,
		.n_checks = 1,
		.muted = muted,
		.n_muted = ARRAY_SIZE(muted)};
	struct muting muting = {.report = &report};
	char *text = written("line", &report, (struct writer_options){0});

	writer_each(mutes, &muting);
	ok(!muting.silent, "every format says who is muted");
	ok(!strcmp(text, "good | muted cpu memory\n"), "a line sorts them, after its light");
	free(text);
}

/* Whoever announces something writes what he likes. */
static void test_announced(void)
{
	static const char *const names[] = {"text", "json", "tap", "nagios"};
	struct announced announced = {.what = (char *)"roll\x1b[31mout\nnot ok 1 | bad",
		.by = (char *)"alice",
		.since = 1795403510,
		.until = 1795405310};
	struct check_result result = {.check = &checks[2], .verdict = VERDICT_GOOD};
	struct report report = {.host = "web7",
		.time_start = 1795403600,
		.checks = &result,
		.n_checks = 1,
		.announced = &announced,
		.n_announced = 1};
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		text = written(names[i], &report, (struct writer_options){0});
		ok(strstr(text, "alice") && strstr(text, "announced") && !strchr(text, '\x1b') &&
				!strstr(text, "\nnot ok 1"),
			"%s says what was announced, and nobody forges it", names[i]);
		free(text);
	}
	text = written("prometheus", &report, (struct writer_options){0});
	ok(strstr(text, "\ntuesday_announced_until_timestamp_seconds 1795405310\n") != NULL,
		"prometheus says until when, without a label");
	free(text);
}

int main(void)
{
	test_registry();
	test_verdicts();
	test_people();
	test_text_golden();
	test_text_options();
	test_text_single();
	test_thresholds();
	test_text_width();
	test_text_hostile();
	test_json();
	test_json_brief();
	test_json_empty();
	test_json_labels();
	test_experiments();
	test_nagios();
	test_nagios_golden();
	test_nagios_fixed();
	test_nagios_states();
	test_nagios_full();
	test_prometheus();
	test_prometheus_label();
	test_prometheus_past();
	test_foreign_values();
	test_line();
	test_line_good();
	test_tap();
	test_junit();
	test_checkmk();
	test_npd();
	test_muted();
	test_announced();
	test_file();
	return tap_done();
}
