/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is at work on this machine, now? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number_map.h"
#include "base/progress.h"
#include "base/str.h"
#include "heatmap/heatmap.h"
#include "heatmap/periods.h"
#include "heatmap/tick.h"
#include "sys/caps.h"
#include "tools/map/options.h"
#include "tools/map/samples.h"

#define HERTZ 99 /* in step with nothing that people write */
#define RING_PAGES 64
#define CPUS_MAX 8192
#define LOOK_NS 100000000
#define COMM_BYTES 64

struct samples_ring {
	int fd;
	struct perf_event_mmap_page *page;
};

struct samples_sample {
	uint64_t at_ns;
	uint32_t pid, tid;
};

struct samples {
	struct heatmap *map;
	struct heatmap_periods *periods;
	struct samples_ring *rings;
	size_t n, page_bytes;
	uint64_t wall_ns;
	struct samples_sample *batch;
	size_t n_batch, batch_room;
	struct number_map by_tid; /* places in names */
	uint16_t *names;	  /* of threads, UINT16_MAX: not known */
	size_t n_names, names_room;
};

/* What a sample has, in this order. */
struct samples_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t at_ns;
};

struct samples_task {
	struct perf_event_header header;
	uint32_t pid, parent, tid, parent_tid;
};

struct samples_comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[COMM_BYTES];
};

struct samples_lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

static int samples_open(struct samples_ring *ring, int cpu, size_t page_bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = HERTZ,
		.freq = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.comm = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	void *page;

	ring->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	page = mmap(NULL, (RING_PAGES + 1) * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		ring->fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	ring->page = page;
	return 0;
}

static void samples_close(struct samples *samples)
{
	for (size_t i = 0; i < samples->n; i++) {
		if (samples->rings[i].page)
			munmap(samples->rings[i].page, (RING_PAGES + 1) * samples->page_bytes);
		if (samples->rings[i].fd >= 0)
			close(samples->rings[i].fd);
	}
	free(samples->rings);
	free(samples->batch);
	free(samples->names);
	number_map_free(&samples->by_tid);
}

/* A CPU that is offline has no ring, and that is no error. Returns 0 or -errno. */
static int samples_open_all(struct samples *samples)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	size_t opened = 0;
	int err = 0, last = -ENODEV;

	samples->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	samples->n = cpus > 0 && cpus < CPUS_MAX ? (size_t)cpus : CPUS_MAX;
	samples->rings = mem_zalloc(samples->n * sizeof(*samples->rings));
	for (size_t i = 0; i < samples->n; i++)
		samples->rings[i].fd = -1;
	caps_raise(CAPS_BPF);
	for (size_t i = 0; i < samples->n && last != -EACCES && last != -EPERM; i++) {
		last = samples_open(&samples->rings[i], (int)i, samples->page_bytes);
		opened += !last;
	}
	caps_lower(CAPS_BPF);
	if (!opened)
		err = last;
	return err;
}

/* What a thread is called, until it says otherwise. */
static uint16_t samples_read_name(struct samples *samples, uint32_t pid, uint32_t tid)
{
	char path[64], comm[COMM_BYTES] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return heatmap_name(samples->map, "[ended]");
	n = read(fd, comm, sizeof(comm) - 1);
	close(fd);
	if (n > 0 && comm[n - 1] == '\n')
		comm[n - 1] = 0;
	return heatmap_name(samples->map, comm);
}

static uint16_t *samples_name(struct samples *samples, uint32_t tid)
{
	size_t at;

	if (!number_map_get(&samples->by_tid, tid, &at)) {
		ARRAY_GROW(samples->names, samples->n_names, samples->names_room);
		at = samples->n_names++;
		samples->names[at] = UINT16_MAX;
		number_map_add(&samples->by_tid, tid, at);
	}
	return &samples->names[at];
}

static void samples_take_task(struct samples *samples, const struct samples_task *task)
{
	uint16_t parent = UINT16_MAX;

	if (task->header.type == PERF_RECORD_FORK)
		parent = *samples_name(samples, task->parent_tid);
	*samples_name(samples, task->tid) = parent;
}

