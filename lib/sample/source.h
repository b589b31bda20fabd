/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source: a named place that numbers come from. It reads the kernel and hands numbers out by
 * name; it knows no limit. A file that defines one registers it with SOURCE(); no list is edited.
 *
 * A number is addressed as source:field, or source:instance.field where a source has many of a kind
 * (disks, interfaces, cgroups, network namespaces); source:*.field is every instance.
 */
#ifndef TUESDAY_SAMPLE_SOURCE_H
#define TUESDAY_SAMPLE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct culprit;
struct capture;
struct sink;
struct str;

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
	int (*open)(struct capture *fs, void **state);

	/*
	 * Reads everything that the sink wants and hands it over with sink_put. Called once a
	 * sample. Returns 0, or -errno where nothing at all could be read; partial success is 0.
	 * Where something is missing that a person could mend, sink_missing says so.
	 */
	int (*read)(struct capture *fs, void *state, struct sink *sink);

	void (*close)(void *state);

	/*
	 * Optional. The class of an instance for limits by class ("nvme", "hdd", "virtual"), a
	 * static string, or NULL where it has none.
	 */
	const char *(*class_of)(struct capture *fs, void *state, const char *instance);

	/*
	 * Optional. Whom an accused instance belongs to. Returns whether out was filled; share is
	 * left to the caller. Called after sampling, for accused instances only, so it may be dear.
	 */
	bool (*culprit)(struct capture *fs, void *state, const char *instance, struct culprit *out);

	/*
	 * Optional, both or none. The kinds of group that instances are in, separated by blanks
	 * ("cpu node cgroup"), and the name of the group of one kind that an instance is in, which
	 * is appended to out: "node0". It is asked in each sample, for the instances that have a
	 * value in it and only where somebody wants groups. False where it is in none, or gone.
	 */
	const char *groups;
	bool (*group_of)(struct capture *fs, void *state, const char *instance, const char *kind,
		struct str *out);
};

#define SOURCE(id) \
	static const struct source id; \
	static const struct source *const id##_registered \
		__attribute__((used, section("tuesday_sources"))) = &id; \
	static const struct source id

/* The registered source of this name, or NULL. A name that starts with '/' is the source of
 * single-value files. */
const struct source *source_find(const char *name);

/* Whether there is one. If not, "unknown source 'vmsat'; did you mean 'vmstat'?" is appended to
 * error. */
bool source_is_known(const char *name, struct str *error);

/* Whether the instances of a source are in groups of this kind. If not, "interrupts has no groups
 * by 'nod'; did you mean 'node'?" is appended to error. */
bool source_has_group(const char *name, const char *kind, struct str *error);

/* Calls each for every registered source, in no order. */
void source_each(void (*each)(void *arg, const struct source *source), void *arg);

/* For .culprit of a source whose instances are devices: the device itself. */
bool source_device_culprit(
	struct capture *fs, void *state, const char *device, struct culprit *out);

#endif
