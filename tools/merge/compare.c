/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do the hosts that a check accuses share, and those that it does not accuse lack?
 *
 * Each value of each label is compared by Fisher's exact test, one-sided: does it go with being
 * accused more often than chance would have it? Thousands of such comparisons are made, so one in
 * twenty by chance would be hundreds of false leads: the chance of a single false lead in the whole
 * merge is held below 5 %, by Tarone's method (Biometrics 46, 1990). It counts only comparisons
 * whose sums could be significant at all, so that a label with one value a host costs nothing.
 */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "tools/merge/fleet.h"
#include "stats/proportion.h"
#include "tools/merge/compare.h"

#define ERROR_SHARE 0.05
#define COMPARED_MAX 400000

struct comparing {
	struct fleet *fleet;
	size_t room;
	/* By word: hosts that have the value. */
	uint32_t *accused, *good;
	uint32_t *touched; /* the words that are not 0 there */
	size_t n_touched;
};

static void shared_count_host(struct comparing *now, uint32_t word, bool accused)
{
	if (!now->accused[word] && !now->good[word])
		now->touched[now->n_touched++] = word;
	if (accused)
		now->accused[word]++;
	else
		now->good[word]++;
}

/* A value that all have or only one host has says nothing, whoever is accused. */
static void shared_keep(struct comparing *now, const struct shared *one)
{
	uint32_t holders = one->accused + one->good, all = one->accused_of + one->good_of;
	uint32_t most = holders < one->accused_of ? holders : one->accused_of;
	struct fleet *fleet = now->fleet;
	struct shared *kept;

	if (holders < 2 || holders == all || fleet->n_shared == COMPARED_MAX)
		return;
	ARRAY_GROW(fleet->shared, fleet->n_shared, now->room);
	kept = &fleet->shared[fleet->n_shared++];
	*kept = *one;
	stats_fisher_greater(one->accused, one->accused_of, one->good, one->good_of, &kept->p);
	stats_fisher_greater(most, one->accused_of, holders - most, one->good_of, &kept->least);
}

static void compare_label(struct comparing *now, uint32_t check, uint32_t label)
{
	struct fleet *fleet = now->fleet;
	struct shared one = {.check = check, .label = label};
	size_t i;

	now->n_touched = 0;
	for (i = fleet->holders_of[check]; i < fleet->holders_of[check + 1]; i++) {
		const struct host *host = &fleet->hosts[fleet->holders[i]];
		uint32_t value = host_value(host, label);
		uint8_t cell = host_cell(host, check);
		bool accused = host_is_accused(fleet, host, check);

		if (!value)
			continue;
		if (!accused && CELL_VERDICT(cell) != VERDICT_GOOD)
			continue;
		one.accused_of += accused;
		one.good_of += !accused;
		shared_count_host(now, value, accused);
	}
	for (i = 0; i < now->n_touched; i++) {
		one.value = now->touched[i];
		one.accused = now->accused[one.value];
		one.good = now->good[one.value];
		now->accused[one.value] = now->good[one.value] = 0;
		if (one.accused_of && one.good_of)
			shared_keep(now, &one);
	}
}

static int shared_compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Tarone's number of comparisons: the smallest k such that no more than k could reach 5 % / k. */
static size_t countable(const struct fleet *fleet)
{
	double *least = mem_realloc_array(NULL, fleet->n_shared + 1, sizeof(*least));
	size_t k, reach, i;

	for (i = 0; i < fleet->n_shared; i++)
		least[i] = fleet->shared[i].least;
	qsort(least, fleet->n_shared, sizeof(*least), shared_compare_numbers);
	reach = fleet->n_shared;
	for (k = 1; k < fleet->n_shared; k++) {
		while (reach && least[reach - 1] > ERROR_SHARE / (double)k)
			reach--;
		if (reach <= k)
			break;
	}
	free(least);
	return k;
}

/* By check; then what is significant, what all the accused have, and what few of the others do. */
static int compare_shared(const void *a, const void *b)
{
	const struct shared *x = a, *y = b;
	double share_x = (double)x->accused / x->accused_of;
	double share_y = (double)y->accused / y->accused_of;

	if (x->check != y->check)
		return x->check < y->check ? -1 : 1;
	if (x->significant != y->significant)
		return x->significant ? -1 : 1;
	if (fabs(share_x - share_y) > 1e-9)
		return share_x > share_y ? -1 : 1;
	if (fabs(x->p - y->p) > 1e-12)
		return x->p < y->p ? -1 : 1;
	if (x->label != y->label)
		return x->label < y->label ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static void shared_judge(struct fleet *fleet)
{
	size_t k = countable(fleet), i;

	fleet->comparisons = k;
	fleet->threshold = ERROR_SHARE / (double)k;
	fleet->comparable = mem_zalloc(fleet->n_checks + 1);
	for (i = 0; i < fleet->n_shared; i++) {
		struct shared *one = &fleet->shared[i];

		one->adjusted = fmin(1, one->p * (double)k);
		one->significant = one->p <= fleet->threshold;
		fleet->comparable[one->check] |= one->least <= fleet->threshold;
	}
	if (fleet->n_shared)
		qsort(fleet->shared, fleet->n_shared, sizeof(*fleet->shared), compare_shared);
}

void fleet_compare(struct fleet *fleet)
{
	struct comparing now = {.fleet = fleet};
	uint32_t check, label;

	now.accused = mem_zalloc(fleet->words.n * sizeof(*now.accused));
	now.good = mem_zalloc(fleet->words.n * sizeof(*now.good));
	now.touched = mem_zalloc(fleet->words.n * sizeof(*now.touched));
	for (check = 0; check < fleet->n_checks; check++) {
		if (check_worst(&fleet->checks[check]) == VERDICT_GOOD)
			continue;
		for (label = 0; label < fleet->n_labels; label++)
			compare_label(&now, check, label);
	}
	shared_judge(fleet);
	free(now.accused);
	free(now.good);
	free(now.touched);
}

const struct shared *fleet_shared(const struct fleet *fleet, uint32_t check, size_t *n)
{
	size_t from = 0, end = fleet->n_shared, to;

	while (from < end) {
		size_t middle = (from + end) / 2;

		if (fleet->shared[middle].check < check)
			from = middle + 1;
		else
			end = middle;
	}
	for (to = from; to < fleet->n_shared && fleet->shared[to].check == check; to++)
		;
	*n = to - from;
	return *n ? fleet->shared + from : NULL;
}
