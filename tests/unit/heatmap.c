/* SPDX-License-Identifier: GPL-2.0-only */
/* Is each event in its cell, do maps add up, are shades and periods right, and is text escaped? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "heatmap/axis.h"
#include "heatmap/cells_file.h"
#include "heatmap/gaps.h"
#include "heatmap/grid.h"
#include "heatmap/heatmap.h"
#include "heatmap/input.h"
#include "heatmap/number.h"
#include "heatmap/periods.h"
#include "heatmap/show.h"
#include "heatmap/tick.h"
#include "heatmap/who.h"
#include "tests/unit/tap.h"

#define SECOND 1000000000ull
#define MS 1000000ull

static const struct heatmap_view whole = {.columns_max = 100, .rows_max = 100};

static int read_text(struct heatmap *map, struct heatmap_input *input, const char *text)
{
	struct str why = STR_INIT;
	int fd = memfd_create("heatmap", MFD_CLOEXEC), err;

	if (!input->period_ns)
		input->period_ns = input->column_ns = SECOND;
	if (!input->time_unit_ns)
		input->time_unit_ns = input->latency_unit_ns = SECOND;
	ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !lseek(fd, 0, 0),
		"a file of %zu bytes", strlen(text));
	err = heatmap_input_read(input, map, fd, &why);
	if (why.len)
		printf("# %s\n", str_text(&why));
	close(fd);
	str_free(&why);
	return err;
}

static void test_cells(void)
{
	struct heatmap map;
	struct heatmap_grid grid;
	uint64_t first;
	uint16_t a, b;

	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 100);
	a = heatmap_name(&map, "a");
	b = heatmap_name(&map, "b");
	ok(a != b && heatmap_name(&map, "a") == a, "a name has one number");
	heatmap_add(&map, 12 * SECOND + 345 * MS, 0, a, 2);
	heatmap_add(&map, 12 * SECOND + 349 * MS, 0, b, 3);
	heatmap_add(&map, 10 * SECOND + 999999999, 0, a, 1);
	heatmap_add(&map, 14 * SECOND, 0, a, 1);
	ok(heatmap_columns(&map, &first) == 5 && first == 10,
		"an event before the first one has its column");
	ok(!heatmap_grid_make(&grid, &map, &whole) && grid.columns == 5 && grid.rows == 100,
		"five seconds of 100 rows");
	ok(heatmap_grid_at(&grid, 2, 34)->weight == 5, "both are in second 12, row 340 ms");
	ok(heatmap_grid_at(&grid, 0, 99)->weight == 1, "the last nanosecond is in the last row");
	ok(heatmap_grid_at(&grid, 4, 0)->weight == 1, "a whole second is in the first row");
	ok(heatmap_grid_at(&grid, 0, 0)->unseen && !heatmap_grid_at(&grid, 0, 99)->unseen &&
			heatmap_grid_at(&grid, 4, 1)->unseen &&
			!heatmap_grid_at(&grid, 1, 0)->unseen,
		"what was not watched of the first and the last second is known as that");
	ok(grid.total == 7 && grid.most == 5, "sums");
	heatmap_grid_free(&grid);
	heatmap_add(&map, 200000 * SECOND, 0, a, 1);
	ok(map.outside == 1 && map.total == 7, "what lies two days away is no column");
	heatmap_free(&map);
}

static void test_spans(void)
{
	struct heatmap_grid grid;
	struct heatmap map;
	bool whole_rows = true;

	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 50);
	heatmap_add_span(
		&map, 3 * SECOND + 970 * MS, 4 * SECOND + 30 * MS, heatmap_name(&map, "x"));
	ok(!heatmap_grid_make(&grid, &map, &whole) && grid.columns == 2 && grid.total == 60000,
		"a span over the end of a second has all of its microseconds");
	ok(heatmap_grid_at(&grid, 0, 48)->weight == 10000 &&
			heatmap_grid_at(&grid, 0, 49)->weight == 20000 &&
			heatmap_grid_at(&grid, 1, 0)->weight == 20000 &&
			heatmap_grid_at(&grid, 1, 1)->weight == 10000,
		"each row what it has of it");
	heatmap_grid_free(&grid);
	heatmap_free(&map);
	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 99);
	heatmap_add_span(&map, 0, 10 * SECOND, heatmap_name(&map, "x"));
	for (size_t i = 0; i < map.n_cells; i++)
		whole_rows =
			whole_rows && map.cells[i].weight >= 10100 && map.cells[i].weight <= 10102;
	ok(whole_rows && map.n_cells == 990, "ten seconds fill each row of 99");
	heatmap_add_span(&map, 7, 7, 0);
	heatmap_add_span(&map, 0, UINT64_MAX, 0);
	ok(map.n_cells == 990, "no time, and more than there can be, are none");
	heatmap_free(&map);
}

static void test_latency_rows(void)
{
	bool good = true;

	for (uint32_t row = 0; row < HEATMAP_LATENCY_ROWS; row++) {
		const uint64_t least = heatmap_latency_least(row);

		good = good && heatmap_latency_row(least) == row &&
			(row == 0 || heatmap_latency_row(least - 1) == row - 1);
	}
	ok(good, "each latency is in the row that it says");
	ok(heatmap_latency_row(UINT64_MAX) == HEATMAP_LATENCY_ROWS - 1, "the longest in the last");
}

static void test_folding(void)
{
	struct heatmap_view view = {.columns_max = 2, .rows_max = 50};
	struct heatmap_grid grid;
	struct heatmap map;

	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 99);
	for (uint64_t i = 0; i < 5; i++)
		heatmap_add(&map, i * SECOND + 5 * MS, 0, heatmap_name(&map, "x"), 1);
	ok(!heatmap_grid_make(&grid, &map, &view) && grid.rows == 33 && grid.fold_rows == 3,
		"99 rows are drawn as 33 of three ticks each, not as 50 of two or one");
	ok(grid.columns == 2 && grid.fold_columns == 3 && heatmap_grid_at(&grid, 0, 0)->weight == 3,
		"seconds that find no room are laid over each other");
	heatmap_grid_free(&grid);
	map.rows = 97;
	ok(!heatmap_grid_make(&grid, &map, &view) && grid.rows == 97,
		"a prime number of rows stays");
	heatmap_grid_free(&grid);
	heatmap_free(&map);
}

static void test_marks(void)
{
	struct heatmap_view view = {
		.columns_max = 10, .rows_max = 100, .isolate = "zone", .marks = {"ria", "zone"}};
	struct heatmap_grid grid, all;
	struct heatmap_who *who;
	struct heatmap map;

	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 100);
	heatmap_add(&map, 1, 0, heatmap_name(&map, "riak"), 4);
	heatmap_add(&map, 1, 0, heatmap_name(&map, "zoneadmd"), 1);
	heatmap_add(&map, 3 * SECOND, 0, heatmap_name(&map, "riak"), 1);
	ok(!heatmap_grid_make(&grid, &map, &view) && grid.columns == 4 && grid.total == 1,
		"who is isolated keeps the width of all");
	heatmap_grid_free(&grid);
	view.isolate = NULL;
	ok(!heatmap_grid_make(&all, &map, &view) && all.marked[0] == 5 && all.marked[1] == 1 &&
			heatmap_grid_at(&all, 0, 0)->marked[0] == 4,
		"who is highlighted is known in each square");
	heatmap_grid_free(&all);
	ok(heatmap_who_between(&map, 5 * MS, 5 * MS + 1, &who) == 2 &&
			!strcmp(who[0].name, "riak") && who[0].weight == 4,
		"--at: who was there, the most first");
	free(who);
	ok(heatmap_who_between(&map, 2 * SECOND, 2 * SECOND + 1, &who) == 0, "and nobody");
	free(who);
	view.has_range = true;
	view.from_ns = 2 * SECOND;
	view.to_ns = 4 * SECOND;
	ok(!heatmap_grid_make(&grid, &map, &view) && grid.columns == 2 && grid.total == 1 &&
			grid.beyond == 5,
		"a range has its own columns, and what is beyond is counted");
	heatmap_grid_free(&grid);
	view.from_ns = 90 * SECOND;
	view.to_ns = 91 * SECOND;
	ok(heatmap_grid_make(&grid, &map, &view) == -ENODATA, "a range with nothing in it");
	heatmap_grid_free(&grid);
	heatmap_free(&map);
}

static void test_shades(void)
{
	const struct heatmap_grid *grids[2];
	struct heatmap_scale rank, linear, both;
	struct heatmap_grid grid, other;
	struct heatmap map, more;

	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 100);
	heatmap_init(&more, HEATMAP_OFFSET, SECOND, 100);
	for (uint64_t i = 0; i < 5; i++)
		heatmap_add(&map, i * 10 * MS, 0, heatmap_name(&map, "x"), i < 4 ? i + 1 : 1000);
	heatmap_add(&more, 0, 0, heatmap_name(&more, "x"), 2000);
	heatmap_grid_make(&grid, &map, &whole);
	heatmap_grid_make(&other, &more, &whole);
	grids[0] = &grid;
	grids[1] = &other;
	heatmap_scale_make(&rank, false, grids, 1);
	heatmap_scale_make(&linear, true, grids, 1);
	heatmap_scale_make(&both, true, grids, 2);
	ok(heatmap_scale_shade(&rank, 0) == 0 && heatmap_scale_shade(&linear, 0) == 0,
		"an empty square has no shade");
	ok(fabs(heatmap_scale_shade(&rank, 3) - (0.12 + 0.88 * 0.5)) < 1e-9,
		"by rank the third of five is half dark");
	ok(heatmap_scale_shade(&linear, 3) < 0.13 && heatmap_scale_shade(&linear, 3) > 0.1,
		"by number it is nearly nothing, and still seen");
	ok(heatmap_scale_shade(&rank, 1000) == 1 && heatmap_scale_shade(&linear, 1000) == 1,
		"the most is the darkest");
	ok(heatmap_scale_shade(&both, 1000) < 0.6, "two maps have one scale");
	heatmap_scale_free(&rank);
	heatmap_scale_free(&linear);
	heatmap_scale_free(&both);
	heatmap_grid_free(&grid);
	heatmap_grid_free(&other);
	heatmap_free(&map);
	heatmap_free(&more);
}

/* A hostile name, in two columns. */
static void fill_hostile(struct heatmap *map)
{
	heatmap_add(map, 7 * SECOND, 0, heatmap_name(map, "<script>&\"\x1b[31m\xff\\\n]]>"), 3);
	heatmap_add(map, 9 * SECOND + 500 * MS, 0, heatmap_name(map, "b"), 1);
	heatmap_add_lost(map, 8 * SECOND, 12);
}

