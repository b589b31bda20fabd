/* SPDX-License-Identifier: GPL-2.0-only */
/* How do stacks come from folded lines, and go there? */
#include "base/banned.h"

#include "base/str.h"
#include "flame/folded.h"
#include "flame/lines.h"
#include "flame/tree.h"

static void folded_take(void *arg, const char *text, size_t len)
{
	flame_tree_add_text(arg, text, len);
}

int flame_tree_read(struct flame_tree *tree, int fd)
{
	return flame_lines_read(fd, folded_take, tree, &tree->unread);
}

static void folded_add_path(
	struct str *out, const struct flame_tree *tree, uint32_t *path, size_t depth)
{
	while (depth) {
		str_add(out, flame_name_text(tree, path[--depth]));
		str_addc(out, depth ? ';' : ' ');
	}
}

void flame_tree_write_folded(struct str *out, const struct flame_tree *tree)
{
	uint32_t *path = mem_realloc_array(NULL, FLAME_DEPTH_MAX, sizeof(*path));

	for (size_t i = 1; i < tree->n; i++) {
		const struct flame_node *nodes = tree->nodes;
		size_t depth = 0;

		if (!nodes[i].self)
			continue;
		for (size_t at = i; at && depth < FLAME_DEPTH_MAX; at = nodes[at].parent)
			path[depth++] = nodes[at].name;
		folded_add_path(out, tree, path, depth);
		str_addf(out, "%llu\n", (unsigned long long)nodes[i].self);
	}
	free(path);
}
