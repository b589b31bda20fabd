/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernels in a zebin: the ELF file in which Intel's compilers put the code for a GPU. Each
 * kernel is a section ".text.NAME" (intel/intel-graphics-compiler, ZEBinWriter). One that the
 * runtime has dumped for a debugger also says at which addresses of the GPU they are
 * (intel/compute-runtime, debug_zebin); one from a compiler or its cache does not.
 */
#ifndef TUESDAY_SYS_ZEBIN_ELF_H
#define TUESDAY_SYS_ZEBIN_ELF_H

#include <stddef.h>
#include <stdint.h>

enum {
	ZEBIN_KERNELS_MAX = 4096,
	ZEBIN_NAME_MAX = 4096,	     /* bytes; a longer one is left out */
	ZEBIN_BYTES_MAX = 256 << 20, /* of a file */
};

/* From an offset of a kernel on, until the next one. */
struct zebin_line {
	uint64_t offset;
	uint32_t line; /* 0: of none */
	uint32_t order;
	const char *file; /* without its folder; the zebin's */
};

struct zebin_kernel {
	struct zebin_line *lines; /* by offset */
	size_t n_lines;
	char *name;
	uint64_t address; /* on the GPU; 0: the file does not say */
	uint64_t size;	  /* bytes of instructions */
	uint64_t offset;  /* of them in the file */
};

struct zebin {
	struct zebin_kernel *kernels;
	size_t n;
	char **files; /* of lines */
	size_t n_files, files_room;
};

/* bytes are hostile and stay the caller's. Returns 0; -ENOEXEC for what is no zebin; -EBADMSG for
 * one that is damaged. zebin_free() is safe after an error too. */
int zebin_parse(struct zebin *zebin, const void *bytes, size_t n_bytes);
/* The same of a regular file; also what reading it failed with, and -EFBIG. */
int zebin_read(struct zebin *zebin, const char *path);
/* The line of the instruction at an offset of a kernel, or NULL. */
const struct zebin_line *zebin_line_at(const struct zebin_kernel *kernel, uint64_t offset);
void zebin_free(struct zebin *zebin);

#endif