static void samples_take_record(struct samples *samples, const struct perf_event_header *header)
{
	const struct samples_record *record = (const void *)header;
	const struct samples_comm *comm = (const void *)header;
	const struct samples_lost *lost = (const void *)header;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		ARRAY_GROW(samples->batch, samples->n_batch, samples->batch_room);
		samples->batch[samples->n_batch++] = (struct samples_sample){
			record->at_ns + samples->wall_ns, record->pid, record->tid};
		break;
	case PERF_RECORD_COMM:
		*samples_name(samples, comm->tid) = heatmap_name(samples->map, comm->comm);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		samples_take_task(samples, (const void *)header);
		break;
	case PERF_RECORD_LOST:
		heatmap_add_lost(samples->map, realtime_ns(), lost->lost);
	}
}

/* A record may go on at the begin of the ring, and is put together first. */
static void samples_take_ring(struct samples *samples, struct samples_ring *ring)
{
	const size_t size = RING_PAGES * samples->page_bytes;
	const char *bytes = (const char *)ring->page + samples->page_bytes;
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		_Alignas(8) char whole[256] = "";
		struct perf_event_header header;

		for (size_t i = 0; i < sizeof(header); i++)
			((char *)&header)[i] = bytes[(tail + i) % size];
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		for (size_t i = 0; i < header.size && i < sizeof(whole) - 1; i++)
			whole[i] = bytes[(tail + i) % size];
		samples_take_record(samples, (const void *)whole);
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static int samples_by_time(const void *a, const void *b)
{
	const struct samples_sample *x = a, *y = b;

	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* The samples of all CPUs in the order of time. */
static void samples_count(struct samples *samples)
{
	const uint32_t own = (uint32_t)getpid();

	if (samples->n_batch)
		qsort(samples->batch, samples->n_batch, sizeof(*samples->batch), samples_by_time);
	for (size_t i = 0; i < samples->n_batch; i++) {
		const struct samples_sample *sample = &samples->batch[i];
		uint16_t *name;

		heatmap_see(samples->map, sample->at_ns);
		if (!sample->tid || sample->pid == own)
			continue;
		name = samples_name(samples, sample->tid);
		if (*name == UINT16_MAX)
			*name = samples_read_name(samples, sample->pid, sample->tid);
		heatmap_add(samples->map, sample->at_ns, 0, *name, 1);
		heatmap_periods_add(
			samples->periods, samples->map->names[*name], sample->tid, sample->at_ns);
	}
	samples->n_batch = 0;
}

static void samples_watch(struct samples *samples, double seconds)
{
	const struct timespec pause = {0, LOOK_NS};
	const uint64_t began = monotonic_ns();
	double passed = 0;

	while (passed < seconds && !progress_told_to_stop()) {
		nanosleep(&pause, NULL);
		for (size_t i = 0; i < samples->n; i++)
			if (samples->rings[i].page)
				samples_take_ring(samples, &samples->rings[i]);
		samples_count(samples);
		passed = (double)(monotonic_ns() - began) * 1e-9;
		if (seconds > 2)
			progress_show("sampling", passed / seconds);
	}
	progress_end();
}

int map_samples(
	struct heatmap *map, struct heatmap_periods *periods, const struct map_options *asked)
{
	struct samples samples = {.map = map, .periods = periods};
	int err = samples_open_all(&samples);

	heatmap_init(map, HEATMAP_OFFSET, (uint64_t)(asked->period_seconds * 1e9 + 0.5), 1);
	map->tick_ns = 1000000000 / HERTZ;
	map->rows = asked->rows ? asked->rows : heatmap_tick_rows(map->column_ns, map->tick_ns);
	map->is_wall = true;
	if (err == -EACCES || err == -EPERM)
		fprintf(stderr, "%s: sampling all CPUs needs CAP_PERFMON: run as root\n",
			asked->program);
	else if (err)
		fprintf(stderr, "%s: the CPUs cannot be sampled: %s\n", asked->program,
			strerror(-err));
	if (!err) {
		caps_start(0);
		samples.wall_ns = realtime_ns() - monotonic_ns();
		samples_watch(&samples, asked->seconds);
		if (!map->total) {
			fprintf(stderr, "%s: no process ran in that time\n", asked->program);
			err = -ENODATA;
		}
	}
	samples_close(&samples);
	return err;
}
