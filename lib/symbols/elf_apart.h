/* SPDX-License-Identifier: GPL-2.0-only */
/* An ELF file of others, read by a child without rights and with a deadline. */
#ifndef TUESDAY_SYMBOLS_ELF_APART_H
#define TUESDAY_SYMBOLS_ELF_APART_H

#include "symbols/elf_image.h"

struct str;

/* As elf_image_read; -ENOEXEC too where the child came to its end or its deadline before. */
int elf_image_read_apart(struct elf_image *image, int fd, unsigned int wants, size_t max_bytes);

/* How it comes from there: as bytes, which are believed nothing. Returns 0 or -EBADMSG. */
void elf_image_write(struct str *out, const struct elf_image *image);
int elf_image_take(struct elf_image *image, const char *bytes, size_t len, size_t max_bytes);

#endif
