/* SPDX-License-Identifier: GPL-2.0-only */
/* What does each of the kernel's files say now, or said when the recording was made? */
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sys/open_beneath.h"
#include "base/num.h"
#include "capture/capture.h"
#include "base/str.h"

#define FILE_MAX ((size_t)8 << 20)
#define READ_SIZE ((size_t)65536)
/* The kernel zeroes a buffer of the size that is asked for before it answers a sysctl. */
#define SYSCTL_READ_SIZE ((size_t)4096)
#define CGROUPS "/sys/fs/cgroup/" /* these may be of several pieces */
#define KEPT_LIMIT 4096
#define SLOTS 1024
#define LINK_SUFFIX "@link"
#define ERROR_SUFFIX "@error"
#define ERROR_MAX 4095

/* A file or blob that was asked for at least once. */
struct file {
	char *path;
	struct file *next;   /* in the same hash slot */
	int fd;		     /* kept, or -1 */
	bool adopted;	     /* cannot be opened again */
	uint64_t generation; /* the sample that data and error are of */
	int error;
	char *data;
	size_t len, room;
};

struct pair {
	char *key, *value;
};

/* What was recorded in an earlier sample and is to be known in a later one. */
struct carried {
	char *path;
	char *data;
	size_t len;
};

struct attached {
	const char *key;
	void *object;
	void (*release)(void *object);
};

struct procfs {
	int root;	/* what paths are below: the root, or DIR/SAMPLE of a replay */
	int top;	/* DIR of a recording or replay, or -1 */
	int sample_dir; /* DIR/SAMPLE of a recording, or -1 */
	bool live, replay, paused;
	int recording_error;
	const struct recording_filter *filter; /* or NULL: what is recorded is as it was read */
	void *filter_arg;
	size_t left_out;
	uint64_t sample, generation, last_ns;
	uint64_t serial; /* no other of this process has it */
	bool started;
	struct file *slots[SLOTS];
	struct file **kept; /* those with a descriptor */
	size_t n_kept, room_kept, kept_max;
	char *buf; /* what is read goes here first, since most files are far smaller */
	size_t buf_size;
	char *once; /* what procfs_read_once gave out last */
	size_t once_size;
	struct pair *environment;
	size_t n_environment, room_environment;
	bool carry;
	struct carried *carried;
	size_t n_carried, room_carried;
	struct attached *attached;
	size_t n_attached, room_attached;
};

/* Absolute, or a blob's name, and without components that lead elsewhere. */
static bool path_is_valid(const char *path)
{
	const char *at;

	if (*path != '/' && *path != '@')
		return false;
	for (at = path; (at = strstr(at, "/.")); at++) {
		size_t dots = 1 + (at[2] == '.');

		if (!at[1 + dots] || at[1 + dots] == '/')
			return false;
	}
	return true;
}

/* Relative to the root; the root itself is ".". */
static const char *relative(const char *path)
{
	path += strspn(path, "/");
	return *path ? path : ".";
}

static void grow_buffer(struct procfs *fs, size_t size)
{
	if (size <= fs->buf_size)
		return;
	fs->buf = mem_realloc_array(fs->buf, size, 1);
	fs->buf_size = size;
}

/* How a file is read. */
struct manner {
	size_t ask; /* so many bytes at a time */
	bool short_ends;
};

/*
 * Reads until the end: seq files of several pages return at most one each time. Returns 0 with the
 * length, the bytes being in fs->buf, or -errno.
 */
