/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The number that an experiment watches, over one phase: an expression of the check language, what
 * a command prints, or how long requests to a URL take.
 */
#ifndef TUESDAY_EXPERIMENT_OBSERVE_H
#define TUESDAY_EXPERIMENT_OBSERVE_H

#include <stddef.h>

#include "experiment/http_get.h"
#include "sys/subprocess.h"
#include "base/str.h"

struct expr;
struct sweep;

struct observer {
	const struct expr *expr; /* of sweep, for instance; or */
	const struct sweep *sweep;
	const char *check, *instance;
	double cpus;
	const char *command;	   /* for /bin/sh, without any rights of root; or NULL */
	struct http_server server; /* with an address, or none */
	double seconds;		   /* how long it is looked */
	/*
	 * Called several times a second while it is looked; anything but 0 ends that and is
	 * returned. With now it takes a sample in any case.
	 */
	int (*tick)(void *arg, bool now);
	void *arg;
	struct str why; /* why the last number was none: a phrase */
};

/*
 * Looks for a phase. Returns 0 with *value, which is NAN where there is no number (why is set then,
 * and the next phase may have one); or what tick returned.
 */
int observe(struct observer *observer, double *value);

/* The number in what a command printed: one, with a unit or without, and nothing else. NAN
 * otherwise. */
double observed_number(const char *text, size_t len);

void observer_free(struct observer *observer);

/* Waits, and ticks. Returns 0 or what tick returned. */
int observer_wait(struct observer *observer, double seconds);

#endif
