/* SPDX-License-Identifier: GPL-2.0-only */
/* The names in a table of an ELF file, which is hostile. */
#ifndef TUESDAY_SYS_ELF_NAMES_H
#define TUESDAY_SYS_ELF_NAMES_H

#include <gelf.h>
#include <stddef.h>

/* A table of names, the last of which ends: elf_strptr() looks for that end anew for each. */
struct elf_names {
	const char *bytes;
	size_t n;
};

/* That of a section; of what is no such table, or packed, an empty one. */
struct elf_names elf_names_of(Elf *elf, size_t section);
/* "" beyond the end. */
const char *elf_name_at(struct elf_names names, size_t offset);

#endif
