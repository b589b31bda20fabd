/* SPDX-License-Identifier: GPL-2.0-only */
/* By which rules is the type of an incident told from what the checks found? */
#include "base/banned.h"
#include "report/announced_text.h"
#include "report/report.h"
#include "base/str.h"
#include "report/incident.h"
#include "report/incident_rules.h"
#include "check/check.h"

/* The two numbers that the rules have. They are rules of the type, not limits of a check. */
#define STARTUP_SECONDS 600.0
#define UNKNOWN_SHARE 0.3

static size_t incident_count_checks(const struct report *report, enum verdict verdict)
{
	size_t n = 0, i;

	for (i = 0; i < report->n_checks; i++)
		n += report->checks[i].verdict == verdict;
	return n;
}

static size_t count_examinable(const struct report *report)
{
	return report->n_checks - incident_count_checks(report, VERDICT_SKIP);
}

static bool too_much_unknown(const struct report *report)
{
	return (double)incident_count_checks(report, VERDICT_UNKNOWN) >
		UNKNOWN_SHARE * (double)count_examinable(report);
}

bool incident_accuses(enum verdict verdict)
{
	return verdict == VERDICT_BAD || verdict == VERDICT_MAYBE;
}

double incident_unknown_share(const struct report *report)
{
	size_t examinable = count_examinable(report);

	return examinable
		? (double)incident_count_checks(report, VERDICT_UNKNOWN) / (double)examinable
		: 0;
}

static bool is_troubled(const struct report *report)
{
	return incident_count_checks(report, VERDICT_BAD) ||
		incident_count_checks(report, VERDICT_MAYBE);
}

/* The metrics of this run's windows, and those of the time since the run before. */
static size_t count_metrics(const struct check_result *result)
{
	return result->n_metrics + result->n_past;
}

static const struct metric_result *metric_at(const struct check_result *result, size_t i)
{
	return i < result->n_metrics ? &result->metrics[i] : &result->past[i - result->n_metrics];
}

/* A part of the system: checks of one area have one cause as long as nobody knows better. */
static const char *area_of(const struct check_result *result)
{
	return result->check->area ? result->check->area : result->check->name;
}

/* The verdict of the metrics that a check is bad by: a capped one still says maybe of itself when a
 * trace has confirmed it. */
static enum verdict accusing_verdict(const struct check_result *result)
{
	size_t i;

	for (i = 0; i < count_metrics(result); i++)
		if (metric_at(result, i)->verdict == VERDICT_BAD)
			return VERDICT_BAD;
	return VERDICT_MAYBE;
}

static bool is_bad_by(const struct check_result *result, enum metric_class class)
{
	enum verdict accusing = accusing_verdict(result);
	size_t i;

	if (result->verdict != VERDICT_BAD)
		return false;
	for (i = 0; i < count_metrics(result); i++)
		if (metric_at(result, i)->verdict == accusing &&
			metric_at(result, i)->metric->class == class)
			return true;
	return false;
}

/* What is measured for the machine as a whole and has more than one culprit, or none that was seen,
 * is everybody's, unless all of the check is about one part of it, as of a cache. */
static bool harms_everybody(const struct check_result *result)
{
	enum verdict accusing = accusing_verdict(result);
	size_t i;

	if (!is_bad_by(result, CLASS_HARM) || result->n_culprits == 1 || result->check->place)
		return false;
	for (i = 0; i < count_metrics(result); i++) {
		const struct metric_result *metric = metric_at(result, i);

		if (metric->verdict == accusing && metric->metric->class == CLASS_HARM &&
			!*metric->instance)
			return true;
	}
	return false;
}

/* A name once: the same place accused by two numbers is one place. */
static void incident_add_place(struct str *places, const char *name)
{
	struct str quoted = STR_INIT;

	str_addf(&quoted, "'%s'", name);
	if (!strstr(str_text(places), quoted.text))
		str_addf(places, "%s%s", places->len ? ", " : "", quoted.text);
	str_free(&quoted);
}

/*
 * Whether every number that a check is bad by accuses one disk, listener, CPU … and no more; those
 * without instances are bounded by a culprit that is the only one, or by the place that the check
 * is about. Appends the places.
 */
