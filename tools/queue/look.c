/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"
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

int queue_look(struct queue_look *look, const struct queue_options *asked)
{
	struct look_probes probes = {0};
	struct str why = STR_INIT;

	*look = (struct queue_look){0};
	if (queue_probe_numbers_are_ours(&why))
		look_load(look, asked, &probes);
	else
		str_add(&look->cpu.why, str_text(&why));
	str_free(&why);
	if (look->cpu.looked || look->block.looked) {
		probes.groups = cgroup_names_new();
		look_at(look, asked, &probes);
		cgroup_names_free(probes.groups);
	} else {
		fprintf(stderr, "%s: the queues cannot be looked at: %s\n", asked->program,
			str_text(asked->only == QUEUE_ONLY_DISK && look->block.why.len
					? &look->block.why
					: &look->cpu.why));
	}
	queue_probe_close(&probes.cpu);
	queue_probe_close(&probes.block);
	return look->cpu.looked || look->block.looked ? 0 : -EACCES;
}

void queue_look_free(struct queue_look *look)
{
	matrix_free(&look->matrix);
	people_delays_free(&look->delays);
	str_free(&look->cpu.why);
	str_free(&look->block.why);
}
