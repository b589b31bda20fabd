/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking the kernel over netlink for all there is of a kind: sockets, queue disciplines.
 *
 * A socket for asking stays in the network namespace that it was opened in.
 */
#ifndef TUESDAY_SYS_NETLINK_H
#define TUESDAY_SYS_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message of an answer, without its header. Returns 0 to go on, or -errno. */
typedef int netlink_message(void *arg, uint16_t type, const char *data, size_t len);

/* A socket for a protocol (NETLINK_ROUTE) in the present network namespace. Returns it or -errno.
 */
int netlink_open(int protocol);

/*
 * Asks for a dump: request are the len bytes behind the header of the message, 128 at most. Calls
 * each for every message of the answer. Returns 0, -EAGAIN where the kernel did not answer within a
 * second, -EMSGSIZE where the answer had no end in 64 MiB, or -errno of the kernel or of each.
 */
int netlink_dump(
	int fd, uint16_t type, const void *request, size_t len, netlink_message *each, void *arg);

/* The same where the kernel asks for capabilities (CAPS_*): it looks when it is asked, and they are
 * effective for the question alone. */
int netlink_dump_with(int caps, int fd, uint16_t type, const void *request, size_t len,
	netlink_message *each, void *arg);

/*
 * One datagram of an answer: calls each for every message in it. Returns 1 at the end of the
 * answer, 0 where more is to come, -errno of the kernel's refusal or of each, or -EBADMSG for bytes
 * that are no answer. Messages of another sequence are skipped.
 */
int netlink_parse(
	const void *bytes, size_t len, uint32_t sequence, netlink_message *each, void *arg);

/* The attribute of a type among those in bytes, or NULL; its length is in *len. */
const void *netlink_attribute(const char *bytes, size_t left, uint16_t type, size_t *len);

/* An attribute of n numbers of 32 bits, of which the kernel may send more than we know: *got of
 * them are filled. */
bool netlink_u32(
	const char *bytes, size_t left, uint16_t type, size_t n, uint32_t *out, size_t *got);

#endif
