/* SPDX-License-Identifier: GPL-2.0-only */
/* What did a trace find? Durations in seconds, other values in their base unit. */
#include "base/banned.h"

#include <inttypes.h>
#include <math.h>

#include "trace/histogram.h"
#include "sample/source.h"
#include "base/str.h"
#include "trace/result_data.h"
#include "sample/instances.h"
#include "trace/result.h"
#include "trace/spec.h"

struct traces *traces_new(struct capture *fs, const struct trace_spec *const *specs, size_t n)
{
	struct traces *traces = mem_zalloc(sizeof(*traces));
	size_t i;

	traces->fs = fs;
	traces->n = n;
	traces->list = mem_zalloc(n * sizeof(*traces->list));
	for (i = 0; i < n; i++) {
		traces->list[i].check = mem_strdup(specs[i]->check);
		traces->list[i].name = mem_strdup(specs[i]->name);
		traces->list[i].ignore = specs[i]->ignore ? mem_strdup(specs[i]->ignore) : NULL;
		traces->list[i].value_unit = specs[i]->value_unit;
	}
	return traces;
}

struct trace_result *traces_add_field(struct traces *traces, const char *check, const char *name)
{
	size_t len = strcspn(name, "."), fields = 0, i;
	bool asked = false;

	for (i = 0; name[len] && i < traces->n; i++) {
		const struct trace_result *known = &traces->list[i];

		if (strcmp(known->check, check) != 0 || strncmp(known->name, name, len) != 0)
			continue;
		asked |= !known->name[len];
		fields += known->name[len] == '.';
	}
	if (!asked || fields >= TRACE_FIELDS)
		return NULL;
	traces->list = mem_realloc_array(traces->list, traces->n + 1, sizeof(*traces->list));
	traces->list[traces->n] = (struct trace_result){
		.check = mem_strdup(check),
		.name = mem_strdup(name),
		.value_unit = 1,
	};
	return &traces->list[traces->n++];
}

void traces_free(struct traces *traces)
{
	size_t i;

	if (!traces)
		return;
	for (i = 0; i < traces->n; i++) {
		struct trace_result *result = &traces->list[i];

		free(result->check);
		free(result->name);
		free(result->ignore);
		free(result->missing);
		free(result->method);
		free(result->lost_text);
		free(result->left_out_text);
		free(result->away_text);
		if (result->instances)
			instances_free(result->instances);
		free(result->rows);
		free(result->whos);
	}
	free(traces->list);
	free(traces);
}

void traces_join(struct traces *traces, const struct traces *also)
{
	traces->also = also;
}

static bool result_is_of(const struct trace_result *result, const char *check, const char *name)
{
	size_t len = strlen(result->name);

	if (strcmp(result->check, check) != 0 || strncmp(result->name, name, len) != 0)
		return false;
	return !name[len] || (name[len] == '.' && result->missing);
}

const struct trace_result *traces_find(
	const struct traces *traces, const char *check, const char *name)
{
	size_t i;

	for (; traces; traces = traces->also)
		for (i = 0; i < traces->n; i++)
			if (result_is_of(&traces->list[i], check, name))
				return &traces->list[i];
	return NULL;
}

const char *trace_missing(const struct trace_result *result)
{
	return result->missing;
}

const struct instances *trace_instances(const struct trace_result *result)
{
	return result->instances;
}

const char *trace_method(const struct trace_result *result)
{
	return result->method ? result->method : "";
}

bool trace_is_fallback(const struct trace_result *result)
{
	return result->fallback;
}

const char *trace_lost_text(const struct trace_result *result)
{
	return result->lost_text;
}

const char *trace_left_out_text(const struct trace_result *result)
{
	return result->left_out_text;
}

const char *trace_away_text(const struct trace_result *result)
{
	return result->away_text;
}

struct trace_cost trace_cost(const struct trace_result *result)
{
	return result->cost;
}

double trace_seconds(const struct trace_result *result)
{
	return (double)result->ran_ns / 1e9;
}

double trace_asked_seconds(const struct trace_result *result)
{
	return (double)result->asked_ns / 1e9;
}

bool trace_is_cut(const struct trace_result *result)
{
	return result->ran_ns < result->asked_ns / 2;
}

/* What 1 in the histogram is in base units. */
static double trace_unit_size(const struct trace_result *result)
{
	return result->unit == TRACE_VALUE ? result->value_unit : 1e-9;
}

static const struct trace_row *row_at(const struct trace_result *result, size_t instance)
{
	return instance < result->n_rows ? &result->rows[instance] : NULL;
}

double trace_quantile(const struct trace_result *result, size_t instance, double q)
{
	const struct trace_row *row = row_at(result, instance);

	if (!row || row->blurred || result->unit == TRACE_NONE)
		return NAN;
	return hist_quantile(&row->hist, q) * trace_unit_size(result);
}

