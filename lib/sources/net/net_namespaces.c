/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do the network counters say, here and in the containers? A plain field is of our own network
 * namespace; instances are all of them, "host" being ours.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <unistd.h>

#include "sys/netlink.h"
#include "capture/netns.h"
#include "base/num.h"
#include "sources/net/net_namespaces.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/instances.h"
#include "sample/sink.h"

#define SHARED "network namespaces"
#define HOST_WORDS "the host network namespace"
#define LIST_BLOB "netns-list" /* lines of name, tab, label */
#define MISSING_BLOB "netns-missing"

/* Below /proc/net, or where they begin with SYSCTL below /proc/sys/net. */
#define SYSCTL "ipv4/"
static const char *const files[] = {"netstat", "snmp", "snmp6", "sockstat", "sockstat6", "dev",
	"udp", "udp6", "stat/nf_conntrack", SYSCTL "ip_local_port_range",
	SYSCTL "ip_local_reserved_ports", SYSCTL "tcp_tw_reuse"};
static const int protocols[] = {NETLINK_SOCK_DIAG, NETLINK_ROUTE};

struct namespace
{
	char *name;
	char *label; /* as the list in a recording has it: "jail", "netns of nginx (pid 123)" */
	char *words; /* as a sentence has it */
	int sockets[ARRAY_SIZE(protocols)]; /* or -errno */
};

struct namespaces {
	struct capture *fs;
	struct namespace *list;	 /* without ours */
	struct instances *names; /* as numbered in list */
	int own[ARRAY_SIZE(protocols)];
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

/* "in host" tells nobody that a network namespace is meant. */
static char *namespace_words(const char *label)
{
	static const char of_process[] = "netns of ";

	return str_starts(label, of_process)
		? mem_printf("the network namespace of %s", label + strlen(of_process))
		: mem_printf("the network namespace %s", label);
}

static void open_sockets(int *sockets)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(protocols); i++)
		sockets[i] = netlink_open(protocols[i]);
}

static void close_sockets(const int *sockets)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(protocols); i++)
		if (sockets[i] >= 0)
			close(sockets[i]);
}

static int adopt_file(struct capture *fs, const char *name, const char *file)
{
	char *path = mem_printf(
		str_starts(file, SYSCTL) ? "/proc/sys/net/%s" : "/proc/thread-self/net/%s", file);
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	free(path);
	if (fd < 0)
		return -errno;
	path = mem_printf("@netns/%s/net/%s", name, file);
	err = capture_adopt(fs, path, fd);
	free(path);
	return err;
}

/* Inside a namespace: what is opened here stays bound to it. */
static int netfamily_open_files(void *arg, const char *name, const char *label)
{
	struct namespaces *all = arg;
	char *safe;
	size_t i;

	if (!strcmp(name, "host"))
		return 0;
	safe = without_controls(name);
	if (instances_intern(all->names, safe) != all->n) {
		str_add(&all->missing, "two network namespaces have the same name");
		free(safe);
		return 0;
	}
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
	all->list[all->n] = (struct namespace){.name = safe, .label = without_controls(label)};
	all->list[all->n].words = namespace_words(all->list[all->n].label);
	open_sockets(all->list[all->n++].sockets);
	return 0;
}

static void open_live(struct namespaces *all)
{
	struct str text = STR_INIT;
	int err;
	size_t i;

	open_sockets(all->own);
	err = netns_each(all->fs, netfamily_open_files, all);
	if (err)
		str_add(&all->missing, netns_unseen(err));
	for (i = 0; i < all->n; i++)
		str_addf(&text, "%s\t%s\n", all->list[i].name, all->list[i].label);
	capture_put_blob(all->fs, LIST_BLOB, str_text(&text), text.len);
	capture_put_blob(all->fs, MISSING_BLOB, str_text(&all->missing), all->missing.len);
	str_free(&text);
}

