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

/* Of a host's weight: as many maybes as a bad, which is more than there are checks. */
#define BAD_WEIGHT 4096

struct file_time {
	uint32_t file;
	time_t time;
};

static int compare_file_times(const void *a, const void *b)
{
	const struct file_time *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

static int compare_times(const void *a, const void *b)
{
	const struct file_time *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Of each file the median, in place. Returns how many files there are. */
static size_t median_of_files(struct file_time *times, size_t n)
{
	size_t files = 0, first = 0, i;

	qsort(times, n, sizeof(*times), compare_file_times);
	for (i = 1; i <= n; i++) {
		if (i < n && times[i].file == times[first].file)
			continue;
		times[files++] = times[first + (i - first) / 2];
		first = i;
	}
	return files;
}

/*
 * The median stands for when the fleet was looked at. Each file has one voice, so that neither a
 * single clock nor a single file with many reports can move it and make all others stale; a time
 * that is yet to come has none, unless all are.
 */
static void find_times(struct fleet *fleet, time_t now)
{
	struct file_time *times = mem_realloc_array(NULL, fleet->n_hosts + 1, sizeof(*times));
	size_t n = 0, i, ahead;

	for (ahead = 0; ahead < 2 && !n; ahead++)
		for (i = 0; i < fleet->n_hosts; i++) {
			const struct host *host = &fleet->hosts[i];

			if (host->time && (ahead || host->time <= now + AHEAD_SECONDS))
				times[n++] = (struct file_time){host->file, host->time};
		}
	if (n) {
		n = median_of_files(times, n);
		qsort(times, n, sizeof(*times), compare_times);
		fleet->median = times[n / 2].time;
	}
	free(times);
}

static void note_times(
	const struct fleet *fleet, struct host *host, time_t now, double stale_seconds)
{
	host->stale = host->time && (double)(fleet->median - host->time) > stale_seconds;
	host->ahead = host->time > now + AHEAD_SECONDS;
}

/* Two machines of one name are told apart by their boots. */
static void name_host(struct fleet *fleet, struct host *host)
{
	char *shown;

	host->shown = host->name;
	if (!host->has_namesake)
		return;
	fleet->namesakes++;
	shown = mem_printf("%s~%.8s", fleet_text(fleet, host->name),
		host->boot_id ? fleet_text(fleet, host->boot_id) : "?");
	host->shown = words_add(&fleet->words, shown);
	free(shown);
}

static void finish_count_cells(struct fleet *fleet, struct host *host)
{
	const char *type = fleet_text(fleet, host->type);
	bool waits = !strcmp(type, "internal") || !strcmp(type, "time bomb");
	size_t i;

	for (i = 0; i < host->n_cells; i++) {
		struct fleet_check *check = &fleet->checks[CELL_CHECK(host->cells[i])];
		uint8_t cell = CELL_SAID(host->cells[i]);
		enum verdict verdict = CELL_VERDICT(cell);

		check->counts[verdict]++;
		check->exonerated += (cell & CELL_EXONERATED) != 0;
		check->hit += verdict == VERDICT_BAD && !waits;
	}
}

static void finish_weigh(struct host *host)
{
	size_t i;

	for (i = 0; i < host->n_cells; i++) {
		enum verdict verdict = CELL_VERDICT(CELL_SAID(host->cells[i]));

		host->weight += verdict == VERDICT_BAD ? BAD_WEIGHT
			: verdict == VERDICT_MAYBE     ? 1
						       : 0;
	}
}

static void finish_count_host(struct fleet *fleet, struct host *host)
{
	finish_weigh(host);
	fleet->stale += host->stale;
	fleet->ahead += host->ahead;
	fleet->n_interrupted += host->interrupted;
	fleet->unexpected += host->unexpected;
	if (host->time > fleet->last)
		fleet->last = host->time;
	if (host->stale)
		return;
	if (host->time && (!fleet->first || host->time < fleet->first))
		fleet->first = host->time;
	fleet->seen++;
	fleet->hosts_by[host->verdict]++;
	finish_count_cells(fleet, host);
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
	for (i = 0; fleet->has_expected && i < fleet->n_hosts; i++)
		fleet->hosts[i].unexpected = !named[i];
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

/* Who does not count is no host; after this indices by name no longer hold. */
static void fleet_drop_superseded(struct fleet *fleet)
{
	size_t n = 0, i;

	for (i = 0; i < fleet->n_hosts; i++)
		if (fleet->hosts[i].superseded)
			claims_forget(fleet, &fleet->hosts[i]);
		else
			fleet->hosts[n++] = fleet->hosts[i];
	fleet->n_hosts = n;
	for (i = 0; i < n; i++)
		fleet->hosts[i].namesake = 0;
}

/* In the order of their names. */
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
}

/* Who answers the checks that accuse anybody, for those who would else ask all hosts of each. */
static void fleet_index_holders(struct fleet *fleet)
{
	size_t *end = mem_zalloc((fleet->n_checks + 1) * sizeof(*end)), i, k;

	fleet->holders_of = mem_zalloc((fleet->n_checks + 1) * sizeof(*fleet->holders_of));
	for (i = 0; i < fleet->n_checks; i++) {
		const struct fleet_check *check = &fleet->checks[i];
		size_t n = check_worst(check) == VERDICT_GOOD
			? 0
			: check_examined(check) + check->counts[VERDICT_SKIP];

		end[i] = fleet->holders_of[i];
		fleet->holders_of[i + 1] = fleet->holders_of[i] + n;
	}
	fleet->holders = mem_realloc_array(
		NULL, fleet->holders_of[fleet->n_checks] + 1, sizeof(*fleet->holders));
	for (i = 0; i < fleet->n_hosts; i++)
		for (k = 0; !fleet->hosts[i].stale && k < fleet->hosts[i].n_cells; k++) {
			uint32_t check = CELL_CHECK(fleet->hosts[i].cells[k]);

			if (check_worst(&fleet->checks[check]) != VERDICT_GOOD)
				fleet->holders[end[check]++] = (uint32_t)i;
		}
	free(end);
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

	find_times(fleet, now);
	for (i = 0; i < fleet->n_hosts; i++)
		note_times(fleet, &fleet->hosts[i], now, stale_seconds);
	claims_settle(fleet);
	find_missing(fleet);
	fleet_drop_superseded(fleet);
	for (i = 0; i < fleet->n_hosts; i++) {
		name_host(fleet, &fleet->hosts[i]);
		finish_count_host(fleet, &fleet->hosts[i]);
	}
	sort_all(fleet);
	finish_judge(fleet);
	fleet_index_holders(fleet);
	fleet_compare(fleet);
	fleet_derive_type(fleet);
}
