/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do the queues before the network cards drop, and how much waits in them? Instances are queue
 * disciplines, "eth0/htb" at the root of an interface and "eth0/fq_codel(1:10)" below a class of
 * another one; those of other network namespaces have its name and a slash before that. Where
 * nothing queues (noqueue) there is nothing to tell.
 */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/gen_stats.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "sys/netlink.h"
#include "sources/net/net_namespaces.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/net/qdisc.h"

#define QDISCS_MAX 16384

/* Behind the name, in a line of a recording. */
static const char *const columns[] = {
	"bytes", "packets", "drops", "overlimits", "requeues", "qlen", "backlog"};

struct qdisc_state {
	void *family;
};

struct reader {
	struct capture *fs;
	struct qdisc_state *state;
	struct sink *sink;
	size_t n;
	int err;
};

struct gathering {
	int fd;
	struct str *text;
	size_t n;
};

static bool interface_name(int fd, int index, char *out, size_t size)
{
	struct ifreq request = {.ifr_ifindex = index};

	if (ioctl(fd, SIOCGIFNAME, &request))
		return false;
	request.ifr_name[sizeof(request.ifr_name) - 1] = 0;
	snprintf(out, size, "%s", request.ifr_name);
	return *out != 0;
}

bool qdisc_parse(const char *data, size_t len, struct qdisc *out)
{
	struct gnet_stats_basic basic = {0};
	struct gnet_stats_queue queue = {0};
	const void *stats, *part;
	size_t stats_len, n;
	struct tcmsg message;

	if (len < sizeof(message))
		return false;
	memcpy(&message, data, sizeof(message));
	data += NLMSG_ALIGN(sizeof(message));
	len -= NLMSG_ALIGN(sizeof(message)) > len ? len : NLMSG_ALIGN(sizeof(message));
	part = netlink_attribute(data, len, TCA_KIND, &n);
	stats = netlink_attribute(data, len, TCA_STATS2, &stats_len);
	if (!part || !stats || !n)
		return false;
	*out = (struct qdisc){.interface = message.tcm_ifindex,
		.root = message.tcm_parent == TC_H_ROOT,
		.parent = message.tcm_parent};
	snprintf(out->kind, sizeof(out->kind), "%.*s", (int)strnlen(part, n), (const char *)part);
	part = netlink_attribute(stats, stats_len, TCA_STATS_BASIC, &n);
	if (!part)
		return false;
	/* The kernel leaves out the padding at the end of it. */
	memcpy(&basic, part, n < sizeof(basic) ? n : sizeof(basic));
	part = netlink_attribute(stats, stats_len, TCA_STATS_QUEUE, &n);
	if (!part || n < sizeof(queue))
		return false;
	memcpy(&queue, part, sizeof(queue));
	out->bytes = basic.bytes;
	out->packets = basic.packets;
	out->drops = queue.drops;
	out->overlimits = queue.overlimits;
	out->requeues = queue.requeues;
	out->qlen = queue.qlen;
	out->backlog = queue.backlog;
	return true;
}

static int qdisc_gather(void *arg, uint16_t type, const char *data, size_t len)
{
	struct gathering *all = arg;
	struct qdisc qdisc;
	char name[IFNAMSIZ];

	if (type != RTM_NEWQDISC || !qdisc_parse(data, len, &qdisc) ||
		!strcmp(qdisc.kind, "noqueue") || all->n == QDISCS_MAX ||
		!interface_name(all->fd, qdisc.interface, name, sizeof(name)))
		return 0;
	all->n++;
	str_addf(all->text, "%s/%s", name, qdisc.kind);
	if (!qdisc.root)
		str_addf(all->text, "(%x:%x)", qdisc.parent >> 16, qdisc.parent & 0xffff);
	str_addf(all->text,
		" %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
		"\n",
		qdisc.bytes, qdisc.packets, qdisc.drops, qdisc.overlimits, qdisc.requeues,
		qdisc.qlen, qdisc.backlog);
	return 0;
}

size_t parse_qdiscs(struct bytes text, struct sink *sink, const char *namespace)
{
	char instance[256], short_name[128];
	struct bytes line, name;
	size_t n = 0;

	for (; n < QDISCS_MAX && text_line(&text, &line); n++) {
		if (!text_word(&line, &name) || !text_copy(name, short_name, sizeof(short_name)) ||
			snprintf(instance, sizeof(instance), "%s%s%s", namespace,
				*namespace ? "/" : "", short_name) >= (int)sizeof(instance))
			continue;
		text_put_columns(sink, instance, columns, ARRAY_SIZE(columns), line);
	}
	return n;
}

