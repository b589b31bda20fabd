/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a program installed? Fields are names of programs: 1 where one of that name is in a directory
 * where systems keep them, else 0. The PATH of whoever runs this says nothing about that.
 */
#include "base/banned.h"
#include "capture/capture.h"
#include "sample/source.h"
#include "base/str.h"
#include "sample/sink.h"

struct looking {
	struct capture *fs;
	struct sink *sink;
};

static void program_look_for(void *arg, const char *name)
{
	static const char *const dirs[] = {
		"/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin", "/usr/local/sbin"};
	struct looking *looking = arg;
	bool found = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dirs) && !found; i++) {
		char *path = mem_printf("%s/%s", dirs[i], name);

		found = capture_exists(looking->fs, path);
		free(path);
	}
	sink_put(looking->sink, "", name, found);
}

static int read_programs(struct capture *fs, void *state, struct sink *sink)
{
	struct looking looking = {fs, sink};

	(void)state;
	sink_each_wanted(sink, program_look_for, &looking);
	return 0;
}

SOURCE(program) = {
	.name = "program",
	.what = "whether a program of that name is installed: 1 or 0",
	.read = read_programs,
};
