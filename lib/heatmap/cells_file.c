/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a heat map get into a file, and out of one? */
#include "base/banned.h"

#include <errno.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/hex.h"
#include "base/num.h"
#include "base/str.h"
#include "heatmap/cells_file.h"
#include "heatmap/heatmap.h"

#define FIRST_LINE "tuesday heat map 1"
#define COLUMN_NS_MAX 86400000000000u /* a day */

bool cells_file_begins(const char *line)
{
	return !strcmp(line, FIRST_LINE);
}

static void cells_file_write_head(struct str *out, const struct heatmap *map)
{
	str_addf(out, FIRST_LINE "\nkind %s\ncolumn %llu\n",
		map->kind == HEATMAP_LATENCY ? "latency" : "offset",
		(unsigned long long)map->column_ns);
	if (map->kind == HEATMAP_OFFSET)
		str_addf(out, "rows %u\n", map->rows);
	str_addf(out, "tick %llu\nclock %s\nhosts %u\n", (unsigned long long)map->tick_ns,
		map->is_wall ? "wall" : "own", map->hosts);
	if (map->seen_to_ns)
		str_addf(out, "seen %llu %llu\n", (unsigned long long)map->seen_from_ns,
			(unsigned long long)map->seen_to_ns);
	if (map->outside)
		str_addf(out, "outside %llu\n", (unsigned long long)map->outside);
}

void cells_file_write(struct str *out, const struct heatmap *map)
{
	cells_file_write_head(out, map);
	for (size_t i = 0; i < map->n_losses; i++)
		str_addf(out, "lost %llu %llu\n",
			(unsigned long long)heatmap_column(map, map->losses[i].column),
			(unsigned long long)map->losses[i].n);
	for (size_t i = 0; i < map->n_names; i++) {
		str_add(out, "name ");
		escape_terminal(out, map->names[i]);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < map->n_cells; i++) {
		const struct heatmap_cell *cell = &map->cells[i];

		str_addf(out, "cell %llu %u %u %llu\n",
			(unsigned long long)heatmap_column(map, cell->column), cell->row,
			cell->name, (unsigned long long)cell->weight);
	}
	str_addf(out, "end %zu\n", map->n_cells);
}

/* So many numbers and nothing else. */
static bool cells_file_numbers(const char *at, uint64_t *numbers, size_t n)
{
	const char *end = at + strlen(at);

	for (size_t i = 0; i < n; i++)
		if (*at != ' ' || num_next(&at, end, &numbers[i]))
			return false;
	return at == end;
}

static int cells_file_refuse(struct cells_file *file, const char *what)
{
	if (!file->is_refused)
		str_addf(file->why, "line %llu of the heat map: %s",
			(unsigned long long)file->lines, what);
	file->is_refused = true;
	return -EINVAL;
}

static int cells_file_take_name(struct cells_file *file, const char *text)
{
	struct str name = STR_INIT;

	if (file->n_names > HEATMAP_NAMES_MAX)
		return cells_file_refuse(file, "too many names");
	for (; *text; text++) {
		int byte;

		if (text[0] == '\\' && text[1] == '\\') {
			text++;
			str_addc(&name, '\\');
		} else if (text[0] == '\\' && text[1] == 'x' &&
			(byte = hex_byte(text + 2, HEX_ANY)) > 0) {
			text += 3;
			str_addc(&name, (char)byte);
		} else {
			str_addc(&name, *text);
		}
	}
	ARRAY_GROW(file->names, file->n_names, file->names_room);
	file->names[file->n_names++] = heatmap_name(file->map, str_text(&name));
	str_free(&name);
	return 0;
}

static int cells_file_take_cell(struct cells_file *file, const char *rest)
{
	uint64_t n[4];

	if (!cells_file_numbers(rest, n, 4) || n[1] >= file->map->rows || n[2] >= file->n_names ||
		!n[3] || n[3] > UINT32_MAX)
		return cells_file_refuse(file, "no cell that can be");
	if (++file->cells > HEATMAP_CELLS_MAX)
		return cells_file_refuse(file, "too many cells");
	heatmap_add_cell(file->map, n[0], (uint32_t)n[1], file->names[n[2]], n[3]);
	return 0;
}

