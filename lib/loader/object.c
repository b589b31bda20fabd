/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in a BPF object file, and how is it fitted to this kernel? */
#include "base/banned.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "loader/object.h"
#include "loader/relocate.h"

#ifndef EM_BPF
#define EM_BPF 247
#endif
#define OBJECT_TEXT ".text"

/* The parts of the file while it is taken apart. */
struct object_file {
	struct object *object;
	const Elf64_Shdr *sections;
	unsigned int n;
	const Elf64_Sym *symbols;
	size_t n_symbols;
	const char *names; /* of symbols */
	struct types types;
};

static const Elf64_Shdr *object_section(const struct object_file *file, unsigned int i)
{
	return i < file->n ? &file->sections[i] : NULL;
}

static void *object_bytes(const struct object_file *file, const Elf64_Shdr *section)
{
	return file->object->bytes + section->sh_offset;
}

static const char *object_section_name(const struct object_file *file, const Elf64_Shdr *section)
{
	const Elf64_Ehdr *head = (const void *)file->object->bytes;

	return (const char *)object_bytes(file, &file->sections[head->e_shstrndx]) +
		section->sh_name;
}

static const Elf64_Shdr *object_find(const struct object_file *file, const char *name)
{
	unsigned int i;

	for (i = 1; i < file->n; i++)
		if (!strcmp(object_section_name(file, &file->sections[i]), name))
			return &file->sections[i];
	return NULL;
}

/* All sections, and that each lies in the file: from then on they are believed, for this program
 * brought them. */
static int object_take_sections(struct object_file *file)
{
	const Elf64_Ehdr *head = (const void *)file->object->bytes;
	size_t size = file->object->size;
	const Elf64_Shdr *section;
	unsigned int i;

	if (size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
		head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_BPF ||
		head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff > size ||
		head->e_shnum > (size - head->e_shoff) / sizeof(Elf64_Shdr) ||
		head->e_shstrndx >= head->e_shnum)
		return -EINVAL;
	file->sections = (const void *)(file->object->bytes + head->e_shoff);
	file->n = head->e_shnum;
	for (i = 1; i < file->n; i++) {
		section = &file->sections[i];
		if (section->sh_type != SHT_NOBITS &&
			(section->sh_offset > size || section->sh_size > size - section->sh_offset))
			return -EINVAL;
		if (section->sh_type != SHT_SYMTAB || section->sh_link >= file->n)
			continue;
		file->symbols = object_bytes(file, section);
		file->n_symbols = section->sh_size / sizeof(*file->symbols);
		file->names = object_bytes(file, &file->sections[section->sh_link]);
	}
	return file->symbols ? 0 : -EINVAL;
}

static struct object_map *object_new_map(struct object *object)
{
	if (object->n_maps == OBJECT_MAPS)
		return NULL;
	object->maps[object->n_maps] = (struct object_map){.fd = -1};
	return &object->maps[object->n_maps++];
}

/* The number that a macro of bpf_helpers.h put into a type, as the length of an array. */
static __u32 object_number(const struct types *types, __u32 id)
{
	const struct btf_type *type = types_at(types, types_bare(types, id));

	if (type && btf_is_ptr(type))
		type = types_at(types, types_bare(types, type->type));
	return type && btf_is_array(type) ? btf_array(type)->nelems : 0;
}

static __u32 object_size_behind(const struct types *types, __u32 pointer)
{
	const struct btf_type *type = types_at(types, types_bare(types, pointer));

	return type && btf_is_ptr(type) ? types_size(types, type->type) : 0;
}

