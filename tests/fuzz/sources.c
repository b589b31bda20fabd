/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can a file of /proc, or what a recording has in its place, break us?
 *
 * The first byte chooses the parser, the second one a file of control groups, the rest is the text.
 */
#include "base/banned.h"

#include <linux/types.h>

#include "base/str.h"
#include "bpf/iter/task.h"
#include "sources/net/port_usage.h"
#include "capture/sockdiag.h"
#include "sources/task/cgroup_files.h"
#include "sources/task/io_limit.h"
#include "sources/net/local_ports_text.h"
#include "tests/unit/probe.h"
#include "sources/kernel/klog.h"
#include "sample/sink.h"
#include "sources/kernel/vmstat.h"
#include "sources/kernel/meminfo.h"
#include "sources/kernel/stat.h"
#include "sources/kernel/pressure.h"
#include "sources/kernel/interrupts.h"
#include "sources/net/softnet.h"
#include "sources/kernel/loadavg.h"
#include "sources/kernel/uptime.h"
#include "sources/kernel/zoneinfo.h"
#include "sources/block/swaps.h"
#include "sources/kernel/key_users.h"
#include "sources/task/open_files.h"
#include "sources/block/diskstats.h"
#include "sources/block/stacked.h"
#include "sources/net/net_namespaces.h"
#include "sources/net/udp.h"
#include "sources/net/dns_waits.h"
#include "sources/net/resolver.h"
#include "sources/net/net_field.h"
#include "sources/net/dns.h"
#include "sources/net/ethtool_text.h"
#include "sources/net/event_sockets.h"
#include "sources/net/qdisc.h"
#include "sources/net/netdev.h"
#include "sources/common/value_files.h"
#include "sources/common/mountinfo.h"
#include "sources/block/jbd2.h"
#include "sources/block/nfs.h"
#include "sources/block/zfs_txgs.h"
#include "sources/kernel/ftrace.h"
#include "sources/task/bpf_cost.h"
#include "sources/task/reading.h"
#include "sources/task/task_walk.h"
#include "sources/task/task_group.h"
#include "base/cpulist.h"
#include "sources/task/traced.h"
#include "sources/kernel/clock.h"
#include "sources/kernel/avc.h"
#include "sources/kernel/taint.h"
#include "sources/kernel/sysvipc.h"
#include "sources/kernel/cpus.h"
#include "sources/block/drbd.h"
#include "sys/netlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int second;

static bool fuzz_beneath(void *arg, const char *device, struct bytes *names)
{
	*names = *(struct bytes *)arg; /* any words are names */
	return strlen(device) % 2;
}

static void fuzz_disks(struct bytes text, struct sink *sink)
{
	if (second % 2)
		parse_stacked(text, sink, fuzz_beneath, &text);
	else
		parse_diskstats(text, sink, NULL, NULL);
}

static void fuzz_netdev(struct bytes text, struct sink *sink)
{
	parse_netdev(text, sink, second % 2 ? "blue" : "", NULL, NULL);
}

static void fuzz_pairs(struct bytes text, struct sink *sink)
{
	parse_net_pairs(text, sink, "host");
}

static void fuzz_snmp6(struct bytes text, struct sink *sink)
{
	parse_snmp6(text, sink, "");
}

static void fuzz_sockstat(struct bytes text, struct sink *sink)
{
	parse_sockstat(text, sink, "");
}

static void fuzz_value(struct bytes text, struct sink *sink)
{
	double value = 0;

	if (second % 2 ? parse_named_value(text, "MemFree", &value)
		       : parse_value(text, second, &value))
		sink_put(sink, "", "x", value);
}

static void fuzz_io_limit(void *arg, const struct io_limit *limit)
{
	struct bytes *text = arg;

	parse_io_used(*text, limit);
	parse_throttle_used(*text, limit);
}

static void fuzz_cgroup(struct bytes text, struct sink *sink)
{
	cgroup_files[second % cgroup_files_count].parse(text, sink, "/a");
	parse_io_max(text, fuzz_io_limit, &text);
	parse_throttle_device(text, second % IO_LIMIT_KINDS, fuzz_io_limit, &text);
}

static void note_mount(void *arg, const struct mount_line *mount)
{
	if (!*mount->root || !*mount->point || !*mount->type)
		abort();
	sink_put(arg, mount->point, mount->type, mount->major);
}

