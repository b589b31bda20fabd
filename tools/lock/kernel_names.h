/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of the running kernel, by address (/proc/kallsyms). */
#ifndef TUESDAY_TOOLS_LOCK_KERNEL_NAMES_H
#define TUESDAY_TOOLS_LOCK_KERNEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct kernel_name {
	uint64_t address;
	const char *name; /* inside text */
};

struct kernel_names {
	char *text;
	struct kernel_name *list; /* in the order of addresses */
	size_t n, room;
};

/* Raises CAPS_LOG, without which the kernel shows no addresses. Returns 0 or -errno. */
int kernel_names_read(struct kernel_names *names);
/* The function that an address is in, or NULL. */
const char *kernel_names_find(const struct kernel_names *names, uint64_t address);
void kernel_names_free(struct kernel_names *names);
/* The same of lines that somebody has already; text is changed and kept. */
void kernel_names_parse(struct kernel_names *names, char *text);

#endif
