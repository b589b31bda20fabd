/* SPDX-License-Identifier: GPL-2.0-only */
/* Can rules of .eh_frame break the walk of a stack, or make it go round for ever? The first 64
 * bytes are a stack and its registers, the rest the section. */
#include "base/banned.h"

#include "symbols/cfa.h"
#include "symbols/eh_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STACK 64

struct fuzz_walk {
	struct eh_frame frames;
	struct cfa_memory stack;
	unsigned int functions;
};

static bool fuzz_function(void *arg, const struct eh_frame_function *function)
{
	struct fuzz_walk *walk = arg;
	struct cfa_registers registers = {.known = (1u << CFA_REGISTERS) - 1};
	bool is_signal;

	if (!function->size || !function->address)
		abort();
	for (size_t i = 0; i < CFA_REGISTERS; i++)
		registers.value[i] = walk->stack.address + 8 * (i % 8);
	for (int step = 0; step < 4; step++) {
		if (cfa_step(&walk->frames, function, function->address + function->size / 2,
			    &walk->stack, &registers, &is_signal) != CFA_WENT_ON)
			break;
		if (!(registers.known >> CFA_PC & 1) || !(registers.known >> CFA_SP & 1))
			abort();
	}
	return ++walk->functions < 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_walk walk = {.stack = {data, 0x7fff0000, STACK}};

	if (size < STACK)
		return 0;
	walk.frames =
		(struct eh_frame){.bytes = data + STACK, .len = size - STACK, .address = 0x10000};
	eh_frame_each(&walk.frames, fuzz_function, &walk);
	return 0;
}