/* A map as SEC(".maps") declares it: a variable whose type's members say what it is. */
static int object_declare_map(const struct object_file *file, struct object_map *map)
{
	const struct types *types = &file->types;
	const struct btf_type *var = NULL, *type;
	__u32 i;

	for (i = 1; i <= types->n && !var; i++) {
		type = types_at(types, i);
		if (btf_is_var(type) && !strcmp(types_name(types, type->name_off), map->name))
			var = type;
	}
	type = var ? types_at(types, types_bare(types, var->type)) : NULL;

	if (!type || !btf_is_struct(type))
		return -EINVAL;
	for (i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];
		const char *name = types_name(types, member->name_off);

		if (!strcmp(name, "type"))
			map->type = object_number(types, member->type);
		else if (!strcmp(name, "max_entries"))
			map->max_entries = object_number(types, member->type);
		else if (!strcmp(name, "map_flags"))
			map->flags = object_number(types, member->type);
		else if (!strcmp(name, "key"))
			map->key_size = object_size_behind(types, member->type);
		else if (!strcmp(name, "value"))
			map->value_size = object_size_behind(types, member->type);
		else
			return -ENOTSUP;
	}
	return 0;
}

static int object_take_map(const struct object_file *file, const Elf64_Sym *symbol)
{
	struct object_map *map = object_new_map(file->object);

	if (!map)
		return -ENOTSUP;
	map->name = file->names + symbol->st_name;
	map->section = symbol->st_shndx;
	map->offset = (unsigned int)symbol->st_value;
	return object_declare_map(file, map);
}

static bool object_has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Globals are an array of one element: what may change is mapped, what may not is frozen. */
static int object_take_globals(
	const struct object_file *file, unsigned int number, const char *name)
{
	const Elf64_Shdr *section = &file->sections[number];
	struct object_map *map;
	bool constant = object_has_prefix(name, ".rodata");

	if (!section->sh_size)
		return 0;
	map = object_new_map(file->object);
	if (!map)
		return -ENOTSUP;
	map->name = name;
	map->section = number;
	map->type = BPF_MAP_TYPE_ARRAY;
	map->key_size = sizeof(__u32);
	map->value_size = (unsigned int)section->sh_size;
	map->max_entries = 1;
	map->flags = constant ? BPF_F_RDONLY_PROG : BPF_F_MMAPABLE;
	map->globals = mem_zalloc(section->sh_size);
	if (section->sh_type != SHT_NOBITS)
		memcpy(map->globals, object_bytes(file, section), section->sh_size);
	return 0;
}

static bool object_is_globals(const char *name)
{
	return object_has_prefix(name, ".rodata") || object_has_prefix(name, ".data") ||
		object_has_prefix(name, ".bss");
}

static int object_take_program(const struct object_file *file, const Elf64_Sym *symbol)
{
	const Elf64_Shdr *section = object_section(file, symbol->st_shndx);
	struct object *object = file->object;
	struct object_program *program = &object->programs[object->n_programs];

	if (object->n_programs == OBJECT_PROGRAMS || symbol->st_value > section->sh_size ||
		symbol->st_size > section->sh_size - symbol->st_value)
		return -ENOTSUP;
	program->name = file->names + symbol->st_name;
	program->section = object_section_name(file, section);
	program->insns = (void *)((char *)object_bytes(file, section) + symbol->st_value);
	program->n = symbol->st_size / sizeof(struct bpf_insn);
	program->fd = -1;
	object->n_programs++;
	return 0;
}

/* Functions are kept in the order in which they stand. */
static int object_take_function(struct object *object, const Elf64_Sym *symbol)
{
	unsigned int start = (unsigned int)(symbol->st_value / sizeof(struct bpf_insn));
	size_t i = object->n_starts;

	/* The types of what others may call are told to the kernel, which believes them. */
	if (i == OBJECT_FUNCTIONS || ELF64_ST_BIND(symbol->st_info) != STB_LOCAL)
		return -ENOTSUP;
	for (; i && object->starts[i - 1] > start; i--)
		object->starts[i] = object->starts[i - 1];
	object->starts[i] = start;
	object->n_starts++;
	return 0;
}

