/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose requests stood before a process's own, in the queue of a device and in the device? */
#include "base/banned.h"

#include "base/clock.h"
#include "tools/queue/probe_block.h"
#include "tools/queue/words.h"
#include "tools/wait/answer.h"
#include "tools/wait/disks.h"
#include "tools/wait/sort.h"
#include "tools/wait/watch.h"

#define TAKE_SECONDS 1.0

void wait_disks_open(struct wait_disks *disks)
{
	disks->looked = !queue_probe_block(&disks->probe, &disks->why);
}

void wait_disks_begin(struct wait_disks *disks)
{
	disks->taken = monotonic_seconds();
	if (disks->looked)
		*disks->probe.counting = 1;
}

void wait_disks_take(struct wait_disks *disks)
{
	const double now = monotonic_seconds();

	if (!disks->looked || now - disks->taken < TAKE_SECONDS)
		return;
	queue_probe_take(&disks->probe, &disks->matrix, NULL, false);
	disks->taken = now;
}

void wait_disks_end(struct wait_disks *disks)
{
	if (!disks->looked)
		return;
	*disks->probe.counting = 0;
	queue_probe_take(&disks->probe, &disks->matrix, NULL, true);
	disks->lost = *disks->probe.lost;
	queue_probe_close(&disks->probe);
}

void wait_disks_free(struct wait_disks *disks)
{
	queue_probe_close(&disks->probe);
	matrix_free(&disks->matrix);
	str_free(&disks->why);
}

static struct wait_disk *disks_device(struct wait_answer *answer, uint32_t device)
{
	struct str name = STR_INIT;
	struct wait_disk *disk;
	size_t i;

	for (i = 0; i < answer->n_disks; i++)
		if (answer->disks[i].device == device)
			return &answer->disks[i];
	ARRAY_GROW(answer->disks, answer->n_disks, answer->disks_room);
	disk = &answer->disks[answer->n_disks++];
	queue_words_device(&name, device);
	*disk = (struct wait_disk){.device = device, .name = str_take(&name)};
	return disk;
}

static void disks_add(
	struct wait_answer *answer, const struct matrix *matrix, const struct matrix_cell *cell)
{
	const struct waits_sum sum = {cell->ns, cell->count, cell->longest_ns};
	const struct matrix_person *ahead = &matrix->people[cell->person];
	struct wait_disk *disk = disks_device(answer, cell->device);
	struct str text = STR_INIT;

	if (cell->ahead)
		str_add(&text, queue_words_nobody(cell->ahead));
	else
		wait_sort_who(&text, answer->process, ahead->is.pid, ahead->name);
	wait_row_add(&disk->ahead, &sum, str_text(&text), cell->ahead ? 0 : ahead->is.pid);
	str_free(&text);
}

void wait_disks_sort(struct wait_answer *answer, const struct wait_disks *disks)
{
	const struct matrix *matrix = &disks->matrix;
	size_t i;

	for (i = 0; i < matrix->n_cells; i++)
		if (matrix->people[matrix->cells[i].waiter].is.pid == answer->process->pid)
			disks_add(answer, matrix, &matrix->cells[i]);
	for (i = 0; i < answer->n_disks; i++)
		wait_row_order(&answer->disks[i].ahead);
}
