/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the kernel's files below a root prefix, once a sample for everybody, on kept descriptors.
 *
 * A machine is a directory: with a root of "/" it is this one, with the directory of a recording it
 * is another one at another time. Everything that a run learns goes through here, either as a file
 * or as a blob (the answer of netlink, of a BPF iterator, of a trace), so that a recording holds it
 * all and a replay needs nothing else.
 *
 * A recording is DIR/SAMPLE/PATH for files (PATH without its leading slash), DIR/SAMPLE/@NAME for
 * blobs, SAMPLE being 0, 1, 2 …, and DIR/environment with "key value" lines. DIR/SAMPLE/time is the
 * time of the sample, nanoseconds as a decimal number. PATH@link is a file that holds the target of
 * the symbolic link PATH; there are no symbolic links in a recording, and a replay follows none.
 * What was seen to be there but not read is an empty directory or file. What is not there is
 * absent; for what failed otherwise PATH@error holds the number of the error. PATH@age holds the
 * seconds since a file was changed, where somebody asked for that. Whatever is read
 * before the first sample counts as read in sample 0.
 */
#ifndef TUESDAY_CAPTURE_CAPTURE_H
#define TUESDAY_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;
struct str;

/* The bytes of a file or blob: not terminated by 0 by contract, though a 0 does follow them. Valid
 * until the next capture_next_sample. */
struct bytes {
	const char *data;
	size_t len;
};

/*
 * Opens a live machine below root ("/" for this one, "/host" in a container). record_to, if not
 * NULL, is a directory that is created and filled with all that is read; one that is there already
 * must be ours and empty, and is shut to others (place_open_private). Returns 0 or -errno;
 * capture_open_to with a phrase in why.
 */
int capture_open(struct capture **out, const char *root, const char *record_to);
int capture_open_to(struct capture **out, const char *root, const char *record_to, struct str *why);

/*
 * Raises the soft limit of descriptors, 1024 nearly everywhere, as far as a procfs has use for it:
 * every container has a dozen files. To be called once, before the first capture_open.
 */
void capture_allow_files(void);

/* Opens a recording for replay. Returns 0, -ENOENT where dir is no recording, or -errno. */
int capture_open_replay(struct capture **out, const char *dir);

void capture_close(struct capture *fs);

/*
 * Starts the next sample: everything is read anew once. *now_ns is CLOCK_MONOTONIC, or the recorded
 * time in a replay. Returns 0, -ENODATA when a replay has no further sample, or -EINVAL where its
 * time is missing or runs backwards; the sample before stays the present one then. The first call
 * starts sample 0.
 */
int capture_next_sample(struct capture *fs, uint64_t *now_ns);
/* The number of the present sample, 0 before and in the first one. */
uint64_t capture_sample(const struct capture *fs);
/* When the present sample was taken, as capture_next_sample told it; 0 before the first one. */
uint64_t capture_time_ns(const struct capture *fs);

/* A sample of one procfs and no other of this process, for what is remembered as long. */
struct capture_identity {
	uint64_t serial, sample;
};
struct capture_identity capture_identity(const struct capture *fs);

/*
 * Reads a whole file once per sample; a second call in the same sample returns the same bytes. path
 * is absolute ("/proc/vmstat"). The descriptor is kept for the next sample as long as the process
 * has descriptors to spare. Files longer than 8 MiB are refused with -EFBIG. Returns 0 or -errno
 * (-ENOENT, -EACCES, -ENODEV …), which is also remembered for the rest of the sample.
 */
int capture_read(struct capture *fs, const char *path, struct bytes *out);

/*
 * As capture_read, for the many short files of processes and cgroups: nothing is cached and no
 * descriptor is kept. The bytes stay valid until the next call of capture_read_once.
 */
int capture_read_once(struct capture *fs, const char *path, struct bytes *out);

/*
 * As capture_read_once, for a file that says less to who may not trace the process, and does not
 * say so: /proc/PID/wchan has "0" then.
 */
int capture_read_hidden(struct capture *fs, const char *path, struct bytes *out);

/* A descriptor of a regular file, for who reads only a part of it; it is not recorded. The caller
 * closes it. Returns -errno where there is none. */
int capture_open_part(struct capture *fs, const char *path);

/* Opens a directory of a live machine, for what lies in it to be named by openat(); what is found
 * there is not recorded. Returns it or -errno, -EOPNOTSUPP in a replay. */
int capture_open_directory(struct capture *fs, const char *path);

/* Whether path exists below the root (in a replay: was seen in the present sample). */
bool capture_exists(struct capture *fs, const char *path);

/* The target of a symbolic link in buf, terminated, cut to size. Returns 0 or -errno. */
int capture_readlink(struct capture *fs, const char *path, char *buf, size_t size);

/* Whether what is asked comes from the live kernel that we run on (root "/", no replay): only then
 * may netlink, BPF, statvfs and system calls answer. */
bool capture_is_live(const struct capture *fs);
bool capture_is_replay(const struct capture *fs);
/* Why the answer err (-errno) came instead of what no file tells, for people: of a tree of files
 * that only the machine itself can be asked. Valid until the next strerror(). */
const char *capture_why_untold(const struct capture *fs, int err);

/*
 * Answers that are not files. In a live run a source calls capture_put_blob with what it got, which
 * records it if a recording is made; in a replay it calls capture_get_blob instead of asking the
 * kernel. Both return 0 or -errno. In a live run capture_get_blob returns what was put earlier in
 * the same sample, so that sources can share an answer.
 */
int capture_put_blob(struct capture *fs, const char *name, const void *data, size_t len);
int capture_get_blob(struct capture *fs, const char *name, struct bytes *out);

/*
 * Hands over an open descriptor of a file that cannot be opened again by its path, as those of
 * another network namespace. From then on capture_read(fs, name) reads it; name begins with '@',
 * and what is read is recorded as DIR/SAMPLE/NAME. Returns 0, or -EMFILE where the process has no
 * more descriptors to spare; the descriptor is then closed.
 */
int capture_adopt(struct capture *fs, const char *name, int fd);

/*
 * Objects that several sources share for the length of a run: key is compared by its text and must
 * outlive fs. release is called by capture_close. capture_attached returns NULL where there is
 * none.
 */
void capture_attach(
	struct capture *fs, const char *key, void *object, void (*release)(void *object));
void *capture_attached(const struct capture *fs, const char *key);

#endif
