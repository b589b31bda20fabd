/* SPDX-License-Identifier: GPL-2.0-only */
/* What does each of the kernel's files say now, or said when the recording was made? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "sys/caps.h"
#include "sys/open_beneath.h"
#include "sys/place.h"
#include "sys/privileged_call.h"
#include "sys/raised_limit.h"
#include "base/num.h"
#include "capture/capture.h"
#include "base/str.h"
#include "capture/internal.h"
#include "capture/environment.h"
#include "capture/recording.h"
#include "capture/shortage.h"
#include "capture/list.h"

/* The kernel zeroes a buffer of the size that is asked for before it answers a sysctl. */
#define SYSCTL_READ_SIZE ((size_t)4096)
#define TABLE_PAGE ((size_t)4096) /* the smallest there is */
#define TABLE_LINE_MAX ((size_t)1024)
#define CGROUPS "/sys/fs/cgroup/" /* these may be of several pieces */
#define KEPT_LIMIT 16384	  /* a dozen files of each of NETNS_MAX network namespaces */
#define ERROR_MAX 4095

/*
 * A sysctl and an attribute of sysfs are written in one piece, of a page at most. What the kernel
 * lists of a network comes in pieces of a page, each with as many lines as fit: one that had room
 * for the longest of them (TABLE_LINE_MAX) was the last. To ask for one more goes through the whole
 * table of UDP sockets again.
 */
static struct manner manner_of(const char *path)
{
	if (str_starts(path, "/proc/sys/"))
		return (struct manner){SYSCTL_READ_SIZE, SYSCTL_READ_SIZE};
	if (str_starts(path, "/sys/") && !str_starts(path, CGROUPS))
		return (struct manner){READ_SIZE, READ_SIZE};
	if (str_starts(path, "/proc/net/") || str_starts(path, "/proc/self/net/") ||
		str_starts(path, "@netns/"))
		return (struct manner){READ_SIZE, TABLE_PAGE - TABLE_LINE_MAX};
	return (struct manner){READ_SIZE, 0};
}

