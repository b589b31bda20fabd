/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function is at an offset of an ELF file? */
#include "base/banned.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/gpu/functions.h"
#include "base/str.h"

enum { SEGMENTS_MAX = 256 };

struct segment {
	uint64_t address, offset, size;
};

struct reading {
	struct functions *functions;
	size_t max_bytes;
	bool too_many;
	struct segment segments[SEGMENTS_MAX];
	size_t n_segments;
};

/* More sections or segments than 16 bits can count, which no program has, are counted in the first
 * section: libelf takes memory for all of them at once, of a file that may have holes. */
static bool counts_itself(int fd)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (pread(fd, ident, sizeof(ident), 0) != sizeof(ident))
		return false;
	if (ident[EI_CLASS] == ELFCLASS64)
		return pread(fd, &wide, sizeof(wide), 0) == sizeof(wide) &&
			(wide.e_shnum || !wide.e_shoff) && wide.e_phnum != PN_XNUM;
	return pread(fd, &narrow, sizeof(narrow), 0) == sizeof(narrow) &&
		(narrow.e_shnum || !narrow.e_shoff) && narrow.e_phnum != PN_XNUM;
}

static void read_segments(struct reading *reading, Elf *elf)
{
	GElf_Phdr header;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && i < SEGMENTS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
			header.p_flags & PF_X)
			reading->segments[reading->n_segments++] =
				(struct segment){header.p_vaddr, header.p_offset, header.p_filesz};
}

/* Bytes: of the list as much again is in reserve, and a name has malloc()'s own before it. */
static size_t cost_of(const char *name)
{
	return 2 * sizeof(struct function) + strnlen(name, FUNCTION_NAME_MAX) + 1 + 16;
}

/* The segment that has the code at an address, or NULL. */
static const struct segment *segment_of(const struct reading *reading, uint64_t address)
{
	for (size_t i = 0; i < reading->n_segments; i++)
		if (address - reading->segments[i].address < reading->segments[i].size)
			return &reading->segments[i];
	return NULL;
}

static void add_symbol(struct reading *reading, const struct segment *segment,
	const GElf_Sym *symbol, const char *name)
{
	struct functions *functions = reading->functions;
	const size_t bytes = cost_of(name);

	if (bytes > reading->max_bytes - functions->bytes) {
		reading->too_many = true;
		return;
	}
	functions->bytes += bytes;
	ARRAY_GROW(functions->list, functions->n, functions->room);
	functions->list[functions->n++] =
		(struct function){symbol->st_value - segment->address + segment->offset,
			symbol->st_size, mem_strndup(name, FUNCTION_NAME_MAX)};
}

/*
 * The names of a table of symbols, the last of which ends: elf_strptr() looks for that end anew for
 * each, from the end of the table on. Or NULL; libelf would unpack compressed names, to any size.
 */
static const Elf_Data *read_names(Elf *elf, const GElf_Shdr *table)
{
	Elf_Scn *scn = elf_getscn(elf, table->sh_link);
	const Elf_Data *names;
	GElf_Shdr header;

	if (table->sh_size > FUNCTIONS_TABLE_MAX || !gelf_getshdr(scn, &header) ||
		header.sh_type != SHT_STRTAB || header.sh_size > FUNCTIONS_TABLE_MAX ||
		header.sh_flags & SHF_COMPRESSED)
		return NULL;
	names = elf_getdata(scn, NULL);
	if (!names || !names->d_buf || !names->d_size)
		return NULL;
	return ((const char *)names->d_buf)[names->d_size - 1] ? NULL : names;
}

static void read_table(struct reading *reading, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header)
{
	const Elf_Data *names = read_names(elf, header);
	Elf_Data *data = names ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym symbol;

	for (int i = 0; data && !reading->too_many && gelf_getsym(data, i, &symbol); i++) {
		const struct segment *segment;
		const char *name;

		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
			symbol.st_name >= names->d_size)
			continue;
		segment = segment_of(reading, symbol.st_value);
		name = (const char *)names->d_buf + symbol.st_name;
		if (segment && *name)
			add_symbol(reading, segment, &symbol, name);
	}
}

/* One table of each kind, as there may be: each more would be kept in memory until the end. */
static void read_tables(struct reading *reading, Elf *elf)
{
	bool had_all = false, had_dynamic = false;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn))) {
		bool *had;

		if (!gelf_getshdr(scn, &header) ||
			(header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		had = header.sh_type == SHT_SYMTAB ? &had_all : &had_dynamic;
		if (!*had)
			read_table(reading, elf, scn, &header);
		*had = true;
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct function *left = a, *right = b;
	const size_t left_len = strlen(left->name), right_len = strlen(right->name);

	if (left->offset != right->offset)
		return left->offset > right->offset ? 1 : -1;
	if (left->size != right->size)
		return left->size < right->size ? 1 : -1;
	if (left_len != right_len)
		return left_len > right_len ? 1 : -1;
	return strcmp(left->name, right->name);
}

/* What is in both tables, or has several names, is there once: the longest, by its shortest name.
 */
static void keep_one_each(struct functions *functions)
{
	size_t n = 0;

	for (size_t i = 0; i < functions->n; i++) {
		struct function *function = &functions->list[i];

		if (n && functions->list[n - 1].offset == function->offset) {
			functions->bytes -= cost_of(function->name);
			free(function->name);
		} else {
			functions->list[n++] = *function;
		}
	}
	functions->n = n;
}

int functions_read(struct functions *functions, int fd, size_t max_bytes)
{
	struct reading reading = {.functions = functions, .max_bytes = max_bytes};
	struct stat st;
	Elf *elf;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !counts_itself(fd) ||
		elf_version(EV_CURRENT) == EV_NONE)
		return -ENOEXEC;
	/* Read, not mapped: a file that is cut while it is looked at would end us. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -ENOEXEC;
	}
	read_segments(&reading, elf);
	read_tables(&reading, elf);
	elf_end(elf);
	if (reading.too_many) {
		functions_free(functions);
		return -EFBIG;
	}
	if (functions->n)
		qsort(functions->list, functions->n, sizeof(*functions->list), by_offset);
	keep_one_each(functions);
	return 0;
}

const char *functions_at(const struct functions *functions, uint64_t offset)
{
	size_t low = 0, high = functions->n;
	const struct function *function;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (functions->list[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	function = &functions->list[low - 1];
	if (function->size && offset - function->offset >= function->size)
		return NULL;
	return function->name;
}

void functions_free(struct functions *functions)
{
	for (size_t i = 0; i < functions->n; i++)
		free(functions->list[i].name);
	free(functions->list);
	*functions = (struct functions){0};
}
