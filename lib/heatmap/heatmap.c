/* SPDX-License-Identifier: GPL-2.0-only */
/* In which cell is an event, and what do maps of several hosts make together? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/str.h"
#include "heatmap/heatmap.h"

void heatmap_init(struct heatmap *map, enum heatmap_kind kind, uint64_t column_ns, uint32_t rows)
{
	*map = (struct heatmap){
		.kind = kind,
		.column_ns = column_ns ? column_ns : 1,
		.rows = kind == HEATMAP_LATENCY ? HEATMAP_LATENCY_ROWS : rows,
		.hosts = 1,
	};
}

void heatmap_free(struct heatmap *map)
{
	for (size_t i = 0; i < map->n_names; i++)
		free(map->names[i]);
	free(map->names);
	free(map->cells);
	free(map->losses);
	number_map_free(&map->by_key);
	number_map_free(&map->by_hash);
	*map = (struct heatmap){0};
}

uint16_t heatmap_name(struct heatmap *map, const char *text)
{
	const char *name = text ? text : "";
	const size_t whole = strlen(name);
	const size_t len = whole < HEATMAP_NAME_BYTES ? whole : HEATMAP_NAME_BYTES;
	const uint64_t hash = hash_keyed(name, len);
	size_t at;

	if (number_map_get(&map->by_hash, hash, &at))
		return (uint16_t)at;
	if (map->n_names > HEATMAP_NAMES_MAX)
		return HEATMAP_NAMES_MAX;
	ARRAY_GROW(map->names, map->n_names, map->names_room);
	if (map->n_names == HEATMAP_NAMES_MAX) {
		map->names[map->n_names++] = mem_strdup("(others)");
		return HEATMAP_NAMES_MAX;
	}
	at = map->n_names++;
	map->names[at] = mem_strndup(name, len);
	number_map_add(&map->by_hash, hash, at);
	return (uint16_t)at;
}

/* Where a column is kept, from 0 on; false where it is too far from the first event's. */
static bool heatmap_place(struct heatmap *map, uint64_t column, uint32_t *place)
{
	if (!map->has_column) {
		map->first_column = column;
		map->has_column = true;
	}
	if (column > map->first_column ? column - map->first_column >= HEATMAP_COLUMNS_MAX
				       : map->first_column - column > HEATMAP_COLUMNS_MAX)
		return false;
	*place = (uint32_t)(column + HEATMAP_COLUMNS_MAX - map->first_column);
	return true;
}

static void heatmap_count(
	struct heatmap *map, uint32_t column, uint32_t row, uint16_t name, uint64_t weight)
{
	const uint64_t key = (uint64_t)column << 32 | (uint64_t)row << 16 | name;
	size_t at;

	if (!number_map_get(&map->by_key, key, &at)) {
		if (map->n_cells == HEATMAP_CELLS_MAX) {
			map->outside += weight;
			return;
		}
		ARRAY_GROW(map->cells, map->n_cells, map->cells_room);
		at = map->n_cells++;
		map->cells[at] = (struct heatmap_cell){column, (uint16_t)row, name, 0};
		number_map_add(&map->by_key, key, at);
	}
	map->cells[at].weight += weight;
	map->total += weight;
}

/* Rows are of equal height to a nanosecond: the last one may be that much lower. */
static uint64_t heatmap_row_height(const struct heatmap *map)
{
	return (map->column_ns + map->rows - 1) / map->rows;
}

static uint32_t heatmap_offset_row(const struct heatmap *map, uint64_t at_ns)
{
	const uint64_t row = at_ns % map->column_ns / heatmap_row_height(map);

	return row < map->rows ? (uint32_t)row : map->rows - 1;
}

void heatmap_see(struct heatmap *map, uint64_t at_ns)
{
	uint32_t place;

	if (!heatmap_place(map, at_ns / map->column_ns, &place))
		return;
	if (!map->seen_to_ns || at_ns < map->seen_from_ns)
		map->seen_from_ns = at_ns;
	if (at_ns >= map->seen_to_ns)
		map->seen_to_ns = at_ns + 1;
}

