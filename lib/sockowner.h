/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which process holds a socket?
 *
 * Only the links in /proc/PID/fd say it, so every process must be looked at until one is found.
 */
#ifndef TUESDAY_SOCKOWNER_H
#define TUESDAY_SOCKOWNER_H

#include <stdbool.h>
#include <stdint.h>

struct procfs;
struct culprit;

/*
 * Fills kind, name and id of out with the process of the lowest pid that holds the socket: the
 * parent of forked workers. Process 1 is asked last, since systemd holds the sockets that it hands
 * to others. Returns whether one was found, among at most 100000 descriptors; of processes of other
 * users only with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, which are raised for it. Asking again in
 * the same sample costs nothing; a recording holds the answer.
 */
bool sockowner_find(struct procfs *fs, uint32_t inode, struct culprit *out);

#endif