static void no_sockets(int *sockets)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(protocols); i++)
		sockets[i] = -EOPNOTSUPP;
}

static void open_recorded(struct namespaces *all)
{
	struct bytes text, line, name;
	char safe[128], label[256];

	if (!capture_get_blob(all->fs, MISSING_BLOB, &text))
		str_addn(&all->missing, text.data, text.len);
	if (capture_get_blob(all->fs, LIST_BLOB, &text))
		return;
	while (all->n < NETNS_MAX && text_line(&text, &line)) {
		if (!text_until(&line, '\t', &name) || !text_copy(name, safe, sizeof(safe)) ||
			!text_copy(line, label, sizeof(label)) ||
			instances_intern(all->names, safe) != all->n)
			continue;
		ARRAY_GROW(all->list, all->n, all->room);
		all->list[all->n] = (struct namespace){.name = mem_strdup(safe),
			.label = mem_strdup(label),
			.words = namespace_words(label)};
		no_sockets(all->list[all->n++].sockets);
	}
}

static void netfamily_release(void *object)
{
	struct namespaces *all = object;
	size_t i;

	for (i = 0; i < all->n; i++) {
		free(all->list[i].name);
		free(all->list[i].label);
		free(all->list[i].words);
		close_sockets(all->list[i].sockets);
	}
	close_sockets(all->own);
	instances_free(all->names);
	free(all->list);
	str_free(&all->missing);
	free(all);
}

int netfamily_open(struct capture *fs, void **state)
{
	struct namespaces *all = capture_attached(fs, SHARED);

	if (!all) {
		all = mem_zalloc(sizeof(*all));
		all->fs = fs;
		all->names = instances_new();
		no_sockets(all->own);
		if (capture_is_replay(fs))
			open_recorded(all);
		else if (capture_is_live(fs))
			open_live(all);
		capture_attach(fs, SHARED, all, netfamily_release);
	}
	*state = all;
	return 0;
}

struct asked_files {
	const struct namespaces *all;
	bool any;
};

/* "host.TcpExt.ListenDrops", "web/eth0.rx_packets": one namespace, by its name. */
static void note_asked(void *arg, const char *field)
{
	struct asked_files *asked = arg;
	size_t i;

	asked->any |= str_starts(field, "host.");
	for (i = 0; i < asked->all->n && !asked->any; i++) {
		const char *name = asked->all->list[i].name;

		asked->any = str_starts(field, name) && strchr("./", field[strlen(name)]) &&
			field[strlen(name)];
	}
}

bool netfamily_wanted(const void *state, const struct sink *sink)
{
	struct asked_files asked = {.all = state};

	if (sink_wants_instances(sink))
		return true;
	sink_each_wanted(sink, note_asked, &asked);
	return asked.any;
}

int netfamily_read(struct capture *fs, const char *name, const char *file, struct bytes *out)
{
	const char *where = str_starts(file, SYSCTL) ? "/proc/sys/net" : "/proc/net";
	char *path = strcmp(name, "host") ? mem_printf("@netns/%s/net/%s", name, file)
					  : mem_printf("%s/%s", where, file);
	int err = capture_read(fs, path, out);

	free(path);
	return err;
}

int netfamily_socket(void *state, const char *name, int protocol)
{
	const struct namespaces *all = state;
	const int *sockets = strcmp(name, "host") ? NULL : all->own;
	long number = sockets ? -1 : instances_find(all->names, name);
	size_t i;

	if (number >= 0 && (size_t)number < all->n)
		sockets = all->list[number].sockets;
	for (i = 0; sockets && i < ARRAY_SIZE(protocols); i++)
		if (protocols[i] == protocol)
			return sockets[i];
	return -ENOENT;
}

void netfamily_names(void *state, void (*each)(void *arg, const char *name, const char *label),
	struct sink *sink, void *arg)
{
	const struct namespaces *all = state;
	size_t i;

