/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/str.h"
#include "base/unit.h"
#include "queue/board.h"
#include "tools/queue/board_text.h"

#define LETTERS BOARD_COLORS /* of those who ran most, in that order */
#define OTHERS '+'

/* Of 256 colours, told apart by most; never the only sign. */
static const int board_text_colors[BOARD_COLORS] = {
	33, 208, 71, 162, 37, 178, 99, 131, 66, 172, 140, 109};

static size_t board_text_rank(const struct board *board, uint32_t process)
{
	const struct board_process *known = board_process(board, process);

	return known ? (size_t)(known - board->processes) : LETTERS;
}

/* Who had most of it, idle for '.', and '?' where most of it is not known. */
static char board_text_who(const struct board *board, const struct board_field *field)
{
	const struct board_share *runner = board_runner(field);
	const double known = board_known_ns(field);
	size_t rank;

	if (known < board->column_ns / 2)
		return '?';
	if (!runner || field->idle_ns > known / 2)
		return '.';
	rank = board_text_rank(board, runner->process);
	return rank < LETTERS ? (char)('A' + rank) : OTHERS;
}

static void board_text_letter(struct str *out, const struct board *board, char letter, bool color)
{
	if (color && letter >= 'A' && letter < 'A' + LETTERS)
		str_addf(out, "\033[48;5;%dm\033[38;5;16m%c\033[0m",
			board_text_colors[board->processes[letter - 'A'].color], letter);
	else
		str_addc(out, letter);
}

/* How many wait, or '!' where another CPU was idle for half of that time. */
static char board_text_waits(const struct board *board, size_t cpu, size_t column)
{
	const struct board_field *field = board_field(board, cpu, column);
	const double waiting = field->waited_ns / board->column_ns;

	if (board_wasted_ns(board, cpu, column) >= board->column_ns / 2)
		return '!';
	if (waiting < 0.5)
		return ' ';
	return waiting < 9.5 ? (char)('0' + (int)(waiting + 0.5)) : OTHERS;
}

static void board_text_cpu(struct str *out, const struct board *board, size_t cpu, bool color)
{
	bool waits = false;
	size_t column;

	str_addf(out, "CPU %-4zu", cpu);
	for (column = 0; column < board->columns; column++)
		board_text_letter(
			out, board, board_text_who(board, board_field(board, cpu, column)), color);
	str_addc(out, '\n');
	for (column = 0; column < board->columns; column++)
		waits |= board_text_waits(board, cpu, column) != ' ';
	if (!waits)
		return;
	str_add(out, " waiting");
	for (column = 0; column < board->columns; column++)
		str_addc(out, board_text_waits(board, cpu, column));
	while (out->text[out->len - 1] == ' ')
		out->text[--out->len] = 0;
	str_addc(out, '\n');
}

static void board_text_legend(struct str *out, const struct board *board, bool color)
{
	const double all = board_seconds(board) * 1e9 * (double)board->cpus;
	size_t i;

	for (i = 0; i < board->n_processes && i < LETTERS && board->processes[i].ran_ns > 0; i++) {
		const struct board_process *process = &board->processes[i];

		str_add(out, "  ");
		board_text_letter(out, board, (char)('A' + i), color);
		str_addc(out, ' ');
		escape_name(out, process->name);
		str_addf(out, " (%" PRIu32 "), ", process->process);
		value_for_people(out, process->ran_ns / all, UNIT_RATIO);
		str_add(out, " of all CPUs\n");
	}
	str_add(out,
		"  . idle, + others, ? not seen; below: how many threads wait for that CPU, and\n"
		"  ! where another CPU was idle meanwhile, for half of the field or more\n");
}

void board_text_sentence(struct str *out, const struct board *board)
{
	double waited = 0, wasted = 0;
	size_t cpu, column;

	for (cpu = 0; cpu < board->cpus; cpu++)
		for (column = 0; column < board->columns; column++) {
			waited += board_field(board, cpu, column)->waited_ns;
			wasted += board_wasted_ns(board, cpu, column);
		}
	str_add(out, "Threads waited ");
	value_for_people(out, waited / 1e9, UNIT_SECONDS);
	str_add(out, " for CPUs in ");
	value_for_people(out, board_seconds(board), UNIT_SECONDS);
	str_add(out, ", and beside at most ");
	value_for_people(out, wasted / 1e9, UNIT_SECONDS);
	str_add(out, " of that another CPU was idle");
}

void board_text(struct str *out, const struct board *board, uint64_t lost, bool color)
{
	size_t cpu;

	board_text_sentence(out, board);
	str_add(out, ".\n\n");
	for (cpu = 0; cpu < board->cpus; cpu++)
		board_text_cpu(out, board, cpu, color);
	str_add(out, "        each field is ");
	value_for_people(out, board->column_ns / 1e9, UNIT_SECONDS);
	str_add(out, ", of which who had most of it is shown\n\n");
	board_text_legend(out, board, color);
	if (lost)
		str_addf(out, "%" PRIu64 " switches had no room and are missing in the picture.\n",
			lost);
}
