/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does a process of an earlier run still hang in the same question?
 *
 * What cannot be interrupted in the kernel outlives its run, until the kernel lets it go: were it
 * asked again, each run would leave one more. So who asks locks the number of what he asks for in a
 * file of our run directory, and the kernel unlocks it when he is gone. Nobody else can open that
 * file; the number of the process that holds the lock is the kernel's own word.
 */
#ifndef TUESDAY_SOURCES_COMMON_HANG_LOCK_H
#define TUESDAY_SOURCES_COMMON_HANG_LOCK_H

#include <stdint.h>

/* name: of the file. Returns a descriptor, or -errno as for a user who has no run directory. */
int hang_lock_open(const char *name);

/* Locks a number, or frees it again. What cannot be locked is asked all the same. */
void hang_lock_take(int fd, uint64_t number);
void hang_lock_free(int fd, uint64_t number);

/* For how many seconds the process has lived that holds the lock; 0 where none does, or none that
 * is seen from here. Our own locks do not count. */
double hang_lock_held(int fd, uint64_t number);

#endif
