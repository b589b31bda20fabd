/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a check that can run still lack, and what does it say that cannot be meant? */
#include "base/banned.h"

#include <ctype.h>
#include <string.h>

#include "base/diag.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/suggest.h"
#include "check/applies.h"
#include "check/check.h"
#include "check/compile.h"
#include "check/ends.h"
#include "check/exec.h"
#include "check/experiment.h"
#include "check/lint.h"
#include "check/seen.h"
#include "check/settings.h"
#include "expr/eval.h"
#include "expr/growth_guess.h"
#include "sys/knob_policy.h"
#include "trace/lookup.h"
#include "trace/spec.h"

static void complain_of_expiry(struct complaints *complaints, const struct check *check)
{
	size_t i;

	for (i = 0; i < check->n_settings; i++)
		if (check->settings[i].key && !strcmp(check->settings[i].key, "expires"))
			complain(complaints, check->settings[i].file, check->settings[i].line,
				"the check expired on %s: is the issue still there?",
				check->expires);
}

static bool lint_has_harm(const struct check *check)
{
	size_t i;

	for (i = 0; i < check->n_metrics; i++)
		if (check->metrics[i]->class == CLASS_HARM ||
			check->metrics[i]->class == CLASS_CAUSE)
			return true;
	return false;
}

/* Only what takes the whole of a part away, and sees what that does, can say that it is not it. */
static void lint_clears(struct complaints *complaints, const struct check *check,
	const struct experiment *experiment)
{
	const char *wrong, *why = NULL;

	if (!experiment->clears || experiment->refused)
		return;
	if (!experiment->takes_away)
		why = "no 'takes_away': which part is gone meanwhile, as 'the L2ARC'";
	else if (!experiment->observe)
		why = "no 'observe': by which number is it seen that nothing got better without "
		      "it?";
	else if (!experiment->say)
		why = "no 'say' and 'say.worse': the size of the effect is the evidence";
	else if (experiment->knob && experiment->set &&
		experiment_set_is_relative(experiment->set, &wrong))
		why = "a 'set' in terms of the old value: that is more or less of it, and not "
		      "without it";
	else if (!lint_has_harm(check))
		why = "no metric of class harm or cause beside it: there is nothing that it could "
		      "clear";
	if (why)
		complain(complaints, experiment->file, experiment->line,
			"[experiment %s] has clears = yes and %s", experiment->name, why);
}

/* A name that is no error metric of the check would let none go. */
static void lint_moves(struct complaints *complaints, const struct check *check,
	const struct experiment *experiment)
{
	const char *at = experiment->moves ? experiment->moves : "";
	size_t i, len;

	for (at += strspn(at, " "); *at; at += len, at += strspn(at, " ")) {
		len = strcspn(at, " ");
		for (i = 0; i < check->n_metrics; i++)
			if (check->metrics[i]->class == CLASS_ERROR &&
				strlen(check->metrics[i]->name) == len &&
				!strncmp(check->metrics[i]->name, at, len))
				break;
		if (i == check->n_metrics)
			complain(complaints, experiment->file, experiment->line,
				"[experiment %s] moves '%.*s', which is no metric of class error "
				"of this check",
				experiment->name, (int)len, at);
	}
}

/* A name that is no metric of the check would suspect nobody. */
static void lint_suspect(struct complaints *complaints, const struct check *check,
	const struct experiment *experiment)
{
	size_t i;

	for (i = 0; experiment->suspect && i < check->n_metrics; i++)
		if (!strcmp(check->metrics[i]->name, experiment->suspect))
			return;
	if (experiment->suspect)
		complain(complaints, experiment->file, experiment->line,
			"[experiment %s] suspects by '%s', which is no metric of this check",
			experiment->name, experiment->suspect);
}

static void lint_experiment(struct complaints *complaints, const struct check *check,
	const struct experiment *experiment)
{
	const struct {
		const char *key, *text, *what;
	} wanted[] = {
		{"question", experiment->question, "what the experiment answers"},
		{"warning", experiment->warning, "what whoever says yes should know before"},
		{"proves", experiment->proves, "what a change of the number proves"},
		{"source", experiment->source, "who says so"},
		{"however", experiment->however, "what it does not prove"},
	};
	size_t i;

	/* What is never run needs no more than its reason. */
	for (i = 0; i < (experiment->refused ? 1 : ARRAY_SIZE(wanted)); i++)
		if (!wanted[i].text)
			complain(complaints, experiment->file, experiment->line,
				"[experiment %s] has no '%s': %s", experiment->name, wanted[i].key,
				wanted[i].what);
	if (experiment->risk == EXPERIMENT_RISK_MAX && !experiment->refused)
		complain(complaints, experiment->file, experiment->line,
			"[experiment %s] has risk 5, so it is never run: say why in 'refused'",
			experiment->name);
	lint_clears(complaints, check, experiment);
	lint_moves(complaints, check, experiment);
	lint_suspect(complaints, check, experiment);
}

