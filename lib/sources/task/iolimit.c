/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which control group is held back by a limit of its own for I/O (io.max of v2, blkio.throttle of
 * v1)?
 *
 * Instances are limits: "/system.slice/x.service vda riops=40". Which there are is looked for in
 * the first sample, in every group; later only groups with a limit are read. Fields:
 *
 *   limit           bytes or requests that it allows a second
 *   used            bytes or requests so far, of the group and those below it
 *   full_usec       for how long no task of the group got on for I/O: v2 alone has it
 *   full_limit, full_used   limit and used of those that have full_usec
 *   device_io_ms    for how long the device had something to do
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/culprit.h"
#include "base/number_map.h"
#include "base/str.h"
#include "capture/capture.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/task/cgroup_tree.h"
#include "sources/task/io_limit.h"

#define V1 "blkio.throttle."

struct limited {
	struct io_limit limit;
	const struct cgroup_hierarchy *hierarchy;
	const struct cgroup *group;
	char *instance, *label;
};

struct iolimits {
	struct limited *list; /* of one group side by side */
	size_t n, room;
	bool known;
	int error;		 /* why there may be more, or 0 */
	struct number_map disks; /* their numbers in lines, by device */
	struct bytes *lines;	 /* of /proc/diskstats in this sample */
	size_t n_lines, room_lines;
	bool recursive;				  /* v1 has counters of what is below as well */
	struct capture *fs;			  /* during a read */
	const struct cgroup_hierarchy *hierarchy; /* while limits are looked for */
	const struct cgroup *group;
};

static int open_iolimit(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct iolimits));
	return 0;
}

static void close_iolimit(void *state)
{
	struct iolimits *all = state;
	size_t i;

	for (i = 0; i < all->n; i++) {
		free(all->list[i].instance);
		free(all->list[i].label);
	}
	free(all->list);
	free(all->lines);
	number_map_free(&all->disks);
	free(all);
}

static uint64_t iolimit_device(unsigned int major, unsigned int minor)
{
	return (uint64_t)major << 32 | minor;
}

/* Notes where each disk's line is, behind the numbers of its device. */
static void iolimit_know_disks(struct iolimits *all)
{
	struct bytes text, line;
	double major, minor;

	number_map_clear(&all->disks);
	all->n_lines = 0;
	if (capture_read(all->fs, "/proc/diskstats", &text))
		return;
	while (text_line(&text, &line)) {
		if (!text_next_number(&line, &major) || !text_next_number(&line, &minor) ||
			major < 0 || minor < 0)
			continue;
		number_map_add(&all->disks,
			iolimit_device((unsigned int)major, (unsigned int)minor), all->n_lines);
		ARRAY_GROW(all->lines, all->n_lines, all->room_lines);
		all->lines[all->n_lines++] = line;
	}
}

/* The line of a device in /proc/diskstats, behind its name, which may be NULL. */
static bool iolimit_find_disk(const struct iolimits *all, const struct io_limit *limit,
	struct bytes *rest, char *name, size_t size)
{
	struct bytes word;
	size_t i;

	if (!number_map_get(&all->disks, iolimit_device(limit->major, limit->minor), &i))
		return false;
	*rest = all->lines[i];
	return text_word(rest, &word) && (!name || text_copy(word, name, size));
}

static void iolimit_add(void *arg, const struct io_limit *limit)
{
	struct iolimits *all = arg;
	const char *group = cgroup_instance(all->group);
	const char *words = all->group->words ? all->group->words : group;
	struct bytes rest;
	char disk[64];

	if (!iolimit_find_disk(all, limit, &rest, disk, sizeof(disk)))
		snprintf(disk, sizeof(disk), "%u:%u", limit->major, limit->minor);
	ARRAY_GROW(all->list, all->n, all->room);
	all->list[all->n++] = (struct limited){
		.limit = *limit,
		.hierarchy = all->hierarchy,
		.group = all->group,
		.instance = mem_printf("%s %s %s=%.0f", group, disk, io_limit_word(limit->kind),
			limit->per_second),
		.label = mem_printf("%s (%s=%.0f of %s)", words, io_limit_word(limit->kind),
			limit->per_second, disk),
	};
}

static int iolimit_read_of(struct capture *fs, const struct cgroup_hierarchy *h,
	const struct cgroup *group, const char *file, struct bytes *text)
{
	char *path = mem_printf("%s%s/%s", h->point, group->name, file);
	int err = capture_read_once(fs, path, text);

	free(path);
	return err;
}

/* Where a group cannot be asked, it may have a limit. */
static int iolimit_read_limits(struct iolimits *all, const char *file, struct bytes *text)
{
	int err = iolimit_read_of(all->fs, all->hierarchy, all->group, file, text);

	if (err && err != -ENOENT && err != -ENODEV && !all->error)
		all->error = err;
	return err;
}

static void iolimit_look_for(struct iolimits *all)
{
	static const char *const v1_files[IO_LIMIT_KINDS] = {V1 "read_bps_device",
		V1 "write_bps_device", V1 "read_iops_device", V1 "write_iops_device"};
	struct bytes text;
	unsigned int i;

	if (all->hierarchy->version == CGROUP_V2) {
		if (!iolimit_read_limits(all, "io.max", &text))
			parse_io_max(text, iolimit_add, all);
		return;
	}
	for (i = 0; i < IO_LIMIT_KINDS; i++)
		if (!iolimit_read_limits(all, v1_files[i], &text))
			parse_throttle_device(text, i, iolimit_add, all);
}