static bool is_bounded(const struct check_result *result, struct str *places)
{
	enum verdict accusing = accusing_verdict(result);
	const char *culprit =
		result->n_culprits == 1 ? result->culprits[0].name : result->check->place;
	bool any = false;
	size_t i;

	for (i = 0; i < count_metrics(result); i++) {
		const struct metric_result *metric = metric_at(result, i);

		if (metric->verdict != accusing)
			continue;
		any = true;
		if (metric->accused > 1 || (!*metric->instance && !culprit))
			return false;
		incident_add_place(places,
			!*metric->instance	 ? culprit
				: *metric->label ? metric->label
						 : metric->instance);
	}
	return any;
}

/* The names of the checks at a verdict: "a, b and c". */
static void incident_add_names(struct str *out, const struct report *report, enum verdict verdict)
{
	size_t left = incident_count_checks(report, verdict), i;

	for (i = 0; i < report->n_checks; i++) {
		if (report->checks[i].verdict != verdict)
			continue;
		str_add(out, report->checks[i].check->name);
		left--;
		str_add(out, left > 1 ? ", " : left == 1 ? " and " : "");
	}
}

static void add_unknown_share(struct str *out, const struct report *report)
{
	str_addf(out, "%zu of %zu checks could not be examined",
		incident_count_checks(report, VERDICT_UNKNOWN), count_examinable(report));
}

static const struct check_result *first_bad(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == VERDICT_BAD)
			return &report->checks[i];
	return NULL;
}

/* Whether some check at this verdict is of another area than the bad one. */
static bool elsewhere(const struct report *report, enum verdict verdict)
{
	const struct check_result *bad = first_bad(report);
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == verdict &&
			strcmp(area_of(&report->checks[i]), area_of(bad)) != 0)
			return true;
	return false;
}

static bool incident_accuses_by_deed(const struct check_result *result)
{
	size_t i;

	for (i = 0; incident_accuses(result->verdict) && i < count_metrics(result); i++) {
		const struct metric_result *metric = metric_at(result, i);

		if (incident_accuses(metric->verdict) &&
			(metric->metric->class == CLASS_HARM ||
				metric->metric->class == CLASS_ERROR))
			return true;
	}
	return false;
}

/* What has happened, or may have, is no less true on a machine that has just started. */
static bool incident_has_happened(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (incident_accuses_by_deed(&report->checks[i]))
			return true;
	return false;
}

static bool incident_is_internal(const struct report *report, struct str *why)
{
	if (!is_troubled(report))
		return false;
	if (report->under_way) {
		str_addf(why, "an experiment is under way: %s", report->under_way);
		return true;
	}
	if (report->n_announced && report->accused_began == BEGAN_SINCE) {
		str_add(why, "it began after what was announced: ");
		report_announced(why, report);
		return true;
	}
	if (!(report->uptime_seconds < STARTUP_SECONDS) || incident_has_happened(report))
		return false;
	str_addf(why, "booted %.0f s ago; startup load is expected", report->uptime_seconds);
	return true;
}

/* What nobody knows to have been there before may be the doing of what was announced. */
static bool suggests_internal(const struct report *report)
{
	return is_troubled(report) && report->n_announced && report->accused_began == BEGAN_UNKNOWN;
}

static bool incident_is_major(const struct report *report, struct str *why)
{
	const struct check_result *first = NULL;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (harms_everybody(result)) {
			str_addf(why, "%s is bad for the whole machine, not for one part of it",
				result->check->name);
			return true;
		}
		if (!is_bad_by(result, CLASS_HARM))
			continue;
		if (first && strcmp(area_of(first), area_of(result)) != 0) {
			str_addf(why, "%s and %s do harm at once", first->check->name,
				result->check->name);
			return true;
		}
		first = first ? first : result;
	}
	return false;
}

static bool all_are_bounded(const struct report *report, struct str *places)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != VERDICT_BAD)
			continue;
		if (!is_bad_by(result, CLASS_HARM) && !is_bad_by(result, CLASS_ERROR))
			return false;
		if (!is_bounded(result, places))
			return false;
	}
	return true;
}

static bool incident_is_isolated(const struct report *report, struct str *why)
{
	struct str places = STR_INIT;
	bool isolated = first_bad(report) && !elsewhere(report, VERDICT_BAD) &&
		!elsewhere(report, VERDICT_MAYBE) && !too_much_unknown(report) &&
		all_are_bounded(report, &places);

	if (isolated) {
		str_add(why, "only ");
		incident_add_names(why, report, VERDICT_BAD);
		str_addf(why, " in %s; ", places.text);
		if (incident_count_checks(report, VERDICT_UNKNOWN))
			add_unknown_share(why, report);
		else
			str_add(why, "everything else was examined and is good");
	}
	str_free(&places);
	return isolated;
}

