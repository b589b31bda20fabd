/* SPDX-License-Identifier: GPL-2.0-only */
/* Which hosts say the same, so that ten thousand of them are a dozen lines? */
#include "base/banned.h"
#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/clusters.h"
#include "tools/merge/name_folding.h"

/* What hosts are sorted by: of each host what is not good, by the column, in two bytes each. */
struct sorting {
	const struct fleet *fleet;
	const struct patterns *patterns;
	uint16_t *said;
	size_t *said_of; /* by host; said[said_of[i]] up to those of the next host */
};

#define BADNESS_BITS 2
#define BADNESS_NONE 3

/* Lower is worse. */
static int badness(uint8_t cell)
{
	static const int ranks[] = {
		[VERDICT_GOOD] = BADNESS_NONE,
		[VERDICT_MAYBE] = 1,
		[VERDICT_BAD] = 0,
		[VERDICT_UNKNOWN] = 2,
		[VERDICT_SKIP] = BADNESS_NONE,
	};

	return ranks[CELL_VERDICT(cell)];
}

static int clusters_compare_said(const void *a, const void *b)
{
	const uint16_t *x = a, *y = b;

	return (int)*x - (int)*y;
}

/* The columns come in the order of reading, and of a column what is worse first. */
static void sorting_find_said(struct sorting *sorting)
{
	const struct fleet *fleet = sorting->fleet;
	const struct patterns *patterns = sorting->patterns;
	uint16_t *column = mem_zalloc((fleet->n_checks + 1) * sizeof(*column));
	size_t n = 0, i, k;

	for (i = 0; i < patterns->n_columns; i++)
		column[patterns->columns[i]] = (uint16_t)(i + 1);
	sorting->said = mem_realloc_array(NULL, fleet->n_cells + 1, sizeof(*sorting->said));
	sorting->said_of = mem_realloc_array(NULL, fleet->n_hosts + 1, sizeof(*sorting->said_of));
	for (i = 0; i < fleet->n_hosts; i++) {
		const struct host *host = &fleet->hosts[i];

		sorting->said_of[i] = n;
		for (k = 0; k < host->n_cells; k++) {
			uint16_t at = column[CELL_CHECK(host->cells[k])];
			int bad = badness(CELL_SAID(host->cells[k]));

			if (at && bad < BADNESS_NONE)
				sorting->said[n++] = (uint16_t)(at << BADNESS_BITS | bad);
		}
		qsort(sorting->said + sorting->said_of[i], n - sorting->said_of[i],
			sizeof(*sorting->said), clusters_compare_said);
	}
	sorting->said_of[fleet->n_hosts] = n;
	free(column);
}

/* As a word in a lexicon, where whoever says nothing more is better. */
static int compare_cells(const struct sorting *sorting, size_t a, size_t b)
{
	const uint16_t *x = sorting->said + sorting->said_of[a];
	const uint16_t *y = sorting->said + sorting->said_of[b];
	const uint16_t *end_x = sorting->said + sorting->said_of[a + 1];
	const uint16_t *end_y = sorting->said + sorting->said_of[b + 1];

	for (; x < end_x && y < end_y; x++, y++)
		if (*x != *y)
			return (int)*x - (int)*y;
	return (y < end_y) - (x < end_x);
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
	uint32_t n = fleet->hosts[sorting->patterns->hosts[x->first]].weight;
	uint32_t m = fleet->hosts[sorting->patterns->hosts[y->first]].weight;

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
	sorting_find_said(&sorting);
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
	free(sorting.said);
	free(sorting.said_of);
}

void patterns_free(struct patterns *patterns)
{
	free(patterns->hosts);
	free(patterns->list);
	free(patterns->columns);
}

size_t *accused_hosts(const struct fleet *fleet, unsigned int check, size_t *n)
{
	size_t from = fleet->holders_of[check], to = fleet->holders_of[check + 1], i;
	size_t *hosts = mem_realloc_array(NULL, to - from + 1, sizeof(*hosts));

	*n = 0;
	for (i = from; i < to; i++)
		if (host_is_accused(fleet, &fleet->hosts[fleet->holders[i]], check))
			hosts[(*n)++] = fleet->holders[i];
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

static int clusters_compare_words(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

bool common_culprit(
	const struct fleet *fleet, unsigned int check, const char **culprit, size_t *hosts)
{
	size_t accused, named = 0, run = 0, i, *list = accused_hosts(fleet, check, &accused);
	uint32_t *words = mem_realloc_array(NULL, accused + 1, sizeof(*words)), most = NO_WORD;

	for (i = 0; i < accused; i++) {
		const struct accusation *accusation =
			host_accusation(&fleet->hosts[list[i]], check);

		if (accusation && accusation->culprit)
			words[named++] = accusation->culprit;
	}
	qsort(words, named, sizeof(*words), clusters_compare_words);
	*hosts = 0;
	for (i = 0; i < named; i++) {
		run = i && words[i] == words[i - 1] ? run + 1 : 1;
		if (run > *hosts) {
			*hosts = run;
			most = words[i];
		}
	}
	*culprit = fleet_text(fleet, most);
	free(words);
	free(list);
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

char cell_sign(unsigned int cell)
{
	static const char signs[] = {
		[VERDICT_GOOD] = '.',
		[VERDICT_MAYBE] = '~',
		[VERDICT_BAD] = '#',
		[VERDICT_UNKNOWN] = '?',
		[VERDICT_SKIP] = '-',
	};

	return cell == CELL_ABSENT ? ' ' : signs[CELL_VERDICT(cell)];
}

static int compare_weights(const void *a, const void *b, void *arg)
{
	const struct fleet *fleet = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	uint32_t n = fleet->hosts[x].weight, m = fleet->hosts[y].weight;

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
