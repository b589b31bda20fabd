/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control groups of a machine: what hierarchies are mounted, and which groups they have. Shared
 * by all sources of a run, and each hierarchy is walked once, when the first asks for it: a group
 * that appears later has no difference to show yet.
 */
#ifndef TUESDAY_SOURCES_TASK_CGROUP_TREE_H
#define TUESDAY_SOURCES_TASK_CGROUP_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct capture;
struct culprit;
struct sink;

#define CGROUPS_MAX 4096
#define CGROUP_DEPTH_MAX 16

enum cgroup_version { CGROUP_V1 = 1, CGROUP_V2 = 2 };

struct cgroup {
	char *name;	/* its path below the hierarchy, "" for the root */
	char *words;	/* what people call it, or NULL where that is its path */
	size_t parent;	/* its index; of the root its own */
	bool leaf;	/* no group is below it */
	bool unlimited; /* neither memory.max nor memory.high of v2 holds it: cgroup.c asks */
	bool idle;	/* it may have only what CPUs have left, by cpu.idle: cgroup.c asks */
};

struct cgroup_hierarchy {
	enum cgroup_version version;
	char *point;
	char *controllers;     /* "rw,cpu,cpuacct" */
	struct cgroup *groups; /* parents before what is below them; [0] is the root */
	size_t n, room;
	bool walked;
	bool cut;  /* there are more than CGROUPS_MAX, or deeper ones than CGROUP_DEPTH_MAX */
	int error; /* why there may be more, or 0 */
};

struct cgroup_tree {
	struct cgroup_hierarchy *list; /* as mounted; none is walked yet */
	size_t n, room;
};

/* What is mounted. It belongs to the capture. Returns 0 or the -errno of the list of mounts. */
int cgroup_tree_of(struct capture *fs, struct cgroup_tree **out);

/*
 * The hierarchy that has a controller, by its name in that version ("blkio", "io"); "" is v2
 * itself. A controller is in one only: where v1 has it, v2 has not. NULL where there is none.
 */
struct cgroup_hierarchy *cgroup_tree_find(
	const struct cgroup_tree *tree, enum cgroup_version version, const char *controller);

/* Looks for the groups of a hierarchy, if nobody has. */
void cgroup_tree_walk(struct capture *fs, struct cgroup_hierarchy *hierarchy);

/* The name of a group's instance: "/" for the root. */
const char *cgroup_instance(const struct cgroup *group);

/* Says what of the hierarchy is not known: too many groups, or none may be listed. */
void cgroup_tree_say_missing(const struct cgroup_hierarchy *hierarchy, struct sink *sink);

/*
 * Whom to name where the group of this path is accused: the group as people call it, and the first
 * of its processes, "812 mysqld", where one can be read. Fills in kind, name and id.
 */
void cgroup_tree_culprit(struct capture *fs, const char *path, struct culprit *out);

#endif
