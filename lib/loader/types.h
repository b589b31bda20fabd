/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types as BTF has them (Documentation/bpf/btf.rst): those of an object file, and the kernel's own.
 *
 * Of the kernel's there are more than a hundred thousand, and a load wants a few dozen. So they are
 * looked at where the kernel keeps them, once in a process, and what is remembered is where to
 * begin to read and what the names of structs hash to. Numbers of types begin with 1; 0 is void.
 */
#ifndef TUESDAY_LOADER_TYPES_H
#define TUESDAY_LOADER_TYPES_H

#include <bpf/btf.h>
#include <linux/types.h>
#include <stddef.h>

struct types {
	const char *begin, *end; /* the types, one behind the other */
	const char *names;
	__u32 names_len;
	__u32 n;
	__u32 *places; /* of every TYPES_STEP-th type, in bytes from begin on */
	size_t places_room;
	/* What has a name, where somebody looks for these: the first 8 letters as a number, and of
	 * those whose numbers hash alike the one before, counted from 1. */
	struct types_named {
		__u64 letters;
		__u32 id, before;
	} * named;
	size_t n_named, named_room;
	__u32 *lasts; /* of each hash */
};

/* What the kernel calls that which a program of a tracepoint or an iterator is written for: a
 * typedef and a function, each with a name behind. */
#define TYPES_TRACEPOINT "btf_trace_"
#define TYPES_ITERATOR "bpf_iter_"

/* A member, wherever it lies: its type, and where it begins. */
struct types_field {
	__u32 type;	/* no typedef and no qualifier */
	__u32 bit;	/* from the beginning of the outermost struct on */
	__u32 bitfield; /* its bits, 0: it is none */
};

/* Takes size bytes of BTF, which must stay where they are; with names_too names can be looked for.
 * Returns 0, or -EINVAL for what is not BTF of this byte order. types_free afterwards. */
int types_take(struct types *types, const void *btf, size_t size, bool names_too);
void types_free(struct types *types);

/* The kernel's own, for as long as the process lives; NULL: it does not tell. */
const struct types *types_of_kernel(void);

/* NULL where there is none of that number. */
const struct btf_type *types_at(const struct types *types, __u32 id);
/* "" where there is none. */
const char *types_name(const struct types *types, __u32 offset);
/* Without typedefs, const and the like. */
__u32 types_bare(const struct types *types, __u32 id);
/* In bytes, 0: it has none. */
__u32 types_size(const struct types *types, __u32 id);

/* The last type whose name has these len letters, before another one that was found so (0: of all),
 * among composites, enumerations and what programs are written for. Returns 0 where there is none.
 */
__u32 types_find(const struct types *types, const char *name, size_t len, __u32 before);
__u32 types_find_kind(const struct types *types, const char *name, __u32 kind);

/* Steps into a member by its name, also through members that have none. Returns 0 or -ENOENT. */
int types_step(const struct types *types, struct types_field *field, const char *name);
/* Steps into a member or an element of an array by its number. Returns 0 or -ENOENT. */
int types_step_number(const struct types *types, struct types_field *field, __u32 number);

#endif
