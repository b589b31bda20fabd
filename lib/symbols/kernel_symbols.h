/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the kernel's functions, from /proc/kallsyms. */
#ifndef TUESDAY_SYMBOLS_KERNEL_SYMBOLS_H
#define TUESDAY_SYMBOLS_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct kernel_symbol {
	uint64_t address;
	uint32_t name; /* where it begins in the names */
};

struct kernel_symbols {
	struct kernel_symbol *list; /* by address */
	size_t n, room;
	char *names; /* "name" or "name [module]" */
	size_t names_len, names_room;
};

/* Needs CAP_SYSLOG where kernel.kptr_restrict hides addresses, and raises it. Returns 0; -EACCES
 * where all addresses are hidden; or -errno. */
int kernel_symbols_read(struct kernel_symbols *symbols);
/* The same from the text. */
void kernel_symbols_parse(struct kernel_symbols *symbols, const char *text, size_t len);
void kernel_symbols_free(struct kernel_symbols *symbols);

/* The function at an address, or NULL. */
const char *kernel_symbols_at(const struct kernel_symbols *symbols, uint64_t address);

#endif
