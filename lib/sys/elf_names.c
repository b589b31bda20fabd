/* SPDX-License-Identifier: GPL-2.0-only */
/* Which name stands there in a table of an ELF file? */
#include "base/banned.h"

#include "sys/elf_names.h"

struct elf_names elf_names_of(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	const Elf_Data *data;
	GElf_Shdr header;

	/* libelf would unpack compressed names, to any size. */
	if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_STRTAB ||
		header.sh_flags & SHF_COMPRESSED)
		return (struct elf_names){0};
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size || ((const char *)data->d_buf)[data->d_size - 1])
		return (struct elf_names){0};
	return (struct elf_names){data->d_buf, data->d_size};
}

const char *elf_name_at(struct elf_names names, size_t offset)
{
	return offset < names.n ? names.bytes + offset : "";
}