static int read_all(struct procfs *fs, int fd, struct manner manner, size_t *len)
{
	size_t ask = manner.ask;

	*len = 0;
	for (;;) {
		ssize_t n;

		if (*len > FILE_MAX)
			return -EFBIG;
		if (*len + ask + 1 > fs->buf_size)
			grow_buffer(fs, *len ? *len * 2 + ask + 1 : ask + 1);
		n = pread(fd, fs->buf + *len, ask, (off_t)*len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*len += (size_t)n;
		if (!n || (manner.short_ends && (size_t)n < ask)) {
			fs->buf[*len] = 0;
			return 0;
		}
	}
}

/* A sysctl and an attribute of sysfs are written in one piece, of a page at most. */
static struct manner manner_of(const char *path)
{
	if (str_starts(path, "/proc/sys/"))
		return (struct manner){SYSCTL_READ_SIZE, true};
	return (struct manner){READ_SIZE, str_starts(path, "/sys/") && !str_starts(path, CGROUPS)};
}

/* Why the file could not be read when the recording was made, or -ENOENT where it was not there. */
static int recorded_error(const struct procfs *fs, const char *path)
{
	char *name = mem_printf("%s" ERROR_SUFFIX, path), text[16];
	int fd = beneath_open(fs->root, name, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	uint64_t number;

	free(name);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return num_u64(text, 1, ERROR_MAX, &number) ? -ENOENT : -(int)number;
}

/* A regular file below the root: to open a device can already have an effect. */
static int open_file(const struct procfs *fs, const char *path)
{
	struct stat st;
	int fd;

	if (fs->replay)
		fd = beneath_open(fs->root, path, O_RDONLY);
	else if (*path == '@')
		return -ENOENT;
	else
		fd = openat(fs->root, relative(path), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && fs->replay)
		return fd == -ENOENT ? recorded_error(fs, path) : fd;
	if (fd < 0)
		return -errno;
	/* No devices are there, and to ask costs half as much as to read one. */
	if (fs->live && (str_starts(path, "/proc/sys/") || str_starts(path, "/sys/")))
		return fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ENXIO;
	}
	/* An empty file may stand for one that was only seen. */
	if (fs->replay && !st.st_size && recorded_error(fs, path) != -ENOENT) {
		close(fd);
		return recorded_error(fs, path);
	}
	return fd;
}

/* Recording. */

static bool records(const struct procfs *fs)
{
	return fs->sample_dir >= 0 && !fs->paused;
}

static void note_recording(struct procfs *fs, int err)
{
	if (err < 0 && !fs->recording_error)
		fs->recording_error = err;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The name in the recording of a file of the machine. The caller frees. */
static char *recorded_name(const struct procfs *fs, const char *path)
{
	struct str name = STR_INIT;

	if (!fs->filter)
		return mem_strdup(path);
	fs->filter->path(fs->filter_arg, path, &name);
	return str_take(&name);
}

static int write_file(int dir, const char *path, const void *data, size_t len)
{
	int fd = beneath_create(dir, path), err;

	if (fd < 0)
		return fd;
	err = write_all(fd, data, len);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* What is written of a file: all of it, or what may be known to others. */
static void write_recorded(struct procfs *fs, const char *path, const void *data, size_t len)
{
	struct str content = STR_INIT;
	char *name = recorded_name(fs, path);

	if (!fs->filter)
		note_recording(fs, write_file(fs->sample_dir, name, data, len));
	else if (fs->filter->content(fs->filter_arg, path, data, len, &content))
		note_recording(
			fs, write_file(fs->sample_dir, name, str_text(&content), content.len));
	else
		fs->left_out++;
	str_free(&content);
	free(name);
}

static void record(struct procfs *fs, const char *path, const void *data, size_t len)
{
	if (!records(fs))
		return;
	write_recorded(fs, path, data, len);
	if (!fs->carry)
		return;
	ARRAY_GROW(fs->carried, fs->n_carried, fs->room_carried);
	fs->carried[fs->n_carried] = (struct carried){mem_strdup(path), mem_alloc(len + 1), len};
	memcpy(fs->carried[fs->n_carried++].data, data, len);
}

void procfs_filter(struct procfs *fs, const struct recording_filter *filter, void *arg)
{
	fs->filter = filter;
	fs->filter_arg = arg;
}

size_t procfs_left_out(const struct procfs *fs)
{
	return fs->left_out;
}

/* That it is not there needs no word. */
static void record_error(struct procfs *fs, const char *path, int err)
{
	char *name, text[16];
	int n;

	if (!records(fs) || err >= 0 || err == -ENOENT || err == -EMFILE)
		return;
	name = mem_printf("%s" ERROR_SUFFIX, path);
	n = snprintf(text, sizeof(text), "%d", -err);
	record(fs, name, text, (size_t)n);
	free(name);
}

bool procfs_carry(struct procfs *fs, bool on)
{
	bool before = fs->carry;

	fs->carry = on;
	return before;
}

/* Whether the present sample has more than the presence of a path. */
static bool is_recorded(const struct procfs *fs, const char *path)
{
	char *name = recorded_name(fs, path);
	int fd = beneath_open(fs->sample_dir, name, O_PATH);
	struct stat st = {0};

	free(name);
	if (fd < 0)
		return false;
	if (fstat(fd, &st))
		st.st_size = 0;
	close(fd);
	return st.st_size > 0;
}

void procfs_carried(struct procfs *fs)
{
	size_t i;

	for (i = 0; i < fs->n_carried; i++) {
		struct carried *carried = &fs->carried[i];

		if (records(fs) && !is_recorded(fs, carried->path))
			record(fs, carried->path, carried->data, carried->len);
		free(carried->path);
		free(carried->data);
	}
	fs->n_carried = 0;
}

/* That something is there, without its content. */
static void record_presence(struct procfs *fs, const char *path, bool is_directory)
{
	char *name;

	if (!records(fs) || !path[strspn(path, "/")])
		return;
	name = recorded_name(fs, path);
	note_recording(fs,
		is_directory ? beneath_make_directory(fs->sample_dir, name)
			     : beneath_make_empty(fs->sample_dir, name));
	free(name);
}

int procfs_recording_error(const struct procfs *fs)
{
	return fs->recording_error;
}

bool procfs_pause_recording(struct procfs *fs, bool paused)
{
	bool before = fs->paused;

	fs->paused = paused;
	return before;
}

/* Kept descriptors. */

static void drop_descriptor(struct procfs *fs, struct file *file)
{
	size_t i;

	for (i = 0; i < fs->n_kept; i++)
		if (fs->kept[i] == file)
			fs->kept[i] = fs->kept[--fs->n_kept];
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

static void keep_descriptor(struct procfs *fs, struct file *file, int fd)
{
	ARRAY_GROW(fs->kept, fs->n_kept, fs->room_kept);
	fs->kept[fs->n_kept++] = file;
	file->fd = fd;
}

/*
 * The kept descriptor that is worth least: of a file that nobody read any more, else of the
 * shortest file, since opening a long one again renders it twice.
 */
static struct file *least_useful(const struct procfs *fs)
{
	struct file *worst = NULL;
	size_t i;

	for (i = 0; i < fs->n_kept; i++) {
		struct file *file = fs->kept[i];
		bool idle = file->generation + 2 <= fs->generation;
		bool worst_idle = worst && worst->generation + 2 <= fs->generation;

		if (file->adopted)
			continue;
		if (!worst || idle > worst_idle || (idle == worst_idle && file->len < worst->len))
			worst = file;
	}
	return worst;
}

/* Keeps fd for the next sample if it is worth it, else closes it. */
static void keep_or_close(struct procfs *fs, struct file *file, int fd)
{
	struct file *worst;

	if (fs->n_kept >= fs->kept_max) {
		worst = least_useful(fs);
		if (!worst || (worst->generation + 2 > fs->generation && worst->len >= file->len)) {
			close(fd);
			return;
		}
		drop_descriptor(fs, worst);
	}
	keep_descriptor(fs, file, fd);
}

/* Opens, and makes room among the kept descriptors where the process has none left. */
static int open_with_room(struct procfs *fs, const char *path)
{
	int fd = open_file(fs, path), tries;

	for (tries = 0; fd == -EMFILE && tries < 8; tries++) {
		struct file *worst = least_useful(fs);

		if (!worst)
			break;
		drop_descriptor(fs, worst);
		fs->kept_max = fs->n_kept;
		fd = open_file(fs, path);
	}
	return fd;
}

void procfs_allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= 2 * KEPT_LIMIT)
		return;
	limit.rlim_cur = limit.rlim_max < 2 * KEPT_LIMIT ? limit.rlim_max : 2 * KEPT_LIMIT;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Half of what the process may open: the other half is for BPF, sockets and pipes. */
static size_t kept_budget(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / 2 > KEPT_LIMIT)
		return KEPT_LIMIT;
	return (size_t)limit.rlim_cur / 2;
}

/* Files. */

static struct file **slot_of(struct procfs *fs, const char *path)
{
	uint32_t h = 2166136261u;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 16777619u;
	return &fs->slots[h % SLOTS];
}

static struct file *find_file(struct procfs *fs, const char *path)
{
	struct file *file;

	for (file = *slot_of(fs, path); file; file = file->next)
		if (!strcmp(file->path, path))
			return file;
	return NULL;
}

static struct file *intern_file(struct procfs *fs, const char *path)
{
	struct file *file = find_file(fs, path), **slot;

	if (file)
		return file;
	slot = slot_of(fs, path);
	file = mem_zalloc(sizeof(*file));
	file->path = mem_strdup(path);
	file->fd = -1;
	file->next = *slot;
	*slot = file;
	return file;
}

static void set_data(struct file *file, const void *data, size_t len)
{
	if (len + 1 > file->room || !file->data) {
		file->room = len + len / 4 + 64;
		free(file->data);
		file->data = mem_alloc(file->room);
	}
	if (len)
		memcpy(file->data, data, len);
	file->data[len] = 0;
	file->len = len;
}

/* Reads by a kept descriptor. A device that went away and came back needs a new one. */
static int read_kept(struct procfs *fs, struct file *file, size_t *len)
{
	int err = read_all(fs, file->fd, manner_of(file->path), len);

	if (err && err != -EFBIG && !file->adopted)
		drop_descriptor(fs, file);
	return err;
}

static int read_anew(struct procfs *fs, struct file *file, size_t *len)
{
	int fd = open_with_room(fs, file->path), err;

	if (fd < 0)
		return fd;
	err = read_all(fs, fd, manner_of(file->path), len);
	if (err || fs->replay) {
		close(fd);
		return err;
	}
	file->len = *len;
	keep_or_close(fs, file, fd);
	return 0;
}

static int refresh(struct procfs *fs, struct file *file)
{
	size_t len = 0;
	int err = -EBADF;

	if (file->fd >= 0)
		err = read_kept(fs, file, &len);
	if (file->fd < 0 && !file->adopted)
		err = read_anew(fs, file, &len);
	file->generation = fs->generation;
	file->error = err;
	if (err) {
		record_error(fs, file->path, err);
		file->len = 0;
		return err;
	}
	set_data(file, fs->buf, len);
	record(fs, file->path, file->data, file->len);
	return 0;
}

int procfs_read(struct procfs *fs, const char *path, struct bytes *out)
{
	struct file *file;
	int err;

	if (!path_is_valid(path))
		return -EINVAL;
	file = intern_file(fs, path);
	err = file->generation == fs->generation ? file->error : refresh(fs, file);
	if (err)
		return err;
	out->data = file->data;
	out->len = file->len;
	return 0;
}

static void swap_buffers(struct procfs *fs)
{
	char *buf = fs->buf;
	size_t size = fs->buf_size;

	fs->buf = fs->once;
	fs->buf_size = fs->once_size;
	fs->once = buf;
	fs->once_size = size;
}

int procfs_read_once(struct procfs *fs, const char *path, struct bytes *out)
{
	size_t len;
	int fd, err;

	if (!path_is_valid(path))
		return -EINVAL;
	fd = open_with_room(fs, path);
	err = fd < 0 ? fd : read_all(fs, fd, manner_of(path), &len);
	if (fd >= 0)
		close(fd);
	if (err) {
		record_error(fs, path, err);
		return err;
	}
	swap_buffers(fs);
	record(fs, path, fs->once, len);
	out->data = fs->once;
	out->len = len;
	return 0;
}

int procfs_open_part(struct procfs *fs, const char *path)
{
	return path_is_valid(path) ? open_with_room(fs, path) : -EINVAL;
}

int procfs_adopt(struct procfs *fs, const char *name, int fd)
{
	struct file *file;

	if (*name != '@' || !path_is_valid(name)) {
		close(fd);
		return -EINVAL;
	}
	if (fs->n_kept >= fs->kept_max) {
		close(fd);
		return -EMFILE;
	}
	file = intern_file(fs, name);
	drop_descriptor(fs, file);
	file->adopted = true;
	keep_descriptor(fs, file, fd);
	return 0;
}

bool procfs_exists(struct procfs *fs, const char *path)
{
	struct stat st;
	int fd;

	if (!path_is_valid(path))
		return false;
	if (!fs->replay) {
		if (fstatat(fs->root, relative(path), &st, AT_NO_AUTOMOUNT))
			return false;
		record_presence(fs, path, S_ISDIR(st.st_mode));
		return true;
	}
	fd = beneath_open(fs->root, path, O_PATH);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) || S_ISLNK(st.st_mode))
		st.st_mode = 0;
	close(fd);
	return st.st_mode != 0;
}

