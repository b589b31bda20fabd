/* SPDX-License-Identifier: GPL-2.0-only */
/* Which hosts say the same, so that ten thousand of them are a dozen lines? */
#include "base/banned.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/clusters.h"
#include "tools/merge/name_folding.h"

/* Of a host's weight: as many maybes as a bad, which is more than there are checks. */
#define BAD_WEIGHT 4096

struct sorting {
	const struct fleet *fleet;
	const struct patterns *patterns;
};

/* Lower is worse. */
static int badness(uint8_t cell)
{
	static const int ranks[] = {
		[VERDICT_GOOD] = 3,
		[VERDICT_MAYBE] = 1,
		[VERDICT_BAD] = 0,
		[VERDICT_UNKNOWN] = 2,
		[VERDICT_SKIP] = 3,
	};

	return cell == CELL_ABSENT ? 3 : ranks[CELL_VERDICT(cell)];
}

static int compare_cells(const struct sorting *sorting, size_t a, size_t b)
{
	const struct host *x = &sorting->fleet->hosts[a], *y = &sorting->fleet->hosts[b];
	size_t i;

	for (i = 0; i < sorting->patterns->n_columns; i++) {
		uint32_t check = sorting->patterns->columns[i];
		int differs = badness(host_cell(x, check)) - badness(host_cell(y, check));

		if (differs)
			return differs;
	}
	return 0;
}

size_t host_weight(const struct fleet *fleet, const struct host *host)
{
	size_t bad = 0, maybe = 0, i;

	for (i = 0; i < fleet->n_checks; i++) {
		int rank = badness(host_cell(host, (uint32_t)i));

		bad += rank == 0;
		maybe += rank == 1;
	}
	return bad * BAD_WEIGHT + maybe;
}

static int patterns_compare_hosts(const void *a, const void *b, void *arg)
{
	const struct sorting *sorting = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int differs = compare_cells(sorting, x, y);

	return differs ? differs : (x > y) - (x < y);
}

static int compare_patterns(const void *a, const void *b, void *arg)
{
	const struct sorting *sorting = arg;
	const struct pattern *x = a, *y = b;
	const struct fleet *fleet = sorting->fleet;
	size_t n = host_weight(fleet, &fleet->hosts[sorting->patterns->hosts[x->first]]);
	size_t m = host_weight(fleet, &fleet->hosts[sorting->patterns->hosts[y->first]]);

	if (n != m)
		return n > m ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static void patterns_find_columns(struct patterns *patterns, const struct fleet *fleet)
{
	size_t i;

	patterns->columns = mem_realloc_array(NULL, fleet->n_checks + 1, sizeof(unsigned int));
	for (i = 0; i < fleet->n_checks; i++) {
		uint32_t check = fleet->order[i];

		if (check_worst(&fleet->checks[check]) != VERDICT_GOOD ||
			fleet->checks[check].counts[VERDICT_UNKNOWN])
			patterns->columns[patterns->n_columns++] = check;
	}
}

void patterns_find(struct patterns *patterns, const struct fleet *fleet)
{
	struct sorting sorting = {.fleet = fleet};
	size_t n = 0, room = 0, i;

	*patterns = (struct patterns){0};
	sorting.patterns = patterns;
	patterns_find_columns(patterns, fleet);
	patterns->hosts = mem_realloc_array(NULL, fleet->n_hosts + 1, sizeof(*patterns->hosts));
	for (i = 0; i < fleet->n_hosts; i++)
		if (!fleet->hosts[i].stale)
			patterns->hosts[n++] = i;
	qsort_r(patterns->hosts, n, sizeof(*patterns->hosts), patterns_compare_hosts, &sorting);
	for (i = 0; i < n; i++) {
		if (i && !compare_cells(&sorting, patterns->hosts[i - 1], patterns->hosts[i])) {
			patterns->list[patterns->n - 1].n++;
			continue;
		}
		ARRAY_GROW(patterns->list, patterns->n, room);
		patterns->list[patterns->n++] = (struct pattern){i, 1};
	}
	if (patterns->n)
		qsort_r(patterns->list, patterns->n, sizeof(*patterns->list), compare_patterns,
			&sorting);
}

void patterns_free(struct patterns *patterns)
{
	free(patterns->hosts);
	free(patterns->list);
	free(patterns->columns);
}

size_t *accused_hosts(const struct fleet *fleet, unsigned int check, size_t *n)
{
	size_t *hosts = mem_realloc_array(NULL, fleet->n_hosts + 1, sizeof(*hosts)), i;

	*n = 0;
	for (i = 0; i < fleet->n_hosts; i++)
		if (host_is_accused(fleet, &fleet->hosts[i], check))
			hosts[(*n)++] = i;
	return hosts;
}

void add_hosts(
	struct str *out, const struct fleet *fleet, const size_t *hosts, size_t n, size_t columns)
{
	const char **names = mem_realloc_array(NULL, n + 1, sizeof(*names));
	size_t i;

	for (i = 0; i < n; i++)
		names[i] = fleet_text(fleet, fleet->hosts[hosts[i]].shown);
	fold_names(out, names, n, columns);
	free(names);
}

bool common_culprit(
	const struct fleet *fleet, unsigned int check, const char **culprit, size_t *hosts)
{
	uint32_t *counts = mem_zalloc(fleet->words.n * sizeof(*counts)), most = NO_WORD;
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++) {
		const struct accusation *accusation;

		if (!host_is_accused(fleet, &fleet->hosts[i], check))
			continue;
		accusation = host_accusation(&fleet->hosts[i], check);
		if (!accusation || !accusation->culprit)
			continue;
		counts[accusation->culprit]++;
		if (counts[accusation->culprit] > counts[most])
			most = accusation->culprit;
	}
	*hosts = counts[most];
	*culprit = fleet_text(fleet, most);
	free(counts);
	return *hosts > 1;
}

char cell_letter(unsigned int cell)
{
	static const char letters[] = {
		[VERDICT_GOOD] = '.',
		[VERDICT_MAYBE] = 'm',
		[VERDICT_BAD] = 'B',
		[VERDICT_UNKNOWN] = '?',
		[VERDICT_SKIP] = '-',
	};

	return cell == CELL_ABSENT ? ' ' : letters[CELL_VERDICT(cell)];
}

static int compare_weights(const void *a, const void *b, void *arg)
{
	const struct fleet *fleet = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	size_t n = host_weight(fleet, &fleet->hosts[x]), m = host_weight(fleet, &fleet->hosts[y]);

	if (fleet->hosts[x].stale != fleet->hosts[y].stale)
		return fleet->hosts[x].stale ? 1 : -1;
	if (n != m)
		return n > m ? -1 : 1;
	return (x > y) - (x < y);
}

size_t *worst_hosts(const struct fleet *fleet)
{
	size_t *hosts = mem_realloc_array(NULL, fleet->n_hosts + 1, sizeof(*hosts)), i;

	for (i = 0; i < fleet->n_hosts; i++)
		hosts[i] = i;
	qsort_r(hosts, fleet->n_hosts, sizeof(*hosts), compare_weights, (void *)fleet);
	return hosts;
}
