/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/progress.h"
#include "sys/cgroup_id.h"
#include "tools/queue/look.h"
#include "tools/queue/probe.h"
#include "tools/queue/probe_block.h"
#include "tools/queue/probe_cpu.h"

#define TICK_MS 200
#define TAKE_S 1.0 /* between two times that those who ended are taken out */

struct look_probes {
	struct queue_probe cpu, block;
	struct cgroup_names *groups;
};

static void look_load(
	struct queue_look *look, const struct queue_options *asked, struct look_probes *probes)
{
	if (asked->only == QUEUE_ONLY_DISK)
		str_add(&look->cpu.why, "not asked for");
	else
		look->cpu.looked = !queue_probe_cpu(&probes->cpu, &look->cpu.why);
	if (asked->only == QUEUE_ONLY_CPU)
		str_add(&look->block.why, "not asked for");
	else
		look->block.looked = !queue_probe_block(&probes->block, &look->block.why);
}

static void look_queue_count(struct look_probes *probes, uint32_t counting)
{
	if (probes->cpu.skeleton)
		*probes->cpu.counting = counting;
	if (probes->block.skeleton)
		*probes->block.counting = counting;
}

static void look_queue_take(struct queue_look *look, struct look_probes *probes, bool all)
{
	if (probes->cpu.skeleton)
		queue_probe_take(&probes->cpu, &look->matrix, probes->groups, all);
	if (probes->block.skeleton)
		queue_probe_take(&probes->block, &look->matrix, probes->groups, all);
}

static void look_queue_wait(struct queue_look *look, struct look_probes *probes, double seconds)
{
	const double began = monotonic_seconds();
	double taken = began, now = began;

	while (now - began < seconds && !progress_interrupted()) {
		const double left = seconds - (now - began);

		progress_show("looking at the queues", (now - began) / seconds);
		poll(NULL, 0, left * 1000 < TICK_MS ? (int)(left * 1000) + 1 : TICK_MS);
		now = monotonic_seconds();
		if (now - taken < TAKE_S)
			continue;
		look_queue_take(look, probes, false);
		taken = now;
	}
	look->seconds = now - began;
	look->interrupted = progress_told_to_stop();
	progress_end();
}

static void look_at(
	struct queue_look *look, const struct queue_options *asked, struct look_probes *probes)
{
	const struct party *a = asked->has_a ? &asked->a : NULL;

	if (probes->cpu.skeleton)
		people_delays_begin(&look->delays, a);
	look_queue_count(probes, 1);
	look_queue_wait(look, probes, asked->seconds);
	if (probes->cpu.skeleton) {
		queue_probe_still(&probes->cpu);
		people_delays_end(&look->delays, a);
	}
	look_queue_count(probes, 0);
	look_queue_take(look, probes, true);
	if (probes->cpu.skeleton)
		look->cpu.lost = *probes->cpu.lost;
	if (probes->block.skeleton)
		look->block.lost = *probes->block.lost;
}

/* Whether anybody in the matrix is of a party: one that lived for a moment is nowhere else. */
static bool look_has(const struct matrix *matrix, const struct party *party)
{
	size_t i;

	for (i = 0; i < matrix->n_people; i++)
		if (party_has(party, &matrix->people[i].is))
			return true;
	return false;
}

/* Nobody in sight: then there is no sum, and not a sum of 0. */
static int look_nobody(const struct queue_options *asked, const struct party *party)
{
	char *shown = escape_word(party->said);

	fprintf(stderr, "%s: there is no process '%s'\n", asked->program, shown);
	free(shown);
	return -ESRCH;
}

static bool look_is_missing(const struct queue_look *look, bool has, const struct party *party)
{
	return has && !people_has(party) && !look_has(&look->matrix, party);
}

/* A number that nobody has will not be anybody's who is meant. */
static int look_numbers(const struct queue_options *asked)
{
	if (asked->has_a && party_is_pid(&asked->a) && !people_has(&asked->a))
		return look_nobody(asked, &asked->a);
	if (asked->has_b && party_is_pid(&asked->b) && !people_has(&asked->b))
		return look_nobody(asked, &asked->b);
	return 0;
}

static int look_at_both(
	struct queue_look *look, const struct queue_options *asked, struct look_probes *probes)
{
	const bool had_a = asked->has_a && people_has(&asked->a),
		   had_b = asked->has_b && people_has(&asked->b);

	probes->groups = cgroup_names_new();
	look_at(look, asked, probes);
	cgroup_names_free(probes->groups);
	if (!had_a && look_is_missing(look, asked->has_a, &asked->a))
		return look_nobody(asked, &asked->a);
	if (!had_b && look_is_missing(look, asked->has_b, &asked->b))
		return look_nobody(asked, &asked->b);
	return 0;
}

int queue_look(struct queue_look *look, const struct queue_options *asked)
{
	struct look_probes probes = {0};
	struct str why = STR_INIT;

	int err = look_numbers(asked);

	*look = (struct queue_look){0};
	if (err)
		return err;
	if (queue_probe_numbers_are_ours(&why))
		look_load(look, asked, &probes);
	else
		str_add(&look->cpu.why, str_text(&why));
	str_free(&why);
	if (look->cpu.looked || look->block.looked) {
		err = look_at_both(look, asked, &probes);
	} else {
		err = -EACCES;
		fprintf(stderr, "%s: the queues cannot be looked at: %s\n", asked->program,
			str_text(asked->only == QUEUE_ONLY_DISK && look->block.why.len
					? &look->block.why
					: &look->cpu.why));
	}
	queue_probe_close(&probes.cpu);
	queue_probe_close(&probes.block);
	return err;
}

void queue_look_free(struct queue_look *look)
{
	matrix_free(&look->matrix);
	people_delays_free(&look->delays);
	str_free(&look->cpu.why);
	str_free(&look->block.why);
}
