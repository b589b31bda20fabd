/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do programs miss what the kernel hands them: events by netlink, every packet by a packet socket,
 * packets of the firewall that wait for their verdict? Who does not read loses, and nobody is told.
 *
 * Instances are the inodes of sockets, or the numbers of queues, of our own network namespace.
 * Those of other namespaces are not looked at: agents that follow routes and links live in ours.
 */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <unistd.h>

#include "base/culprit.h"
#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/sockdiag.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"
#include "sources/net/event_sockets.h"
#include "sources/net/socket_owner.h"

#define NETLINK_FILE "/proc/net/netlink"
#define PACKET_FILE "/proc/net/packet"
#define QUEUE_FILE "/proc/net/netfilter/nfnetlink_queue"
#define NOBODY "none"
#define PACKET_BLOB "packet-sockets" /* lines of inode and drops */

/* The words of a line, as numbers where they are asked for; false where there are fewer. */
static bool words_at(struct bytes line, const size_t *wanted, double *out, size_t n)
{
	struct bytes word;
	size_t i = 0, at;

	for (at = 0; i < n && text_word(&line, &word); at++)
		if (at == wanted[i] && !text_number(word, &out[i++]))
			return false;
	return i == n;
}

static bool is_u32(double value)
{
	return value >= 0 && value <= UINT32_MAX;
}

/* "sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode" */
void parse_netlink_sockets(
	struct bytes text, void (*each)(void *arg, const struct netlink_socket *found), void *arg)
{
	static const size_t wanted[] = {1, 2, 8, 9};
	double numbers[ARRAY_SIZE(wanted)];
	struct bytes line;

	while (text_line(&text, &line)) {
		struct netlink_socket found;

		if (!words_at(line, wanted, numbers, ARRAY_SIZE(wanted)) || !is_u32(numbers[0]) ||
			!is_u32(numbers[1]) || numbers[2] < 0 || !is_u32(numbers[3]))
			continue;
		found = (struct netlink_socket){.protocol = (uint32_t)numbers[0],
			.port = (uint32_t)numbers[1],
			.drops = numbers[2],
			.inode = (uint32_t)numbers[3]};
		if (found.port) /* 0 is the kernel's own */
			each(arg, &found);
	}
}

/* "sk RefCnt Type Proto Iface R Rmem User Inode", of which Proto is hexadecimal. */
void parse_packet_sockets(
	struct bytes text, void (*each)(void *arg, const struct packet_socket *found), void *arg)
{
	enum { PROTOCOL = 3, INODE = 8 };
	struct packet_socket found;
	struct bytes line, word;
	double inode;
	size_t i;

	while (text_line(&text, &line)) {
		inode = -1;
		found.every_packet = false;
		for (i = 0; i <= INODE && text_word(&line, &word); i++) {
			if (i == PROTOCOL)
				found.every_packet = text_is(word, "0003"); /* ETH_P_ALL */
			if (i == INODE && !text_number(word, &inode))
				inode = -1;
		}
		if (inode < 1 || !is_u32(inode))
			continue;
		found.inode = (uint32_t)inode;
		each(arg, &found);
	}
}

/* "queue portid waiting copy_mode copy_range queue_dropped user_dropped id 1" */
void parse_nfqueues(struct bytes text, struct sink *sink)
{
	static const size_t wanted[] = {0, 1, 2, 5, 6};
	static const char *const fields[] = {
		NULL, "port", "waiting", "queue_dropped", "user_dropped"};
	double numbers[ARRAY_SIZE(wanted)];
	struct bytes line;
	char name[16];
	size_t i;

	while (text_line(&text, &line)) {
		if (!words_at(line, wanted, numbers, ARRAY_SIZE(wanted)) || !is_u32(numbers[0]))
			continue;
		snprintf(name, sizeof(name), "%" PRIu32, (uint32_t)numbers[0]);
		for (i = 1; i < ARRAY_SIZE(wanted); i++)
			if (numbers[i] >= 0)
				sink_put(sink, name, fields[i], numbers[i]);
	}
}

/* What the protocols of netlink are about, as ss(8) calls them. */
static const char *netlink_protocol(uint32_t protocol)
{
	static const char *const names[] = {[NETLINK_ROUTE] = "route",
		[NETLINK_SOCK_DIAG] = "sock_diag",
		[NETLINK_NFLOG] = "nflog",
		[NETLINK_XFRM] = "xfrm",
		[NETLINK_SELINUX] = "selinux",
		[NETLINK_AUDIT] = "audit",
		[NETLINK_CONNECTOR] = "connector",
		[NETLINK_NETFILTER] = "netfilter",
		[NETLINK_KOBJECT_UEVENT] = "kobject_uevent",
		[NETLINK_GENERIC] = "generic"};

	return protocol < ARRAY_SIZE(names) && names[protocol] ? names[protocol] : "other";
}

struct event_reader {
	struct capture *fs;
	struct sink *sink;
	size_t n;
	struct str text;
};

static void netlink_put(void *arg, const struct netlink_socket *found)
{
	struct event_reader *reader = arg;
	char name[16], label[64];

	reader->n++;
	snprintf(name, sizeof(name), "%" PRIu32, found->inode);
	snprintf(label, sizeof(label), "netlink %s socket %" PRIu32,
		netlink_protocol(found->protocol), found->inode);
	sink_put(reader->sink, name, "drops", found->drops);
	sink_label(reader->sink, name, label);
}

