/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which control group is throttled, full or waits? Instances are paths below the hierarchy
 * ("/system.slice/x.service", "/" for the root), fields have the names of v2 on v1 as well. Only
 * the files that somebody asked for are read. A controller is in one hierarchy only: where v1 has
 * it, v2 has nothing to say about it but pressure.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "sources/task/cgroup_files.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/task/cgroup_tree.h"

/* Where there are no more groups than this their files stay open from sample to sample: to open one
 * costs more than to read it, but each holds 5 KiB of the kernel's memory. */
#define KEPT_GROUPS 128

/* A file to be read in each group of a hierarchy. */
struct active {
	struct cgroup_hierarchy *hierarchy;
	const char *file;
	const struct cgroup_file *row;
};

struct cgroups {
	struct cgroup_tree *tree; /* NULL: what is mounted is not known yet */
	struct cgroup_hierarchy
		*idle_of; /* whose groups say whether they are idle; NULL: nobody asks */
	struct active *active;
	size_t n, room;
};

static bool is_active(const struct cgroups *all, const struct cgroup_file *row)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->active[i].row->parse == row->parse)
			return true;
	return false;
}

static void activate(struct capture *fs, struct cgroups *all, struct cgroup_hierarchy *hierarchy,
	const struct cgroup_file *row)
{
	char *path = mem_printf("%s/%s", hierarchy->point, row->file);
	bool use_other = row->instead && !capture_exists(fs, path);

	free(path);
	ARRAY_GROW(all->active, all->n, all->room);
	all->active[all->n++] =
		(struct active){hierarchy, use_other ? row->instead : row->file, row};
}

/* Whether a group is not limited by a file: the root has none. */
static bool is_max(struct capture *fs, const struct cgroup_hierarchy *h, const struct cgroup *group,
	const char *file)
{
	char *path = mem_printf("%s%s/%s", h->point, group->name, file);
	struct bytes text;
	int err = capture_read_once(fs, path, &text);

	free(path);
	return (err == -ENOENT && !*group->name) || (!err && text_starts(text, "max"));
}

/* Most groups of v2 have no limit of memory, and what says how they fare at it need not be read. */
static void know_limits(struct capture *fs, struct cgroup_hierarchy *h)
{
	size_t i;

	for (i = 0; h->version == CGROUP_V2 && i < h->n; i++)
		h->groups[i].unlimited = is_max(fs, h, &h->groups[i], "memory.max") &&
			is_max(fs, h, &h->groups[i], "memory.high");
}

/* What is below a group that may have only what CPUs have left may have no more. */
static void know_idle(struct capture *fs, struct cgroups *all)
{
	struct cgroup_hierarchy *h = cgroup_tree_find(all->tree, CGROUP_V1, "cpu");
	struct bytes text;
	size_t i;

	if (!h)
		h = cgroup_tree_find(all->tree, CGROUP_V2, "cpu");
	if (!h)
		return;
	cgroup_tree_walk(fs, h);
	all->idle_of = h;
	for (i = 1; i < h->n; i++) {
		struct cgroup *group = &h->groups[i];
		char *path = mem_printf("%s%s/cpu.idle", h->point, group->name);

		group->idle = h->groups[group->parent].idle ||
			(!capture_read_once(fs, path, &text) && text_starts(text, "1"));
		free(path);
	}
}

/* Finds out, at the first sample, what must be read where. */
static int know_cgroups(struct capture *fs, struct cgroups *all, struct sink *sink)
{
	bool limited = false;
	size_t i;
	int err;

	if (all->tree)
		return 0;
	err = cgroup_tree_of(fs, &all->tree);
	if (err)
		return err;
	for (i = 0; i < cgroup_files_count; i++) {
		const struct cgroup_file *row = &cgroup_files[i];
		struct cgroup_hierarchy *hierarchy;

		if (!sink_wants_prefix(sink, row->prefix) || is_active(all, row))
			continue;
		hierarchy = cgroup_tree_find(all->tree, row->version, row->controller);
		if (hierarchy)
			activate(fs, all, hierarchy, row);
	}
	for (i = 0; i < all->n; i++) {
		cgroup_tree_walk(fs, all->active[i].hierarchy);
		limited |= all->active[i].row->of == CGROUP_FILE_OF_LIMITED;
	}
	for (i = 0; limited && i < all->tree->n; i++)
		know_limits(fs, &all->tree->list[i]);
	if (sink_wants(sink, "cpu.idle"))
		know_idle(fs, all);
	return 0;
}

