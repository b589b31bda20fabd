/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose doing are the naps of a process? A suspect that ran during one nap is nobody's culprit: it
 * has to fit several, and whoever runs as much while nobody naps is cleared by that. What is proved
 * otherwise goes before: the sleeper's own fork, a file of the sleeper that a suspect has open and
 * that takes the lock the sleeper waits for.
 *
 * Pure.
 */
#ifndef TUESDAY_NAPS_BLAME_H
#define TUESDAY_NAPS_BLAME_H

#include "naps/event.h"

#define NAP_BLAMED_MAX 8
/* Who ran for less of a nap does not fit it: clocks are read up to two looks apart. */
#define NAP_FITS 0.7
#define NAP_FITS_LEAST 2

enum nap_culprit {
	NAP_BY_NOBODY, /* not known */
	NAP_BY_OVERLAP,
	NAP_BY_CGROUP, /* a limit of its cgroup, or who froze it */
	NAP_BY_SIGNAL, /* whoever sent it: not known who */
	NAP_BY_ITSELF, /* its own locks */
	NAP_BY_FORK,   /* of the process itself */
	NAP_BY_FILE,   /* another process reads or writes a file of it */
};

struct nap_blamed {
	pid_t pid;
	char comm[PROC_COMM];
	char holds[NAP_HOLDS];
	size_t fits;	  /* naps that it ran through */
	size_t held;	  /* naps in which it had a file of the sleeper open */
	size_t children;  /* naps in which it was the sleeper's new child */
	double in_naps_s; /* CPU time */
	double without;	  /* how many times it ran as long as in a nap, and there was none */
};

struct nap_blame {
	size_t naps;	      /* of this process and the cause below */
	enum nap_cause cause; /* of most of them */
	size_t forks;	      /* of these naps, with a new child of the sleeper */
	enum nap_culprit by;
	struct nap_blamed suspects[NAP_BLAMED_MAX]; /* the culprit first, if there is one */
	size_t n;
	bool named; /* suspects[0] is the culprit */
};

/* All CPU time of a process in seconds while the watch went on; negative: not known. */
typedef double nap_ran(const void *arg, pid_t pid);

void nap_blame_find(struct nap_blame *blame, const struct nap_event *events, size_t n, pid_t pid,
	nap_ran *ran, const void *arg);

/* Whether a suspect is cleared: it ran at least as often without a nap as with one. */
bool nap_blamed_is_cleared(const struct nap_blamed *suspect);

#endif
