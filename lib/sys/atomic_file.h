/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that is there whole, the old one or the new one, whatever happens meanwhile. */
#ifndef TUESDAY_SYS_ATOMIC_FILE_H
#define TUESDAY_SYS_ATOMIC_FILE_H

#include <stddef.h>
#include <sys/types.h>

struct str;

enum file_readers {
	FILE_BY_UMASK, /* mode 0644 less the umask: names of processes are for whom the user says */
	FILE_FOR_ALL,  /* mode 0644, for what another user's program has to collect */
};

/*
 * Writes text to a file as one step: to NAME.tmp.PID in the same directory, synced, renamed. A
 * full disk or any other error leaves the old file as it was and nothing beside it.
 *
 * The path is walked by place_open_parent, and what is there already is a file, which is replaced;
 * a pipe, a terminal, null, zero or full, which is written to where no other user can have put it
 * there; or what is refused with -EPERM, and with -ELOOP a symbolic link: it would choose for us
 * which file is lost. /dev/stdout, /dev/stderr and /dev/fd/N are the descriptors of the caller,
 * whatever these are. Returns 0, or -errno with a phrase in why.
 */
int write_file_atomically(
	const char *path, enum file_readers readers, const char *text, size_t len, struct str *why);

/* The same for a file that is written bit by bit: opens the directory that it goes to, points name
 * at its last component in path, and refuses what cannot be replaced. The file is made there under
 * the name that atomic_file_temporary gives, with O_EXCL, and renamed. Returns a descriptor, or
 * -errno with a phrase in why. The caller closes; he frees the name. */
int atomic_file_open_place(const char *path, const char **name, struct str *why);
char *atomic_file_temporary(const char *name, pid_t pid);

/*
 * Writes a file of this name in an open directory so that it is there whole or not at all, also
 * after a power cut: to .NAME.new, synced, renamed, and the directory synced. Of those who write
 * one name only one may do so at a time: whoever calls it holds a lock. Returns 0 or -errno.
 */
int directory_write(int dir, const char *name, mode_t mode, const char *text, size_t len);

#endif