static int readlink_replay(struct procfs *fs, const char *path, char *buf, size_t size)
{
	char *name = mem_printf("%s" LINK_SUFFIX, path);
	struct bytes target;
	int err = procfs_read_once(fs, name, &target);

	free(name);
	if (err)
		return err;
	if (target.len >= size)
		target.len = size - 1;
	memcpy(buf, target.data, target.len);
	buf[target.len] = 0;
	return 0;
}

int procfs_readlink(struct procfs *fs, const char *path, char *buf, size_t size)
{
	ssize_t n;

	if (!path_is_valid(path) || !size)
		return -EINVAL;
	if (fs->replay)
		return readlink_replay(fs, path, buf, size);
	n = readlinkat(fs->root, relative(path), buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = 0;
	if (records(fs)) {
		char *name = mem_printf("%s" LINK_SUFFIX, path);

		record(fs, name, buf, (size_t)n);
		free(name);
	}
	return 0;
}

static bool is_entry(const struct procfs *fs, const char *name)
{
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	return !fs->replay || (!str_ends(name, LINK_SUFFIX) && !str_ends(name, ERROR_SUFFIX));
}

static DIR *open_list(const struct procfs *fs, const char *dir, int *err)
{
	DIR *stream;
	int fd;

	if (fs->replay)
		fd = beneath_open(fs->root, dir, O_RDONLY | O_DIRECTORY);
	else
		fd = openat(fs->root, relative(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All of a directory's entries, sorted, so that a replay meets them in the order of the recording.
 */
static int read_entries(
	const struct procfs *fs, const char *dir, bool directories, struct entries *entries)
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
		qsort(entries->list, entries->n, sizeof(*entries->list), by_name);
	return 0;
}

/* An entry's presence; what a link leads to is not known yet, and an empty file can still become a
 * directory. */
static void record_entry(struct procfs *fs, const char *dir, const struct entry *entry)
{
	char *path;

	if (!records(fs))
		return;
	path = mem_printf("%s/%s", dir, entry->name);
	record_presence(fs, path, entry->directory);
	free(path);
}

static int list(struct procfs *fs, const char *dir, bool directories,
	int (*found)(void *arg, const char *name), void *arg)
{
	struct entries entries = {0};
	int err, stop = 0;
	size_t i;

	if (!path_is_valid(dir))
		return -EINVAL;
	err = read_entries(fs, dir, directories, &entries);
	if (!err)
		record_presence(fs, dir, true);
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

int procfs_list(
	struct procfs *fs, const char *dir, int (*found)(void *arg, const char *name), void *arg)
{
	return list(fs, dir, false, found, arg);
}

int procfs_list_directories(
	struct procfs *fs, const char *dir, int (*found)(void *arg, const char *name), void *arg)
{
	return list(fs, dir, true, found, arg);
}

bool procfs_is_live(const struct procfs *fs)
{
	return fs->live;
}

bool procfs_is_replay(const struct procfs *fs)
{
	return fs->replay;
}

/* Blobs. */

int procfs_put_blob(struct procfs *fs, const char *name, const void *data, size_t len)
{
	char *path;
	struct file *file;

	if (fs->replay)
		return -EROFS;
	path = mem_printf("@%s", name);
	if (!path_is_valid(path)) {
		free(path);
		return -EINVAL;
	}
	file = intern_file(fs, path);
	free(path);
	set_data(file, data, len);
	file->error = 0;
	file->generation = fs->generation;
	record(fs, file->path, file->data, len);
	return 0;
}

int procfs_get_blob(struct procfs *fs, const char *name, struct bytes *out)
{
	char *path = mem_printf("@%s", name);
	int err = procfs_read(fs, path, out);

	free(path);
	return err;
}

/* Shared objects. */

void procfs_attach(struct procfs *fs, const char *key, void *object, void (*release)(void *object))
{
	ARRAY_GROW(fs->attached, fs->n_attached, fs->room_attached);
	fs->attached[fs->n_attached++] = (struct attached){key, object, release};
}

void *procfs_attached(const struct procfs *fs, const char *key)
{
	size_t i;

	for (i = 0; i < fs->n_attached; i++)
		if (!strcmp(fs->attached[i].key, key))
			return fs->attached[i].object;
	return NULL;
}

/* The environment. */

static struct pair *find_pair(const struct procfs *fs, const char *key)
{
	size_t i;

	for (i = 0; i < fs->n_environment; i++)
		if (!strcmp(fs->environment[i].key, key))
			return &fs->environment[i];
	return NULL;
}

static void set_pair(struct procfs *fs, const char *key, const char *value)
{
	struct pair *pair = find_pair(fs, key);
	char *at;

	if (!pair) {
		ARRAY_GROW(fs->environment, fs->n_environment, fs->room_environment);
		pair = &fs->environment[fs->n_environment++];
		*pair = (struct pair){mem_strdup(key), NULL};
	}
	free(pair->value);
	pair->value = mem_strdup(value);
	for (at = pair->value; *at; at++)
		if (*at == '\n')
			*at = ' ';
}

static void record_environment(struct procfs *fs)
{
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < fs->n_environment; i++) {
		const struct pair *pair = &fs->environment[i];

		str_addf(&text, "%s ", pair->key);
		if (fs->filter)
			fs->filter->environment(fs->filter_arg, pair->key, pair->value, &text);
		else
			str_add(&text, pair->value);
		str_addc(&text, '\n');
	}
	note_recording(fs, write_file(fs->top, "environment", str_text(&text), text.len));
	str_free(&text);
}

void procfs_set_environment(struct procfs *fs, const char *key, const char *value)
{
	if (fs->replay || !*key || strpbrk(key, " \n"))
		return;
	set_pair(fs, key, value);
	if (fs->top >= 0)
		record_environment(fs);
}

char *procfs_environment(struct procfs *fs, const char *key)
{
	const struct pair *pair = find_pair(fs, key);

	return pair ? mem_strdup(pair->value) : NULL;
}

static void load_environment(struct procfs *fs)
{
	int fd = beneath_open(fs->top, "environment", O_RDONLY);
	char *at, *line;
	size_t len;

	if (fd < 0)
		return;
	if (!read_all(fs, fd, (struct manner){.ask = READ_SIZE}, &len)) {
		for (at = fs->buf; (line = strsep(&at, "\n"));) {
			char *blank = strchr(line, ' ');

			if (!blank || blank == line)
				continue;
			*blank = 0;
			set_pair(fs, line, blank + 1);
		}
	}
	close(fd);
}

/* Samples. */

static int make_sample_directory(struct procfs *fs, uint64_t sample)
{
	char name[24];
	int fd, err;

	snprintf(name, sizeof(name), "%llu", (unsigned long long)sample);
	err = beneath_make_directory(fs->top, name);
	if (err)
		return err;
	fd = beneath_open(fs->top, name, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fd;
	if (fs->sample_dir >= 0)
		close(fs->sample_dir);
	fs->sample_dir = fd;
	return 0;
}

static int next_live(struct procfs *fs, uint64_t sample, uint64_t *now_ns)
{
	struct timespec now;
	char text[24];
	int n;

	clock_gettime(CLOCK_MONOTONIC, &now);
	*now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (fs->top < 0)
		return 0;
	note_recording(fs, make_sample_directory(fs, sample));
	n = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)*now_ns);
	note_recording(fs, write_file(fs->sample_dir, "time", text, (size_t)n));
	return 0;
}

static int recorded_time(struct procfs *fs, int dir, uint64_t *now_ns)
{
	int fd = beneath_open(dir, "time", O_RDONLY), err;
	struct stat st;
	const char *at;
	size_t len;

	if (fd < 0)
		return -EINVAL;
	err = fstat(fd, &st) || !S_ISREG(st.st_mode)
		? -EINVAL
		: read_all(fs, fd, (struct manner){.ask = READ_SIZE}, &len);
	close(fd);
	at = fs->buf;
	if (err || num_next(&at, fs->buf + len, now_ns) || *now_ns < fs->last_ns)
		return -EINVAL;
	return 0;
}

static int next_replayed(struct procfs *fs, uint64_t sample, uint64_t *now_ns)
{
	char name[24];
	int dir, err;

	snprintf(name, sizeof(name), "%llu", (unsigned long long)sample);
	dir = beneath_open(fs->top, name, O_PATH | O_DIRECTORY);
	if (dir < 0)
		return dir == -ENOENT ? -ENODATA : dir;
	err = recorded_time(fs, dir, now_ns);
	if (err) {
		close(dir);
		return err;
	}
	close(fs->root);
	fs->root = dir;
	return 0;
}

int procfs_next_sample(struct procfs *fs, uint64_t *now_ns)
{
	uint64_t sample = fs->started ? fs->sample + 1 : 0;
	int err = fs->replay ? next_replayed(fs, sample, now_ns) : next_live(fs, sample, now_ns);

	if (err)
		return err;
	fs->started = true;
	fs->sample = sample;
	fs->last_ns = *now_ns;
	fs->generation++;
	return 0;
}

uint64_t procfs_sample(const struct procfs *fs)
{
	return fs->sample;
}

struct procfs_moment procfs_moment(const struct procfs *fs)
{
	return (struct procfs_moment){fs->serial, fs->sample};
}

/* Opening and closing. */

static struct procfs *new_procfs(void)
{
	static uint64_t serials;
	struct procfs *fs = mem_zalloc(sizeof(*fs));

	fs->serial = ++serials;
	fs->root = fs->top = fs->sample_dir = -1;
	fs->generation = 1;
	fs->kept_max = kept_budget();
	return fs;
}

static int count_entry(void *arg, const char *name)
{
	(void)name;
	return ++*(int *)arg;
}

/* The directory of a new recording: nothing may be mixed with what is there already. */
static int open_recording(struct procfs *fs, const char *dir)
{
	struct procfs at = {.top = -1, .sample_dir = -1};
	int entries = 0, err;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return -errno;
	fs->top = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fs->top < 0)
		return -errno;
	at.root = fs->top;
	err = procfs_list(&at, "/", count_entry, &entries);
	if (!err && entries)
		err = -ENOTEMPTY;
	return err ? err : make_sample_directory(fs, 0);
}

int procfs_open(struct procfs **out, const char *root, const char *record_to)
{
	struct procfs *fs = new_procfs();
	int err = 0;

	fs->live = !strcmp(root, "/");
	fs->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fs->root < 0)
		err = -errno;
	if (!err && record_to)
		err = open_recording(fs, record_to);
	if (err) {
		procfs_close(fs);
		return err;
	}
	*out = fs;
	return 0;
}

