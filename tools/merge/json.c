/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program get of a fleet? One object of the schema that docs/json.md describes. */
#include "base/banned.h"
#include "base/json_write.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/json.h"
#include "tools/merge/phrases.h"
#include "tools/merge/clusters.h"
#include "tools/merge/compare.h"

#define SCHEMA "tuesday-merge/1"
#define DIGITS 9
#define LETTERS_MAX ((size_t)32 << 20)

static void write_hosts(struct json_writer *json, const char *key, const struct fleet *fleet,
	bool (*holds)(const struct host *host))
{
	size_t i;

	json_open(json, key, '[');
	for (i = 0; i < fleet->n_hosts; i++)
		if (holds(&fleet->hosts[i]))
			json_write_string(json, NULL, fleet_text(fleet, fleet->hosts[i].shown));
	json_close(json);
}

static void write_counts(struct json_writer *json, const size_t *counts)
{
	int i;

	for (i = 0; i < VERDICTS; i++)
		json_write_count(json, verdict_text((enum verdict)i), counts[i]);
}

static void write_summary(struct json_writer *json, const struct fleet *fleet)
{
	size_t i;

	json_open(json, "hosts", '{');
	write_counts(json, fleet->hosts_by);
	json_write_count(json, "seen", fleet->seen);
	if (fleet->has_expected)
		json_write_count(json, "expected", fleet->n_expected);
	json_open(json, "missing", '[');
	for (i = 0; i < fleet->n_missing; i++)
		json_write_string(json, NULL, fleet_text(fleet, fleet->missing[i]));
	json_close(json);
	write_hosts(json, "stale", fleet, host_is_stale);
	write_hosts(json, "clock_ahead", fleet, host_is_ahead);
	write_hosts(json, "unexpected", fleet, host_is_unexpected);
	json_close(json);
}

