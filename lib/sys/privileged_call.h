/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking the kernel for what is closed to us, with rights for the length of the call.
 *
 * Each of these is openat(2), pread(2) and so on, and returns what that returns, with errno. What
 * is refused is asked for a second time with CAPS_READ and CAPS_PTRACE effective, as far as they
 * are permitted; they are lowered before the call returns. So a file that everybody may read costs
 * nothing more, and nothing is parsed, judged or written with a right that is effective. A process
 * that is not shown to others (proc(5), hidepid) counts as refused, though the kernel says ENOENT.
 *
 * Capabilities are a thread's: so is what these raise.
 */
#ifndef TUESDAY_SYS_PRIVILEGED_CALL_H
#define TUESDAY_SYS_PRIVILEGED_CALL_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Of flags O_CREAT is not for this: what is written is nobody else's. */
int privileged_openat(int at, const char *path, int flags);
ssize_t privileged_pread(int fd, void *buf, size_t size, off_t at);
ssize_t privileged_readlinkat(int at, const char *path, char *buf, size_t size);
int privileged_fstatat(int at, const char *path, struct stat *st, int flags);

/* The same of beneath_open (open_beneath.h). */
int privileged_beneath_open(int dir, const char *path, int flags);

/* A symbolic link below a directory. */
struct privileged_link {
	const char *name;
	char target[64]; /* terminated, cut to this; "" where it could not be read */
	int error;	 /* 0, or the errno of that */
};

/* The targets of n links, for which rights are raised once. */
void privileged_readlinks(int dir, struct privileged_link *links, size_t n);

/*
 * Calls found for the entries of an open directory, without "." and "..", in the kernel's order;
 * type is DT_* of readdir(3). found returns other than 0 to end that. Returns 0 or -errno.
 */
int privileged_list(
	int dir, int (*found)(void *arg, const char *name, unsigned char type), void *arg);

#endif
