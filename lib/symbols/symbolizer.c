/* SPDX-License-Identifier: GPL-2.0-only */
/* What is at this address of this process called? */
#include "base/banned.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number_map.h"
#include "base/str.h"
#include "symbols/elf_apart.h"
#include "symbols/elf_image.h"
#include "symbols/kernel_symbols.h"
#include "symbols/mapped_file.h"
#include "symbols/perf_map.h"
#include "symbols/process_maps.h"
#include "symbols/symbolizer.h"

enum {
	FILES_MAX = 4096,
	PROCESSES_MAX = 8192,
	/* Of memory for the functions of all files: those of LLVM's library take 8 MiB. */
	BYTES_MAX = 256 << 20,
	/* What was loaded or compiled since is looked for that often: each time that an address is
	 * not known, but not at each of them. */
	AGAIN_MS = 1000,
	AGAIN_MAX = 30,
	TRIES_MAX = 4, /* processes by which a file is opened, of which some may have ended */
};

struct symbolizer_entry {
	struct process_map map; /* of one process that has it; the path is ours */
	pid_t pid;
	uint32_t id; /* from 1 on */
	int tries;
	bool is_vdso;
	bool has_debug_file;
	int error; /* of reading it */
	struct elf_image image;
};

struct symbolizer_process {
	pid_t pid;
	int error; /* of reading its mappings */
	struct process_maps maps;
	struct perf_map names;
	int names_error;
	bool names_read;
	int again;	   /* how often it was looked for anew */
	int64_t looked_ms; /* when that was */
};

struct symbolizer {
	struct symbolizer_process **processes;
	size_t n_processes, processes_room;
	struct number_map by_pid;
	struct symbolizer_entry **files;
	size_t n_files, files_room;
	struct number_map by_inode;
	size_t bytes;
	struct kernel_symbols kernel;
	bool kernel_read;
};

struct symbolizer *symbolizer_new(void)
{
	return mem_zalloc(sizeof(struct symbolizer));
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	for (size_t i = 0; i < symbolizer->n_processes; i++) {
		process_maps_free(&symbolizer->processes[i]->maps);
		perf_map_free(&symbolizer->processes[i]->names);
		free(symbolizer->processes[i]);
	}
	for (size_t i = 0; i < symbolizer->n_files; i++) {
		elf_image_free(&symbolizer->files[i]->image);
		free(symbolizer->files[i]->map.path);
		free(symbolizer->files[i]);
	}
	free(symbolizer->processes);
	free(symbolizer->files);
	number_map_free(&symbolizer->by_pid);
	number_map_free(&symbolizer->by_inode);
	kernel_symbols_free(&symbolizer->kernel);
	free(symbolizer);
}

static struct symbolizer_process *symbolizer_process(struct symbolizer *symbolizer, pid_t pid)
{
	struct symbolizer_process *process;
	size_t at;

	if (number_map_get(&symbolizer->by_pid, (uint64_t)pid, &at))
		return symbolizer->processes[at];
	if (symbolizer->n_processes == PROCESSES_MAX)
		return NULL;
	process = mem_zalloc(sizeof(*process));
	process->pid = pid;
	process->error = process_maps_read(&process->maps, pid);
	process->looked_ms = monotonic_ms();
	ARRAY_GROW(symbolizer->processes, symbolizer->n_processes, symbolizer->processes_room);
	number_map_add(&symbolizer->by_pid, (uint64_t)pid, symbolizer->n_processes);
	return symbolizer->processes[symbolizer->n_processes++] = process;
}

int symbolizer_note(struct symbolizer *symbolizer, pid_t pid)
{
	const struct symbolizer_process *process = symbolizer_process(symbolizer, pid);

	return process ? process->error : -ENOSPC;
}

/* Whether it is worth to look anew for what this process has loaded or compiled. */
static bool symbolizer_may_look(struct symbolizer_process *process)
{
	const int64_t now = monotonic_ms();

	if (process->again >= AGAIN_MAX || now - process->looked_ms < AGAIN_MS)
		return false;
	process->again++;
	process->looked_ms = now;
	return true;
}

static const struct process_map *symbolizer_map(
	struct symbolizer_process *process, uint64_t address)
{
	const struct process_map *map = process_maps_at(&process->maps, address);
	struct process_maps maps = {.n = 0};

	if (map || !symbolizer_may_look(process))
		return map;
	if (process_maps_read(&maps, process->pid) || !maps.n) {
		process_maps_free(&maps);
		return NULL;
	}
	process_maps_free(&process->maps);
	process->maps = maps;
	return process_maps_at(&process->maps, address);
}

