/* SPDX-License-Identifier: GPL-2.0-only */
/* Where do the threads of this C library begin? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "stacks/stack_roots.h"
#include "symbols/elf_image.h"
#include "symbols/symbolizer.h"
#include "symbols/walk_code.h"
#include "sys/privileged_call.h"

enum {
	STACK_BYTES = 256 << 10, /* of a thread that sleeps */
	PROCESSES_MAX = 400,	 /* that are asked where they sleep */
	THREADS_MAX = 4,	 /* of each */
	WALKS_MAX = 24,		 /* for one library */
	/* Frames from the end on that are a library's own: below main(), and below a thread's
	   function. */
	OUTER_FRAMES = 3,
};

struct stack_root {
	uint32_t file_id;
	uint64_t address; /* one before the return address */
};

/* What is known of a library. */
struct stack_library {
	uint32_t file_id;
	bool first, later; /* threads */
};

struct stack_roots {
	struct stack_root *list;
	size_t n, room;
	struct stack_library *libraries;
	size_t n_libraries, libraries_room;
};

/* A look for the roots of one library. */
struct roots_search {
	struct stack_roots *roots;
	struct symbolizer *symbolizer;
	uint32_t file_id;
	size_t library; /* its place in the list */
	int walks, processes;
	pid_t pid; /* whose threads are looked at */
	int threads;
};

struct stack_roots *stack_roots_new(void)
{
	return mem_zalloc(sizeof(struct stack_roots));
}

void stack_roots_free(struct stack_roots *roots)
{
	free(roots->list);
	free(roots->libraries);
	free(roots);
}

bool stack_roots_has(const struct stack_roots *roots, const struct symbol *symbol)
{
	for (size_t i = 0; symbol->file_id && i < roots->n; i++)
		if (roots->list[i].file_id == symbol->file_id &&
			roots->list[i].address == symbol->address)
			return true;
	return false;
}

bool stack_roots_knows(const struct stack_roots *roots, const struct symbol *symbol, bool first)
{
	for (size_t i = 0; i < roots->n_libraries; i++)
		if (roots->libraries[i].file_id == symbol->file_id)
			return first ? roots->libraries[i].first : roots->libraries[i].later;
	return false;
}

/* "0 0x3 … 0x7ffd5e0 0x7f12a": the stack pointer and the address are the last two. */
static bool roots_where(pid_t pid, pid_t tid, struct cfa_registers *registers)
{
	char path[64], text[256];
	uint64_t last[2] = {0, 0};
	const char *at = text;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : privileged_pread(fd, text, sizeof(text) - 1, 0);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	while ((at = strstr(at, "0x"))) {
		at += 2;
		last[0] = last[1];
		if (num_next_hex(&at, text + n, &last[1]))
			return false;
	}
	*registers = (struct cfa_registers){.known = 1u << CFA_SP | 1u << CFA_PC};
	registers->value[CFA_SP] = last[0];
	registers->value[CFA_PC] = last[1];
	return last[0] && last[1];
}

/* The bytes of a stack from its pointer on, as many as there are. */
static size_t roots_read_stack(pid_t pid, uint64_t from, uint8_t *bytes)
{
	char path[40];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = privileged_pread(fd, bytes, STACK_BYTES, (off_t)from);
	close(fd);
	return n > 0 ? (size_t)n : 0;
}

/* The outermost frames, as far as they are the library's. Returns whether there were any. */
static bool roots_take(struct roots_search *search, const struct stack_walk *walk)
{
	struct stack_roots *roots = search->roots;
	bool found = false;

	for (uint32_t i = 0; i < OUTER_FRAMES && i < walk->depth; i++) {
		struct symbol symbol;

		symbolizer_find(search->symbolizer, search->pid,
			walk->frames[walk->depth - 1 - i] - 1, &symbol);
		if (symbol.file_id != search->file_id) {
			/* The program's own _start calls the library; nothing else lies below it.
			 */
			if (i)
				break;
			continue;
		}
		found = true;
		if (stack_roots_has(roots, &symbol))
			continue;
		ARRAY_GROW(roots->list, roots->n, roots->room);
		roots->list[roots->n++] = (struct stack_root){symbol.file_id, symbol.address};
	}
	return found;
}

