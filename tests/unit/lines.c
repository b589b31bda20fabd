/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the source lines of a zebin's instructions those that its compiler wrote down? */
#include "base/banned.h"

#include <errno.h>

#include "base/str.h"
#include "sys/dwarf_lines.h"
#include "sys/zebin_elf.h"
#include "tests/unit/tap.h"

/* A program of version 4 for "gemm.cl" and "inc.h": rows at 0 (line 5), 16 (7), 32 (inc.h 3), and
 * its end at 48. As an assembler would write it, by hand. */
static const unsigned char program[] = {
	/* length, version, length of the header */
	75, 0, 0, 0, 4, 0, 35, 0, 0, 0,
	/* least instruction, operations, statements, line base -3, range 12, opcode base 10 */
	1, 1, 1, 0xfd, 12, 10,
	/* operands */
	0, 1, 1, 1, 1, 0, 0, 0, 1,
	/* no directories; files */
	0, 'g', 'e', 'm', 'm', '.', 'c', 'l', 0, 0, 0, 0, 'a', '/', 'i', 0, 0, 0, 0, 0,
	/* set address 0x1000 */
	0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0,
	/* line + 4, copy: 5; a special opcode: address + 16, line + 2 */
	3, 4, 1, 207,
	/* file 2, line - 4, address + 16, copy */
	4, 2, 3, 0x7c, 2, 16, 1,
	/* address + 16, end */
	2, 16, 0, 1, 1};

struct rows {
	struct str text;
};

static void add_row(void *arg, const struct dwarf_row *row)
{
	struct rows *rows = arg;

	str_addf(&rows->text, "%s:%u 0x%llx%s\n", row->file, row->line,
		(unsigned long long)row->address, row->ends ? " end" : "");
}

static char *rows_of(const unsigned char *bytes, size_t n, int *err)
{
	const struct dwarf_sections sections = {.line = {bytes, n}};
	struct rows rows = {STR_INIT};

	*err = dwarf_lines_read(&sections, add_row, &rows);
	return str_take(&rows.text);
}

static void test_program(void)
{
	unsigned char bytes[sizeof(program)];
	char *rows;
	int err;

	memcpy(bytes, program, sizeof(bytes));
	bytes[0] = sizeof(program) - 4;
	rows = rows_of(bytes, sizeof(bytes), &err);
	ok(!err &&
			!strcmp(rows,
				"gemm.cl:5 0x1000\ngemm.cl:7 0x1010\ni:3 0x1020\ni:3 0x1030 end\n"),
		"rows are where they were put");
	free(rows);
	for (size_t n = 1; n < sizeof(bytes); n++) {
		rows = rows_of(bytes, n, &err);
		free(rows);
		if (err != -EBADMSG)
			break;
	}
	ok(err == -EBADMSG, "one that was cut anywhere is damaged");
	bytes[14] = 0;
	rows = rows_of(bytes, sizeof(bytes), &err);
	ok(err == -EBADMSG && !*rows, "a range of no lines is refused, not divided by");
	free(rows);
}

static void test_line_at(void)
{
	struct zebin_line lines[] = {{.offset = 0, .line = 5, .file = "a"},
		{.offset = 16, .line = 7, .file = "a"}, {.offset = 32}};
	const struct zebin_kernel kernel = {.lines = lines, .n_lines = 3};

	ok(zebin_line_at(&kernel, 0)->line == 5 && zebin_line_at(&kernel, 15)->line == 5 &&
			zebin_line_at(&kernel, 31)->line == 7,
		"a line is that of the last row before");
	ok(!zebin_line_at(&kernel, 32) && !zebin_line_at(&(struct zebin_kernel){0}, 0),
		"behind the end there is none");
}

int main(void)
{
	test_program();
	test_line_at();
	return tap_done();
}
