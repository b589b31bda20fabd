/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this an ELF file that can be looked at, and where are its parts? */
#include "base/banned.h"

#include <sys/stat.h>
#include <unistd.h>

#include "symbols/eh_frame.h"
#include "symbols/elf_file.h"
#include "symbols/elf_image.h"
#include "sys/elf_names.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER ELFDATA2LSB
#else
#define OUR_ORDER ELFDATA2MSB
#endif

/* More sections or segments than 16 bits can count, which no program has, are counted in the first
 * section: libelf takes memory for all of them at once, of a file that may have holes. */
static bool elf_file_counts(int fd)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (pread(fd, ident, sizeof(ident), 0) != sizeof(ident) || ident[EI_DATA] != OUR_ORDER)
		return false;
	if (ident[EI_CLASS] == ELFCLASS64)
		return pread(fd, &wide, sizeof(wide), 0) == sizeof(wide) &&
			(wide.e_shnum || !wide.e_shoff) && wide.e_phnum != PN_XNUM;
	return pread(fd, &narrow, sizeof(narrow), 0) == sizeof(narrow) &&
		(narrow.e_shnum || !narrow.e_shoff) && narrow.e_phnum != PN_XNUM;
}

Elf *elf_file_begin(int fd)
{
	struct stat st;
	Elf *elf;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !elf_file_counts(fd) ||
		elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	/* Read, not mapped: a file that is cut while it is looked at would end us. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

Elf_Scn *elf_file_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	struct elf_names names;
	Elf_Scn *scn = NULL;
	size_t index;

	if (elf_getshdrstrndx(elf, &index) || !gelf_getshdr(elf_getscn(elf, index), header) ||
		header->sh_size > ELF_IMAGE_TABLE_MAX)
		return NULL;
	names = elf_names_of(elf, index);
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, header) && !strcmp(elf_name_at(names, header->sh_name), name))
			return scn;
	return NULL;
}

bool elf_file_eh_frame(Elf *elf, struct eh_frame *frames)
{
	const Elf_Data *data;
	GElf_Shdr header;
	Elf_Scn *scn = elf_file_section(elf, ".eh_frame", &header);

	/* A debug file has the section, and no bytes of it. */
	if (!scn || header.sh_type == SHT_NOBITS || header.sh_flags & SHF_COMPRESSED ||
		header.sh_size > ELF_IMAGE_TABLE_MAX)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return false;
	*frames = (struct eh_frame){.bytes = data->d_buf,
		.len = data->d_size,
		.address = header.sh_addr,
		.narrow = gelf_getclass(elf) == ELFCLASS32};
	return true;
}

void elf_file_segments(Elf *elf, struct elf_image *image)
{
	GElf_Phdr header;
	size_t n;

	/* A debug file has its segments without their bytes. */
	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && image->n_segments < ELF_IMAGE_SEGMENTS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
			header.p_flags & PF_X && header.p_filesz)
			image->segments[image->n_segments++] = (struct elf_segment){
				header.p_vaddr, header.p_offset, header.p_filesz};
}
