/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the kernels of a zebin found, and is what is none, or damaged, refused? */
#include "base/banned.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "sys/zebin_elf.h"
#include "tap.h"
#include "madezebin.h"

static void test_kernels(void)
{
	struct zebin_test z;
	struct zebin zebin;

	zebin_test_make(&z, 0);
	ok(!zebin_parse(&zebin, &z, sizeof(z)) && zebin.n == 2 &&
			!strcmp(zebin.kernels[0].name, "gemm") && zebin.kernels[0].size == 256 &&
			zebin.kernels[0].offset == offsetof(struct zebin_test, text) &&
			!strcmp(zebin.kernels[1].name, "relu") && zebin.kernels[1].size == 128,
		"kernels have their names and sizes; what they share is none");
	ok(!zebin.kernels[0].address && !zebin.kernels[1].address,
		"a compiler does not know where they will be");
	zebin_free(&zebin);
	zebin_test_make(&z, 0xffff00001000);
	ok(!zebin_parse(&zebin, &z, sizeof(z)) && zebin.n == 2 &&
			zebin.kernels[0].address == 0xffff00001000 &&
			zebin.kernels[1].address == 0xffff00001200,
		"a dump for a debugger does, by the section or by its symbol");
	zebin_free(&zebin);
}

static void test_refused(void)
{
	struct zebin_test z;
	struct zebin zebin;

	zebin_test_make(&z, 0);
	z.header.e_machine = EM_X86_64;
	ok(!zebin_parse(&zebin, &z, sizeof(z)), "older compilers put the product in the machine");
	zebin_free(&zebin);
	z.header.e_type = ET_EXEC;
	ok(zebin_parse(&zebin, &z, sizeof(z)) == -ENOEXEC, "a program for the CPU is no zebin");
	ok(zebin_parse(&zebin, "!<arch>\n0123456789", 18) == -ENOEXEC &&
			zebin_parse(&zebin, "", 0) == -ENOEXEC,
		"nor is what is no ELF file");
	zebin_test_make(&z, 0);
	z.sections[2].sh_size = UINT64_MAX;
	ok(zebin_parse(&zebin, &z, sizeof(z)) == -EBADMSG && !zebin.n && !zebin.kernels,
		"a kernel beyond the end of the file is damage");
	zebin_test_make(&z, 0);
	z.header.e_shoff = 1ULL << 60;
	zebin_parse(&zebin, &z, sizeof(z));
	ok(zebin.n == 0, "section headers beyond the end have no kernels");
	zebin_free(&zebin);
	/* To look for the end of each name, from the end of the table on, would take hours. */
	zebin_test_make(&z, 0);
	z.names[sizeof(z.names) - 1] = 'x';
	ok(!zebin_parse(&zebin, &z, sizeof(z)) && zebin.n == 0,
		"a table of names that does not end names nothing");
	zebin_free(&zebin);
}

static void test_cut(void)
{
	struct zebin_test z;
	bool harmless = true;

	zebin_test_make(&z, 0x1000);
	for (size_t len = 0; len < sizeof(z); len++) {
		struct zebin zebin;

		if (!zebin_parse(&zebin, &z, len))
			harmless = harmless && zebin.n <= 2;
		zebin_free(&zebin);
	}
	ok(harmless, "one that is cut anywhere does no harm");
}

static void test_files(void)
{
	char path[] = "/tmp/zebin.XXXXXX";
	struct zebin_test z;
	struct zebin zebin;
	const int fd = mkstemp(path);

	zebin_test_make(&z, 0);
	ok(fd >= 0 && write(fd, &z, sizeof(z)) == sizeof(z) && !zebin_read(&zebin, path) &&
			zebin.n == 2,
		"one is read from a file");
	zebin_free(&zebin);
	close(fd);
	unlink(path);
	ok(zebin_read(&zebin, path) == -ENOENT && zebin_read(&zebin, "/tmp") == -EISDIR &&
			zebin_read(&zebin, "/dev/zero") == -ENOEXEC,
		"what is no regular file is not read");
}

int main(void)
{
	test_kernels();
	test_refused();
	test_cut();
	test_files();
	return tap_done();
}
