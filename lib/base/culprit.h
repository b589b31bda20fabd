/* SPDX-License-Identifier: GPL-2.0-only */
/* Whom a metric or a trace points at. */
#ifndef TUESDAY_BASE_CULPRIT_H
#define TUESDAY_BASE_CULPRIT_H

/* Who is to blame, as far as was seen. All text is hostile: writers escape it. */
struct culprit {
	char kind[16];	/* "process", "cgroup", "device", "listener", "remote", "cpu", "reason" */
	char name[128]; /* terminated */
	char id[64];	/* a pid, an inode, a device number; "" where there is none */
	double share;	/* of the harm, 0..1; negative where not known */
	/* Of a process, for people: the unit of systemd or the pod that it is in, "" for none, and
	 * since how many seconds it runs, 0 where that is not known. */
	char unit[64];
	double up_seconds;
};

#endif
