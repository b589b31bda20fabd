/* SPDX-License-Identifier: GPL-2.0-only */
/* An ELF file of others, opened so that it costs no more than it holds. */
#ifndef TUESDAY_SYMBOLS_ELF_FILE_H
#define TUESDAY_SYMBOLS_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>

struct eh_frame;
struct elf_image;

/* Of a regular file, in the byte order of this machine; NULL for anything else. elf_end(3) ends it.
 */
Elf *elf_file_begin(int fd);
/* The first section of this name, NULL for none. */
Elf_Scn *elf_file_section(Elf *elf, const char *name, GElf_Shdr *header);
/* Its .eh_frame, whose bytes are valid until elf_end(). False where it has none. */
bool elf_file_eh_frame(Elf *elf, struct eh_frame *frames);
/* The segments with code. */
void elf_file_segments(Elf *elf, struct elf_image *image);

#endif
