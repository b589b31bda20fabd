/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The line table of DWARF, versions 2 to 5 (dwarfstd.org; DWARF 5, section 6.2): which line of
 * which source file is an instruction of? The bytes are hostile: each count is bounded by the bytes
 * that there are.
 */
#ifndef TUESDAY_SYS_DWARF_LINES_H
#define TUESDAY_SYS_DWARF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DWARF_FILES_MAX = 65536, /* of a program */
	DWARF_ROWS_MAX = 1 << 20 /* of a table: what comes later is left out */
};

/* Sections, as they lie in the file; the last two may be empty. Little-endian, as all GPUs and CPUs
 * are that we know. */
struct dwarf_bytes {
	const unsigned char *bytes;
	size_t n;
};
struct dwarf_sections {
	struct dwarf_bytes line, line_strings, strings;
	/* Where a file is still to be relocated: the offset of a string whose place in .debug_line
	 * is at, and which reads value there. NULL: it is as it reads. */
	uint64_t (*relocated)(void *arg, size_t at, uint64_t value);
	void *relocated_arg;
};

/* From an address on the code is of that line, until the next row of its sequence. */
struct dwarf_row {
	uint64_t address;
	size_t address_at; /* in .debug_line: what was set there begins the sequence, for
			      relocations */
	uint64_t base;	   /* that was written there */
	const char *file;  /* "" where it has no name; valid during the call */
	uint32_t line;
	bool ends; /* the sequence does: here is no more of it */
};

/* Calls row for each row. Returns 0, or -EBADMSG where the table is damaged, after what could be
 * read. */
int dwarf_lines_read(const struct dwarf_sections *sections,
	void (*row)(void *arg, const struct dwarf_row *row), void *arg);

#endif
