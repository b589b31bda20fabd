/* SPDX-License-Identifier: GPL-2.0-only */
/* How long ago was a file changed? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "base/str.h"
#include "capture/age.h"
#include "capture/internal.h"
#include "sys/privileged_call.h"

static int age_replay(struct capture *fs, const char *name, double *seconds)
{
	char text[32], *end;
	struct bytes bytes;
	int err = capture_read_once(fs, name, &bytes);

	if (err)
		return err;
	if (!bytes.len || bytes.len >= sizeof(text))
		return -EBADMSG;
	memcpy(text, bytes.data, bytes.len);
	text[bytes.len] = 0;
	*seconds = strtod(text, &end);
	return end == text || (*end && *end != '\n') ? -EBADMSG : 0;
}

/* Its presence is recorded too, for patterns that look for it. */
static int age_live(struct capture *fs, const char *path, double *seconds)
{
	struct timespec now;
	struct stat st;

	if (privileged_fstatat(fs->root, path_below_root(path), &st, AT_NO_AUTOMOUNT))
		return -errno;
	clock_gettime(CLOCK_REALTIME, &now);
	*seconds = (double)(now.tv_sec - st.st_mtim.tv_sec) +
		(double)(now.tv_nsec - st.st_mtim.tv_nsec) / 1e9;
	recording_put_presence(fs, path, S_ISDIR(st.st_mode));
	return 0;
}

int capture_age(struct capture *fs, const char *path, double *seconds)
{
	char *name, text[32];
	int err;

	if (!path_is_sound(path))
		return -EINVAL;
	name = mem_printf("%s" AGE_SUFFIX, path);
	if (fs->replay) {
		err = age_replay(fs, name, seconds);
	} else {
		err = age_live(fs, path, seconds);
		recording_put_error(fs, name, err);
		if (!err && recording_is_on(fs)) {
			int n = snprintf(text, sizeof(text), "%.3f\n", *seconds);

			recording_put(fs, name, text, (size_t)n);
		}
	}
	free(name);
	return err;
}
