/* SPDX-License-Identifier: GPL-2.0-only */
/* Who has to be called for what a fleet's reports say: docs/fleet.md has the rules in words. */
#include "base/banned.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/fleettype.h"

/* The numbers that the rules have. */
#define MAJOR_HOSTS 2
#define MAJOR_SHARE 0.1
#define COMPONENT_HOSTS 3
#define UNSEEN_SHARE 0.3

static bool fleet_is_accused(const struct host *host)
{
	return !host->stale && verdict_is_worse(host->verdict, VERDICT_UNKNOWN);
}

/* How many accused hosts there are, and how many of them say this type of themselves. */
static size_t count_of_type(const struct fleet *fleet, const char *type, bool bad_only, size_t *of)
{
	size_t n = 0, i;

	*of = 0;
	for (i = 0; i < fleet->n_hosts; i++) {
		const struct host *host = &fleet->hosts[i];

		if (!fleet_is_accused(host) || (bad_only && host->verdict != VERDICT_BAD))
			continue;
		(*of)++;
		n += !strcmp(fleet_text(fleet, host->type), type);
	}
	return n;
}

static bool fleet_is_internal(const struct fleet *fleet, struct str *why)
{
	size_t of, n = count_of_type(fleet, "internal", false, &of);

	if (!of || n < of)
		return false;
	str_addf(why, "each of %zu accused hosts has just started or has an experiment under way",
		of);
	return true;
}

static bool is_widespread(const struct fleet *fleet, struct str *why)
{
	uint32_t i;

	for (i = 0; i < fleet->n_checks; i++) {
		const struct fleet_check *check = &fleet->checks[fleet->order[i]];
		size_t of = check_examined(check);

		if (check->hit < MAJOR_HOSTS || (double)check->hit < MAJOR_SHARE * (double)of)
			continue;
		str_addf(why, "%s is bad on %zu of %zu hosts", fleet_text(fleet, check->name),
			check->hit, of);
		return true;
	}
	return false;
}

/* Bad on all hosts of one kind, and too seldom on others for chance. */
static bool is_of_component(const struct fleet *fleet, struct str *why)
{
	size_t i;

	for (i = 0; i < fleet->n_shared; i++) {
		const struct shared *one = &fleet->shared[i];
		const struct fleet_check *check = &fleet->checks[one->check];

		if (!one->significant || one->good || one->accused < COMPONENT_HOSTS ||
			check->hit < one->accused || check_worst(check) != VERDICT_BAD)
			continue;
		str_addf(why, "%s is bad on all %u hosts of %s '%s'",
			fleet_text(fleet, check->name), one->accused,
			fleet_text(fleet, fleet->labels[one->label].name),
			fleet_text(fleet, one->value));
		return true;
	}
	return false;
}

static bool fleet_is_major(const struct fleet *fleet, struct str *why)
{
	return is_widespread(fleet, why) || is_of_component(fleet, why);
}

static bool fleet_is_time_bomb(const struct fleet *fleet, struct str *why)
{
	size_t of, n = count_of_type(fleet, "time bomb", true, &of);

	if (!of || n < of)
		return false;
	str_addf(why, "no impact yet; %zu %s at a limit", n, n == 1 ? "host is" : "hosts are");
	return true;
}

/* Hosts that were expected and of which nothing is known. */
static bool too_many_unseen(const struct fleet *fleet)
{
	size_t unseen = fleet->n_missing + fleet->stale;

	return (double)unseen > UNSEEN_SHARE * (double)(unseen + fleet->seen);
}

static bool fleet_is_isolated(const struct fleet *fleet, struct str *why)
{
	uint32_t area = NO_WORD, i;
	size_t hosts = fleet->hosts_by[VERDICT_BAD];

	if (!hosts || too_many_unseen(fleet))
		return false;
	for (i = 0; i < fleet->n_checks; i++) {
		const struct fleet_check *check = &fleet->checks[i];

		if (check_worst(check) != VERDICT_BAD)
			continue;
		if (area && area != check->area)
			return false;
		area = check->area;
	}
	str_addf(why, "only the area %s is bad, on %zu of %zu hosts", fleet_text(fleet, area),
		hosts, fleet->seen);
	return area != NO_WORD;
}

static bool fleet_is_ambiguous(const struct fleet *fleet, struct str *why)
{
	if (too_many_unseen(fleet)) {
		str_addf(why, "nothing is known of %zu hosts, and something of %zu",
			fleet->n_missing + fleet->stale, fleet->seen);
		return true;
	}
	if (fleet->hosts_by[VERDICT_BAD]) {
		str_addf(why, "%zu of %zu hosts are bad, in more than one area",
			fleet->hosts_by[VERDICT_BAD], fleet->seen);
		return true;
	}
	if (!fleet->hosts_by[VERDICT_MAYBE])
		return false;
	str_addf(why, "no host is bad; %zu of %zu may be", fleet->hosts_by[VERDICT_MAYBE],
		fleet->seen);
	return true;
}

void fleet_derive_type(struct fleet *fleet)
{
	static const struct {
		const char *name;
		bool (*holds)(const struct fleet *fleet, struct str *why);
	} rules[] = {
		{"internal", fleet_is_internal},
		{"major", fleet_is_major},
		{"time bomb", fleet_is_time_bomb},
		{"isolated", fleet_is_isolated},
		{"ambiguous", fleet_is_ambiguous},
	};
	struct str why = STR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules) && !fleet->type.name; i++) {
		str_clear(&why);
		if (rules[i].holds(fleet, &why))
			fleet->type = (struct incident_type){.name = rules[i].name};
	}
	if (fleet->type.name)
		fleet->type.why = str_take(&why);
	str_free(&why);
}
