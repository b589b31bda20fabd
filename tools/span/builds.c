/* SPDX-License-Identifier: GPL-2.0-only */
/* What changed from one build to another? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/str.h"
#include "spans/analysis.h"
#include "stats/quantile.h"
#include "stats/stats.h"
#include "sys/statefile.h"
#include "tools/span/builds.h"
#include "tools/span/text.h"

#define BUILDS_FILE "builds.ndjson"
#define BUILDS_KEPT 200
#define KEPT_BYTES ((size_t)4 << 20) /* of a state file's 8 MiB */
#define CONFIDENCE 0.95
#define CHANGED 0.05 /* of the value before */

static struct build_quantile build_quantile_of(const double *sorted, size_t n, double q)
{
	struct build_quantile quantile = {.low = 1};
	struct stats_interval interval;

	quantile.ns = (uint64_t)stats_quantile(sorted, n, q);
	if (stats_quantile_interval(sorted, n, q, CONFIDENCE, &interval)) {
		quantile.low = (uint64_t)interval.low;
		quantile.high = (uint64_t)interval.high;
	}
	return quantile;
}

static void build_add_name(struct build *build, const struct span_analysis *analysis, uint32_t name)
{
	const struct span_table *table = analysis->table;
	const struct span_sum *sum = &analysis->names[name];
	double *values = mem_realloc_array(NULL, sum->count + 1, sizeof(*values));
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < table->n && n < sum->count; i++)
		if (table->name[i] == name && !analysis->dropped[i])
			values[n++] = (double)table->duration_ns[i];
	stats_sort(values, n);
	build->names[build->n++] = (struct build_name){
		.name = mem_strdup(table->names[name].text),
		.count = sum->count,
		.sum_ns = sum->sum_ns,
		.build_ns = sum->build_ns,
		.p50 = build_quantile_of(values, n, 0.5),
		.p95 = build_quantile_of(values, n, 0.95),
		.p99 = build_quantile_of(values, n, 0.99),
	};
	free(values);
}

void build_make(struct build *build, const char *name, const struct span_analysis *analysis)
{
	uint32_t *ranked = span_ranked(analysis), i;

	*build = (struct build){.name = mem_strdup(name),
		.time = time(NULL),
		.wall_ns = span_analysis_wall(analysis)};
	build->names = mem_zalloc((BUILD_NAMES_MAX + 1) * sizeof(*build->names));
	for (i = 0; i < analysis->table->n_names && build->n < BUILD_NAMES_MAX; i++)
		if (analysis->names[ranked[i]].count)
			build_add_name(build, analysis, ranked[i]);
	free(ranked);
}

void build_free(struct build *build)
{
	size_t i;

	for (i = 0; i < build->n; i++)
		free(build->names[i].name);
	free(build->names);
	free(build->name);
	*build = (struct build){0};
}

static void build_write_quantile(
	struct json_writer *json, const char *key, const struct build_quantile *quantile)
{
	json_open(json, key, '[');
	json_write_count(json, NULL, quantile->ns);
	json_write_count(json, NULL, quantile->low);
	json_write_count(json, NULL, quantile->high);
	json_close(json);
}

static void build_write(struct str *out, const struct build *build)
{
	struct json_writer json;
	size_t i;

	json_start(&json, out);
	json_write_string(&json, "build", build->name);
	json_write_count(&json, "time", (uint64_t)build->time);
	json_write_count(&json, "wall_ns", build->wall_ns);
	json_open(&json, "names", '[');
	for (i = 0; i < build->n; i++) {
		json_open(&json, NULL, '{');
		json_write_string(&json, "name", build->names[i].name);
		json_write_count(&json, "count", build->names[i].count);
		json_write_count(&json, "sum_ns", build->names[i].sum_ns);
		json_write_count(&json, "build_ns", build->names[i].build_ns);
		build_write_quantile(&json, "p50", &build->names[i].p50);
		build_write_quantile(&json, "p95", &build->names[i].p95);
		build_write_quantile(&json, "p99", &build->names[i].p99);
		json_close(&json);
	}
	json_close(&json);
	json_finish(&json);
}

