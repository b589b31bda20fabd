/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for addresses in running processes and in the kernel.
 *
 * Of a process: the symbol tables of the files that it has mapped, of the debug files that belong
 * to their build ids, and its own perf map for code that it made while it ran. The file that is
 * read is the one that is mapped, whatever lies at its path by now, and in whatever root the
 * process has. Files of others are parsed by a child without rights; a file is read once, when it
 * is first asked for.
 *
 * A process that has ended has no names: symbolizer_note it while it lives. Names are texts of
 * others. One symbolizer is for a look of seconds or minutes: it does not see that a pid has become
 * another process's.
 */
#ifndef TUESDAY_SYMBOLS_SYMBOLIZER_H
#define TUESDAY_SYMBOLS_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_facts;
struct elf_image;
struct str;
struct symbolizer;

enum symbol_class {
	SYMBOL_NAMED,
	SYMBOL_KERNEL,	   /* and named; or name is NULL where the kernel hides its addresses */
	SYMBOL_COMPILED,   /* named by the program's perf map */
	SYMBOL_STRIPPED,   /* of a file that has no name for this place */
	SYMBOL_GONE,	   /* of a file that was deleted or replaced, and cannot be read any more */
	SYMBOL_UNREADABLE, /* of a file that cannot be read, or is no ELF file */
	SYMBOL_NO_MAP,	   /* code that the program made, and it has no perf map with it */
	SYMBOL_UNMAPPED,   /* no code of the process: the stack is wrong, or the process is gone */
};

struct symbol {
	enum symbol_class class;
	const char *name; /* NULL: none is known */
	const char *file; /* its path as the process sees it; NULL: it is in none */
	bool deleted;	  /* the file has no name any more: others cannot read it, as perf report */
	uint64_t address; /* within the file, as it was linked; else as it was asked */
	uint64_t start;	  /* of the function, likewise; 0 where it is not known */
	/* The same number for the same file, whoever has mapped it; 0: none. And what is known of
	 * it, NULL for none. */
	uint32_t file_id;
	const struct elf_facts *facts;
};

struct symbolizer *symbolizer_new(void);
void symbolizer_free(struct symbolizer *symbolizer);

/* Reads the mappings of a process unless that was done: early, for it may end. Returns 0 or -errno.
 */
int symbolizer_note(struct symbolizer *symbolizer, pid_t pid);

/* What is at an address of a process, or of the kernel. The texts live as long as the symbolizer.
 * For the return addresses of a stack ask one byte before: what calls last may end there. */
void symbolizer_find(
	struct symbolizer *symbolizer, pid_t pid, uint64_t address, struct symbol *symbol);
void symbolizer_find_kernel(struct symbolizer *symbolizer, uint64_t address, struct symbol *symbol);

/* Appends it as a frame of folded stacks (flame/kind.h): "main", "vfs_read_[k]", "Lfoo:bar_[j]",
 * "[unknown] libc.so.6". No ';' and no control character is in it. */
void symbol_add_frame(struct str *out, const struct symbol *symbol);

/* What is known of each mapping with code of a noted process. */
struct symbolizer_file {
	const char *path;	       /* NULL for code that was made while it ran */
	bool deleted, readable;	       /* readable: the ELF file was read */
	bool has_debug_file;	       /* its functions are those of a debug file */
	const struct elf_image *image; /* with looked and with_frame_pointer */
};
/* Reads the files of a process, and calls each for every one that it has mapped. */
void symbolizer_each_file(struct symbolizer *symbolizer, pid_t pid,
	void (*each)(void *arg, const struct symbolizer_file *file), void *arg);
/* How a process names the code that it makes. */
enum symbolizer_jit {
	SYMBOLIZER_NO_JIT,   /* it has no such code */
	SYMBOLIZER_JIT_MAP,  /* it has a perf map */
	SYMBOLIZER_JIT_ALONE /* it has none that can be read */
};
enum symbolizer_jit symbolizer_jit_of(struct symbolizer *symbolizer, pid_t pid);

#endif
