/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an ELF file says of its code: which functions are where, and whether they keep frame
 * pointers. The file is hostile; what is larger than the limits here is left out.
 */
#ifndef TUESDAY_SYMBOLS_ELF_IMAGE_H
#define TUESDAY_SYMBOLS_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELF_IMAGE_NAME_MAX = 1024,	     /* bytes of a function's name */
	ELF_IMAGE_TABLE_MAX = 64 << 20,	     /* bytes of a symbol table, and of its names */
	ELF_IMAGE_SEGMENTS_MAX = 64,	     /* with code */
	ELF_IMAGE_BUILD_ID_MAX = 32,	     /* bytes */
	ELF_IMAGE_LINK_MAX = 128,	     /* bytes of the name of a debug file */
	ELF_IMAGE_COVERAGE_FUNCTIONS = 4096, /* that are looked at for frame pointers, spread evenly
					      */
};

/* Addresses are those that the file was linked for. */
struct elf_function {
	uint64_t address, size; /* bytes; 0: until the next one */
	uint64_t name;		/* where it begins in names */
};

struct elf_segment {
	uint64_t address, offset, size; /* where its code is in memory and in the file */
};

struct elf_facts {
	uint32_t machine; /* EM_* */
	uint32_t build_id_len;
	uint8_t build_id[ELF_IMAGE_BUILD_ID_MAX];
	char debug_link[ELF_IMAGE_LINK_MAX]; /* of .gnu_debuglink, "" for none; never a path */
	/* Functions of .eh_frame of at least 16 bytes that were looked at, and those that set up a
	 * frame pointer within their first 32 bytes. 0 of 0 where that is not known. */
	uint32_t looked, with_frame_pointer;
	uint8_t has_symbols, has_dynamic; /* a .symtab, a .dynsym */
	uint8_t is_go;			  /* its functions keep frame pointers on amd64 and arm64 */
	uint8_t starts_programs;	  /* it has __libc_start_main: a C library */
};

struct elf_image {
	struct elf_facts facts;
	struct elf_segment segments[ELF_IMAGE_SEGMENTS_MAX];
	size_t n_segments;
	struct elf_function *functions; /* by address, one for each */
	size_t n, room;
	char *names; /* each ends with a 0 */
	size_t names_len, names_room;
};

enum {
	ELF_IMAGE_FUNCTIONS = 1, /* their names */
	ELF_IMAGE_COVERAGE = 2,	 /* looked, with_frame_pointer */
};

/*
 * Reads a regular file that is open for reading. wants is a mask of what is looked for beside the
 * segments and the build id. Returns 0; -ENOEXEC for what is no ELF file; -EFBIG where its
 * functions take more than max_bytes, of which there are then none: one would pass for its
 * neighbours. To be freed in any case.
 */
int elf_image_read(struct elf_image *image, int fd, unsigned int wants, size_t max_bytes);
void elf_image_free(struct elf_image *image);

/* The bytes of memory that its functions and names take. */
size_t elf_image_bytes(const struct elf_image *image);

/* The address of what is at an offset of the file. False where no code is. */
bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *address);
/* The function at an address, or NULL. */
const struct elf_function *elf_image_at(const struct elf_image *image, uint64_t address);

#endif
