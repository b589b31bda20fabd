/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of capture share: a machine as it is inside, and how a recording is written. */
#ifndef TUESDAY_CAPTURE_INTERNAL_H
#define TUESDAY_CAPTURE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

#define FILE_MAX ((size_t)8 << 20)
#define READ_SIZE ((size_t)65536)
#define SLOTS_FIRST 1024
#define LINK_SUFFIX "@link"
#define ERROR_SUFFIX "@error"
#define AGE_SUFFIX "@age"

/* A file or blob that was asked for at least once. */
struct file {
	char *path;
	struct file *next;   /* in the same hash slot */
	int fd;		     /* kept, or -1 */
	size_t place;	     /* among the kept ones */
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

struct capture {
	int root;	/* what paths are below: the root, or DIR/SAMPLE of a replay */
	int top;	/* DIR of a recording or replay, or -1 */
	int sample_dir; /* DIR/SAMPLE of a recording, or -1 */
	bool live, replay, paused;
	int recording_error;
	int shortage;			       /* -EMFILE and the like, once there was any */
	const struct recording_filter *filter; /* or NULL: what is recorded is as it was read */
	void *filter_arg;
	size_t left_out;
	uint64_t sample, generation, last_ns;
	uint64_t serial; /* no other of this process has it */
	bool started;
	struct file **slots;
	size_t n_slots, n_files;
	struct file **kept; /* those with a descriptor */
	size_t n_kept, room_kept, kept_max, n_adopted;
	struct file **worst; /* kept ones, the most useful first: see least_useful() */
	size_t n_worst, room_worst, n_busy;
	uint64_t worst_generation;
	char *buf; /* what is read goes here first, since most files are far smaller */
	size_t buf_size;
	char *once; /* what capture_read_once gave out last */
	size_t once_size;
	struct pair *environment;
	size_t n_environment, room_environment;
	bool carry;
	struct carried *carried;
	size_t n_carried, room_carried;
	struct attached *attached;
	size_t n_attached, room_attached;
};

/* How a file is read. */
struct manner {
	size_t ask;  /* so many bytes at a time */
	size_t last; /* a read of fewer was the last; 0: only one of none is */
};

/* Whether a path is absolute, or a blob's name, and without components that lead elsewhere. */
bool path_is_sound(const char *path);
/* The path relative to the root; the root itself is ".". */
const char *path_below_root(const char *path);
/*
 * Reads until the end: seq files of several pages return at most one each time. Returns 0 with the
 * length, the bytes being in fs->buf, or -errno.
 */
int capture_read_fd(struct capture *fs, int fd, struct manner manner, size_t *len);

/* Makes the directory of a sample. Returns 0 or -errno. */
int recording_begin_sample(struct capture *fs, uint64_t sample);
/* Whether what is read now is recorded. */
bool recording_is_on(const struct capture *fs);
/* Keeps the first error. */
void recording_note(struct capture *fs, int err);
/* Writes a file of the recording as it is. Returns 0 or -errno. */
int recording_write(int dir, const char *path, const void *data, size_t len);
/* Record what was read of a path, why it could not be read (that it is not there needs no word), or
 * that it is there, without its content. */
void recording_put(struct capture *fs, const char *path, const void *data, size_t len);
void recording_put_error(struct capture *fs, const char *path, int err);
void recording_put_presence(struct capture *fs, const char *path, bool is_directory);

/* Reads the environment of a recording. */
void environment_load(struct capture *fs);

#endif
