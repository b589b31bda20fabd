/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom does a process keep waiting while it does not run? Its listening sockets, the connections
 * that wait in their queues, and those that its network namespace has dropped.
 *
 * Its descriptors are read while it runs, not while it naps.
 */
#ifndef TUESDAY_NAPS_SERVICE_H
#define TUESDAY_NAPS_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NAP_SOCKETS_MAX 64

struct nap_service {
	uint64_t sockets[NAP_SOCKETS_MAX]; /* inodes of what it listens with */
	size_t n;
};

/* Finds what a process listens with: its first 1024 descriptors are looked through. */
void nap_service_find(struct nap_service *service, pid_t pid);

/* The connections that wait for it to accept them. */
uint64_t nap_service_waiting(const struct nap_service *service, pid_t pid);

/* How many connections its network namespace has dropped for a full accept queue (ListenDrops)
 * until now. False where that is not known. */
bool nap_service_drops(pid_t pid, uint64_t *out);

/* Of /proc/net/tcp and tcp6: calls each for its listening sockets, which the kernel lists first. */
void nap_listeners_parse(
	const char *text, void (*each)(void *arg, uint64_t inode, uint64_t queue), void *arg);

/* Of /proc/net/netstat: TcpExt.ListenDrops; false where there is none. */
bool nap_drops_parse(const char *text, uint64_t *out);

#endif
