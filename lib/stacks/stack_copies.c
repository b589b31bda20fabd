/* SPDX-License-Identifier: GPL-2.0-only */
/* What is on the stacks of the programs that run? */
#include "base/banned.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "stacks/stack_copies.h"
#include "stacks/stack_ring.h"

enum {
	COPY_BYTES = 60000,
	TURN_US = 5000,
	REGISTERS = 17,
};

/* The kernel's numbers (asm/perf_regs.h) of the registers, lowest first, and DWARF's of the same.
 */
static const struct {
	unsigned char kernel, dwarf;
} registers[REGISTERS] = {{0, 0}, {1, 3}, {2, 2}, {3, 1}, {4, 4}, {5, 5}, {6, CFA_BP}, {7, CFA_SP},
	{8, CFA_PC}, {16, 8}, {17, 9}, {18, 10}, {19, 11}, {20, 12}, {21, 13}, {22, 14}, {23, 15}};

void stack_copies_free(struct stack_copies *copies)
{
	for (size_t i = 0; i < copies->n; i++)
		free((void *)(uintptr_t)copies->list[i].sample.stack.bytes);
	free(copies->list);
	*copies = (struct stack_copies){.n = 0};
}

/* A word of the record; 0 behind its end. */
static uint64_t copies_word(const uint8_t **at, const uint8_t *end)
{
	uint64_t word = 0;

	if ((size_t)(end - *at) < sizeof(word)) {
		*at = end;
		return 0;
	}
	memcpy(&word, *at, sizeof(word));
	*at += sizeof(word);
	return word;
}

bool stack_copies_add(struct stack_copies *copies, const void *record, size_t len)
{
	const uint8_t *at = record, *end = at + len, *stack;
	struct stack_copy copy = {.pid = 0};
	struct stack_walk_sample *sample = &copy.sample;
	uint64_t size, taken;
	uint8_t *bytes;

	at += len < sizeof(struct perf_event_header) ? len : sizeof(struct perf_event_header);
	size = copies_word(&at, end);
	copy.pid = (pid_t)(uint32_t)size;
	copy.tid = (pid_t)(size >> 32);
	/* PERF_SAMPLE_REGS_ABI_64: a thread of the kernel has none. */
	if (copies_word(&at, end) != 2 || copy.pid <= 0)
		return false;
	for (size_t i = 0; i < REGISTERS; i++)
		sample->registers.value[registers[i].dwarf] = copies_word(&at, end);
	sample->registers.known = (1u << CFA_REGISTERS) - 1;
	size = copies_word(&at, end);
	stack = at;
	if (size > (size_t)(end - at) || (size_t)(end - at) - size < sizeof(taken))
		return false;
	/* How many of these bytes there were stands behind them. */
	at += size;
	taken = copies_word(&at, end);
	size = taken < size ? taken : size;
	if (copies->bytes + size > STACK_COPIES_BYTES_MAX) {
		copies->lost++;
		return false;
	}
	bytes = mem_alloc(size + 1);
	memcpy(bytes, stack, size);
	sample->stack = (struct cfa_memory){bytes, sample->registers.value[CFA_SP], size};
	copies->bytes += size;
	ARRAY_GROW(copies->list, copies->n, copies->room);
	copies->list[copies->n++] = copy;
	return true;
}

struct copies_look {
	struct stack_copies *copies;
	pid_t pid; /* 0: all */
};

static void copies_take_one(void *arg, const void *record, size_t len)
{
	const struct copies_look *look = arg;
	struct stack_copies *copies = look->copies;
	const struct cfa_memory *stack;

	if (!stack_copies_add(copies, record, len) || !look->pid ||
		copies->list[copies->n - 1].pid == look->pid)
		return;
	stack = &copies->list[--copies->n].sample.stack;
	copies->bytes -= stack->len;
	free((void *)(uintptr_t)stack->bytes);
}

int stack_copies_take(struct stack_copies *copies, pid_t pid, double seconds, unsigned int hertz,
	bool (*tick)(void *arg, double share), void *arg)
{
#ifdef __x86_64__
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_stack_user = COPY_BYTES,
	};
	struct copies_look look = {copies, pid};
	const uint64_t begin = monotonic_ns();
	struct stack_rings *rings;
	double share = 0;
	int err;

	for (size_t i = 0; i < REGISTERS; i++)
		attr.sample_regs_user |= 1ull << registers[i].kernel;
	err = stack_rings_open(&rings, &attr, hertz);
	if (err)
		return err;
	while (share < 1 && (!tick || tick(arg, share))) {
		usleep(TURN_US);
		copies->lost += stack_rings_take(rings, copies_take_one, &look);
		share = (double)(monotonic_ns() - begin) / (seconds * 1e9);
	}
	stack_rings_close(rings);
	return 0;
#else
	(void)copies, (void)pid, (void)seconds, (void)hertz, (void)tick, (void)arg;
	return -ENOTSUP;
#endif
}
