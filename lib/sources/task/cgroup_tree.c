/* SPDX-License-Identifier: GPL-2.0-only */
/* Which control groups are there, and what are they called? */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "base/cgroup_words.h"
#include "base/culprit.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/list.h"
#include "sample/sink.h"
#include "sources/common/mountinfo.h"
#include "sources/common/parse_text.h"
#include "sources/task/cgroup_tree.h"

#define SHARED "control groups"

static void cgroup_tree_release(void *object)
{
	struct cgroup_tree *tree = object;
	size_t i, k;

	for (i = 0; i < tree->n; i++) {
		for (k = 0; k < tree->list[i].n; k++) {
			free(tree->list[i].groups[k].name);
			free(tree->list[i].groups[k].words);
		}
		free(tree->list[i].groups);
		free(tree->list[i].point);
		free(tree->list[i].controllers);
	}
	free(tree->list);
	free(tree);
}

static void cgroup_tree_add_hierarchy(void *arg, const struct mount_line *mount)
{
	struct cgroup_tree *tree = arg;
	bool v2 = !strcmp(mount->type, "cgroup2");

	if (!v2 && strcmp(mount->type, "cgroup") != 0)
		return;
	ARRAY_GROW(tree->list, tree->n, tree->room);
	tree->list[tree->n++] = (struct cgroup_hierarchy){
		.version = v2 ? CGROUP_V2 : CGROUP_V1,
		.point = mem_strdup(mount->point),
		.controllers = mem_strdup(mount->super_options),
	};
}

int cgroup_tree_of(struct capture *fs, struct cgroup_tree **out)
{
	struct cgroup_tree *tree = capture_attached(fs, SHARED);
	int err;

	if (!tree) {
		tree = mem_zalloc(sizeof(*tree));
		err = mounts_read(fs, cgroup_tree_add_hierarchy, tree);
		if (err) {
			cgroup_tree_release(tree);
			return err;
		}
		capture_attach(fs, SHARED, tree, cgroup_tree_release);
	}
	*out = tree;
	return 0;
}

static struct cgroup_hierarchy *cgroup_tree_find_mounted(
	const struct cgroup_tree *tree, enum cgroup_version version, const char *controller)
{
	size_t i;

	for (i = 0; i < tree->n; i++) {
		struct cgroup_hierarchy *h = &tree->list[i];

		if (h->version == version &&
			(version == CGROUP_V2 || mount_has_option(h->controllers, controller)))
			return h;
	}
	return NULL;
}

struct cgroup_hierarchy *cgroup_tree_find(
	const struct cgroup_tree *tree, enum cgroup_version version, const char *controller)
{
	const char *v1 = !strcmp(controller, "io") ? "blkio" : controller;

	if (version == CGROUP_V2 && *v1 && cgroup_tree_find_mounted(tree, CGROUP_V1, v1))
		return NULL;
	return cgroup_tree_find_mounted(tree, version, controller);
}

struct cgroup_walk {
	struct capture *fs;
	struct cgroup_hierarchy *h;
	size_t parent;
	unsigned int depth;
};

static void cgroup_tree_walk_below(struct cgroup_walk *walk);

/* Takes the name. */
static size_t cgroup_tree_add(struct cgroup_hierarchy *h, char *name, size_t parent)
{
	struct str words = STR_INIT;

	cgroup_words(&words, name);
	if (!strcmp(str_text(&words), name))
		str_free(&words);
	ARRAY_GROW(h->groups, h->n, h->room);
	h->groups[h->n] = (struct cgroup){
		.name = name,
		.words = words.text ? str_take(&words) : NULL,
		.parent = parent,
		.leaf = true,
	};
	return h->n++;
}

static int cgroup_tree_found(void *arg, const char *name)
{
	struct cgroup_walk *walk = arg;
	struct cgroup_hierarchy *h = walk->h;
	struct cgroup_walk below = {walk->fs, h, 0, walk->depth + 1};

	if (h->n >= CGROUPS_MAX || walk->depth >= CGROUP_DEPTH_MAX) {
		h->cut = true;
		return 1;
	}
	h->groups[walk->parent].leaf = false;
	below.parent = cgroup_tree_add(
		h, mem_printf("%s/%s", h->groups[walk->parent].name, name), walk->parent);
	cgroup_tree_walk_below(&below);
	return 0;
}

static void cgroup_tree_walk_below(struct cgroup_walk *walk)
{
	char *dir = mem_printf("%s%s", walk->h->point, walk->h->groups[walk->parent].name);
	int err = capture_list_directories(walk->fs, dir, cgroup_tree_found, walk);

	/* A group may go while it is looked for, the hierarchy may not. */
	if (err && (err != -ENOENT || !walk->depth))
		walk->h->error = err;
	free(dir);
}

void cgroup_tree_walk(struct capture *fs, struct cgroup_hierarchy *hierarchy)
{
	struct cgroup_walk walk = {fs, hierarchy, 0, 0};

	if (hierarchy->walked)
		return;
	hierarchy->walked = true;
	cgroup_tree_add(hierarchy, mem_strdup(""), 0);
	cgroup_tree_walk_below(&walk);
}

const char *cgroup_instance(const struct cgroup *group)
{
	return *group->name ? group->name : "/";
}

void cgroup_tree_say_missing(const struct cgroup_hierarchy *hierarchy, struct sink *sink)
{
	if (hierarchy->error)
		sink_missing(sink, "%s: %s", hierarchy->point, strerror(-hierarchy->error));
	if (hierarchy->cut)
		sink_missing(sink,
			"more than %d control groups, or deeper than %d: the rest is not read",
			CGROUPS_MAX, CGROUP_DEPTH_MAX);
}

/* The first process of a group, and what it is called. A group of v2 that only has groups below it
 * has none. */
static bool cgroup_tree_first_process(
	struct capture *fs, const char *point, const char *path, struct culprit *out)
{
	char *procs = mem_printf("%s%s/cgroup.procs", point, path), *comm;
	struct bytes text, line;
	double pid;
	bool found = false;

	if (!capture_read_once(fs, procs, &text) && text_line(&text, &line) &&
		text_next_number(&line, &pid) && pid > 0) {
		comm = mem_printf("/proc/%.0f/comm", pid);
		if (!capture_read_once(fs, comm, &text) && text_line(&text, &line)) {
			snprintf(out->id, sizeof(out->id), "%.0f %.*s", pid, (int)line.len,
				line.data);
			found = true;
		}
		free(comm);
	}
	free(procs);
	return found;
}

void cgroup_tree_culprit(struct capture *fs, const char *path, struct culprit *out)
{
	struct str words = STR_INIT;
	struct cgroup_tree *tree;
	size_t i;

	cgroup_words(&words, path);
	snprintf(out->kind, sizeof(out->kind), "cgroup");
	snprintf(out->name, sizeof(out->name), "%s", str_text(&words));
	str_free(&words);
	if (!strcmp(path, "/") || cgroup_tree_of(fs, &tree))
		return;
	for (i = 0; i < tree->n; i++)
		if (cgroup_tree_first_process(fs, tree->list[i].point, path, out))
			return;
}