double trace_max(const struct trace_result *result, size_t instance)
{
	const struct trace_row *row = row_at(result, instance);

	if (!row || row->blurred || !row->hist.count || result->unit == TRACE_NONE)
		return NAN;
	return (double)row->hist.max * trace_unit_size(result);
}

double trace_total(const struct trace_result *result, size_t instance)
{
	const struct trace_row *row = row_at(result, instance);

	if (!row || result->unit == TRACE_NONE)
		return NAN;
	return (double)row->hist.total * trace_unit_size(result);
}

double trace_count(const struct trace_result *result, size_t instance)
{
	const struct trace_row *row = row_at(result, instance);

	return row ? (double)row->hist.count : NAN;
}

static double lost_events(const struct trace_result *result)
{
	return (double)result->lost_starts + (double)result->lost_instances +
		(double)result->misses;
}

bool trace_lost_instances(const struct trace_result *result)
{
	return result->lost_instances > 0;
}

bool trace_is_blurred(const struct trace_result *result)
{
	size_t i;

	for (i = 0; i < result->n_rows; i++)
		if (result->rows[i].blurred)
			return true;
	return false;
}

double trace_lost_share(const struct trace_result *result)
{
	double lost = lost_events(result);

	return lost > 0 ? lost / (result->counted + lost) : 0;
}

/* Adds "N WHAT" to a list in words. */
static void add_lost(struct str *out, uint64_t n, const char *what)
{
	if (n)
		str_addf(out, "%s%" PRIu64 " %s", out->len ? ", " : "", n, what);
}

static char *lost_text(const struct trace_result *result)
{
	struct str out = STR_INIT;

	add_lost(&out, result->lost_starts, "events whose start was not known");
	add_lost(&out, result->lost_instances,
		"events of instances or connections that could not be followed");
	add_lost(&out, result->misses, "events missed");
	add_lost(&out, result->lost_culprits, "events not charged to anybody");
	return out.len ? str_take(&out) : NULL;
}

static char *left_out_text(const struct trace_result *result)
{
	struct str out = STR_INIT;

	add_lost(&out, result->background, "waits of background tasks (nice, batch, idle)");
	add_lost(&out, result->throttled, "waits imposed by a cgroup's CPU quota");
	return out.len ? str_take(&out) : NULL;
}

static char *away_text(const struct trace_result *result)
{
	if (!result->away_ns)
		return NULL;
	return mem_printf("took itself away after %.2g s: more than %" PRIu64 " events a second",
		(double)result->away_ns / 1e9, result->budget);
}

static double count_events(const struct trace_result *result)
{
	double counted = 0;
	size_t i;

	for (i = 0; i < result->n_rows; i++)
		counted +=
			(double)result->rows[i].hist.count + (double)result->rows[i].ignored_count;
	return counted;
}

/* The trace that a field belongs to; NULL for what is none. */
static struct trace_result *whole_of(const struct traces *traces, const struct trace_result *field)
{
	size_t len = strcspn(field->name, "."), i;

	for (i = 0; field->name[len] && i < traces->n; i++) {
		struct trace_result *whole = &traces->list[i];

		if (!strcmp(whole->check, field->check) && strlen(whole->name) == len &&
			!strncmp(whole->name, field->name, len))
			return whole;
	}
	return NULL;
}

/*
 * What a tracer of several things lost is said once, with the whole, and may have been any of them:
 * each field has lost as much. One event may count in many fields, so there were as many as the
 * fullest field has: a field in which nothing was to count has not lost all of it. So too how long
 * it was to run.
 */
static void share_losses(struct traces *traces)
{
	struct trace_result *field, *whole;
	size_t i;

	for (i = 0; i < traces->n; i++)
		traces->list[i].counted = count_events(&traces->list[i]);
	for (i = 0; i < traces->n; i++) {
		field = &traces->list[i];
		whole = whole_of(traces, field);
		if (whole && field->counted > whole->counted)
			whole->counted = field->counted;
	}
	for (i = 0; i < traces->n; i++) {
		field = &traces->list[i];
		whole = whole_of(traces, field);
		if (!whole)
			continue;
		field->counted = whole->counted;
		field->asked_ns = whole->asked_ns;
		field->away_ns = whole->away_ns;
		field->budget = whole->budget;
		field->lost_starts = whole->lost_starts;
		field->lost_instances = whole->lost_instances;
		field->lost_culprits = whole->lost_culprits;
		field->misses = whole->misses;
	}
}

void traces_finish(struct traces *traces, const char *why)
{
	size_t i;

	share_losses(traces);
	for (i = 0; i < traces->n; i++) {
		struct trace_result *result = &traces->list[i];

		if (!result->seen) {
			free(result->missing);
			result->missing = mem_strdup(why);
		}
		result->lost_text = lost_text(result);
		result->left_out_text = left_out_text(result);
		result->away_text = away_text(result);
	}
	traces->fs = NULL;
}
