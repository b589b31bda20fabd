/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tracer of turns tells apart: the numbers of its fields, and their names in the same
 * order. */
#ifndef TUESDAY_BPF_TURNS_H
#define TUESDAY_BPF_TURNS_H

enum turns_field {
	TURNS_READ = 0, /* ns from arrival to the first read */
	/* ns that the oldest one that nobody served had waited when a later one was answered */
	TURNS_OVERTOOK = 1,
	/* ns from arrival until a thread took it, of those overtaken */
	TURNS_OVERTAKEN = 2,
	TURNS_CONTINUED = 3, /* overtakers: answers in a row by one thread to one connection */
	TURNS_IDLE = 4,	     /* ns that these threads waited for that request of their connection */
	TURNS_CYCLE = 5,     /* ns from their last answer to this one */
	TURNS_INSIDE = 6,    /* of each that was read and waited inside: its overtakers */
	/* ns that each request had waited of which continued accuses, when it first did */
	TURNS_VICTIMS = 7,
	/* overtakers of what nobody had accepted, by an event loop, before anything was accepted */
	TURNS_UNDRAINED = 8
};

#define TURNS_FIELDS "read overtook overtaken #continued idle cycle #inside victims #undrained"

#endif
