/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what is wrong now still what was wrong then? */
#include "base/banned.h"

#include <inttypes.h>

#include "base/hash.h"
#include "report/report.h"
#include "base/str.h"
#include "report/incident.h"
#include "check/check.h"
#include "report/incident_key.h"

struct key_names {
	char **list;
	size_t n, room;
};

static void incident_key_add_name(struct key_names *names, char *name)
{
	ARRAY_GROW(names->list, names->n, names->room);
	names->list[names->n++] = name;
}

static void free_names(struct key_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
}

static int incident_key_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whatever else flickers at maybe is another trouble, or none. */
static enum verdict incident_key_worst_of(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == VERDICT_BAD)
			return VERDICT_BAD;
	return VERDICT_MAYBE;
}

static bool any_is(const struct metric_result *metrics, size_t n, enum verdict verdict)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (metrics[i].verdict == verdict)
			return true;
	return false;
}

static void add_instances(struct key_names *names, const struct check_result *result,
	const struct metric_result *metrics, size_t n)
{
	bool bad = any_is(result->metrics, result->n_metrics, VERDICT_BAD) ||
		any_is(result->past, result->n_past, VERDICT_BAD);
	size_t i;

	for (i = 0; i < n; i++)
		if (metrics[i].verdict == (bad ? VERDICT_BAD : VERDICT_MAYBE))
			incident_key_add_name(names,
				mem_printf("%s %s", result->check->name,
					metrics[i].instance && !metrics[i].fleeting
						? metrics[i].instance
						: ""));
}

/* The names of the checks, sorted; with whole their instances too. Each stands once. */
static struct key_names accused(const struct report *report, bool whole)
{
	enum verdict worst = incident_key_worst_of(report);
	struct key_names names = {0};
	size_t i, n = 0;

	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];

		if (result->verdict != worst)
			continue;
		incident_key_add_name(&names, mem_strdup(result->check->name));
		if (!whole)
			continue;
		add_instances(&names, result, result->metrics, result->n_metrics);
		add_instances(&names, result, result->past, result->n_past);
	}
	if (names.n)
		qsort(names.list, names.n, sizeof(*names.list), incident_key_by_name);
	for (i = 0; i < names.n; i++) {
		if (n && !strcmp(names.list[n - 1], names.list[i]))
			free(names.list[i]);
		else
			names.list[n++] = names.list[i];
	}
	names.n = n;
	return names;
}

/* The end of a text counts, so that two are not one. */
static uint64_t incident_key_add_hash(uint64_t hash, const char *text)
{
	return fnv1a_64(hash, text, strlen(text) + 1);
}

bool incident_key(const struct report *report, char key[INCIDENT_KEY_SIZE])
{
	struct key_names names = accused(report, true);
	uint64_t hash = incident_key_add_hash(FNV1A_64, report->boot_id ? report->boot_id : "");
	bool any = names.n > 0;
	size_t i;

	for (i = 0; i < names.n; i++)
		hash = incident_key_add_hash(hash, names.list[i]);
	free_names(&names);
	if (any)
		snprintf(key, INCIDENT_KEY_SIZE, "%016" PRIx64, hash);
	return any;
}

void incident_key_checks(const struct report *report, struct str *out)
{
	struct key_names names = accused(report, false);
	size_t i;

	for (i = 0; i < names.n; i++)
		str_addf(out, "%s%s", i ? " " : "", names.list[i]);
	free_names(&names);
}