static void build_read_text(struct json_scan *scan, char **text)
{
	struct json_text value;
	struct str plain = STR_INIT;

	if (*text || !json_text(scan, &value))
		return;
	json_add_text(&plain, &value, SPAN_NAME_MAX);
	*text = str_take(&plain);
}

/* Nanoseconds of years are whole numbers in a double. */
static void build_read_count(struct json_scan *scan, uint64_t *count)
{
	double number;

	if (json_number(scan, &number) && number >= 0 && number < 9e18)
		*count = (uint64_t)number;
}

static void build_read_quantile(struct json_scan *scan, struct build_quantile *quantile)
{
	uint64_t *parts[] = {&quantile->ns, &quantile->low, &quantile->high};
	size_t n = 0;

	json_enter(scan, '[');
	while (json_element(scan))
		if (n < ARRAY_SIZE(parts))
			build_read_count(scan, parts[n++]);
		else
			json_skip(scan);
}

static void build_read_name(struct json_scan *scan, struct build_name *name)
{
	struct json_text key;

	json_enter(scan, '{');
	while (json_member(scan, &key))
		if (json_is(&key, "name"))
			build_read_text(scan, &name->name);
		else if (json_is(&key, "count"))
			build_read_count(scan, &name->count);
		else if (json_is(&key, "sum_ns"))
			build_read_count(scan, &name->sum_ns);
		else if (json_is(&key, "build_ns"))
			build_read_count(scan, &name->build_ns);
		else if (json_is(&key, "p50"))
			build_read_quantile(scan, &name->p50);
		else if (json_is(&key, "p95"))
			build_read_quantile(scan, &name->p95);
		else if (json_is(&key, "p99"))
			build_read_quantile(scan, &name->p99);
		else
			json_skip(scan);
	if (!name->name)
		name->name = mem_strdup("?");
}

static bool build_read(struct build *build, const char *line, size_t len)
{
	struct json_scan scan;
	struct json_text key;
	uint64_t when = 0;

	*build = (struct build){0};
	build->names = mem_zalloc((BUILD_NAMES_MAX + 1) * sizeof(*build->names));
	json_begin(&scan, line, len);
	json_enter(&scan, '{');
	while (json_member(&scan, &key)) {
		if (json_is(&key, "build")) {
			build_read_text(&scan, &build->name);
		} else if (json_is(&key, "time")) {
			build_read_count(&scan, &when);
		} else if (json_is(&key, "wall_ns")) {
			build_read_count(&scan, &build->wall_ns);
		} else if (json_is(&key, "names") && !build->n) {
			json_enter(&scan, '[');
			while (json_element(&scan))
				if (build->n < BUILD_NAMES_MAX)
					build_read_name(&scan, &build->names[build->n++]);
				else
					json_skip(&scan);
		} else {
			json_skip(&scan);
		}
	}
	build->time = (time_t)when;
	return !scan.err && build->name;
}

/* Where the line before at begins. */
static size_t build_line_before(const char *text, size_t at)
{
	const char *newline = at > 1 ? memrchr(text, '\n', at - 1) : NULL;

	return newline ? (size_t)(newline - text) + 1 : 0;
}

int build_keep(const char *state, const struct build *build)
{
	struct str text = STR_INIT, line = STR_INIT, all = STR_INIT;
	const int lock = statefile_lock(state, BUILDS_FILE ".lock", true);
	size_t from, n;
	int err = statefile_read(state, BUILDS_FILE, &text);

	if (err == -ENOENT)
		err = 0;
	build_write(&line, build);
	from = text.len;
	for (n = 1; n < BUILDS_KEPT && from; n++) {
		const size_t before = build_line_before(str_text(&text), from);

		if (text.len - before + line.len > KEPT_BYTES)
			break;
		from = before;
	}
	str_addn(&all, str_text(&text) + from, text.len - from);
	str_addn(&all, line.text, line.len);
	if (!err)
		err = statefile_write(state, BUILDS_FILE, &all);
	if (lock >= 0)
		close(lock);
	str_free(&text);
	str_free(&line);
	str_free(&all);
	return err;
}