int procfs_open_replay(struct procfs **out, const char *dir)
{
	struct procfs *fs = new_procfs();
	uint64_t ns;
	int err = 0;

	fs->replay = true;
	fs->top = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fs->top < 0)
		err = -errno;
	if (!err)
		err = next_replayed(fs, 0, &ns);
	if (err == -ENODATA || err == -EINVAL)
		err = -ENOENT;
	if (err) {
		procfs_close(fs);
		return err;
	}
	load_environment(fs);
	*out = fs;
	return 0;
}

static void free_files(struct procfs *fs)
{
	struct file *file, *next;
	size_t i;

	for (i = 0; i < SLOTS; i++) {
		for (file = fs->slots[i]; file; file = next) {
			next = file->next;
			if (file->fd >= 0)
				close(file->fd);
			free(file->path);
			free(file->data);
			free(file);
		}
	}
	free(fs->kept);
}

void procfs_close(struct procfs *fs)
{
	size_t i;

	if (!fs)
		return;
	for (i = 0; i < fs->n_carried; i++) {
		free(fs->carried[i].path);
		free(fs->carried[i].data);
	}
	free(fs->carried);
	for (i = fs->n_attached; i > 0; i--)
		fs->attached[i - 1].release(fs->attached[i - 1].object);
	free(fs->attached);
	free_files(fs);
	for (i = 0; i < fs->n_environment; i++) {
		free(fs->environment[i].key);
		free(fs->environment[i].value);
	}
	free(fs->environment);
	if (fs->root >= 0)
		close(fs->root);
	if (fs->top >= 0)
		close(fs->top);
	if (fs->sample_dir >= 0)
		close(fs->sample_dir);
	if (fs->filter)
		fs->filter->free(fs->filter_arg);
	free(fs->buf);
	free(fs->once);
	free(fs);
}