static bool symbolizer_is_file(const struct symbolizer_entry *file, const struct process_map *map)
{
	if (map->kind == PROCESS_MAP_VDSO)
		return file->is_vdso;
	return !file->is_vdso && file->map.inode == map->inode && file->map.major == map->major &&
		file->map.minor == map->minor && str_same(file->map.path, map->path);
}

/* The file of a mapping, new or not; NULL where there are too many. */
static struct symbolizer_entry *symbolizer_file(
	struct symbolizer *symbolizer, pid_t pid, const struct process_map *map)
{
	const bool is_vdso = map->kind == PROCESS_MAP_VDSO;
	struct symbolizer_entry *file;
	/* Files that fall together, as those of one inode with two paths, have the next numbers. */
	uint64_t key =
		is_vdso ? 0 : map->inode ^ (uint64_t)map->major << 52 ^ (uint64_t)map->minor << 40;
	size_t at;

	for (; number_map_get(&symbolizer->by_inode, key, &at); key++)
		if (symbolizer_is_file(symbolizer->files[at], map))
			return symbolizer->files[at];
	if (symbolizer->n_files == FILES_MAX)
		return NULL;
	file = mem_zalloc(sizeof(*file));
	file->map = *map;
	file->map.path = mem_strdup(is_vdso ? "[vdso]" : map->path);
	file->pid = pid;
	file->is_vdso = is_vdso;
	file->id = (uint32_t)symbolizer->n_files + 1;
	ARRAY_GROW(symbolizer->files, symbolizer->n_files, symbolizer->files_room);
	number_map_add(&symbolizer->by_inode, key, symbolizer->n_files);
	return symbolizer->files[symbolizer->n_files++] = file;
}

/* The functions of a debug file that belongs to it, in place of its own. */
static void symbolizer_add_debug(struct symbolizer *symbolizer, struct symbolizer_entry *file)
{
	const struct elf_facts *facts = &file->image.facts;
	int which, fd;

	for (which = 0; !facts->has_symbols && !file->has_debug_file; which++) {
		struct elf_image debug;

		fd = mapped_file_open_debug(file->pid, file->map.path, facts, which);
		if (fd == -ENODATA)
			break;
		if (fd < 0)
			continue;
		if (!elf_image_read_apart(
			    &debug, fd, ELF_IMAGE_FUNCTIONS, BYTES_MAX - symbolizer->bytes) &&
			debug.n > file->image.n && facts->build_id_len &&
			debug.facts.build_id_len == facts->build_id_len &&
			!memcmp(debug.facts.build_id, facts->build_id, facts->build_id_len)) {
			struct elf_image own = file->image;

			file->image.functions = debug.functions;
			file->image.n = debug.n;
			file->image.names = debug.names;
			file->image.names_len = debug.names_len;
			debug.functions = own.functions;
			debug.names = own.names;
			file->has_debug_file = true;
		}
		elf_image_free(&debug);
		close(fd);
	}
}

static void symbolizer_read(struct symbolizer *symbolizer, struct symbolizer_entry *file, pid_t pid)
{
	int fd;

	if (file->tries && (!file->error || file->pid == pid || file->tries >= TRIES_MAX))
		return;
	file->tries++;
	file->pid = pid;
	fd = mapped_file_open(file->pid, &file->map);
	if (fd < 0) {
		file->error = fd;
		return;
	}
	file->error = elf_image_read_apart(&file->image, fd,
		ELF_IMAGE_FUNCTIONS | ELF_IMAGE_COVERAGE, BYTES_MAX - symbolizer->bytes);
	close(fd);
	if (!file->error && !file->is_vdso)
		symbolizer_add_debug(symbolizer, file);
	symbolizer->bytes += elf_image_bytes(&file->image);
}

static const char *symbolizer_compiled(struct symbolizer_process *process, uint64_t address)
{
	const char *name = process->names_read ? perf_map_at(&process->names, address) : NULL;

	if (name || (process->names_read && !symbolizer_may_look(process)))
		return name;
	process->names_read = true;
	perf_map_free(&process->names);
	process->names_error = perf_map_read(&process->names, process->pid);
	return perf_map_at(&process->names, address);
}

static void symbolizer_find_in_file(
	const struct symbolizer_entry *file, uint64_t offset, struct symbol *symbol)
{
	const struct elf_function *function;

	symbol->file = file->map.path;
	symbol->deleted = file->map.deleted;
	symbol->address = offset;
	symbol->file_id = file->id;
	symbol->facts = &file->image.facts;
	if (file->error && !file->image.n_segments) {
		symbol->class = file->error == -ESTALE || file->map.deleted ? SYMBOL_GONE
									    : SYMBOL_UNREADABLE;
		return;
	}
	symbol->class = SYMBOL_STRIPPED;
	if (!elf_image_address(&file->image, offset, &symbol->address))
		return;
	function = elf_image_at(&file->image, symbol->address);
	if (!function)
		return;
	symbol->class = SYMBOL_NAMED;
	symbol->name = file->image.names + function->name;
	symbol->start = function->address;
}

