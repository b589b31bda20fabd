/* SPDX-License-Identifier: GPL-2.0-only */
/* Can what perf script prints, what is said to be folded stacks, or a record of programs break who
 * counts them? */
#include "base/banned.h"

#include "sources/task/stack_code.h"
#include "stacks/stack_tally.h"
#include "stacks/stack_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_process(const struct stack_process *process)
{
	uint64_t states = 0, unnamed = 0, places = 0, i;

	for (i = 0; i < STACK_STATES; i++)
		states += process->states[i];
	for (i = 0; i < STACK_UNNAMED; i++)
		unnamed += process->unnamed[i];
	for (i = 0; i < process->n_places; i++)
		places += process->places[i].stacks;
	if (states != process->samples || unnamed > process->samples ||
		places != process->states[STACK_BROKEN] ||
		process->frames_unnamed > process->frames ||
		stack_process_depth(process, 0.99) > STACK_DEPTH_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stack_tally tally = {.limit = 3};
	const char *at = (const char *)data;
	struct stack_code code;

	stack_text_read(&tally, (const char *)data, size);
	for (size_t i = 0; i < tally.n; i++)
		check_process(&tally.list[i]);
	stack_tally_free(&tally);
	while (stack_code_next(&at, (const char *)data + size, &code))
		if (!memchr(code.comm, 0, sizeof(code.comm)))
			abort();
	return 0;
}
