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
#include "sources/common/mountinfo.h"
#include "capture/list.h"

#define CGROUPS_MAX 4096
#define DEPTH_MAX 16

struct group {
	char *name; /* "" for the root */
	bool unlimited;
};

struct hierarchy {
	enum cgroup_version version;
	char *point;
	char *controllers; /* "rw,cpu,cpuacct" */
	struct group *cgroups;
	size_t n, room;
	bool walked;
	bool cut;  /* there are more */
	int error; /* why there may be more, or 0 */
};

/* A file to be read in each group of a hierarchy. */
struct active {
	size_t hierarchy;
	const char *file;
	const struct cgroup_file *row;
};

struct cgroups {
	struct hierarchy *list;
	size_t n, room;
	struct active *active;
	size_t n_active, room_active;
	bool known;
};

static bool cgroup_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == len && !memcmp(list, word, len))
			return true;
	return false;
}

static void add_hierarchy(void *arg, const struct mount_line *mount)
{
	struct cgroups *all = arg;
	bool v2 = !strcmp(mount->type, "cgroup2");

	if (!v2 && strcmp(mount->type, "cgroup") != 0)
		return;
	ARRAY_GROW(all->list, all->n, all->room);
	all->list[all->n++] = (struct hierarchy){
		.version = v2 ? CGROUP_V2 : CGROUP_V1,
		.point = mem_strdup(mount->point),
		.controllers = mem_strdup(mount->super_options),
	};
}

/* The hierarchy of a v1 controller, or of v2; -1 where it is not mounted. */
static long find_hierarchy(
	const struct cgroups *all, enum cgroup_version version, const char *controller)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct hierarchy *h = &all->list[i];

		if (h->version == version &&
			(version == CGROUP_V2 || cgroup_list_has(h->controllers, controller)))
			return (long)i;
	}
	return -1;
}

static long hierarchy_of(const struct cgroups *all, const struct cgroup_file *row)
{
	const char *v1 = !strcmp(row->controller, "io") ? "blkio" : row->controller;

	if (row->version == CGROUP_V2 && *v1 && find_hierarchy(all, CGROUP_V1, v1) >= 0)
		return -1;
	return find_hierarchy(all, row->version, row->controller);
}

static bool is_active(const struct cgroups *all, const struct cgroup_file *row)
{
	size_t i;

	for (i = 0; i < all->n_active; i++)
		if (all->active[i].row->parse == row->parse)
			return true;
	return false;
}

static void activate(
	struct capture *fs, struct cgroups *all, size_t hierarchy, const struct cgroup_file *row)
{
	char *path = mem_printf("%s/%s", all->list[hierarchy].point, row->file);
	bool use_other = row->instead && !capture_exists(fs, path);

	free(path);
	ARRAY_GROW(all->active, all->n_active, all->room_active);
	all->active[all->n_active++] =
		(struct active){hierarchy, use_other ? row->instead : row->file, row};
}

struct walk {
	struct capture *fs;
	struct hierarchy *h;
	const char *parent;
	unsigned int depth;
};

static void walk_below(struct walk *walk);

static int cgroup_add_group(void *arg, const char *name)
{
	struct walk *walk = arg;
	struct hierarchy *h = walk->h;
	struct walk below = {walk->fs, h, NULL, walk->depth + 1};

	if (h->n >= CGROUPS_MAX || walk->depth >= DEPTH_MAX) {
		h->cut = true;
		return 1;
	}
	ARRAY_GROW(h->cgroups, h->n, h->room);
	h->cgroups[h->n++] = (struct group){.name = mem_printf("%s/%s", walk->parent, name)};
	below.parent = h->cgroups[h->n - 1].name;
	walk_below(&below);
	return 0;
}

static void walk_below(struct walk *walk)
{
	char *dir = mem_printf("%s%s", walk->h->point, walk->parent);
	int err = capture_list_directories(walk->fs, dir, cgroup_add_group, walk);

	/* A group may go while it is looked for, the hierarchy may not. */
	if (err && (err != -ENOENT || !*walk->parent))
		walk->h->error = err;
	free(dir);
}

/* Groups are looked for once: one that appears later has no difference to show yet. */
static void walk_hierarchy(struct capture *fs, struct hierarchy *h)
{
	struct walk walk = {fs, h, "", 0};

	if (h->walked)
		return;
	h->walked = true;
	ARRAY_GROW(h->cgroups, h->n, h->room);
	h->cgroups[h->n++] = (struct group){.name = mem_strdup("")};
	walk_below(&walk);
}

