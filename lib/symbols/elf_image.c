/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions has an ELF file, and do they keep frame pointers? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/str.h"
#include "symbols/eh_frame.h"
#include "symbols/elf_file.h"
#include "symbols/elf_image.h"
#include "sys/elf_names.h"

/* Of a function: what is shorter does not tell, and a frame is set up within its first bytes. */
enum { SHORTEST = 16, PROLOGUE = 32 };

struct elf_reading {
	struct elf_image *image;
	Elf *elf;
	int fd;
	size_t max_bytes;
	bool too_many;
	uint32_t stride, turn; /* every so many functions one is looked at */
};

size_t elf_image_bytes(const struct elf_image *image)
{
	return image->n * sizeof(*image->functions) + image->names_len;
}

static bool elf_is_code(const struct elf_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->n_segments; i++)
		if (address - image->segments[i].address < image->segments[i].size)
			return true;
	/* A debug file has none. */
	return !image->n_segments;
}

static void elf_add_function(struct elf_reading *reading, const GElf_Sym *symbol, const char *name)
{
	struct elf_image *image = reading->image;
	const size_t len = strnlen(name, ELF_IMAGE_NAME_MAX);

	if (elf_image_bytes(image) + sizeof(*image->functions) + len + 1 > reading->max_bytes) {
		reading->too_many = true;
		return;
	}
	while (image->names_len + len + 1 > image->names_room) {
		image->names_room = image->names_room ? image->names_room * 2 : 4096;
		image->names = mem_realloc_array(image->names, image->names_room, 1);
	}
	ARRAY_GROW(image->functions, image->n, image->room);
	image->functions[image->n++] =
		(struct elf_function){symbol->st_value, symbol->st_size, image->names_len};
	memcpy(image->names + image->names_len, name, len);
	image->names[image->names_len + len] = 0;
	image->names_len += len + 1;
}

/* A function, or a place in the code that a person named in assembler: "$x" and ".L1" are not. */
static bool elf_is_function(const GElf_Sym *symbol, const char *name)
{
	const unsigned char type = GELF_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || !*name)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
		(type == STT_NOTYPE && symbol->st_shndx < SHN_LORESERVE && *name != '$' &&
			*name != '.');
}

static void elf_read_table(struct elf_reading *reading, Elf_Scn *scn, const GElf_Shdr *header)
{
	struct elf_facts *facts = &reading->image->facts;
	struct elf_names names = {0};
	Elf_Data *data = NULL;
	GElf_Shdr names_header;
	GElf_Sym symbol;

	/* libelf would unpack compressed tables, to any size. */
	if (header->sh_size <= ELF_IMAGE_TABLE_MAX && !(header->sh_flags & SHF_COMPRESSED) &&
		gelf_getshdr(elf_getscn(reading->elf, header->sh_link), &names_header) &&
		names_header.sh_size <= ELF_IMAGE_TABLE_MAX)
		names = elf_names_of(reading->elf, header->sh_link);
	if (names.n)
		data = elf_getdata(scn, NULL);
	for (int i = 0; data && !reading->too_many && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_name_at(names, symbol.st_name);

		if (!elf_is_function(&symbol, name) ||
			!elf_is_code(reading->image, symbol.st_value))
			continue;
		facts->starts_programs |=
			header->sh_type == SHT_DYNSYM && str_same(name, "__libc_start_main");
		elf_add_function(reading, &symbol, name);
	}
}

/* One table of each kind, as there may be: each more would be kept in memory until the end. */
static void elf_read_tables(struct elf_reading *reading)
{
	struct elf_facts *facts = &reading->image->facts;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(reading->elf, scn))) {
		uint8_t *had;

		if (!gelf_getshdr(scn, &header) || !header.sh_size ||
			(header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		had = header.sh_type == SHT_SYMTAB ? &facts->has_symbols : &facts->has_dynamic;
		if (!*had)
			elf_read_table(reading, scn, &header);
		*had = true;
	}
}

static int elf_by_address(const void *a, const void *b, void *arg)
{
	const struct elf_function *left = a, *right = b;
	const char *names = arg;
	size_t left_len, right_len;

	if (left->address != right->address)
		return left->address > right->address ? 1 : -1;
	if (left->size != right->size)
		return left->size < right->size ? 1 : -1;
	left_len = strlen(names + left->name);
	right_len = strlen(names + right->name);
	if (left_len != right_len)
		return left_len > right_len ? 1 : -1;
	return strcmp(names + left->name, names + right->name);
}

/* What is in both tables, or has several names, is there once: the longest, by its shortest name.
 */
static void elf_keep_one_each(struct elf_image *image)
{
	size_t n = 0;

	if (image->n)
		qsort_r(image->functions, image->n, sizeof(*image->functions), elf_by_address,
			image->names);
	for (size_t i = 0; i < image->n; i++)
		if (!n || image->functions[n - 1].address != image->functions[i].address)
			image->functions[n++] = image->functions[i];
	image->n = n;
}

static void elf_read_build_id(struct elf_reading *reading)
{
	struct elf_facts *facts = &reading->image->facts;
	GElf_Shdr header;
	Elf_Scn *scn = elf_file_section(reading->elf, ".note.gnu.build-id", &header);
	Elf_Data *data = scn && header.sh_size < 4096 ? elf_getdata(scn, NULL) : NULL;
	size_t name, bytes;
	GElf_Nhdr note;

	if (!data || !gelf_getnote(data, 0, &note, &name, &bytes) ||
		note.n_type != NT_GNU_BUILD_ID || note.n_descsz > ELF_IMAGE_BUILD_ID_MAX ||
		bytes + note.n_descsz > data->d_size)
		return;
	memcpy(facts->build_id, (const char *)data->d_buf + bytes, note.n_descsz);
	facts->build_id_len = note.n_descsz;
}

static void elf_read_debug_link(struct elf_reading *reading)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_file_section(reading->elf, ".gnu_debuglink", &header);
	const Elf_Data *data = scn && header.sh_size < 4096 ? elf_getdata(scn, NULL) : NULL;
	size_t len;

	if (!data || !data->d_buf)
		return;
	len = strnlen(data->d_buf, data->d_size);
	if (len < ELF_IMAGE_LINK_MAX && len < data->d_size && !memchr(data->d_buf, '/', len))
		memcpy(reading->image->facts.debug_link, data->d_buf, len);
}

