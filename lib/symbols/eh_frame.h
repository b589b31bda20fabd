/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * .eh_frame: how to get from a function to its caller, for each instruction of it (System V ABI and
 * Linux Standard Base 5, 10.6; DWARF 5, 6.4). Compilers write it also where they keep no frame
 * pointer. It is hostile.
 */
#ifndef TUESDAY_SYMBOLS_EH_FRAME_H
#define TUESDAY_SYMBOLS_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EH_FRAME_FUNCTIONS_MAX = 1 << 20 };

/* A section's bytes in the order of this machine, and the address that they are at. */
struct eh_frame {
	const uint8_t *bytes;
	size_t len;
	uint64_t address;
	bool narrow; /* of a 32-bit file */
};

/* A stretch of code that has one description: nearly always a function. */
struct eh_frame_function {
	uint64_t address, size;
	uint32_t record; /* where its own begins in the section */
	uint32_t common; /* and where the one begins that it refers to */
};

/* Bytes that are read one after the other: beyond the end they are 0, and it is damaged. */
struct eh_cursor {
	const uint8_t *at, *end;
	bool damaged;
};

/* What the functions of a common record share. */
struct eh_frame_common {
	uint64_t code_unit;
	int64_t data_unit;
	uint64_t return_register;
	uint8_t pointer; /* DW_EH_PE_* of the addresses */
	bool augmented;	 /* functions have a length of further data */
	bool is_signal;	 /* the kernel's frame of a signal: its pc is not that of a call */
	struct eh_cursor instructions;
};

/* Calls found for each function, in the order of the section; it returns false to end that. Returns
 * how many there were, at most EH_FRAME_FUNCTIONS_MAX. A record that is damaged ends it. */
size_t eh_frame_each(const struct eh_frame *frames,
	bool (*found)(void *arg, const struct eh_frame_function *function), void *arg);

/* The common record at an offset, and the instructions of a function. False where it is damaged. */
bool eh_frame_common_at(
	const struct eh_frame *frames, uint32_t offset, struct eh_frame_common *common);
bool eh_frame_instructions(const struct eh_frame *frames, const struct eh_frame_function *function,
	const struct eh_frame_common *common, struct eh_cursor *instructions);

/* Numbers of 1, 2, 4 and 8 bytes, and of as many as they take (DWARF 5, 7.6). */
uint64_t eh_cursor_take(struct eh_cursor *cursor, size_t n_bytes);
uint64_t eh_cursor_uleb(struct eh_cursor *cursor);
int64_t eh_cursor_sleb(struct eh_cursor *cursor);
/* Goes on after n bytes, which are returned as a cursor of their own. */
struct eh_cursor eh_cursor_part(struct eh_cursor *cursor, uint64_t n);

#endif