/* What has happened already is no time bomb: every number that is bad must be a limit. */
static bool incident_is_time_bomb(const struct report *report, struct str *why)
{
	const struct check_result *bad = first_bad(report);
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (is_bad_by(result, CLASS_HARM) || is_bad_by(result, CLASS_ERROR))
			return false;
		if (result->verdict == VERDICT_BAD && !is_bad_by(result, CLASS_LIMIT))
			return false;
	}
	if (!bad)
		return false;
	str_addf(why, "no impact yet; the check %s is at its limit", bad->check->name);
	return true;
}

static bool incident_is_ambiguous(const struct report *report, struct str *why)
{
	if (!is_troubled(report)) {
		if (!too_much_unknown(report))
			return false;
		add_unknown_share(why, report);
		return true;
	}
	if (!first_bad(report)) {
		str_add(why, "nothing is bad; ");
		incident_add_names(why, report, VERDICT_MAYBE);
		str_add(why, " may be");
		return true;
	}
	incident_add_names(why, report, VERDICT_BAD);
	str_add(why, incident_count_checks(report, VERDICT_BAD) > 1 ? " are bad, " : " is bad, ");
	if (elsewhere(report, VERDICT_MAYBE)) {
		incident_add_names(why, report, VERDICT_MAYBE);
		str_add(why, " may be");
	} else if (too_much_unknown(report)) {
		add_unknown_share(why, report);
	} else {
		str_add(why, "and not in one place only");
	}
	return true;
}

static bool is_of_security(const struct check_result *result)
{
	return !strcmp(area_of(result), INCIDENT_AREA_SECURITY);
}

static bool suggests_security(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (incident_accuses(report->checks[i].verdict) &&
			is_of_security(&report->checks[i]))
			return true;
	return false;
}

static bool is_security(const struct report *report, struct str *why)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == VERDICT_BAD && !is_of_security(&report->checks[i]))
			return false;
	if (!first_bad(report))
		return false;
	str_add(why, "all that is bad is of the area security: ");
	incident_add_names(why, report, VERDICT_BAD);
	return true;
}

/* The first that holds is the type. What is said here is what 'tuesday types --rules' prints. */
const struct incident_rule incident_rules[INCIDENT_RULES] = {
	{"internal", incident_is_internal, suggests_internal, false, 1,
		"something is accused, and an experiment is under way on the machine; or all that "
		"is bad (or maybe, where nothing is bad) began after what is announced ('tuesday "
		"announce') did: an earlier run since then, or the last in the hour before, found "
		"it good; or the machine started less than 10 minutes ago, and nothing is accused "
		"by a harm or an error; a candidate where something is announced and nobody knows "
		"when what is accused began",
		"wait, and ask whoever does it: work on the machine is no incident",
		"wait, and ask whoever works on the machine"},
	{"security", is_security, suggests_security, false, 0.5,
		"all that is bad is of the area 'security'; a candidate where anything that is "
		"accused is of it; never more than medium confidence",
		"call those who may know what an attack looks like, and few others",
		"call those who know what an attack looks like"},
	{"major", incident_is_major, NULL, false, 1,
		"harm is bad in two areas or more; or a harm that is measured for the machine as a "
		"whole is bad, has several culprits or none was seen, and its check is about no "
		"single place (key 'place')",
		"the whole machine is affected: call everyone", "call everyone"},
	{"isolated", incident_is_isolated, NULL, false, 1,
		"all that is bad is of one area, by a harm or an error; each bad number accuses a "
		"single instance or, without instances, has a single culprit, or its check is "
		"about a single place; no other area is bad "
		"or maybe; and less than 30 % of the checks are unknown",
		"call those who own that place", "call the owner"},
	{"time bomb", incident_is_time_bomb, NULL, false, 1,
		"all that is bad is so by a limit and by nothing else",
		"no impact yet: act before there is", "act before it does harm"},
	{"ambiguous", incident_is_ambiguous, NULL, true, 1,
		"anything else is accused; or nothing is, and 30 % of the checks or more are "
		"unknown",
		"look closer", "look closer"},
};
