/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of code that a program made while it ran, as it writes them itself: lines "ADDRESS SIZE
 * NAME" in /tmp/perf-PID.map (node --perf-basic-prof, JVM with perf-map-agent or jcmd
 * Compiler.perfmap, Python 3.12 with -X perf). Such a file lies where anybody may put one.
 */
#ifndef TUESDAY_SYMBOLS_PERF_MAP_H
#define TUESDAY_SYMBOLS_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct perf_map_entry {
	uint64_t start, size;
	uint32_t name, order; /* where it begins in the names; its line */
};

struct perf_map {
	struct perf_map_entry *list; /* by address, and then by line */
	size_t n, room;
	char *names;
	size_t names_len, names_room;
	struct timespec changed; /* when the file was */
};

/*
 * That of a process: in its own root, under the pid that it has in its own namespace, a regular
 * file of its own user or of root. Returns 0; -ENOENT; -EPERM for a file of somebody else; or
 * -errno.
 */
int perf_map_read(struct perf_map *map, pid_t pid);
/* The same from the text; what is no such line is left out. */
void perf_map_parse(struct perf_map *map, const char *text, size_t len);
void perf_map_free(struct perf_map *map);

/* The name that was last given to what is at an address, or NULL. */
const char *perf_map_at(const struct perf_map *map, uint64_t address);

#endif
