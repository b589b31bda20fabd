/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a record of a copy of a stack break who takes it? */
#include "base/banned.h"

#include "stacks/stack_copies.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stack_copies copies = {.n = 0};

	if (stack_copies_add(&copies, data, size) &&
		(copies.n != 1 || copies.list[0].sample.stack.len > size))
		abort();
	stack_copies_free(&copies);
	return 0;
}
