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

static bool is_entry(const struct capture *fs, const char *name)
{
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	return !fs->replay ||
		(!str_ends(name, LINK_SUFFIX) && !str_ends(name, ERROR_SUFFIX) &&
			!str_ends(name, AGE_SUFFIX));
}

static DIR *open_list(const struct capture *fs, const char *dir, int *err)
{
	DIR *stream;
	int fd;

	if (fs->replay)
		fd = beneath_open(fs->root, dir, O_RDONLY | O_DIRECTORY);
	else
		fd = openat(fs->root, path_below_root(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*err = fs->replay || fd >= 0 ? fd : -errno;
	if (fd < 0)
		return NULL;
	stream = fdopendir(fd);
	*err = stream ? 0 : -errno;
	if (!stream)
		close(fd);
	return stream;
}

static bool is_directory(DIR *stream, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		S_ISDIR(st.st_mode);
}

struct entry {
	char *name;
	bool directory;
};

struct entries {
	struct entry *list;
	size_t n, room;
};

static int capture_entry_by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All of a directory's entries, sorted, so that a replay meets them in the order of the recording.
 */
static int read_entries(
	const struct capture *fs, const char *dir, bool directories, struct entries *entries)
{
	struct dirent *entry;
	int err;
	DIR *stream = open_list(fs, dir, &err);

	if (!stream)
		return err;
	while ((entry = readdir(stream))) {
		bool directory = is_directory(stream, entry);

		if (!is_entry(fs, entry->d_name) || (directories && !directory))
			continue;
		ARRAY_GROW(entries->list, entries->n, entries->room);
		entries->list[entries->n++] = (struct entry){mem_strdup(entry->d_name), directory};
	}
	closedir(stream);
	if (entries->n)
		qsort(entries->list, entries->n, sizeof(*entries->list), capture_entry_by_name);
	return 0;
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
	struct entries entries = {0};
	int err, stop = 0;
	size_t i;

	if (!path_is_sound(dir))
		return -EINVAL;
	err = read_entries(fs, dir, directories, &entries);
	shortage_note(fs, err);
	if (!err)
		recording_put_presence(fs, dir, true);
	for (i = 0; i < entries.n; i++) {
		if (!stop) {
			record_entry(fs, dir, &entries.list[i]);
			stop = found(arg, entries.list[i].name);
		}
		free(entries.list[i].name);
	}
	free(entries.list);
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
