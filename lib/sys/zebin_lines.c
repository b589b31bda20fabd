/* SPDX-License-Identifier: GPL-2.0-only */
/* Which source line is an instruction of a zebin's kernel of? */
#include "base/banned.h"

#include "base/str.h"
#include "sys/dwarf_lines.h"
#include "sys/elf_names.h"
#include "sys/zebin_lines.h"

enum { RELOCATIONS_MAX = 1 << 20, FILES_MAX = 65536 };

/* What a relocation puts somewhere in .debug_line: a place in a section. */
struct relocation {
	uint64_t at;
	size_t section;
	uint64_t value;
	bool adds; /* to what stands there */
};

struct zebin_lines {
	struct zebin *zebin;
	Elf *elf;
	const size_t *sections;
	size_t line_section;
	struct dwarf_sections dwarf;
	struct relocation *relocations;
	size_t n, room;
	size_t *rooms;	   /* of each kernel's lines */
	uint64_t sequence; /* of the row before: where its address stands */
	struct zebin_kernel *kernel;
	uint64_t base; /* the sequence's first address, and where that is in the kernel */
	uint64_t offset;
};

static struct dwarf_bytes lines_bytes(Elf_Scn *scn, const GElf_Shdr *header)
{
	const Elf_Data *data;

	if (header->sh_type == SHT_NOBITS || header->sh_flags & SHF_COMPRESSED)
		return (struct dwarf_bytes){0};
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return (struct dwarf_bytes){0};
	return (struct dwarf_bytes){data->d_buf, data->d_size};
}

static void lines_add_relocations(struct zebin_lines *lines, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Scn *symbols = elf_getscn(lines->elf, header->sh_link);
	Elf_Data *symbol_data = symbols ? elf_getdata(symbols, NULL) : NULL;
	Elf_Data *data = symbol_data ? elf_getdata(scn, NULL) : NULL;

	for (int i = 0; data && lines->n < RELOCATIONS_MAX; i++) {
		GElf_Rela rela = {0};
		GElf_Rel rel;
		GElf_Sym symbol;

		if (header->sh_type == SHT_RELA) {
			if (!gelf_getrela(data, i, &rela))
				break;
		} else {
			if (!gelf_getrel(data, i, &rel))
				break;
			rela.r_offset = rel.r_offset;
			rela.r_info = rel.r_info;
		}
		if (GELF_R_SYM(rela.r_info) > INT32_MAX ||
			!gelf_getsym(symbol_data, (int)GELF_R_SYM(rela.r_info), &symbol))
			continue;
		ARRAY_GROW(lines->relocations, lines->n, lines->room);
		lines->relocations[lines->n++] = (struct relocation){rela.r_offset, symbol.st_shndx,
			symbol.st_value + (uint64_t)rela.r_addend, header->sh_type == SHT_REL};
	}
}

