/* SPDX-License-Identifier: GPL-2.0-only */
/* A small zebin, for tests: two kernels, shared functions, and a symbol for each kernel. */
#ifndef TUESDAY_TEST_MADEZEBIN_H
#define TUESDAY_TEST_MADEZEBIN_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ZEBIN_TEST_BYTES = 4096, ZEBIN_TEST_SECTIONS = 7 };

struct zebin_test {
	Elf64_Ehdr header;
	Elf64_Shdr sections[ZEBIN_TEST_SECTIONS];
	char names[128]; /* of sections, and of symbols */
	Elf64_Sym symbols[3];
	char text[512];
};

static inline Elf64_Word zebin_test_name(struct zebin_test *z, const char *name)
{
	size_t at = 1;

	while (z->names[at])
		at += strlen(z->names + at) + 1;
	memcpy(z->names + at, name, strlen(name) + 1);
	return (Elf64_Word)at;
}

static inline void zebin_test_section(
	struct zebin_test *z, int i, const char *name, Elf64_Word type, size_t offset, size_t size)
{
	z->sections[i].sh_name = zebin_test_name(z, name);
	z->sections[i].sh_type = type;
	z->sections[i].sh_offset = offset;
	z->sections[i].sh_size = size;
}

/* address: of the kernel "gemm", as a debugger's dump has it; "relu" is 512 behind it. */
static inline void zebin_test_make(struct zebin_test *z, uint64_t address)
{
	const size_t text = offsetof(struct zebin_test, text);

	memset(z, 0, sizeof(*z));
	memcpy(z->header.e_ident, ELFMAG "\2\1\1", 7);
	z->header.e_type = 0xff12;
	z->header.e_machine = 205;
	z->header.e_version = 1;
	z->header.e_ehsize = sizeof(z->header);
	z->header.e_shoff = offsetof(struct zebin_test, sections);
	z->header.e_shentsize = sizeof(z->sections[0]);
	z->header.e_shnum = ZEBIN_TEST_SECTIONS;
	z->header.e_shstrndx = 1;
	zebin_test_section(
		z, 1, ".strtab", SHT_STRTAB, offsetof(struct zebin_test, names), sizeof(z->names));
	zebin_test_section(z, 2, ".text.gemm", SHT_PROGBITS, text, 256);
	zebin_test_section(z, 3, ".text.relu", SHT_PROGBITS, text + 256, 128);
	zebin_test_section(
		z, 4, ".text.Intel_Symbol_Table_Void_Program", SHT_PROGBITS, text + 384, 64);
	zebin_test_section(z, 5, ".data.const", SHT_PROGBITS, text + 448, 64);
	zebin_test_section(z, 6, ".symtab", SHT_SYMTAB, offsetof(struct zebin_test, symbols),
		sizeof(z->symbols));
	z->sections[6].sh_link = 1;
	z->sections[6].sh_entsize = sizeof(z->symbols[0]);
	z->sections[2].sh_addr = address;
	z->symbols[1].st_name = zebin_test_name(z, "gemm");
	z->symbols[1].st_shndx = 2;
	z->symbols[2].st_name = zebin_test_name(z, "relu");
	z->symbols[2].st_shndx = 3;
	z->symbols[2].st_value = address ? address + 512 : 0;
}

#endif
