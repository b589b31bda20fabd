/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in a process is code, and of which files? From /proc/PID/maps, never smaps, which stops the
 * process while it is read. Paths are texts of others. */
#ifndef TUESDAY_SYMBOLS_PROCESS_MAPS_H
#define TUESDAY_SYMBOLS_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESS_MAPS_MAX = 16384 }; /* mappings with code; what is beyond them is left out */

enum process_map_kind {
	PROCESS_MAP_FILE,
	PROCESS_MAP_ANONYMOUS, /* code that was made while the program ran: a JIT */
	PROCESS_MAP_VDSO,
	PROCESS_MAP_OTHER, /* [vsyscall], [uprobes], … */
};

struct process_map {
	uint64_t start, end, offset; /* offset: in the file */
	uint64_t inode;
	uint32_t major, minor; /* of the device that has the file */
	enum process_map_kind kind;
	bool deleted; /* the file has no name any more */
	char *path;   /* as the process sees it; NULL where it is no file */
};

struct process_maps {
	struct process_map *list; /* by address */
	size_t n, room;
};

/* All that may be executed. Returns 0 or -errno. */
int process_maps_read(struct process_maps *maps, pid_t pid);
/* The same from the text. */
void process_maps_parse(struct process_maps *maps, const char *text, size_t len);
void process_maps_free(struct process_maps *maps);

/* The one that has an address, or NULL. */
const struct process_map *process_maps_at(const struct process_maps *maps, uint64_t address);

#endif