void heatmap_add(
	struct heatmap *map, uint64_t at_ns, uint64_t latency_ns, uint16_t name, uint64_t weight)
{
	uint32_t place, row;

	if (!weight)
		return;
	/* So far apart that sums of weights stay within 64 bits. */
	if (weight > UINT32_MAX || at_ns > UINT64_MAX / 4 ||
		!heatmap_place(map, at_ns / map->column_ns, &place)) {
		map->outside++;
		return;
	}
	heatmap_see(map, at_ns);
	row = map->kind == HEATMAP_LATENCY ? heatmap_latency_row(latency_ns)
					   : heatmap_offset_row(map, at_ns);
	heatmap_count(map, place, row, name, weight);
}

void heatmap_add_span(struct heatmap *map, uint64_t from_ns, uint64_t to_ns, uint16_t name)
{
	const uint64_t height = heatmap_row_height(map);

	/* More than there are columns for is no time that somebody had. */
	if (map->kind != HEATMAP_OFFSET || to_ns <= from_ns ||
		(to_ns - from_ns) / map->column_ns >= HEATMAP_COLUMNS_MAX)
		return;
	while (from_ns < to_ns) {
		const uint64_t begin = from_ns - from_ns % map->column_ns;
		uint64_t end = from_ns + height - (from_ns - begin) % height, us;

		if (end > begin + map->column_ns)
			end = begin + map->column_ns;
		if (end > to_ns)
			end = to_ns;
		us = (end - from_ns + 500) / 1000;
		heatmap_add(map, from_ns, 0, name, us ? us : 1);
		from_ns = end;
	}
	heatmap_see(map, to_ns - 1);
}

void heatmap_add_lost(struct heatmap *map, uint64_t at_ns, uint64_t n)
{
	uint32_t place;

	if (!n || n > UINT32_MAX)
		return;
	map->lost += n;
	if (at_ns > UINT64_MAX / 4 || !heatmap_place(map, at_ns / map->column_ns, &place))
		return;
	for (size_t i = map->n_losses; i-- > 0 && i + 8 > map->n_losses;)
		if (map->losses[i].column == place) {
			map->losses[i].n += n;
			return;
		}
	if (map->n_losses == HEATMAP_COLUMNS_MAX)
		return;
	ARRAY_GROW(map->losses, map->n_losses, map->losses_room);
	map->losses[map->n_losses++] = (struct heatmap_loss){place, n};
}

void heatmap_add_cell(
	struct heatmap *map, uint64_t column, uint32_t row, uint16_t name, uint64_t weight)
{
	uint32_t place;

	if (column <= UINT64_MAX / 4 / map->column_ns && heatmap_place(map, column, &place))
		heatmap_count(map, place, row, name, weight);
	else
		map->outside += weight;
}

void heatmap_cell_times(
	const struct heatmap *map, const struct heatmap_cell *cell, uint64_t *from, uint64_t *to)
{
	const uint64_t begin = heatmap_column(map, cell->column) * map->column_ns;

	*from = begin;
	*to = begin + map->column_ns;
	if (map->kind == HEATMAP_LATENCY)
		return;
	*from = begin + map->column_ns / map->rows * cell->row;
	if (cell->row + 1u < map->rows)
		*to = begin + map->column_ns / map->rows * (cell->row + 1u);
}

uint64_t heatmap_column(const struct heatmap *map, uint32_t column)
{
	return map->first_column + column - HEATMAP_COLUMNS_MAX;
}

static int heatmap_compare(const struct heatmap *map, const struct heatmap *other, struct str *why)
{
	if (map->kind != other->kind)
		str_add(why, "one map is of offsets and the other of latencies");
	else if (map->column_ns != other->column_ns)
		str_addf(why, "columns are %g s in one map and %g s in the other",
			(double)map->column_ns * 1e-9, (double)other->column_ns * 1e-9);
	else if (map->rows != other->rows)
		str_addf(why, "a period has %u rows in one map and %u in the other", map->rows,
			other->rows);
	else if (map->is_wall != other->is_wall)
		str_add(why, "the times of one map are of the day and those of the other are not");
	else
		return 0;
	return -EINVAL;
}

