/* SPDX-License-Identifier: GPL-2.0-only */
/* What is new since the run before, that a person has to be told of? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/num.h"
#include "experiment/undo_log_file.h"
#include "run/cron.h"
#include "history/hysteresis.h"
#include "base/escape.h"
#include "output/journald.h"
#include "history/retention.h"
#include "run/options.h"
#include "report/announced_text.h"
#include "report/report.h"
#include "history/run_state.h"
#include "history/continue.h"
#include "sys/statefile.h"
#include "base/str.h"
#include "output/writer.h"
#include "base/unit.h"
#include "base/datetime.h"

#define LINE_COLUMNS 300
/* The light of a refused check file has a name that no check can have. */
#define REFUSED "(file "
/* So has that of a run which has no end. */
#define UNENDED "(run)"

void cron_warn(const struct options *options, const char *what, int err)
{
	(void)options;
	fprintf(stderr, "tuesday: %s: %s\n", what,
		err == -EPERM ? "its directory is not this user's own, or others may write to it"
			      : strerror(-err));
}

double cron_splay(const char *machine, double seconds)
{
	uint32_t h = fnv1a_32(FNV1A_32, machine, strlen(machine));

	/* The last step of FNV spreads names that differ in their end only by little. */
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	return seconds * (double)h / 4294967296.0;
}

static void wait_splay(double seconds)
{
	char machine[256] = "";
	FILE *file = fopen("/etc/machine-id", "re");

	if (!file || !fgets(machine, sizeof(machine), file))
		gethostname(machine, sizeof(machine) - 1);
	if (file)
		fclose(file);
	poll(NULL, 0, (int)(cron_splay(machine, seconds) * 1000));
}

/* Takes what an earlier run has left in the file of the lock, "BOOT TIME", for one that has no end,
 * and writes the same of this one. Where it cannot be written, nothing is known the next time. */
static void cron_mark(struct options *options)
{
	char *boot = undo_log_boot_id(), *mark = mem_printf("%s ", boot ? boot : "?"), left[128];
	char *now;
	ssize_t n = pread(options->cron_lock, left, sizeof(left) - 1, 0);
	uint64_t begun;

	left[n > 0 ? n : 0] = 0;
	if (str_starts(left, mark) && !num_u64(left + strlen(mark), 1, INT64_MAX, &begun))
		options->cron_unended = (time_t)begun;
	now = mem_printf("%s%lld", mark, (long long)time(NULL));
	if (ftruncate(options->cron_lock, 0) ||
		pwrite(options->cron_lock, now, strlen(now), 0) != (ssize_t)strlen(now))
		cron_end(options);
	free(now);
	free(mark);
	free(boot);
}

void cron_end(const struct options *options)
{
	if (options->cron && options->cron_lock >= 0 && ftruncate(options->cron_lock, 0))
		cron_warn(options, "that this run has ended cannot be noted", -errno);
}

int cron_begin(struct options *options, const char *program)
{
	char *name;
	int fd;

	if (!options->cron)
		return 0;
	if (options->splay_seconds > 0)
		wait_splay(options->splay_seconds);
	name = mem_printf("lock-%s", options->continues);
	fd = statefile_lock(options->state, name, false);
	free(name);
	if (fd == -EBUSY)
		fprintf(stderr, "%s: not run: such a run is under way already\n", program);
	else if (fd < 0)
		cron_warn(options, "cannot lock the state directory", fd);
	options->cron_lock = fd;
	if (fd >= 0)
		cron_mark(options);
	return fd == -EBUSY ? -EBUSY : 0;
}

/* An event that should not happen, or a limit that is reached: once is enough to be said. */
static bool is_at_once(const struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_metrics + result->n_past; i++) {
		const struct metric_result *metric = i < result->n_metrics
			? &result->metrics[i]
			: &result->past[i - result->n_metrics];

		if (metric->verdict == result->verdict &&
			(metric->metric->class == CLASS_ERROR ||
				metric->metric->class == CLASS_LIMIT))
			return verdict_is_worse(result->verdict, VERDICT_UNKNOWN);
	}
	return false;
}

