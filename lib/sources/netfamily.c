/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do the network counters say, here and in the containers? A plain field is of our own network
 * namespace; instances are all of them, "host" being ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "caps.h"
#include "netns.h"
#include "sources/netfamily.h"
#include "sources/parsers.h"
#include "sources/text.h"
#include "str.h"

#define SHARED "network namespaces"
#define LIST_BLOB "netns-list" /* lines of name, tab, label */
#define MISSING_BLOB "netns-missing"

static const char *const files[] = {"netstat", "snmp", "snmp6", "sockstat", "dev"};

struct namespace
{
	char *name;
	char *label;
};

struct namespaces {
	struct procfs *fs;
	struct namespace *list; /* without ours */
	size_t n, room;
	struct str missing; /* why there may be more */
};

/* Names become paths of a recording and lines of a list. */
static char *without_controls(const char *text)
{
	char *copy = mem_strdup(text), *at;

	for (at = copy; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = '?';
	return copy;
}

static int adopt_file(struct procfs *fs, const char *name, const char *file)
{
	char *path = mem_printf("/proc/thread-self/net/%s", file);
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	free(path);
	if (fd < 0)
		return -errno;
	path = mem_printf("@netns/%s/net/%s", name, file);
	err = procfs_adopt(fs, path, fd);
	free(path);
	return err;
}

/* Inside a namespace: what is opened here stays bound to it. */
static int open_files(void *arg, const char *name, const char *label)
{
	struct namespaces *all = arg;
	char *safe;
	size_t i;

	if (!strcmp(name, "host"))
		return 0;
	safe = without_controls(name);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (adopt_file(all->fs, safe, files[i]) != -EMFILE)
			continue;
		str_add(&all->missing,
			"too few file descriptors for all network namespaces: raise "
			"the limit (ulimit -n)");
		free(safe);
		return 1;
	}
	ARRAY_GROW(all->list, all->n, all->room);
	all->list[all->n++] = (struct namespace){safe, without_controls(label)};
	return 0;
}

static void open_live(struct namespaces *all)
{
	struct str text = STR_INIT;
	int err = netns_each(all->fs, open_files, all);
	size_t i;

	if (err == -E2BIG)
		str_addf(&all->missing, "only %d network namespaces are read", NETNS_MAX);
	else if (err && caps_have(CAPS_NAMESPACE | CAPS_PTRACE))
		str_add(&all->missing,
			"some processes do not show their network namespace, not even to root "
			"here");
	else if (err)
		str_add(&all->missing,
			"other network namespaces need CAP_SYS_ADMIN and CAP_SYS_PTRACE: run as "
			"root");
	for (i = 0; i < all->n; i++)
		str_addf(&text, "%s\t%s\n", all->list[i].name, all->list[i].label);
	procfs_put_blob(all->fs, LIST_BLOB, str_text(&text), text.len);
	procfs_put_blob(all->fs, MISSING_BLOB, str_text(&all->missing), all->missing.len);
	str_free(&text);
}

static void open_recorded(struct namespaces *all)
{
	struct bytes text, line, name;
	char safe[128], label[256];

	if (!procfs_get_blob(all->fs, MISSING_BLOB, &text))
		str_addn(&all->missing, text.data, text.len);
	if (procfs_get_blob(all->fs, LIST_BLOB, &text))
		return;
	while (all->n < NETNS_MAX && text_line(&text, &line)) {
		if (!text_until(&line, '\t', &name) || !text_copy(name, safe, sizeof(safe)) ||
			!text_copy(line, label, sizeof(label)))
			continue;
		ARRAY_GROW(all->list, all->n, all->room);
		all->list[all->n++] = (struct namespace){mem_strdup(safe), mem_strdup(label)};
	}
}

static void release(void *object)
{
	struct namespaces *all = object;
	size_t i;

	for (i = 0; i < all->n; i++) {
		free(all->list[i].name);
		free(all->list[i].label);
	}
	free(all->list);
	str_free(&all->missing);
	free(all);
}

int netfamily_open(struct procfs *fs, void **state)
{
	struct namespaces *all = procfs_attached(fs, SHARED);

	if (!all) {
		all = mem_zalloc(sizeof(*all));
		all->fs = fs;
		if (procfs_is_replay(fs))
			open_recorded(all);
		else if (procfs_is_live(fs))
			open_live(all);
		procfs_attach(fs, SHARED, all, release);
	}
	*state = all;
	return 0;
}

