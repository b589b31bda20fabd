/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A BPF object file that lies in this program, and how it gets into the kernel.
 *
 * What libbpf does, for what our tracers are made of, in a tenth of the time: maps, globals,
 * programs and the functions that these hand to helpers. Instructions are fitted to the kernel's
 * types here, so that the kernel needs none of ours, which it would have to check, and searches
 * none of its own. For any other object, one whose programs call functions of theirs, and where the
 * kernel's types cannot be had, it says -ENOTSUP: libbpf may do better.
 */
#ifndef TUESDAY_LOADER_OBJECT_H
#define TUESDAY_LOADER_OBJECT_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#define OBJECT_MAPS 24
#define OBJECT_PROGRAMS 12
#define OBJECT_FUNCTIONS 12

struct object_map {
	const char *name; /* as it is declared, or of globals the section's: ".rodata" */
	unsigned int type, key_size, value_size, max_entries, flags;
	/* Their initial values until object_load, then the programs' own; NULL: no globals. Of what
	 * programs cannot change it stays the initial values; .bss begins with zeros. */
	void *globals;
	bool is_mapped;		      /* globals are the programs' own */
	unsigned int section, offset; /* of the file: where instructions find it */
	int fd;
};

struct object_program {
	const char *name;
	const char *section; /* "tp_btf/NAME", "raw_tp/NAME", "iter/NAME" or "tracepoint" */
	struct bpf_insn *insns;
	size_t n;
	int fd;
};

struct object {
	char *bytes; /* of the file, with the changes that loading makes */
	size_t size;
	const char *license;
	struct object_map maps[OBJECT_MAPS];
	size_t n_maps;
	struct object_program programs[OBJECT_PROGRAMS];
	size_t n_programs;
	/* What programs hand to helpers to be called, one behind the other, and where each begins.
	 */
	struct bpf_insn *functions;
	size_t functions_n;
	unsigned int starts[OBJECT_FUNCTIONS];
	size_t n_starts;
};

/* Reads size bytes of an object file, which are copied. Returns 0, -ENOTSUP, or -EINVAL for what is
 * none. object_close afterwards in every case, which closes what object_load.h has opened. */
int object_open(struct object *object, const void *bytes, size_t size);
void object_close(struct object *object);

/* NULL where there is none of that name. */
struct object_map *object_map(struct object *object, const char *name);

/* Points the instructions at members where this kernel has them. Returns 0, -ENOTSUP or -EINVAL. */
int object_fit(struct object *object);

#endif
