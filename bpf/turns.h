/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tracer of turns tells apart: the numbers of its fields, and their names in the same
 * order. */
#ifndef TUESDAY_BPF_TURNS_H
#define TUESDAY_BPF_TURNS_H

enum turns_field {
	TURNS_READ = 0,	     /* ns from arrival to the first read */
	TURNS_ANSWERED = 1,  /* ns from arrival to the first byte of the answer */
	TURNS_OVERTOOK = 2,  /* ns that the oldest unread one had waited when a later one was answered */
	TURNS_OVERTAKEN = 3, /* ns from arrival to the first read, of those overtaken */
	TURNS_CONTINUED = 4, /* overtakers: answers in a row by one thread to one connection */
	TURNS_IDLE = 5,	     /* ns that these threads waited for that request of their connection */
	TURNS_CYCLE = 6	     /* ns from their last answer to this one */
};

#define TURNS_FIELDS "read answered overtook overtaken #continued idle cycle"

#endif
