/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/str.h"
#include "sys/caps.h"
#include "sys/privileged_call.h"
#include "tools/lock/watch.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/probe/lockwait.skel.h"
#pragma GCC diagnostic pop

#define TICK_MS 100

/* As enum of the kernel's include/trace/events/lock.h. */
enum {
	KIND_SPIN = 1,
	KIND_READ = 2,
	KIND_WRITE = 4,
	KIND_RT = 8,
	KIND_PERCPU = 16,
	KIND_MUTEX = 32
};

const char *lock_watch_type(uint32_t type)
{
	if (type == LOCKWAIT_FUTEX)
		return "lock of a program";
	if (type & KIND_MUTEX)
		return "mutex";
	if (type & KIND_RT)
		return "rt mutex";
	if (type & KIND_PERCPU)
		return type & KIND_WRITE ? "per-CPU rwsem (write)" : "per-CPU rwsem (read)";
	if (type & KIND_SPIN && type & (KIND_READ | KIND_WRITE))
		return type & KIND_READ ? "rwlock (read)" : "rwlock (write)";
	if (type & KIND_SPIN)
		return "spinlock";
	if (type & (KIND_READ | KIND_WRITE))
		return type & KIND_READ ? "rwsem (read)" : "rwsem (write)";
	/* Semaphores of the old kind have no flags. */
	return type ? "other" : "semaphore";
}

/* What takes a lock, and what traces it, is not where it is wanted. */
static bool watch_is_lock(const char *name)
{
	static const char *const starts[] = {"__traceiter_", "trace_", "bpf_", "__bpf_", "rwsem_",
		"down_", "__down", "mutex_", "__mutex", "_raw_", "native_queued_", "queued_",
		"rt_mutex", "__rt_mutex", "percpu_", "__percpu", "do_raw_", "__raw_", "schedule",
		"perf_trace", "__pv_queued", "ww_mutex", "__ww_mutex", "lock_"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		if (str_starts(name, starts[i]))
			return true;
	return false;
}

/* The first frames are those of what looks, then come those of the lock. */
static size_t watch_first_place(const struct lock_watch *watch, const struct lock_wait *wait)
{
	size_t i, behind = 0;

	for (i = 0; i < LOCKWAIT_FRAMES && wait->stack.frames[i]; i++) {
		const char *name = kernel_names_find(&watch->names, wait->stack.frames[i]);

		if (name && watch_is_lock(name))
			behind = i + 1;
		else if (behind)
			break;
	}
	return behind;
}

static void watch_place(const struct lock_watch *watch, struct lock_wait *wait)
{
	size_t i = watch_first_place(watch, wait), n = 0;

	for (; i < LOCKWAIT_FRAMES && wait->stack.frames[i] && n < LOCK_PLACES; i++) {
		wait->place[n] = kernel_names_find(&watch->names, wait->stack.frames[i]);
		n += wait->place[n] != NULL;
	}
}

static bool watch_same(const struct lock_wait *a, const struct lock_wait *b)
{
	return a->key.type == b->key.type && a->key.waiter == b->key.waiter &&
		a->key.holder == b->key.holder && !memcmp(a->place, b->place, sizeof(a->place));
}

/* Ways that differ only further out are one. */
static void watch_merge(struct lock_watch *watch)
{
	size_t i, at, n = 0;

	for (i = 0; i < watch->n; i++) {
		const struct lock_wait *wait = &watch->list[i];

		for (at = 0; at < n && !watch_same(&watch->list[at], wait); at++)
			;
		if (at == n) {
			watch->list[n++] = *wait;
			continue;
		}
		watch->list[at].sum.ns += wait->sum.ns;
		watch->list[at].sum.count += wait->sum.count;
		if (wait->sum.longest_ns > watch->list[at].sum.longest_ns)
			watch->list[at].sum.longest_ns = wait->sum.longest_ns;
	}
	watch->n = n;
}

static int watch_by_time(const void *a, const void *b)
{
	const struct lock_wait *left = a, *right = b;

	return (left->sum.ns < right->sum.ns) - (left->sum.ns > right->sum.ns);
}

/* All that the kernel has summed up. */
static void watch_collect(
	struct lock_watch *watch, struct lockwait_full *skeleton, const struct lock_options *asked)
{
	const int sums = bpf_map__fd(skeleton->maps.sums),
		  stacks = bpf_map__fd(skeleton->maps.stacks);
	struct lock_wait wait;
	struct lockwait_key key;
	int err;

	caps_raise(CAPS_BPF);
	err = bpf_map_get_next_key(sums, NULL, &key);
	while (!err && watch->n < LOCKWAIT_SUMS) {
		memset(&wait, 0, sizeof(wait));
		wait.key = key;
		if (!bpf_map_lookup_elem(sums, &key, &wait.sum) &&
			(!asked->pid || asked->pid == key.waiter)) {
			if (key.stack && bpf_map_lookup_elem(stacks, &key.stack, &wait.stack))
				memset(&wait.stack, 0, sizeof(wait.stack));
			ARRAY_GROW(watch->list, watch->n, watch->room);
			watch->list[watch->n++] = wait;
		}
		err = bpf_map_get_next_key(sums, &key, &key);
	}
	caps_lower(CAPS_BPF);
	watch->lost_waits = skeleton->bss->lost_waits;
	watch->lost_sums = skeleton->bss->lost_sums;
	watch->lost_stacks = skeleton->bss->lost_stacks;
}

/* What the C library says of a mutex is what any word of memory may be: it is believed where it is
 * a thread of that process. */
static void watch_find_threads(struct lock_watch *watch)
{
	char path[96];
	ssize_t len;
	size_t i;
	int fd;

	for (i = 0; i < watch->n; i++) {
		struct lock_wait *wait = &watch->list[i];

		if (wait->key.type != LOCKWAIT_FUTEX || !wait->key.holder)
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", wait->key.waiter,
			wait->key.holder);
		fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		len = privileged_pread(fd, wait->thread, sizeof(wait->thread) - 1, 0);
		wait->thread[len > 0 ? len : 0] = 0;
		wait->thread[strcspn(wait->thread, "\n")] = 0;
		close(fd);
	}
}