static bool same_maps(const struct heatmap *a, const struct heatmap *b)
{
	struct str x = STR_INIT, y = STR_INIT;
	bool same;

	cells_file_write(&x, a);
	cells_file_write(&y, b);
	same = !strcmp(str_text(&x), str_text(&y));
	str_free(&x);
	str_free(&y);
	return same;
}

static void test_file_and_merge(void)
{
	struct heatmap map, read, sum;
	struct heatmap_input input = {0};
	struct str text = STR_INIT, why = STR_INIT;
	uint64_t first;

	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 50);
	fill_hostile(&map);
	cells_file_write(&text, &map);
	ok(!read_text(&read, &input, str_text(&text)) && same_maps(&map, &read),
		"a map comes out of its file as it was");
	heatmap_init(&sum, HEATMAP_OFFSET, SECOND, 50);
	sum.hosts = 0;
	for (int i = 0; i < 200; i++)
		heatmap_merge(&sum, &read, &why);
	ok(sum.total == 800 && sum.hosts == 200 && sum.lost == 2400 && sum.n_cells == 2,
		"200 hosts: weights and losses are summed, cells are the same");
	for (size_t i = 0; i < 2; i++) {
		struct heatmap later;

		heatmap_init(&later, HEATMAP_OFFSET, SECOND, 50);
		sum.is_wall = later.is_wall = i;
		heatmap_add(&later, 1007 * SECOND, 0, heatmap_name(&later, "b"), 1);
		heatmap_merge(&sum, &later, &why);
		heatmap_free(&later);
		ok(heatmap_columns(&sum, &first) == (i ? 1001 : 3) && first == 7,
			i ? "times of the day stay what they are"
			  : "of other clocks the first columns are laid over each other");
	}
	sum.is_wall = false;
	heatmap_free(&read);
	heatmap_init(&read, HEATMAP_OFFSET, SECOND, 25);
	ok(heatmap_merge(&sum, &read, &why) == -EINVAL && strstr(str_text(&why), "50 rows"),
		"other rows are refused");
	heatmap_free(&read);
	text.text[text.len - 8] = 0;
	ok(read_text(&read, &input, text.text) == -EINVAL, "a file that was cut is refused");
	heatmap_free(&read);
	heatmap_free(&sum);
	heatmap_free(&map);
	str_free(&text);
	str_free(&why);
}

