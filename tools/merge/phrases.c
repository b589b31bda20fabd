/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the accused have in common, in words? */
#include "base/banned.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/phrases.h"
#include "tools/merge/compare.h"

void say_shared(struct str *out, const struct fleet *fleet, const struct shared *one)
{
	str_addf(out, "%s %s: ", fleet_text(fleet, fleet->labels[one->label].name),
		fleet_text(fleet, one->value));
	if (one->accused == one->accused_of)
		str_addf(out, "all %u", one->accused);
	else
		str_addf(out, "%u of %u", one->accused, one->accused_of);
	if (one->good)
		str_addf(out, ", and %u of the %u that are good", one->good, one->good_of);
	else
		str_addf(out, ", and none of the %u that are good", one->good_of);
	if (one->significant)
		str_addf(out, one->adjusted < 0.0001 ? " (p < 0.0001)" : " (p = %.2g)",
			one->adjusted);
	else
		str_add(out, " (it may be chance)");
}

const char *why_not_shared(const struct fleet *fleet, unsigned int check)
{
	const struct fleet_check *counts = &fleet->checks[check];
	const struct shared *shared;
	size_t n;

	if (counts->counts[check_worst(counts)] < 2)
		return "a single host shares nothing with others";
	if (!counts->counts[VERDICT_GOOD])
		return "no good host to compare with";
	shared = fleet_shared(fleet, check, &n);
	if (n && shared->significant)
		return NULL;
	if (!fleet->comparable[check])
		return "not enough hosts to tell what they share";
	return "nothing in the reports distinguishes them from the good ones";
}

/* Whether a host has every value that all the accused share. */
static bool has_all(const struct host *host, const struct shared *shared, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (host_value(host, shared[i].label) != shared[i].value)
			return false;
	return true;
}

/* The comparisons come in the order that has these first. */
static size_t count_telling(const struct shared *shared, size_t n)
{
	size_t i = 0;

	while (i < n && shared[i].significant && shared[i].accused == shared[i].accused_of)
		i++;
	return i;
}

bool say_together(struct str *out, const struct fleet *fleet, unsigned int check)
{
	size_t n, good = 0, accused = 0, i;
	const struct shared *shared = fleet_shared(fleet, check, &n);

	n = count_telling(shared, n);
	if (n < 2)
		return false;
	for (i = 0; i < fleet->n_hosts; i++) {
		const struct host *host = &fleet->hosts[i];
		uint8_t cell = host_cell(host, check);

		if (host->stale || cell == CELL_ABSENT || !has_all(host, shared, n))
			continue;
		accused += host_is_accused(fleet, host, check);
		good += CELL_VERDICT(cell) == VERDICT_GOOD;
	}
	str_addf(out, "together: %zu accused and %zu good hosts have all of that", accused, good);
	return true;
}

void say_conflict(struct str *out, const struct fleet *fleet, const struct conflict *conflict)
{
	const char *host = fleet_text(fleet, conflict->host);
	const char *first = fleet_text(fleet, conflict->files[0]);

	if (conflict->n_files == 1) {
		str_addf(out, "%u reports of different boots claim %s: in %s", conflict->claims,
			host, first);
		return;
	}
	if (conflict->n_files == 2)
		str_addf(out, "two files claim %s: ", host);
	else
		str_addf(out, "%u files claim %s: ", conflict->n_files, host);
	str_addf(out, conflict->n_files > 2 ? "%s, %s" : "%s and %s", first,
		fleet_text(fleet, conflict->files[1]));
	if (conflict->n_files > 2)
		str_addf(out, " and %u more", conflict->n_files - 2);
}
