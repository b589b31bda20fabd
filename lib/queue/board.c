/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include "base/str.h"
#include "queue/board.h"

void board_make(struct board *board, size_t cpus, size_t columns, double seconds)
{
	*board = (struct board){
		.cpus = cpus, .columns = columns, .column_ns = seconds * 1e9 / (double)columns};
	board->fields = mem_zalloc(cpus * columns * sizeof(*board->fields));
}

void board_free(struct board *board)
{
	free(board->fields);
	free(board->processes);
	number_map_free(&board->places);
	*board = (struct board){0};
}

struct board_field *board_field(const struct board *board, size_t cpu, size_t column)
{
	return &board->fields[cpu * board->columns + column];
}

const struct board_process *board_process(const struct board *board, uint32_t process)
{
	size_t at;

	return number_map_get(&board->places, process, &at) ? &board->processes[at] : NULL;
}

static void board_know(struct board *board, uint32_t process, const char *name, double ran_ns)
{
	size_t at;

	if (!process)
		return;
	if (!number_map_get(&board->places, process, &at)) {
		ARRAY_GROW(board->processes, board->n_processes, board->processes_room);
		at = board->n_processes++;
		board->processes[at] = (struct board_process){.process = process};
		number_map_add(&board->places, process, at);
	}
	/* The last name is that of the program that it became. */
	snprintf(board->processes[at].name, BOARD_NAME, "%s", name);
	board->processes[at].ran_ns += ran_ns;
}

static void board_add_runner(struct board_field *field, uint32_t process, double ns)
{
	struct board_share *least = field->runners;
	size_t i;

	for (i = 0; i < BOARD_RUNNERS; i++) {
		struct board_share *share = &field->runners[i];

		if (share->process == process || !share->process) {
			share->process = process;
			share->ns += ns;
			return;
		}
		if (share->ns < least->ns)
			least = share;
	}
	if (ns <= least->ns) {
		field->others_ns += ns;
		return;
	}
	field->others_ns += least->ns;
	*least = (struct board_share){.process = process, .ns = ns};
}

static void board_add_waiter(struct board_field *field, uint32_t process, double ns)
{
	field->waited_ns += ns;
	if (field->waiter.process == process)
		field->waiter.ns += ns;
	else if (ns > field->waiter.ns)
		field->waiter = (struct board_share){.process = process, .ns = ns};
}

/* Calls add for each field of a CPU between two times. */
static void board_each(struct board *board, size_t cpu, uint32_t process, uint64_t from_ns,
	uint64_t to_ns, void (*add)(struct board_field *field, uint32_t process, double ns))
{
	double from = (double)(int64_t)(from_ns - board->from_ns) / board->column_ns,
	       to = (double)(int64_t)(to_ns - board->from_ns) / board->column_ns;
	size_t column;

	if (from < 0)
		from = 0;
	if (to > (double)board->columns)
		to = (double)board->columns;
	for (column = (size_t)from; (double)column < to; column++) {
		const double start = (double)column > from ? (double)column : from,
			     end = (double)column + 1 < to ? (double)column + 1 : to;

		if (end > start)
			add(board_field(board, cpu, column), process,
				(end - start) * board->column_ns);
	}
}

static void board_add_idle(struct board_field *field, uint32_t process, double ns)
{
	(void)process;
	field->idle_ns += ns;
}

static bool board_begins(struct board *board, size_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	if (cpu >= board->cpus || to_ns <= from_ns)
		return false;
	if (!board->from_ns)
		board->from_ns = from_ns;
	if (to_ns > board->to_ns)
		board->to_ns = to_ns;
	return to_ns > board->from_ns;
}

void board_ran(struct board *board, size_t cpu, uint32_t process, const char *name,
	uint64_t from_ns, uint64_t to_ns)
{
	if (!board_begins(board, cpu, from_ns, to_ns))
		return;
	board_know(board, process, name, (double)(to_ns - from_ns));
	board_each(
		board, cpu, process, from_ns, to_ns, process ? board_add_runner : board_add_idle);
}

void board_waited(struct board *board, size_t cpu, uint32_t process, const char *name,
	uint64_t from_ns, uint64_t to_ns)
{
	/* A wait may have begun long before anybody looked. */
	if (!board->from_ns || !board_begins(board, cpu, from_ns, to_ns))
		return;
	board_know(board, process, name, 0);
	board_each(board, cpu, process, from_ns, to_ns, board_add_waiter);
}

const struct board_share *board_runner(const struct board_field *field)
{
	const struct board_share *most = field->runners;
	size_t i;

	for (i = 1; i < BOARD_RUNNERS; i++)
		if (field->runners[i].ns > most->ns)
			most = &field->runners[i];
	return most->ns > 0 ? most : NULL;
}

double board_known_ns(const struct board_field *field)
{
	double ns = field->idle_ns + field->others_ns;
	size_t i;

	for (i = 0; i < BOARD_RUNNERS; i++)
		ns += field->runners[i].ns;
	return ns;
}

double board_idle_elsewhere(const struct board *board, size_t cpu, size_t column, size_t *which)
{
	double most = 0;
	size_t other;

	for (other = 0; other < board->cpus; other++) {
		const double idle = board_field(board, other, column)->idle_ns;

		if (other == cpu || idle <= most)
			continue;
		most = idle;
		if (which)
			*which = other;
	}
	return most;
}

double board_wasted_ns(const struct board *board, size_t cpu, size_t column)
{
	const double waited = board_field(board, cpu, column)->waited_ns,
		     idle = board_idle_elsewhere(board, cpu, column, NULL);

	return waited < idle ? waited : idle;
}

double board_seconds(const struct board *board)
{
	const double whole = board->column_ns * (double)board->columns / 1e9,
		     told = (double)(board->to_ns - board->from_ns) / 1e9;

	return told < whole ? told : whole;
}

static int board_by_time(const void *a, const void *b)
{
	const struct board_process *left = a, *right = b;

	return (left->ran_ns < right->ran_ns) - (left->ran_ns > right->ran_ns);
}

/* Who comes first has the colour of his number, another one with that the next that is free. */
static void board_give_colors(struct board *board)
{
	bool taken[BOARD_COLORS] = {false};
	size_t i;

	for (i = 0; i < board->n_processes; i++) {
		struct board_process *process = &board->processes[i];
		unsigned int color = process->process % BOARD_COLORS;

		process->color = BOARD_COLORS;
		if (i >= BOARD_COLORS)
			continue;
		while (taken[color])
			color = (color + 1) % BOARD_COLORS;
		taken[color] = true;
		process->color = color;
	}
}

void board_sort(struct board *board)
{
	size_t i;

	if (board->n_processes)
		qsort(board->processes, board->n_processes, sizeof(*board->processes),
			board_by_time);
	number_map_clear(&board->places);
	for (i = 0; i < board->n_processes; i++)
		number_map_add(&board->places, board->processes[i].process, i);
	board_give_colors(board);
}
