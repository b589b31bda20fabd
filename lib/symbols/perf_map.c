/* SPDX-License-Identifier: GPL-2.0-only */
/* What does a program call the code that it has made? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "symbols/perf_map.h"
#include "sys/open_beneath.h"
#include "sys/privileged_call.h"
#include "sys/read_write.h"

enum {
	TEXT_MAX = 128 << 20, /* a JVM that compiled 100,000 methods has 10 MiB */
	ENTRIES_MAX = 1 << 21,
	NAME_MAX_BYTES = 1024,
	/* Code that was made anew lies over older code: as many lines back are asked. */
	LOOK_BACK = 32,
};

static int perf_map_by_address(const void *a, const void *b)
{
	const struct perf_map_entry *left = a, *right = b;

	if (left->start != right->start)
		return left->start > right->start ? 1 : -1;
	return left->order > right->order ? 1 : -1;
}

static void perf_map_add(
	struct perf_map *map, struct perf_map_entry entry, const char *name, size_t len)
{
	len = len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES;
	while (map->names_len + len + 1 > map->names_room) {
		map->names_room = map->names_room ? map->names_room * 2 : 4096;
		map->names = mem_realloc_array(map->names, map->names_room, 1);
	}
	entry.name = (uint32_t)map->names_len;
	memcpy(map->names + map->names_len, name, len);
	map->names[map->names_len + len] = 0;
	map->names_len += len + 1;
	ARRAY_GROW(map->list, map->n, map->room);
	map->list[map->n++] = entry;
}

/* Some write "0x" before their numbers. */
static void perf_map_skip_prefix(const char **at, const char *end)
{
	if (end - *at > 2 && (*at)[0] == '0' && (*at)[1] == 'x')
		*at += 2;
}

void perf_map_parse(struct perf_map *map, const char *text, size_t len)
{
	const char *end = text + len, *line_end;

	for (; text < end && map->n < ENTRIES_MAX; text = line_end + 1) {
		struct perf_map_entry entry = {.order = (uint32_t)map->n};
		const char *at = text;

		line_end = memchr(text, '\n', (size_t)(end - text));
		line_end = line_end ? line_end : end;
		perf_map_skip_prefix(&at, line_end);
		if (num_next_hex(&at, line_end, &entry.start) || at == line_end || *at++ != ' ')
			continue;
		perf_map_skip_prefix(&at, line_end);
		if (num_next_hex(&at, line_end, &entry.size) || at == line_end || *at++ != ' ' ||
			at == line_end || !entry.size || memchr(at, 0, (size_t)(line_end - at)))
			continue;
		perf_map_add(map, entry, at, (size_t)(line_end - at));
	}
	if (map->n)
		qsort(map->list, map->n, sizeof(*map->list), perf_map_by_address);
}

/* The pid in the innermost namespace and the effective user. */
static int perf_map_who(pid_t pid, uint64_t *inner_pid, uint64_t *user)
{
	struct str status = STR_INIT;
	const char *end, *at;
	char path[40];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_all(fd, 65536, &status);
	close(fd);
	end = str_text(&status) + status.len;
	at = err ? NULL : strstr(str_text(&status), "\nUid:");
	at = at ? at + 5 : NULL;
	/* Real, then effective. */
	if (!at || num_next(&at, end, user) || num_next(&at, end, user))
		err = err ? err : -ENOENT;
	*inner_pid = (uint64_t)pid;
	at = err ? NULL : strstr(str_text(&status), "\nNSpid:");
	for (at = at ? at + 7 : end; at < end && *at != '\n' && !num_next(&at, end, inner_pid);)
		;
	str_free(&status);
	return err;
}

/* The file, if it is one that the process, or root, has written. */
static int perf_map_open(pid_t pid, struct stat *st)
{
	uint64_t inner_pid, user;
	char path[64];
	int root, fd, err = perf_map_who(pid, &inner_pid, &user);

	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	root = privileged_openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	snprintf(path, sizeof(path), "tmp/perf-%llu.map", (unsigned long long)inner_pid);
	fd = privileged_beneath_open(root, path, O_RDONLY);
	close(root);
	if (fd < 0)
		return fd;
	if (fstat(fd, st) || !S_ISREG(st->st_mode) || (st->st_uid != user && st->st_uid)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int perf_map_read(struct perf_map *map, pid_t pid)
{
	struct str text = STR_INIT;
	struct stat st;
	int fd = perf_map_open(pid, &st), err;

	if (fd < 0)
		return fd;
	map->changed = st.st_mtim;
	err = read_all(fd, TEXT_MAX, &text);
	close(fd);
	if (!err || err == -EFBIG)
		perf_map_parse(map, str_text(&text), text.len);
	str_free(&text);
	return err == -EFBIG ? 0 : err;
}

void perf_map_free(struct perf_map *map)
{
	free(map->list);
	free(map->names);
	*map = (struct perf_map){.n = 0};
}

const char *perf_map_at(const struct perf_map *map, uint64_t address)
{
	const struct perf_map_entry *best = NULL;
	size_t low = 0, high = map->n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (map->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i && low - i < LOOK_BACK; i--) {
		const struct perf_map_entry *entry = &map->list[i - 1];

		if (address - entry->start < entry->size && (!best || entry->order > best->order))
			best = entry;
	}
	return best ? map->names + best->name : NULL;
}
