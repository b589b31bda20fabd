/* SPDX-License-Identifier: GPL-2.0-only */
/* Who fits the naps, and who only happened to run? */
#include "base/banned.h"

#include "naps/blame.h"

static enum nap_cause blame_commonest(const struct nap_event *events, size_t n, pid_t pid)
{
	size_t counts[NAP_CAUSES] = {0}, i;
	enum nap_cause cause, most = NAP_UNKNOWN;

	for (i = 0; i < n; i++)
		if (events[i].pid == pid)
			counts[events[i].cause]++;
	for (cause = 0; cause < NAP_CAUSES; cause++)
		if (counts[cause] && counts[cause] >= counts[most])
			most = cause;
	return most;
}

static struct nap_blamed *blame_entry(struct nap_blame *blame, const struct nap_suspect *suspect)
{
	size_t i;

	for (i = 0; i < blame->n; i++)
		if (blame->suspects[i].pid == suspect->pid)
			return &blame->suspects[i];
	if (blame->n == NAP_BLAMED_MAX)
		return NULL;
	blame->suspects[blame->n] = (struct nap_blamed){.pid = suspect->pid};
	memcpy(blame->suspects[blame->n].comm, suspect->comm, sizeof(suspect->comm));
	return &blame->suspects[blame->n++];
}

static void blame_count(struct nap_blame *blame, const struct nap_event *event)
{
	const double seconds = (double)(event->end_ns - event->begin_ns) / 1e9;
	bool forked = false;
	size_t i;

	for (i = 0; i < event->n_suspects; i++) {
		const struct nap_suspect *suspect = &event->suspects[i];
		struct nap_blamed *blamed = blame_entry(blame, suspect);

		forked |= suspect->child;
		if (!blamed)
			continue;
		blamed->fits += suspect->overlap >= NAP_FITS;
		blamed->held += *suspect->holds != 0;
		blamed->children += suspect->child;
		blamed->in_naps_s += suspect->overlap * seconds;
		if (*suspect->holds)
			memcpy(blamed->holds, suspect->holds, sizeof(blamed->holds));
	}
	blame->forks += forked;
}

/* As many times as it used as much CPU time as in one of these naps, outside of all. */
static void blame_measure_without(struct nap_blame *blame, nap_ran *ran, const void *arg)
{
	size_t i;

	for (i = 0; i < blame->n; i++) {
		struct nap_blamed *blamed = &blame->suspects[i];
		const double all_s = ran(arg, blamed->pid),
			     each_s = blamed->in_naps_s / (double)blame->naps;

		if (all_s > blamed->in_naps_s && each_s > 0)
			blamed->without = (all_s - blamed->in_naps_s) / each_s;
	}
}

bool nap_blamed_is_cleared(const struct nap_blamed *suspect)
{
	return !suspect->held && !suspect->children && suspect->without >= (double)suspect->fits;
}

static double blame_weight(const struct nap_blamed *blamed)
{
	return (double)blamed->held * 1e6 + (double)blamed->children * 1e5 +
		(nap_blamed_is_cleared(blamed) ? 0 : (double)blamed->fits * 1e3) +
		blamed->in_naps_s;
}

static int blame_by_weight(const void *a, const void *b)
{
	const double x = blame_weight(a), y = blame_weight(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

/* What the cause itself says. */
static enum nap_culprit blame_by_cause(enum nap_cause cause)
{
	switch (cause) {
	case NAP_QUOTA:
	case NAP_OOM:
	case NAP_MEMORY_LIMIT:
	case NAP_FROZEN:
		return NAP_BY_CGROUP;
	case NAP_STOPPED:
	case NAP_TRACED:
		return NAP_BY_SIGNAL;
	case NAP_USER_LOCK:
		return NAP_BY_ITSELF;
	default:
		return NAP_BY_NOBODY;
	}
}

static void blame_conclude(struct nap_blame *blame)
{
	const struct nap_blamed *first = &blame->suspects[0];
	const enum nap_culprit by = blame_by_cause(blame->cause);

	blame->by = by;
	if (by != NAP_BY_NOBODY || !blame->n)
		return;
	if (blame->cause == NAP_MEMORY_MAP && first->held)
		blame->by = NAP_BY_FILE;
	else if (blame->cause == NAP_MEMORY_MAP && blame->forks)
		blame->by = NAP_BY_FORK;
	else if (first->fits >= NAP_FITS_LEAST && first->fits * 2 >= blame->naps &&
		!nap_blamed_is_cleared(first))
		blame->by = NAP_BY_OVERLAP;
	blame->named = blame->by == NAP_BY_FILE || blame->by == NAP_BY_OVERLAP;
}

void nap_blame_find(struct nap_blame *blame, const struct nap_event *events, size_t n, pid_t pid,
	nap_ran *ran, const void *arg)
{
	size_t i;

	*blame = (struct nap_blame){.cause = blame_commonest(events, n, pid)};
	for (i = 0; i < n; i++) {
		if (events[i].pid != pid || events[i].cause != blame->cause)
			continue;
		blame->naps++;
		blame_count(blame, &events[i]);
	}
	if (!blame->naps)
		return;
	blame_measure_without(blame, ran, arg);
	qsort(blame->suspects, blame->n, sizeof(blame->suspects[0]), blame_by_weight);
	blame_conclude(blame);
}