static void test_refused_files(void)
{
	static const char *const files[] = {
		"cell 1 1 0 5\nend 1\n",
		"name a\ncell 1 50 0 5\nend 1\n",
		"name a\ncell 1 49 0 0\nend 1\n",
		"name a\ncell 1 49 1 1\nend 1\n",
		"name a\ncell 1 49 0 99999999999\nend 1\n",
		"seen 9 3\nend 0\n",
		"end 3\n",
		"end 0\nend 0\n",
		"column 0\nend 0\n",
		"name a\ncell 1 49 0 1\nrows 3\nend 1\n",
		"nonsense\nend 0\n",
		"seen 1 18446744073709551615\nend 0\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *text = mem_printf("tuesday heat map 1\nkind offset\nrows 50\n%s", files[i]);
		struct heatmap_input input = {0};
		struct heatmap map;

		ok(read_text(&map, &input, text) == -EINVAL, "refused: %zu", i);
		heatmap_free(&map);
		free(text);
	}
}

static void test_perf_script(void)
{
	static const char text[] =
		"# a comment\n"
		"          my app 12/34 [001] 5.250000:   10101010 cpu-clock:ppp: \n"
		"\t    ffff81 do_read+0x12 ([kernel.kallsyms])\n"
		"\t    5555 a;b (inlined)\n"
		"\t    6666 main+0x3 (/bin/y)\n"
		"\n"
		"swapper     0 [000] 5.300000: cpu-clock: \n"
		"x 7 6.100000: sched:sched_switch: prev=1 [000] 9.9: b:\n"
		"no sample at all\n"
		"perf 9 [000] 6.200000: PERF_RECORD_LOST lost 15\n";
	struct str folded = STR_INIT;
	struct heatmap_input input = {.folded = &folded};
	struct heatmap map;

	ok(!read_text(&map, &input, text), "perf script text");
	ok(map.total == 2 && input.idle == 1 && map.lost == 15 && input.unread == 1,
		"samples, idle ones, lost ones and what is none");
	ok(!strcmp(str_text(&folded), "my app;main;a:b;do_read 1\nx 1\n"), "stacks are folded");
	heatmap_free(&map);
	str_clear(&folded);
	input.has_range = true;
	input.range_from_ns = SECOND;
	input.range_to_ns = 2 * SECOND;
	ok(!read_text(&map, &input, text) && !strcmp(str_text(&folded), "x 1\n"),
		"those of a range alone");
	heatmap_free(&map);
	str_free(&folded);
	ok(read_text(&map, &input, "hello\n") == -ENODATA, "a text without samples");
	heatmap_free(&map);
}

