/* SPDX-License-Identifier: GPL-2.0-only */
/* Does this stack go back to where its thread began, and if not, whose code broke it? */
#include "base/banned.h"

#include "base/str.h"
#include "stacks/stack_class.h"

/* Behind the root a walk finds a word or two that are no frames: of a static program, what lies
 * above its first function. */
enum { LAST_FRAMES = 3 };

bool stack_is_root_name(const char *name)
{
	static const char *const exact[] = {"_start", "start_thread", "clone", "__clone", "clone3",
		"__clone3", "_dl_start_user", "start", "_start_c", "libc_start_main_stage2",
		"__pthread_start", "runtime.goexit", "runtime.goexit.abi0", "runtime.mstart",
		"runtime.mstart.abi0", "runtime.rt0_go", "runtime.rt0_go.abi0", "runtime.mcall",
		"runtime.systemstack", "thread_start"};

	for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
		if (str_same(name, exact[i]))
			return true;
	return str_starts(name, "__libc_start_main") ||
		str_starts(name, "__libc_start_call_main") || str_starts(name, "ret_from_fork");
}

void stack_classify(struct stack_finding *finding, const struct stack_frame *frames, size_t n,
	uint64_t depth, uint64_t limit)
{
	*finding = (struct stack_finding){.state = STACK_EMPTY};
	if (!n)
		return;
	finding->state = STACK_TRUNCATED;
	if (depth > limit)
		return;
	finding->state = STACK_BROKEN;
	for (size_t i = n > LAST_FRAMES ? n - LAST_FRAMES : 0; i < n; i++) {
		if (frames[i].is_root)
			finding->state = STACK_WHOLE;
		else if (frames[i].is_unsure && finding->state == STACK_BROKEN)
			finding->state = STACK_UNSURE;
	}
	for (size_t i = n; i && finding->state == STACK_BROKEN && !finding->last; i--)
		if (frames[i - 1].class != SYMBOL_UNMAPPED)
			finding->last = &frames[i - 1];
	/* Of a process that had ended before it was looked at, nothing is known. */
	if (finding->state == STACK_BROKEN && !finding->last)
		finding->state = STACK_UNSURE;
	/* The kernel has cut what is as deep as its limit. */
	if (depth == limit && (finding->state == STACK_BROKEN || finding->state == STACK_UNSURE))
		finding->state = STACK_TRUNCATED;
}
