/* SPDX-License-Identifier: GPL-2.0-only */
/* To which NUMA node does a CPU belong? */
#include "base/banned.h"

#include "base/cpulist.h"
#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/glob.h"
#include "sources/common/cpu_node.h"

#define SHARED "cpu-nodes"

/* The nodes' lists of CPUs, which are looked for once in a run. */
struct cpu_nodes {
	struct node_list {
		char *name, *path;
	} * list;
	size_t n, room;
};

static void cpu_nodes_release(void *object)
{
	struct cpu_nodes *nodes = object;
	size_t i;

	for (i = 0; i < nodes->n; i++) {
		free(nodes->list[i].name);
		free(nodes->list[i].path);
	}
	free(nodes->list);
	free(nodes);
}

static int cpu_nodes_add(void *arg, const char *path, const char *star)
{
	struct cpu_nodes *nodes = arg;

	ARRAY_GROW(nodes->list, nodes->n, nodes->room);
	nodes->list[nodes->n++] = (struct node_list){mem_printf("node%s", star), mem_strdup(path)};
	return 0;
}

static struct cpu_nodes *cpu_nodes_of(struct capture *fs)
{
	struct cpu_nodes *nodes = capture_attached(fs, SHARED);

	if (!nodes) {
		nodes = mem_zalloc(sizeof(*nodes));
		capture_glob(fs, "/sys/devices/system/node/node*/cpulist", cpu_nodes_add, nodes);
		capture_attach(fs, SHARED, nodes, cpu_nodes_release);
	}
	return nodes;
}

bool cpu_node_name(struct capture *fs, uint64_t cpu, struct str *out)
{
	const struct cpu_nodes *nodes = cpu_nodes_of(fs);
	struct bytes text;
	size_t i;

	for (i = 0; i < nodes->n; i++) {
		if (capture_read(fs, nodes->list[i].path, &text) ||
			!cpulist_has(text.data, text.len, cpu))
			continue;
		str_add(out, nodes->list[i].name);
		return true;
	}
	if (!nodes->n)
		str_add(out, "node0");
	return !nodes->n;
}

bool cpu_node_group_of(
	struct capture *fs, void *state, const char *instance, const char *kind, struct str *out)
{
	uint64_t cpu;

	(void)state;
	(void)kind;
	return str_starts(instance, "cpu") &&
		!num_u64(instance + strlen("cpu"), 0, UINT32_MAX, &cpu) &&
		cpu_node_name(fs, cpu, out);
}
