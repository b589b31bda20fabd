/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory that looks like a machine, or like a recording of one, for the length of a test. */
#ifndef TUESDAY_TREE_H
#define TUESDAY_TREE_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char dir[64];
};

static inline struct tree tree_new(void)
{
	struct tree tree = {"/tmp/tuesday-test-XXXXXX"};

	if (!mkdtemp(tree.dir)) {
		perror(tree.dir);
		exit(1);
	}
	return tree;
}

/* The path of a file in the tree: valid until the call after next. */
static inline const char *tree_path(const struct tree *tree, const char *path)
{
	static char bufs[2][PATH_MAX];
	static int which;

	which = !which;
	snprintf(bufs[which], PATH_MAX, "%s/%s", tree->dir, path);
	return bufs[which];
}

static inline void tree_mkdirs(const struct tree *tree, const char *path)
{
	char buf[PATH_MAX + 80], *at;

	snprintf(buf, sizeof(buf), "%s/%s/", tree->dir, path);
	for (at = buf + strlen(tree->dir) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(buf, 0700);
		*at = '/';
	}
}

static inline void tree_write_bytes(
	const struct tree *tree, const char *path, const void *data, size_t len)
{
	char dir[PATH_MAX], *slash;
	FILE *file;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash) {
		*slash = 0;
		tree_mkdirs(tree, dir);
	}
	file = fopen(tree_path(tree, path), "w");
	if (!file || (len && fwrite(data, len, 1, file) != 1) || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static inline void tree_write(const struct tree *tree, const char *path, const char *text)
{
	tree_write_bytes(tree, path, text, strlen(text));
}

static inline int tree_remove_one(
	const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void tree_free(const struct tree *tree)
{
	nftw(tree->dir, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
