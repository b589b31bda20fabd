/* SPDX-License-Identifier: GPL-2.0-only */
/* One nap: who, when, why, and who ran meanwhile. */
#ifndef TUESDAY_NAPS_EVENT_H
#define TUESDAY_NAPS_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naps/cause.h"
#include "naps/evidence.h"
#include "naps/proc_file.h"

#define NAP_SUSPECTS 3
#define NAP_HOLDS 24
#define NAP_GROUP 160

/* Who used a CPU while a process napped. */
struct nap_suspect {
	pid_t pid;
	char comm[PROC_COMM];  /* hostile */
	double overlap;	       /* the part of the nap that it ran, 0..1 */
	char holds[NAP_HOLDS]; /* the file of the sleeper that it has open: "smaps"; "" for none */
	bool child;	       /* was forked by the sleeper meanwhile, or just before */
};

struct nap_event {
	pid_t pid;
	char comm[PROC_COMM];	   /* hostile */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	bool goes_on;		   /* it had not ended when the watch did */
	bool partial;		   /* only some of its threads, while others ran */
	enum nap_cause cause;
	char function[NAP_FUNCTION];
	char group[NAP_GROUP]; /* the path of its cgroup; hostile, cut */
	double busy;	       /* CPUs that it used in the five seconds before */
	uint64_t waiting;      /* connections that it had not accepted */
	uint64_t drops;	       /* connections that its network namespace dropped meanwhile */
	uint64_t late_ns;      /* for how long of it we got no CPU ourselves */
	struct nap_suspect suspects[NAP_SUSPECTS]; /* who ran longest first */
	size_t n_suspects;
};

#endif
