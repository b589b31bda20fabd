/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many errors has a GPU counted, by the kernel's family drm-ras of generic netlink? A driver
 * has a node for each kind (Intel's xe: correctable-errors and uncorrectable-errors of a PCI
 * address), a node a counter for each part of the chip. Source:
 * Documentation/netlink/specs/drm_ras.yaml and drivers/gpu/drm/xe/xe_drm_ras.c, Linux 7.1.
 */
#include "base/banned.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sys/netlink.h"
#include "sources/gpu/gpu_source.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sources/gpu/amd_ras.h"

#define FAMILY "drm-ras"
#define FAMILY_VERSION 1
#define NODES_MAX 256

enum { LIST_NODES = 1, GET_ERROR_COUNTER = 2 };
enum { NODE_ID = 1, NODE_DEVICE = 2, NODE_NAME = 3, NODE_TYPE = 4 };
enum { COUNTER_NODE_ID = 1, COUNTER_VALUE = 4 };
enum { TYPE_ERROR_COUNTER = 1 };

struct node {
	uint32_t id;
	size_t device;
	bool uncorrectable;
};

struct nodes {
	const struct gpu_devices *devices;
	const bool *asleep;
	struct node list[NODES_MAX];
	size_t n;
};

static bool ras_number(struct bytes message, uint16_t type, uint32_t *out)
{
	size_t got;

	return netlink_u32(message.data, message.len, type, 1, out, &got);
}

/* Strings of netlink end with a 0, or with their attribute. */
static struct bytes string(struct bytes message, uint16_t type)
{
	struct bytes text = {0};

	text.data = netlink_attribute(message.data, message.len, type, &text.len);
	if (text.data)
		text.len = strnlen(text.data, text.len);
	return text;
}

/* What follows the family's own header. */
static bool attributes(struct bytes *message)
{
	if (message->len < GENL_HDRLEN)
		return false;
	message->data += GENL_HDRLEN;
	message->len -= GENL_HDRLEN;
	return true;
}

static int take_node(void *arg, uint16_t type, const char *data, size_t len)
{
	struct bytes message = {data, len}, device, name;
	struct nodes *nodes = arg;
	struct node node = {0};
	uint32_t kind;

	(void)type;
	if (nodes->n == NODES_MAX || !attributes(&message) ||
		!ras_number(message, NODE_ID, &node.id) || !ras_number(message, NODE_TYPE, &kind) ||
		kind != TYPE_ERROR_COUNTER)
		return 0;
	device = string(message, NODE_DEVICE);
	name = string(message, NODE_NAME);
	node.uncorrectable = text_is(name, "uncorrectable-errors");
	if (!node.uncorrectable && !text_is(name, "correctable-errors"))
		return 0;
	while (node.device < nodes->devices->n &&
		!text_is(device, nodes->devices->list[node.device].name))
		node.device++;
	if (node.device < nodes->devices->n && !nodes->asleep[node.device])
		nodes->list[nodes->n++] = node;
	return 0;
}

static int ras_add_counter(void *arg, uint16_t type, const char *data, size_t len)
{
	struct bytes message = {data, len};
	uint32_t value;
	double *sum = arg;

	(void)type;
	if (attributes(&message) && ras_number(message, COUNTER_VALUE, &value))
		*sum += value;
	return 0;
}

static int take_family(void *arg, uint16_t type, const char *data, size_t len)
{
	struct bytes message = {data, len}, id = {0};
	uint16_t *family = arg;

	(void)type;
	if (!attributes(&message) || !text_is(string(message, CTRL_ATTR_FAMILY_NAME), FAMILY))
		return 0;
	id.data = netlink_attribute(message.data, message.len, CTRL_ATTR_FAMILY_ID, &id.len);
	if (id.data && id.len >= sizeof(*family))
		memcpy(family, id.data, sizeof(*family));
	return 0;
}

/* What follows the message's header: the family's, and the node that is asked for, if one is. */
struct request {
	struct genlmsghdr header;
	struct nlattr head;
	uint32_t node;
};

static int ras_ask(const struct gpu_ras *ras, uint8_t command, const uint32_t *node,
	netlink_message *each, void *arg)
{
	struct request request = {
		.header = {.cmd = command, .version = FAMILY_VERSION},
		.head = {.nla_len = sizeof(struct nlattr) + sizeof(*node),
			.nla_type = COUNTER_NODE_ID},
		.node = node ? *node : 0,
	};
	size_t len = node ? sizeof(request) : sizeof(request.header);

	return netlink_dump_with(CAPS_GPU_ERRORS, ras->fd, ras->family, &request, len, each, arg);
}

void gpu_ras_open(struct gpu_ras *ras)
{
	const struct genlmsghdr request = {.cmd = CTRL_CMD_GETFAMILY, .version = 1};

	ras->family = 0;
	ras->fd = netlink_open(NETLINK_GENERIC);
	if (ras->fd < 0)
		return;
	netlink_dump(ras->fd, GENL_ID_CTRL, &request, sizeof(request), take_family, &ras->family);
	if (!ras->family)
		gpu_ras_close(ras);
}

void gpu_ras_close(struct gpu_ras *ras)
{
	if (ras->fd >= 0)
		close(ras->fd);
	ras->fd = -1;
}

/* The sum of all counters of a device's nodes of one kind. Returns 0, -ENODATA where it has none,
 * or -errno where one did not answer: what is left out must not read as no error. */
static int sum_of(const struct gpu_ras *ras, const struct nodes *nodes, size_t device,
	bool uncorrectable, double *sum)
{
	int err, result = -ENODATA;
	size_t i;

	*sum = 0;
	for (i = 0; i < nodes->n; i++) {
		const struct node *node = &nodes->list[i];

		if (node->device != device || node->uncorrectable != uncorrectable)
			continue;
		err = ras_ask(ras, GET_ERROR_COUNTER, &node->id, ras_add_counter, sum);
		if (err)
			return err;
		result = 0;
	}
	return result;
}

static void ras_say_missing(struct str *lines, int err)
{
	if (err == -EPERM)
		str_add(lines,
			"missing the errors that Intel's GPUs have counted (drm-ras) need "
			"root, or CAP_NET_ADMIN\n");
	else
		str_addf(lines, "missing the errors that Intel's GPUs have counted (drm-ras): %s\n",
			strerror(-err));
}

void gpu_ras_read(const struct gpu_ras *ras, const struct gpu_devices *devices, const bool *asleep,
	struct str *lines)
{
	static const char *const keys[] = {"ras_correctable", "ras_uncorrectable"};
	struct nodes nodes = {.devices = devices, .asleep = asleep};
	double sum;
	size_t i;
	int err, kind, silent = 0;

	if (ras->fd < 0)
		return;
	err = ras_ask(ras, LIST_NODES, NULL, take_node, &nodes);
	if (err) {
		ras_say_missing(lines, err);
		return;
	}
	for (i = 0; i < devices->n; i++)
		for (kind = 0; kind < 2; kind++) {
			err = sum_of(ras, &nodes, i, kind, &sum);
			if (!err)
				str_addf(lines, "%s %s %.17g\n", devices->list[i].name, keys[kind],
					sum);
			else if (err != -ENODATA)
				silent = err;
		}
	if (silent)
		ras_say_missing(lines, silent);
}