static void test_begin_and_end(void)
{
	static const char text[] = "a 1 [000] 5.000000: s:enter: fd: 1\n"
				   "b 2 [001] 5.100000:  s:enter: fd: 1\n"
				   "b 2 [001] 5.100250:  s:exit: 0x1\n"
				   "a 1 [001] 5.400000:  s:exit: 0x1\n"
				   "a 1 [001] 5.500000:  s:exit: 0x1\n"
				   "c 3 [001] 5.600000:      1  s:enter: \n";
	struct heatmap_input input = {.begin = "s:enter", .end = "s:exit"};
	struct heatmap map;

	ok(!read_text(&map, &input, text) && map.kind == HEATMAP_LATENCY && map.total == 2,
		"two threads have both events, an end without a begin is none");
	ok(map.cells[0].row == heatmap_latency_row(250000) &&
			map.cells[1].row == heatmap_latency_row(400 * MS) &&
			!strcmp(map.names[map.cells[1].name], "a"),
		"as long as it was between them");
	heatmap_free(&map);
}

static void test_pairs(void)
{
	struct heatmap_input input = {.time_unit_ns = SECOND, .latency_unit_ns = 1000};
	struct heatmap map;

	ok(!read_text(&map, &input, "1.5 250 a b\n2,7.5ms;c\n# x\n\nbad\n3 4x\n3 0.25\n"),
		"lines of time and latency are known without being told");
	ok(map.kind == HEATMAP_LATENCY && map.total == 3 && input.unread == 2, "three events");
	ok(map.cells[0].row == heatmap_latency_row(250000) &&
			map.cells[1].row == heatmap_latency_row(7500000) &&
			map.cells[2].row == heatmap_latency_row(250) &&
			!strcmp(map.names[map.cells[0].name], "a b"),
		"with units, of its own and of the file");
	ok(heatmap_latency_quantile(&map, 0.5) >= 250000 &&
			heatmap_latency_quantile(&map, 0.5) <= 282000,
		"half took 250 us at most, within the height of a row");
	heatmap_free(&map);
}

