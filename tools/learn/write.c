/* SPDX-License-Identifier: GPL-2.0-only */
/* How does an incident look as a check file? */
#include "base/banned.h"

#include <math.h>
#include <time.h>

#include "check/lint.h"
#include "base/escape.h"
#include "check/scaffold.h"
#include "base/str.h"
#include "output/writer.h"
#include "tools/learn/internal.h"
#include "base/unit.h"
#include "check/settings.h"

#define EXPIRES_DAYS 180

static void add_day(struct str *out, time_t time)
{
	struct tm tm;
	char text[32];

	if (localtime_r(&time, &tm) && strftime(text, sizeof(text), "%Y-%m-%d", &tm))
		str_add(out, text);
}

static void lesson_add_value(struct str *out, const struct lesson *lesson)
{
	const struct metric_result *result = lesson->result;

	value_for_people(out, result->value, lesson->metric->unit);
	if (*result->instance) {
		str_add(out, " on ");
		escape_terminal_cut(
			out, result->label ? result->label : result->instance, WORD_COLUMNS);
	}
}

static void lesson_add_head(const struct lessons *lessons, struct str *out)
{
	const struct report *report = lessons->report;
	struct str line = STR_INIT;

	str_addf(&line, "Learned from run %.8s of ", lessons->uuid);
	escape_terminal_cut(&line, report->host, WORD_COLUMNS);
	str_add(&line, ", ");
	add_day(&line, report->time_start);
	str_add(&line, ", Linux ");
	escape_terminal_cut(&line, report->kernel ? report->kernel : "?", WORD_COLUMNS);
	ini_add_comment(out, str_text(&line));
	ini_add_comment(out,
		"Write into why and however what only you know, and lower the limits if they were "
		"late.");
	str_free(&line);
}

/* Each path once: what one of the checks needs, this one needs. */
static void add_needs(const struct lessons *lessons, struct str *out)
{
	struct str needs = STR_INIT;
	size_t i;

	for (i = 0; i < lessons->n; i++) {
		const char *at = lessons->list[i].check->needs;

		while (at && *(at += strspn(at, " "))) {
			char *path = mem_printf(" %.*s ", (int)strcspn(at, " "), at);

			if (!strstr(str_text(&needs), path))
				str_add(&needs, path);
			at += strcspn(at, " ");
			free(path);
		}
	}
	if (needs.len)
		ini_add_key(out, "needs", needs.text + 1);
	str_free(&needs);
}

static void lesson_add_check(const struct lessons *lessons, struct str *out)
{
	const struct check *first = lessons->list[0].check;
	struct str text = STR_INIT;

	str_add(&text, "Is it again what happened on ");
	add_day(&text, lessons->report->time_start);
	str_addf(&text, " (%s)?", lessons->incident);
	str_add(out, "[check]\n");
	ini_add_key(out, "question", str_text(&text));
	ini_add_key(out, "area", first->area ? first->area : first->name);
	add_needs(lessons, out);
	str_clear(&text);
	add_day(&text, time(NULL) + EXPIRES_DAYS * 86400);
	ini_add_key(out, "expires", str_text(&text));
	if (first->next)
		ini_add_key(out, "next", first->next);
	str_clear(&text);
	str_add(&text, "kernel   = ");
	escape_terminal_cut(
		&text, lessons->report->kernel ? lessons->report->kernel : "", WORD_COLUMNS);
	str_add(&text, ": if it is that kernel's fault and no other's");
	ini_add_comment(out, str_text(&text));
	str_free(&text);
}

static void lesson_add_texts(
	const struct lessons *lessons, const struct lesson *lesson, struct str *out)
{
	const struct metric *metric = lesson->metric;
	struct str text = STR_INIT;

	str_addf(&text, "%s In %s it was ", metric->why ? metric->why : "", lessons->incident);
	lesson_add_value(&text, lesson);
	str_add(&text, ". " LINT_PLACEHOLDER "what was behind it, and what ended it.");
	ini_add_key(out, "why", str_text(&text) + strspn(str_text(&text), " "));
	/* What was judgement stays judgement: seen once is not known. */
	str_clear(&text);
	str_addf(&text, "%s%s; limits of check %s: %s", metric->judgement ? "judgement; " : "",
		lessons->incident, lesson->check->name, metric->source);
	ini_add_key(out, "source", str_text(&text));
	str_clear(&text);
	str_addf(&text, "%s " LINT_PLACEHOLDER "what else looks like this and is not it.",
		metric->however ? metric->however : "");
	ini_add_key(out, "however", str_text(&text) + strspn(str_text(&text), " "));
	ini_add_key(out, "seen", "live");
	str_free(&text);
}

static void add_section(const struct check *check, const char *section, bool whole, struct str *out)
{
	size_t i;

	for (i = 0; i < check->n_settings; i++) {
		const struct setting *setting = &check->settings[i];

		if (strcmp(setting->section, section) != 0)
			continue;
		if (whole ||
			(strcmp(setting->key, "why") != 0 && strcmp(setting->key, "source") != 0 &&
				strcmp(setting->key, "however") != 0 &&
				strcmp(setting->key, "seen") != 0))
			ini_add_key(out, setting->key, setting->value);
	}
}

static void add_limits(const struct lesson *lesson, struct str *out)
{
	const struct metric_result *result = lesson->result;
	struct str line = STR_INIT;
	bool bad = result->verdict == VERDICT_BAD && isfinite(result->bad);
	double limit = bad ? result->bad : result->maybe;

	str_add(&line, "It was ");
	lesson_add_value(&line, lesson);
	if (isfinite(limit)) {
		str_addf(&line, "; the limit of %s was ", bad ? "bad" : "maybe");
		value_for_people(&line, limit, lesson->metric->unit);
	}
	ini_add_comment(out, str_text(&line));
	str_free(&line);
}

static void add_trace(const struct lessons *lessons, size_t n, struct str *out)
{
	const struct lesson *lesson = &lessons->list[n];
	char *section;
	size_t i;

	if (!lesson->metric->trace)
		return;
	for (i = 0; i < n; i++)
		if (lessons->list[i].metric->trace &&
			!strcmp(lessons->list[i].metric->trace, lesson->metric->trace))
			return;
	section = mem_printf(
		"trace %.*s", (int)strcspn(lesson->metric->trace, "."), lesson->metric->trace);
	str_addf(out, "\n[%s]\n", section);
	add_section(lesson->check, section, true, out);
	free(section);
}

void lessons_write(const struct lessons *lessons, struct str *out)
{
	size_t i;

	lesson_add_head(lessons, out);
	lesson_add_check(lessons, out);
	for (i = 0; i < lessons->n; i++) {
		const struct lesson *lesson = &lessons->list[i];
		char *section = mem_printf("metric %s", lesson->metric->name);

		add_trace(lessons, i, out);
		str_addf(out, "\n[metric %s]\n", lesson->name);
		add_limits(lesson, out);
		add_section(lesson->check, section, false, out);
		lesson_add_texts(lessons, lesson, out);
		free(section);
	}
}
