/* SPDX-License-Identifier: GPL-2.0-only */
/* Where do the links of a directory lead? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/internal.h"
#include "capture/links.h"
#include "capture/list.h"
#include "sys/privileged_call.h"

/* So many cost one rise of rights. */
#define LINKS_AT_ONCE 64

static int links_take_name(void *arg, const char *name)
{
	str_addn(arg, name, strlen(name) + 1);
	return 0;
}

/* Their targets, of which a recording keeps those that were read. fd: of the live directory. */
static void links_read(
	struct capture *fs, const char *dir, int fd, struct privileged_link *links, size_t n)
{
	size_t i;

	if (!fs->replay && !recording_is_on(fs)) {
		privileged_readlinks(fd, links, n);
		return;
	}
	for (i = 0; i < n; i++) {
		char *path = mem_printf("%s/%s", dir, links[i].name);

		if (capture_readlink(fs, path, links[i].target, sizeof(links[i].target)))
			*links[i].target = 0;
		free(path);
	}
}

/* Returns a descriptor or -errno; a replay needs none. */
static int links_open(const struct capture *fs, const char *dir)
{
	int fd = -1;

	if (fs->replay)
		return fd;
	fd = privileged_openat(fs->root, path_below_root(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int capture_list_links(struct capture *fs, const char *dir,
	int (*found)(void *arg, const char *name, const char *target), void *arg)
{
	struct privileged_link links[LINKS_AT_ONCE];
	struct str names = STR_INIT;
	int err = capture_list(fs, dir, links_take_name, &names), stop = 0, fd;
	size_t at = 0, n, i;

	fd = err || !names.len ? -1 : links_open(fs, dir);
	while (at < names.len && !stop) {
		for (n = 0; n < LINKS_AT_ONCE && at < names.len; n++) {
			links[n].name = str_text(&names) + at;
			at += strlen(links[n].name) + 1;
		}
		links_read(fs, dir, fd, links, n);
		for (i = 0; i < n && !stop; i++)
			stop = found(arg, links[i].name, links[i].target);
	}
	if (fd >= 0)
		close(fd);
	str_free(&names);
	return err;
}
