/* SPDX-License-Identifier: GPL-2.0-only */
/* What did the clock of each CPU meet? */
#include "base/banned.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "stacks/stack_ring.h"
#include "sys/caps.h"

/* A power of two; with one more it is what kernel.perf_event_mlock_kb allows. */
enum { RING_PAGES = 128 };

struct stack_ring {
	int fd;
	struct perf_event_mmap_page *page;
};

struct stack_rings {
	struct stack_ring *list;
	size_t n, bytes;
};

/* 1 where there is no such CPU now. */
static int ring_open(
	struct stack_ring *ring, const struct perf_event_attr *attr, int cpu, size_t bytes)
{
	void *page;
	int err;

	ring->fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno == ENODEV ? 1 : -errno;
	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (page != MAP_FAILED) {
		ring->page = page;
		return 0;
	}
	err = -errno;
	close(ring->fd);
	return err;
}

int stack_rings_open(
	struct stack_rings **out, const struct perf_event_attr *attr, unsigned int hertz)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct stack_rings *rings = mem_zalloc(sizeof(*rings));
	struct perf_event_attr clock = *attr;
	int err = 0;

	clock.type = PERF_TYPE_SOFTWARE;
	clock.size = sizeof(clock);
	clock.config = PERF_COUNT_SW_CPU_CLOCK;
	clock.sample_period = (uint64_t)llround(1e9 / hertz);
	clock.exclude_idle = 1;
	rings->list = mem_zalloc((size_t)cpus * sizeof(*rings->list));
	rings->bytes = (size_t)sysconf(_SC_PAGESIZE) * (RING_PAGES + 1);
	caps_raise(CAPS_BPF);
	for (int cpu = 0; cpu < cpus && err >= 0; cpu++) {
		err = ring_open(&rings->list[rings->n], &clock, cpu, rings->bytes);
		rings->n += !err;
	}
	caps_lower(CAPS_BPF);
	if (rings->n && err >= 0) {
		*out = rings;
		return 0;
	}
	stack_rings_close(rings);
	return err < 0 ? err : -ENODEV;
}

void stack_rings_close(struct stack_rings *rings)
{
	for (size_t i = 0; i < rings->n; i++) {
		munmap(rings->list[i].page, rings->bytes);
		close(rings->list[i].fd);
	}
	free(rings->list);
	free(rings);
}

/* A record that goes over the end of the ring is put together. */
static void ring_hand_over(const uint8_t *data, uint64_t size, uint64_t at, size_t len,
	void (*take)(void *arg, const void *record, size_t len), void *arg)
{
	const size_t first = size - at < len ? (size_t)(size - at) : len;
	uint8_t *record = mem_alloc(len);

	memcpy(record, data + at, first);
	memcpy(record + first, data, len - first);
	take(arg, record, len);
	free(record);
}

static unsigned long long ring_take(const struct stack_ring *ring,
	void (*take)(void *arg, const void *record, size_t len), void *arg)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t size = ring->page->data_size;
	const uint8_t *data = (const uint8_t *)ring->page + ring->page->data_offset;
	unsigned long long lost = 0;
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		struct perf_event_header header;

		/* Records are of whole words, and so is the ring: a header never goes over its end.
		 */
		memcpy(&header, data + tail % size, sizeof(header));
		if (header.size < sizeof(header))
			break;
		lost += header.type == PERF_RECORD_LOST;
		if (header.type == PERF_RECORD_SAMPLE)
			ring_hand_over(data, size, tail % size, header.size, take, arg);
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return lost;
}

unsigned long long stack_rings_take(struct stack_rings *rings,
	void (*take)(void *arg, const void *record, size_t len), void *arg)
{
	unsigned long long lost = 0;

	for (size_t i = 0; i < rings->n; i++)
		lost += ring_take(&rings->list[i], take, arg);
	return lost;
}
