/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get of a fleet? One object of the schema that docs/json.md describes. */
#include "base/json_write.h"
#include "base/escape.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/print.h"

#define SCHEMA "tuesday-merge/1"
#define FLAGS (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9))

static json_t *make_names(const struct fleet *fleet, bool (*holds)(const struct host *host))
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++)
		if (holds(&fleet->hosts[i]))
			json_array_append_new(
				array, json_of_text(fleet_text(fleet, fleet->hosts[i].shown)));
	return array;
}

static bool is_stale(const struct host *host)
{
	return host->stale;
}

static bool is_ahead(const struct host *host)
{
	return host->ahead;
}

static bool is_unexpected(const struct host *host)
{
	return host->unexpected;
}

static json_t *make_counts(const size_t *counts)
{
	json_t *object = json_object();
	int i;

	for (i = 0; i < VERDICTS; i++)
		json_put_count(object, verdict_text((enum verdict)i), counts[i]);
	return object;
}

static json_t *make_summary(const struct fleet *fleet)
{
	json_t *object = make_counts(fleet->hosts_by), *missing = json_array();
	size_t i;

	for (i = 0; i < fleet->n_missing; i++)
		json_array_append_new(missing, json_of_text(fleet_text(fleet, fleet->missing[i])));
	json_put_count(object, "seen", fleet->seen);
	if (fleet->has_expected)
		json_put_count(object, "expected", fleet->n_expected);
	json_object_set_new(object, "missing", missing);
	json_object_set_new(object, "stale", make_names(fleet, is_stale));
	json_object_set_new(object, "clock_ahead", make_names(fleet, is_ahead));
	json_object_set_new(object, "unexpected", make_names(fleet, is_unexpected));
	return object;
}

static json_t *make_reports(const struct fleet *fleet)
{
	json_t *object = json_object(), *refused = json_array();
	size_t i;

	for (i = 0; i < fleet->kept_refused; i++) {
		json_t *one = json_object();

		json_put_text(one, "file", fleet->refused[i].file);
		json_put_text(one, "why", fleet->refused[i].why);
		json_array_append_new(refused, one);
	}
	json_put_count(object, "read", fleet->reports);
	json_put_count(object, "older", fleet->duplicates);
	json_put_count(object, "replayed", fleet->replays);
	json_put_count(object, "refused_count", fleet->n_refused);
	json_object_set_new(object, "refused", refused);
	return object;
}

static json_t *make_shared(const struct fleet *fleet, const struct shared *one)
{
	json_t *object = json_object();

	json_put_text(object, "label", fleet_text(fleet, fleet->labels[one->label].name));
	json_put_text(object, "value", fleet_text(fleet, one->value));
	json_put_count(object, "accused", one->accused);
	json_put_count(object, "accused_of", one->accused_of);
	json_put_count(object, "good", one->good);
	json_put_count(object, "good_of", one->good_of);
	json_object_set_new(object, "p", json_real(one->p));
	json_object_set_new(object, "p_adjusted", json_real(one->adjusted));
	json_object_set_new(object, "significant", json_boolean(one->significant));
	return object;
}

static json_t *make_accused(const struct fleet *fleet, uint32_t check)
{
	size_t n, i, *hosts = accused_hosts(fleet, check, &n);
	json_t *array = json_array();

	for (i = 0; i < n; i++)
		json_array_append_new(
			array, json_of_text(fleet_text(fleet, fleet->hosts[hosts[i]].shown)));
	free(hosts);
	return array;
}

#define SHARED_MAX 20

static json_t *make_check(const struct fleet *fleet, uint32_t check)
{
	const struct fleet_check *counts = &fleet->checks[check];
	json_t *object = json_object(), *shared = json_array(), *blamed;
	const struct shared *list;
	const char *culprit;
	size_t n, i;

	json_put_text(object, "check", check_name(fleet, check));
	json_put_text(object, "area", fleet_text(fleet, counts->area));
	json_object_set_new(object, "hosts", make_counts(counts->counts));
	json_put_count(object, "exonerated", counts->exonerated);
	if (check_worst(counts) == VERDICT_GOOD)
		return json_decref(shared), object;
	json_put_text(object, "accused_by", verdict_text(check_worst(counts)));
	json_object_set_new(object, "accused", make_accused(fleet, check));
	list = fleet_shared(fleet, check, &n);
	for (i = 0; i < n && i < SHARED_MAX; i++)
		json_array_append_new(shared, make_shared(fleet, &list[i]));
	json_object_set_new(object, "shared", shared);
	json_put_text(object, "not_shared", why_not_shared(fleet, check));
	if (common_culprit(fleet, check, &culprit, &n)) {
		blamed = json_object();
		json_put_text(blamed, "name", culprit);
		json_put_count(blamed, "hosts", n);
		json_object_set_new(object, "blamed", blamed);
	}
	return object;
}