/* A program may be started from memory too, where a JIT keeps what it made. */
static bool symbolizer_may_be_file(const struct process_map *map)
{
	return map->kind == PROCESS_MAP_VDSO || (map->path && str_starts(map->path, "/memfd:")) ||
		map->kind == PROCESS_MAP_FILE;
}

void symbolizer_find(
	struct symbolizer *symbolizer, pid_t pid, uint64_t address, struct symbol *symbol)
{
	struct symbolizer_process *process = symbolizer_process(symbolizer, pid);
	const struct process_map *map = process ? symbolizer_map(process, address) : NULL;
	struct symbolizer_entry *file;

	*symbol = (struct symbol){.class = SYMBOL_UNMAPPED, .address = address};
	if (!map)
		return;
	file = symbolizer_may_be_file(map) ? symbolizer_file(symbolizer, pid, map) : NULL;
	if (file)
		symbolizer_read(symbolizer, file, pid);
	if (map->kind == PROCESS_MAP_ANONYMOUS && (!file || !file->image.n_segments)) {
		symbol->name = symbolizer_compiled(process, address);
		symbol->class = symbol->name ? SYMBOL_COMPILED : SYMBOL_NO_MAP;
		return;
	}
	symbol->class = SYMBOL_UNREADABLE;
	if (file)
		symbolizer_find_in_file(file, address - map->start + map->offset, symbol);
}

void symbolizer_find_kernel(struct symbolizer *symbolizer, uint64_t address, struct symbol *symbol)
{
	if (!symbolizer->kernel_read)
		kernel_symbols_read(&symbolizer->kernel);
	symbolizer->kernel_read = true;
	*symbol = (struct symbol){.class = SYMBOL_KERNEL,
		.address = address,
		.name = kernel_symbols_at(&symbolizer->kernel, address)};
}

void symbolizer_each_file(struct symbolizer *symbolizer, pid_t pid,
	void (*each)(void *arg, const struct symbolizer_file *file), void *arg)
{
	struct symbolizer_process *process = symbolizer_process(symbolizer, pid);
	const struct symbolizer_entry *last = NULL;

	for (size_t i = 0; process && i < process->maps.n; i++) {
		const struct process_map *map = &process->maps.list[i];
		struct symbolizer_file out = {.deleted = map->deleted};
		struct symbolizer_entry *file = NULL;

		if (map->kind == PROCESS_MAP_FILE)
			file = symbolizer_file(symbolizer, pid, map);
		if (map->kind == PROCESS_MAP_FILE && (!file || file == last))
			continue;
		last = file;
		if (file) {
			symbolizer_read(symbolizer, file, pid);
			out.path = file->map.path;
			out.readable = !file->error || file->image.n_segments;
			out.has_debug_file = file->has_debug_file;
			out.image = &file->image;
			each(arg, &out);
		} else if (map->kind == PROCESS_MAP_ANONYMOUS) {
			each(arg, &out);
		}
	}
}

enum symbolizer_jit symbolizer_jit_of(struct symbolizer *symbolizer, pid_t pid)
{
	struct symbolizer_process *process = symbolizer_process(symbolizer, pid);
	bool compiles = false;

	for (size_t i = 0; process && i < process->maps.n; i++)
		compiles |= process->maps.list[i].kind == PROCESS_MAP_ANONYMOUS;
	if (!compiles)
		return SYMBOLIZER_NO_JIT;
	symbolizer_compiled(process, 0);
	return process->names.n ? SYMBOLIZER_JIT_MAP : SYMBOLIZER_JIT_ALONE;
}

void symbol_add_frame(struct str *out, const struct symbol *symbol)
{
	const char *slash = symbol->file ? strrchr(symbol->file, '/') : NULL;
	const size_t begin = out->len;
	size_t i;

	if (symbol->name)
		str_add(out, symbol->name);
	else
		str_add(out, "[unknown]");
	if (!symbol->name && symbol->file)
		str_addf(out, " %s", slash ? slash + 1 : symbol->file);
	for (i = begin; i < out->len; i++) {
		const unsigned char byte = (unsigned char)out->text[i];

		if (byte == ';')
			out->text[i] = ':';
		else if (byte < ' ' || byte == 0x7f)
			out->text[i] = '?';
	}
	if (symbol->class == SYMBOL_KERNEL)
		str_add(out, "_[k]");
	else if (symbol->class == SYMBOL_COMPILED)
		str_add(out, "_[j]");
}
