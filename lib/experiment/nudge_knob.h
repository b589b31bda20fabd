/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a cgroup that takes a little away from it: CPU time by its quota, or bytes a second
 * of a disk. What is taken is taken from what it uses, since a quota that nobody reaches harms
 * nobody.
 */
#ifndef TUESDAY_EXPERIMENT_NUDGE_KNOB_H
#define TUESDAY_EXPERIMENT_NUDGE_KNOB_H

#include <stdbool.h>
#include <stdint.h>

struct str;

#define NUDGE_PATH 512

enum nudge_kind { NUDGE_QUOTA, NUDGE_IO };

struct nudge_knob {
	enum nudge_kind kind;
	bool v2;		    /* cgroup v2 */
	char group[NUDGE_PATH];	    /* the directory of the cgroup */
	char path[NUDGE_PATH + 64]; /* the file */
	char *old;		    /* its value; the caller frees with nudge_knob_free */
	double period_us;	    /* NUDGE_QUOTA */
	char device[24];	    /* NUDGE_IO: "8:0" */
	bool reads;		    /* of it: what is held back, else writes */
	double used; /* what it uses now, by nudge_knob_measure: CPUs, or bytes a second */
};

/*
 * Finds the file. target is a cgroup from its slash on ("/system.slice/x.service") or the number of
 * one of its processes. Returns 0, or -EOPNOTSUPP where the kernel has no such controller here,
 * -ENOENT, -EPERM for the cgroup that everything is in, -EMSGSIZE for a file with limits of several
 * disks; with a phrase in why.
 */
int nudge_knob_find(
	struct nudge_knob *knob, enum nudge_kind kind, const char *target, struct str *why);
void nudge_knob_free(struct nudge_knob *knob);

/* What the cgroup has used until now, of a disk that of most bytes. Returns 0 or -errno. The
 * difference of two gives used; see nudge_knob_used. */
struct nudge_usage {
	uint64_t time_ns, cpu_ns;
	struct nudge_device {
		char device[24];
		uint64_t read, written;
	} devices[32];
	size_t n;
};
int nudge_usage_read(const struct nudge_knob *knob, struct nudge_usage *out);

/* Sets used, device and reads, and for I/O on v1 the file and its value. Returns 0, or -ENODATA
 * where it uses too little for a nudge, with a phrase in why. */
int nudge_knob_used(struct nudge_knob *knob, const struct nudge_usage *before,
	const struct nudge_usage *after, struct str *why);

/* What is to be written for a strength: 0.2 leaves four fifths of what it uses. The caller frees.
 */
char *nudge_knob_value(const struct nudge_knob *knob, double strength);

/* What puts it back, where that is not the old value; NULL. The caller frees. */
char *nudge_knob_undo(const struct nudge_knob *knob);

/* Of blkio.throttle.io_service_bytes (v1), or io.stat (v2): tested. */
void nudge_devices_parse(const char *text, bool v2, struct nudge_usage *out);

#endif
