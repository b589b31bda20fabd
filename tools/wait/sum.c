/* SPDX-License-Identifier: GPL-2.0-only */
/* How do several processes add up to one? */
#include "base/banned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tools/wait/answer.h"
#include "tools/wait/sort.h"
#include "tools/wait/sum.h"
#include "tools/wait/watch.h"

/* One name is one entry, whoever of them waited for it. */
static void sum_add_row(struct wait_row *to, const struct wait_row *row, uint32_t pid)
{
	const uint64_t whole = to->ns + row->ns;
	size_t i;

	for (i = 0; i < row->n; i++) {
		const struct wait_named *named = &row->named[i];
		const struct waits_sum sum = {named->ns, named->count, named->max_ns};

		wait_row_add(to, &sum, named->text, named->pid);
	}
	to->ns = whole;
	if (row->ns > to->most_ns) {
		to->most_ns = row->ns;
		to->most_pid = pid;
	}
}

static void sum_add_disks(struct wait_answer *sum, const struct wait_answer *answer)
{
	size_t i, k;

	for (i = 0; i < answer->n_disks; i++) {
		const struct wait_disk *disk = &answer->disks[i];

		for (k = 0; k < sum->n_disks && sum->disks[k].device != disk->device; k++)
			;
		if (k == sum->n_disks) {
			ARRAY_GROW(sum->disks, sum->n_disks, sum->disks_room);
			sum->disks[sum->n_disks++] = (struct wait_disk){
				.device = disk->device, .name = mem_strdup(disk->name)};
		}
		sum_add_row(&sum->disks[k].ahead, &disk->ahead, answer->process->pid);
	}
}

static void sum_add_child(struct wait_process *to, const struct wait_child *child)
{
	size_t i;

	for (i = 0; i < to->n_children; i++)
		if (!strcmp(to->children[i].comm, child->comm))
			break;
	if (i == to->n_children) {
		ARRAY_GROW(to->children, to->n_children, to->children_room);
		to->children[to->n_children++] = *child;
		return;
	}
	to->children[i].sum.count += child->sum.count;
	to->children[i].sum.exec_ns += child->sum.exec_ns;
	to->children[i].sum.life_ns += child->sum.life_ns;
}

static void sum_add_process(struct wait_process *to, const struct wait_process *process)
{
	size_t i;

	for (i = 0; i < WAITS_PARTS; i++) {
		to->seen.part_ns[i] += process->seen.part_ns[i];
		to->n_slow[i] += process->n_slow[i];
		to->slow_ns[i] += process->slow_ns[i];
	}
	to->seen.exec_ns += process->seen.exec_ns;
	to->seen.switches += process->seen.switches;
	to->seen.calls += process->seen.calls;
	to->seen.nothing += process->seen.nothing;
	to->wall_ns += process->wall_ns;
	to->living += process->living;
	for (i = 0; i < process->n_slowest; i++)
		wait_process_add_slowest(to, &process->slowest[i]);
	for (i = 0; i < process->n_children; i++)
		sum_add_child(to, &process->children[i]);
}

void wait_sum_make(struct wait_answer *sum, struct wait_process *process, char *name,
	const struct wait_answer *list, size_t n)
{
	uint64_t cpu_ns;
	size_t i, k;

	*process = (struct wait_process){0};
	*sum = (struct wait_answer){.process = process, .name = name, .processes = n};
	for (i = 0; i < n; i++) {
		sum_add_process(process, list[i].process);
		for (k = 0; k < WAIT_CATEGORIES; k++)
			sum_add_row(&sum->rows[k], &list[i].rows[k], list[i].process->pid);
		sum_add_row(&sum->functions, &list[i].functions, list[i].process->pid);
		sum_add_disks(sum, &list[i]);
		sum->wall_ns += list[i].wall_ns;
		sum->parts_ns += list[i].parts_ns;
		sum->ended += list[i].process->seen.died_ns != 0;
	}
	for (k = 0; k < WAIT_CATEGORIES; k++)
		wait_row_order(&sum->rows[k]);
	wait_row_order(&sum->functions);
	for (k = 0; k < sum->n_disks; k++)
		wait_row_order(&sum->disks[k].ahead);
	cpu_ns = sum->rows[WAIT_USER].ns + sum->rows[WAIT_KERNEL].ns;
	sum->user_share = cpu_ns ? (double)sum->rows[WAIT_USER].ns / (double)cpu_ns : NAN;
}

void wait_sum_free_process(struct wait_process *process)
{
	free(process->children);
}
