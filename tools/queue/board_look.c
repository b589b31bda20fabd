/* SPDX-License-Identifier: GPL-2.0-only */
/* How do the switches of all CPUs get onto the checkerboard? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/str.h"
#include "bpf/probe/board.h"
#include "sys/caps.h"
#include "tools/queue/board_look.h"
#include "tools/queue/look.h"
#include "tools/queue/probe.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/probe/board.skel.h"
#pragma GCC diagnostic pop

#define TICK_MS 50

static int board_look_take(void *arg, void *data, size_t size)
{
	const struct board_event *event = data;
	struct board *board = arg;
	char name[BOARD_COMM + 1] = "";

	if (size != sizeof(*event))
		return 0;
	memcpy(name, event->comm, BOARD_COMM);
	if (event->kind == BOARD_RAN)
		board_ran(board, event->cpu, event->process, name, event->from_ns, event->to_ns);
	else
		board_waited(board, event->cpu, event->process, name, event->from_ns, event->to_ns);
	return 0;
}

/* A CPU tells of itself when it switches, and one that is idle, or has but one thread, does not: we
 * go there for a moment, as far as we may. */
static void board_look_visit(size_t cpus)
{
	cpu_set_t *mine = CPU_ALLOC(BOARD_CPUS), *one = CPU_ALLOC(BOARD_CPUS);
	const size_t size = CPU_ALLOC_SIZE(BOARD_CPUS);
	size_t cpu;

	if (mine && one && !sched_getaffinity(0, size, mine)) {
		for (cpu = 0; cpu < cpus; cpu++) {
			CPU_ZERO_S(size, one);
			CPU_SET_S(cpu, size, one);
			if (CPU_ISSET_S(cpu, size, mine))
				sched_setaffinity(0, size, one);
		}
		sched_setaffinity(0, size, mine);
	}
	CPU_FREE(mine);
	CPU_FREE(one);
}

static void board_look_watch(
	struct board *board, struct board_full *skeleton, struct ring_buffer *ring, double seconds)
{
	double began, now;

	skeleton->bss->counting = 1;
	board_look_visit(board->cpus);
	began = now = monotonic_seconds();
	while (now - began < seconds && !progress_interrupted()) {
		progress_show("watching the CPUs", (now - began) / seconds);
		poll(NULL, 0, TICK_MS);
		ring_buffer__consume(ring);
		now = monotonic_seconds();
	}
	board_look_visit(board->cpus);
	skeleton->bss->counting = 0;
	ring_buffer__consume(ring);
	progress_end();
}

static struct board_full *board_look_load(int *err)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct board_full *skeleton;

	caps_raise(CAPS_BPF);
	skeleton = board_full__open_and_load();
	*err = skeleton ? board_full__attach(skeleton) : errno ? -errno : -EINVAL;
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	return skeleton;
}

static int board_look_refused(const struct queue_options *asked, int err)
{
	fprintf(stderr, "%s: the CPUs cannot be watched: %s\n", asked->program,
		err == -EPERM || err == -EACCES
			? "it needs CAP_BPF and CAP_PERFMON: run it as root"
			: "the kernel does not take the probe (it needs BTF and Linux 5.8)");
	return err;
}

int board_look(
	struct board *board, const struct queue_options *asked, size_t columns, uint64_t *lost)
{
	const int cpus = libbpf_num_possible_cpus();
	struct board_full *skeleton;
	struct ring_buffer *ring;
	int err;

	board_make(
		board, cpus > 0 && cpus <= BOARD_CPUS ? (size_t)cpus : 1, columns, asked->seconds);
	skeleton = board_look_load(&err);
	if (err) {
		board_full__destroy(skeleton);
		return board_look_refused(asked, err);
	}
	ring = ring_buffer__new(bpf_map__fd(skeleton->maps.events), board_look_take, board, NULL);
	if (ring)
		board_look_watch(board, skeleton, ring, asked->seconds);
	*lost = skeleton->bss->lost;
	ring_buffer__free(ring);
	board_full__destroy(skeleton);
	board_sort(board);
	return ring ? 0 : board_look_refused(asked, -ENOMEM);
}