static int iolimit_know(struct iolimits *all, struct sink *sink)
{
	struct cgroup_tree *tree;
	struct cgroup_hierarchy *h;
	char *path;
	size_t i;
	int err = cgroup_tree_of(all->fs, &tree);

	if (err)
		return err;
	all->known = true;
	h = cgroup_tree_find(tree, CGROUP_V2, "io");
	if (!h)
		h = cgroup_tree_find(tree, CGROUP_V1, "blkio");
	if (!h)
		return 0;
	cgroup_tree_walk(all->fs, h);
	cgroup_tree_say_missing(h, sink);
	all->hierarchy = h;
	path = mem_printf("%s/%s", h->point, V1 "io_serviced_recursive");
	all->recursive = h->version == CGROUP_V1 && capture_exists(all->fs, path);
	free(path);
	for (i = 0; i < h->n; i++) {
		all->group = &h->groups[i];
		iolimit_look_for(all);
	}
	if (all->error)
		sink_missing(sink, "limits of control groups: %s", strerror(-all->error));
	return 0;
}

static bool iolimit_used(const struct iolimits *all, const struct limited *limited, double *out)
{
	bool bytes = limited->limit.kind == IO_LIMIT_RBPS || limited->limit.kind == IO_LIMIT_WBPS;
	bool v2 = limited->hierarchy->version == CGROUP_V2;
	const char *v1 = bytes ? V1 "io_service_bytes" : V1 "io_serviced";
	char file[64];
	struct bytes text;

	snprintf(file, sizeof(file), "%s%s", v2 ? "io.stat" : v1,
		all->recursive ? "_recursive" : "");
	if (iolimit_read_of(all->fs, limited->hierarchy, limited->group, file, &text))
		return false;
	*out = v2 ? parse_io_used(text, &limited->limit)
		  : parse_throttle_used(text, &limited->limit);
	return true;
}

/* "full avg10=0.00 avg60=0.00 avg300=0.00 total=12" */
static bool iolimit_waited(
	const struct iolimits *all, const struct limited *limited, double *full_usec)
{
	struct bytes text, line, word, name;

	if (limited->hierarchy->version != CGROUP_V2 ||
		iolimit_read_of(all->fs, limited->hierarchy, limited->group, "io.pressure", &text))
		return false;
	while (text_line(&text, &line)) {
		if (!text_word(&line, &word) || !text_is(word, "full"))
			continue;
		while (text_word(&line, &word))
			if (text_until(&word, '=', &name) && text_is(name, "total"))
				return text_number(word, full_usec);
	}
	return false;
}

/* The tenth number behind the name of a disk. */
static bool iolimit_busy(const struct iolimits *all, const struct limited *limited, double *io_ms)
{
	struct bytes rest;
	unsigned int i;

	if (!iolimit_find_disk(all, &limited->limit, &rest, NULL, 0))
		return false;
	for (i = 0; i < 10; i++)
		if (!text_next_number(&rest, io_ms))
			return false;
	return true;
}

static void iolimit_put(
	const struct iolimits *all, const struct limited *limited, struct sink *sink)
{
	double value, used;
	bool has_used = iolimit_used(all, limited, &used);

	sink_put(sink, limited->instance, "limit", limited->limit.per_second);
	if (has_used)
		sink_put(sink, limited->instance, "used", used);
	if (iolimit_waited(all, limited, &value)) {
		sink_put(sink, limited->instance, "full_usec", value);
		sink_put(sink, limited->instance, "full_limit", limited->limit.per_second);
		if (has_used)
			sink_put(sink, limited->instance, "full_used", used);
	}
	if (iolimit_busy(all, limited, &value))
		sink_put(sink, limited->instance, "device_io_ms", value);
	sink_label(sink, limited->instance, limited->label);
}

static int read_iolimit(struct capture *fs, void *state, struct sink *sink)
{
	struct iolimits *all = state;
	size_t i;
	int err = 0;

	all->fs = fs;
	if (!all->known || all->n)
		iolimit_know_disks(all);
	if (!all->known)
		err = iolimit_know(all, sink);
	if (err) {
		sink_missing(sink, "/proc/self/mountinfo: %s", strerror(-err));
		return err;
	}
	for (i = 0; i < all->n; i++)
		iolimit_put(all, &all->list[i], sink);
	if (!all->n)
		sink_absent(sink, "no control group has a limit for its I/O");
	return 0;
}

static bool iolimit_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct iolimits *all = state;
	size_t i;

	for (i = 0; i < all->n; i++) {
		if (strcmp(all->list[i].instance, instance) != 0)
			continue;
		cgroup_tree_culprit(fs, cgroup_instance(all->list[i].group), out);
		return true;
	}
	return false;
}

SOURCE(iolimit) = {
	.name = "iolimit",
	.what = "limits of control groups for I/O (io.max, blkio.throttle), and how much they use",
	.open = open_iolimit,
	.read = read_iolimit,
	.close = close_iolimit,
	.culprit = iolimit_culprit,
};