static void watch_wait(struct lock_watch *watch, double seconds)
{
	const double began = monotonic_seconds();
	double now = began;

	while (now - began < seconds && !progress_interrupted()) {
		progress_show("watching locks", (now - began) / seconds);
		poll(NULL, 0, TICK_MS);
		now = monotonic_seconds();
	}
	watch->seconds = now - began;
	progress_end();
}

static struct lockwait_full *watch_load(const struct lock_options *asked, int *err)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct lockwait_full *skeleton;

	caps_raise(CAPS_BPF);
	skeleton = lockwait_full__open();
	if (!skeleton) {
		*err = errno ? -errno : -EINVAL;
	} else {
		skeleton->rodata->slow_ns = (__u64)(asked->slow_seconds * 1e9);
		skeleton->rodata->own = (__u32)getpid();
		skeleton->rodata->futex_call = SYS_futex;
		*err = lockwait_full__load(skeleton);
		if (!*err)
			*err = lockwait_full__attach(skeleton);
	}
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	return skeleton;
}

int lock_watch_run(struct lock_watch *watch, const struct lock_options *asked)
{
	struct lockwait_full *skeleton;
	size_t i;
	int err;

	*watch = (struct lock_watch){0};
	skeleton = watch_load(asked, &err);
	if (!err) {
		skeleton->bss->counting = 1;
		watch_wait(watch, asked->seconds);
		skeleton->bss->counting = 0;
		watch_collect(watch, skeleton, asked);
	} else {
		fprintf(stderr, "%s: cannot watch locks: %s\n", asked->program,
			err == -EPERM || err == -EACCES
				? "it needs CAP_BPF and CAP_PERFMON: run it as root"
				: "the kernel rejects the probe (it needs BTF and Linux 5.19)");
	}
	lockwait_full__destroy(skeleton);
	if (err)
		return err;
	kernel_names_read(&watch->names);
	for (i = 0; i < watch->n; i++)
		watch_place(watch, &watch->list[i]);
	watch_merge(watch);
	watch_find_threads(watch);
	if (watch->n)
		qsort(watch->list, watch->n, sizeof(*watch->list), watch_by_time);
	return 0;
}

void lock_watch_free(struct lock_watch *watch)
{
	free(watch->list);
	kernel_names_free(&watch->names);
	*watch = (struct lock_watch){0};
}
