/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for addresses in the code of running processes, by the symbol tables of the files that they
 * have mapped. Those files are theirs and hostile: nothing of them is believed but a name, and no
 * link is followed.
 */
#ifndef TUESDAY_TOOLS_GPU_SYMBOLS_H
#define TUESDAY_TOOLS_GPU_SYMBOLS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);
/*
 * Appends the function at an address of a process: its name; where none is known, "FILE+0xOFFSET";
 * where not even the file is, "[unknown]". A process that has ended has no names, so ask early.
 */
void symbols_add_name(struct symbols *symbols, pid_t pid, uint64_t address, struct str *out);

#endif
