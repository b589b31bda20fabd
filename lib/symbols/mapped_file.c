/* SPDX-License-Identifier: GPL-2.0-only */
/* How is the file opened that a process runs, whatever has become of its path? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/str.h"
#include "symbols/elf_image.h"
#include "symbols/mapped_file.h"
#include "symbols/process_maps.h"
#include "sys/caps.h"
#include "sys/open_beneath.h"
#include "sys/privileged_call.h"
#include "sys/read_write.h"

#define DEBUG_FILES "usr/lib/debug/.build-id/"

/* A link of the kernel's own: it leads to the file itself, and takes CAP_SYS_ADMIN. */
static int mapped_by_link(pid_t pid, const struct process_map *map)
{
	const int rights = CAPS_NAMESPACE | CAPS_READ | CAPS_PTRACE;
	const bool raised = caps_lend(rights);
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid,
		map->start, map->end);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (raised)
		caps_lower(rights);
	return fd;
}

static bool mapped_is_same(int fd, const struct process_map *map)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == map->inode && major(st.st_dev) == map->major &&
		minor(st.st_dev) == map->minor;
}

static int mapped_beneath(const char *root, const char *path)
{
	int dir = privileged_openat(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (dir < 0)
		return -errno;
	fd = privileged_beneath_open(dir, path, O_RDONLY);
	close(dir);
	return fd;
}

static int mapped_in_root(pid_t pid, const char *path)
{
	char root[32];

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	return mapped_beneath(root, path);
}

/* The kernel's own page of code, which is in this process too. */
static int mapped_vdso(void)
{
	const uint64_t start = getauxval(AT_SYSINFO_EHDR);
	struct process_maps maps = {.n = 0};
	const struct process_map *map;
	int fd = -ENOENT;

	process_maps_read(&maps, getpid());
	map = process_maps_at(&maps, start);
	if (map && map->kind == PROCESS_MAP_VDSO)
		fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0)
		write_all(fd, (const void *)(uintptr_t)map->start, map->end - map->start);
	process_maps_free(&maps);
	return fd;
}

int mapped_file_open(pid_t pid, const struct process_map *map)
{
	char exe[32];
	int fd;

	if (map->kind == PROCESS_MAP_VDSO)
		return mapped_vdso();
	if (!map->path)
		return -ENOENT;
	fd = mapped_by_link(pid, map);
	if (fd >= 0)
		return fd;
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	fd = privileged_openat(AT_FDCWD, exe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && mapped_is_same(fd, map))
		return fd;
	if (fd >= 0)
		close(fd);
	fd = mapped_in_root(pid, map->path);
	/* It may have ended, and its root with it. */
	if (fd == -ENOENT)
		fd = mapped_beneath("/", map->path);
	if (fd < 0 || mapped_is_same(fd, map))
		return fd;
	close(fd);
	return -ESTALE;
}

/* "usr/lib/debug/.build-id/01/23….debug" */
static void mapped_add_build_id(struct str *out, const struct elf_facts *facts)
{
	str_add(out, DEBUG_FILES);
	for (uint32_t i = 0; i < facts->build_id_len; i++)
		str_addf(out, i == 1 ? "/%02x" : "%02x", facts->build_id[i]);
	str_add(out, ".debug");
}

int mapped_file_open_debug(pid_t pid, const char *path, const struct elf_facts *facts, int which)
{
	const char *slash = strrchr(path, '/');
	struct str name = STR_INIT;
	int fd = -ENOENT;

	if (which > 3)
		return -ENODATA;
	if (which < 2 && facts->build_id_len > 1) {
		mapped_add_build_id(&name, facts);
		fd = which ? mapped_beneath("/", str_text(&name))
			   : mapped_in_root(pid, str_text(&name));
	} else if (which >= 2 && *facts->debug_link && slash) {
		str_addn(&name, path, (size_t)(slash - path) + 1);
		str_addf(&name, "%s%s", which == 2 ? "" : ".debug/", facts->debug_link);
		fd = mapped_in_root(pid, str_text(&name));
	}
	str_free(&name);
	return fd;
}
