/* SPDX-License-Identifier: GPL-2.0-only */
/* Does an address of a process get its name: of its own file, of the kernel, of a perf map? */
#include "base/banned.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "symbols/elf_apart.h"
#include "symbols/kernel_symbols.h"
#include "symbols/perf_map.h"
#include "symbols/process_maps.h"
#include "symbols/symbolizer.h"
#include "tap.h"

__attribute__((noinline)) static int a_function_with_a_name(int x)
{
	return x * getpid();
}

static bool is_named(const struct symbol *symbol, enum symbol_class class, const char *name)
{
	if (symbol->class == class && symbol->name && str_same(symbol->name, name))
		return true;
	printf("# class %d, name %s\n", symbol->class, symbol->name ? symbol->name : "none");
	return false;
}

static void check_own(void)
{
	struct symbolizer *symbolizer = symbolizer_new();
	const uint64_t address = (uint64_t)(uintptr_t)a_function_with_a_name;
	struct symbol symbol;
	struct str frame = STR_INIT;

	symbolizer_find(symbolizer, getpid(), address + 1, &symbol);
	ok(is_named(&symbol, SYMBOL_NAMED, "a_function_with_a_name"), "a function of this program");
	symbol_add_frame(&frame, &symbol);
	ok(str_same(str_text(&frame), "a_function_with_a_name"), "as a frame");
	symbolizer_find(symbolizer, getpid(), 4096, &symbol);
	ok(symbol.class == SYMBOL_UNMAPPED && !symbol.name, "no code is at an address without any");
	symbolizer_find(symbolizer, getpid(), (uint64_t)(uintptr_t)&symbol, &symbol);
	ok(symbol.class == SYMBOL_UNMAPPED, "nor on the stack");
	symbolizer_find(symbolizer, 1 << 30, address, &symbol);
	ok(symbol.class == SYMBOL_UNMAPPED, "nor in a process that is not there");
	str_free(&frame);
	symbolizer_free(symbolizer);
}

static void check_compiled(void)
{
	uint8_t *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *path = mem_printf("/tmp/perf-%d.map", (int)getpid());
	struct symbolizer *symbolizer = symbolizer_new();
	struct str frame = STR_INIT;
	struct symbol symbol;
	FILE *file;

	symbolizer_find(symbolizer, getpid(), (uint64_t)(uintptr_t)code + 20, &symbol);
	ok(symbol.class == SYMBOL_NO_MAP, "code that was made, without a map");
	ok(symbolizer_jit_of(symbolizer, getpid()) == SYMBOLIZER_JIT_ALONE, "is said so");
	symbolizer_free(symbolizer);
	unlink(path);
	file = fopen(path, "w");
	fprintf(file, "%lx 40 Lfoo;::bar \033\n", (unsigned long)(uintptr_t)code);
	fclose(file);
	symbolizer = symbolizer_new();
	symbolizer_find(symbolizer, getpid(), (uint64_t)(uintptr_t)code + 20, &symbol);
	ok(is_named(&symbol, SYMBOL_COMPILED, "Lfoo;::bar \033"), "with a map it has its name");
	symbol_add_frame(&frame, &symbol);
	ok(str_same(str_text(&frame), "Lfoo:::bar ?_[j]"), "which is no other frame");
	ok(symbolizer_jit_of(symbolizer, getpid()) == SYMBOLIZER_JIT_MAP, "and that is said");
	symbolizer_free(symbolizer);
	if (!getuid() && !chown(path, 12345, 12345)) {
		symbolizer = symbolizer_new();
		symbolizer_find(symbolizer, getpid(), (uint64_t)(uintptr_t)code + 20, &symbol);
		ok(symbol.class == SYMBOL_NO_MAP, "a map that somebody else has put there is none");
		symbolizer_free(symbolizer);
	}
	unlink(path);
	if (!symlink("/etc/passwd", path)) {
		struct perf_map map = {.n = 0};

		ok(perf_map_read(&map, getpid()) < 0, "nor is a link");
		perf_map_free(&map);
	}
	unlink(path);
	munmap(code, 4096);
	str_free(&frame);
	free(path);
}

/* A copy of this program that waits, and what is done to its file meanwhile. */
static void check_file(const char *what, bool unlinks, const char *command, enum symbol_class class)
{
	char path[] = "/tmp/tuesday-symbols-XXXXXX", self[4096] = "";
	struct symbolizer *symbolizer = symbolizer_new();
	const int fd = mkstemp(path), wait_fd = dup(fd);
	uint64_t address = 0;
	struct process_maps own = {.n = 0}, maps = {.n = 0};
	const struct process_map *map;
	struct symbol symbol = {.class = SYMBOL_UNMAPPED};
	int pipe_fds[2], status, tries;
	pid_t pid;

	close(wait_fd);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 || pipe(pipe_fds))
		abort();
	close(fd);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, self, path, NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	if (status) {
		printf("ok %d - %s # SKIP cannot make the file\n", ++tap_tests, what);
		goto out;
	}
	chmod(path, 0700);
	pid = fork();
	if (!pid) {
		dup2(pipe_fds[0], 0);
		close(pipe_fds[1]);
		execl(path, path, "wait", NULL);
		_exit(1);
	}
	/* It runs another file from when it has been started. */
	for (tries = 0; tries < 500; tries++) {
		process_maps_free(&maps);
		process_maps_read(&maps, pid);
		if (maps.n && maps.list[0].path && str_same(maps.list[0].path, path))
			break;
		usleep(10000);
	}
	process_maps_read(&own, getpid());
	map = process_maps_at(&own, (uint64_t)(uintptr_t)a_function_with_a_name);
	for (size_t i = 0; map && i < maps.n; i++)
		if (maps.list[i].path && str_same(maps.list[i].path, path) && !address)
			address = maps.list[i].start - maps.list[i].offset + map->offset +
				((uint64_t)(uintptr_t)a_function_with_a_name - map->start);
	if (unlinks)
		unlink(path);
	symbolizer_find(symbolizer, pid, address, &symbol);
	ok(symbol.class == class && symbol.deleted == unlinks, "%s", what);
	if (symbol.class != class || symbol.deleted != unlinks)
		printf("# class %d, %s\n", symbol.class, symbol.name ? symbol.name : "no name");
	close(pipe_fds[1]);
	waitpid(pid, &status, 0);
