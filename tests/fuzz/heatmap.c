/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any file become a heat map that lies, or a picture that is anything but a picture?
 *
 * The first byte says how it is drawn. Perf script text, lines of time and latency and cells are
 * told apart by the reader itself. What was read is written and read again: it is the same; merged
 * with itself it is twice as much; of a picture no byte is out of place.
 */
#include "base/banned.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "heatmap/cells_file.h"
#include "heatmap/gaps.h"
#include "heatmap/heatmap.h"
#include "heatmap/input.h"
#include "heatmap/periods.h"
#include "heatmap/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static int read_bytes(struct heatmap *map, const void *bytes, size_t size, bool latency,
	const char *begin, struct heatmap_periods *periods)
{
	struct str why = STR_INIT, folded = STR_INIT;
	struct heatmap_input input = {
		.wants_latency = latency,
		.period_ns = 1000000000,
		.column_ns = 1000000000,
		.time_unit_ns = 1000000000,
		.latency_unit_ns = 1000,
		.begin = begin,
		.end = "s:exit",
		.folded = &folded,
		.periods = periods,
	};
	int fd = memfd_create("heatmap", MFD_CLOEXEC), err;

	require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	err = heatmap_input_read(&input, map, fd, &why);
	require(!why.len || err);
	close(fd);
	str_free(&why);
	str_free(&folded);
	return err;
}

static void check_again(const struct heatmap *map)
{
	struct str text = STR_INIT, twice = STR_INIT, why = STR_INIT;
	struct heatmap again, sum;

	cells_file_write(&text, map);
	/* Of a cell with more than a file may have, or a map that is but a day long, the reader
	 * says so. */
	if (!read_bytes(&again, str_text(&text), text.len, false, NULL, NULL)) {
		cells_file_write(&twice, &again);
		require(again.total == map->total);
		heatmap_init(&sum, map->kind, map->column_ns, map->rows);
		sum.is_wall = map->is_wall;
		sum.hosts = 0;
		require(!heatmap_merge(&sum, map, &why) && !heatmap_merge(&sum, &again, &why));
		require(sum.total + sum.outside >= 2 * map->total);
		heatmap_free(&sum);
	}
	heatmap_free(&again);
	str_free(&text);
	str_free(&twice);
	str_free(&why);
}

static void check_picture(const struct heatmap *map, unsigned int how)
{
	const struct heatmap_show show = {.map = map,
		.before = how & 1 ? map : NULL,
		.isolate = how & 2 ? "a" : NULL,
		.marks = {how & 4 ? "e" : NULL, how & 8 ? "x|b" : NULL},
		.linear = how & 16,
		.has_range = how & 32,
		.from_ns = 1000000000,
		.to_ns = 3000000000,
		.columns = how & 64 ? 12 : 80,
		.look = {.title = "<&>", .note = "a\nb", .unit = "samples"}};
	struct str out = STR_INIT;

	heatmap_show_terminal(&out, &show);
	for (const char *at = str_text(&out); *at; at++)
		require((*at >= ' ' && *at < 127) || *at == '\n');
	str_clear(&out);
	heatmap_show_svg(&out, &show);
	require(strlen(str_text(&out)) == out.len);
	for (const char *at = str_text(&out); *at; at++)
		require((unsigned char)*at >= ' ' || *at == '\n');
	str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heatmap_periods *periods = heatmap_periods_new();
	struct heatmap_periods_limits limits;
	struct heatmap_period found[3];
	struct heatmap_gaps gaps;
	struct heatmap map;

	if (size &&
		!read_bytes(&map, data + 1, size - 1, data[0] & 128, data[0] & 3 ? NULL : "s:enter",
			periods)) {
		uint64_t first;

		heatmap_periods_limits_default(&limits);
		heatmap_periods_find(periods, map.tick_ns, &limits, found, 3);
		/* A picture of a day of columns takes a while. */
		if (heatmap_columns(&map, &first) < 1000) {
			heatmap_gaps_find(&gaps, &map, "a");
			heatmap_gaps_free(&gaps);
			check_picture(&map, data[0]);
		}
		check_again(&map);
	}
	if (size)
		heatmap_free(&map);
	heatmap_periods_free(periods);
	return 0;
}
