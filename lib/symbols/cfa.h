/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the registers in a function to those of its caller, by the rules of .eh_frame (DWARF 5, 6.4
 * and 2.5), with a copy of the stack. The rules are hostile: they take a bounded time, and read
 * nothing but the copy.
 */
#ifndef TUESDAY_SYMBOLS_CFA_H
#define TUESDAY_SYMBOLS_CFA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eh_frame;
struct eh_frame_function;

/* By the numbers that DWARF gives them on x86-64 (System V ABI for it, figure 3.36). */
enum { CFA_BP = 6, CFA_SP = 7, CFA_PC = 16, CFA_REGISTERS = 17 };

struct cfa_registers {
	uint64_t value[CFA_REGISTERS];
	uint32_t known; /* a bit for each */
};

/* Bytes of memory, from an address on. */
struct cfa_memory {
	const uint8_t *bytes;
	uint64_t address;
	size_t len;
};

enum cfa_end {
	CFA_WENT_ON,
	CFA_OUTERMOST, /* the function says that nobody called it */
	CFA_CUT,       /* what is needed lies behind the end of the copy */
	CFA_LOST       /* the rules are damaged, or need what is not known */
};

/* Goes from the function, at an address of it as the file was linked, to its caller. registers is
 * left as it is where it did not go on. *is_signal: the kernel's frame of a signal, whose caller
 * was called by nobody. */
enum cfa_end cfa_step(const struct eh_frame *frames, const struct eh_frame_function *function,
	uint64_t address, const struct cfa_memory *stack, struct cfa_registers *registers,
	bool *is_signal);

/* A word of memory. False outside. */
bool cfa_read(const struct cfa_memory *memory, uint64_t address, uint64_t *value);

#endif
