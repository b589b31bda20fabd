/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One of the two sides of a queue, as a person names it: which processes are meant?
 *
 *	1234                      the process of that number
 *	nginx                     all of that name; shell patterns are fine
 *	/system.slice/x.service   all in that cgroup or below it, of either version
 *	user=postgres,nice>0      all that meet each condition
 *
 * A condition is FIELD=VALUE or FIELD!=VALUE with a shell pattern, of a number also < > <= >=.
 *Fields: pid, name, cgroup, user (a name or a number), kind (program, kernel), policy (other,
 *batch, idle, fifo, rr, deadline, ext), nice.
 */
#ifndef TUESDAY_QUEUE_PARTY_H
#define TUESDAY_QUEUE_PARTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARTY_CONDITIONS 8
#define PARTY_BYTES 512 /* of a whole party */

struct str;

/* What is known of a process. Texts are as hostile as whoever named them. */
struct party_member {
	uint32_t pid;
	const char *name;    /* comm */
	const char *cgroups; /* a line each, as /proc/PID/cgroup has them, or "" */
	uint32_t uid;
	int nice;
	unsigned int policy; /* as of sched_getscheduler */
	bool is_kernel;
};

enum party_field {
	PARTY_PID,
	PARTY_NAME,
	PARTY_CGROUP,
	PARTY_USER,
	PARTY_KIND,
	PARTY_POLICY,
	PARTY_NICE
};

struct party_condition {
	enum party_field field;
	bool less, equal, greater; /* which of these will do */
	const char *text;	   /* inside the party */
	long number;		   /* of pid and nice, and of a user that is known */
	bool is_number;
};

struct party {
	char *said;  /* as the person said it; owned */
	char *words; /* the same, cut into values; owned */
	struct party_condition conditions[PARTY_CONDITIONS];
	size_t n;
};

/* Returns 0, or -EINVAL with a phrase in why. party_free afterwards in every case. */
int party_parse(struct party *party, const char *said, struct str *why);
/* Whether it is the process of one number. */
bool party_is_pid(const struct party *party);
bool party_has(const struct party *party, const struct party_member *member);
void party_free(struct party *party);

/* "fifo"; "policy 9" is not there: NULL. */
const char *party_policy(unsigned int policy);

#endif