static void fuzz_mountinfo(struct bytes text, struct sink *sink)
{
	parse_mountinfo(text, note_mount, sink);
	parse_mounts(text, note_mount, sink);
}

static void fuzz_txgs(struct bytes text, struct sink *sink)
{
	struct txg_sum sum = {0, 0, 0, second % 2};

	parse_txgs(text, &sum);
	sink_put(sink, "", "x", sum.sync_ns);
}

static void fuzz_jbd2(struct bytes text, struct sink *sink)
{
	parse_jbd2(text, sink, "");
}

static void fuzz_thread(struct bytes text, struct sink *sink)
{
	struct task_record task = {0};

	if (second % 2 ? parse_task_schedstat(text, &task) : parse_task_stat(text, &task))
		sink_put(sink, "", "x", (double)task.cpu_ns);
}

static void fuzz_group(struct bytes text, struct sink *sink)
{
	struct str path = STR_INIT, name = STR_INIT;
	struct reading reading;
	double cpu;

	if (parse_task_cgroup(text, &path) &&
		(cgroup_unit(str_text(&path), &name) || cgroup_pod(str_text(&path), &name)))
		sink_put(sink, "", "x", (double)name.len);
	if (parse_task_cpu(text, &cpu))
		sink_put(sink, "", "x", cpu);
	if (parse_process_io(text, &reading))
		sink_put(sink, "", "x", reading.by_calls);
	if (cpulist_has(text.data, text.len, second))
		sink_put(sink, "", "x", second);
	str_free(&path);
	str_free(&name);
}

static void fuzz_klog(struct bytes text, struct sink *sink)
{
	struct klog *log = klog_new();

	klog_add(log, text);
	klog_add(log, text);
	klog_put(log, sink);
	klog_free(log);
}

/* The bytes as the blob that a recording has of all threads. */
static void fuzz_threads(struct bytes text, struct sink *sink)
{
	const struct source *source = source_find(second % 2 ? "kthread" : "task");
	void *state = NULL;

	capture_put_blob(probe.fs, "task", text.data, text.len);
	source->open(probe.fs, &state);
	source->read(probe.fs, state, sink);
}

static void note_socket(void *arg, uint32_t inode, double drops)
{
	if (!inode || !(drops > 0))
		abort();
	sink_put(arg, "", "x", drops);
}

static void fuzz_udp(struct bytes text, struct sink *sink)
{
	parse_udp_counters(text, text, sink, "host");
	parse_udp_sockets(text, note_socket, sink);
	parse_net_stat(text, sink, "host");
}

static void note_connection(void *arg, const struct sock_connection *connection)
{
	sink_put(arg, "", "x", connection->remote_port);
}

static void fuzz_ports(struct bytes text, struct sink *sink)
{
	struct destinations all = {.low = 1, .high = UINT16_MAX};
	struct port_lines lines;
	double count;

	sockdiag_parse_connection(text.data, text.len, note_connection, sink);
	if (parse_port_lines(text, &lines) &&
		(!*lines.busiest.destination || lines.n > PORT_LINES_MAX))
		abort();
	destinations_reserve(&all, text);
	if (destinations_ports(&all) > UINT16_MAX)
		abort();
	if (parse_sockstat_field(text, "TCP:", "tw", &count))
		sink_put(sink, "", "x", count);
	if (parse_pair_field(text, "Tcp", "x", &count))
		sink_put(sink, "", "x", count);
}

static void fuzz_qdisc(struct bytes text, struct sink *sink)
{
	struct qdisc qdisc;

	if (qdisc_parse(text.data, text.len, &qdisc) &&
		strnlen(qdisc.kind, sizeof(qdisc.kind)) == sizeof(qdisc.kind))
		abort();
	parse_qdiscs(text, sink, second % 2 ? "blue" : "");
	if (dns_parse_answer(text.data, text.len, (uint16_t)second) > 15)
		abort();
	parse_dns(text, sink);
}

static void drop_peer(void *arg, const char *address, uint32_t port, uint32_t inode)
{
	(void)arg;
	(void)address;
	(void)port;
	(void)inode;
}

static void fuzz_udp_peers(struct bytes text, struct sink *sink)
{
	(void)sink;
	parse_udp_peers(text, drop_peer, NULL);
}