static bool cgroup_has_file(const struct cgroup_file *row, const struct cgroup *group)
{
	switch (row->of) {
	case CGROUP_FILE_OF_LIMITED:
		return !group->unlimited;
	case CGROUP_FILE_OF_LEAVES:
		return group->leaf;
	default:
		return true;
	}
}

/* Whether a file that was not read may have something to say: the group is there, and so is the
 * file. EOPNOTSUPP is said of pressure where nobody counts it. */
static bool cgroup_may_hide(int err)
{
	return err && err != -ENOENT && err != -ENODEV && err != -EOPNOTSUPP;
}

static void read_group(struct capture *fs, const struct cgroups *all,
	const struct cgroup_hierarchy *h, const struct cgroup *group, struct sink *sink)
{
	const char *name = cgroup_instance(group), *before = "";
	struct str path = STR_INIT;
	struct bytes text = {NULL, 0};
	size_t k;
	int err = 0;

	if (group->unlimited)
		sink_put(sink, name, "memory.max.set", 0);
	for (k = 0; k < all->n; k++) {
		const struct active *active = &all->active[k];

		if (active->hierarchy != h || !cgroup_has_file(active->row, group))
			continue;
		/* Several rows may take their fields from one file. */
		if (strcmp(active->file, before) != 0) {
			str_clear(&path);
			str_add(&path, h->point);
			str_add(&path, group->name);
			str_addc(&path, '/');
			str_add(&path, active->file);
			err = h->n <= KEPT_GROUPS ? capture_read(fs, str_text(&path), &text)
						  : capture_read_once(fs, str_text(&path), &text);
			before = active->file;
			if (cgroup_may_hide(err))
				sink_missing(sink, "%s: %s", str_text(&path), strerror(-err));
		}
		if (!err)
			active->row->parse(text, sink, name);
	}
	if (h == all->idle_of)
		sink_put(sink, name, "cpu.idle", group->idle);
	if (group->words)
		sink_label(sink, name, group->words);
	str_free(&path);
}

static bool cgroup_is_read(const struct cgroups *all, const struct cgroup_hierarchy *h)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->active[i].hierarchy == h)
			return true;
	return h == all->idle_of;
}

static int read_cgroup(struct capture *fs, void *state, struct sink *sink)
{
	struct cgroups *all = state;
	size_t i, k;
	int err = know_cgroups(fs, all, sink);

	if (err) {
		sink_missing(sink, "/proc/self/mountinfo: %s", strerror(-err));
		return err;
	}
	for (i = 0; i < all->tree->n; i++) {
		const struct cgroup_hierarchy *h = &all->tree->list[i];

		if (!cgroup_is_read(all, h))
			continue;
		for (k = 0; k < h->n; k++)
			read_group(fs, all, h, &h->groups[k], sink);
		cgroup_tree_say_missing(h, sink);
	}
	if (!all->tree->n)
		sink_absent(sink, "no hierarchy of control groups is mounted");
	else if (!all->n)
		sink_absent(sink, "no mounted hierarchy of control groups has such files");
	return 0;
}

static int open_cgroup(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct cgroups));
	return 0;
}

static void close_cgroup(void *state)
{
	struct cgroups *all = state;

	free(all->active);
	free(all);
}

static bool cgroup_culprit(struct capture *fs, void *state, const char *cgroup, struct culprit *out)
{
	(void)state;
	cgroup_tree_culprit(fs, cgroup, out);
	return true;
}

SOURCE(cgroup) = {
	.name = "cgroup",
	.what = "control groups, v1 and v2: CPU limits, memory, I/O, pressure",
	.open = open_cgroup,
	.read = read_cgroup,
	.close = close_cgroup,
	.culprit = cgroup_culprit,
};
