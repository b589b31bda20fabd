/* SPDX-License-Identifier: GPL-2.0-only */
/* How do stacks come from folded lines, and go there? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/str.h"
#include "flame/folded.h"
#include "flame/tree.h"

#define BLOCK ((size_t)256 << 10) /* what a core keeps near itself */

/* A file is read in pieces and not mapped: whoever may cut it could end us. */
struct folded_input {
	char *bytes;
	size_t len, room;
	bool skips; /* the rest of a line that is too long */
};

/* Takes the whole lines of what was read, and moves the rest to the front. */
static void folded_take(struct folded_input *in, struct flame_tree *tree)
{
	const char *end = memrchr(in->bytes, '\n', in->len), *from = in->bytes;
	size_t whole;

	if (!end) {
		if (in->len < FLAME_LINE_MAX)
			return;
		tree->unread += !in->skips;
		in->skips = true;
		in->len = 0;
		return;
	}
	whole = (size_t)(end - in->bytes) + 1;
	if (in->skips)
		from = (const char *)memchr(in->bytes, '\n', in->len) + 1;
	in->skips = false;
	flame_tree_add_text(tree, from, (size_t)(in->bytes + whole - from));
	memmove(in->bytes, in->bytes + whole, in->len - whole);
	in->len -= whole;
}

int flame_tree_read(struct flame_tree *tree, int fd)
{
	struct folded_input in = {0};
	ssize_t n = 1;
	int err = 0;

	while (n && !err) {
		if (in.len + BLOCK > in.room) {
			in.room = in.room ? in.room * 2 : BLOCK * 2;
			in.bytes = mem_realloc_array(in.bytes, in.room, 1);
		}
		n = read(fd, in.bytes + in.len, BLOCK);
		if (progress_told_to_stop())
			err = -EINTR;
		else if (n < 0)
			err = errno == EINTR ? 0 : -errno;
		else if (n)
			in.len += (size_t)n;
		if (n > 0)
			folded_take(&in, tree);
		n = n < 0 ? 1 : n;
	}
	if (!err && in.len && !in.skips)
		flame_tree_add_text(tree, in.bytes, in.len);
	free(in.bytes);
	return err;
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
