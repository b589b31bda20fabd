/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is to blame the most, of all whom a trace has charged? */
#include "base/banned.h"
#include "sample/source.h"
#include "base/str.h"
#include "base/cgroup_words.h"
#include "trace/result_data.h"
#include "base/culprit.h"
#include "trace/culprits.h"

static int culprits_by_name(const void *a, const void *b)
{
	const struct trace_who *x = a, *y = b;
	int order = (int)x->victim - (int)y->victim;

	if (!order)
		order = strcmp(x->kind, y->kind);
	return order ? order : strcmp(x->name, y->name);
}

static int culprits_order_of(uint64_t x, uint64_t y)
{
	return x > y ? -1 : x < y;
}

/* A cgroup may be charged beside what is in it. */
static int culprits_is_cgroup(const struct trace_who *who)
{
	return !strcmp(who->kind, "cgroup");
}

/* Who is to blame before who has suffered; who did it before where he is; the worst first; then by
 * name, so that it is stable. */
static int worst_first(const void *a, const void *b)
{
	const struct trace_who *x = a, *y = b;
	int order = (int)x->victim - (int)y->victim;

	if (!order)
		order = culprits_is_cgroup(x) - culprits_is_cgroup(y);
	if (!order)
		order = culprits_order_of(x->total, y->total);
	if (!order)
		order = culprits_order_of(x->count, y->count);
	return order ? order : strcmp(x->name, y->name);
}

/* Those of an instance, or of all: one for each name. Returns how many. */
static size_t culprits_collect(
	const struct trace_result *result, long instance, struct trace_who *out)
{
	size_t i, n = 0, merged = 0;

	for (i = 0; i < result->n_whos; i++) {
		const struct trace_who *who = &result->whos[i];

		if (!who->ignored && (instance < 0 || who->row == (size_t)instance))
			out[n++] = *who;
	}
	qsort(out, n, sizeof(*out), culprits_by_name);
	for (i = 0; i < n; i++) {
		if (merged && !culprits_by_name(&out[merged - 1], &out[i])) {
			out[merged - 1].count += out[i].count;
			out[merged - 1].total += out[i].total;
		} else {
			out[merged++] = out[i];
		}
	}
	qsort(out, merged, sizeof(*out), worst_first);
	return merged;
}

/* The share of one in all of the same role, cgroups apart from others: of what was measured, or of
 * the events if that is 0. */
static double culprits_share_of(const struct trace_who *who, const struct trace_who *all, size_t n)
{
	double count = 0, total = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (all[i].victim != who->victim ||
			culprits_is_cgroup(&all[i]) != culprits_is_cgroup(who))
			continue;
		count += (double)all[i].count;
		total += (double)all[i].total;
	}
	if (total > 0)
		return (double)who->total / total;
	return count > 0 ? (double)who->count / count : -1;
}

/* The worst group goes behind the first who did it: machines have more programs than a screen has
 * room for, and a unit or a pod is what somebody owns. */
static void culprits_raise_group(struct trace_who *whos, size_t found)
{
	struct trace_who group;
	size_t i = 0;

	while (i < found && !culprits_is_cgroup(&whos[i]))
		i++;
	if (i < 2 || i == found)
		return;
	group = whos[i];
	memmove(&whos[2], &whos[1], (i - 1) * sizeof(*whos));
	whos[1] = group;
}

static void culprits_name(struct culprit *culprit, const struct trace_who *who)
{
	struct str words = STR_INIT;

	if (culprits_is_cgroup(who))
		cgroup_words(&words, who->name);
	else
		str_add(&words, who->name);
	snprintf(culprit->name, sizeof(culprit->name), "%s", str_text(&words));
	str_free(&words);
}

size_t trace_culprits(
	const struct trace_result *result, long instance, struct culprit *out, size_t n)
{
	struct trace_who *whos;
	size_t i, found;

	if (!result->n_whos)
		return 0;
	whos = mem_alloc(result->n_whos * sizeof(*whos));
	found = culprits_collect(result, instance, whos);
	culprits_raise_group(whos, found);
	for (i = 0; i < found && i < n; i++) {
		struct culprit *culprit = &out[i];

		memset(culprit, 0, sizeof(*culprit));
		snprintf(culprit->kind, sizeof(culprit->kind), "%s", whos[i].kind);
		culprits_name(culprit, &whos[i]);
		snprintf(culprit->id, sizeof(culprit->id), "%s", whos[i].id);
		culprit->share = culprits_share_of(&whos[i], whos, found);
	}
	free(whos);
	return i;
}
