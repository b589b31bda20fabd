/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kernels are in a file of code for the GPU, and where? */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "str.h"
#include "zebin.h"

#define TEXT ".text."

/* ELF types of zebins (intel/compute-runtime, zebin_elf.h), and the machine of newer ones. */
enum { TYPE_FIRST = 0xff11, TYPE_LAST = 0xff13, MACHINE_INTELGT = 205 };

static bool is_zebin(Elf *elf)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return false;
	return (header.e_type >= TYPE_FIRST && header.e_type <= TYPE_LAST) ||
		header.e_machine == MACHINE_INTELGT;
}

/* What the compiler puts beside the kernels: functions that they share. */
static bool is_kernel(const char *section)
{
	return str_starts(section, TEXT) && section[strlen(TEXT)] &&
		strnlen(section, ZEBIN_NAME_MAX + 1) <= ZEBIN_NAME_MAX &&
		strcmp(section + strlen(TEXT), "Intel_Symbol_Table_Void_Program") != 0;
}

/* The value, other than 0, of that section's symbol of that name; or 0. */
static uint64_t symbol_value(Elf *elf, size_t section, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			const char *found;

			if (symbol.st_shndx != section || !symbol.st_value)
				continue;
			found = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (found && !strcmp(found, name))
				return symbol.st_value;
		}
	}
	return 0;
}

static int add_kernel(struct zebin *zebin, Elf *elf, Elf_Scn *scn, const char *name, size_t n_bytes)
{
	struct zebin_kernel *kernel;
	GElf_Shdr header;

	if (!gelf_getshdr(scn, &header) || header.sh_offset > n_bytes ||
		header.sh_size > n_bytes - header.sh_offset)
		return -EBADMSG;
	kernel = &zebin->kernels[zebin->n++];
	*kernel = (struct zebin_kernel){.name = mem_strdup(name), .offset = header.sh_offset};
	kernel->size = header.sh_size;
	kernel->address =
		header.sh_addr ? header.sh_addr : symbol_value(elf, elf_ndxscn(scn), kernel->name);
	return 0;
}

static int parse(struct zebin *zebin, Elf *elf, size_t n_bytes)
{
	Elf_Scn *scn = NULL;
	size_t names;
	int err = 0;

	if (!is_zebin(elf))
		return -ENOEXEC;
	if (elf_getshdrstrndx(elf, &names))
		return -EBADMSG;
	while (!err && zebin->n < ZEBIN_KERNELS_MAX && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(scn, &header))
			return -EBADMSG;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && header.sh_type == SHT_PROGBITS && is_kernel(name))
			err = add_kernel(zebin, elf, scn, name + strlen(TEXT), n_bytes);
	}
	return err;
}

int zebin_parse(struct zebin *zebin, const void *bytes, size_t n_bytes)
{
	Elf *elf;
	char *copy;
	int err;

	*zebin = (struct zebin){0};
	if (n_bytes < EI_NIDENT || n_bytes > ZEBIN_BYTES_MAX)
		return -ENOEXEC;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOSYS;
	/* libelf may write to what it is given, to turn its bytes round. */
	copy = mem_alloc(n_bytes);
	memcpy(copy, bytes, n_bytes);
	elf = elf_memory(copy, n_bytes);
	zebin->kernels = mem_realloc_array(NULL, ZEBIN_KERNELS_MAX, sizeof(*zebin->kernels));
	err = elf ? parse(zebin, elf, n_bytes) : -ENOEXEC;
	if (elf)
		elf_end(elf);
	free(copy);
	if (err)
		zebin_free(zebin);
	return err;
}

int zebin_read(struct zebin *zebin, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	struct stat st;
	size_t have = 0;
	char *bytes = NULL;

	*zebin = (struct zebin){0};
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -ENOEXEC;
	else if (st.st_size > ZEBIN_BYTES_MAX)
		err = -EFBIG;
	else
		bytes = mem_alloc((size_t)st.st_size);
	while (bytes && !err && have < (size_t)st.st_size) {
		const ssize_t n = read(fd, bytes + have, (size_t)st.st_size - have);

		if (n < 0 && errno != EINTR)
			err = -errno;
		if (!n)
			break;
		have += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (!err)
		err = zebin_parse(zebin, bytes, have);
	free(bytes);
	return err;
}

void zebin_free(struct zebin *zebin)
{
	for (size_t i = 0; i < zebin->n; i++)
		free(zebin->kernels[i].name);
	free(zebin->kernels);
	*zebin = (struct zebin){0};
}
