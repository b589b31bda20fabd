/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which process holds a socket?
 *
 * Only the links in /proc/PID/fd say it, so every process must be looked at until one is found.
 */
#ifndef TUESDAY_SOURCES_NET_SOCKET_OWNER_H
#define TUESDAY_SOURCES_NET_SOCKET_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;
struct culprit;
struct sink;

/*
 * Fills kind, name and id of out with the process of the lowest pid that holds the socket: the
 * parent of forked workers. Process 1 is asked last, since systemd holds the sockets that it hands
 * to others. Returns whether one was found, among at most 100000 descriptors in a sample; of
 * processes of other users only with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, which are raised for
 * it. Asking again in the same sample costs nothing; a recording holds the answer.
 */
bool sockowner_find(struct capture *fs, uint32_t inode, struct culprit *out);

/*
 * Whether that process runs a program of that name: it is called so, or was started as such, or
 * says so of itself at the beginning of its command line ("puma 5.6.5 (tcp://…) [shop]", "puma:
 * cluster worker"). Returns 1, 0, or negative where nobody is found that holds the socket. *version
 * is the one that its title has, as programline_number, or NAN. Needs and records as
 * sockowner_find.
 */
int sockowner_runs(struct capture *fs, uint32_t inode, const char *program, double *version);

/*
 * Of each field "owned_by_PROGRAM" that is wanted of an instance: what sockowner_runs says of its
 * socket, or 0 where it does not matter, since it is dear to find out. Of "version_of_PROGRAM": its
 * version, 7.001 for 7.1.0, where it runs that program and its title says so.
 */
void sockowner_put(
	struct capture *fs, struct sink *sink, const char *instance, uint32_t inode, bool matters);

#endif