	each(arg, "host", HOST_WORDS);
	for (i = 0; i < all->n; i++)
		each(arg, all->list[i].name, all->list[i].words);
	if (all->missing.len)
		sink_missing(sink, "%s", str_text(&all->missing));
}

void netfamily_each(struct capture *fs, void *state, const char *file, struct sink *sink,
	void (*parse)(struct bytes text, struct sink *sink, const char *name))
{
	const struct namespaces *all = state;
	struct bytes text;
	size_t i;

	for (i = 0; i < all->n; i++) {
		if (netfamily_read(fs, all->list[i].name, file, &text))
			continue;
		parse(text, sink, all->list[i].name);
		sink_label(sink, all->list[i].name, all->list[i].words);
	}
	if (all->missing.len)
		sink_missing(sink, "%s", str_text(&all->missing));
}

static int read_family(struct capture *fs, void *state, const char *file, struct sink *sink,
	void (*parse)(struct bytes text, struct sink *sink, const char *name))
{
	bool all = netfamily_wanted(state, sink);
	char *path = mem_printf("/proc/net/%s", file);
	struct bytes text;
	int err = capture_read(fs, path, &text);

	if (err) {
		sink_missing(sink, "%s: %s", path, strerror(-err));
	} else {
		sink_also(sink, all ? "host" : NULL);
		parse(text, sink, "");
		sink_also(sink, NULL);
		if (all)
			sink_label(sink, "host", HOST_WORDS);
	}
	free(path);
	if (all)
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

/*
 * A line of names, then one of hexadecimal numbers for each CPU. All are counters of that CPU but
 * entries, which each line repeats.
 */
void parse_net_stat(struct bytes text, struct sink *sink, const char *instance)
{
	enum { COLUMNS = 32 };
	uint64_t sums[COLUMNS] = {0}, value;
	struct bytes names, line, name;
	size_t n = COLUMNS, rows = 0, i;

	if (!text_line(&text, &names))
		return;
	for (; text_line(&text, &line); rows++) {
		const char *at = line.data, *end = line.data + line.len;

		for (i = 0; i < n && !num_next_hex(&at, end, &value); i++)
			sums[i] += value;
		n = i;
	}
	for (i = 0; rows && i < n && text_word(&names, &name); i++)
		text_put(sink, instance, "", name,
			(double)(text_is(name, "entries") ? sums[i] / rows : sums[i]));
}

static int read_netstat(struct capture *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "netstat", sink, parse_net_pairs);
}

static int read_snmp(struct capture *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "snmp", sink, parse_net_pairs);
}

static int read_snmp6(struct capture *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "snmp6", sink, parse_snmp6);
}

static int read_sockstat(struct capture *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "sockstat", sink, parse_sockstat);
}

static int read_conntrack(struct capture *fs, void *state, struct sink *sink)
{
	return read_family(fs, state, "stat/nf_conntrack", sink, parse_net_stat);
}

static void parse_own_stat(struct bytes text, struct sink *sink)
{
	parse_net_stat(text, sink, "");
}

static int read_arp(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/net/stat/arp_cache", parse_own_stat, sink);
}

static int read_ndisc(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, "/proc/net/stat/ndisc_cache", parse_own_stat, sink);
}

SOURCE(conntrack) = {
	.name = "net/stat/nf_conntrack",
	.what = "/proc/net/stat/nf_conntrack: connections tracked, of each network namespace",
	.open = netfamily_open,
	.read = read_conntrack,
};

SOURCE(arp) = {
	.name = "net/stat/arp_cache",
	.what = "/proc/net/stat/arp_cache: IPv4 neighbours, of all network namespaces",
	.read = read_arp,
};

SOURCE(ndisc) = {
	.name = "net/stat/ndisc_cache",
	.what = "/proc/net/stat/ndisc_cache: IPv6 neighbours, of all network namespaces",
	.read = read_ndisc,
};

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
