/* SPDX-License-Identifier: GPL-2.0-only */
/* Who has to be called, in one sentence? */
#include "base/banned.h"

#include <ctype.h>
#include <string.h>

#include "base/datetime.h"
#include "base/escape.h"
#include "output/screen.h"
#include "output/screen_type.h"
#include "report/incident.h"

/* The unit of whoever is accused, where all that is bad is one's. */
static const char *type_unit(const struct report *report)
{
	const char *unit = NULL;
	size_t i;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != VERDICT_BAD)
			continue;
		if (!result->n_culprits || !*result->culprits[0].unit)
			return NULL;
		if (unit && strcmp(unit, result->culprits[0].unit) != 0)
			return NULL;
		unit = result->culprits[0].unit;
	}
	return unit;
}

static void type_add_action(struct str *line, const struct report *report)
{
	const char *unit = type_unit(report);
	const char *action = incident_type_action(report->type.name);

	if (strcmp(report->type.name, "isolated") != 0 || !unit) {
		str_add(line, action);
		return;
	}
	str_add(line, "call the owner of ");
	escape_terminal_cut(line, unit, SCREEN_NAME_COLUMNS);
}

/* The fact that decided. What could not be examined lowers the confidence, which is said too. */
static void type_add_why(struct str *line, const struct incident_type *type)
{
	size_t len = type->why ? strlen(type->why) : 0;
	char *fact;

	if (type->why && !strcmp(type->derived, "isolated"))
		len = strcspn(type->why, ";");
	fact = mem_strndup(type->why ? type->why : "", len);
	escape_terminal_cut(line, fact, SCREEN_LINE_COLUMNS);
	free(fact);
}

static void type_add_change(
	struct str *line, const char *name, const struct type_change *change, time_t now)
{
	char *when = format_since(change->time, now);

	str_addf(line, "%s, says ", name);
	escape_terminal_cut(line, change->by, SCREEN_NAME_COLUMNS);
	str_addf(line, " (%s", when);
	if (change->ref) {
		str_add(line, ", ");
		escape_terminal_cut(line, change->ref, SCREEN_NAME_COLUMNS);
	}
	str_add(line, "): ");
	escape_terminal_cut(line, change->reason, SCREEN_LINE_COLUMNS);
	free(when);
}

/* What a person says goes first, and what the rules say is said all the same. */
static void type_add_sentence(struct str *line, const struct report *report)
{
	const struct incident_type *type = &report->type;

	if (type->n_changes) {
		type_add_change(
			line, type->name, &type->changes[type->n_changes - 1], report->time_start);
		str_addf(
			line, "; the rules say %s, since ", type->derived ? type->derived : "none");
	} else {
		type_add_action(line, report);
		str_add(line, ": ");
	}
	type_add_why(line, type);
	str_add(line, " (");
	if (!type->n_changes)
		str_addf(line, "%s, ", type->name);
	str_addf(line, "%s confidence", confidence_text(type->confidence));
	if (type->due) {
		char *due = format_since(type->due, report->time_start);

		str_addf(line, ", due %s", due);
		free(due);
	}
	str_add(line, ").");
}

static void type_add_hint(const struct screen *screen, const char *label, const char *text)
{
	struct str line = STR_INIT;

	if (!text)
		return;
	str_add(&line, label);
	escape_terminal(&line, text);
	screen_flow(screen, 0, 6, str_text(&line));
	str_free(&line);
}

void screen_add_type(const struct screen *screen)
{
	const struct incident_type *type = &screen->report->type;
	struct str line = STR_INIT;

	/* "It may be this or that" tells nobody whom to call. */
	if (type->name && (strcmp(type->name, "ambiguous") != 0 || type->n_changes)) {
		type_add_sentence(&line, screen->report);
		line.text[0] = (char)toupper((unsigned char)line.text[0]);
		screen_flow(screen, 0, 2, str_text(&line));
	}
	type_add_hint(screen, "Invite: ", type->invite);
	type_add_hint(screen, "Notes: ", type->notes);
	str_free(&line);
}