/* push %rbp; mov %rsp,%rbp, in either of its two encodings; or stp x29, x30, [sp, …]. */
static bool elf_has_prologue(uint32_t machine, const uint8_t *code, size_t n)
{
	for (size_t i = 0; machine == EM_X86_64 && i + 4 <= n; i++)
		if (code[i] == 0x55 && code[i + 1] == 0x48 &&
			((code[i + 2] == 0x89 && code[i + 3] == 0xe5) ||
				(code[i + 2] == 0x8b && code[i + 3] == 0xec)))
			return true;
	for (size_t i = 0; machine == EM_AARCH64 && i + 4 <= n; i += 4) {
		uint32_t word;

		memcpy(&word, code + i, sizeof(word));
		/* The first mask leaves the offset out; with and without a new stack pointer. */
		if ((word & 0xffc07fff) == 0xa9807bfd || (word & 0xffc07fff) == 0xa9007bfd)
			return true;
	}
	return false;
}

static bool elf_look_at_prologue(void *arg, const struct eh_frame_function *function)
{
	struct elf_reading *reading = arg;
	struct elf_image *image = reading->image;
	uint8_t code[PROLOGUE];

	if (function->size < SHORTEST || reading->turn++ % reading->stride)
		return true;
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct elf_segment *segment = &image->segments[i];
		const uint64_t within = function->address - segment->address;
		const size_t wanted = function->size < PROLOGUE ? (size_t)function->size : PROLOGUE;
		ssize_t n;

		if (within >= segment->size)
			continue;
		n = pread(reading->fd, code, wanted, (off_t)(segment->offset + within));
		if (n < SHORTEST)
			break;
		image->facts.looked++;
		image->facts.with_frame_pointer +=
			elf_has_prologue(image->facts.machine, code, (size_t)n);
		break;
	}
	return true;
}

static bool elf_count_function(void *arg, const struct eh_frame_function *function)
{
	uint32_t *n = arg;

	*n += function->size >= SHORTEST;
	return true;
}

static void elf_read_coverage(struct elf_reading *reading)
{
	const uint32_t machine = reading->image->facts.machine;
	struct eh_frame frames;
	uint32_t n = 0;

	if ((machine != EM_X86_64 && machine != EM_AARCH64) ||
		!elf_file_eh_frame(reading->elf, &frames))
		return;
	eh_frame_each(&frames, elf_count_function, &n);
	reading->stride = n / ELF_IMAGE_COVERAGE_FUNCTIONS + 1;
	eh_frame_each(&frames, elf_look_at_prologue, reading);
}

int elf_image_read(struct elf_image *image, int fd, unsigned int wants, size_t max_bytes)
{
	struct elf_reading reading = {.image = image, .fd = fd, .max_bytes = max_bytes};
	GElf_Ehdr header;
	GElf_Shdr section;

	*image = (struct elf_image){.n = 0};
	reading.elf = elf_file_begin(fd);
	if (!reading.elf || !gelf_getehdr(reading.elf, &header)) {
		elf_end(reading.elf);
		return -ENOEXEC;
	}
	image->facts.machine = header.e_machine;
	image->facts.is_go = elf_file_section(reading.elf, ".go.buildinfo", &section) != NULL;
	elf_file_segments(reading.elf, image);
	elf_read_build_id(&reading);
	elf_read_debug_link(&reading);
	if (wants & ELF_IMAGE_FUNCTIONS)
		elf_read_tables(&reading);
	if (wants & ELF_IMAGE_COVERAGE)
		elf_read_coverage(&reading);
	elf_end(reading.elf);
	if (reading.too_many)
		image->n = image->names_len = 0;
	elf_keep_one_each(image);
	return reading.too_many ? -EFBIG : 0;
}

void elf_image_free(struct elf_image *image)
{
	free(image->functions);
	free(image->names);
	*image = (struct elf_image){.n = 0};
}

bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (offset - segment->offset >= segment->size)
			continue;
		*address = offset - segment->offset + segment->address;
		return true;
	}
	return false;
}

const struct elf_function *elf_image_at(const struct elf_image *image, uint64_t address)
{
	size_t low = 0, high = image->n;
	const struct elf_function *function;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (image->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	function = &image->functions[low - 1];
	return function->size && address - function->address >= function->size ? NULL : function;
}
