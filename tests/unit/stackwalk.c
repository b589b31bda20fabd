/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a stack as deep as it is, by .eh_frame alone: 205 frames are 205? And can damaged rules break
 * the walk? Built optimised: frames under sanitizers are others. */
#include "base/banned.h"

#include <pthread.h>
#include <stddef.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/str.h"
#include "symbols/eh_frame.h"
#include "symbols/stack_walk.h"
#include "symbols/walk_code.h"
#include "tap.h"

static struct stack_walk_code code[STACK_WALK_FILES_MAX];
static int n_code;

static char *stack_end; /* of this thread */
static struct stack_walk found;
static size_t cut; /* bytes of the stack that are copied at most */

/* Walks this thread's stack from here, as a sample of it would be walked: also over the red zones
 * of ASan. */
__attribute__((noinline)) static void look(void)
{
#ifdef __x86_64__
	/* DWARF's numbers, by those of the context. */
	static const int from[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP,
		REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
		REG_RIP};
	struct stack_walk_sample sample = {.registers = {.known = (1u << CFA_REGISTERS) - 1}};
	ucontext_t context;
	const char *begin;
	size_t len;
	char *copy;

	getcontext(&context);
	for (size_t i = 0; i < ARRAY_SIZE(from); i++)
		sample.registers.value[i] = (uint64_t)context.uc_mcontext.gregs[from[i]];
	begin = (const char *)(uintptr_t)sample.registers.value[CFA_SP];
	len = (size_t)(stack_end - begin);
	len = len > cut ? cut : len;
	copy = mem_alloc(len);
	for (size_t i = 0; i < len; i++)
		copy[i] = ((const volatile char *)begin)[i];
	sample.stack = (struct cfa_memory){(const uint8_t *)copy, (uint64_t)(uintptr_t)begin, len};
	stack_walk_free(&found);
	stack_walk_apart(code, (size_t)n_code, &sample, 1, &found);
	free(copy);
#endif
}

/* No tail call: each has a frame. */
__attribute__((noinline)) static int deep(int more)
{
	volatile int kept[4] = {more};

	if (more)
		return deep(more - 1) + kept[0];
	look();
	return kept[0];
}

static void *in_thread(void *arg)
{
	(void)arg;
	deep(50);
	return NULL;
}

static void check_depth(void)
{
	uint32_t before;

	cut = SIZE_MAX;
	deep(0);
	before = found.depth;
	ok(found.end == STACK_WALK_COMPLETE, "a stack is walked to _start: %u frames", before);
	deep(200);
	ok(found.end == STACK_WALK_COMPLETE && found.depth == before + 200,
		"200 more calls are 200 more frames: %u", found.depth);
	ok(found.pointer_depth < 20, "which frame pointers do not lead to: %u",
		found.pointer_depth);
	deep(3000);
	ok(found.end == STACK_WALK_COMPLETE && found.depth == before + 3000, "so are 3000");
	deep(5000);
	ok(found.end == STACK_WALK_MANY && found.depth == STACK_WALK_MOST, "5000 are too many");
	cut = 4096;
	deep(200);
	ok(found.end == STACK_WALK_CUT && found.depth > 10 && found.depth < 200,
		"a copy that is too small ends early: %u", found.depth);
	cut = SIZE_MAX;
}

static void check_thread(void)
{
	pthread_attr_t attributes;
	static char memory[1 << 20] __attribute__((aligned(4096)));
	pthread_t thread;

	stack_end = memory + sizeof(memory);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory, sizeof(memory));
	if (pthread_create(&thread, &attributes, in_thread, NULL))
		abort();
	pthread_join(thread, NULL);
	ok(found.end == STACK_WALK_COMPLETE && found.depth > 52 && found.depth < 60,
		"a thread's stack ends where the thread began: %u", found.depth);
}

/* Bytes of no meaning, of which some pass for the beginning of a record. */
static void check_damaged(void)
{
	uint8_t bytes[256];
	const struct eh_frame frames = {.bytes = bytes, .len = sizeof(bytes), .address = 4096};
	uint32_t random = 1;
	size_t n = 0;

	for (int round = 0; round < 20000; round++) {
		struct eh_frame_common common;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			random = random * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(random >> 24);
		}
		bytes[1] = bytes[2] = bytes[3] = 0;
		if (round % 2)
			memset(bytes + 4, 0, 4);
		n += eh_frame_common_at(&frames, 0, &common);
	}
	ok(n < 20000, "damaged records are refused");
}

static char *end_of_stack(void)
{
	char line[512];
	unsigned long start, end = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			break;
	fclose(maps);
	return (char *)end;
}

int main(void)
{
#ifdef __x86_64__
	n_code = walk_code_open(code, getpid());
	ok(n_code > 2, "this program has code");
	stack_end = end_of_stack();
	check_depth();
	check_thread();
	walk_code_close(code, n_code);
	stack_walk_free(&found);
#endif
	check_damaged();
	return tap_done();
}