static void test_numbers(void)
{
	const char *at = " 18446744073709551615 ";
	uint64_t ns;

	ok(heatmap_number(&at, SECOND, &ns) == -ERANGE, "a time of 584 years of seconds");
	at = "1234567890.123456789123 x";
	ok(!heatmap_number(&at, SECOND, &ns) && ns == 1234567890123456789ull && !strcmp(at, " x"),
		"a time to the nanosecond");
	at = "-1";
	ok(heatmap_number(&at, SECOND, &ns) == -EINVAL, "no sign");
	at = "0.5us";
	ok(!heatmap_number(&at, SECOND, &ns) && ns == 500 && !*at, "a unit of its own");
}

static void test_ticks(void)
{
	struct tick_look looks[2000];
	size_t n = 0;

	for (uint64_t i = 0; i < 1000; i++)
		for (uint64_t cpu = 0; cpu < 2; cpu++)
			looks[n++] = (struct tick_look){
				cpu, (i + (i % 7 == 0)) * 10101010 + cpu * 1000 + i % 13};
	ok(heatmap_tick(looks, n) == 10101010, "99 Hz: %llu",
		(unsigned long long)heatmap_tick(looks, n));
	for (size_t i = 0; i < n; i++)
		looks[i].at_ns = i * i * 7919;
	ok(heatmap_tick(looks, n) == 0, "events at no fixed distance have no tick");
	ok(heatmap_tick_rows(SECOND, 0) == 100 && heatmap_tick_rows(SECOND, 10101010) == 99 &&
			heatmap_tick_rows(SECOND, 20408163) == 49 &&
			heatmap_tick_rows(SECOND, 1000000) == 100 &&
			heatmap_tick_rows(SECOND, 100000000) == 10,
		"rows are whole ticks");
	ok(999 % heatmap_tick_rows(SECOND, 1001001) == 0, "999 Hz: %u rows",
		heatmap_tick_rows(SECOND, 1001001));
}

/* A small generator of its own: the same in each run. */
static double noise(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(*state >> 11) / 9007199254740992.0;
}

static void test_periods(void)
{
	struct heatmap_periods_limits limits;
	struct heatmap_period found;
	struct str words = STR_INIT;
	double starts[400];
	uint64_t state = 1;
	size_t n = 0, by_chance = 0;

	heatmap_periods_limits_default(&limits);
	ok(limits.times == 10 && limits.regular == 0.1, "limits come from their file");
	for (size_t i = 0; i < 300; i++)
		starts[n++] = (double)i * 1.003 + noise(&state) * 0.002;
	ok(heatmap_period_of(starts, n, &limits, &found) && fabs(found.seconds - 1.003) < 1e-4,
		"every 1.003 s");
	found.name = "zabbix <agentd>";
	found.tid = 7;
	heatmap_period_words(&words, &found);
	ok(!strcmp(str_text(&words),
		   "zabbix\\x20<agentd> (thread 7): every 1.0030 s, so about one "
		   "interval of 1 s in 333 has no look"),
		"in words: %s", str_text(&words));
	str_free(&words);
	for (size_t i = n = 0; i < 300; i++)
		if (noise(&state) < 0.4)
			starts[n++] = (double)i * 5 + noise(&state) * 0.01;
	ok(heatmap_period_of(starts, n, &limits, &found) && fabs(found.seconds - 5) < 0.01 &&
			found.drift == 0,
		"every 5 s, seen two times of five");
	ok(!heatmap_period_of(starts, 5, &limits, &found), "five times are too few");
	for (size_t round = 0; round < 2000; round++) {
		starts[0] = 0;
		for (size_t i = 1; i < 10 + round % 90; i++)
			starts[i] = starts[i - 1] - log(1 - noise(&state));
		by_chance += heatmap_period_of(starts, 10 + round % 90, &limits, &found);
	}
	ok(by_chance <= 2, "of 2000 threads that come at random %zu have a period", by_chance);
}

