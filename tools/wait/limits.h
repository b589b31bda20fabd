/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of limits.ini: where each comes from is said there. */
#ifndef TUESDAY_TOOLS_WAIT_LIMITS_H
#define TUESDAY_TOOLS_WAIT_LIMITS_H

struct wait_limits {
	struct {
		double busy, part, party, function;
	} told;
	struct {
		double calls, share;
	} nothing;
	struct {
		double count, life;
	} children;
	struct {
		double count, wait;
	} small;
	struct {
		double behind, seen;
	} disk;
	struct {
		double times, time, count, least;
	} rare;
	struct {
		double residue, ticks, lost;
	} trust;
};

/* Those that the program was built with. */
void wait_limits_default(struct wait_limits *limits);

#endif
