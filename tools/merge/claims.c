/* SPDX-License-Identifier: GPL-2.0-only */
/* Who may speak for a host, where several reports say that they do? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "tools/merge/claims.h"
#include "tools/merge/fleet.h"
#include "tools/merge/gaps.h"

#define OVERLAP_SECONDS 60 /* clocks are no better than that */
#define NAMESAKES_MAX 1000
#define CONFLICTS_KEPT 1000

/* What a report comes to, whatever it says of itself as a whole. */
static enum verdict claim_verdict(const struct fleet *fleet, const struct report *report)
{
	enum verdict worst = gaps_verdict_of(fleet->gaps, report);
	size_t i;

	for (i = 0; i < report->n_checks; i++)
		if (verdict_is_worse(gaps_counts_as(fleet->gaps, &report->checks[i]), worst))
			worst = gaps_counts_as(fleet->gaps, &report->checks[i]);
	return worst;
}

/* Whether it can be told that both are of one machine: by their boot, or by whoever collects them.
 * Without a boot only a file is known to go on with itself. */
static bool claim_is_of(
	const struct host *host, uint32_t boot_id, uint32_t file, const struct origin *origin)
{
	if (origin->host)
		return true;
	if (!boot_id || !host->boot_id)
		return boot_id == host->boot_id && file == host->file;
	return boot_id == host->boot_id;
}

/* At the same time the worse one, so that nobody can be told well by a copy. */
static bool claim_goes_before(
	const struct fleet *fleet, const struct report *report, const struct host *host)
{
	if (report->time_start != host->time)
		return report->time_start > host->time;
	return verdict_is_worse(claim_verdict(fleet, report), host->verdict);
}

void claims_forget(struct fleet *fleet, struct host *host)
{
	fleet->n_cells -= host->n_cells;
	fleet->n_accusations -= host->n_accusations;
	free(host->cells);
	free(host->values);
	free(host->accusations);
}

struct host *claims_place(struct fleet *fleet, const struct origin *origin,
	const struct report *report, const char **why)
{
	const char *said = origin->host ? origin->host : report->host;
	uint32_t name = words_add(&fleet->words, said), at, n = 0, *first;
	uint32_t boot_id = words_add(&fleet->words, report->boot_id);
	uint32_t file = words_add(&fleet->words, origin->file);
	struct host *host;

	*why = NULL;
	first = words_place(&fleet->first_host, &fleet->n_first_host, name);
	for (at = *first; at; at = host->namesake, n++) {
		host = &fleet->hosts[at - 1];
		if (!claim_is_of(host, boot_id, file, origin))
			continue;
		fleet->duplicates++;
		if (!claim_goes_before(fleet, report, host))
			return NULL;
		claims_forget(fleet, host);
		*host = (struct host){
			.name = name, .boot_id = boot_id, .file = file, .namesake = host->namesake};
		return host;
	}
	if (n == NAMESAKES_MAX) {
		*why = "1,000 machines already claim to be this host";
		return NULL;
	}
	ARRAY_GROW(fleet->hosts, fleet->n_hosts, fleet->room_hosts);
	host = &fleet->hosts[fleet->n_hosts++];
	*host = (struct host){.name = name, .boot_id = boot_id, .file = file, .namesake = *first};
	*first = (uint32_t)fleet->n_hosts;
	return host;
}

/*
 * Whether two boots can be of one machine: one after the other. Where the later one began before
 * the earlier report was written, two machines have the name.
 */
static bool claims_may_be_one(const struct host *a, const struct host *b)
{
	const struct host *later = a->time >= b->time ? a : b, *earlier = later == a ? b : a;

	if (!a->boot_id || !b->boot_id || !earlier->time)
		return false;
	if (!isfinite(later->uptime) || later->uptime < 0)
		return false;
	return (double)later->time - later->uptime > (double)earlier->time - OVERLAP_SECONDS;
}

/* Of two that may be one machine the one that does not count: what is stale, then what is less
 * bad. */
static struct host *claims_lesser(struct host *a, struct host *b)
{
	if (a->stale != b->stale)
		return a->stale ? a : b;
	if (!a->stale && a->verdict != b->verdict)
		return verdict_is_worse(a->verdict, b->verdict) ? b : a;
	return a->time >= b->time ? b : a;
}

static struct host *claims_next(struct fleet *fleet, const struct host *host)
{
	return host->namesake ? &fleet->hosts[host->namesake - 1] : NULL;
}

/* Returns how many that are not stale claim the name. */
static size_t claims_weigh(struct fleet *fleet, struct host *head)
{
	struct host *a, *b;
	size_t fresh = 0;

	for (a = head; a; a = claims_next(fleet, a))
		fresh += !a->stale;
	for (a = head; a; a = claims_next(fleet, a))
		for (b = head; b != a && !a->superseded; b = claims_next(fleet, b)) {
			struct host *lesser;

			if (b->superseded || !claims_may_be_one(a, b))
				continue;
			lesser = claims_lesser(a, b);
			lesser->superseded = true;
			/* It is nothing but old. */
			fleet->duplicates += lesser->stale;
		}
	return fresh;
}

/* Those that are left are told apart. */
static void claims_tell_apart(struct fleet *fleet, struct host *head)
{
	struct host *host;
	size_t left = 0;

	for (host = head; host; host = claims_next(fleet, host))
		left += !host->superseded;
	for (host = head; host; host = claims_next(fleet, host))
		host->has_namesake = left > 1;
}

static int claims_compare_files(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void claims_name_conflict(struct fleet *fleet, struct host *head, size_t fresh)
{
	uint32_t *files = mem_realloc_array(NULL, fresh, sizeof(*files));
	struct conflict conflict = {.host = head->name, .claims = (uint32_t)fresh};
	const struct host *host;
	size_t n = 0, i;

	for (host = head; host; host = claims_next(fleet, host))
		if (!host->stale)
			files[n++] = host->file;
	/* Words are numbered as they are read. */
	qsort(files, n, sizeof(*files), claims_compare_files);
	for (i = 0; i < n; i++) {
		if (i && files[i] == files[i - 1])
			continue;
		if (conflict.n_files < ARRAY_SIZE(conflict.files))
			conflict.files[conflict.n_files] = files[i];
		conflict.n_files++;
	}
	if (fleet->n_conflicts++ < CONFLICTS_KEPT) {
		ARRAY_GROW(fleet->conflicts, fleet->kept_conflicts, fleet->room_conflicts);
		fleet->conflicts[fleet->kept_conflicts++] = conflict;
	}
	free(files);
}

void claims_settle(struct fleet *fleet)
{
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++) {
		struct host *host = &fleet->hosts[i];
		size_t fresh;

		/* The last one that came is the head of its name's list. */
		if (fleet->first_host[host->name] != i + 1 || !host->namesake)
			continue;
		fresh = claims_weigh(fleet, host);
		claims_tell_apart(fleet, host);
		if (fresh > 1)
			claims_name_conflict(fleet, host, fresh);
	}
}
