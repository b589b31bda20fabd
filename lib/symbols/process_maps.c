/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mapping of a process has this address? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "symbols/process_maps.h"
#include "sys/privileged_call.h"
#include "sys/read_write.h"

enum { TEXT_MAX = 32 << 20 }; /* of 300,000 mappings */

#define DELETED " (deleted)"

/* A number and the byte behind it. */
static bool process_map_number(const char **at, const char *end, char behind, uint64_t *out)
{
	if (num_next_hex(at, end, out) || *at == end || **at != behind)
		return false;
	++*at;
	return true;
}

/* "path", "[vdso]" or nothing. A newline in a path is \012 there; that is left as it is. */
static void process_map_name(struct process_map *map, const char *name, size_t len)
{
	const size_t deleted = strlen(DELETED);

	map->kind = PROCESS_MAP_OTHER;
	if (len && *name == '/') {
		map->kind = PROCESS_MAP_FILE;
		map->deleted = len > deleted && !memcmp(name + len - deleted, DELETED, deleted);
		len -= map->deleted ? deleted : 0;
		map->path = mem_strndup(name, len);
	} else if (!len || (len > 6 && !memcmp(name, "[anon:", 6)) ||
		(len == 6 && !memcmp(name, "[heap]", 6)) ||
		!memcmp(name, "[stack", len < 6 ? len : 6)) {
		map->kind = PROCESS_MAP_ANONYMOUS;
	} else if (len == 6 && !memcmp(name, "[vdso]", 6)) {
		map->kind = PROCESS_MAP_VDSO;
	}
	/* A file in memory that has no name anywhere holds what a JIT made. */
	if (map->path &&
		(str_starts(map->path, "/memfd:") || str_starts(map->path, "/dev/zero") ||
			str_starts(map->path, "/SYSV") || str_same(map->path, "//anon"))) {
		map->kind = PROCESS_MAP_ANONYMOUS;
		map->deleted = false;
	}
}

/* "start-end perms offset major:minor inode   path" */
static bool process_map_line(struct process_map *map, const char *at, const char *end)
{
	uint64_t major, minor;

	*map = (struct process_map){.start = 0};
	if (!process_map_number(&at, end, '-', &map->start) ||
		!process_map_number(&at, end, ' ', &map->end) || end - at < 5 || at[2] != 'x')
		return false;
	at += 5;
	if (!process_map_number(&at, end, ' ', &map->offset) ||
		!process_map_number(&at, end, ':', &major) ||
		!process_map_number(&at, end, ' ', &minor) || num_next(&at, end, &map->inode))
		return false;
	map->major = (uint32_t)major;
	map->minor = (uint32_t)minor;
	while (at < end && *at == ' ')
		at++;
	if (map->start >= map->end)
		return false;
	process_map_name(map, at, (size_t)(end - at));
	return true;
}

void process_maps_parse(struct process_maps *maps, const char *text, size_t len)
{
	const char *end = text + len, *line_end;
	uint64_t last = 0;

	for (; text < end && maps->n < PROCESS_MAPS_MAX; text = line_end + 1) {
		struct process_map map;

		line_end = memchr(text, '\n', (size_t)(end - text));
		line_end = line_end ? line_end : end;
		if (!process_map_line(&map, text, line_end))
			continue;
		if (map.start < last) {
			free(map.path);
			continue;
		}
		last = map.end;
		ARRAY_GROW(maps->list, maps->n, maps->room);
		maps->list[maps->n++] = map;
	}
}

int process_maps_read(struct process_maps *maps, pid_t pid)
{
	struct str text = STR_INIT;
	char path[40];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_all(fd, TEXT_MAX, &text);
	close(fd);
	if (!err || err == -EFBIG)
		process_maps_parse(maps, str_text(&text), text.len);
	str_free(&text);
	return err == -EFBIG ? 0 : err;
}

void process_maps_free(struct process_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		free(maps->list[i].path);
	free(maps->list);
	*maps = (struct process_maps){.n = 0};
}

const struct process_map *process_maps_at(const struct process_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (maps->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < maps->n && maps->list[low].start <= address ? &maps->list[low] : NULL;
}
