/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a process that may be read while it naps: none of them takes a lock of its memory.
 * cmdline, environ, exe, maps, smaps and their like do, and whoever reads them then waits with it,
 * or makes it wait: they have no place here, and a test follows all that is opened.
 */
#ifndef TUESDAY_NAPS_PROC_FILE_H
#define TUESDAY_NAPS_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_COMM 16

/* The same of wchan and stack, which say less, or nothing, to who may not trace the process: rights
 * are effective for the length of the call. */
ssize_t proc_file_read_hidden(const char *path, char *buf, size_t size);

/* What stat says of a process or a thread. */
struct proc_stat {
	char comm[PROC_COMM]; /* hostile, terminated */
	char state;
	pid_t parent;
	bool kernel; /* a thread of the kernel */
	uint64_t start_ticks;
};

/* Reads a file of /proc whole, cut to size - 1 bytes and terminated. Returns how many, or -errno.
 */
ssize_t proc_file_read(const char *path, char *buf, size_t size);

/* Parses stat: -EBADMSG for what is none. */
int proc_stat_parse(const char *text, struct proc_stat *out);
int proc_stat_read(const char *path, struct proc_stat *out);

/* The CPU time of a process, of all of its threads, ended ones too. Returns 0 or -errno: -ESRCH
 * where it is gone. No file is opened for it, and it needs no rights. */
int proc_cpu_ns(pid_t pid, uint64_t *out);

/* Calls each for what a process has open, its first most descriptors: the target of each link, cut.
 * It takes a lock of its table of files, and none of its memory. */
void proc_each_descriptor(
	pid_t pid, size_t most, bool (*each)(void *arg, const char *target), void *arg);

/* Calls each for the numbers in a directory of /proc (the processes, the threads of one), until it
 * returns false. Returns 0 or -errno. */
int proc_each_number(const char *directory, bool (*each)(void *arg, pid_t number), void *arg);

#endif
