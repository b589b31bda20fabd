/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of others, for a process that has given up the right to read them: another process keeps
 * that right, opens what it is asked for, for reading and nothing else, and hands the descriptor
 * over. It reads no byte of any file, and ends with who started it.
 */
#ifndef TUESDAY_SYS_OPENER_H
#define TUESDAY_SYS_OPENER_H

/* Starts it with these capabilities (sys/caps.h) of the caller, at most once. Without one of them
 * it could open no more than its caller, and is not started. Returns 0 or -errno. */
int opener_start(int caps);

/* The descriptor that reaches it, or -1. */
int opener_socket(void);

/*
 * Opens path as openat(at, path, flags) does, for reading: first as the caller may, with what is
 * effective, and where that is refused by the opener, if there is one. O_CLOEXEC is added. Returns
 * a descriptor or -errno.
 */
int opener_open(int at, const char *path, int flags);

/* As opener_open, of a path that is taken as by beneath_open (sys/open_beneath.h). */
int opener_open_beneath(int dir, const char *path, int flags);

#endif
