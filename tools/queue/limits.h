/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of limits.ini: where each comes from is said there. */
#ifndef TUESDAY_TOOLS_QUEUE_LIMITS_H
#define TUESDAY_TOOLS_QUEUE_LIMITS_H

struct queue_limits {
	struct {
		double differs, least;
	} trust;
};

/* Those that the program was built with. */
void queue_limits_default(struct queue_limits *limits);

#endif
