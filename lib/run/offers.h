/* SPDX-License-Identifier: GPL-2.0-only */
/* The experiments that whoever reads a report may run next: what they take, risk and could say. */
#ifndef TUESDAY_RUN_OFFERS_H
#define TUESDAY_RUN_OFFERS_H

struct capture;
struct options;
struct report;

/*
 * Fills in offers of each check that is maybe or bad: its experiments that were not asked for in
 * this run, that would not be refused as the machine is, as far as that is known without sampling,
 * and that can be run as they are, without a number that somebody has to name. Those that can clear
 * come first. Nothing in a replay, with --cron, and while somebody else experiments. Changes
 * nothing and needs no right.
 */
void offers_make(const struct options *options, struct capture *fs, struct report *report);

#endif