/* What the keeper would refuse on every machine. */
static void lint_policy(struct complaints *complaints, const struct experiment *experiment)
{
	struct str why = STR_INIT;
	bool may = (!experiment->knob || knob_policy_path(experiment->knob, &why)) &&
		(!experiment->hold || knob_policy_device(experiment->hold, &why));

	if (!may && !experiment->refused)
		complain(complaints, experiment->file, experiment->line, "[experiment %s]: %s",
			experiment->name, str_text(&why));
	str_free(&why);
}

/* A complaint about a key of a metric, at its line, or at that of the section. */
static void lint_metric(struct complaints *complaints, const struct check *check,
	const struct metric *metric, const char *key, const char *what)
{
	char *section = mem_printf("metric %s", metric->name);
	const char *file = metric->file;
	int line = metric->line;
	size_t i;

	for (i = 0; i < check->n_settings; i++) {
		const struct setting *setting = &check->settings[i];

		if (strcmp(setting->section, section) != 0 || strcmp(setting->key, key) != 0)
			continue;
		file = setting->file;
		line = setting->line;
	}
	complain(complaints, file, line, "[%s] %s", section, what);
	free(section);
}

static bool lint_has_limit(const struct limits *limits)
{
	return limits->plain.set || limits->n;
}

static bool lint_is_judged(const struct metric *metric)
{
	return lint_has_limit(&metric->acquit) || lint_has_limit(&metric->maybe) ||
		lint_has_limit(&metric->bad) || lint_has_limit(&metric->look);
}

static void lint_counter(
	struct complaints *complaints, const struct check *check, const struct metric *metric)
{
	struct str name = STR_INIT;
	char *what;

	if (lint_is_judged(metric) && expr_has_raw_counter(metric->value, &name)) {
		what = mem_printf("judges the counter %s raw: delta(), rate() or since_boot() says "
				  "what is meant",
			str_text(&name));
		lint_metric(complaints, check, metric, "value", what);
		free(what);
	}
	str_free(&name);
}

/* A number in each second is called one, and nothing else is. */
static void lint_rate(
	struct complaints *complaints, const struct check *check, const struct metric *metric)
{
	enum rate_guess rate = expr_rate(metric->value);
	bool called = metric->unit == UNIT_PER_SECOND || metric->unit == UNIT_BYTES_PER_SECOND;

	if (rate == RATE_NOT && called)
		lint_metric(complaints, check, metric, "value",
			"is called a rate, and its value is none: rate(), or a count / window");
	if (rate == RATE_IS && (metric->unit == UNIT_COUNT || metric->unit == UNIT_BYTES))
		lint_metric(complaints, check, metric, "value",
			"has a rate for a value: call it _per_second or _bytes_per_second");
}

/* So many words behind a number still belong to it: "{value} huge pages split a second". */
#define RATE_WORDS 3
/* And its noun is one of so many: "{value} corrected errors". */
#define PLURAL_WORDS 3

/* "within a second" is a time and no rate. */
static bool lint_is_time(const char *text, const char *at)
{
	static const char *const words[] = {"within ", "of ", "for ", "than ", "after ", "in "};
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		len = strlen(words[i]);
		if ((size_t)(at - text) >= len && !memcmp(at - len, words[i], len))
			return true;
	}
	return false;
}

static bool lint_is_of_value(const char *text, const char *at)
{
	size_t blanks = 0;

	for (; text < at; text++)
		blanks += *text == ' ';
	return blanks <= RATE_WORDS + 1;
}

/* text begins with its {value}. */
static bool lint_says_per_second(const char *text)
{
	static const char *const words[] = {"a second", "per second", "each second", "/s"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(text, words[i]);

		/* Not "a secondary", nor a path. */
		if (at && !isalnum((unsigned char)at[strlen(words[i])]) &&
			lint_is_of_value(text, at) && !lint_is_time(text, at))
			return true;
	}
	return false;
}

