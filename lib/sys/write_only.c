/* SPDX-License-Identifier: GPL-2.0-only */
/* What can somebody still write who was deceived by what he read? */
#include "base/banned.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/write_only.h"

#define WRITES_TO_FILES LANDLOCK_ACCESS_FS_WRITE_FILE
#define WRITES_TO_FOLDERS \
	(LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
		LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | \
		LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | \
		LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | \
		LANDLOCK_ACCESS_FS_MAKE_SYM)

/* The file itself where it is a device or a pipe, else its folder: a file that is replaced in one
 * step has another name first. Returns a descriptor or -1. */
static int write_only_open(const char *file, uint64_t *may)
{
	const char *slash = strrchr(file, '/');
	struct stat st;
	char *folder;
	int fd;

	*may = WRITES_TO_FILES;
	if (!stat(file, &st) && !S_ISREG(st.st_mode))
		return open(file, O_PATH | O_CLOEXEC);
	*may |= WRITES_TO_FOLDERS;
	folder = slash == file ? mem_strdup("/")
		: slash	       ? mem_strndup(file, (size_t)(slash - file))
			       : mem_strdup(".");
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return fd;
}

/* A folder that is not there needs no rule: nothing can be written in it. */
static void write_only_allow(int rules, const char *file)
{
	struct landlock_path_beneath_attr rule = {0};
	uint64_t may;

	rule.parent_fd = write_only_open(file, &may);
	rule.allowed_access = may;
	if (rule.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

void write_only(const char *const *files, size_t n)
{
	const struct landlock_ruleset_attr all = {
		.handled_access_fs = WRITES_TO_FILES | WRITES_TO_FOLDERS};
	int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	size_t i;

	if (rules < 0)
		return;
	for (i = 0; i < n; i++)
		if (files[i])
			write_only_allow(rules, files[i]);
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}
