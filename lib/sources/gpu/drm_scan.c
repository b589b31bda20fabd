/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which processes use a GPU?
 *
 * Only the links in /proc/PID/fd say who has one open, and only /proc/PID/fdinfo what it did with
 * it. The driver may have to wake the device to answer that, so those of one that sleeps are not
 * read.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "sources/gpu/gpu_source.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sources/gpu/drm_scan.h"
#include "sources/gpu/drm_fdinfo.h"
#include "capture/links.h"
#include "capture/list.h"

#define FDS_MAX 100000 /* looked at in one scan */
#define CLIENTS_MAX 4096
#define NODES "/dev/dri/"
/* ROCm submits through this one: fdinfo of the other has its memory and none of its work. Source:
 * Umio-Yasuno/amdgpu_top#49, ROCm/amdsmi#130. */
#define COMPUTE_NODE "/dev/kfd"
/* The number of the first pid namespace, PROC_PID_INIT_INO. */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

struct client {
	char pid[12], fd[12];
	size_t device; /* number of devices: a node of no device that is known */
	bool compute;  /* the process has COMPUTE_NODE open */
};

struct drm_scan {
	struct capture *fs;
	const struct gpu_devices *devices;
	struct client *list;
	size_t n, room;
	size_t fds;
	const char *pid; /* of which the descriptors are looked at */
	bool compute;	 /* of this process */
	bool all;	 /* every process could be seen */
};

struct drm_scan *drm_scan_new(struct capture *fs, const struct gpu_devices *devices)
{
	struct drm_scan *scan = mem_zalloc(sizeof(*scan));

	scan->fs = fs;
	scan->devices = devices;
	return scan;
}

void drm_scan_free(struct drm_scan *scan)
{
	free(scan->list);
	free(scan);
}

static bool drm_is_number(const char *text)
{
	uint64_t number;

	return !num_u64(text, 0, UINT32_MAX, &number);
}

static size_t drm_device_of_node(const struct gpu_devices *devices, const char *node)
{
	size_t i;

	for (i = 0; i < devices->n; i++)
		if (!strcmp(node, devices->list[i].render) || !strcmp(node, devices->list[i].card))
			break;
	return i;
}

static int look_at_fd(void *arg, const char *fd, const char *target)
{
	struct drm_scan *scan = arg;
	struct client *client;

	if (!drm_is_number(fd))
		return 0;
	if (scan->fds++ == FDS_MAX || scan->n == CLIENTS_MAX) {
		scan->all = false;
		return 1;
	}
	scan->compute |= !strcmp(target, COMPUTE_NODE);
	if (!str_starts(target, NODES))
		return 0;
	ARRAY_GROW(scan->list, scan->n, scan->room);
	client = &scan->list[scan->n++];
	snprintf(client->pid, sizeof(client->pid), "%s", scan->pid);
	snprintf(client->fd, sizeof(client->fd), "%s", fd);
	client->device = drm_device_of_node(scan->devices, target + strlen(NODES));
	return 0;
}

static int drm_look_at_process(void *arg, const char *pid)
{
	struct drm_scan *scan = arg;
	size_t i = scan->n;
	char path[32];
	int err;

	if (!drm_is_number(pid))
		return 0;
	scan->pid = pid;
	scan->compute = false;
	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	err = capture_list_links(scan->fs, path, look_at_fd, scan);
	if (err == -EACCES || err == -EPERM)
		scan->all = false;
	for (; i < scan->n; i++)
		scan->list[i].compute = scan->compute;
	return scan->fds > FDS_MAX || scan->n == CLIENTS_MAX;
}

/* Who sees one pid namespace only does not see who else uses the GPU. */
static bool sees_every_process(struct capture *fs)
{
	char target[32];

	return !capture_readlink(fs, "/proc/self/ns/pid", target, sizeof(target)) &&
		!strcmp(target, FIRST_PID_NAMESPACE);
}

static void find_clients(struct drm_scan *scan)
{
	scan->n = scan->fds = 0;
	scan->all = sees_every_process(scan->fs);
	if (capture_list_directories(scan->fs, "/proc", drm_look_at_process, scan))
		scan->all = false;
}

static void add_usage(const struct drm_scan *scan, const struct client *client,
	const struct drm_usage *usage, struct str *lines)
{
	const char *name = scan->devices->list[client->device].name;
	size_t i;

	for (i = 0; i < usage->n_engines; i++) {
		const struct drm_engine *engine = &usage->engines[i];

		if (!engine->has_ns && !(engine->has_cycles && engine->has_total))
			continue;
		str_addf(lines, "use %s %llu %s %s %u %llu ", name,
			(unsigned long long)usage->client, client->pid, engine->name,
			engine->capacity, (unsigned long long)engine->busy);
		if (engine->has_ns)
			str_add(lines, "-\n");
		else
			str_addf(lines, "%llu\n", (unsigned long long)engine->total);
	}
	for (i = 0; i < usage->n_regions; i++)
		str_addf(lines, "mem %s %llu %s %s %llu\n", name, (unsigned long long)usage->client,
			client->pid, usage->regions[i].name,
			(unsigned long long)usage->regions[i].bytes);
}

static void add_comm(struct drm_scan *scan, const char *pid, struct str *lines)
{
	struct bytes text, line;
	char path[32];
	size_t i;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (capture_read_once(scan->fs, path, &text))
		return;
	/* The name itself may hold a newline: the last one ends it. */
	line = text;
	text_cut_end(&line, "\n");
	str_addf(lines, "comm %s ", pid);
	for (i = 0; i < line.len; i++)
		str_addc(lines, line.data[i] && line.data[i] != '\n' ? line.data[i] : '?');
	str_addc(lines, '\n');
}

static void read_client(struct drm_scan *scan, const struct client *client, struct str *lines)
{
	const struct gpu_device *device = &scan->devices->list[client->device];
	struct drm_usage usage;
	struct bytes text;
	char path[48];
	int err;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", client->pid, client->fd);
	err = capture_read_once(scan->fs, path, &text);
	if (err == -EACCES || err == -EPERM)
		scan->all = false;
	if (err)
		return;
	/* Of engines that were never used amdgpu says nothing, but nor does it of what is submitted
	 * past its scheduler. */
	if (!drm_parse_fdinfo(text, &usage) || !usage.n_engines ||
		(client->compute && !strcmp(device->driver, "amdgpu")))
		str_addf(lines, "blind %s %s\n", device->name, client->pid);
	if (!usage.has_client)
		return;
	/* A node that was made anew may belong to another device by now. */
	if (*usage.device && strcmp(usage.device, device->name) != 0)
		return;
	add_usage(scan, client, &usage, lines);
}

void drm_scan_run(struct drm_scan *scan, bool all, const bool *asleep, struct str *lines)
{
	struct str clients = STR_INIT;
	size_t i;

	if (all)
		find_clients(scan);
	for (i = 0; i < scan->n; i++) {
		const struct client *client = &scan->list[i];

		if (client->device == scan->devices->n || asleep[client->device])
			continue;
		if (!i || strcmp(scan->list[i - 1].pid, client->pid) != 0)
			add_comm(scan, client->pid, &clients);
		read_client(scan, client, &clients);
	}
	str_addf(lines, "scan %llu %s\n", (unsigned long long)monotonic_ns(),
		scan->all ? "all" : "some");
	str_add(lines, str_text(&clients));
	str_free(&clients);
}