/* By how many columns another map is moved: two hosts' clocks that are not of the day have nothing
 * in common, so that the first columns are laid over each other. */
static uint64_t heatmap_shift(const struct heatmap *map, const struct heatmap *other)
{
	uint64_t first, others;

	if (map->is_wall || !heatmap_columns(map, &first) || !heatmap_columns(other, &others))
		return 0;
	return first - others;
}

static void heatmap_merge_seen(struct heatmap *map, const struct heatmap *other, uint64_t shift)
{
	if (!other->seen_to_ns)
		return;
	heatmap_see(map, other->seen_from_ns + shift * map->column_ns);
	heatmap_see(map, other->seen_to_ns - 1 + shift * map->column_ns);
}

int heatmap_merge(struct heatmap *map, const struct heatmap *other, struct str *why)
{
	const int err = heatmap_compare(map, other, why);
	const uint64_t shift = heatmap_shift(map, other); /* modulo 2^64: it may be back */
	uint16_t *names;

	if (err)
		return err;
	names = mem_zalloc((other->n_names + 1) * sizeof(*names));
	for (size_t i = 0; i < other->n_names; i++)
		names[i] = heatmap_name(map, other->names[i]);
	heatmap_merge_seen(map, other, shift);
	for (size_t i = 0; i < other->n_cells; i++) {
		const struct heatmap_cell *cell = &other->cells[i];

		heatmap_add_cell(map, heatmap_column(other, cell->column) + shift, cell->row,
			names[cell->name], cell->weight);
	}
	free(names);
	for (size_t i = 0; i < other->n_losses; i++)
		heatmap_add_lost(map,
			(heatmap_column(other, other->losses[i].column) + shift) * map->column_ns,
			other->losses[i].n);
	map->outside += other->outside;
	map->hosts += other->hosts;
	if (map->tick_ns != other->tick_ns)
		map->tick_ns = 0;
	return 0;
}

uint64_t heatmap_columns(const struct heatmap *map, uint64_t *first)
{
	if (!map->seen_to_ns) {
		*first = 0;
		return 0;
	}
	*first = map->seen_from_ns / map->column_ns;
	return (map->seen_to_ns - 1) / map->column_ns - *first + 1;
}

uint32_t heatmap_latency_row(uint64_t ns)
{
	const uint32_t sub = 1u << HEATMAP_LATENCY_BITS;
	uint32_t octave;

	if (ns < sub)
		return (uint32_t)ns;
	if (ns >> HEATMAP_LATENCY_OCTAVES)
		return HEATMAP_LATENCY_ROWS - 1;
	octave = 63u - (uint32_t)__builtin_clzll(ns) - HEATMAP_LATENCY_BITS;
	return ((octave + 1) << HEATMAP_LATENCY_BITS) + ((uint32_t)(ns >> octave) & (sub - 1));
}

uint64_t heatmap_latency_least(uint32_t row)
{
	const uint32_t sub = 1u << HEATMAP_LATENCY_BITS;

	if (row < sub)
		return row;
	if (row >= HEATMAP_LATENCY_ROWS)
		return UINT64_MAX;
	return (uint64_t)(sub + (row & (sub - 1))) << ((row >> HEATMAP_LATENCY_BITS) - 1);
}

uint64_t heatmap_latency_quantile(const struct heatmap *map, double q)
{
	uint64_t rows[HEATMAP_LATENCY_ROWS] = {0}, sum = 0;

	if (!map->total || map->kind != HEATMAP_LATENCY)
		return 0;
	for (size_t i = 0; i < map->n_cells; i++)
		rows[map->cells[i].row] += map->cells[i].weight;
	for (uint32_t row = 0; row < HEATMAP_LATENCY_ROWS; row++) {
		sum += rows[row];
		if ((double)sum >= q * (double)map->total)
			return heatmap_latency_least(row + 1);
	}
	return 0;
}
