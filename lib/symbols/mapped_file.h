/* SPDX-License-Identifier: GPL-2.0-only */
/* The file that is mapped, and no other one that lies at its path by now. */
#ifndef TUESDAY_SYMBOLS_MAPPED_FILE_H
#define TUESDAY_SYMBOLS_MAPPED_FILE_H

#include <sys/types.h>

struct elf_facts;
struct process_map;

/*
 * Opens it for reading: by /proc/PID/map_files, else as /proc/PID/exe, else by its path in the root
 * of the process, or in ours where that has ended, if it has the same device and inode. Returns a
 * descriptor; -ESTALE where another file has taken its place; or -errno.
 */
int mapped_file_open(pid_t pid, const struct process_map *map);

/*
 * Opens the debug file that a file's build id names (/usr/lib/debug/.build-id), in the root of the
 * process and in ours, or that its .gnu_debuglink names, beside it: whether it is of the same build
 * its reader has to look. which is 0, 1, 2 … for each place. Returns a descriptor, -ENOENT for a
 * place without one, or -ENODATA where there are no more places.
 */
int mapped_file_open_debug(pid_t pid, const char *path, const struct elf_facts *facts, int which);

#endif
