/* SPDX-License-Identifier: GPL-2.0-only */
/* Which runtimes of a GPU are in use? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "tools/gpu/runtimes.h"

enum { LINKS_MAX = 4096, LINES_MAX = 262144, NAMES = RUNTIME_ASKED };

static const char *const names[NAMES] = {
	[RUNTIME_DRIVER] = "libze_intel_gpu.so",
	[RUNTIME_LEVEL_ZERO] = "libze_loader.so",
	[RUNTIME_OPENCL] = "libOpenCL.so",
};

/* Of a process, by the index of names. */
struct found {
	char *paths[NAMES];
};

static bool has_gpu(int pid)
{
	char path[64], target[32];
	struct dirent *entry;
	bool has = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	for (int i = 0; dir && !has && i < LINKS_MAX && (entry = readdir(dir)); i++) {
		const ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = 0;
		has = str_starts(target, "/dev/dri/");
	}
	if (dir)
		closedir(dir);
	return has;
}

static void runtimes_take_line(struct found *found, char *line)
{
	char *path = strchr(line, '/');
	const char *base;

	if (!path)
		return;
	path[strcspn(path, "\n")] = 0;
	base = strrchr(path, '/') + 1;
	for (size_t i = 0; i < NAMES; i++)
		if (str_starts(base, names[i]) && !found->paths[i])
			found->paths[i] = mem_strdup(path);
}

/* The same file by another path, or of another process. */
static bool runtimes_has_file(const struct runtimes *runtimes, const char *file)
{
	struct stat st, other;

	if (stat(file, &st))
		return true;
	for (size_t i = 0; i < runtimes->n; i++)
		if (!stat(runtimes->files[i], &other) && other.st_dev == st.st_dev &&
			other.st_ino == st.st_ino)
			return true;
	return false;
}

static void runtimes_add_file(struct runtimes *runtimes, char *file, enum runtime_kind kind)
{
	if (runtimes->n == RUNTIMES_MAX || runtimes_has_file(runtimes, file)) {
		free(file);
		return;
	}
	runtimes->kinds[runtimes->n] = kind;
	runtimes->files[runtimes->n++] = file;
}

static void runtimes_look_at_process(struct runtimes *runtimes, int pid)
{
	struct found found = {0};
	char path[64], *line = NULL;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	for (int i = 0; maps && i < LINES_MAX && getline(&line, &size, maps) > 0; i++)
		runtimes_take_line(&found, line);
	if (maps)
		fclose(maps);
	free(line);
	for (size_t i = 0; i < NAMES; i++) {
		if (found.paths[i])
			runtimes_add_file(runtimes,
				mem_printf("/proc/%d/root%s", pid, found.paths[i]),
				(enum runtime_kind)i);
		free(found.paths[i]);
	}
}

void runtimes_find(struct runtimes *runtimes, const char *library)
{
	struct dirent *entry;
	uint64_t pid;
	DIR *dir;

	if (library) {
		runtimes_add_file(runtimes, mem_strdup(library), RUNTIME_ASKED);
		return;
	}
	dir = opendir("/proc");
	while (dir && runtimes->n < RUNTIMES_MAX && (entry = readdir(dir)))
		if (!num_u64(entry->d_name, 1, INT32_MAX, &pid) && has_gpu((int)pid))
			runtimes_look_at_process(runtimes, (int)pid);
	if (dir)
		closedir(dir);
}

void runtimes_free(struct runtimes *runtimes)
{
	for (size_t i = 0; i < runtimes->n; i++)
		free(runtimes->files[i]);
	runtimes->n = 0;
}
