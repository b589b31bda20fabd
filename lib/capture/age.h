/* SPDX-License-Identifier: GPL-2.0-only */
/* When files were changed. */
#ifndef TUESDAY_CAPTURE_AGE_H
#define TUESDAY_CAPTURE_AGE_H

struct capture;

/*
 * Seconds since the content of path was changed (its mtime), at the time of this sample by the
 * machine's clock: negative for a time to come. In a replay it is what was so then. Returns 0 or
 * -errno.
 */
int capture_age(struct capture *fs, const char *path, double *seconds);

#endif
