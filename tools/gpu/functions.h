/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of an ELF file, by where their code is in the file. */
#ifndef TUESDAY_TOOLS_GPU_FUNCTIONS_H
#define TUESDAY_TOOLS_GPU_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

enum {
	FUNCTION_NAME_MAX = 1024,
	FUNCTIONS_TABLE_MAX = 64 << 20, /* bytes of a symbol table, and of the names it has */
};

struct function {
	uint64_t offset; /* in the file */
	uint64_t size;	 /* bytes; 0: until the next one */
	char *name;
};

struct functions {
	struct function *list;
	size_t n, room;
	size_t bytes; /* of memory that they take */
};

/*
 * Of a regular file that is open for reading, which is hostile: a few kilobytes of it may name a
 * function a million times. Returns 0; -ENOEXEC; or -EFBIG where they took more than max_bytes, and
 * then has none: one would pass for its neighbours that were left out. functions is to be freed in
 * any case.
 */
int functions_read(struct functions *functions, int fd, size_t max_bytes);
/* The name of the one whose code is there, or NULL. */
const char *functions_at(const struct functions *functions, uint64_t offset);
void functions_free(struct functions *functions);

#endif
