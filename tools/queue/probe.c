/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/str.h"
#include "queue/matrix.h"
#include "sys/caps.h"
#include "tools/queue/people.h"
#include "tools/queue/probe.h"

static enum matrix_ahead probe_ahead(uint32_t ahead)
{
	switch (ahead) {
	case QUEUE_IDLE:
		return MATRIX_IDLE;
	case QUEUE_QUOTA:
		return MATRIX_QUOTA;
	case QUEUE_EARLIER:
		return MATRIX_EARLIER;
	case QUEUE_MOVED:
		return MATRIX_MOVED;
	case QUEUE_HIDDEN:
		return MATRIX_HIDDEN;
	case QUEUE_SEVERAL:
		return MATRIX_SEVERAL;
	case QUEUE_SERVED:
		return MATRIX_SERVED;
	default:
		return MATRIX_PROCESS;
	}
}

/* A sum, with what was noted of both sides. */
struct probe_taken {
	struct queue_key key;
	struct queue_sum sum;
	struct queue_person waiter, ahead;
	bool knows_waiter, knows_ahead;
};

/* The place of a process, with its name. */
static size_t probe_person(struct matrix *matrix, struct cgroup_names *groups, uint32_t pid,
	const struct queue_person *noted)
{
	size_t at = matrix_person(matrix, pid);

	if (!matrix->people[at].known)
		people_know(matrix, pid, noted, groups);
	return at;
}

static void probe_add(
	struct matrix *matrix, struct cgroup_names *groups, const struct probe_taken *taken)
{
	struct matrix_cell cell = {.ahead = probe_ahead(taken->key.ahead),
		.device = taken->key.device,
		.stage = taken->key.stage,
		.ns = taken->sum.ns,
		.count = taken->sum.count,
		.longest_ns = taken->sum.longest_ns};

	cell.waiter = probe_person(
		matrix, groups, taken->key.waiter, taken->knows_waiter ? &taken->waiter : NULL);
	if (!cell.ahead)
		cell.person = probe_person(matrix, groups, taken->key.ahead,
			taken->knows_ahead ? &taken->ahead : NULL);
	matrix_add(matrix, &cell);
}

static bool probe_is_gone(const struct queue_key *key)
{
	return !people_lives(key->waiter) ||
		(!probe_ahead(key->ahead) && !people_lives(key->ahead));
}

/* All keys first, since what is deleted ends the way through a map. */
static size_t probe_keys(int map, struct queue_key **keys)
{
	struct queue_key key;
	size_t n = 0, room = 0;
	int err = bpf_map_get_next_key(map, NULL, &key);

	*keys = NULL;
	while (!err && n < QUEUE_PAIRS) {
		ARRAY_GROW(*keys, n, room);
		(*keys)[n++] = key;
		err = bpf_map_get_next_key(map, &key, &key);
	}
	return n;
}

/* Takes one out of the kernel. */
static bool probe_take(
	const struct queue_probe *probe, const struct queue_key *key, struct probe_taken *taken)
{
	*taken = (struct probe_taken){.key = *key};
	if (bpf_map_lookup_elem(probe->pairs, key, &taken->sum))
		return false;
	bpf_map_delete_elem(probe->pairs, key);
	taken->knows_waiter = !bpf_map_lookup_elem(probe->people, &key->waiter, &taken->waiter);
	taken->knows_ahead = !bpf_map_lookup_elem(probe->people, &key->ahead, &taken->ahead);
	return true;
}

void queue_probe_take(const struct queue_probe *probe, struct matrix *matrix,
	struct cgroup_names *groups, bool all)
{
	struct probe_taken *taken = NULL;
	size_t n, i, n_taken = 0, room = 0;
	struct queue_key *keys;

	caps_raise(CAPS_BPF);
	n = probe_keys(probe->pairs, &keys);
	for (i = 0; i < n; i++) {
		if (!all && !probe_is_gone(&keys[i]))
			continue;
		ARRAY_GROW(taken, n_taken, room);
		n_taken += probe_take(probe, &keys[i], &taken[n_taken]);
	}
	caps_lower(CAPS_BPF);
	for (i = 0; i < n_taken; i++)
		probe_add(matrix, groups, &taken[i]);
	free(taken);
	free(keys);
}

void queue_probe_still(const struct queue_probe *probe)
{
	char text[64];
	int fd;

	if (probe->still < 0)
		return;
	caps_raise(CAPS_BPF);
	fd = bpf_iter_create(probe->still);
	/* It writes nothing: this runs it to its end. */
	while (fd >= 0 && read(fd, text, sizeof(text)) > 0)
		;
	if (fd >= 0)
		close(fd);
	caps_lower(CAPS_BPF);
}

/* The kernel tells the numbers of the first namespace, and we know those of ours. */
bool queue_probe_numbers_are_ours(struct str *why)
{
	static const char first[] = "pid:[4026531836]"; /* PROC_PID_INIT_INO */
	char link[sizeof(first) + 1];
	const ssize_t len = readlink("/proc/self/ns/pid", link, sizeof(link));

	if (len == (ssize_t)sizeof(first) - 1 && !memcmp(link, first, sizeof(first) - 1))
		return true;
	str_add(why,
		"this is a PID namespace of its own, where processes have other numbers than "
		"the kernel's: run it outside of the container");
	return false;
}

void queue_probe_close(struct queue_probe *probe)
{
	if (probe->skeleton)
		probe->destroy(probe->skeleton);
	probe->skeleton = NULL;
}
