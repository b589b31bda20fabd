/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups by their number. */
#ifndef TUESDAY_SYS_CGROUP_ID_H
#define TUESDAY_SYS_CGROUP_ID_H

#include <stddef.h>
#include <stdint.h>

/* The cgroups of this machine, which are looked for once, when the first name is asked for. */
struct cgroup_names;
struct cgroup_names *cgroup_names_new(void);
void cgroup_names_free(struct cgroup_names *names);

/* The path of a cgroup (v2) below its mount, "/" for the root, or "cgroup NUMBER" where it is not
 * found: into name, terminated, the start cut off where it does not fit. */
void cgroup_name(struct cgroup_names *names, uint64_t id, char *name, size_t size);

#endif
