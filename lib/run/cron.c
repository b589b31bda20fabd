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
#include "output/screen_findings.h"
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
#define STILL_CHECKS 8
#define SUBJECT_CHECKS 3 /* that the first line names, of what is new and of what is old */
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

/* Texts of checks, the worst announced first. */
struct cron_texts {
	struct cron_text {
		char *text;
		enum verdict announced;
	} * list;
	size_t n, room;
};

struct telling {
	const struct options *options;
	const struct report *report;
	const struct retention *retention;
	struct run_state *saved;
	struct cron_texts news;	 /* lines of what has changed */
	struct cron_texts again; /* of what was told before, and is told again */
	struct cron_texts still; /* "cpu maybe since 10:39": of what is so, and is not told again */
	struct cron_texts subject, old_subject;
	time_t now;
	bool digest; /* it is due */
	size_t said;
};

/* Takes the text. Behind all that are as bad. */
static void cron_add_text(struct cron_texts *texts, enum verdict announced, char *text)
{
	size_t i;

	ARRAY_GROW(texts->list, texts->n, texts->room);
	for (i = texts->n++; i && verdict_is_worse(announced, texts->list[i - 1].announced); i--)
		texts->list[i] = texts->list[i - 1];
	texts->list[i] = (struct cron_text){text, announced};
}

static void cron_free_texts(struct cron_texts *texts)
{
	while (texts->n)
		free(texts->list[--texts->n].text);
	free(texts->list);
}

/* The first of them. */
static void cron_join_texts(
	struct str *out, const struct cron_texts *texts, const char *between, size_t most)
{
	size_t i;

	for (i = 0; i < texts->n && i < most; i++)
		str_addf(out, "%s%s", i ? between : "", texts->list[i].text);
}

/* For the line that can be the subject of a mail: "disk bad, cpu good again". */
static void cron_add_subject(struct cron_texts *subject, const struct check_result *result,
	enum verdict announced, const char *what)
{
	struct str text = STR_INIT;

	escape_terminal_cut(&text, result->check->name, 40);
	str_addf(&text, " %s", what);
	cron_add_text(subject, announced, str_take(&text));
}

static void cron_add_line(struct telling *telling, struct cron_texts *news,
	const struct check_result *result, enum verdict announced, const char *prefix)
{
	struct str line = STR_INIT;

	str_addf(&line, "  %-8s ", verdict_text(announced));
	escape_terminal_cut(&line, result->check->name, 40);
	str_addf(&line, "  %s", prefix);
	/* What was announced is not what this run says while it flickers. */
	if (announced == result->verdict || result->verdict == VERDICT_SKIP)
		escape_terminal_cut(&line, result->summary ? result->summary : "", LINE_COLUMNS);
	else
		str_addf(&line, "%s in this run", verdict_text(result->verdict));
	str_addc(&line, '\n');
	cron_add_text(news, announced, str_take(&line));
	telling->said++;
}

/* What the run before has seen, where that was announced to nobody: no run is none. */
static const char *cron_before(const struct run_state_check *light, unsigned int now)
{
	unsigned int seen = hysteresis_before(light);

	if (seen > VERDICT_SKIP)
		return "new";
	/* Once was not enough to be said. */
	if (seen == now)
		return "as in the run before";
	if (light->announced == VERDICT_GOOD && seen == VERDICT_UNKNOWN)
		return "was unknown";
	if (light->announced == VERDICT_GOOD && seen == VERDICT_SKIP)
		return "was not on this machine";
	return NULL;
}

static void cron_add_change(struct telling *telling, const struct check_result *result,
	const struct run_state_check *light, const struct run_state_check *before)
{
	const char *was = cron_before(before, light->announced);
	struct str prefix = STR_INIT;
	time_t since = before->since;

	if (light->announced == VERDICT_GOOD && since && telling->now > since) {
		cron_add_subject(&telling->subject, result, light->announced, "good again");
		str_add(&prefix, "again, after ");
		value_for_people(&prefix, difftime(telling->now, since), UNIT_SECONDS);
		str_addf(&prefix, " of %s: ", verdict_text(before->announced));
	} else {
		cron_add_subject(&telling->subject, result, light->announced,
			verdict_text(light->announced));
		if (was)
			str_addf(&prefix, "(%s) ", was);
		else
			str_addf(&prefix, "(was %s) ", verdict_text(before->announced));
	}
	cron_add_line(telling, &telling->news, result, light->announced, str_text(&prefix));
	str_free(&prefix);
	if (!telling->report->replay)
		journald_tell(telling->report, result, light->announced, before->announced);
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
	cron_add_line(telling, &telling->again, result, light->announced, str_text(&prefix));
	str_free(&prefix);
	cron_add_subject(
		&telling->old_subject, result, light->announced, verdict_text(light->announced));
	light->said = telling->now;
}

/* What is as it was told: one line is enough, and only where there is something else to say. */
static void cron_note_still(struct telling *telling, const struct check_result *result,
	const struct run_state_check *light)
{
	char *since = light->since ? format_since(light->since, telling->now) : NULL;
	struct str text = STR_INIT;

	if (light->announced != VERDICT_UNKNOWN)
		cron_add_subject(&telling->old_subject, result, light->announced,
			verdict_text(light->announced));
	escape_terminal_cut(&text, result->check->name, 40);
	str_addf(&text, " %s%s%s", verdict_text(light->announced), since ? " since " : "",
		since ? since : "");
	cron_add_text(&telling->still, light->announced, str_take(&text));
	free(since);
}