static int cells_file_take_kind(struct cells_file *file, const char *rest)
{
	const bool is_latency = !strcmp(rest, " latency");

	if (file->has_kind || (!is_latency && strcmp(rest, " offset") != 0))
		return cells_file_refuse(file, "the kind is offset or latency");
	heatmap_free(file->map);
	heatmap_init(file->map, is_latency ? HEATMAP_LATENCY : HEATMAP_OFFSET, 1000000000, 1);
	file->has_kind = true;
	return 0;
}

static int cells_file_take_seen(struct cells_file *file, const char *rest)
{
	uint64_t n[2];

	if (!cells_file_numbers(rest, n, 2) || n[0] >= n[1] || n[1] > UINT64_MAX / 4 ||
		(n[1] - n[0]) / file->map->column_ns >= HEATMAP_COLUMNS_MAX)
		return cells_file_refuse(file, "seen is from when to when");
	heatmap_see(file->map, n[0]);
	heatmap_see(file->map, n[1] - 1);
	return 0;
}

/* What all columns and cells depend on comes before them. */
static int cells_file_take_head(
	struct cells_file *file, const char *word, size_t len, const char *rest)
{
	struct heatmap *map = file->map;
	uint64_t n[1] = {0};
	const bool is_number = cells_file_numbers(rest, n, 1);

	if (map->n_cells || map->n_losses || map->seen_to_ns)
		return cells_file_refuse(file, "this belongs before the cells");
	if (len == 6 && !strncmp(word, "column", len) && is_number && n[0] && n[0] <= COLUMN_NS_MAX)
		map->column_ns = n[0];
	else if (len == 4 && !strncmp(word, "rows", len) && is_number && n[0] &&
		n[0] <= HEATMAP_ROWS_MAX && n[0] <= map->column_ns && map->kind == HEATMAP_OFFSET)
		map->rows = (uint32_t)n[0];
	else if (len == 4 && !strncmp(word, "tick", len) && is_number && n[0] <= COLUMN_NS_MAX)
		map->tick_ns = n[0];
	else if (len == 5 && !strncmp(word, "hosts", len) && is_number && n[0] && n[0] <= 1000000)
		map->hosts = (uint32_t)n[0];
	else if (len == 5 && !strncmp(word, "clock", len) && !strcmp(rest, " wall"))
		map->is_wall = true;
	else if (len != 5 || strncmp(word, "clock", len) != 0 || strcmp(rest, " own") != 0)
		return cells_file_refuse(
			file, "this is no line of a heat map, or no number it can have");
	return 0;
}

int cells_file_line(struct cells_file *file, const char *line)
{
	const size_t len = strcspn(line, " ");
	const char *rest = line + len;
	uint64_t n[2];

	if (!file->lines++)
		return 0;
	if (file->is_over)
		return cells_file_refuse(file, "nothing stands behind its end");
	if (len == 4 && !strncmp(line, "kind", len))
		return cells_file_take_kind(file, rest);
	if (!file->has_kind)
		return cells_file_refuse(file, "the kind comes first");
	if (len == 4 && !strncmp(line, "cell", len))
		return cells_file_take_cell(file, rest);
	if (len == 4 && !strncmp(line, "name", len) && *rest)
		return cells_file_take_name(file, rest + 1);
	if (len == 4 && !strncmp(line, "seen", len))
		return cells_file_take_seen(file, rest);
	if (len == 4 && !strncmp(line, "lost", len) && cells_file_numbers(rest, n, 2) &&
		n[0] <= UINT64_MAX / 4 / file->map->column_ns) {
		heatmap_add_lost(file->map, n[0] * file->map->column_ns, n[1]);
		return 0;
	}
	if (len == 7 && !strncmp(line, "outside", len) && cells_file_numbers(rest, n, 1) &&
		n[0] <= UINT32_MAX) {
		file->map->outside += n[0];
		return 0;
	}
	if (len == 3 && !strncmp(line, "end", len) && cells_file_numbers(rest, n, 1) &&
		n[0] == file->cells) {
		file->is_over = true;
		return 0;
	}
	return cells_file_take_head(file, line, len, rest);
}

int cells_file_end(struct cells_file *file)
{
	free(file->names);
	file->names = NULL;
	return file->is_over && !file->is_refused ? 0
						  : cells_file_refuse(file, "its end is missing");
}
