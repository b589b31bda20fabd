/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source: a named place that numbers come from. It reads the kernel and hands numbers out by
 * name; it knows no limit. A file that defines one registers it with SOURCE(); no list is edited.
 *
 * A number is addressed as source:field, or source:instance.field where a source has many of a kind
 * (disks, interfaces, cgroups, network namespaces); source:*.field is every instance.
 */
#ifndef TUESDAY_SOURCE_H
#define TUESDAY_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct procfs;
struct sink;

/* Who is to blame, as far as was seen. All text is hostile: writers escape it. */
struct culprit {
	char kind[16];	/* "process", "cgroup", "device", "listener", "remote", "cpu", "reason" */
	char name[128]; /* terminated */
	char id[64];	/* a pid, an inode, a device number; "" where there is none */
	double share;	/* of the harm, 0..1; negative where not known */
};

struct source {
	const char *name; /* as in source:field; "pressure/cpu" is a name */
	const char *what; /* one line: what it reads */
	/* Its instances are processes, threads or connections, which come and go within minutes:
	 * what they counted is not kept from one run to the next. */
	bool fleeting;

	/*
	 * Optional. Called once before the first read, with whatever capabilities the process has;
	 * what needs them (sockets in other namespaces, a BPF iterator) is opened here and kept.
	 * Returns 0 or -errno; after an error the source is read all the same, so that it can give
	 * what it gives without.
	 */
	int (*open)(struct procfs *fs, void **state);

	/*
	 * Reads everything that the sink wants and hands it over with sink_put. Called once a
	 * sample. Returns 0, or -errno where nothing at all could be read; partial success is 0.
	 * Where something is missing that a person could mend, sink_missing says so.
	 */
	int (*read)(struct procfs *fs, void *state, struct sink *sink);

	void (*close)(void *state);

	/*
	 * Optional. The class of an instance for limits by class ("nvme", "hdd", "virtual"), a
	 * static string, or NULL where it has none.
	 */
	const char *(*class_of)(struct procfs *fs, void *state, const char *instance);

	/*
	 * Optional. Whom an accused instance belongs to. Returns whether out was filled; share is
	 * left to the caller. Called after sampling, for accused instances only, so it may be dear.
	 */
	bool (*culprit)(struct procfs *fs, void *state, const char *instance, struct culprit *out);
};

#define SOURCE(id) \
	static const struct source id; \
	static const struct source *const id##_registered \
		__attribute__((used, section("tuesday_sources"))) = &id; \
	static const struct source id

/* The registered source of this name, or NULL. A name that starts with '/' is the source of
 * single-value files. */
const struct source *source_find(const char *name);

/* Calls each for every registered source, in no order. */
void source_each(void (*each)(void *arg, const struct source *source), void *arg);

/*
 * One number. instance is "" for a source without instances. Numbers are in the kernel's own units:
 * the check file converts. Only what is finite is taken.
 */
void sink_put(struct sink *sink, const char *instance, const char *field, double value);

/* Whether anybody asked for a field of this name (any instance), or for any that starts with
 * prefix: lets a source leave dear files unread. */
bool sink_wants(const struct sink *sink, const char *field);
bool sink_wants_prefix(const struct sink *sink, const char *prefix);

/* Whether anybody asked for every instance with '*': lets a source leave out instances that cost
 * much to read. */
bool sink_wants_instances(const struct sink *sink);

/*
 * Calls each for every field that was asked for, as it is written in the check file behind "*." or
 * behind the colon. The source of single-value files has patterns here.
 */
void sink_each_wanted(
	const struct sink *sink, void (*each)(void *arg, const char *field), void *arg);

/* A name to show for an instance instead of its own ("puma (pid 1234)" for task 1234). */
void sink_label(struct sink *sink, const char *instance, const char *label);

/* Says that everything was read and there is none of the kind, in this sample: no listener, no such
 * device. A metric over its instances is idle then, where it would have no value otherwise. */
void sink_none(struct sink *sink);

/*
 * Says that what the source is about is not here at all, as a reason: a check whose every number
 * lacks for that is skipped. Only where the devices themselves had to be asked; else `needs` of the
 * check file says it sooner. Kept once; sink_missing goes before it.
 */
void sink_absent(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Says that something could not be read, as a phrase that ends the sentence "no value: …", for
 * example "/proc/pressure/cpu: the kernel was booted without psi=1". Kept once.
 */
void sink_missing(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