void netfamily_each(struct procfs *fs, void *state, const char *file, struct sink *sink,
	void (*parse)(struct bytes text, struct sink *sink, const char *name))
{
	const struct namespaces *all = state;
	struct bytes text;
	size_t i;

	for (i = 0; i < all->n; i++) {
		char *path = mem_printf("@netns/%s/net/%s", all->list[i].name, file);

		if (!procfs_read(fs, path, &text)) {
			parse(text, sink, all->list[i].name);
			sink_label(sink, all->list[i].name, all->list[i].label);
		}
		free(path);
	}
	if (all->missing.len)
		sink_missing(sink, "%s", str_text(&all->missing));
}

static int read_family(struct procfs *fs, void *state, const char *file, struct sink *sink,
	void (*parse)(struct bytes text, struct sink *sink, const char *name))
{
	char *path = mem_printf("/proc/net/%s", file);
	struct bytes text;
	int err = procfs_read(fs, path, &text);

	if (err)
		sink_missing(sink, "%s: %s", path, strerror(-err));
	else
		parse(text, sink, "");
	free(path);
	if (!sink_wants_instances(sink))
		return err;
	if (!err)
		parse(text, sink, "host");
	netfamily_each(fs, state, file, sink, parse);
	return err;
}

/* Two lines each: "TcpExt: SyncookiesSent …" and "TcpExt: 0 …". */
static void put_pair(struct sink *sink, const char *instance, struct bytes name, struct bytes keys,
	struct bytes values)
{
	struct bytes key;
	char prefix[64];
	double value;

	if (!text_copy(name, prefix, sizeof(prefix) - 1))
		return;
	memcpy(prefix + name.len, ".", 2);
	while (text_word(&keys, &key) && text_next_number(&values, &value))
		text_put(sink, instance, prefix, key, value);
}

void parse_net_pairs(struct bytes text, struct sink *sink, const char *instance)
{
	struct bytes keys, values, name, again;

	while (text_line(&text, &keys)) {
		struct bytes rest = text;

		if (!text_until(&keys, ':', &name) || !text_line(&rest, &values) ||
			!text_until(&values, ':', &again))
			continue;
		if (name.len != again.len || memcmp(name.data, again.data, name.len) != 0)
			continue;
		put_pair(sink, instance, name, keys, values);
		text = rest;
	}
}

void parse_snmp6(struct bytes text, struct sink *sink, const char *instance)
{
	text_put_pairs(text, sink, instance, "");
}

/* "TCP: inuse 1 orphan 0" */
void parse_sockstat(struct bytes text, struct sink *sink, const char *instance)
{
	struct bytes line, name, key;
	char prefix[64];
	double value;

	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &name) || !text_copy(name, prefix, sizeof(prefix) - 1))
			continue;
		memcpy(prefix + name.len, ".", 2);
		while (text_word(&line, &key) && text_next_number(&line, &value))
			text_put(sink, instance, prefix, key, value);
	}
}

static int read_netstat(struct procfs *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "netstat", sink, parse_net_pairs);
}

static int read_snmp(struct procfs *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "snmp", sink, parse_net_pairs);
}

static int read_snmp6(struct procfs *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "snmp6", sink, parse_snmp6);
}

static int read_sockstat(struct procfs *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "sockstat", sink, parse_sockstat);
}

SOURCE(netstat) = {
	.name = "net/netstat",
	.what = "/proc/net/netstat: TcpExt and IpExt counters, of each network namespace",
	.open = netfamily_open,
	.read = read_netstat,
};

SOURCE(snmp) = {
	.name = "net/snmp",
	.what = "/proc/net/snmp: IPv4, TCP and UDP counters, of each network namespace",
	.open = netfamily_open,
	.read = read_snmp,
};

SOURCE(snmp6) = {
	.name = "net/snmp6",
	.what = "/proc/net/snmp6: IPv6 counters, of each network namespace",
	.open = netfamily_open,
	.read = read_snmp6,
};

SOURCE(sockstat) = {
	.name = "net/sockstat",
	.what = "/proc/net/sockstat: sockets and their memory, of each network namespace",
	.open = netfamily_open,
	.read = read_sockstat,
};
