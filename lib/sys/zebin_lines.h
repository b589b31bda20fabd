/* SPDX-License-Identifier: GPL-2.0-only */
/* The source lines of the kernels in a zebin. */
#ifndef TUESDAY_SYS_ZEBIN_LINES_H
#define TUESDAY_SYS_ZEBIN_LINES_H

#include <gelf.h>
#include <stddef.h>

#include "sys/zebin_elf.h"

/*
 * Gives each kernel the lines that .debug_line has for it. Where the addresses there are to be
 * relocated, they are by the symbol that is meant; else they are addresses of the GPU, as in a
 * debugger's dump, or offsets where there is one kernel only. sections: that of each kernel,
 * ascending. What is damaged has no lines.
 */
void zebin_lines_take(struct zebin *zebin, Elf *elf, const size_t *sections);

#endif
