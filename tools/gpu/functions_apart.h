/* SPDX-License-Identifier: GPL-2.0-only */
/* functions_read in a child that has no right to anything: an ELF file of somebody may be made to
 * deceive who reads it. */
#ifndef TUESDAY_TOOLS_GPU_FUNCTIONS_APART_H
#define TUESDAY_TOOLS_GPU_FUNCTIONS_APART_H

#include <stddef.h>

struct functions;
struct str;

/* As functions_read; -ENOEXEC too where the child failed or answered what is no answer. */
int functions_read_apart(struct functions *functions, int fd, size_t max_bytes);

/* What the child answers, and how that is read. Returns 0 or -EBADMSG, and then has none. */
void functions_write(const struct functions *functions, struct str *out);
int functions_take(struct functions *functions, const char *bytes, size_t len, size_t max_bytes);

#endif
