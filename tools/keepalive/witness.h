/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Someone who watches from inside, while the client asks from outside: the passive tracer of
 * keepalivehealth and the queue of connections that nobody has accepted, for a server of this
 * machine.
 *
 * The tracer runs in a process of its own, which keeps the rights that it needs when this one gives
 * up its own.
 */
#ifndef TUESDAY_TOOLS_KEEPALIVE_WITNESS_H
#define TUESDAY_TOOLS_KEEPALIVE_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct limits_of_run;
struct target;

/* How long requests lay unread in one round, in seconds. */
struct waits {
	uint64_t read;
	double mean_seconds, p95_seconds;
};

#define SEEN_WAITS_MAX 8

/* What was seen in rounds of one kind. Nothing was traced where rounds is 0. */
struct seen {
	uint64_t rounds;       /* that were traced */
	uint64_t read;	       /* requests that the server has read */
	uint64_t overtook;     /* answers while an older request waited */
	uint64_t continued;    /* of these, by a thread to the connection that it had just served */
	uint64_t victims_most; /* requests that they overtook, in one round */
	double oldest_seconds; /* the age of the oldest that waited then */
	double overtaken_seconds; /* how long one of them waited until it was taken, at most */
	double unread_seconds;	  /* a tenth lay there for so long at least, in one round */
	double busy_ratio;	  /* of all CPUs' time, in the busiest round */
	double idle_seconds, served_seconds; /* these threads waited, of this time */
	struct waits waits[SEEN_WAITS_MAX];  /* of the first of these rounds */
	size_t n_waits;
	bool has_queue;
	uint32_t unaccepted_most; /* connections that waited to be accepted, at any look */
};

struct witness {
	const struct target *target;
	pid_t pid; /* 0: there is no tracer, and missing says why */
	int socket;
	int diag;	    /* a socket for asking about listeners, or negative */
	struct str missing; /* a phrase */
	uint64_t end_ns;    /* CLOCK_MONOTONIC; from then on nobody is waited for; 0: never */
	struct seen keep, close;
};

/* To be called with all rights; it lets no request pass. Never fails: see missing. */
void witness_start(struct witness *witness, const struct target *target);
/* Around a round; begin returns when the tracer is attached, at most 3 s later and not after
 * end_ns, end when it has told what it saw, at most 5 s later, or one after end_ns. It adds that to
 * what was seen in all, and to level, which may be NULL. */
void witness_begin(struct witness *witness);
void witness_end(struct witness *witness, bool keep, struct seen *level);
/* Looks at the listener's queue, now and then during a round. */
void witness_look(struct witness *witness, bool keep);
void witness_stop(struct witness *witness);

/* An answer of the tracing process, "read overtook continued oldest idle served overtaken unread
 * busy total p95 victims" in counts, ns and, for busy, millionths, added to seen; total and p95 are
 * of how long requests lay unread. Returns whether it is one. Pure. */
bool witness_parse(struct seen *seen, const char *text);

#endif
