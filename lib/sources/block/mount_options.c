/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How is each file system mounted? Instances are mount points, and a field is any option of the
 * mount or of its file system: 1 where it was given, else 0, and no number where that cannot be
 * told. Unlike the source mount this asks no file system anything.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>

#include "capture/capture.h"
#include "sample/source.h"
#include "base/str.h"
#include "sample/sink.h"
#include "sources/block/mount_options.h"
#include "sources/common/mountinfo.h"

struct asking {
	struct sink *sink;
	const struct mount_line *mount;
};

/* The client of 9p sets these itself wherever it does not keep writes back, so that whether anybody
 * gave them cannot be told. */
static bool option_is_set_by_kernel(const struct mount_line *mount, const char *option)
{
	return !strcmp(mount->type, "9p") &&
		(!strcmp(option, "sync") || !strcmp(option, "dirsync"));
}

/* Asked for is "sync", or "/srv.sync" of one mount. */
static void put_option(void *arg, const char *field)
{
	const struct asking *asking = arg;
	const struct mount_line *mount = asking->mount;
	const char *dot = strrchr(field, '.'), *option = dot ? dot + 1 : field;

	if (option_is_set_by_kernel(mount, option))
		return;
	sink_put(asking->sink, mount->point, option,
		mount_has_option(mount->options, option) ||
			mount_has_option(mount->super_options, option));
}

void put_mount_options(void *sink, const struct mount_line *mount)
{
	struct asking asking = {sink, mount};

	sink_each_wanted(sink, put_option, &asking);
}

static int read_options(struct capture *fs, void *state, struct sink *sink)
{
	int err = mounts_read(fs, put_mount_options, sink);

	(void)state;
	if (err)
		sink_missing(sink, "/proc/self/mountinfo: %s", strerror(-err));
	return err;
}

SOURCE(mountoption) = {
	.name = "mountoption",
	.what = "whether a file system was mounted with an option of that name: 1 or 0",
	.read = read_options,
};