/* Words behind {value} that say it again, or wrongly: a rate is printed with "/s". */
static void lint_per_second(struct complaints *complaints, const struct check *check,
	const struct metric *metric, const char *key, const char *text)
{
	bool is_rate = metric->unit == UNIT_PER_SECOND || metric->unit == UNIT_BYTES_PER_SECOND;
	const char *value = text ? strstr(text, "{value}") : NULL;

	/* "{value} connections/s" is the one way in which a rate may have it. */
	if (metric->unit == UNIT_PER_SECOND && value &&
		plural_noun_is_rate(value + strlen("{value}")))
		return;
	if (value && lint_says_per_second(value))
		lint_metric(complaints, check, metric, key,
			is_rate ? "says 'a second' behind a rate, which is printed with '/s': "
				  "write "
				  "'{value} errors/s'"
				: "says 'a second' behind a number that is no rate");
}

/* Words that no noun comes behind: "{value} of its disks", "{value} in the log". */
static bool lint_is_particle(const char *word, size_t len)
{
	static const char *const words[] = {"a", "after", "at", "by", "for", "from", "in", "of",
		"on", "that", "to", "was", "were", "is", "are", "has", "have", "with", "within"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], word, len))
			return true;
	return false;
}

/* How many bytes of a word there are, and whether it is one that means more than one: "times", but
 * not "less" nor "status". */
static size_t lint_take_word(const char *text, bool *many)
{
	size_t len = 0;

	while (isalpha((unsigned char)text[len]) || text[len] == '-')
		len++;
	*many = len > 3 && text[len - 1] == 's' && text[len] != '(' &&
		!strchr("siu", text[len - 2]);
	return len;
}

/* Behind {value}: "errors", "corrected errors". */
static bool lint_means_many(const char *text)
{
	size_t words, len;
	bool many;

	for (words = 0; words < PLURAL_WORDS && *text == ' '; words++) {
		text++;
		len = lint_take_word(text, &many);
		if (many)
			return true;
		if (!len || lint_is_particle(text, len))
			break;
		text += len;
	}
	return false;
}

/* "1 errors": a count may be one, and its noun has to be too. */
static void lint_plural(struct complaints *complaints, const struct check *check,
	const struct metric *metric, const char *key, const char *text)
{
	static const char value[] = "{value}";

	if (metric->unit != UNIT_COUNT)
		return;
	for (text = text ? strstr(text, value) : NULL; text; text = strstr(text, value)) {
		text += strlen(value);
		if (lint_means_many(text)) {
			lint_metric(complaints, check, metric, key,
				"would be read as '1 errors': write 'error(s)', 'process(es)' or "
				"'entr(y|ies)'");
			return;
		}
	}
}

static void lint_note_leaf(void *arg, struct expr_leaf *leaf)
{
	(void)leaf;
	*(bool *)arg = true;
}

/* Whether a limit comes from the machine. */
static bool limit_is_kernels(const struct limit *limit)
{
	bool is = false;

	if (limit->set)
		expr_each_leaf(limit->expr, lint_note_leaf, &is);
	return is;
}

static void lint_class_limits(struct complaints *complaints, const struct check *check,
	const struct metric *metric, const char *key, const struct limits *limits)
{
	char *what;

	if (!limits->n || !limit_is_kernels(&limits->plain))
		return;
	what = mem_printf("takes '%s.%s' out of force: a plain limit from the kernel comes first, "
			  "wherever the kernel has the number",
		key, limits->by_class[0].class);
	lint_metric(complaints, check, metric, key, what);
	free(what);
}

/* What clears by a fixed number and accuses by one of the kernel may do both at once. */
static void lint_acquit(
	struct complaints *complaints, const struct check *check, const struct metric *metric)
{
	const struct limit *maybe =
		metric->maybe.plain.set ? &metric->maybe.plain : &metric->bad.plain;

	if (metric->acquit.plain.set && !limit_is_kernels(&metric->acquit.plain) &&
		limit_is_kernels(maybe))
		lint_metric(complaints, check, metric, "acquit",
			"clears below a fixed number and accuses above one of the kernel, which "
			"may "
			"be less: make 'acquit' a part of that one");
}

static void lint_limits(
	struct complaints *complaints, const struct check *check, const struct metric *metric)
{
	lint_class_limits(complaints, check, metric, "acquit", &metric->acquit);
	lint_class_limits(complaints, check, metric, "maybe", &metric->maybe);
	lint_class_limits(complaints, check, metric, "bad", &metric->bad);
	lint_class_limits(complaints, check, metric, "look", &metric->look);
	lint_acquit(complaints, check, metric);
}

static const char lint_no_why[] = "has no 'why': what the number says about the machine";
static const char lint_no_however[] = "has no 'however': what the number cannot see";
static const char lint_no_seen[] = "has no 'seen': never, tree (a machine by hand) or live";
static const char lint_no_area[] = "has no 'area': the part of the system that it is about";