static void tell_check(struct telling *telling, const struct check_result *result, bool at_once)
{
	struct run_state_check *light = run_state_check(telling->saved, result->check->name);
	struct run_state_check before = *light;

	if (is_muted(telling->report, result->check->name)) {
		hysteresis_note(light, result->verdict);
		return;
	}
	if (hysteresis_step(
		    light, result_counts_as(result), at_once, &telling->retention->damping)) {
		light->since = light->said = telling->now;
		cron_add_change(telling, result, light, &before);
	} else if (light->announced == VERDICT_BAD &&
		is_due(&light->said, telling->now, telling->retention->remind_seconds)) {
		add_reminder(telling, result, light, "still");
	} else if (telling->digest && light->announced != VERDICT_GOOD) {
		add_reminder(telling, result, light, "digest: still");
	} else if (telling->digest && light->since && light->since > telling->saved->digest) {
		cron_add_line(telling, &telling->again, result, light->announced,
			"digest: had changed; now ");
	} else if (light->announced != VERDICT_GOOD) {
		cron_note_still(telling, result, light);
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

static void cron_add_subject_part(
	struct str *head, const char *before, const struct cron_texts *names)
{
	if (!names->n)
		return;
	str_add(head, before);
	cron_join_texts(head, names, ", ", SUBJECT_CHECKS);
	if (names->n > SUBJECT_CHECKS)
		str_addf(head, " and %zu more", names->n - SUBJECT_CHECKS);
}

/* "Tuesday on web7: disk bad; still cpu maybe": can be the subject of a mail, so it is one short
 * line that says what the mail is about. */
static void cron_add_first_line(const struct telling *telling, struct str *head)
{
	const char *host = telling->report->host;

	str_add(head, "Tuesday on ");
	escape_terminal_cut(head, host ? host : "this machine", 60);
	cron_add_subject_part(head, ": ", &telling->subject);
	cron_add_subject_part(
		head, telling->subject.n ? "; still " : ": still ", &telling->old_subject);
	if (!telling->subject.n && !telling->old_subject.n)
		str_add(head, ": all is good again");
	str_addc(head, '\n');
}

/* What is new, what is told again, and what else is as it was: apart, in this order. */
static void cron_add_news(const struct telling *telling, struct str *out)
{
	const struct continued *continued = &telling->report->continued;
	char *since = continued->time ? format_since(continued->time, telling->now) : NULL;

	cron_add_first_line(telling, out);
	if (telling->report->n_announced) {
		struct str announced = STR_INIT;

		report_announced(&announced, telling->report);
		str_add(out, "during what was announced: ");
		escape_terminal_cut(out, str_text(&announced), LINE_COLUMNS);
		str_addc(out, '\n');
		str_free(&announced);
	}
	str_addf(out, "%s%s%s", telling->news.n ? "New" : "Nothing is new", since ? " since " : "",
		since ? since : "");
	if (continued->context)
		str_addf(out, " (%s)", continued->context);
	str_add(out, telling->news.n ? ":\n" : ".\n");
	cron_join_texts(out, &telling->news, "", SIZE_MAX);
	str_add(out, telling->again.n ? "Told before:\n" : "");
	cron_join_texts(out, &telling->again, "", SIZE_MAX);
	str_add(out, telling->still.n ? "Still: " : "");
	cron_join_texts(out, &telling->still, "; ", STILL_CHECKS);
	if (telling->still.n > STILL_CHECKS)
		str_addf(out, "; and %zu more", telling->still.n - STILL_CHECKS);
	str_add(out, telling->still.n ? ".\n" : "");
	free(since);
}

/* In the order of the screen: within a verdict it is the order of the news. */
static void cron_tell_checks(struct telling *telling)
{
	const struct report *report = telling->report;
	bool *told = mem_zalloc((report->n_checks + 1) * sizeof(*told));
	struct finding *findings;
	size_t n = screen_findings(report, &findings), i;

	for (i = 0; i < n + report->n_checks; i++) {
		const struct check_result *result =
			i < n ? findings[i].result : &report->checks[i - n];

		if (told[result - report->checks])
			continue;
		told[result - report->checks] = true;
		tell_check(telling, result, is_at_once(result));
	}
	free(findings);
	free(told);
}

bool cron_news(struct run_state *saved, const struct options *options, const struct report *report,
	struct str *news)
{
	struct retention retention = retention_load();
	struct telling telling = {
		.options = options,
		.report = report,
		.retention = &retention,
		.saved = saved,
		.now = report->time_start,
		.digest = digest_is_due(saved, &retention, report->time_start),
	};

	cron_tell_checks(&telling);
	tell_refused(&telling);
	tell_unended(&telling);
	if (telling.digest)
		saved->digest = telling.now;
	if (telling.said)
		cron_add_news(&telling, news);
	cron_free_texts(&telling.news);
	cron_free_texts(&telling.again);
	cron_free_texts(&telling.still);
	cron_free_texts(&telling.subject);
	cron_free_texts(&telling.old_subject);
	return telling.said > 0;
}
