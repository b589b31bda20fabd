/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the clocks of a watch on naps become the right rows of the right seconds? */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/unit/tap.h"
#include "tools/nap/map.h"
#include "tools/nap/options.h"
#include "tools/nap/report.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define LOOK (20 * MS)

/* What a name has in a row of a second, in microseconds. */
static uint64_t ran(const struct nap_map *map, const char *name, uint64_t second, uint32_t row)
{
	uint64_t us = 0;
	size_t i;

	for (i = 0; i < map->map.n_cells; i++) {
		const struct heatmap_cell *cell = &map->map.cells[i];

		if (heatmap_column(&map->map, cell->column) == second && cell->row == row &&
			!strcmp(map->map.names[cell->name], name))
			us += cell->weight;
	}
	return us;
}

/* Three seconds of one that runs, but for 300 to 700 ms of the second one, in which the other does.
 * Looks are 5 ms behind the rows. */
static void watch(struct nap_map *map, struct nap_watch *watch)
{
	struct nap_process *riak = &watch->processes.list[0], *other = &watch->processes.list[1];
	uint64_t at;

	for (at = SECOND + 5 * MS; at < 4 * SECOND; at += LOOK) {
		const bool naps = at > 2 * SECOND + 310 * MS && at <= 2 * SECOND + 710 * MS;

		riak->time_ns = other->time_ns = watch->now_ns = at;
		riak->cpu_ns += naps ? 0 : LOOK;
		other->cpu_ns += naps ? LOOK : 0;
		nap_map_look(map, watch);
	}
}

static void test_rows(void)
{
	struct nap_process list[2] = {{.pid = 812, .comm = "riak", .quick = true},
		{.pid = 77, .comm = "a|b", .quick = true}};
	struct nap_watch watched = {.processes = {.list = list, .n = 2}};
	struct nap_map map;
	uint32_t row;
	uint64_t napped = 0, others = 0;

	nap_map_init(&map);
	watch(&map, &watched);
	for (row = 17; row < 34; row++) {
		napped += ran(&map, "riak (812)", 2, row);
		others += ran(&map, "a_b (77)", 2, row);
	}
	ok(napped == 0 && others == 17 * 20000,
		"a nap is white, and who ran meanwhile is in its rows");
	ok(ran(&map, "riak (812)", 2, 10) == 20000 && ran(&map, "riak (812)", 3, 0) == 20000,
		"before and after it each row is full");
	ok(ran(&map, "riak (812)", 2, 15) == 5000,
		"a look that ends within a row has its part of it");
	list[0].cpu_ns += SECOND;
	list[0].time_ns += SECOND;
	nap_map_look(&map, &watched);
	ok(ran(&map, "riak (812)", 4, 0) == 0,
		"of a clock that was not read it is not known where");
	nap_map_free(&map);
}

static void test_marks(void)
{
	struct nap_options asked = {.common = {.n_names = 0}};
	struct nap_watch watched = {0};
	struct nap_sleeper sleeper = {.pid = 812, .comm = "riak", .naps = 2, .napped_ns = SECOND};
	struct nap_report report = {
		.asked = &asked, .watch = &watched, .sleepers = &sleeper, .n = 1};
	struct nap_map_words words = {STR_INIT, STR_INIT, STR_INIT};
	struct heatmap_show show;
	struct nap_map map;

	nap_map_init(&map);
	sleeper.blame = (struct nap_blame){.n = 1, .named = true};
	snprintf(sleeper.blame.suspects[0].comm, PROC_COMM, "memsup");
	sleeper.blame.suspects[0].pid = 9;
	nap_map_show(&show, &map, &report, &words, 0);
	ok(!strcmp(show.marks[0], "riak (812)") && !strcmp(show.marks[1], "memsup (9)"),
		"who napped and the culprit have colours");
	ok(strstr(show.look.title, "riak (812) napped 2 times") != NULL,
		"the title says what was found");
	nap_map_words_free(&words);
	nap_map_free(&map);
}

int main(void)
{
	test_rows();
	test_marks();
	return tap_done();
}