/* Whether a group is not limited by a file: the root has none. */
static bool is_max(
	struct capture *fs, const struct hierarchy *h, const struct group *group, const char *file)
{
	char *path = mem_printf("%s%s/%s", h->point, group->name, file);
	struct bytes text;
	int err = capture_read_once(fs, path, &text);

	free(path);
	return (err == -ENOENT && !*group->name) || (!err && text_starts(text, "max"));
}

/* Most groups of v2 have no limit of memory, and what says how they fare at it need not be read. */
static void know_limits(struct capture *fs, struct hierarchy *h)
{
	size_t i;

	for (i = 0; h->version == CGROUP_V2 && i < h->n; i++)
		h->cgroups[i].unlimited = is_max(fs, h, &h->cgroups[i], "memory.max") &&
			is_max(fs, h, &h->cgroups[i], "memory.high");
}

/* Finds out, at the first sample, what must be read where. */
static int know_cgroups(struct capture *fs, struct cgroups *all, struct sink *sink)
{
	bool limited = false;
	size_t i;
	int err;

	if (all->known)
		return 0;
	err = mounts_read(fs, add_hierarchy, all);
	if (err)
		return err;
	all->known = true;
	for (i = 0; i < cgroup_files_count; i++) {
		const struct cgroup_file *row = &cgroup_files[i];
		long hierarchy;

		if (!sink_wants_prefix(sink, row->prefix) || is_active(all, row))
			continue;
		hierarchy = hierarchy_of(all, row);
		if (hierarchy >= 0)
			activate(fs, all, (size_t)hierarchy, row);
	}
	for (i = 0; i < all->n_active; i++) {
		walk_hierarchy(fs, &all->list[all->active[i].hierarchy]);
		limited |= all->active[i].row->limited;
	}
	for (i = 0; limited && i < all->n; i++)
		know_limits(fs, &all->list[i]);
	return 0;
}

static void read_group(struct capture *fs, const struct cgroups *all, size_t hierarchy, size_t i,
	struct sink *sink)
{
	const struct hierarchy *h = &all->list[hierarchy];
	const struct group *group = &h->cgroups[i];
	const char *name = *group->name ? group->name : "/", *before = "";
	struct str path = STR_INIT;
	struct bytes text = {NULL, 0};
	size_t k;
	int err = 0;

	if (group->unlimited)
		sink_put(sink, name, "memory.max.set", 0);
	for (k = 0; k < all->n_active; k++) {
		const struct active *active = &all->active[k];

		if (active->hierarchy != hierarchy || (active->row->limited && group->unlimited))
			continue;
		/* Several rows may take their fields from one file. */
		if (strcmp(active->file, before) != 0) {
			str_clear(&path);
			str_add(&path, h->point);
			str_add(&path, group->name);
			str_addc(&path, '/');
			str_add(&path, active->file);
			err = capture_read_once(fs, str_text(&path), &text);
			before = active->file;
		}
		if (!err)
			active->row->parse(text, sink, name);
	}
	str_free(&path);
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
	for (i = 0; i < all->n; i++) {
		for (k = 0; k < all->list[i].n; k++)
			read_group(fs, all, i, k, sink);
		if (all->list[i].error)
			sink_missing(
				sink, "%s: %s", all->list[i].point, strerror(-all->list[i].error));
		if (all->list[i].cut)
			sink_missing(sink,
				"more than %d control groups, or deeper than %d: the rest is not "
				"read",
				CGROUPS_MAX, DEPTH_MAX);
	}
	if (!all->n)
		sink_absent(sink, "no hierarchy of control groups is mounted");
	else if (!all->n_active)
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
	size_t i, k;

	for (i = 0; i < all->n; i++) {
		for (k = 0; k < all->list[i].n; k++)
			free(all->list[i].cgroups[k].name);
		free(all->list[i].cgroups);
		free(all->list[i].point);
		free(all->list[i].controllers);
	}
	free(all->list);
	free(all->active);
	free(all);
}

static bool cgroup_culprit(struct capture *fs, void *state, const char *cgroup, struct culprit *out)
{
	(void)fs;
	(void)state;
	snprintf(out->kind, sizeof(out->kind), "cgroup");
	snprintf(out->name, sizeof(out->name), "%s", cgroup);
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