static void drop_netlink(void *arg, const struct netlink_socket *found)
{
	(void)arg;
	if (!found->port)
		abort();
}

static void drop_packet(void *arg, const struct packet_socket *found)
{
	(void)arg;
	if (!found->inode)
		abort();
}

static void drop_packet_drops(void *arg, uint32_t inode, uint32_t drops)
{
	(void)drops;
	sink_put(arg, "", "x", inode);
}

static void fuzz_event_sockets(struct bytes text, struct sink *sink)
{
	parse_netlink_sockets(text, drop_netlink, NULL);
	parse_packet_sockets(text, drop_packet, NULL);
	parse_nfqueues(text, sink);
}

static void fuzz_ftrace(struct bytes text, struct sink *sink)
{
	parse_probe_profile(text, sink, "x");
	sink_put(sink, "", "x", parse_buffer_stats(text));
}

static void fuzz_bpf_cost(struct bytes text, struct sink *sink)
{
	struct bpf_program_cost program;
	uint64_t slice;

	if (bpf_cost_slice(&text, &slice))
		sink_put(sink, "", "x", (double)slice);
	while (bpf_cost_next(&text, &program))
		sink_put(sink, program.owner, "x", (double)program.ns);
}

static void fuzz_words(struct bytes text, struct sink *sink)
{
	char path[64];
	double value, total;
	uint64_t limit;

	if (parse_busy_time(text, &value, &total) && value > total)
		sink_put(sink, "busy", "x", value);
	if (parse_mount_path(text, path, sizeof(path)) && !*path)
		abort();
	if (parse_numbered_value(text, "MemFree", second, &value))
		sink_put(sink, "", "x", value);
	if (parse_open_files_limit(text, &limit))
		sink_put(sink, "", "x", (double)limit);
	if (parse_cpu_list(text, &value))
		sink_put(sink, "cpus", "x", value);
	sink_put(sink, "tracer", "x", parse_status_tracer(text));
	if (dns_parse_server(text, path, sizeof(path)))
		sink_put(sink, path, "x", 1);
}

static void fuzz_ipc(struct bytes text, struct sink *sink)
{
	parse_sysvipc(text, sink, "x", "y", "cbytes");
	parse_drbd(text, sink);
}

static int take_message(void *arg, uint16_t type, const char *message, size_t len)
{
	(void)type;
	sockdiag_parse_packet(message, len, drop_packet_drops, arg);
	sockdiag_parse_connection(message, len, note_connection, arg);
	return 0;
}

static void fuzz_netlink(struct bytes text, struct sink *sink)
{
	netlink_parse(text.data, text.len, second, take_message, sink);
}

static const probe_parser parsers[] = {parse_vmstat, parse_meminfo, parse_stat, parse_pressure,
	parse_interrupts, parse_softirqs, parse_softnet, parse_loadavg, parse_uptime,
	parse_buddyinfo, parse_zoneinfo, fuzz_disks, fuzz_netdev, fuzz_pairs, fuzz_snmp6,
	fuzz_sockstat, fuzz_value, fuzz_cgroup, fuzz_mountinfo, fuzz_thread, fuzz_threads,
	parse_swaps, fuzz_klog, parse_key_users, parse_open_files, fuzz_txgs, parse_mountstats,
	fuzz_jbd2, fuzz_udp, fuzz_ports, fuzz_udp_peers, parse_resolv_conf, fuzz_qdisc, fuzz_group,
	parse_ethtool, fuzz_event_sockets, parse_traced, fuzz_ftrace, fuzz_bpf_cost, parse_adjtimex,
	parse_avc, parse_taint, fuzz_words, fuzz_ipc, fuzz_netlink};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = {"x", "*.x", "*.cpu_ns", "*.run_delay_ns", "host.Tcp.x",
		"*.total", "*.crashes_in_10min", "io_errors_in_1d", NULL};
	double values[PROBE_KEYS];

	if (size < 2)
		return 0;
	/* A root that is not the live machine's: nothing but these bytes is to be read. */
	if (!probe.fs && capture_open(&probe.fs, "/proc/self/fd", NULL))
		abort();
	second = data[1];
	probe_bytes(parsers[data[0] % (sizeof(parsers) / sizeof(parsers[0]))],
		(const char *)data + 2, size - 2, keys, values);
	return 0;
}
