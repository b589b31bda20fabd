/* SPDX-License-Identifier: GPL-2.0-only */
/* What is mounted where. */
#ifndef TUESDAY_SOURCES_COMMON_MOUNTINFO_H
#define TUESDAY_SOURCES_COMMON_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/capture.h"

/* A line of /proc/self/mountinfo. Texts are decoded, terminated, and valid during the call. */
struct mount_line {
	unsigned int major, minor;
	const char *root;	   /* of the file system, as mounted here */
	const char *point;	   /* where it is mounted */
	const char *options;	   /* of this mount: "ro,nosuid" */
	const char *type;	   /* "ext4" */
	const char *device;	   /* "/dev/sda1" */
	const char *super_options; /* of the file system: "rw,memory" */
};

void parse_mountinfo(
	struct bytes text, void (*each)(void *arg, const struct mount_line *mount), void *arg);
/* The same of /proc/mounts: devices are 0:0, the root is "/", and both options are all options. */
void parse_mounts(
	struct bytes text, void (*each)(void *arg, const struct mount_line *mount), void *arg);

/*
 * What is mounted, by /proc/self/mountinfo; of a machine that is only a tree of files by what this
 * has of the lists: of its process 1, or the older ones without device numbers. Returns 0, or the
 * -errno of the first.
 */
int mounts_read(
	struct capture *fs, void (*each)(void *arg, const struct mount_line *mount), void *arg);

/* Whether word is one of "rw,nosuid,relatime". */
bool mount_has_option(const char *options, const char *word);

/* A path as the kernel writes it into its lists of mounts, decoded and terminated. False where it
 * does not fit, is empty, or has a 0 inside. */
bool parse_mount_path(struct bytes word, char *out, size_t size);

#endif
