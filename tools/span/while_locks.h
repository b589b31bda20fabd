/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes of a command wait for a lock on a file? */
#ifndef TUESDAY_TOOLS_SPAN_WHILE_LOCKS_H
#define TUESDAY_TOOLS_SPAN_WHILE_LOCKS_H

struct span_while;

/* Looks at /proc/locks, and charges the seconds since the last look to those that wait. */
void while_locks_look(struct span_while *run, double seconds);

/* The same of a text: tested. */
void while_locks_parse(struct span_while *run, char *text, double seconds);

#endif
