/* SPDX-License-Identifier: GPL-2.0-only */
/* The few files that a command writes, known once its options are: the rest of the file system is
 * for reading then (Landlock, Linux 5.13). */
#ifndef TUESDAY_SYS_WRITE_ONLY_H
#define TUESDAY_SYS_WRITE_ONLY_H

#include <stddef.h>

/* From here on, and for good, nothing is opened for writing, made, renamed or removed but in the
 * folders of these n files; of one that is there and no regular file, as a pipe, but that itself.
 * NULL stands for no file. What is open stays open. Where the kernel has no Landlock all is as
 * before. */
void write_only(const char *const *files, size_t n);

#endif