/* Whether any section of the kind says it. */
static bool lint_says(const struct settings *settings, const char *kind, const char *key)
{
	size_t at;

	for (at = 0; at < settings->n; at += section_at(settings, at).n) {
		struct section section = section_at(settings, at);

		if (section_is(&section, kind) && section_find(&section, key))
			return true;
	}
	return false;
}

size_t check_lint_settings(const struct settings *settings, struct str *errors)
{
	const struct {
		const char *key, *what;
	} wanted[] = {{"why", lint_no_why}, {"however", lint_no_however}, {"seen", lint_no_seen}};
	struct complaints complaints = {.out = errors};
	bool seen = lint_says(settings, "check", "seen");
	size_t at, i;

	if (settings->n && !lint_says(settings, "check", "area"))
		complain(&complaints, settings->list[0].file, 1, "[check] %s", lint_no_area);
	for (at = 0; at < settings->n; at += section_at(settings, at).n) {
		struct section section = section_at(settings, at);

		for (i = 0; section_is(&section, "metric") && i < ARRAY_SIZE(wanted); i++)
			if (!section_find(&section, wanted[i].key) &&
				!(seen && wanted[i].what == lint_no_seen))
				complain(&complaints, section.list->file, section.list->line,
					"[%s] %s", section.list->section, wanted[i].what);
	}
	return complaints.n;
}

static void lint_reader(
	struct complaints *complaints, const struct check *check, const struct metric *metric)
{
	if (!metric->why)
		lint_metric(complaints, check, metric, "", lint_no_why);
	if (!metric->however)
		lint_metric(complaints, check, metric, "", lint_no_however);
	if (metric_never_ends(metric))
		lint_metric(complaints, check, metric, "",
			"would accuse for ever: judge what it counts by an age or a growth, or say "
			"in 'ends' what ends it");
	if (metric->class == CLASS_CAUSE && (metric->bad.plain.set || metric->bad.n))
		lint_metric(complaints, check, metric, "",
			"has a 'bad' that nothing reaches: a cause is maybe at most");
}

/* What roll-ups graph has to be there in every run. */
static void lint_headline(struct complaints *complaints, const struct check *check)
{
	const char *at = check->headline ? check->headline : "";

	while (*(at += strspn(at, " \t"))) {
		size_t len = strcspn(at, " \t"), i;

		for (i = 0; i < check->n_metrics; i++)
			if (strlen(check->metrics[i]->name) == len &&
				!strncmp(check->metrics[i]->name, at, len))
				break;
		if (i == check->n_metrics && check->n_settings)
			complain(complaints, check->settings[0].file, 0,
				"headline: the check has no metric '%.*s'", (int)len, at);
		at += len;
	}
}

size_t check_lint(const struct check *check, struct str *errors)
{
	struct complaints complaints = {.out = errors};
	struct str why = STR_INIT;
	size_t i;

	/* Line 1, where a reader looks first: what is not there has no line of its own. */
	if (!check->area && check->n_settings)
		complain(&complaints, check->settings[0].file, 1, "[check] %s", lint_no_area);
	lint_headline(&complaints, check);
	if (applies_has_expired(check))
		complain_of_expiry(&complaints, check);
	if (check->foreign && foreign_trusted(check->foreign, &why))
		complain(&complaints, check->settings[0].file, 0, "'exec' would not be run: %s",
			str_text(&why));
	str_free(&why);
	for (i = 0; i < check->n_metrics; i++) {
		const struct metric *metric = check->metrics[i];

		lint_reader(&complaints, check, metric);
	}
	for (i = 0; i < check->n_experiments; i++) {
		lint_experiment(&complaints, check, check->experiments[i]);
		lint_policy(&complaints, check->experiments[i]);
	}
	return complaints.n;
}

/* An area of its own belongs to nothing: it is no part of a report, and of no incident. */
static void lint_area(struct complaints *complaints, const struct check *check,
	const char *const *areas, size_t n)
{
	struct str known = STR_INIT;
	const char *near;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!strcmp(areas[i], check->area))
			goto out;
		str_addf(&known, "%s%s", known.len ? " " : "", areas[i]);
	}
	near = suggest(check->area, areas, n);
	for (i = 0; i < check->n_settings; i++)
		if (!strcmp(check->settings[i].section, "check") &&
			!strcmp(check->settings[i].key, "area"))
			break;
	if (i == check->n_settings)
		goto out;
	if (near)
		complain(complaints, check->settings[i].file, check->settings[i].line,
			"unknown area '%s'; did you mean '%s'?", check->area, near);
	else
		complain(complaints, check->settings[i].file, check->settings[i].line,
			"unknown area '%s': there are %s", check->area, str_text(&known));