static bool is_muted(const struct report *report, const char *check)
{
	size_t i;

	for (i = 0; i < report->n_muted; i++)
		if (!strcmp(report->muted[i].check, check))
			return true;
	return false;
}

struct telling {
	const struct options *options;
	const struct report *report;
	const struct retention *retention;
	struct run_state *saved;
	struct str *news;
	time_t now;
	bool digest; /* it is due */
	size_t said;
};

static void cron_add_line(struct telling *telling, const struct check_result *result,
	enum verdict announced, const char *prefix)
{
	struct str *news = telling->news;

	str_addf(news, "  %-8s ", verdict_text(announced));
	escape_terminal_cut(news, result->check->name, 40);
	str_addf(news, "  %s", prefix);
	/* What was announced is not what this run says while it flickers. */
	if (announced == result->verdict || result->verdict == VERDICT_SKIP)
		escape_terminal_cut(news, result->summary ? result->summary : "", LINE_COLUMNS);
	else
		str_addf(news, "%s in this run", verdict_text(result->verdict));
	str_addc(news, '\n');
	telling->said++;
}

static void cron_add_change(struct telling *telling, const struct check_result *result,
	const struct run_state_check *light, enum verdict before, time_t since)
{
	struct str prefix = STR_INIT;

	if (light->announced == VERDICT_GOOD && since && telling->now > since) {
		str_add(&prefix, "again, after ");
		value_for_people(&prefix, difftime(telling->now, since), UNIT_SECONDS);
		str_addf(&prefix, " of %s: ", verdict_text(before));
	} else {
		str_addf(&prefix, "(was %s) ", verdict_text(before));
	}
	cron_add_line(telling, result, light->announced, str_text(&prefix));
	str_free(&prefix);
	if (!telling->report->replay)
		journald_tell(telling->report, result, light->announced, before);
}

/* A clock that was set back makes nothing due, and starts the time anew. */
static bool is_due(time_t *last, time_t now, double seconds)
{
	if (*last > now)
		*last = now;
	return difftime(now, *last) >= seconds;
}

static void add_reminder(struct telling *telling, const struct check_result *result,
	struct run_state_check *light, const char *word)
{
	struct str prefix = STR_INIT;

	str_add(&prefix, word);
	if (light->since && light->since <= telling->now) {
		str_add(&prefix, ", for ");
		value_for_people(&prefix, difftime(telling->now, light->since), UNIT_SECONDS);
	}
	str_add(&prefix, ": ");
	cron_add_line(telling, result, light->announced, str_text(&prefix));
	str_free(&prefix);
	light->said = telling->now;
}

static void tell_check(struct telling *telling, const struct check_result *result, bool at_once)
{
	struct run_state_check *light = run_state_check(telling->saved, result->check->name);
	enum verdict before = light->announced;
	time_t since = light->since;

	if (is_muted(telling->report, result->check->name)) {
		hysteresis_note(light, result->verdict);
		return;
	}
	if (hysteresis_step(
		    light, result_counts_as(result), at_once, &telling->retention->damping)) {
		light->since = light->said = telling->now;
		cron_add_change(telling, result, light, before, since);
	} else if (light->announced == VERDICT_BAD &&
		is_due(&light->said, telling->now, telling->retention->remind_seconds)) {
		add_reminder(telling, result, light, "still");
	} else if (telling->digest && light->announced != VERDICT_GOOD) {
		add_reminder(telling, result, light, "digest: still");
	} else if (telling->digest && light->since && light->since > telling->saved->digest) {
		cron_add_line(telling, result, light->announced, "digest: had changed; now ");
	}
}

/* Of what is no check. */
static void cron_tell_other(
	struct telling *telling, char *name, enum verdict verdict, char *summary)
{
	const struct check file = {.name = name};
	const struct check_result result = {.check = &file, .verdict = verdict, .summary = summary};

	tell_check(telling, &result, verdict != VERDICT_GOOD);
}

/* What a refused check file would have looked at, nobody looks at: each is told of as a check is.
 */
