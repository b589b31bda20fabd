/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a table of source lines break us? The first half of the bytes is the table, the rest has its
 * strings. */
#include "base/banned.h"

#include "sys/dwarf_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_row(void *arg, const struct dwarf_row *row)
{
	size_t *rows = arg;

	if (++*rows > DWARF_ROWS_MAX || !row->file || strchr(row->file, '/'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct dwarf_sections whole = {.line = {data, size}};
	const struct dwarf_sections halves = {.line = {data, size / 2},
		.line_strings = {data + size / 2, size - size / 2},
		.strings = {data + size / 2, size - size / 2}};
	size_t rows = 0;

	dwarf_lines_read(&whole, count_row, &rows);
	rows = 0;
	dwarf_lines_read(&halves, count_row, &rows);
	return 0;
}
