/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording of an EU-stall stream: what the driver gave, byte for byte, what was lost on the way,
 * and what was seen of the programs that gave the GPU its work. Who has the hardware can send it to
 * who has not, and it is analysed as the stream itself.
 *
 * The file is a header of 64 bytes and chunks, each with a head of 16 bytes (kind, id, length of
 * what follows); numbers are little-endian. A kind that is not known is passed over. The file ends
 * with a chunk that says so: one that lacks it was cut. What is read is hostile: memory is bounded,
 * and all bytes lead to an answer or an error.
 */
#ifndef TUESDAY_SOURCES_GPU_EUSTALL_WRITE_H
#define TUESDAY_SOURCES_GPU_EUSTALL_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sources/gpu/eustall_record.h"
#include "sources/gpu/xe_stream.h"

enum {
	EUSTALLFILE_VERSION = 1,
	EUSTALLFILE_TEXT_MAX = 65536, /* bytes of a name or a stack */
};

struct eustallfile_header {
	uint32_t pci_id;
	uint16_t version; /* ip_ver_major */
	uint16_t gts;	  /* main ones */
	enum eustall_layout layout;
	uint32_t xecores;    /* of all of them */
	uint32_t engines;    /* of an XeCore; 0: not known */
	uint32_t windows;    /* that were planned */
	uint64_t rate;	     /* GPU cycles between two samples */
	uint64_t clock_hz;   /* of the GPU; 0: not known */
	uint64_t started_ns; /* CLOCK_REALTIME */
};

/* A kernel that a program gave to the GPU. */
struct eustallfile_kernel {
	uint32_t id;
	uint64_t address; /* where its instructions begin on the GPU; 0: not known */
	uint64_t size;	  /* bytes of them; 0: not known */
	const char *name; /* "" where it is not known */
};

/* How often a CPU stack has launched it. */
struct eustallfile_launch {
	uint32_t kernel; /* its id */
	uint64_t count;
	const char *stack; /* frames as folded output has them, the outermost first */
};

struct eustallfile;
struct str;

/* Begins a recording in path, which it replaces when all is written: where that may be is as for
 * write_file_atomically(). Returns 0, or -errno with a phrase in why. */
int eustallfile_create(struct eustallfile **file, const char *path,
	const struct eustallfile_header *header, struct str *why);
/* Each returns 0 or -errno, and that of the first failure ever after. */
int eustallfile_put_bytes(
	struct eustallfile *file, unsigned int gt, const void *bytes, size_t n_bytes);
int eustallfile_put_drop(struct eustallfile *file, unsigned int gt);
int eustallfile_put_window(struct eustallfile *file, const struct xe_window *window);
int eustallfile_put_kernel(struct eustallfile *file, const struct eustallfile_kernel *kernel);
int eustallfile_put_launch(struct eustallfile *file, const struct eustallfile_launch *launch);
/* Says that it is whole, puts it in its place and frees. Returns 0 or -errno; then nothing is left
 * of it, and what path was before is there. */
int eustallfile_finish(struct eustallfile *file);
/* Removes what was written, and frees. NULL is no file. */
void eustallfile_abandon(struct eustallfile *file);

#endif