static void tell_refused(struct telling *telling)
{
	const struct report *report = telling->report;
	char **names = mem_zalloc((report->n_refused + 1) * sizeof(*names));
	static char over[] = "it is refused no more";
	size_t i, k;

	for (i = 0; i < report->n_refused; i++) {
		names[i] = mem_printf(REFUSED "%s)", report->refused[i].file);
		cron_tell_other(telling, names[i], VERDICT_UNKNOWN, report->refused[i].why);
	}
	for (i = 0; i < telling->saved->n_lights; i++) {
		char *name = telling->saved->lights[i].check;

		for (k = 0; k < report->n_refused && strcmp(names[k], name) != 0; k++)
			;
		if (k == report->n_refused && str_starts(name, REFUSED))
			cron_tell_other(telling, name, VERDICT_GOOD, over);
	}
	for (i = 0; i < report->n_refused; i++)
		free(names[i]);
	free(names);
}

/* That a run was killed is news, as it has told of nothing; so is the end of it. */
static void tell_unended(struct telling *telling)
{
	static char name[] = UNENDED, over[] = "the runs since then have ended";
	time_t begun = telling->options->cron_unended;
	size_t i;

	if (begun) {
		char *when = format_since(begun, telling->now);
		char *summary = mem_printf("the run that began at %s has no end: it was killed or "
					   "crashed; 'journalctl -k' may say why",
			when);

		cron_tell_other(telling, name, VERDICT_UNKNOWN, summary);
		free(summary);
		free(when);
		return;
	}
	for (i = 0; i < telling->saved->n_lights; i++)
		if (!strcmp(telling->saved->lights[i].check, name))
			cron_tell_other(telling, name, VERDICT_GOOD, over);
}

/* Once for each date, from a time of the day on, however the clocks are turned. */
static bool digest_is_due(struct run_state *saved, const struct retention *retention, time_t now)
{
	struct tm today, last;

	if (retention->digest_minute < 0 || !localtime_r(&now, &today) ||
		!localtime_r(&saved->digest, &last))
		return false;
	if (saved->digest > now)
		saved->digest = now; /* the clock was set back */
	if (saved->digest == now ||
		(last.tm_year == today.tm_year && last.tm_yday == today.tm_yday))
		return false;
	return today.tm_hour * 60 + today.tm_min >= retention->digest_minute;
}

static void cron_add_head(struct telling *telling, struct str *head)
{
	const struct continued *continued = &telling->report->continued;
	char *since = continued->time ? format_since(continued->time, telling->now) : NULL;

	str_add(head, "Tuesday on ");
	escape_terminal_cut(
		head, telling->report->host ? telling->report->host : "this machine", 60);
	str_addf(head, ": what is new%s%s", since ? " since " : "", since ? since : "");
	if (continued->context)
		str_addf(head, " (%s)", continued->context);
	if (telling->report->n_announced) {
		struct str announced = STR_INIT;

		report_announced(&announced, telling->report);
		str_add(head, "\nduring what was announced: ");
		escape_terminal_cut(head, str_text(&announced), LINE_COLUMNS);
		str_free(&announced);
	}
	str_add(head, "\n\n");
	free(since);
}

bool cron_news(struct run_state *saved, const struct options *options, const struct report *report,
	struct str *news)
{
	struct retention retention = retention_load();
	struct str lines = STR_INIT;
	struct telling telling = {
		.options = options,
		.report = report,
		.retention = &retention,
		.saved = saved,
		.news = &lines,
		.now = report->time_start,
		.digest = digest_is_due(saved, &retention, report->time_start),
	};
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		tell_check(&telling, &report->checks[i], is_at_once(&report->checks[i]));
	tell_refused(&telling);
	tell_unended(&telling);
	if (telling.digest)
		saved->digest = telling.now;
	if (telling.said) {
		cron_add_head(&telling, news);
		str_addn(news, str_text(&lines), lines.len);
		str_addc(news, '\n');
	}
	str_free(&lines);
	return telling.said > 0;
}
