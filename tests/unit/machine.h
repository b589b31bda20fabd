/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine made up by a test: a recording in a temporary directory, whose files the test writes
 * sample by sample, two seconds apart.
 */
#ifndef TUESDAY_TEST_MACHINE_H
#define TUESDAY_TEST_MACHINE_H

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "base/str.h"

static char machine_dir[] = "/tmp/tuesday-test-XXXXXX";

/* Writes a file of one sample, with the directories above it. path begins with a slash. */
static inline void machine_write(int sample, const char *path, const char *text)
{
	char *full = mem_printf("%s/%d%s", machine_dir, sample, path), *slash;
	FILE *file;

	for (slash = full + strlen(machine_dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
	free(full);
}

static inline void machine_begin(int samples)
{
	char *environment;
	FILE *file;
	int i;

	if (!mkdtemp(machine_dir))
		exit(1);
	environment = mem_printf("%s/environment", machine_dir);
	file = fopen(environment, "w");
	if (!file)
		exit(1);
	fputs("host test\nkernel 6.1.0\ncpus 4\n", file);
	fclose(file);
	free(environment);
	for (i = 0; i < samples; i++) {
		char *time =
			mem_printf("%llu\n", 1000000000ull + (unsigned long long)i * 2000000000ull);

		machine_write(i, "/time", time);
		free(time);
	}
}

static inline int machine_remove_one(
	const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void machine_end(void)
{
	nftw(machine_dir, machine_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
