/* SPDX-License-Identifier: GPL-2.0-only */
/* Where can a little be taken from a cgroup, and how much is a little? */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/str.h"
#include "experiment/knob.h"
#include "experiment/knob_change.h"
#include "experiment/nudge_knob.h"
#include "naps/proc_file.h"
#include "sources/common/mountinfo.h"

#define TEXT_MAX_BYTES 65536
#define QUOTA_LEAST_US 1000 /* the kernel takes no less */
#define CPUS_LEAST 0.02	    /* of which a fifth is the least quota of a period of 100 ms */
#define BYTES_LEAST 65536

/* The mount of a controller. */
struct nudge_mount {
	const char *controller; /* of v1; of v2 it is asked by a file */
	char v1[NUDGE_PATH], v2[NUDGE_PATH];
};

static void nudge_mount_take(void *arg, const struct mount_line *mount)
{
	struct nudge_mount *found = arg;

	if (!strcmp(mount->type, "cgroup2") && !*found->v2)
		snprintf(found->v2, sizeof(found->v2), "%s", mount->point);
	if (!strcmp(mount->type, "cgroup") && !*found->v1 &&
		mount_has_option(mount->super_options, found->controller))
		snprintf(found->v1, sizeof(found->v1), "%s", mount->point);
}

static void nudge_mount_find(struct nudge_mount *found, const char *controller)
{
	char *text = mem_alloc(TEXT_MAX_BYTES);
	const ssize_t len = proc_file_read("/proc/self/mountinfo", text, TEXT_MAX_BYTES);

	*found = (struct nudge_mount){.controller = controller};
	if (len > 0)
		parse_mountinfo((struct bytes){text, (size_t)len}, nudge_mount_take, found);
	free(text);
}

/* The path of a process's cgroup in the hierarchy of a controller; "" of v2's name is v2. */
static bool nudge_path_of(pid_t pid, const char *controller, char *out, size_t size)
{
	char path[64], text[8192], *line, *rest = NULL, *list, *group;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (proc_file_read(path, text, sizeof(text)) <= 0)
		return false;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		list = strchr(line, ':');
		group = list ? strchr(list + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = 0;
		if (*controller ? !mount_has_option(list + 1, controller) : list[1] != 0)
			continue;
		return (size_t)snprintf(out, size, "%s", group) < size;
	}
	return false;
}

/* The directory of the cgroup below a mount; false where there is none, or it is the root. */
static int nudge_group(struct nudge_knob *knob, const char *mount, const char *controller,
	const char *target, struct str *why)
{
	char path[NUDGE_PATH];
	uint64_t pid;

	if (num_u64(target, 1, INT32_MAX, &pid))
		snprintf(path, sizeof(path), "%s", target);
	else if (!nudge_path_of((pid_t)pid, controller, path, sizeof(path))) {
		str_addf(why, "there is no process %" PRIu64, pid);
		return -ENOENT;
	}
	if (*path != '/') {
		str_add(why, "a cgroup is named from its slash on, or by one of its processes");
		return -ENOENT;
	}
	if (!path[1]) {
		str_add(why,
			"that is the cgroup that everything is in: the kernel has no limit "
			"for it");
		return -EPERM;
	}
	if (strstr(path, "..") ||
		(size_t)snprintf(knob->group, sizeof(knob->group), "%s%s", mount, path) >=
			sizeof(knob->group) ||
		access(knob->group, F_OK)) {
		str_add(why, "there is no such cgroup: ");
		escape_terminal(why, path);
		return -ENOENT;
	}
	return 0;
}

/* Reads the file as it is. */
static int nudge_look(struct nudge_knob *knob, struct str *why)
{
	free(knob->old);
	knob->old = NULL;
	return knob_change_look(knob->path, &knob->old, why);
}

static int nudge_look_quota(struct nudge_knob *knob, struct str *why)
{
	char path[NUDGE_PATH + 64], text[64];
	int err;

	snprintf(knob->path, sizeof(knob->path), "%s/%s", knob->group,
		knob->v2 ? "cpu.max" : "cpu.cfs_quota_us");
	err = nudge_look(knob, why);
	if (err)
		return err;
	if (knob->v2)
		return sscanf(knob->old, "%*s %lf", &knob->period_us) == 1 ? 0 : -EINVAL;
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", knob->group);
	return proc_file_read(path, text, sizeof(text)) > 0 &&
			sscanf(text, "%lf", &knob->period_us) == 1
		? 0
		: -EINVAL;
}