static int netlink_read(struct capture *fs, void *state, struct sink *sink)
{
	struct event_reader reader = {.fs = fs, .sink = sink};
	struct bytes text;
	int err = capture_read(fs, NETLINK_FILE, &text);

	(void)state;
	if (err) {
		sink_missing(sink, NETLINK_FILE ": %s", strerror(-err));
		return err;
	}
	parse_netlink_sockets(text, netlink_put, &reader);
	sink_put(sink, NOBODY, "drops", 0);
	return 0;
}

static void packet_put(void *arg, const struct packet_socket *found)
{
	struct event_reader *reader = arg;
	char name[16], label[32];

	reader->n++;
	snprintf(name, sizeof(name), "%" PRIu32, found->inode);
	snprintf(label, sizeof(label), "packet socket %" PRIu32, found->inode);
	sink_put(reader->sink, name, "every_packet", found->every_packet);
	sink_label(reader->sink, name, label);
}

static void packet_write_drops(void *arg, uint32_t inode, uint32_t drops)
{
	struct event_reader *reader = arg;

	str_addf(&reader->text, "%" PRIu32 " %" PRIu32 "\n", inode, drops);
}

static void packet_put_drops(struct bytes text, struct sink *sink)
{
	struct bytes line, word;
	double drops;
	char name[16];

	while (text_line(&text, &line))
		if (text_word(&line, &word) && text_copy(word, name, sizeof(name)) &&
			text_next_number(&line, &drops) && drops >= 0)
			sink_put(sink, name, "drops", drops);
}

/* The file does not say what was lost: the kernel is asked, where there is such a socket. */
static int packet_read_drops(struct event_reader *reader)
{
	struct bytes recorded = {0};
	int err, fd;

	if (capture_is_replay(reader->fs)) {
		err = capture_get_blob(reader->fs, PACKET_BLOB, &recorded);
	} else {
		fd = capture_is_live(reader->fs) ? sockdiag_open() : -EOPNOTSUPP;
		err = fd < 0 ? fd : sockdiag_packets(fd, packet_write_drops, reader);
		if (fd >= 0)
			close(fd);
		recorded = (struct bytes){str_text(&reader->text), reader->text.len};
		if (!err)
			capture_put_blob(reader->fs, PACKET_BLOB, recorded.data, recorded.len);
	}
	if (!err)
		packet_put_drops(recorded, reader->sink);
	return err;
}

static int packet_read(struct capture *fs, void *state, struct sink *sink)
{
	struct event_reader reader = {.fs = fs, .sink = sink, .text = STR_INIT};
	struct bytes text;
	int err = capture_read(fs, PACKET_FILE, &text);

	(void)state;
	if (err == -ENOENT) { /* a kernel without packet sockets, or an older recording */
		sink_none(sink);
		return 0;
	}
	if (!err)
		parse_packet_sockets(text, packet_put, &reader);
	if (!err && reader.n)
		err = packet_read_drops(&reader);
	if (!err) {
		sink_put(sink, NOBODY, "drops", 0);
		sink_put(sink, NOBODY, "every_packet", 0);
	}
	if (err)
		sink_missing(
			sink, "what packet sockets have lost cannot be read: %s", strerror(-err));
	str_free(&reader.text);
	return err;
}

static int nfqueue_read(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes text;
	int err = capture_read(fs, QUEUE_FILE, &text);

	(void)state;
	if (err && err != -ENOENT) {
		sink_missing(sink, QUEUE_FILE ": %s", strerror(-err));
		return err;
	}
	if (err || !text.len)
		sink_none(sink);
	else
		parse_nfqueues(text, sink);
	return 0;
}

static bool event_socket_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	uint64_t inode;

	(void)state;
	return !num_u64(instance, 1, UINT32_MAX, &inode) &&
		sockowner_find(fs, (uint32_t)inode, out);
}

struct queue_search {
	double port;
	uint32_t inode;
};

static void nfqueue_match(void *arg, const struct netlink_socket *found)
{
	struct queue_search *search = arg;

	if (found->protocol == NETLINK_NETFILTER && found->port == search->port)
		search->inode = found->inode;
}

/* The queue tells the port of its socket, and the list of netlink sockets that one's inode. */
static bool nfqueue_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	static const size_t wanted[] = {0, 1};
	struct queue_search search = {0};
	struct bytes text, line;
	double numbers[2];
	uint64_t queue;

	(void)state;
	if (num_u64(instance, 0, UINT32_MAX, &queue) || capture_read(fs, QUEUE_FILE, &text))
		return false;
	while (text_line(&text, &line))
		if (words_at(line, wanted, numbers, 2) && numbers[0] == (double)queue)
			search.port = numbers[1];
	if (search.port > 0 && !capture_read(fs, NETLINK_FILE, &text))
		parse_netlink_sockets(text, nfqueue_match, &search);
	return sockowner_find(fs, search.inode, out);
}

SOURCE(netlink_sockets) = {
	.name = "net/netlink",
	.what = "/proc/net/netlink: events that netlink sockets of this network namespace lost",
	.read = netlink_read,
	.culprit = event_socket_culprit,
	.fleeting = true,
};

SOURCE(packet_sockets) = {
	.name = "net/packet",
	.what = "/proc/net/packet: packet sockets of this network namespace, and what they lost",
	.read = packet_read,
	.culprit = event_socket_culprit,
	.fleeting = true,
};

SOURCE(nfqueue) = {
	.name = "net/nfqueue",
	.what = "/proc/net/netfilter/nfnetlink_queue: packets that wait for a program's verdict, "
		"and those "
		"dropped",
	.read = nfqueue_read,
	.culprit = nfqueue_culprit,
};
