/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in a directory of the machine? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/internal.h"
#include "capture/list.h"
#include "capture/shortage.h"
#include "sys/open_beneath.h"
#include "sys/privileged_call.h"

static bool is_entry(const struct capture *fs, const char *name)
{
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	return !fs->replay ||
		(!str_ends(name, LINK_SUFFIX) && !str_ends(name, ERROR_SUFFIX) &&
			!str_ends(name, AGE_SUFFIX));
}

/* Returns a descriptor or -errno. */
static int open_list(const struct capture *fs, const char *dir)
{
	int fd;

	if (fs->replay)
		return beneath_open(fs->root, dir, O_RDONLY | O_DIRECTORY);
	fd = privileged_openat(fs->root, path_below_root(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

struct entry {
	char *name;
	bool directory;
};

struct entries {
	const struct capture *fs;
	int fd;
	bool directories; /* nothing else */
	struct entry *list;
	size_t n, room;
};

static bool is_directory(int dir, const char *name, unsigned char type)
{
	struct stat st;

	if (type != DT_UNKNOWN)
		return type == DT_DIR;
	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static int capture_take_entry(void *arg, const char *name, unsigned char type)
{
	struct entries *entries = arg;
	bool directory = is_directory(entries->fd, name, type);

	if (!is_entry(entries->fs, name) || (entries->directories && !directory))
		return 0;
	ARRAY_GROW(entries->list, entries->n, entries->room);
	entries->list[entries->n++] = (struct entry){mem_strdup(name), directory};
	return 0;
}

static int capture_entry_by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All of a directory's entries, sorted, so that a replay meets them in the order of the recording.
 * One that ends while it is read, as a process may, has those that were read. */
static int read_entries(const char *dir, struct entries *entries)
{
	entries->fd = open_list(entries->fs, dir);
	if (entries->fd < 0)
		return entries->fd;
	privileged_list(entries->fd, capture_take_entry, entries);
	if (entries->n)
		qsort(entries->list, entries->n, sizeof(*entries->list), capture_entry_by_name);
	return 0;
}

static void entries_free(struct entries *entries)
{
	size_t i;

	if (entries->fd >= 0)
		close(entries->fd);
	for (i = 0; i < entries->n; i++)
		free(entries->list[i].name);
	free(entries->list);
}

/* An entry's presence; what a link leads to is not known yet, and an empty file can still become a
 * directory. */
static void record_entry(struct capture *fs, const char *dir, const struct entry *entry)
{
	char *path;

	if (!recording_is_on(fs))
		return;
	path = mem_printf("%s/%s", dir, entry->name);
	recording_put_presence(fs, path, entry->directory);
	free(path);
}

static int capture_list_entries(struct capture *fs, const char *dir, bool directories,
	int (*found)(void *arg, const char *name), void *arg)
{
	struct entries entries = {.fs = fs, .fd = -1, .directories = directories};
	int err, stop = 0;
	size_t i;

	if (!path_is_sound(dir))
		return -EINVAL;
	err = read_entries(dir, &entries);
	shortage_note(fs, err);
	if (!err)
		recording_put_presence(fs, dir, true);
	for (i = 0; i < entries.n && !stop; i++) {
		record_entry(fs, dir, &entries.list[i]);
		stop = found(arg, entries.list[i].name);
	}
	entries_free(&entries);
	return err;
}

int capture_list(
	struct capture *fs, const char *dir, int (*found)(void *arg, const char *name), void *arg)
{
	return capture_list_entries(fs, dir, false, found, arg);
}

int capture_list_directories(
	struct capture *fs, const char *dir, int (*found)(void *arg, const char *name), void *arg)
{
	return capture_list_entries(fs, dir, true, found, arg);
}
