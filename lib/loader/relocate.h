/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CO-RE: what a program says of a struct's member, as the running kernel has it.
 *
 * An instruction reads a member of a struct as the compiler knew it; a record beside it names
 * struct and member, by which it is found among the kernel's types (enum bpf_core_relo_kind of
 * linux/bpf.h, and libbpf's relo_core.c, whose rules these are). Structs of modules are not looked
 * for, and what asks for more than members and enumerators is not understood.
 */
#ifndef TUESDAY_LOADER_RELOCATE_H
#define TUESDAY_LOADER_RELOCATE_H

#include <linux/bpf.h>

#include "loader/types.h"

/*
 * Mends an instruction (two of them where it loads 64 bits) by a record. What the kernel does not
 * have becomes an instruction that the verifier refuses, unless it is never reached. Returns 0,
 * -ENOTSUP for what only libbpf or the kernel can do, or -EINVAL.
 */
int relocate(const struct types *object, const struct types *kernel,
	const struct bpf_core_relo *record, struct bpf_insn *at);

#endif