int build_find(const char *state, const char *name, struct build *build)
{
	struct str text = STR_INIT;
	int err = statefile_read(state, BUILDS_FILE, &text);
	size_t end;

	*build = (struct build){0};
	if (err) {
		str_free(&text);
		return err;
	}
	err = -ENOENT;
	for (end = text.len; end && err;) {
		const size_t from = build_line_before(str_text(&text), end);

		if (build_read(build, text.text + from, end - from) &&
			(!strcmp(name, "last") || !strcmp(name, build->name)))
			err = 0;
		else
			build_free(build);
		end = from;
	}
	str_free(&text);
	return err;
}

static const struct build_name *build_name_of(const struct build *build, const char *name)
{
	size_t i;

	for (i = 0; i < build->n; i++)
		if (!strcmp(build->names[i].name, name))
			return &build->names[i];
	return NULL;
}

static bool build_is_changed(const struct build_quantile *a, const struct build_quantile *b)
{
	if (a->low > a->high || b->low > b->high || !a->ns)
		return false;
	return (a->high < b->low || b->high < a->low) &&
		fabs((double)b->ns - (double)a->ns) >= CHANGED * (double)a->ns;
}

static void build_write_interval(struct str *out, const struct build_quantile *quantile)
{
	span_write_time(out, (double)quantile->ns);
	if (quantile->low > quantile->high) {
		str_add(out, " (no bound)");
		return;
	}
	str_add(out, " (");
	span_write_time(out, (double)quantile->low);
	str_add(out, " to ");
	span_write_time(out, (double)quantile->high);
	str_addc(out, ')');
}

static bool build_compare_quantile(struct str *out, const char *what, const char *name,
	const struct build_quantile *before, const struct build_quantile *after)
{
	if (!build_is_changed(before, after))
		return false;
	str_add(out, "  ");
	escape_terminal_cut(out, name, 40);
	str_addf(out, " %s: ", what);
	build_write_interval(out, before);
	str_add(out, " -> ");
	build_write_interval(out, after);
	str_addf(out, ", %+.0f %%\n", 100 * ((double)after->ns / (double)before->ns - 1));
	return true;
}

static double build_share(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void build_compare_path(
	struct str *out, const struct build *before, const struct build *after)
{
	size_t i, shown = 0;

	str_add(out, "\nOn the critical path, before and after:\n");
	for (i = 0; i < after->n && shown < 10; i++) {
		const struct build_name *now = &after->names[i],
					*then = build_name_of(before, now->name);

		if (!now->build_ns && !(then && then->build_ns))
			continue;
		str_add(out, "  ");
		escape_terminal_cut(out, now->name, 40);
		str_addc(out, ' ');
		span_write_time(out, then ? (double)then->build_ns : 0);
		str_addf(out, " (%.1f %%) -> ",
			build_share(then ? then->build_ns : 0, before->wall_ns));
		span_write_time(out, (double)now->build_ns);
		str_addf(out, " (%.1f %%)\n", build_share(now->build_ns, after->wall_ns));
		shown++;
	}
}

void build_compare(struct str *out, const struct build *before, const struct build *after)
{
	size_t i, changed = 0, tested = 0;

	str_add(out, "Build ");
	escape_terminal_cut(out, before->name, 60);
	str_add(out, " took ");
	span_write_time(out, (double)before->wall_ns);
	str_add(out, ", ");
	escape_terminal_cut(out, after->name, 60);
	str_addc(out, ' ');
	span_write_time(out, (double)after->wall_ns);
	str_add(out,
		".\nChanged within these two builds (intervals of 95 % that do not overlap, "
		"and at least 5 %):\n");
	for (i = 0; i < after->n; i++) {
		const struct build_name *now = &after->names[i],
					*then = build_name_of(before, now->name);

		if (!then)
			continue;
		tested++;
		changed += build_compare_quantile(out, "p50", now->name, &then->p50, &now->p50);
		changed += build_compare_quantile(out, "p95", now->name, &then->p95, &now->p95);
		changed += build_compare_quantile(out, "p99", now->name, &then->p99, &now->p99);
	}
	if (!changed)
		str_add(out, "  nothing\n");
	str_addf(out, "%zu names are in both.\n", tested);
	build_compare_path(out, before, after);
	str_add(out,
		"However: spans of one build share its machines and its network, so these "
		"intervals are\nabout these two builds and no others. That a change of yours "
		"is the reason takes at least\nfour builds on each side.\n");
}
