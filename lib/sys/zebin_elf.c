/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kernels are in a file of code for the GPU, and where? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/elf_names.h"
#include "sys/zebin_elf.h"
#include "sys/zebin_lines.h"

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

struct parsing {
	struct zebin *zebin;
	Elf *elf;
	size_t n_bytes;
	size_t sections[ZEBIN_KERNELS_MAX]; /* of the kernels; ascending */
};

static struct zebin_kernel *kernel_of(const struct parsing *parsing, size_t section)
{
	size_t low = 0, high = parsing->zebin->n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (parsing->sections[middle] == section)
			return &parsing->zebin->kernels[middle];
		if (parsing->sections[middle] < section)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* A kernel whose section has no address may have a symbol of its name that has one. */
static void take_symbols(const struct parsing *parsing, Elf_Scn *scn, size_t names_section)
{
	const struct elf_names names = elf_names_of(parsing->elf, names_section);
	Elf_Data *data = names.n ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		struct zebin_kernel *kernel = kernel_of(parsing, symbol.st_shndx);

		if (kernel && !kernel->address &&
			!strcmp(elf_name_at(names, symbol.st_name), kernel->name))
			kernel->address = symbol.st_value;
	}
}

static int zebin_add_kernel(
	struct parsing *parsing, Elf_Scn *scn, const GElf_Shdr *header, const char *name)
{
	struct zebin *zebin = parsing->zebin;

	if (header->sh_offset > parsing->n_bytes ||
		header->sh_size > parsing->n_bytes - header->sh_offset)
		return -EBADMSG;
	parsing->sections[zebin->n] = elf_ndxscn(scn);
	zebin->kernels[zebin->n++] = (struct zebin_kernel){.name = mem_strdup(name),
		.offset = header->sh_offset,
		.size = header->sh_size,
		.address = header->sh_addr};
	return 0;
}

static int zebin_parse_sections(struct parsing *parsing)
{
	Elf_Scn *scn = NULL, *symbols = NULL;
	size_t section, symbol_names = 0;
	GElf_Shdr header;
	struct elf_names names;
	int err = 0;

	if (!is_zebin(parsing->elf))
		return -ENOEXEC;
	if (elf_getshdrstrndx(parsing->elf, &section))
		return -EBADMSG;
	names = elf_names_of(parsing->elf, section);
	while (!err && parsing->zebin->n < ZEBIN_KERNELS_MAX &&
		(scn = elf_nextscn(parsing->elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &header))
			return -EBADMSG;
		name = elf_name_at(names, header.sh_name);
		if (header.sh_type == SHT_PROGBITS && is_kernel(name))
			err = zebin_add_kernel(parsing, scn, &header, name + strlen(TEXT));
		/* A file has one such table: more than that would only take time. */
		if (header.sh_type == SHT_SYMTAB && !symbols) {
			symbols = scn;
			symbol_names = header.sh_link;
		}
	}
	if (!err && symbols)
		take_symbols(parsing, symbols, symbol_names);
	if (!err)
		zebin_lines_take(parsing->zebin, parsing->elf, parsing->sections);
	return err;
}

int zebin_parse(struct zebin *zebin, const void *bytes, size_t n_bytes)
{
	struct parsing parsing = {.zebin = zebin, .n_bytes = n_bytes};
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
	parsing.elf = elf_memory(copy, n_bytes);
	zebin->kernels = mem_realloc_array(NULL, ZEBIN_KERNELS_MAX, sizeof(*zebin->kernels));
	err = parsing.elf ? zebin_parse_sections(&parsing) : -ENOEXEC;
	if (parsing.elf)
		elf_end(parsing.elf);
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

const struct zebin_line *zebin_line_at(const struct zebin_kernel *kernel, uint64_t offset)
{
	size_t low = 0, high = kernel->n_lines;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (kernel->lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && kernel->lines[low - 1].line ? &kernel->lines[low - 1] : NULL;
}

void zebin_free(struct zebin *zebin)
{
	for (size_t i = 0; i < zebin->n; i++) {
		free(zebin->kernels[i].name);
		free(zebin->kernels[i].lines);
	}
	for (size_t i = 0; i < zebin->n_files; i++)
		free(zebin->files[i]);
	free(zebin->files);
	free(zebin->kernels);
	*zebin = (struct zebin){0};
}