/* Programs in the order of their sections, as libbpf has them. */
static int object_take_section(const struct object_file *file, unsigned int number)
{
	const Elf64_Shdr *section = &file->sections[number];
	const char *name = object_section_name(file, section);
	bool maps = !strcmp(name, ".maps"), code = section->sh_flags & SHF_EXECINSTR;
	size_t i;
	int err = 0;

	if (section->sh_type != SHT_NOBITS && section->sh_type != SHT_PROGBITS)
		return 0;
	if (!strcmp(name, "license"))
		file->object->license = object_bytes(file, section);
	if (object_is_globals(name))
		return object_take_globals(file, number, name);
	if (!strcmp(name, OBJECT_TEXT)) {
		file->object->functions = object_bytes(file, section);
		file->object->functions_n = section->sh_size / sizeof(struct bpf_insn);
	}
	for (i = 0; (maps || code) && !err && i < file->n_symbols; i++) {
		const Elf64_Sym *symbol = &file->symbols[i];

		if (symbol->st_shndx != number)
			continue;
		if (maps && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT)
			err = object_take_map(file, symbol);
		else if (code && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
			err = !strcmp(name, OBJECT_TEXT)
				? object_take_function(file->object, symbol)
				: object_take_program(file, symbol);
	}
	return err;
}

static struct object_map *object_map_at(
	struct object *object, unsigned int section, unsigned int offset)
{
	size_t i;

	for (i = 0; i < object->n_maps; i++)
		if (object->maps[i].section == section &&
			(object->maps[i].globals || object->maps[i].offset == offset))
			return &object->maps[i];
	return NULL;
}

/* An instruction that names a map has its number until there is a descriptor, and one that names a
 * function the place of that among all. */
static int object_point(
	const struct object_file *file, const Elf64_Rel *relocation, struct bpf_insn *insns)
{
	struct bpf_insn *insn = insns + relocation->r_offset / sizeof(*insns);
	size_t number = ELF64_R_SYM(relocation->r_info);
	const Elf64_Sym *symbol;
	struct object_map *map;

	if (number >= file->n_symbols || file->symbols[number].st_shndx >= file->n)
		return -EINVAL;
	symbol = &file->symbols[number];
	/* Else it calls a function. */
	if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
		return -ENOTSUP;
	map = object_map_at(file->object, symbol->st_shndx, (unsigned int)symbol->st_value);
	if (!map &&
		object_bytes(file, &file->sections[symbol->st_shndx]) !=
			(void *)file->object->functions)
		return -ENOTSUP;
	if (!map) {
		insn[0].src_reg = BPF_PSEUDO_FUNC;
		insn[0].imm = (__s32)(((__u64)insn[0].imm + symbol->st_value) / sizeof(*insn));
		return 0;
	}
	insn[0].src_reg = BPF_PSEUDO_MAP_FD;
	if (map->globals) {
		insn[0].src_reg = BPF_PSEUDO_MAP_VALUE;
		insn[1].imm = insn[0].imm + (__s32)symbol->st_value;
	}
	insn[0].imm = (__s32)(map - file->object->maps);
	return 0;
}

static int object_point_all(const struct object_file *file)
{
	unsigned int i;

	for (i = 1; i < file->n; i++) {
		const Elf64_Shdr *section = &file->sections[i], *code;
		const Elf64_Rel *relocations = object_bytes(file, section);
		size_t n = section->sh_size / sizeof(*relocations), j;
		int err;

		code = section->sh_type == SHT_REL ? object_section(file, section->sh_info) : NULL;
		if (!code || !(code->sh_flags & SHF_EXECINSTR))
			continue;
		for (j = 0; j < n; j++) {
			if (relocations[j].r_offset + 2 * sizeof(struct bpf_insn) > code->sh_size)
				return -EINVAL;
			err = object_point(file, &relocations[j], object_bytes(file, code));
			if (err)
				return err;
		}
	}
	return 0;
}

struct object_ext_part {
	__u32 section; /* its name */
	__u32 n;       /* records behind this */
};

/* The records of one section: what they are of, and then one behind the other. Returns how many
 * bytes that was, or -errno. */
static long object_fit_section(const struct object_file *file, const struct types *kernel,
	const char *at, size_t left, size_t record_size)
{
	const struct object_ext_part *head = (const void *)at;
	const Elf64_Shdr *code;
	struct bpf_insn *insns;
	size_t i;

	if (left < sizeof(*head) || record_size < sizeof(struct bpf_core_relo) ||
		(left - sizeof(*head)) / record_size < head->n)
		return -EINVAL;
	code = object_find(file, types_name(&file->types, head->section));
	if (!code)
		return -EINVAL;
	insns = object_bytes(file, code);
	for (i = 0; i < head->n; i++) {
		const struct bpf_core_relo *record =
			(const void *)(at + sizeof(*head) + i * record_size);
		int err = record->insn_off >= code->sh_size
			? -EINVAL
			: relocate(&file->types, kernel, record,
				  insns + record->insn_off / sizeof(*insns));

		if (err)
			return err;
	}
	return (long)(sizeof(*head) + head->n * record_size);
}

/* The head of the section .BTF.ext, as far as its records for CO-RE. */
struct object_ext {
	__u16 magic;
	__u8 version, flags;
	__u32 header_len, functions, functions_len, lines, lines_len, records, records_len;
};

static int object_fit_all(const struct object_file *file, const Elf64_Shdr *section)
{
	const struct object_ext *ext = object_bytes(file, section);
	const struct types *kernel;
	const char *at, *end;
	size_t record_size;

	if (section->sh_size < sizeof(*ext) || ext->header_len > section->sh_size ||
		ext->records > section->sh_size - ext->header_len ||
		ext->records_len > section->sh_size - ext->header_len - ext->records)
		return -EINVAL;
	if (ext->records_len < sizeof(__u32))
		return 0;
	kernel = types_of_kernel();
	if (!kernel)
		return -ENOTSUP;
	at = (const char *)ext + ext->header_len + ext->records;
	end = at + ext->records_len;
	record_size = *(const __u32 *)(const void *)at;
	for (at += sizeof(__u32); at < end;) {
		long n = object_fit_section(file, kernel, at, (size_t)(end - at), record_size);

		if (n < 0)
			return (int)n;
		at += n;
	}
	return 0;
}

/* The sections, and the types that the object has of itself. */
static int object_begin(struct object_file *file, struct object *object)
{
	const Elf64_Shdr *btf;
	int err;

	*file = (struct object_file){.object = object};
	err = object_take_sections(file);
	if (err)
		return err;
	btf = object_find(file, ".BTF");
	return btf ? types_take(&file->types, object_bytes(file, btf), btf->sh_size, false)
		   : -ENOTSUP;
}

int object_fit(struct object *object)
{
	struct object_file file;
	const Elf64_Shdr *section;
	int err = object_begin(&file, object);

	section = err ? NULL : object_find(&file, ".BTF.ext");
	if (section)
		err = object_fit_all(&file, section);
	types_free(&file.types);
	return err;
}

int object_open(struct object *object, const void *bytes, size_t size)
{
	struct object_file file;
	unsigned int i;
	int err;

	*object = (struct object){.bytes = mem_alloc(size), .size = size, .license = ""};
	memcpy(object->bytes, bytes, size);
	err = object_begin(&file, object);
	for (i = 1; !err && i < file.n; i++)
		err = object_take_section(&file, i);
	if (!err)
		err = object_point_all(&file);
	types_free(&file.types);
	return err;
}

static void object_free_map(struct object_map *map)
{
	if (map->is_mapped)
		munmap(map->globals, map->value_size);
	else
		free(map->globals);
	if (map->fd >= 0)
		close(map->fd);
}

void object_close(struct object *object)
{
	size_t i;

	for (i = 0; i < object->n_programs; i++)
		if (object->programs[i].fd >= 0)
			close(object->programs[i].fd);
	for (i = 0; i < object->n_maps; i++)
		object_free_map(&object->maps[i]);
	free(object->bytes);
	*object = (struct object){0};
}

struct object_map *object_map(struct object *object, const char *name)
{
	size_t i;

	for (i = 0; i < object->n_maps; i++)
		if (!strcmp(object->maps[i].name, name))
			return &object->maps[i];
	return NULL;
}