static void write_conflicts(struct json_writer *json, const struct fleet *fleet)
{
	size_t i, k;

	json_write_count(json, "conflicts_count", fleet->n_conflicts);
	json_open(json, "conflicts", '[');
	for (i = 0; i < fleet->kept_conflicts; i++) {
		const struct conflict *conflict = &fleet->conflicts[i];

		json_open(json, NULL, '{');
		json_write_text(json, "host", fleet_text(fleet, conflict->host));
		json_write_count(json, "claims", conflict->claims);
		json_write_count(json, "files_count", conflict->n_files);
		json_open(json, "files", '[');
		for (k = 0; k < conflict->n_files && k < ARRAY_SIZE(conflict->files); k++)
			json_write_string(json, NULL, fleet_text(fleet, conflict->files[k]));
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

static void write_reports(struct json_writer *json, const struct fleet *fleet)
{
	size_t i;

	json_open(json, "reports", '{');
	json_write_count(json, "read", fleet->reports);
	json_write_count(json, "older", fleet->duplicates);
	json_write_count(json, "replayed", fleet->replays);
	json_write_count(json, "refused_count", fleet->n_refused);
	json_open(json, "refused", '[');
	for (i = 0; i < fleet->kept_refused; i++) {
		json_open(json, NULL, '{');
		json_write_text(json, "file", fleet->refused[i].file);
		json_write_text(json, "why", fleet->refused[i].why);
		json_close(json);
	}
	json_close(json);
	write_conflicts(json, fleet);
	if (fleet->left_out)
		json_write_count(json, "left_out", fleet->left_out);
	json_close(json);
}

static void write_trait(
	struct json_writer *json, const struct fleet *fleet, const struct shared *one)
{
	json_open(json, NULL, '{');
	json_write_text(json, "label", fleet_text(fleet, fleet->labels[one->label].name));
	json_write_text(json, "value", fleet_text(fleet, one->value));
	json_write_count(json, "accused", one->accused);
	json_write_count(json, "accused_of", one->accused_of);
	json_write_count(json, "good", one->good);
	json_write_count(json, "good_of", one->good_of);
	json_write_number(json, "p", one->p);
	json_write_number(json, "p_adjusted", one->adjusted);
	json_write_bool(json, "significant", one->significant);
	json_close(json);
}

static void write_accused(struct json_writer *json, const struct fleet *fleet, uint32_t check)
{
	size_t n, i, *hosts = accused_hosts(fleet, check, &n);

	json_open(json, "accused", '[');
	for (i = 0; i < n; i++)
		json_write_string(json, NULL, fleet_text(fleet, fleet->hosts[hosts[i]].shown));
	json_close(json);
	free(hosts);
}

#define SHARED_MAX 20

/* What is said only of a check that accuses. */
static void write_accusation(struct json_writer *json, const struct fleet *fleet, uint32_t check)
{
	const struct shared *list;
	const char *culprit;
	size_t n, i;

	json_write_text(json, "accused_by", verdict_text(check_worst(&fleet->checks[check])));
	write_accused(json, fleet, check);
	list = fleet_shared(fleet, check, &n);
	json_open(json, "shared", '[');
	for (i = 0; i < n && i < SHARED_MAX; i++)
		write_trait(json, fleet, &list[i]);
	json_close(json);
	json_write_text(json, "not_shared", why_not_shared(fleet, check));
	if (common_culprit(fleet, check, &culprit, &n)) {
		json_open(json, "blamed", '{');
		json_write_text(json, "name", culprit);
		json_write_count(json, "hosts", n);
		json_close(json);
	}
}

static void fleet_json_write_check(
	struct json_writer *json, const struct fleet *fleet, uint32_t check)
{
	const struct fleet_check *counts = &fleet->checks[check];

	json_open(json, NULL, '{');
	json_write_text(json, "check", check_name(fleet, check));
	json_write_text(json, "area", fleet_text(fleet, counts->area));
	json_open(json, "hosts", '{');
	write_counts(json, counts->counts);
	json_close(json);
	json_write_count(json, "exonerated", counts->exonerated);
	if (check_worst(counts) != VERDICT_GOOD)
		write_accusation(json, fleet, check);
	json_close(json);
}

static void write_labels(
	struct json_writer *json, const struct fleet *fleet, const struct host *host)
{
	uint32_t i;

	json_open(json, "labels", '{');
	for (i = 0; i < fleet->n_labels; i++) {
		uint32_t value = host_value(host, i);

		if (value)
			json_write_text(json, fleet_text(fleet, fleet->labels[i].name),
				fleet_text(fleet, value));
	}
	json_close(json);
}

static void write_accusations(
	struct json_writer *json, const struct fleet *fleet, const struct host *host)
{
	size_t i;

	json_open(json, "accusations", '[');
	for (i = 0; i < host->n_accusations; i++) {
		const struct accusation *accusation = &host->accusations[i];

		json_open(json, NULL, '{');
		json_write_text(json, "check", check_name(fleet, accusation->check));
		json_write_text(json, "verdict",
			verdict_text(CELL_VERDICT(host_cell(host, accusation->check))));
		json_write_text(json, "summary", fleet_text(fleet, accusation->summary));
		json_write_text(json, "culprit", fleet_text(fleet, accusation->culprit));
		json_close(json);
	}
	json_close(json);
}

/* A few bytes of a hostile report would else be a check, and a letter for each host. */
static bool fleet_json_has_cells(const struct fleet *fleet)
{
	return fleet->n_hosts * fleet->n_checks <= LETTERS_MAX;
}

static void write_host(struct json_writer *json, const struct fleet *fleet, const struct host *host)
{
	struct str cells = STR_INIT;
	size_t i;

	for (i = 0; fleet_json_has_cells(fleet) && i < fleet->n_checks; i++)
		str_addc(&cells, cell_letter(host_cell(host, fleet->order[i])));
	json_open(json, NULL, '{');
	json_write_text(json, "host", fleet_text(fleet, host->shown));
	json_write_text(json, "verdict", verdict_text(host->verdict));
	json_write_text(json, "type", fleet_text(fleet, host->type));
	json_write_time(json, "time", host->time);
	json_write_if(json, "stale", host->stale);
	json_write_text(json, "cells", str_text(&cells));
	write_accusations(json, fleet, host);
	write_labels(json, fleet, host);
	json_close(json);
	str_free(&cells);
}

static void fleet_json_write_head(struct json_writer *json, const struct fleet *fleet)
{
	json_write_string(json, "schema", SCHEMA);
	json_write_text(json, "verdict", verdict_text(fleet->verdict));
	if (fleet->type.name) {
		json_open(json, "type", '{');
		json_write_text(json, "name", fleet->type.name);
		json_write_text(json, "why", fleet->type.why);
		json_close(json);
	}
	json_write_time(json, "time", fleet->median);
	json_write_time(json, "first_time", fleet->first);
	json_write_time(json, "last_time", fleet->last);
	json_write_if(json, "interrupted", fleet->interrupted);
	write_summary(json, fleet);
	write_reports(json, fleet);
	json_write_count(json, "comparisons", fleet->comparisons);
}

void fleet_as_json(struct str *out, const struct fleet *fleet)
{
	struct json_writer json;
	size_t i;

	json_start(&json, out);
	json.digits = DIGITS;
	fleet_json_write_head(&json, fleet);
	json_open(&json, "checks", '[');
	for (i = 0; i < fleet->n_checks; i++)
		fleet_json_write_check(&json, fleet, fleet->order[i]);
	json_close(&json);
	json_open(&json, "matrix", '[');
	for (i = 0; i < fleet->n_hosts; i++)
		write_host(&json, fleet, &fleet->hosts[i]);
	json_close(&json);
	json_finish(&json);
}
