/* SPDX-License-Identifier: GPL-2.0-only */
/* Now that all reports are read: who counts, who is missing, and what is to be read first? */
#include "base/banned.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/finish.h"
#include "tools/merge/compare.h"
#include "tools/merge/fleettype.h"

/* A report from the future is one of a clock that is wrong, there or here. */
#define AHEAD_SECONDS 300

static int compare_times(const void *a, const void *b)
{
	const time_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median stands for when the fleet was looked at: no single clock can move it. */
static void find_times(struct fleet *fleet)
{
	time_t *times = mem_realloc_array(NULL, fleet->n_hosts + 1, sizeof(*times));
	size_t n = 0, i;

	for (i = 0; i < fleet->n_hosts; i++)
		if (fleet->hosts[i].time)
			times[n++] = fleet->hosts[i].time;
	if (n) {
		qsort(times, n, sizeof(*times), compare_times);
		fleet->median = times[n / 2];
		fleet->last = times[n - 1];
	}
	free(times);
}

static void note_times(struct fleet *fleet, struct host *host, time_t now, double stale_seconds)
{
	host->stale = host->time && (double)(fleet->median - host->time) > stale_seconds;
	host->ahead = host->time > now + AHEAD_SECONDS;
	fleet->stale += host->stale;
	fleet->ahead += host->ahead;
	fleet->n_interrupted += host->interrupted;
	if (!host->stale && host->time && (!fleet->first || host->time < fleet->first))
		fleet->first = host->time;
}

/* Two machines of one name are told apart by their boots. */
static void name_host(struct fleet *fleet, struct host *host)
{
	const struct host *first = &fleet->hosts[fleet->first_host[host->name] - 1];
	char *shown;

	host->shown = host->name;
	if (!first->namesake)
		return;
	fleet->namesakes++;
	shown = mem_printf("%s~%.8s", fleet_text(fleet, host->name),
		host->boot_id ? fleet_text(fleet, host->boot_id) : "?");
	host->shown = words_add(&fleet->words, shown);
	free(shown);
}

static void finish_count_host(struct fleet *fleet, const struct host *host)
{
	const char *type = fleet_text(fleet, host->type);
	bool waits = !strcmp(type, "internal") || !strcmp(type, "time bomb");
	uint32_t i;

	fleet->seen++;
	fleet->hosts_by[host->verdict]++;
	for (i = 0; i < host->n_cells; i++) {
		uint8_t cell = host->cells[i];

		if (cell == CELL_ABSENT)
			continue;
		fleet->checks[i].counts[CELL_VERDICT(cell)]++;
		fleet->checks[i].exonerated += (cell & CELL_EXONERATED) != 0;
		fleet->checks[i].hit += CELL_VERDICT(cell) == VERDICT_BAD && !waits;
	}
}

/* Expected hosts that have not come, and those that nobody expects. What was expected twice is
 * missing once. */
static void find_missing(struct fleet *fleet)
{
	bool *named = mem_zalloc(fleet->n_hosts + 1), *told;
	size_t i;

	fleet->missing = mem_realloc_array(NULL, fleet->n_expected + 1, sizeof(*fleet->missing));
	told = mem_zalloc(fleet->words.n);
	for (i = 0; i < fleet->n_expected; i++) {
		uint32_t word = fleet->expected[i];
		struct host *host = fleet_find(fleet, fleet_text(fleet, word));

		if (!host && !told[word])
			fleet->missing[fleet->n_missing++] = word;
		told[word] = true;
		for (; host; host = fleet_namesake(fleet, host))
			named[host - fleet->hosts] = true;
	}
	for (i = 0; fleet->has_expected && i < fleet->n_hosts; i++) {
		fleet->hosts[i].unexpected = !named[i];
		fleet->unexpected += !named[i];
	}
	free(told);
	free(named);
}

/* Whether most of those that were examined are accused: then it is no outlier. */
static bool is_everywhere(const struct fleet_check *check)
{
	return check->counts[check_worst(check)] * 2 > check_examined(check);
}

static int finish_rank(const struct fleet_check *check)
{
	enum verdict worst = check_worst(check);

	if (worst == VERDICT_BAD)
		return is_everywhere(check) ? 1 : 0;
	if (worst == VERDICT_MAYBE)
		return is_everywhere(check) ? 3 : 2;
	return check->counts[VERDICT_UNKNOWN] ? 4 : 5;
}

static int compare_checks(const void *a, const void *b, void *arg)
{
	const struct fleet *fleet = arg;
	const struct fleet_check *x = &fleet->checks[*(const uint32_t *)a];
	const struct fleet_check *y = &fleet->checks[*(const uint32_t *)b];
	size_t n = x->counts[check_worst(x)], m = y->counts[check_worst(y)];

	if (finish_rank(x) != finish_rank(y))
		return finish_rank(x) - finish_rank(y);
	if (n != m && finish_rank(x) < 4)
		return n > m ? -1 : 1;
	return strcmp(fleet_text(fleet, x->name), fleet_text(fleet, y->name));
}

static int finish_compare_hosts(const void *a, const void *b, void *arg)
{
	const struct fleet *fleet = arg;
	const struct host *x = a, *y = b;

	return strverscmp(fleet_text(fleet, x->shown), fleet_text(fleet, y->shown));
}

/* In the order of their names; after this indices by name no longer hold. */
static void sort_all(struct fleet *fleet)
{
	uint32_t i;

	fleet->order = mem_realloc_array(NULL, fleet->n_checks + 1, sizeof(*fleet->order));
	for (i = 0; i < fleet->n_checks; i++)
		fleet->order[i] = i;
	qsort_r(fleet->order, fleet->n_checks, sizeof(*fleet->order), compare_checks, fleet);
	if (fleet->n_hosts)
		qsort_r(fleet->hosts, fleet->n_hosts, sizeof(*fleet->hosts), finish_compare_hosts,
			fleet);
	for (i = 0; i < fleet->n_hosts; i++)
		fleet->hosts[i].namesake = 0;
}

/* The worst of all; who has not been seen is unknown. */
static void finish_judge(struct fleet *fleet)
{
	static const enum verdict order[] = {
		VERDICT_BAD, VERDICT_MAYBE, VERDICT_UNKNOWN, VERDICT_GOOD, VERDICT_SKIP};
	bool gaps = fleet->n_missing || fleet->stale || fleet->n_refused || fleet->interrupted ||
		!fleet->seen;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (fleet->hosts_by[order[i]] || (order[i] == VERDICT_UNKNOWN && gaps))
			break;
	fleet->verdict = i < ARRAY_SIZE(order) ? order[i] : VERDICT_UNKNOWN;
}

void fleet_settle(struct fleet *fleet, time_t now, double stale_seconds)
{
	size_t i;

	find_times(fleet);
	for (i = 0; i < fleet->n_hosts; i++) {
		note_times(fleet, &fleet->hosts[i], now, stale_seconds);
		name_host(fleet, &fleet->hosts[i]);
		if (!fleet->hosts[i].stale)
			finish_count_host(fleet, &fleet->hosts[i]);
	}
	find_missing(fleet);
	sort_all(fleet);
	finish_judge(fleet);
	fleet_compare(fleet);
	fleet_derive_type(fleet);
}