static void test_period_of_thread(void)
{
	struct heatmap_periods *periods = heatmap_periods_new();
	struct heatmap_periods_limits limits;
	struct heatmap_period found[3];

	heatmap_periods_limits_default(&limits);
	for (uint64_t i = 0; i < 60; i++) {
		/* Three samples within 30 ms are one piece of work. */
		for (uint64_t k = 0; k < 3; k++)
			heatmap_periods_add(periods, "cron", 9, i * 2 * SECOND + k * 10101010);
		heatmap_periods_add(periods, "now and then", 5, i * i * 31 * MS);
		heatmap_periods_add(periods, "always", 6, i * 10101010);
	}
	ok(heatmap_periods_find(periods, 10101010, &limits, found, 3) == 1 && found[0].tid == 9 &&
			fabs(found[0].seconds - 2) < 1e-3 && found[0].times == 60,
		"a thread that works every two seconds, and none that always works");
	heatmap_periods_free(periods);
}

static void test_gaps(void)
{
	struct heatmap_gaps gaps;
	struct heatmap map;
	uint16_t name;

	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 100);
	map.tick_ns = 10 * MS;
	name = heatmap_name(&map, "riak");
	for (uint64_t at = 0; at < 20 * SECOND; at += 10 * MS)
		if ((at < 8900 * MS || at >= 9300 * MS) && at / MS % 170)
			heatmap_add(&map, at, 0, name, 1);
	heatmap_gaps_find(&gaps, &map, "riak");
	ok(gaps.n == 1 && gaps.gaps[0].from_ns == 8900 * MS && gaps.gaps[0].to_ns == 9300 * MS,
		"a gap of 400 ms over the end of a second is one, and 10 ms are none");
	ok(gaps.chance_ns >= 20 * MS && gaps.chance_ns <= 60 * MS, "of a busy one %llu ms prove it",
		(unsigned long long)(gaps.chance_ns / MS));
	heatmap_gaps_free(&gaps);
	heatmap_free(&map);
	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 100);
	map.tick_ns = 10 * MS;
	name = heatmap_name(&map, "idle");
	for (uint64_t at = 0; at < 20 * SECOND; at += 310 * MS)
		heatmap_add(&map, at, 0, name, 1);
	heatmap_gaps_find(&gaps, &map, NULL);
	ok(gaps.n == 0 && gaps.chance_ns > 1000 * MS, "of one that hardly works no gap proves any");
	heatmap_gaps_free(&gaps);
	heatmap_free(&map);
}

static void test_pictures(void)
{
	struct heatmap map;
	struct heatmap_show show = {.map = &map,
		.marks = {"scr", "b"},
		.columns = 40,
		.look = {.title = "<t>&", .note = "\x1b[2J", .unit = "samples"}};
	struct str out = STR_INIT;
	bool clean = true;

	heatmap_init(&map, HEATMAP_OFFSET, SECOND, 100);
	fill_hostile(&map);
	ok(!heatmap_show_terminal(&out, &show) && strchr(str_text(&out), 'A') &&
			strchr(str_text(&out), 'b') && strchr(str_text(&out), '!') &&
			strchr(str_text(&out), '/'),
		"letters, what was lost and what was not watched without colours");
	for (const char *at = str_text(&out); *at; at++)
		clean = clean && ((*at >= ' ' && *at < 127) || *at == '\n');
	ok(clean, "and nothing but ASCII");
	str_clear(&out);
	show.look.colors = 256;
	show.look.utf8 = true;
	ok(!heatmap_show_terminal(&out, &show) && strstr(str_text(&out), "\033[48;5;"),
		"256 colours");
	str_clear(&out);
	show.look.colors = 1 << 24;
	ok(!heatmap_show_terminal(&out, &show) && strstr(str_text(&out), "\033[48;2;"),
		"24-bit colours");
	str_clear(&out);
	ok(!heatmap_show_svg(&out, &show) && !strstr(str_text(&out), "<script") &&
			strstr(str_text(&out), "&lt;script&gt;") &&
			strstr(str_text(&out), "12 records were lost here") &&
			!strchr(str_text(&out), '\x1b'),
		"hostile names are text in a picture");
	str_clear(&out);
	show.before = &map;
	ok(!heatmap_show_svg(&out, &show) && strstr(str_text(&out), ">before<") &&
			strstr(str_text(&out), ">after<"),
		"before and after in one");
	str_free(&out);
	heatmap_free(&map);
}

int main(void)
{
	test_cells();
	test_spans();
	test_latency_rows();
	test_folding();
	test_marks();
	test_shades();
	test_file_and_merge();
	test_refused_files();
	test_perf_script();
	test_begin_and_end();
	test_pairs();
	test_numbers();
	test_ticks();
	test_periods();
	test_period_of_thread();
	test_gaps();
	test_pictures();
	return tap_done();
}