static void roots_walk(
	struct roots_search *search, const struct cfa_registers *registers, bool is_first)
{
	struct stack_library *library = &search->roots->libraries[search->library];
	struct stack_walk_code code[STACK_WALK_FILES_MAX];
	struct stack_walk_sample sample = {.registers = *registers};
	uint8_t *bytes = mem_alloc(STACK_BYTES);
	const int n_code = walk_code_open(code, search->pid);
	struct stack_walk walk = {.depth = 0};

	search->walks++;
	sample.stack = (struct cfa_memory){bytes, registers->value[CFA_SP],
		roots_read_stack(search->pid, registers->value[CFA_SP], bytes)};
	if (n_code > 0 && sample.stack.len &&
		!stack_walk_apart(code, (size_t)n_code, &sample, 1, &walk) &&
		walk.end == STACK_WALK_COMPLETE && roots_take(search, &walk)) {
		library->first |= is_first;
		library->later |= !is_first;
	}
	stack_walk_free(&walk);
	walk_code_close(code, n_code);
	free(bytes);
}

static bool roots_is_done(const struct roots_search *search)
{
	const struct stack_library *library = &search->roots->libraries[search->library];

	return (library->first && library->later) || search->walks >= WALKS_MAX;
}

/* A thread that sleeps in the library. */
static int roots_thread(void *arg, const char *name, unsigned char type)
{
	struct roots_search *search = arg;
	const struct stack_library *library = &search->roots->libraries[search->library];
	struct cfa_registers registers;
	struct symbol symbol;
	uint64_t tid;
	bool is_first;

	(void)type;
	if (num_u64(name, 1, INT32_MAX, &tid))
		return 0;
	is_first = (pid_t)tid == search->pid;
	if ((is_first ? library->first : library->later) ||
		!roots_where(search->pid, (pid_t)tid, &registers))
		return 0;
	symbolizer_find(search->symbolizer, search->pid, registers.value[CFA_PC], &symbol);
	if (symbol.file_id == search->file_id)
		roots_walk(search, &registers, is_first);
	return ++search->threads >= THREADS_MAX || roots_is_done(search);
}

static void roots_process(struct roots_search *search, pid_t pid)
{
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	search->pid = pid;
	search->threads = 0;
	privileged_list(fd, roots_thread, search);
	close(fd);
}

static int roots_other(void *arg, const char *name, unsigned char type)
{
	struct roots_search *search = arg;
	uint64_t pid;

	(void)type;
	if (num_u64(name, 1, INT32_MAX, &pid))
		return 0;
	if ((pid_t)pid != getpid())
		roots_process(search, (pid_t)pid);
	return ++search->processes >= PROCESSES_MAX || roots_is_done(search);
}

void stack_roots_learn(struct stack_roots *roots, struct symbolizer *symbolizer, pid_t pid,
	const struct symbol *symbol)
{
	struct roots_search search = {
		.roots = roots, .symbolizer = symbolizer, .file_id = symbol->file_id};
	int fd;

	if (!symbol->file_id || !symbol->facts || !symbol->facts->starts_programs)
		return;
	for (size_t i = 0; i < roots->n_libraries; i++)
		if (roots->libraries[i].file_id == symbol->file_id)
			return;
	ARRAY_GROW(roots->libraries, roots->n_libraries, roots->libraries_room);
	search.library = roots->n_libraries++;
	roots->libraries[search.library] = (struct stack_library){.file_id = symbol->file_id};
	roots_process(&search, pid);
	fd = privileged_openat(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!roots_is_done(&search))
		privileged_list(fd, roots_other, &search);
	close(fd);
}
