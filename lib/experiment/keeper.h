/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two processes behind a change (change.h), and what the tool and its keeper say to each other.
 */
#ifndef TUESDAY_KEEPER_H
#define TUESDAY_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

enum keeper_request {
	KEEPER_BEGIN, /* text: the entry, in the journal's format, without old values */
	KEEPER_APPLY,
	KEEPER_REVERT,
	KEEPER_VERIFY,
	KEEPER_END,
	KEEPER_UNDO,  /* text: PLACE ID, of an entry that was left behind */
	KEEPER_FORGET /* the same: removes it without putting anything back */
};

/* A request, or an answer to one. */
struct message {
	int32_t what;	  /* enum keeper_request; in an answer 0 or -errno */
	int32_t guard;	  /* in an answer: the guard's process */
	struct str text;  /* a phrase in an answer that is an error */
	struct str entry; /* in an answer: the entry as it is now */
};

/* Return 0, or -EPIPE where the other side is gone, -ETIMEDOUT, or -errno. timeout_ms of -1: none.
 */
int message_send(int fd, const struct message *message);
int message_receive(int fd, struct message *message, int timeout_ms);
void message_free(struct message *message);

/* Forks the keeper of this process. Returns its end of the socket in *fd, and the process, or
 * -errno. */
pid_t keeper_start(int *fd);

/* What keeper and guard do at their start: a session of their own, deaf to signals that are meant
 * for the tool, no terminal, no directory kept busy, and spared when memory runs out. */
void keeper_detach(const char *name);

/* A descriptor of this process that becomes readable when it ends, or -1 on Linux before 5.3. */
int own_pidfd(void);
/* One that becomes readable at a time of CLOCK_BOOTTIME, also after a sleep of the machine; or
 * -errno. */
int boottime_alarm(uint64_t at_ns);
/* Whether a descriptor is readable, or its other end is gone. Does not wait; false for -1. */
bool is_readable(int fd);

struct guard {
	pid_t pid;
	int fd; /* readable when the guard is gone */
};

struct journal_entry;

/*
 * Forks the guard of the keeper that calls: it puts back what the journal has about this entry when
 * the keeper and all that it started are gone, or, having killed the keeper, when at_ns of
 * CLOCK_BOOTTIME has come. Returns 0 or -errno.
 */
int guard_start(struct guard *guard, const struct journal_entry *entry, uint64_t at_ns);
/* It is not needed any longer. */
void guard_dismiss(struct guard *guard);

#endif
