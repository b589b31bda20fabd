/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include "base/str.h"
#include "queue/board.h"
#include "tests/unit/tap.h"
#include "tools/queue/board_svg.h"
#include "tools/queue/board_text.h"

#define MS 1000000ull
#define BEGIN 5000000000ull

/* Two CPUs for 40 ms in four columns: web and a hostile name share CPU 0 while CPU 1 is idle for
 * the second half. */
static void board_test_make(struct board *board)
{
	board_make(board, 2, 4, 0.04);
	board_waited(board, 0, 7, "early", BEGIN - 100 * MS, BEGIN + 5 * MS);
	board_ran(board, 0, 1, "web", BEGIN, BEGIN + 15 * MS);
	board_ran(board, 0, 2, "<b>\033[1m", BEGIN + 15 * MS, BEGIN + 40 * MS);
	board_waited(board, 0, 2, "<b>\033[1m", BEGIN + 5 * MS, BEGIN + 15 * MS);
	board_waited(board, 0, 1, "web", BEGIN + 20 * MS, BEGIN + 60 * MS);
	board_ran(board, 1, 3, "other", BEGIN, BEGIN + 20 * MS);
	board_ran(board, 1, 0, "swapper/1", BEGIN + 20 * MS, BEGIN + 40 * MS);
	board_ran(board, 9, 3, "beyond", BEGIN, BEGIN + 20 * MS);
	board_sort(board);
}

static bool board_test_near(double ns, double ms)
{
	return ns > (ms - 0.001) * 1e6 && ns < (ms + 0.001) * 1e6;
}

static void board_tests_fields(const struct board *board)
{
	const struct board_field *second = board_field(board, 0, 1),
				 *last = board_field(board, 0, 3);

	ok(board_runner(board_field(board, 0, 0))->process == 1, "who had the CPU is known");
	ok(board_test_near(board_known_ns(second), 10), "a field is full");
	ok(board_test_near(second->waited_ns, 5), "a wait is cut at the end of a field");
	ok(second->waiter.process == 2, "and who waited is known");
	ok(board_test_near(last->waited_ns, 10), "what goes on beyond the board is cut");
	ok(board_test_near(board_field(board, 0, 0)->waited_ns, 5),
		"a wait that was told before anybody ran is left out");
	ok(board_test_near(board_field(board, 1, 2)->idle_ns, 10), "nobody is idle");
	ok(board_test_near(board_wasted_ns(board, 0, 3), 10),
		"who waits beside an idle CPU is seen");
	ok(board_test_near(board_wasted_ns(board, 0, 1), 0), "and nobody beside a busy one");
	ok(board->processes[0].process == 2, "who ran most is the first");
	ok(!board_process(board, 9), "nobody is made up");
	ok(board_test_near(board_seconds(board) * 1e9, 40), "it is as long as it was looked at");
}

static void board_tests_pictures(const struct board *board)
{
	struct str out = STR_INIT;

	board_text(&out, board, 3, false);
	ok(strstr(str_text(&out), "CPU 0   CCAA\n") && strstr(str_text(&out), "CPU 1   BB..\n"),
		"CPUs are lines of letters");
	ok(strstr(str_text(&out), "!!\n"), "who waits beside an idle CPU is marked");
	ok(!strchr(str_text(&out), '\033'), "no name gets through to the terminal as it is");
	ok(strstr(str_text(&out), "3 switches had no room"), "what was lost is said");
	str_clear(&out);
	board_svg(&out, board, 0);
	ok(strstr(str_text(&out), "&lt;b&gt;") && !strstr(str_text(&out), "<b>"),
		"nor to the browser");
	ok(strstr(str_text(&out), "class=\"wasted\""), "and it is red there");
	str_free(&out);
}

/* The colours of two pictures, of which the second has these as well, in another order. */
static void board_tests_colors(void)
{
	static const uint32_t first[] = {4711, 4723}, second[] = {100, 4723, 4711};
	const struct board_process *one, *other;
	unsigned int before;
	struct board board;
	size_t i;

	board_make(&board, 1, 10, 1);
	for (i = 0; i < ARRAY_SIZE(first); i++)
		board_ran(&board, 0, first[i], "x", i * 1000, i * 1000 + 900 - i);
	board_sort(&board);
	one = board_process(&board, 4711);
	other = board_process(&board, 4723);
	before = one->color;
	ok(before == 4711 % BOARD_COLORS, "a process has the colour of its number");
	ok(other->color != before && other->color < BOARD_COLORS,
		"another one with that number's colour has one of its own");
	board_free(&board);
	board_make(&board, 1, 10, 1);
	for (i = 0; i < ARRAY_SIZE(second); i++)
		board_ran(&board, 0, second[i], "x", i * 1000, i * 1000 + 800 + i);
	board_sort(&board);
	ok(board_process(&board, 4711)->color == before, "and the same in the next picture");
	board_free(&board);
}

int main(void)
{
	struct board board;

	board_test_make(&board);
	board_tests_fields(&board);
	board_tests_pictures(&board);
	board_free(&board);
	board_tests_colors();
	return tap_done();
}
