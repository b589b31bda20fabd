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
#include "base/number_map.h"
#include "base/str.h"

/* A machine has hundreds; a walk must end on one that has very many. */
#define CGROUPS_MAX 20000
#define DEPTH_MAX 16

struct cgroup_names {
	bool is_walked;
	struct number_map places; /* in list, by number */
	char **list;
	size_t n, room;
};

/* Of a walk below the root of the hierarchy. */
struct walk {
	struct cgroup_names *names;
	struct str path;
};

static void cgroup_id_add(struct cgroup_names *names, uint64_t id, const char *path)
{
	if (!number_map_add(&names->places, id, names->n))
		return;
	ARRAY_GROW(names->list, names->n, names->room);
	names->list[names->n++] = mem_strdup(path);
}

/* Walks below a directory, which it closes. */
static void cgroup_id_walk(struct walk *walk, int fd, unsigned int depth)
{
	size_t len = walk->path.len;
	DIR *dir = fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		close(fd);
		return;
	}
	while (walk->names->n < CGROUPS_MAX && (entry = readdir(dir))) {
		int child;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		walk->path.text[walk->path.len = len] = 0;
		str_addf(&walk->path, "/%s", entry->d_name);
		cgroup_id_add(walk->names, entry->d_ino, str_text(&walk->path));
		child = depth < DEPTH_MAX
			? openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			: -1;
		if (child >= 0)
			cgroup_id_walk(walk, child, depth + 1);
	}
	closedir(dir);
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

static void cgroup_id_walk_all(struct cgroup_names *names)
{
	struct walk walk = {.names = names};
	int fd = open_root("/sys/fs/cgroup");
	struct stat st;

	if (fd < 0)
		fd = open_root("/sys/fs/cgroup/unified");
	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		cgroup_id_add(names, st.st_ino, "/");
	str_add(&walk.path, "");
	cgroup_id_walk(&walk, fd, 1);
	str_free(&walk.path);
}

struct cgroup_names *cgroup_names_new(void)
{
	return mem_zalloc(sizeof(struct cgroup_names));
}

void cgroup_names_free(struct cgroup_names *names)
{
	size_t i;

	for (i = 0; names && i < names->n; i++)
		free(names->list[i]);
	if (names) {
		number_map_free(&names->places);
		free(names->list);
	}
	free(names);
}

void cgroup_name(struct cgroup_names *names, uint64_t id, char *name, size_t size)
{
	size_t i, len;

	if (!names->is_walked)
		cgroup_id_walk_all(names);
	names->is_walked = true;
	if (!number_map_get(&names->places, id, &i)) {
		snprintf(name, size, "cgroup %" PRIu64, id);
		return;
	}
	len = strlen(names->list[i]);
	snprintf(name, size, "%s", names->list[i] + (len >= size ? len - size + 1 : 0));
}
