/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tracer of turns tells apart: the numbers of its fields, and their names in the same
 * order. */
#ifndef TUESDAY_BPF_TURNS_H
#define TUESDAY_BPF_TURNS_H

enum turns_field {
	TURNS_READ = 0, /* ns from arrival to the first read */
	TURNS_OVERTOOK =
		1, /* ns that the oldest unread one had waited when a later one was answered */
	TURNS_OVERTAKEN = 2, /* ns from arrival to the first read, of those overtaken */
	TURNS_CONTINUED = 3, /* overtakers: answers in a row by one thread to one connection */
	TURNS_IDLE = 4,	     /* ns that these threads waited for that request of their connection */
	TURNS_CYCLE = 5	     /* ns from their last answer to this one */
};

#define TURNS_FIELDS "read overtook overtaken #continued idle cycle"

#endif