int nudge_knob_find(
	struct nudge_knob *knob, enum nudge_kind kind, const char *target, struct str *why)
{
	static const char *const controllers[] = {[NUDGE_QUOTA] = "cpu", [NUDGE_IO] = "blkio"};
	static const char *const files[] = {[NUDGE_QUOTA] = "cpu.max", [NUDGE_IO] = "io.max"};
	static const char *const files_v1[] = {
		[NUDGE_QUOTA] = "cpu.cfs_quota_us", [NUDGE_IO] = "blkio.throttle.read_bps_device"};
	struct nudge_mount mount;
	char path[NUDGE_PATH + 64];
	int err;

	*knob = (struct nudge_knob){.kind = kind};
	nudge_mount_find(&mount, controllers[kind]);
	knob->v2 = !*mount.v1;
	if (knob->v2 && !*mount.v2) {
		str_add(why, "no cgroup file system is mounted here");
		return -EOPNOTSUPP;
	}
	err = nudge_group(knob, knob->v2 ? mount.v2 : mount.v1, knob->v2 ? "" : controllers[kind],
		target, why);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/%s", knob->group, knob->v2 ? files[kind] : files_v1[kind]);
	if (access(path, F_OK)) {
		str_addf(why, "the kernel has no controller for that here: there is no %s",
			knob->v2 ? files[kind] : files_v1[kind]);
		return -EOPNOTSUPP;
	}
	if (kind == NUDGE_QUOTA)
		return nudge_look_quota(knob, why);
	snprintf(knob->path, sizeof(knob->path), "%s", path);
	return nudge_look(knob, why);
}

void nudge_knob_free(struct nudge_knob *knob)
{
	free(knob->old);
	*knob = (struct nudge_knob){0};
}

static struct nudge_device *nudge_device(struct nudge_usage *usage, const char *name)
{
	size_t i;

	for (i = 0; i < usage->n; i++)
		if (!strcmp(usage->devices[i].device, name))
			return &usage->devices[i];
	if (usage->n == ARRAY_SIZE(usage->devices))
		return NULL;
	usage->devices[usage->n] = (struct nudge_device){.read = 0};
	snprintf(usage->devices[usage->n].device, sizeof(usage->devices[0].device), "%s", name);
	return &usage->devices[usage->n++];
}

/* "8:0 Read 4096" of v1, "8:0 rbytes=4096 wbytes=0 rios=1 ..." of v2. */
void nudge_devices_parse(const char *text, bool v2, struct nudge_usage *out)
{
	const char *line;

	for (line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char name[24], kind[16];
		uint64_t read = 0, written = 0, bytes = 0;
		struct nudge_device *device;

		if (v2 ? sscanf(line, "%23[0-9:] rbytes=%" SCNu64 " wbytes=%" SCNu64, name, &read,
				 &written) != 3
		       : sscanf(line, "%23[0-9:] %15[A-Za-z] %" SCNu64, name, kind, &bytes) != 3)
			continue;
		device = strchr(name, ':') ? nudge_device(out, name) : NULL;
		if (!device)
			continue;
		if (v2 || !strcmp(kind, "Read"))
			device->read = v2 ? read : bytes;
		if (v2 || !strcmp(kind, "Write"))
			device->written = v2 ? written : bytes;
	}
}

/* The CPU time of the processes that are in the group itself. */
static uint64_t nudge_cpu_of_processes(const struct nudge_knob *knob)
{
	char path[NUDGE_PATH + 64], *text = mem_alloc(TEXT_MAX_BYTES), *at = text, *end;
	uint64_t sum = 0, one;
	long pid;

	snprintf(path, sizeof(path), "%s/cgroup.procs", knob->group);
	if (proc_file_read(path, text, TEXT_MAX_BYTES) <= 0)
		*text = 0;
	while ((pid = strtol(at, &end, 10)) > 0 && end != at) {
		at = end;
		if (!proc_cpu_ns((pid_t)pid, &one))
			sum += one;
	}
	free(text);
	return sum;
}

static uint64_t nudge_cpu(const struct nudge_knob *knob)
{
	char path[NUDGE_PATH + 64], text[4096];
	uint64_t value;

	snprintf(path, sizeof(path), "%s/%s", knob->group, knob->v2 ? "cpu.stat" : "cpuacct.usage");
	if (proc_file_read(path, text, sizeof(text)) > 0 &&
		sscanf(text, knob->v2 ? "usage_usec %" SCNu64 : "%" SCNu64, &value) == 1)
		return knob->v2 ? value * 1000 : value;
	return nudge_cpu_of_processes(knob);
}