static int qdisc_ask(struct reader *reader, const char *name, struct str *text)
{
	const struct tcmsg request = {.tcm_family = AF_UNSPEC};
	struct gathering all = {.text = text};

	all.fd = netfamily_socket(reader->state->family, name, NETLINK_ROUTE);
	if (all.fd < 0)
		return all.fd;
	return netlink_dump(all.fd, RTM_GETQDISC, &request, sizeof(request), qdisc_gather, &all);
}

static void qdisc_read_place(void *arg, const char *name, const char *label)
{
	struct reader *reader = arg;
	char *blob = mem_printf("qdisc-%s", name);
	struct str text = STR_INIT;
	struct bytes recorded;
	size_t n;
	int err;

	(void)label;
	if (capture_is_replay(reader->fs)) {
		err = capture_get_blob(reader->fs, blob, &recorded);
	} else {
		err = qdisc_ask(reader, name, &text);
		recorded = (struct bytes){str_text(&text), text.len};
		if (!err)
			capture_put_blob(reader->fs, blob, recorded.data, recorded.len);
	}
	if (err) {
		sink_missing(
			reader->sink, "queue disciplines cannot be listed: %s", strerror(-err));
		reader->err = err;
	} else {
		n = parse_qdiscs(recorded, reader->sink, strcmp(name, "host") ? name : "");
		if (n == QDISCS_MAX)
			sink_missing(reader->sink,
				"network namespace %s has more queue disciplines than are read, %d",
				name, QDISCS_MAX);
		reader->n += n;
	}
	free(blob);
	str_free(&text);
}

static int qdisc_open(struct capture *fs, void **out)
{
	struct qdisc_state *state = mem_zalloc(sizeof(*state));

	*out = state;
	return netfamily_open(fs, &state->family);
}

static int qdisc_read(struct capture *fs, void *arg, struct sink *sink)
{
	struct reader reader = {.fs = fs, .state = arg, .sink = sink};

	if (!capture_is_live(fs) && !capture_is_replay(fs)) {
		sink_missing(sink, "only the kernel that runs here can be asked for its queues");
		return -EOPNOTSUPP;
	}
	netfamily_names(reader.state->family, qdisc_read_place, sink, &reader);
	if (!reader.n && !reader.err)
		sink_none(sink);
	return reader.n ? 0 : reader.err;
}

static void qdisc_close(void *arg)
{
	free(arg);
}

/* "aqm" drops to make senders slow down, "shaper" to keep to a rate; what else drops is full. */
static const char *qdisc_class(struct capture *fs, void *state, const char *instance)
{
	static const struct {
		const char *kind, *class;
	} kinds[] = {
		{"fq_codel", "aqm"},
		{"codel", "aqm"},
		{"cake", "aqm"},
		{"cake_mq", "aqm"},
		{"pie", "aqm"},
		{"fq_pie", "aqm"},
		{"dualpi2", "aqm"},
		{"red", "aqm"},
		{"gred", "aqm"},
		{"sfb", "aqm"},
		{"choke", "aqm"},
		{"htb", "shaper"},
		{"tbf", "shaper"},
		{"hfsc", "shaper"},
		{"cbq", "shaper"},
		{"netem", "shaper"},
		{"ingress", "policer"},
		{"clsact", "policer"},
	};
	const char *kind = strrchr(instance, '/');
	size_t i, n;

	(void)fs;
	(void)state;
	if (!kind)
		return NULL;
	n = strcspn(++kind, "(");
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].kind) == n && !memcmp(kinds[i].kind, kind, n))
			return kinds[i].class;
	return NULL;
}

static bool qdisc_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const char *slash = strrchr(instance, '/');

	(void)fs;
	(void)state;
	if (!slash)
		return false;
	snprintf(out->kind, sizeof(out->kind), "device");
	snprintf(out->name, sizeof(out->name), "%.*s", (int)(slash - instance), instance);
	return true;
}

SOURCE(qdisc) = {
	.name = "qdisc",
	.what = "queue disciplines of every network namespace: what waits there and what is "
		"dropped",
	.open = qdisc_open,
	.read = qdisc_read,
	.close = qdisc_close,
	.class_of = qdisc_class,
	.culprit = qdisc_culprit,
};
