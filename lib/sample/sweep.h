/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sweep: all numbers that any check asked for, sampled together, a few times.
 *
 * A reference is interned once for everybody. Values are kept for every sample, because a metric is
 * judged over the whole run and over each window between two samples.
 */
#ifndef TUESDAY_SAMPLE_SWEEP_H
#define TUESDAY_SAMPLE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;
struct source;
struct str;
struct culprit;

struct instances;
struct sweep;

struct sweep *sweep_new(void);
void sweep_free(struct sweep *sweep);

/*
 * Interns a reference source:key, key being "field", "instance.field" or "*.field", or a path as
 * source with an empty key. Returns its number, or -ENOENT where no such source is registered.
 * Whatever is interned is read, and nothing else. Must precede sweep_open.
 */
int sweep_reference(struct sweep *sweep, const char *source, const char *key);

/* Opens the sources that are referred to, with the capabilities that the process has. */
void sweep_open(struct sweep *sweep, struct capture *fs);

/* Bytes of a page of the machine that is sampled; NAN before sweep_open. */
double sweep_page_bytes(const struct sweep *sweep);

/* Takes one sample of every source. Returns 0, or -ENODATA at the end of a replay. */
int sweep_take(struct sweep *sweep);

/*
 * One more sample, beside those that are judged, of the sources of the references that are wanted:
 * sweep_samples does not count it, and its number is the one after theirs. What a source says there
 * of what it could not read counts as in any other. It must be the last one. Returns as sweep_take.
 */
void sweep_want_beside(struct sweep *sweep, int reference);
int sweep_take_beside(struct sweep *sweep);

/* How many samples were taken, and the seconds from sample from to sample to. */
size_t sweep_samples(const struct sweep *sweep);
double sweep_seconds(const struct sweep *sweep, size_t from, size_t to);

/* Whether the machine stood still between two samples, so that what did not grow says nothing: a
 * copy of its files (--root), which has no rates. False from SWEEP_EARLIER. */
bool sweep_stands(const struct sweep *sweep, size_t from, size_t to);

/*
 * The value of a reference in a sample, for an instance number; NAN for no value. Instances of a
 * reference without '*' have the number 0 and the set NULL. SWEEP_EARLIER is the sample before
 * sample 0, of an earlier run, where there is one; as from it is before every other.
 */
#define SWEEP_EARLIER SIZE_MAX
double sweep_value(const struct sweep *sweep, int reference, size_t sample, size_t instance);
const struct instances *sweep_instances(const struct sweep *sweep, int reference);

/*
 * What a run before this one saw last, by the same clock and in the same boot. First the time, then
 * the values; instance is "" for a reference without '*', and *name for one with. A value of a
 * reference that nobody has is ignored. sweep_has_earlier: whether a time was given.
 */
void sweep_set_earlier(struct sweep *sweep, uint64_t time_ns);
void sweep_put_earlier(struct sweep *sweep, const char *source, const char *key,
	const char *instance, double value);
bool sweep_has_earlier(const struct sweep *sweep);

/* When a sample was taken, in nanoseconds of the machine's CLOCK_MONOTONIC. */
uint64_t sweep_time_ns(const struct sweep *sweep, size_t sample);

/* Whether the instances of a reference come and go within minutes, as processes do. */
bool sweep_is_fleeting(const struct sweep *sweep, int reference);

/* Why the source of a reference gave nothing: "vmstat has no 'pgfualt' on this kernel", or what the
 * source itself said. Appends a phrase to out. */
void sweep_why_missing(const struct sweep *sweep, int reference, struct str *out);

/* Whether the source said of every sample that it read everything and there is none of the kind. */
bool sweep_none(const struct sweep *sweep, int reference);

/* Whether the source of a reference gave nothing since there is nothing here that it is about. */
bool sweep_absent(const struct sweep *sweep, int reference);

/* Whether the source read everything, and every instance that it saw was there in some samples
 * only: a container that ended, a file system that was mounted meanwhile. */
bool sweep_came_or_went(const struct sweep *sweep, int reference);

/*
 * Whether what a reference names is not on this machine: the file or the kind of device is not
 * there, or the kernel does not have the counter. What is there and may not be read, or is no
 * number, is not absent.
 */
bool sweep_not_here(const struct sweep *sweep, int reference);

/* The same of one of its instances, which never had a value; false where anything of the reference
 * could not be read, since it might be that. */
bool sweep_instance_not_here(const struct sweep *sweep, int reference, size_t instance);

/* What the source of a reference could not see although it gave values ("other network namespaces
 * need CAP_SYS_ADMIN"), or NULL. */
const char *sweep_partial(const struct sweep *sweep, int reference);

/*
 * The class of an instance, or NULL; whom it belongs to, if the source knows. A traced value has no
 * reference (-1): its instances are disks or CPUs too, and the source that knows the name says.
 */
const char *sweep_class(const struct sweep *sweep, int reference, const char *instance);
bool sweep_culprit(
	const struct sweep *sweep, int reference, const char *instance, struct culprit *out);

/* The source of a reference and its key, for "path" the whole path. False beyond the last one;
 * their numbers begin at 0. */
bool sweep_reference_name(
	const struct sweep *sweep, int reference, const char **source, const char **key);

/* Whether no sample had a number for it. */
bool sweep_never_seen(const struct sweep *sweep, int reference);

/*
 * Reads everything that a source has on this machine, once, whoever asked for it; the procfs must
 * be in a sample. instance is "" where the source has none. Returns what the source returned, and
 * in *missing the phrase that it said of what it could not read, or NULL; the caller frees that.
 */
typedef void sweep_listed(void *arg, const char *instance, const char *field, double value);
int sweep_list(const struct source *source, struct capture *fs, sweep_listed *listed, void *arg,
	char **missing);

#endif
