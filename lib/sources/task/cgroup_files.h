/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a control group, v1 and v2, under the names of v2. A row says which file of which
 * controller gives which fields, and how it is read. Neighbours in the table that name the same
 * file cost one read.
 */
#ifndef TUESDAY_SOURCES_TASK_CGROUP_FILES_H
#define TUESDAY_SOURCES_TASK_CGROUP_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/capture.h"
#include "sample/source.h"
#include "sources/task/cgroup_tree.h"

/* In which groups a file is read. */
enum cgroup_file_of {
	CGROUP_FILE_OF_ALL,
	CGROUP_FILE_OF_LIMITED, /* that memory.max or memory.high of v2 limits */
	CGROUP_FILE_OF_LEAVES,	/* that have no group below them: what is there counts once */
};

struct cgroup_file {
	const char *prefix; /* of the fields that it gives; the whole field where it gives one */
	enum cgroup_version version;
	const char *controller; /* by its name in that version; "" where the file needs none */
	const char *file;
	void (*parse)(struct bytes text, struct sink *sink, const char *cgroup);
	const char *instead; /* the file of kernels that do not have the first, or NULL */
	enum cgroup_file_of of;
};

extern const struct cgroup_file cgroup_files[];
extern const size_t cgroup_files_count;

#endif
