/* SPDX-License-Identifier: GPL-2.0-only */
/* How does an entry of the undo log get to the disk, and can what is there be believed? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/undo_log.h"
#include "sys/atomic_file.h"
#include "sys/file_trust.h"
#include "sys/read_write.h"
#include "sys/statedir.h"
#include "base/str.h"
#include "experiment/undo_log_file.h"

enum undo_log_place undo_log_place_of(const struct undo_log_entry *entry)
{
	return entry->survives ? UNDO_LOG_STATE : UNDO_LOG_RUN;
}

char *undo_log_folder(enum undo_log_place place)
{
	return place == UNDO_LOG_STATE ? statedir_path("undo") : rundir_path("undo");
}

static int open_folder(enum undo_log_place place, bool make)
{
	char *path = undo_log_folder(place);
	int dir = directory_open(path, 0700, make);

	free(path);
	return dir;
}

int undo_log_write(const struct undo_log_entry *entry)
{
	struct str text = STR_INIT;
	char *id = undo_log_id(entry), *name = mem_printf("%s" UNDO_LOG_SUFFIX, id);
	int dir = open_folder(undo_log_place_of(entry), true), err = dir;

	if (dir >= 0) {
		undo_log_format(entry, &text);
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
	err = trusted_open(fd, &st);
	if (!err)
		err = read_all(fd, UNDO_LOG_ENTRY_MAX, out);
	close(fd);
	return err;
}

int undo_log_read(
	struct undo_log_entry *entry, enum undo_log_place place, const char *id, struct str *why)
{
	char *name = mem_printf("%s" UNDO_LOG_SUFFIX, id), *own_id;
	struct str text = STR_INIT;
	int dir = open_folder(place, false), err = dir;

	*entry = (struct undo_log_entry){0};
	if (dir >= 0) {
		err = undo_log_read_trusted(dir, name, &text);
		close(dir);
	}
	if (err == -EPERM)
		str_add(why, "others than root could have written it");
	else if (err)
		str_add(why, strerror(-err));
	else
		err = undo_log_parse(entry, str_text(&text), text.len, why);
	own_id = err ? NULL : undo_log_id(entry);
	if (own_id && (strcmp(own_id, id) != 0 || undo_log_place_of(entry) != place)) {
		str_add(why, "it is about another experiment than its name says");
		err = -EBADMSG;
	}
	free(own_id);
	str_free(&text);
	free(name);
	return err;
}

int undo_log_remove(enum undo_log_place place, const char *id)
{
	char *name = mem_printf("%s" UNDO_LOG_SUFFIX, id);
	int dir = open_folder(place, false), err = dir;

	if (dir >= 0) {
		err = unlinkat(dir, name, 0) || fsync(dir) ? -errno : 0;
		close(dir);
	}
	free(name);
	return err;
}

int undo_log_each(enum undo_log_place place, int (*found)(void *arg, const char *id), void *arg)
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

		if (*id != '.' && len > strlen(UNDO_LOG_SUFFIX) && str_ends(id, UNDO_LOG_SUFFIX)) {
			id[len - strlen(UNDO_LOG_SUFFIX)] = 0;
			result = found(arg, id);
		}
		free(id);
	}
	closedir(dir);
	return result;
}

char *undo_log_boot_id(void)
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

uint64_t undo_log_netns(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : (uint64_t)st.st_ino;
}
