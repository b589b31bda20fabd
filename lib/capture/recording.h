/* SPDX-License-Identifier: GPL-2.0-only */
/* What is read, kept for a replay. */
#ifndef TUESDAY_CAPTURE_RECORDING_H
#define TUESDAY_CAPTURE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

struct capture;
struct str;

/* What stands between what is read and what is recorded. arg is the filter's own. */
struct recording_filter {
	/* Appends the path of a file or blob ("/proc/net/dev", "@task") as it is to be called in
	 * the recording. */
	void (*path)(const void *arg, const char *path, struct str *out);
	/* Appends what is to be recorded of a content; path is the one before. Returns false where
	 * that cannot be told, so that it must be left out. */
	bool (*content)(
		const void *arg, const char *path, const void *data, size_t len, struct str *out);
	/* Appends the value of a key of the environment. */
	void (*environment)(const void *arg, const char *key, const char *value, struct str *out);
	void (*free)(void *arg);
};

/* From now on what is recorded goes through a filter. Must precede the first sample; arg belongs to
 * fs then. */
void capture_filter(struct capture *fs, const struct recording_filter *filter, void *arg);
/* How many blobs were left out of the recording, since nobody knows what names are in them. */
size_t capture_left_out(const struct capture *fs);

/* The first error that kept something out of the recording, as -errno, or 0: a recording with an
 * error is not whole, and whoever asked for it must hear of it. */
int capture_recording_error(const struct capture *fs);

/* While paused nothing that is read is recorded, for a source that reads many files and records
 * what it made of them as a blob. Returns whether it was paused before. */
bool capture_pause_recording(struct capture *fs, bool paused);

/*
 * While carrying is on, what is recorded is also remembered; capture_carried, called in a later
 * sample, records it there too unless that has it anew. So what was found out in between is known
 * to a replay, which judges once, at the end. capture_carry returns whether it was on before.
 */
bool capture_carry(struct capture *fs, bool on);
void capture_carried(struct capture *fs);

#endif
