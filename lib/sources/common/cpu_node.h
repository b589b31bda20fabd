/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs and the NUMA nodes that they belong to. */
#ifndef TUESDAY_SOURCES_COMMON_CPU_NODE_H
#define TUESDAY_SOURCES_COMMON_CPU_NODE_H

#include <stdbool.h>
#include <stdint.h>

struct capture;
struct str;

/* Appends the name of a CPU's node, "node1"; a kernel without NUMA has node0 only. False where no
 * node has that CPU. */
bool cpu_node_name(struct capture *fs, uint64_t cpu, struct str *out);

/* The same as the group_of of a source whose instances are CPUs, "cpu3", and whose groups are
 * "node". What is called otherwise is in none. */
bool cpu_node_group_of(
	struct capture *fs, void *state, const char *instance, const char *kind, struct str *out);

#endif
