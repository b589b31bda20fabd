/* SPDX-License-Identifier: GPL-2.0-only */
/* Where is cpu.stat of a process, and what does it say? */
#include "base/banned.h"

#include <inttypes.h>

#include "base/str.h"
#include "naps/cpu_group.h"
#include "naps/proc_file.h"
#include "sources/common/mountinfo.h"

#define MOUNTS_TEXT 262144
#define GROUP_TEXT 4096

struct group_mounts {
	char v1[128], v2[128];
};

static void group_mount(void *arg, const struct mount_line *mount)
{
	struct group_mounts *mounts = arg;

	if (!strcmp(mount->type, "cgroup2") && !*mounts->v2)
		snprintf(mounts->v2, sizeof(mounts->v2), "%s", mount->point);
	if (!strcmp(mount->type, "cgroup") && !*mounts->v1 &&
		mount_has_option(mount->super_options, "cpu"))
		snprintf(mounts->v1, sizeof(mounts->v1), "%s", mount->point);
}

bool cpu_group_mount(struct cpu_group *group)
{
	struct group_mounts mounts = {0};
	char *text = mem_alloc(MOUNTS_TEXT);
	const ssize_t len = proc_file_read("/proc/self/mountinfo", text, MOUNTS_TEXT);

	*group = (struct cpu_group){0};
	if (len > 0)
		parse_mountinfo((struct bytes){text, (size_t)len}, group_mount, &mounts);
	free(text);
	snprintf(group->point, sizeof(group->point), "%s", *mounts.v1 ? mounts.v1 : mounts.v2);
	return *group->point;
}

/* "4:cpu,cpuacct:/web" of v1, "0::/web" of v2. */
bool cpu_group_parse_path(const char *text, const char *controller, char *out, size_t size)
{
	const char *line, *controllers, *path;

	for (line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char list[128];
		size_t n;

		controllers = line + strcspn(line, ":\n");
		if (*controllers != ':')
			continue;
		path = controllers + 1 + strcspn(controllers + 1, ":\n");
		n = (size_t)(path - controllers - 1);
		if (*path != ':' || n >= sizeof(list))
			continue;
		memcpy(list, controllers + 1, n);
		list[n] = 0;
		if (controller ? !mount_has_option(list, controller) : n > 0)
			continue;
		n = strcspn(path + 1, "\n");
		if (n >= size || path[1] != '/')
			return false;
		snprintf(out, size, "%.*s", (int)n, n == 1 ? "" : path + 1);
		return true;
	}
	return false;
}

bool cpu_group_path(pid_t pid, const char *controller, char *out, size_t size)
{
	char path[64], text[GROUP_TEXT];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	return proc_file_read(path, text, sizeof(text)) > 0 &&
		((controller && cpu_group_parse_path(text, controller, out, size)) ||
			cpu_group_parse_path(text, NULL, out, size));
}

bool cpu_group_of(struct cpu_group *group, pid_t pid)
{
	group->path[0] = 0;
	return *group->point && cpu_group_path(pid, "cpu", group->path, sizeof(group->path));
}

uint64_t cpu_group_parse_stat(const char *text)
{
	const char *found = strstr(text, "throttled_time "), *v2 = strstr(text, "throttled_usec ");
	uint64_t value = 0;

	if (!found && !v2)
		return 0;
	if (sscanf(found ? found : v2, "%*s %" SCNu64, &value) != 1)
		return 0;
	return found ? value : value * 1000;
}

uint64_t cpu_group_throttled_ns(const struct cpu_group *group)
{
	char path[CPU_GROUP_PATH], text[GROUP_TEXT], *slash;
	uint64_t sum = 0;

	snprintf(path, sizeof(path), "%s", group->path);
	while (*group->point && *path) {
		char file[CPU_GROUP_PATH + 256];

		snprintf(file, sizeof(file), "%s%s/cpu.stat", group->point, path);
		if (proc_file_read(file, text, sizeof(text)) > 0)
			sum += cpu_group_parse_stat(text);
		slash = strrchr(path, '/');
		if (!slash)
			break;
		*slash = 0;
	}
	return sum;
}