/* Why the file could not be read when the recording was made, or -ENOENT where it was not there. */
static int capture_recorded_error(const struct capture *fs, const char *path)
{
	char *name = mem_printf("%s" ERROR_SUFFIX, path), text[16];
	int fd = beneath_open(fs->root, name, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	uint64_t number;

	free(name);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0; /* as in a machine that was written by hand */
	return num_u64(text, 1, ERROR_MAX, &number) ? -ENOENT : -(int)number;
}

/* A regular file below the root: to open a device can already have an effect. */
static int capture_open_file(const struct capture *fs, const char *path)
{
	struct stat st;
	int fd;

	if (fs->replay)
		fd = beneath_open(fs->root, path, O_RDONLY);
	else if (*path == '@')
		return -ENOENT;
	else
		fd = privileged_openat(fs->root, path_below_root(path),
			O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && fs->replay)
		return fd == -ENOENT ? capture_recorded_error(fs, path) : fd;
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
	if (fs->replay && !st.st_size && capture_recorded_error(fs, path) != -ENOENT) {
		close(fd);
		return capture_recorded_error(fs, path);
	}
	return fd;
}

/* Kept descriptors. */

static void drop_descriptor(struct capture *fs, struct file *file)
{
	if (file->fd < 0)
		return;
	fs->kept[file->place] = fs->kept[--fs->n_kept];
	fs->kept[file->place]->place = file->place;
	close(file->fd);
	file->fd = -1;
}

static void keep_descriptor(struct capture *fs, struct file *file, int fd)
{
	ARRAY_GROW(fs->kept, fs->n_kept, fs->room_kept);
	file->place = fs->n_kept;
	fs->kept[fs->n_kept++] = file;
	file->fd = fd;
}

static bool capture_is_idle(const struct capture *fs, const struct file *file)
{
	return file->generation + 2 <= fs->generation;
}

static int capture_compare_lengths(const void *a, const void *b)
{
	const struct file *x = *(struct file *const *)a, *y = *(struct file *const *)b;

	return (x->len < y->len) - (x->len > y->len);
}

/* The kept ones that may be dropped: those that are idle behind the others, the shortest last. */
static void capture_rank_kept(struct capture *fs)
{
	size_t i, n = 0, idle;

	fs->n_worst = 0;
	for (idle = 0; idle < 2; idle++) {
		for (i = 0; i < fs->n_kept; i++) {
			if (fs->kept[i]->adopted || capture_is_idle(fs, fs->kept[i]) != idle)
				continue;
			ARRAY_GROW(fs->worst, fs->n_worst, fs->room_worst);
			fs->worst[fs->n_worst++] = fs->kept[i];
		}
		if (fs->n_worst > n)
			qsort(fs->worst + n, fs->n_worst - n, sizeof(*fs->worst),
				capture_compare_lengths);
		n = fs->n_worst;
		fs->n_busy = idle ? fs->n_busy : n;
	}
	fs->worst_generation = fs->generation;
}

/*
 * The kept descriptor that is worth least: of a file that nobody read any more, else of the
 * shortest file, since opening a long one again renders it twice. They are ranked once a sample,
 * and again when all that were ranked are gone: there may be a descriptor for each of 10,000 files,
 * and as many files more.
 */
static struct file *least_useful(struct capture *fs)
{
	if (fs->n_kept == fs->n_adopted)
		return NULL;
	if (fs->worst_generation != fs->generation)
		capture_rank_kept(fs);
	/* Some of them are gone, and who was idle may have been read meanwhile. */
	while (fs->n_worst &&
		(fs->worst[fs->n_worst - 1]->fd < 0 ||
			(fs->n_worst > fs->n_busy &&
				!capture_is_idle(fs, fs->worst[fs->n_worst - 1]))))
		fs->n_worst--;
	if (!fs->n_worst)
		capture_rank_kept(fs);
	return fs->worst[fs->n_worst - 1];
}

/* Keeps fd for the next sample if it is worth it, else closes it. */
static void keep_or_close(struct capture *fs, struct file *file, int fd)
{
	struct file *worst;

	if (fs->n_kept >= fs->kept_max) {
		worst = least_useful(fs);
		if (!worst || (!capture_is_idle(fs, worst) && worst->len >= file->len)) {
			close(fd);
			return;
		}
		drop_descriptor(fs, worst);
	}
	keep_descriptor(fs, file, fd);
}

/* Opens, and makes room among the kept descriptors where the process has none left. */
static int open_with_room(struct capture *fs, const char *path)
{
	int fd = capture_open_file(fs, path), tries;

	for (tries = 0; fd == -EMFILE && tries < 8; tries++) {
		struct file *worst = least_useful(fs);

		if (!worst)
			break;
		drop_descriptor(fs, worst);
		fs->kept_max = fs->n_kept;
		fd = capture_open_file(fs, path);
	}
	shortage_note(fs, fd);
	return fd;
}

void capture_allow_files(void)
{
	raised_limit_set(RLIMIT_NOFILE, 2 * KEPT_LIMIT, false);
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

static struct file **capture_slot_of(const struct capture *fs, const char *path)
{
	return &fs->slots[hash_keyed(path, strlen(path)) & (fs->n_slots - 1)];
}

static struct file *find_file(const struct capture *fs, const char *path)
{
	struct file *file;

	for (file = *capture_slot_of(fs, path); file; file = file->next)
		if (!strcmp(file->path, path))
			return file;
	return NULL;
}

static void capture_put_file(struct capture *fs, struct file *file)
{
	struct file **slot = capture_slot_of(fs, file->path);

	file->next = *slot;
	*slot = file;
}

static void capture_grow_slots(struct capture *fs)
{
	struct file **old = fs->slots, *file, *next;
	size_t n = fs->n_slots, i;

	fs->n_slots = n ? 4 * n : SLOTS_FIRST;
	fs->slots = mem_zalloc(fs->n_slots * sizeof(*fs->slots));
	for (i = 0; i < n; i++)
		for (file = old[i]; file; file = next) {
			next = file->next;
			capture_put_file(fs, file);
		}
	free(old);
}

static struct file *intern_file(struct capture *fs, const char *path)
{
	struct file *file;

	if (fs->n_files >= fs->n_slots)
		capture_grow_slots(fs);
	file = find_file(fs, path);
	if (file)
		return file;
	file = mem_zalloc(sizeof(*file));
	file->path = mem_strdup(path);
	file->fd = -1;
	capture_put_file(fs, file);
	fs->n_files++;
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
static int read_kept(struct capture *fs, struct file *file, size_t *len)
{
	int err = capture_read_fd(fs, file->fd, manner_of(file->path), len);

	if (err && err != -EFBIG && !file->adopted)
		drop_descriptor(fs, file);
	return err;
}

static int read_anew(struct capture *fs, struct file *file, size_t *len)
{
	int fd = open_with_room(fs, file->path), err;

	if (fd < 0)
		return fd;
	err = capture_read_fd(fs, fd, manner_of(file->path), len);
	if (err || fs->replay) {
		close(fd);
		return err;
	}
	file->len = *len;
	keep_or_close(fs, file, fd);
	return 0;
}

static int refresh(struct capture *fs, struct file *file)
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
		recording_put_error(fs, file->path, err);
		file->len = 0;
		return err;
	}
	set_data(file, fs->buf, len);
	recording_put(fs, file->path, file->data, file->len);
	return 0;
}

int capture_read(struct capture *fs, const char *path, struct bytes *out)
{
	struct file *file;
	int err;

	if (!path_is_sound(path))
		return -EINVAL;
	file = intern_file(fs, path);
	err = file->generation == fs->generation ? file->error : refresh(fs, file);
	if (err)
		return err;
	out->data = file->data;
	out->len = file->len;
	return 0;
}

static void swap_buffers(struct capture *fs)
{
	char *buf = fs->buf;
	size_t size = fs->buf_size;

	fs->buf = fs->once;
	fs->buf_size = fs->once_size;
	fs->once = buf;
	fs->once_size = size;
}

static int capture_fetch_once(struct capture *fs, const char *path, bool hidden, size_t *len)
{
	int fd = open_with_room(fs, path), err;

	if (fd < 0)
		return fd;
	if (hidden && !fs->replay)
		caps_raise(CAPS_PTRACE);
	err = capture_read_fd(fs, fd, manner_of(path), len);
	if (hidden && !fs->replay)
		caps_lower(CAPS_PTRACE);
	close(fd);
	return err;
}

static int capture_give_once(
	struct capture *fs, const char *path, int err, size_t len, struct bytes *out)
{
	if (err) {
		recording_put_error(fs, path, err);
		return err;
	}
	swap_buffers(fs);
	recording_put(fs, path, fs->once, len);
	out->data = fs->once;
	out->len = len;
	return 0;
}

int capture_read_once(struct capture *fs, const char *path, struct bytes *out)
{
	size_t len = 0;
	int err;

	if (!path_is_sound(path))
		return -EINVAL;
	err = capture_fetch_once(fs, path, false, &len);
	return capture_give_once(fs, path, err, len, out);
}

int capture_read_hidden(struct capture *fs, const char *path, struct bytes *out)
{
	size_t len = 0;
	int err;

	if (!path_is_sound(path))
		return -EINVAL;
	err = capture_fetch_once(fs, path, true, &len);
	return capture_give_once(fs, path, err, len, out);
}

int capture_open_part(struct capture *fs, const char *path)
{
	return path_is_sound(path) ? open_with_room(fs, path) : -EINVAL;
}

int capture_open_directory(struct capture *fs, const char *path)
{
	int fd;

	if (fs->replay)
		return -EOPNOTSUPP;
	if (!path_is_sound(path))
		return -EINVAL;
	fd = privileged_openat(
		fs->root, path[1] ? path_below_root(path) : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int capture_adopt(struct capture *fs, const char *name, int fd)
{
	struct file *file;

	if (*name != '@' || !path_is_sound(name)) {
		close(fd);
		return -EINVAL;
	}
	if (fs->n_kept >= fs->kept_max) {
		close(fd);
		return -EMFILE;
	}
	file = intern_file(fs, name);
	drop_descriptor(fs, file);
	fs->n_adopted += !file->adopted;
	file->adopted = true;
	keep_descriptor(fs, file, fd);
	return 0;
}

bool capture_exists(struct capture *fs, const char *path)
{
	struct stat st;
	int fd;

	if (!path_is_sound(path))
		return false;
	if (!fs->replay) {
		if (privileged_fstatat(fs->root, path_below_root(path), &st, AT_NO_AUTOMOUNT)) {
			shortage_note(fs, -errno);
			return false;
		}
		recording_put_presence(fs, path, S_ISDIR(st.st_mode));
		return true;
	}
	fd = beneath_open(fs->root, path, O_PATH);
	shortage_note(fs, fd);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) || S_ISLNK(st.st_mode))
		st.st_mode = 0;
	close(fd);
	return st.st_mode != 0;
}

static int readlink_replay(struct capture *fs, const char *path, char *buf, size_t size)
{
	char *name = mem_printf("%s" LINK_SUFFIX, path);
	struct bytes target;
	int err = capture_read_once(fs, name, &target);

	free(name);
	if (err)
		return err;
	if (target.len >= size)
		target.len = size - 1;
	memcpy(buf, target.data, target.len);
	buf[target.len] = 0;
	return 0;
}

int capture_readlink(struct capture *fs, const char *path, char *buf, size_t size)
{
	ssize_t n;

	if (!path_is_sound(path) || !size)
		return -EINVAL;
	if (fs->replay)
		return readlink_replay(fs, path, buf, size);
	n = privileged_readlinkat(fs->root, path_below_root(path), buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = 0;
	if (recording_is_on(fs)) {
		char *name = mem_printf("%s" LINK_SUFFIX, path);

		recording_put(fs, name, buf, (size_t)n);
		free(name);
	}
	return 0;
}

bool capture_is_live(const struct capture *fs)
{
	return fs->live;
}

bool capture_is_replay(const struct capture *fs)
{
	return fs->replay;
}

const char *capture_why_untold(const struct capture *fs, int err)
{
	if (!capture_is_live(fs) && !capture_is_replay(fs))
		return "no file tells, and only the machine itself can be asked";
	return strerror(-err);
}

/* Blobs. */

int capture_put_blob(struct capture *fs, const char *name, const void *data, size_t len)
{
	char *path;
	struct file *file;

	if (fs->replay)
		return -EROFS;
	path = mem_printf("@%s", name);
	if (!path_is_sound(path)) {
		free(path);
		return -EINVAL;
	}
	file = intern_file(fs, path);
	free(path);
	set_data(file, data, len);
	file->error = 0;
	file->generation = fs->generation;
	recording_put(fs, file->path, file->data, len);
	return 0;
}

int capture_get_blob(struct capture *fs, const char *name, struct bytes *out)
{
	char *path = mem_printf("@%s", name);
	int err = capture_read(fs, path, out);

	free(path);
	return err;
}

/* Shared objects. */

void capture_attach(
	struct capture *fs, const char *key, void *object, void (*release)(void *object))
{
	ARRAY_GROW(fs->attached, fs->n_attached, fs->room_attached);
	fs->attached[fs->n_attached++] = (struct attached){key, object, release};
}

void *capture_attached(const struct capture *fs, const char *key)
{
	size_t i;

	for (i = 0; i < fs->n_attached; i++)
		if (!strcmp(fs->attached[i].key, key))
			return fs->attached[i].object;
	return NULL;
}

/* Samples. */

static int next_live(struct capture *fs, uint64_t sample, uint64_t *now_ns)
{
	char text[24];
	int n;

	*now_ns = monotonic_ns();
	if (fs->top < 0)
		return 0;
	/* The first was begun when the recording was: it takes what is read before. */
	if (sample)
		recording_note(fs, recording_begin_sample(fs, sample));
	n = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)*now_ns);
	recording_note(fs, recording_write(fs->sample_dir, "time", text, (size_t)n));
	return 0;
}

