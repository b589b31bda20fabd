/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function, and which process, has most of it? */
#include "base/banned.h"

#include <stdlib.h>

#include "base/number_map.h"
#include "base/str.h"
#include "flame/kind.h"
#include "flame/tree.h"
#include "tools/cpu/functions.h"
#include "tools/cpu/look.h"

static int functions_by_self(const void *a, const void *b)
{
	const struct cpu_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return x->with < y->with ? 1 : x->with > y->with ? -1 : 0;
}

/* What goes through each function, once a stack. */
static void functions_count_with(struct cpu_functions *functions, const struct flame_tree *tree)
{
	uint32_t *seen = mem_zalloc(functions->n * sizeof(*seen));

	for (size_t i = 1; i < tree->n; i++)
		for (size_t at = i; tree->nodes[i].self && at; at = tree->nodes[at].parent) {
			const uint32_t name = tree->nodes[at].name;

			if (seen[name] == (uint32_t)i)
				continue;
			seen[name] = (uint32_t)i;
			functions->list[name].with += tree->nodes[i].self;
		}
	free(seen);
}

/* Whose a node is: the first frame above the root. */
static size_t functions_first(const struct flame_tree *tree, size_t node)
{
	while (tree->nodes[node].parent)
		node = tree->nodes[node].parent;
	return node;
}

static void functions_count_self(
	struct cpu_functions *functions, const struct flame_tree *tree, bool by_group)
{
	for (size_t i = 1; i < tree->n; i++) {
		const struct flame_node *node = &tree->nodes[i];
		struct cpu_function *function = &functions->list[node->name];
		const size_t first = functions_first(tree, i);

		function->self += node->self;
		if (node->self <= function->widest)
			continue;
		function->widest = node->self;
		function->whose = by_group ? flame_name_text(tree, tree->nodes[first].name) : NULL;
		function->caller = NULL;
		if (node->parent && (!by_group || node->parent != first))
			function->caller = flame_name_text(tree, tree->nodes[node->parent].name);
	}
}

void cpu_functions_find(struct cpu_functions *functions, const struct cpu_look *look)
{
	const struct flame_tree *tree = look->tree;
	const bool by_group = look->asked->by != STACKS_BY_NOTHING;

	functions->n = flame_names_count(tree);
	functions->list = mem_zalloc((functions->n + 1) * sizeof(*functions->list));
	for (size_t i = 0; i < functions->n; i++)
		functions->list[i].name = flame_name_text(tree, (uint32_t)i);
	functions_count_self(functions, tree, by_group);
	functions_count_with(functions, tree);
	qsort(functions->list, functions->n, sizeof(*functions->list), functions_by_self);
	while (functions->n && !functions->list[functions->n - 1].self)
		functions->n--;
}

void cpu_functions_free(struct cpu_functions *functions)
{
	free(functions->list);
}

static int processes_by_weight(const void *a, const void *b)
{
	const struct cpu_process *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

void cpu_processes_find(struct cpu_processes *processes, const struct cpu_look *look)
{
	const struct stacks_profile *profile = &look->profile;
	struct number_map by_pid = {.n = 0};
	size_t at;

	for (size_t i = 0; i < profile->n_threads; i++) {
		const struct stacks_thread *thread = &profile->threads[i];

		if (!thread->weight)
			continue;
		if (number_map_add(&by_pid, thread->pid, processes->n)) {
			ARRAY_GROW(processes->list, processes->n, processes->room);
			processes->list[processes->n++] =
				(struct cpu_process){.pid = thread->pid, .comm = thread->comm};
		}
		number_map_get(&by_pid, thread->pid, &at);
		processes->list[at].weight += thread->weight;
		processes->list[at].threads++;
		if (thread->pid == thread->tid)
			processes->list[at].comm = thread->comm;
	}
	number_map_free(&by_pid);
	if (processes->n)
		qsort(processes->list, processes->n, sizeof(*processes->list), processes_by_weight);
}

void cpu_processes_free(struct cpu_processes *processes)
{
	free(processes->list);
}