out:
	str_free(&known);
}

/* Whether somebody has met it is not for a reader to guess, and has a key of its own. */
static void lint_seen(struct complaints *complaints, const struct check *check)
{
	size_t i;

	if (check->seen == SEEN_LIVE)
		complain(complaints, check->settings[0].file, 1,
			"[check] says 'seen = live' for what is added later too: let each metric "
			"say it");
	for (i = 0; i < check->n_metrics; i++)
		if (!metric_seen(check, check->metrics[i]))
			lint_metric(complaints, check, check->metrics[i], "", lint_no_seen);
	for (i = 0; i < check->n_experiments; i++)
		if (!check->experiments[i]->refused &&
			!experiment_seen(check, check->experiments[i]))
			complain(complaints, check->experiments[i]->file,
				check->experiments[i]->line,
				"[experiment %s] has no 'seen': never, tree (by stand-ins) or live",
				check->experiments[i]->name);
	for (i = 0; i < check->n_settings; i++)
		if (strcasestr(check->settings[i].value, "seen live"))
			complain(complaints, check->settings[i].file, check->settings[i].line,
				"'%s' speaks of what was seen live: the key 'seen' says that",
				check->settings[i].key);
}

static void lint_placeholders(struct complaints *complaints, const struct check *check)
{
	size_t i;

	for (i = 0; i < check->n_settings; i++) {
		const struct setting *setting = &check->settings[i];

		if (strstr(setting->value, LINT_PLACEHOLDER))
			complain(complaints, setting->file, setting->line,
				"'%s' still has the text that was to be replaced: \"%s…\"",
				setting->key, LINT_PLACEHOLDER);
	}
}

size_t check_lint_meaning(
	const struct check *check, const char *const *areas, size_t n_areas, struct str *errors)
{
	struct complaints complaints = {.out = errors};
	size_t i;

	if (check->area)
		lint_area(&complaints, check, areas, n_areas);
	lint_placeholders(&complaints, check);
	lint_seen(&complaints, check);
	for (i = 0; i < check->n_metrics; i++) {
		const struct metric *metric = check->metrics[i];

		lint_counter(&complaints, check, metric);
		lint_rate(&complaints, check, metric);
		lint_per_second(&complaints, check, metric, "say", metric->say);
		lint_per_second(&complaints, check, metric, "clear", metric->clear);
		lint_plural(&complaints, check, metric, "say", metric->say);
		lint_plural(&complaints, check, metric, "clear", metric->clear);
		lint_limits(&complaints, check, metric);
	}
	return complaints.n;
}

/* Where the check files of a trace say what is looked up. */
static const struct setting *lint_trace_place(
	const struct check *check, const struct trace_spec *spec)
{
	char *section = mem_printf("trace %s", spec->name);
	const struct setting *found = NULL;
	size_t i;

	for (i = 0; i < check->n_settings && !found; i++)
		if (!strcmp(check->settings[i].section, section) &&
			(!strcmp(check->settings[i].key, "event") ||
				!strcmp(check->settings[i].key, "begin")))
			found = &check->settings[i];
	free(section);
	return found;
}

static void lint_trace(struct complaints *errors, struct complaints *notes,
	const struct check *check, const struct trace_spec *spec, int tracefs)
{
	const struct setting *place = lint_trace_place(check, spec);
	struct str why = STR_INIT;
	enum trace_lookup found = place ? trace_spec_lookup(tracefs, spec, &why) : LOOKUP_RIGHT;

	if (found == LOOKUP_WRONG)
		complain(errors, place->file, place->line, "%s", str_text(&why));
	else if (found == LOOKUP_UNKNOWN)
		complain(notes, place->file, place->line, "[trace %s] cannot be looked up here: %s",
			spec->name, str_text(&why));
	str_free(&why);
}

size_t check_lint_traces(const struct check *check, struct capture *fs, int tracefs,
	struct str *errors, struct str *notes)
{
	struct complaints wrong = {.out = errors}, unknown = {.out = notes};
	bool maybe_here;
	char *not_here = applies_not(check, fs, &maybe_here);
	size_t i;

	/* What is about another kernel says nothing of this one's tracepoints. */
	for (i = 0; !not_here && i < check->n_traces; i++)
		lint_trace(&wrong, &unknown, check, check->traces[i], tracefs);
	free(not_here);
	return wrong.n;
}