static int lines_by_place(const void *a, const void *b)
{
	const struct relocation *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void lines_find_sections(struct zebin_lines *lines)
{
	struct elf_names names;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t section;

	if (elf_getshdrstrndx(lines->elf, &section))
		return;
	names = elf_names_of(lines->elf, section);
	while ((scn = elf_nextscn(lines->elf, scn)) && gelf_getshdr(scn, &header)) {
		const char *name = elf_name_at(names, header.sh_name);

		if (!strcmp(name, ".debug_line") && !lines->dwarf.line.n) {
			lines->dwarf.line = lines_bytes(scn, &header);
			lines->line_section = elf_ndxscn(scn);
		} else if (!strcmp(name, ".debug_line_str")) {
			lines->dwarf.line_strings = lines_bytes(scn, &header);
		} else if (!strcmp(name, ".debug_str")) {
			lines->dwarf.strings = lines_bytes(scn, &header);
		}
	}
	scn = NULL;
	while (lines->dwarf.line.n && (scn = elf_nextscn(lines->elf, scn)) &&
		gelf_getshdr(scn, &header))
		if ((header.sh_type == SHT_RELA || header.sh_type == SHT_REL) &&
			header.sh_info == lines->line_section && !lines->n)
			lines_add_relocations(lines, scn, &header);
	if (lines->n)
		qsort(lines->relocations, lines->n, sizeof(*lines->relocations), lines_by_place);
}

static struct zebin_kernel *lines_kernel_at(const struct zebin_lines *lines, uint64_t address)
{
	for (size_t i = 0; i < lines->zebin->n; i++) {
		struct zebin_kernel *kernel = &lines->zebin->kernels[i];

		if (kernel->address && address >= kernel->address &&
			address - kernel->address < kernel->size)
			return kernel;
	}
	return NULL;
}

static const struct relocation *lines_relocation(const struct zebin_lines *lines, size_t at)
{
	const struct relocation wanted = {.at = at};

	return lines->n
		? bsearch(&wanted, lines->relocations, lines->n, sizeof(wanted), lines_by_place)
		: NULL;
}

static uint64_t lines_relocated(void *arg, size_t at, uint64_t value)
{
	const struct relocation *found = lines_relocation(arg, at);

	return !found ? value : found->adds ? value + found->value : found->value;
}

/* Of which kernel the sequence is whose address stands there, and where in it that is. */
static void lines_begin(struct zebin_lines *lines, const struct dwarf_row *row)
{
	const struct relocation *found = lines_relocation(lines, row->address_at);

	lines->sequence = row->address_at;
	lines->base = row->base;
	lines->kernel = NULL;
	lines->offset = 0;
	for (size_t i = 0; found && i < lines->zebin->n; i++)
		if (lines->sections[i] == found->section) {
			lines->kernel = &lines->zebin->kernels[i];
			lines->offset = found->value + (found->adds ? row->base : 0);
		}
	if (!found) {
		lines->kernel = lines_kernel_at(lines, row->base);
		if (lines->kernel)
			lines->offset = row->base - lines->kernel->address;
	}
	if (!lines->kernel && !found && lines->zebin->n == 1) {
		lines->kernel = &lines->zebin->kernels[0];
		lines->offset = row->base;
	}
	/* A symbol of a dump has the address of the GPU. */
	if (lines->kernel && lines->kernel->address && lines->offset >= lines->kernel->address)
		lines->offset -= lines->kernel->address;
}

/* The text once, for all of the zebin's lines: rows next to each other are of one file. */
static const char *lines_file(struct zebin *zebin, const char *file)
{
	for (size_t i = zebin->n_files; i-- > 0 && zebin->n_files - i < 16;)
		if (!strcmp(zebin->files[i], file))
			return zebin->files[i];
	if (zebin->n_files == FILES_MAX)
		return "";
	ARRAY_GROW(zebin->files, zebin->n_files, zebin->files_room);
	zebin->files[zebin->n_files] = mem_strndup(file, ZEBIN_NAME_MAX);
	return zebin->files[zebin->n_files++];
}

static void lines_take_row(void *arg, const struct dwarf_row *row)
{
	struct zebin_lines *lines = arg;
	struct zebin_kernel *kernel;
	size_t which;

	if (lines->sequence != row->address_at)
		lines_begin(lines, row);
	kernel = lines->kernel;
	if (!kernel || row->address_at == SIZE_MAX)
		return;
	which = (size_t)(kernel - lines->zebin->kernels);
	ARRAY_GROW(kernel->lines, kernel->n_lines, lines->rooms[which]);
	kernel->lines[kernel->n_lines] =
		(struct zebin_line){.offset = lines->offset + (row->address - lines->base),
			.line = row->ends ? 0 : row->line,
			.order = (uint32_t)kernel->n_lines,
			.file = lines_file(lines->zebin, row->file)};
	kernel->n_lines++;
}

static int lines_by_offset(const void *a, const void *b)
{
	const struct zebin_line *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* The end of one sequence may be the beginning of the next. */
	if (!x->line != !y->line)
		return x->line ? 1 : -1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void zebin_lines_take(struct zebin *zebin, Elf *elf, const size_t *sections)
{
	struct zebin_lines lines = {
		.zebin = zebin, .elf = elf, .sections = sections, .sequence = SIZE_MAX};

	lines_find_sections(&lines);
	lines.dwarf.relocated = lines_relocated;
	lines.dwarf.relocated_arg = &lines;
	if (lines.dwarf.line.n && zebin->n) {
		lines.rooms = mem_zalloc(zebin->n * sizeof(*lines.rooms));
		dwarf_lines_read(&lines.dwarf, lines_take_row, &lines);
		for (size_t i = 0; i < zebin->n; i++)
			if (zebin->kernels[i].n_lines)
				qsort(zebin->kernels[i].lines, zebin->kernels[i].n_lines,
					sizeof(struct zebin_line), lines_by_offset);
		free(lines.rooms);
	}
	free(lines.relocations);
}
