/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The errors that the GPU has counted, as the family drm-ras of generic netlink tells them:
 * ras=1 has it, ras_correctable and ras_uncorrectable are counts of the GPU at 0000:03:00.0. Nodes
 * of others are there too, and answers come in several datagrams.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "fake.h"

enum { FAMILY_ID = 37, DATAGRAMS = 4 };

static struct datagram {
	uint8_t bytes[1024];
	size_t n;
} answers[DATAGRAMS];
static size_t answered, taken;
static uint32_t sequence;

static void put(struct datagram *to, const void *from, size_t n)
{
	memcpy(to->bytes + to->n, from, n);
	to->n += (n + 3) & ~(size_t)3;
}

static void put_attribute(struct datagram *to, uint16_t type, const void *from, size_t n)
{
	const uint16_t head[2] = {(uint16_t)(4 + n), type};

	put(to, head, sizeof(head));
	put(to, from, n);
}

static void put_u32(struct datagram *to, uint16_t type, uint32_t value)
{
	put_attribute(to, type, &value, sizeof(value));
}

static void put_text(struct datagram *to, uint16_t type, const char *text)
{
	put_attribute(to, type, text, strlen(text) + 1);
}

/* Begins a message of the present datagram, whose length is set by end_message. */
static size_t begin_message(uint16_t type, uint8_t command)
{
	struct datagram *to = &answers[answered];
	const struct nlmsghdr header = {
		.nlmsg_type = type, .nlmsg_flags = NLM_F_MULTI, .nlmsg_seq = sequence};
	const uint8_t generic[4] = {command, 1};
	size_t at = to->n;

	put(to, &header, sizeof(header));
	put(to, generic, sizeof(generic));
	return at;
}

static void end_message(size_t at)
{
	const uint32_t len = (uint32_t)(answers[answered].n - at);

	memcpy(answers[answered].bytes + at, &len, sizeof(len));
}

/* The end of a dump, or a refusal, is a datagram of its own. */
static void put_last(uint16_t type, int32_t error)
{
	const struct nlmsghdr header = {.nlmsg_len = 20, .nlmsg_type = type, .nlmsg_seq = sequence};

	if (answers[answered].n)
		answered++;
	put(&answers[answered], &header, sizeof(header));
	put(&answers[answered], &error, sizeof(error));
	answered++;
}

static void list_families(void)
{
	static const struct {
		uint16_t id;
		const char *name;
	} families[] = {{GENL_ID_CTRL, "nlctrl"}, {21, "drm-rasp"}, {FAMILY_ID, "drm-ras"}};

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		size_t at = begin_message(GENL_ID_CTRL, 1);
		struct datagram *to = &answers[answered];

		put_text(to, 2, families[i].name);
		put_attribute(to, 1, &families[i].id, sizeof(families[i].id));
		put_u32(to, 3, 1);
		end_message(at);
	}
}

static const struct {
	const char *device, *name;
	uint32_t type;
} nodes[] = {
	{"0000:05:00.0", "uncorrectable-errors", 1},
	{"0000:03:00.0", "correctable-errors", 1},
	{"0000:03:00.0", "uncorrectable-errors", 1},
	{"0000:03:00.0", "uncorrectable-errors", 2},
	{"0000:03:00.0", "fan-errors", 1},
};

static void list_nodes(void)
{
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		size_t at = begin_message(FAMILY_ID, 1);
		struct datagram *to = &answers[answered];

		put_u32(to, 1, (uint32_t)i);
		put_text(to, 2, nodes[i].device);
		put_text(to, 3, nodes[i].name);
		put_u32(to, 4, nodes[i].type);
		end_message(at);
		if (i == 1)
			answered++;
	}
}

/* Two parts of the chip: the first has one error, the second the others. */
static void list_counters(uint32_t node)
{
	long errors = node == 2 ? scenario.ras_uncorrectable
		: node == 1	? scenario.ras_correctable
				: 99;

	note("counters of node %u", node);
	for (uint32_t i = 1; i <= 2; i++) {
		size_t at = begin_message(FAMILY_ID, 2);
		struct datagram *to = &answers[answered];

		put_u32(to, 2, i);
		put_text(to, 3, i == 1 ? "core-compute" : "soc-internal");
		put_u32(to, 4, (uint32_t)(i == 1 ? errors > 0 : errors - (errors > 0)));
		end_message(at);
	}
}

static int answer_family(pid_t pid, const uint8_t *request, size_t n)
{
	uint32_t node;

	if (!may(pid, 1ull << CAP_NET_ADMIN))
		return -EPERM;
	if (request[0] == 1 && n == 4) {
		list_nodes();
		return 0;
	}
	if (request[0] != 2 || n != 12 || request[4] != 8 || request[6] != 1)
		violation("command %d of drm-ras with %zu bytes", request[0], n);
	memcpy(&node, request + 8, sizeof(node));
	if (node >= sizeof(nodes) / sizeof(nodes[0]))
		return -ENOENT;
	list_counters(node);
	return (int)-scenario.ras_errno;
}

long ras_send(pid_t pid, uint64_t at, uint64_t n)
{
	uint8_t request[256];
	struct nlmsghdr header;
	int result = 0;

	if (n < 20 || n > sizeof(request) || !peek(pid, at, request, n))
		return -EFAULT;
	memcpy(&header, request, sizeof(header));
	if (header.nlmsg_len > n || header.nlmsg_flags != (NLM_F_REQUEST | NLM_F_DUMP))
		violation("a request that is no dump");
	memset(answers, 0, sizeof(answers));
	answered = taken = 0;
	sequence = header.nlmsg_seq;
	if (header.nlmsg_type == GENL_ID_CTRL)
		list_families();
	else if (header.nlmsg_type == FAMILY_ID)
		result = answer_family(pid, request + 16, header.nlmsg_len - 16);
	else
		violation("family %d was asked", header.nlmsg_type);
	if (result)
		put_last(NLMSG_ERROR, result);
	else
		put_last(NLMSG_DONE, 0);
	return (long)n;
}

long ras_receive(pid_t pid, uint64_t to, uint64_t size, uint64_t from, uint64_t from_len)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	const uint32_t len = sizeof(kernel);
	struct datagram *answer = &answers[taken];

	if (taken == answered)
		return -EAGAIN;
	taken++;
	if (size < answer->n || !poke(pid, to, answer->bytes, answer->n) ||
		!poke(pid, from, &kernel, sizeof(kernel)) ||
		!poke(pid, from_len, &len, sizeof(len)))
		return -EFAULT;
	return (long)answer->n;
}
