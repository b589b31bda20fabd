/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the names of functions in files of others take no more memory than they are allowed to? */
#include "base/banned.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "tap.h"
#include "tools/gpu/functions.h"
#include "tools/gpu/functions_apart.h"

enum { CODE = 4096, MANY = 100000 };

struct wanted {
	size_t symbols, places; /* so many functions at so many places */
	size_t name_len;	/* of the one name that all have */
	unsigned int tables;	/* as often is the table there */
	bool counts_itself;	/* the header says how many sections there are */
	bool unended;		/* so does the name, but not what is behind it in the table */
};

static Elf64_Shdr section(uint32_t type, size_t offset, size_t size, uint32_t link)
{
	return (Elf64_Shdr){.sh_type = type,
		.sh_offset = offset,
		.sh_size = size,
		.sh_link = link,
		.sh_addralign = 8,
		.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0};
}

static void add_symbols(struct str *file, const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->symbols; i++) {
		const Elf64_Sym symbol = {.st_name = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = CODE + i % wanted->places,
			.st_size = 1};

		str_addn(file, &symbol, sizeof(symbol));
	}
}

/* Header, segment, symbols, the name, and the sections: none, the name's, and the tables. */
static void make(struct str *file, const struct wanted *wanted)
{
	const size_t symbols = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
	const size_t names = symbols + wanted->symbols * sizeof(Elf64_Sym);
	const size_t names_len = (wanted->name_len + 2 + 7) / 8 * 8;
	const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = names + names_len,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(wanted->counts_itself ? 2 + wanted->tables : 0)};
	const Elf64_Phdr code = {.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = CODE,
		.p_filesz = CODE,
		.p_memsz = CODE};
	Elf64_Shdr each = section(SHT_NULL, 0, 2 + wanted->tables, 0);
	char *name = mem_zalloc(names_len);

	memset(name + 1, 'a', wanted->name_len);
	if (wanted->unended)
		memset(name + 2 + wanted->name_len, 'b', names_len - 2 - wanted->name_len);
	str_addn(file, &header, sizeof(header));
	str_addn(file, &code, sizeof(code));
	add_symbols(file, wanted);
	str_addn(file, name, names_len);
	str_addn(file, &each, sizeof(each));
	each = section(SHT_STRTAB, names, names_len, 0);
	str_addn(file, &each, sizeof(each));
	each = section(SHT_SYMTAB, symbols, wanted->symbols * sizeof(Elf64_Sym), 1);
	for (unsigned int i = 0; i < wanted->tables; i++)
		str_addn(file, &each, sizeof(each));
	free(name);
}

typedef int functions_reader(struct functions *functions, int fd, size_t max_bytes);

static int read_made_by(functions_reader *reader, struct functions *functions,
	const struct wanted *wanted, size_t max_bytes)
{
	const int fd = memfd_create("functions", MFD_CLOEXEC);
	struct str file = STR_INIT;
	int err;

	make(&file, wanted);
	if (fd < 0 || write(fd, file.text, file.len) != (ssize_t)file.len)
		abort();
	*functions = (struct functions){0};
	err = reader(functions, fd, max_bytes);
	str_free(&file);
	close(fd);
	return err;
}

static int read_made(struct functions *functions, const struct wanted *wanted, size_t max_bytes)
{
	return read_made_by(functions_read, functions, wanted, max_bytes);
}

/* Whatever a child that was deceived answers is refused or is a list. */
static void test_answers(const struct functions *right)
{
	struct functions functions = {0};
	struct str answer = STR_INIT;
	size_t cut, refused = 0;

	functions_write(right, &answer);
	ok(!functions_take(&functions, answer.text, answer.len, 1 << 20) &&
			functions.n == right->n &&
			!strcmp(functions_at(&functions, 7), "aaaaaaaaaa"),
		"what a child answers is read as it was");
	functions_free(&functions);
	ok(functions_take(&functions, answer.text, answer.len, 1000) == -EBADMSG && !functions.n,
		"not more than may be");
	for (cut = 1; cut < 24; cut++)
		refused += functions_take(&functions, answer.text, answer.len - cut, 1 << 20) ==
			-EBADMSG;
	ok(refused == 23 && !functions.n, "an answer that is cut is refused");
	answer.text[answer.len - 4] = 0;
	ok(functions_take(&functions, answer.text, answer.len, 1 << 20) == -EBADMSG,
		"and one with a zero byte in a name");
	memset(answer.text, 0xff, 8);
	ok(functions_take(&functions, answer.text, answer.len, 1 << 20) == -EBADMSG,
		"and one that is not in the order of places");
	memset(answer.text + 16, 0xff, 4);
	ok(functions_take(&functions, answer.text, answer.len, 1 << 20) == -EBADMSG,
		"and one with a name that is longer than names are");
	str_free(&answer);
}

static void test_apart(const struct wanted *few, const struct wanted *hostile)
{
	struct functions functions;
	int err = read_made_by(functions_read_apart, &functions, few, 1 << 20);

	if (ok(!err && functions.n == few->symbols, "a child without rights reads the same"))
		test_answers(&functions);
	functions_free(&functions);
	err = read_made_by(functions_read_apart, &functions, hostile, 64 << 20);
	ok(err == -EFBIG && !functions.n, "and says so too where there are too many");
	functions_free(&functions);
}

int main(void)
{
	const struct wanted few = {100, 100, 10, 1, true, false},
			    doubled = {100, 5, 10, 1, true, false};
	const struct wanted tables = {100, 100, 10, 1000, true, false},
			    extended = {100, 100, 10, 1, false, false};
	const struct wanted unended = {100, 100, 10, 1, true, true};
	const struct wanted hostile = {MANY, 64, 1000, 1, true, false};
	struct functions functions;
	size_t bytes;
	int err;

	err = read_made(&functions, &few, 1 << 20);
	bytes = functions.bytes;
	ok(!err && functions.n == 100 && !strcmp(functions_at(&functions, 7), "aaaaaaaaaa"),
		"functions are read, with their names");
	ok(bytes >= 100 * (sizeof(struct function) + 11) && bytes < 20000,
		"what they take is told (%zu)", bytes);
	functions_free(&functions);
	err = read_made(&functions, &few, bytes);
	ok(!err && functions.n == 100, "as much as they take is enough");
	functions_free(&functions);
	err = read_made(&functions, &few, bytes - 1);
	ok(err == -EFBIG && !functions.n && !functions.bytes,
		"where it is less there are none, rather than some");
	functions_free(&functions);
	err = read_made(&functions, &doubled, 1 << 20);
	ok(!err && functions.n == 5 && functions.bytes == bytes / 20,
		"of those at one place one is kept");
	functions_free(&functions);
	err = read_made(&functions, &tables, bytes);
	ok(!err && functions.n == 100, "a second table of the same kind is not read");
	functions_free(&functions);
	err = read_made(&functions, &extended, 1 << 20);
	ok(err == -ENOEXEC, "more sections than a program has are not counted");
	functions_free(&functions);
	err = read_made(&functions, &unended, 1 << 20);
	ok(!err && !functions.n, "names of which the last has no end are not searched for it");
	functions_free(&functions);
	err = read_made(&functions, &hostile, 64 << 20);
	ok(err == -EFBIG && !functions.n, "one long name for %d functions is too much", MANY);
	functions_free(&functions);
	test_apart(&few, &hostile);
	return tap_done();
}
