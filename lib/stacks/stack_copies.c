/* SPDX-License-Identifier: GPL-2.0-only */
/* What is on the stacks of the programs that run? */
#include "base/banned.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "stacks/stack_copies.h"
#include "sys/caps.h"

enum {
	RING_PAGES = 128, /* a power of two; with one more it is what kernel.perf_event_mlock_kb
			     allows */
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

struct copies_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size;
};

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

/* A record that goes over the end of the ring is put together. */
static void copies_record(
	struct stack_copies *copies, const struct copies_ring *ring, uint64_t tail, pid_t pid)
{
	const uint8_t *data = (const uint8_t *)ring->page + ring->page->data_offset;
	const uint64_t size = ring->page->data_size, at = tail % size;
	struct perf_event_header header;
	uint8_t *record;
	size_t first;

	memcpy(&header, data + at, sizeof(header));
	if (header.type == PERF_RECORD_LOST)
		copies->lost++;
	if (header.type != PERF_RECORD_SAMPLE || header.size < sizeof(header))
		return;
	first = size - at < header.size ? (size_t)(size - at) : header.size;
	record = mem_alloc(header.size);
	memcpy(record, data + at, first);
	memcpy(record + first, data, header.size - first);
	if (stack_copies_add(copies, record, header.size) && pid &&
		copies->list[copies->n - 1].pid != pid) {
		const struct cfa_memory *stack = &copies->list[--copies->n].sample.stack;

		copies->bytes -= stack->len;
		free((void *)(uintptr_t)stack->bytes);
	}
	free(record);
}

static void copies_drain(struct stack_copies *copies, const struct copies_ring *ring, pid_t pid)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint8_t *data = (const uint8_t *)ring->page + ring->page->data_offset;
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		struct perf_event_header header;

		/* Records are of whole words, and so is the ring: a header never goes over its end.
		 */
		memcpy(&header, data + tail % ring->page->data_size, sizeof(header));
		if (!header.size)
			break;
		copies_record(copies, ring, tail, pid);
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

/* 1 where there is no such CPU now. */
static int copies_open(struct copies_ring *ring, int cpu, unsigned int hertz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = (uint64_t)llround(1e9 / hertz),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_stack_user = COPY_BYTES,
		.exclude_idle = 1,
	};
	void *page;

	for (size_t i = 0; i < REGISTERS; i++)
		attr.sample_regs_user |= 1ull << registers[i].kernel;
	ring->size = (size_t)sysconf(_SC_PAGESIZE) * (RING_PAGES + 1);
	ring->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno == ENODEV ? 1 : -errno;
	page = mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (page == MAP_FAILED) {
		const int err = -errno;

		close(ring->fd);
		return err;
	}
	ring->page = page;
	return 0;
}

/* Of all CPUs. Returns how many, or -errno. */
static int copies_open_all(struct copies_ring *rings, long cpus, unsigned int hertz)
{
	int n = 0, err = 0;

	caps_raise(CAPS_BPF);
	for (int cpu = 0; cpu < cpus && err >= 0; cpu++) {
		err = copies_open(&rings[n], cpu, hertz);
		n += !err;
	}
	caps_lower(CAPS_BPF);
	return n ? n : err < 0 ? err : -ENODEV;
}

int stack_copies_take(struct stack_copies *copies, pid_t pid, double seconds, unsigned int hertz,
	bool (*tick)(void *arg, double share), void *arg)
{
#ifdef __x86_64__
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct copies_ring *rings = mem_zalloc((size_t)cpus * sizeof(*rings));
	const int n = copies_open_all(rings, cpus, hertz);
	const uint64_t begin = monotonic_ns();
	double share = 0;
	int i;

	while (n > 0 && share < 1 && (!tick || tick(arg, share))) {
		usleep(TURN_US);
		for (i = 0; i < n; i++)
			copies_drain(copies, &rings[i], pid);
		share = (double)(monotonic_ns() - begin) / (seconds * 1e9);
	}
	for (i = 0; i < n; i++) {
		munmap(rings[i].page, rings[i].size);
		close(rings[i].fd);
	}
	free(rings);
	return n < 0 ? n : 0;
#else
	(void)copies, (void)pid, (void)seconds, (void)hertz, (void)tick, (void)arg;
	return -ENOTSUP;
#endif
}
