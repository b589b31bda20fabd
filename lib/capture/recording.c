/* SPDX-License-Identifier: GPL-2.0-only */
/* How is what was read kept for a replay? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/internal.h"
#include "capture/recording.h"
#include "sys/open_beneath.h"
#include "sys/read_write.h"

bool recording_is_on(const struct capture *fs)
{
	return fs->sample_dir >= 0 && !fs->paused;
}

void recording_note(struct capture *fs, int err)
{
	if (err < 0 && !fs->recording_error)
		fs->recording_error = err;
}

/* The name in the recording of a file of the machine. The caller frees. */
static char *recorded_name(const struct capture *fs, const char *path)
{
	struct str name = STR_INIT;

	if (!fs->filter)
		return mem_strdup(path);
	fs->filter->path(fs->filter_arg, path, &name);
	return str_take(&name);
}

int recording_write(int dir, const char *path, const void *data, size_t len)
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
static void write_recorded(struct capture *fs, const char *path, const void *data, size_t len)
{
	struct str content = STR_INIT;
	char *name = recorded_name(fs, path);

	if (!fs->filter)
		recording_note(fs, recording_write(fs->sample_dir, name, data, len));
	else if (fs->filter->content(fs->filter_arg, path, data, len, &content))
		recording_note(
			fs, recording_write(fs->sample_dir, name, str_text(&content), content.len));
	else
		fs->left_out++;
	str_free(&content);
	free(name);
}

void recording_put(struct capture *fs, const char *path, const void *data, size_t len)
{
	if (!recording_is_on(fs))
		return;
	write_recorded(fs, path, data, len);
	if (!fs->carry)
		return;
	ARRAY_GROW(fs->carried, fs->n_carried, fs->room_carried);
	fs->carried[fs->n_carried] = (struct carried){mem_strdup(path), mem_alloc(len + 1), len};
	memcpy(fs->carried[fs->n_carried++].data, data, len);
}

void capture_filter(struct capture *fs, const struct recording_filter *filter, void *arg)
{
	fs->filter = filter;
	fs->filter_arg = arg;
}

size_t capture_left_out(const struct capture *fs)
{
	return fs->left_out;
}

/* That it is not there needs no word. */
void recording_put_error(struct capture *fs, const char *path, int err)
{
	char *name, text[16];
	int n;

	if (!recording_is_on(fs) || err >= 0 || err == -ENOENT)
		return;
	name = mem_printf("%s" ERROR_SUFFIX, path);
	n = snprintf(text, sizeof(text), "%d", -err);
	recording_put(fs, name, text, (size_t)n);
	free(name);
}

bool capture_carry(struct capture *fs, bool on)
{
	bool before = fs->carry;

	fs->carry = on;
	return before;
}

/* Whether the present sample has more than the presence of a path. */
static bool is_recorded(const struct capture *fs, const char *path)
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

void capture_carried(struct capture *fs)
{
	size_t i;

	for (i = 0; i < fs->n_carried; i++) {
		struct carried *carried = &fs->carried[i];

		if (recording_is_on(fs) && !is_recorded(fs, carried->path))
			recording_put(fs, carried->path, carried->data, carried->len);
		free(carried->path);
		free(carried->data);
	}
	fs->n_carried = 0;
}

/* That something is there, without its content. */
void recording_put_presence(struct capture *fs, const char *path, bool is_directory)
{
	char *name;

	if (!recording_is_on(fs) || !path[strspn(path, "/")])
		return;
	name = recorded_name(fs, path);
	recording_note(fs,
		is_directory ? beneath_make_directory(fs->sample_dir, name)
			     : beneath_make_empty(fs->sample_dir, name));
	free(name);
}

int capture_recording_error(const struct capture *fs)
{
	return fs->recording_error;
}

bool capture_pause_recording(struct capture *fs, bool paused)
{
	bool before = fs->paused;

	fs->paused = paused;
	return before;
}

int recording_begin_sample(struct capture *fs, uint64_t sample)
{
	char name[24];
	int fd;

	snprintf(name, sizeof(name), "%llu", (unsigned long long)sample);
	/* Nothing of this sample goes to the one before. */
	if (fs->sample_dir >= 0)
		close(fs->sample_dir);
	fs->sample_dir = -1;
	/* Nobody else can make one here; if somebody did, it is not ours. */
	if (mkdirat(fs->top, name, 0700))
		return -errno;
	fd = beneath_open(fs->top, name, O_PATH | O_DIRECTORY);
	fs->sample_dir = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}
