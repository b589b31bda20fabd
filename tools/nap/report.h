/* SPDX-License-Identifier: GPL-2.0-only */
/* What a watch has found, for people and for programs. */
#ifndef TUESDAY_TOOLS_NAP_REPORT_H
#define TUESDAY_TOOLS_NAP_REPORT_H

#include "naps/blame.h"
#include "naps/watch.h"

struct nap_options;
struct str;

/* One process that napped. */
struct nap_sleeper {
	pid_t pid;
	const char *comm; /* of one of its naps */
	size_t naps;
	uint64_t napped_ns, longest_ns, drops, late_ns;
	struct nap_blame blame;
};

struct nap_report {
	const struct nap_options *asked;
	const struct nap_watch *watch;
	double seconds;
	struct nap_sleeper *sleepers; /* who lost most time first */
	size_t n;
	size_t busy;		/* processes that were busy enough to be judged */
	uint64_t pauses, idles; /* of these: as long as a nap; with nothing to do */
};

/* The report belongs to the caller, and points into the watch until nap_report_free. */
void nap_report_make(
	struct nap_report *report, const struct nap_options *asked, const struct nap_watch *watch);
void nap_report_free(struct nap_report *report);

/* As nap_ran (blame.h): arg is a struct nap_watch. */
double nap_report_ran(const void *arg, pid_t pid);

/* A line "TIME_S DURATION_S" for each nap: seconds since the watch began. */
void nap_write_events(struct str *out, const struct nap_report *report);

#endif
