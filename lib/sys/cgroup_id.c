/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cgroup has this number? It is the inode of its directory. */
#include "base/banned.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sys/cgroup_id.h"
#include "base/str.h"

/* A machine has hundreds; a walk must end on one that has very many. */
#define CGROUPS_MAX 20000
#define DEPTH_MAX 16

struct walk {
	uint64_t id;
	unsigned int left;
	struct str path;
};

/* Walks below a directory, which it closes. Returns whether path is the one that was looked for. */
static bool cgroup_id_find(struct walk *walk, int fd, unsigned int depth)
{
	size_t len = walk->path.len;
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	bool found = false;

	if (!dir) {
		close(fd);
		return false;
	}
	while (!found && walk->left && (entry = readdir(dir))) {
		int child;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		walk->left--;
		walk->path.text[walk->path.len = len] = 0;
		str_addf(&walk->path, "/%s", entry->d_name);
		found = entry->d_ino == walk->id;
		if (found || depth >= DEPTH_MAX)
			continue;
		child = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		found = child >= 0 && cgroup_id_find(walk, child, depth + 1);
	}
	closedir(dir);
	return found;
}

static int open_root(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

void cgroup_name(uint64_t id, char *name, size_t size)
{
	struct walk walk = {.id = id, .left = CGROUPS_MAX};
	int fd = open_root("/sys/fs/cgroup");
	struct stat st;
	size_t cut;

	if (fd < 0)
		fd = open_root("/sys/fs/cgroup/unified");
	str_add(&walk.path, "");
	if (fd >= 0 && !fstat(fd, &st) && st.st_ino == id) {
		str_add(&walk.path, "/");
		close(fd);
	} else if (fd < 0 || !cgroup_id_find(&walk, fd, 1)) {
		str_clear(&walk.path);
		str_addf(&walk.path, "cgroup %" PRIu64, id);
	}
	cut = walk.path.len >= size ? walk.path.len - size + 1 : 0;
	snprintf(name, size, "%s", str_text(&walk.path) + cut);
	str_free(&walk.path);
}
