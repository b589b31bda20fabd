/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of each open inotify instance: the record that the iterator writes and that a
 * recording holds. <linux/types.h> comes first.
 */
#ifndef TUESDAY_BPF_ITER_INOTIFY_H
#define TUESDAY_BPF_ITER_INOTIFY_H

/* Changes whenever the record does: a recording with another one is not read. */
#define INOTIFY_RECORD_VERSION 1

/* One for each descriptor, and one more for each user namespace above, since each has its limit. */
struct inotify_record {
	__u64 instances;     /* of the user, whoever holds them */
	__u64 instances_max; /* what the namespace allows each user */
	__u64 watches;
	__u64 watches_max;
	__u32 uid; /* as the initial namespace numbers it */
	__u32 namespace;
	__u32 pid;
	__u32 added; /* the number of the last watch of this descriptor: they count upwards */
	__u8 comm[16];
};

#endif