static int recorded_time(struct capture *fs, int dir, uint64_t *now_ns)
{
	int fd = beneath_open(dir, "time", O_RDONLY), err;
	struct stat st;
	const char *at;
	size_t len;

	shortage_note(fs, fd);
	if (fd < 0)
		return -EINVAL;
	err = fstat(fd, &st) || !S_ISREG(st.st_mode)
		? -EINVAL
		: capture_read_fd(fs, fd, (struct manner){.ask = READ_SIZE}, &len);
	close(fd);
	at = fs->buf;
	if (err || num_next(&at, fs->buf + len, now_ns) || *now_ns < fs->last_ns)
		return -EINVAL;
	return 0;
}

static int next_replayed(struct capture *fs, uint64_t sample, uint64_t *now_ns)
{
	char name[24];
	int dir, err;

	snprintf(name, sizeof(name), "%llu", (unsigned long long)sample);
	dir = beneath_open(fs->top, name, O_PATH | O_DIRECTORY);
	shortage_note(fs, dir);
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

int capture_next_sample(struct capture *fs, uint64_t *now_ns)
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

uint64_t capture_sample(const struct capture *fs)
{
	return fs->sample;
}

uint64_t capture_time_ns(const struct capture *fs)
{
	return fs->last_ns;
}

struct capture_identity capture_identity(const struct capture *fs)
{
	return (struct capture_identity){fs->serial, fs->sample};
}

/* Opening and closing. */

static struct capture *new_capture(void)
{
	static uint64_t serials;
	struct capture *fs = mem_zalloc(sizeof(*fs));

	fs->serial = ++serials;
	fs->root = fs->top = fs->sample_dir = -1;
	fs->generation = 1;
	fs->kept_max = kept_budget();
	return fs;
}

static int capture_count_entry(void *arg, const char *name)
{
	(void)name;
	return ++*(int *)arg;
}

/* The directory of a new recording: nothing may be mixed with what is there already. */
static int open_recording(struct capture *fs, const char *dir, struct str *why)
{
	struct capture at = {.top = -1, .sample_dir = -1};
	int entries = 0, err;

	fs->top = place_open_private(dir, false, why);
	if (fs->top < 0)
		return fs->top;
	at.root = fs->top;
	err = capture_list(&at, "/", capture_count_entry, &entries);
	if (!err && entries)
		err = -ENOTEMPTY;
	if (!err)
		err = recording_begin_sample(fs, 0);
	if (err)
		str_add(why, strerror(-err));
	return err;
}

int capture_open(struct capture **out, const char *root, const char *record_to)
{
	struct str why = STR_INIT;
	int err = capture_open_to(out, root, record_to, &why);

	str_free(&why);
	return err;
}

int capture_open_to(struct capture **out, const char *root, const char *record_to, struct str *why)
{
	struct capture *fs = new_capture();
	int err = 0;

	fs->live = !strcmp(root, "/");
	fs->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fs->root < 0) {
		err = -errno;
		str_add(why, strerror(-err));
	}
	if (!err && record_to)
		err = open_recording(fs, record_to, why);
	if (err) {
		capture_close(fs);
		return err;
	}
	*out = fs;
	return 0;
}

int capture_open_replay(struct capture **out, const char *dir)
{
	struct capture *fs = new_capture();
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
		capture_close(fs);
		return err;
	}
	environment_load(fs);
	*out = fs;
	return 0;
}

static void free_files(struct capture *fs)
{
	struct file *file, *next;
	size_t i;

	for (i = 0; i < fs->n_slots; i++) {
		for (file = fs->slots[i]; file; file = next) {
			next = file->next;
			if (file->fd >= 0)
				close(file->fd);
			free(file->path);
			free(file->data);
			free(file);
		}
	}
	free(fs->slots);
	free(fs->kept);
	free(fs->worst);
}

void capture_close(struct capture *fs)
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