out:
	process_maps_free(&own);
	process_maps_free(&maps);
	unlink(path);
	symbolizer_free(symbolizer);
}

static void check_coverage(void)
{
	struct elf_image image;
	const int fd = open("/bin/bash", O_RDONLY | O_CLOEXEC);
	const int err = elf_image_read_apart(&image, fd, ELF_IMAGE_COVERAGE, 64 << 20);
	const struct elf_facts *facts = &image.facts;

	ok(!err && facts->build_id_len == 20, "a program's build id");
	ok(facts->looked > 500 && facts->with_frame_pointer * 10 < facts->looked,
		"bash was built without frame pointers: %u of %u functions set one up",
		facts->with_frame_pointer, facts->looked);
	elf_image_free(&image);
	close(fd);
}

static void check_maps(void)
{
	static const char text[] =
		"55d0c8a00000-55d0c8a02000 r--p 00000000 fe:01 1234    /usr/bin/x\n"
		"55d0c8a02000-55d0c8a07000 r-xp 00002000 fe:01 1234    /usr/bin/x y (deleted)\n"
		"55d0c8a08000-55d0c8a09000 rwxp 00000000 00:00 0 \n"
		"garbage\n"
		"55d0c8a08000-55d0c8a07000 r-xp 00000000 00:00 0 /backwards\n"
		"55d0c8a0a000-55d0c8a0b000 r-xp 00000000 00:01 99 /memfd:jit (deleted)\n"
		"7ffd1e5ce000-7ffd1e5d0000 r-xp 00000000 00:00 0                  [vdso]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]";
	struct process_maps maps = {.n = 0};

	process_maps_parse(&maps, text, strlen(text));
	ok(maps.n == 5, "five mappings have code");
	ok(str_same(maps.list[0].path, "/usr/bin/x y") && maps.list[0].deleted &&
			maps.list[0].offset == 0x2000 && maps.list[0].inode == 1234 &&
			maps.list[0].major == 0xfe && maps.list[0].minor == 1,
		"a file that was deleted");
	ok(maps.list[1].kind == PROCESS_MAP_ANONYMOUS && !maps.list[1].path, "one of no file");
	ok(maps.list[2].kind == PROCESS_MAP_ANONYMOUS, "one in memory");
	ok(maps.list[3].kind == PROCESS_MAP_VDSO && maps.list[4].kind == PROCESS_MAP_OTHER,
		"the kernel's");
	ok(process_maps_at(&maps, 0x55d0c8a06fff) == &maps.list[0] &&
			!process_maps_at(&maps, 0x55d0c8a07000),
		"a mapping ends before its end");
	process_maps_free(&maps);
}

static void check_perf_map(void)
{
	static const char text[] =
		"100 10 first\nnonsense\n0x100 0x20 again and more\n200 0 empty\n"
		"ffffffffffffffff 8 last";
	struct perf_map map = {.n = 0};

	perf_map_parse(&map, text, strlen(text));
	ok(map.n == 3 && str_same(perf_map_at(&map, 0x108), "again and more"),
		"code that was made anew has its new name");
	ok(!perf_map_at(&map, 0x120) && !perf_map_at(&map, 0xff) &&
			str_same(perf_map_at(&map, UINT64_MAX), "last"),
		"what is outside has none");
	perf_map_free(&map);
}

static void check_kernel(void)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000100 t worker\n"
				   "ffffffff81000100 T alias\nffffffff81000200 D data\n"
				   "ffffffffc0000000 t in_module\t[mod]\n";
	struct kernel_symbols symbols = {.n = 0};

	kernel_symbols_parse(&symbols, text, strlen(text));
	ok(str_same(kernel_symbols_at(&symbols, 0xffffffff81000205), "worker"), "the first name");
	ok(str_same(kernel_symbols_at(&symbols, 0xffffffffc0000001), "in_module [mod]"),
		"a module's");
	ok(!kernel_symbols_at(&symbols, 1), "and none");
	kernel_symbols_free(&symbols);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return read(0, (char[1]){0}, 1) != 0;
	a_function_with_a_name(1);
	check_own();
	check_compiled();
	check_file("a file that is there", false, "cp \"$0\" \"$1\"", SYMBOL_NAMED);
	if (!getuid())
		check_file("one that was deleted", true, "cp \"$0\" \"$1\"", SYMBOL_NAMED);
	check_file("one that was stripped", false, "strip -s -o \"$1\" \"$0\"", SYMBOL_STRIPPED);
	check_coverage();
	check_maps();
	check_perf_map();
	check_kernel();
	return tap_done();
}