int nudge_usage_read(const struct nudge_knob *knob, struct nudge_usage *out)
{
	char path[NUDGE_PATH + 64], *text;
	ssize_t len;

	*out = (struct nudge_usage){.time_ns = monotonic_ns()};
	if (knob->kind == NUDGE_QUOTA) {
		out->cpu_ns = nudge_cpu(knob);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/%s", knob->group,
		knob->v2 ? "io.stat" : "blkio.throttle.io_service_bytes");
	text = mem_alloc(TEXT_MAX_BYTES);
	len = proc_file_read(path, text, TEXT_MAX_BYTES);
	if (len > 0)
		nudge_devices_parse(text, knob->v2, out);
	free(text);
	return len < 0 ? (int)len : 0;
}

static int nudge_used_cpu(struct nudge_knob *knob, double seconds, const struct nudge_usage *before,
	const struct nudge_usage *after, struct str *why)
{
	knob->used = after->cpu_ns > before->cpu_ns
		? (double)(after->cpu_ns - before->cpu_ns) / 1e9 / seconds
		: 0;
	if (knob->used >= CPUS_LEAST && knob->used * knob->period_us >= 2 * QUOTA_LEAST_US)
		return 0;
	str_addf(why, "the cgroup uses %.1f %% of a CPU: too little to take anything from",
		100 * knob->used);
	return -ENODATA;
}

/* The file of the direction. One that limits other disks has several lines as soon as ours is in
 * it, and could not be put back. */
static int nudge_look_io(struct nudge_knob *knob, struct str *why)
{
	const size_t len = strlen(knob->device);
	int err;

	if (!knob->v2)
		snprintf(knob->path, sizeof(knob->path), "%s/blkio.throttle.%s_bps_device",
			knob->group, knob->reads ? "read" : "write");
	err = nudge_look(knob, why);
	if (err || !*knob->old || (!strncmp(knob->old, knob->device, len) && knob->old[len] == ' '))
		return err;
	str_addf(why, "%s limits another disk", knob->path);
	return -EMSGSIZE;
}

/* The disk and the direction of most bytes. */
static int nudge_used_io(struct nudge_knob *knob, double seconds, const struct nudge_usage *before,
	const struct nudge_usage *after, struct str *why)
{
	struct nudge_usage first = *before;
	size_t i;

	knob->used = 0;
	for (i = 0; i < after->n; i++) {
		const struct nudge_device *now = &after->devices[i],
					  *then = nudge_device(&first, now->device);
		const double read = then && now->read > then->read
			? (double)(now->read - then->read) / seconds
			: 0;
		const double written = then && now->written > then->written
			? (double)(now->written - then->written) / seconds
			: 0;

		if (fmax(read, written) <= knob->used)
			continue;
		knob->used = fmax(read, written);
		knob->reads = read >= written;
		snprintf(knob->device, sizeof(knob->device), "%s", now->device);
	}
	if (knob->used < BYTES_LEAST) {
		str_addf(why,
			"the cgroup reads and writes %.0f bytes a second by itself: too "
			"little to take anything from",
			knob->used);
		return -ENODATA;
	}
	return nudge_look_io(knob, why);
}

int nudge_knob_used(struct nudge_knob *knob, const struct nudge_usage *before,
	const struct nudge_usage *after, struct str *why)
{
	const double seconds = (double)(after->time_ns - before->time_ns) / 1e9;

	if (!(seconds > 0))
		return -EINVAL;
	return knob->kind == NUDGE_QUOTA ? nudge_used_cpu(knob, seconds, before, after, why)
					 : nudge_used_io(knob, seconds, before, after, why);
}

char *nudge_knob_value(const struct nudge_knob *knob, double strength)
{
	const double left = knob->used * (1 - strength);

	if (knob->kind == NUDGE_QUOTA) {
		const double us = fmax(QUOTA_LEAST_US, floor(left * knob->period_us));

		return knob->v2 ? mem_printf("%.0f %.0f", us, knob->period_us)
				: mem_printf("%.0f", us);
	}
	return knob->v2
		? mem_printf("%s %s=%.0f", knob->device, knob->reads ? "rbps" : "wbps", left)
		: mem_printf("%s %.0f", knob->device, left);
}

char *nudge_knob_undo(const struct nudge_knob *knob)
{
	if (knob->kind == NUDGE_QUOTA || *knob->old)
		return NULL;
	return knob->v2 ? mem_printf("%s %s=max", knob->device, knob->reads ? "rbps" : "wbps")
			: mem_printf("%s 0", knob->device);
}
