/* SPDX-License-Identifier: GPL-2.0-only */
/* How does an entry of the journal get to the disk, and can what is there be believed? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/undo_log.h"
#include "sys/atomic_file.h"
#include "sys/read_write.h"
#include "sys/statedir.h"
#include "base/str.h"
#include "experiment/undo_log_file.h"

enum journal_place journal_place_of(const struct journal_entry *entry)
{
	return entry->survives ? JOURNAL_STATE : JOURNAL_RUN;
}

char *journal_folder(enum journal_place place)
{
	return place == JOURNAL_STATE ? statedir_path("undo") : rundir_path("undo");
}

static int open_folder(enum journal_place place, bool make)
{
	char *path = journal_folder(place);
	int dir = directory_open(path, 0700, make);

	free(path);
	return dir;
}

int journal_write(const struct journal_entry *entry)
{
	struct str text = STR_INIT;
	char *id = journal_id(entry), *name = mem_printf("%s" JOURNAL_SUFFIX, id);
	int dir = open_folder(journal_place_of(entry), true), err = dir;

	if (dir >= 0) {
		journal_format(entry, &text);
		err = directory_write(dir, name, 0600, str_text(&text), text.len);
		close(dir);
	}
	str_free(&text);
	free(name);
	free(id);
	return err;
}

/* An entry says what root is to write where: only root's own is one. */
static int undo_log_read_trusted(int dir, const char *name, struct str *out)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode) || (st.st_uid && st.st_uid != geteuid()) ||
		(st.st_mode & (S_IWGRP | S_IWOTH)))
		err = -EPERM;
	else
		err = read_all(fd, JOURNAL_ENTRY_MAX, out);
	close(fd);
	return err;
}

int journal_read(
	struct journal_entry *entry, enum journal_place place, const char *id, struct str *why)
{
	char *name = mem_printf("%s" JOURNAL_SUFFIX, id), *own_id;
	struct str text = STR_INIT;
	int dir = open_folder(place, false), err = dir;

	*entry = (struct journal_entry){0};
	if (dir >= 0) {
		err = undo_log_read_trusted(dir, name, &text);
		close(dir);
	}
	if (err == -EPERM)
		str_add(why, "others than root could have written it");
	else if (err)
		str_add(why, strerror(-err));
	else
		err = journal_parse(entry, str_text(&text), text.len, why);
	own_id = err ? NULL : journal_id(entry);
	if (own_id && (strcmp(own_id, id) != 0 || journal_place_of(entry) != place)) {
		str_add(why, "it is about another experiment than its name says");
		err = -EBADMSG;
	}
	free(own_id);
	str_free(&text);
	free(name);
	return err;
}

int journal_remove(enum journal_place place, const char *id)
{
	char *name = mem_printf("%s" JOURNAL_SUFFIX, id);
	int dir = open_folder(place, false), err = dir;

	if (dir >= 0) {
		err = unlinkat(dir, name, 0) || fsync(dir) ? -errno : 0;
		close(dir);
	}
	free(name);
	return err;
}

int journal_each(enum journal_place place, int (*found)(void *arg, const char *id), void *arg)
{
	int fd = open_folder(place, false), result = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir && fd >= 0) {
		result = -errno;
		close(fd);
		return result;
	}
	if (!dir)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
	while (!result && (entry = readdir(dir))) {
		char *id = mem_strdup(entry->d_name);
		size_t len = strlen(id);

		if (*id != '.' && len > strlen(JOURNAL_SUFFIX) && str_ends(id, JOURNAL_SUFFIX)) {
			id[len - strlen(JOURNAL_SUFFIX)] = 0;
			result = found(arg, id);
		}
		free(id);
	}
	closedir(dir);
	return result;
}

char *journal_boot_id(void)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char buf[64];
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return NULL;
	buf[n] = 0;
	return mem_strndup(buf, strcspn(buf, "\n"));
}

uint64_t journal_netns(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : (uint64_t)st.st_ino;
}