static json_t *make_labels(const struct fleet *fleet, const struct host *host)
{
	json_t *object = json_object();
	uint32_t i;

	for (i = 0; i < fleet->n_labels; i++) {
		uint32_t value = host_value(host, i);
		struct str name = STR_INIT;

		escape_utf8(&name, fleet_text(fleet, fleet->labels[i].name));
		if (value)
			json_put_text(object, str_text(&name), fleet_text(fleet, value));
		str_free(&name);
	}
	return object;
}

static json_t *make_host(const struct fleet *fleet, const struct host *host)
{
	json_t *object = json_object(), *accusations = json_array();
	struct str cells = STR_INIT;
	size_t i;

	for (i = 0; i < fleet->n_checks; i++)
		str_addc(&cells, cell_letter(host_cell(host, fleet->order[i])));
	for (i = 0; i < host->n_accusations; i++) {
		const struct accusation *accusation = &host->accusations[i];
		json_t *one = json_object();

		json_put_text(one, "check", check_name(fleet, accusation->check));
		json_put_text(one, "verdict",
			verdict_text(CELL_VERDICT(host_cell(host, accusation->check))));
		json_put_text(one, "summary", fleet_text(fleet, accusation->summary));
		json_put_text(one, "culprit", fleet_text(fleet, accusation->culprit));
		json_array_append_new(accusations, one);
	}
	json_put_text(object, "host", fleet_text(fleet, host->shown));
	json_put_text(object, "verdict", verdict_text(host->verdict));
	json_put_text(object, "type", fleet_text(fleet, host->type));
	json_put_time(object, "time", host->time);
	json_put_if(object, "stale", host->stale);
	json_put_text(object, "cells", str_text(&cells));
	json_object_set_new(object, "accusations", accusations);
	json_object_set_new(object, "labels", make_labels(fleet, host));
	str_free(&cells);
	return object;
}

static json_t *make_fleet(const struct fleet *fleet)
{
	json_t *object = json_object(), *checks = json_array(), *hosts = json_array(), *type;
	size_t i;

	json_object_set_new(object, "schema", json_string(SCHEMA));
	json_put_text(object, "verdict", verdict_text(fleet->verdict));
	if (fleet->type.name) {
		type = json_object();
		json_put_text(type, "name", fleet->type.name);
		json_put_text(type, "why", fleet->type.why);
		json_object_set_new(object, "type", type);
	}
	json_put_time(object, "time", fleet->median);
	json_put_time(object, "first_time", fleet->first);
	json_put_time(object, "last_time", fleet->last);
	json_put_if(object, "interrupted", fleet->interrupted);
	json_object_set_new(object, "hosts", make_summary(fleet));
	json_object_set_new(object, "reports", make_reports(fleet));
	json_put_count(object, "comparisons", fleet->comparisons);
	for (i = 0; i < fleet->n_checks; i++)
		json_array_append_new(checks, make_check(fleet, fleet->order[i]));
	json_object_set_new(object, "checks", checks);
	for (i = 0; i < fleet->n_hosts; i++)
		json_array_append_new(hosts, make_host(fleet, &fleet->hosts[i]));
	json_object_set_new(object, "matrix", hosts);
	return object;
}

static int append(const char *bytes, size_t len, void *out)
{
	str_addn(out, bytes, len);
	return 0;
}

void fleet_as_json(struct str *out, const struct fleet *fleet)
{
	json_t *json;

	json_set_alloc_funcs(mem_alloc, free);
	json = make_fleet(fleet);
	json_dump_callback(json, append, out, FLAGS);
	str_addc(out, '\n');
	json_decref(json);
}
