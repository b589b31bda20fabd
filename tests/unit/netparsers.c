/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are the losses of UDP, the local ports and their destinations read right from files that may end
 * anywhere?
 */
#include "base/banned.h"

#include <linux/gen_stats.h>
#include <linux/inet_diag.h>
#include <linux/packet_diag.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "probe.h"
#include "capture/sockdiag.h"
#include "sources/net/local_ports_text.h"
#include "tap.h"
#include "sources/net/net_namespaces.h"
#include "sources/net/udp.h"
#include "sources/net/net_field.h"
#include "sources/net/dns.h"
#include "sources/net/ethtool_text.h"
#include "sources/net/event_sockets.h"
#include "sources/net/qdisc.h"

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void is(probe_parser parse, const char *text, const char *key, double expected,
	const char *sentence)
{
	double value = probe_value(parse, text, key);

	if (isnan(expected))
		ok(isnan(value), "%s: %s has no value", sentence, key);
	else
		ok(value == expected, "%s: %s is %g (%g)", sentence, key, expected, value);
}

/* Both files in one text: a line begins with Udp6 or not. */
static void parse_both(struct bytes text, struct sink *sink)
{
	parse_udp_counters(text, text, sink, "host");
}

static void test_udp_counters(void)
{
	static const char old[] = "Udp: InDatagrams NoPorts RcvbufErrors\nUdp: 7 8 9\n";
	static const char both[] =
		"Udp: InDatagrams RcvbufErrors MemErrors\nUdp: 7 8 9\n"
		"UdpLite: InDatagrams RcvbufErrors\nUdpLite: 100 200\n"
		"Udp6InDatagrams 10\nUdp6RcvbufErrors\t20\nUdpLite6InDatagrams 1000\n";

	is(parse_both, old, "host.in_datagrams", 7, "without IPv6");
	is(parse_both, old, "host.rcvbuf_errors", 9, "without IPv6");
	is(parse_both, old, "host.mem_errors", NAN, "an older kernel");
	is(parse_both, both, "host.in_datagrams", 17, "both are added, UDP-Lite is not");
	is(parse_both, both, "host.rcvbuf_errors", 28, "both are added, UDP-Lite is not");
	is(parse_both, both, "host.mem_errors", 9, "what one file has");
	is(parse_both, "Udp: InDatagrams\nUdp: -1\n", "host.in_datagrams", NAN,
		"less than nothing");
	is(parse_both, "Udp: InDatagrams\n", "host.in_datagrams", NAN, "names without numbers");
	is(parse_both, "Udp6InDatagrams x\n", "host.in_datagrams", NAN, "no number");
	is(parse_both, "", "host.in_datagrams", NAN, "nothing");
	ok(probe_cuts(parse_both, old, KEYS("host.in_datagrams", "host.rcvbuf_errors")),
		"snmp cut anywhere gives whole numbers or none");
	ok(parse_udp_counters((struct bytes){"", 0}, (struct bytes){"", 0}, NULL, "") < 0,
		"no files say nothing of lost datagrams");
}

static const char *field_of(const char *statistic)
{
	int field = ethtool_field_of(statistic);

	return field < 0 ? "none" : ethtool_field_name((size_t)field);
}

static void test_ethtool(void)
{
	static const char text[] = "eth0 rx_ring 256 rx_no_buffer 7\neth1 tx_pause 3\n";
	const uint32_t gigabit = 0x2f, fast[3] = {1 << 12, 1 << 6, 0}, unknown[4] = {0, 0, 0, 1};

	ok(!strcmp(field_of("rx_out_of_buffer"), "rx_no_buffer"), "the name that mlx5 has for it");
	ok(!strcmp(field_of("  pkts rx OOB"), "rx_no_buffer"), "with blanks before, as vmxnet3");
	ok(!strcmp(field_of("rx_no_buffers_posted[12]"), "rx_no_buffer"), "by queue, as gve");
	ok(!strcmp(field_of("rx_out_of_buffer_2"), "none"), "a longer name is another one");
	ok(!strcmp(field_of("rx_out_of"), "none"), "a shorter name is another one");
	ok(!strcmp(field_of(""), "none"), "no name is none");
	ok(ethtool_fastest(&gigabit, 1) == 1000, "the best of 10, 100 and 1000 Mbit/s");
	ok(ethtool_fastest(fast, 3) == 100000, "a mode in another word");
	ok(ethtool_fastest(fast, 1) == 10000, "modes beyond the mask do not count");
	ok(ethtool_fastest(unknown, 4) == 0, "what is no mode of ours has no speed");
	ok(ethtool_fastest(NULL, 0) == 0, "no mask");
	is(parse_ethtool, text, "eth0.rx_no_buffer", 7, "a card");
	is(parse_ethtool, text, "eth1.tx_pause", 3, "another card");
	is(parse_ethtool, "eth0 rx_ring\n", "eth0.rx_ring", NAN, "a name without a number");
	is(parse_ethtool, "eth0 rx_ring x tx_pause 1\n", "eth0.tx_pause", NAN, "no number");
	is(parse_ethtool, "", "eth0.rx_ring", NAN, "nothing");
	ok(probe_cuts(parse_ethtool, text, KEYS("eth0.rx_no_buffer", "eth1.tx_pause")),
		"cut anywhere it gives whole numbers or none");
}

static void note_netlink(void *arg, const struct netlink_socket *found)
{
	*(struct netlink_socket *)arg = *found;
}

static void note_packet(void *arg, const struct packet_socket *found)
{
	*(struct packet_socket *)arg = *found;
}

static void test_event_sockets(void)
{
	static const char netlink[] = "sk               Eth Pid        Groups   Rmem     Wmem     "
				      "Dump  Locks    Drops    "
				      "Inode\n"
				      "00000000448e5891 0   0          00000000 0        0        "
				      "0     2        9        "
				      "4       \n"
				      "00000000084dae2a 15  812        00000001 0        0        "
				      "0     2        7        "
				      "1430    \n";
	static const char packet[] =
		"sk               RefCnt Type Proto  Iface R Rmem   User   Inode\n"
		"0000000095ec5365 3      3    0003   1     1 8960   0      8054754\n";
	static const char queues[] = "    0   4711     3 2 65531     5     6       99  1\n";
	struct netlink_socket socket = {0};
	struct packet_socket sniffer = {0};

	parse_netlink_sockets((struct bytes){netlink, strlen(netlink)}, note_netlink, &socket);
	ok(socket.protocol == 15 && socket.port == 812 && socket.drops == 7 && socket.inode == 1430,
		"a netlink socket of a program, and not the kernel's own");
	socket.inode = 0;
	parse_netlink_sockets((struct bytes){netlink, strlen(netlink) - 1}, note_netlink, &socket);
	parse_netlink_sockets((struct bytes){"a 1 2\n", 6}, note_netlink, &socket);
	parse_netlink_sockets(
		(struct bytes){"a 0 1 0 0 0 0 2 1 99999999999\n", 30}, note_netlink, &socket);
	ok(!socket.inode, "a line that is cut, or has what cannot be, is none");
	parse_packet_sockets((struct bytes){packet, strlen(packet)}, note_packet, &sniffer);
	ok(sniffer.inode == 8054754 && sniffer.every_packet, "one who listens in on everything");
	is(parse_nfqueues, queues, "0.waiting", 3, "a queue of the firewall");
	is(parse_nfqueues, queues, "0.queue_dropped", 5, "a queue of the firewall");
	is(parse_nfqueues, queues, "0.user_dropped", 6, "a queue of the firewall");
	is(parse_nfqueues, "0 1 2\n", "0.waiting", NAN, "a line that ends too soon");
}

static void note_drops(void *arg, uint32_t inode, uint32_t drops)
{
	uint32_t *found = arg;

	found[0] = inode;
	found[1] = drops;
}

static void test_packet_message(void)
{
	struct {
		struct packet_diag_msg message;
		struct nlattr head;
		uint32_t memory[9];
	} answer = {{.pdiag_ino = 77}, {40, PACKET_DIAG_MEMINFO}, {0, 0, 0, 0, 0, 0, 0, 0, 793}};
	uint32_t found[2] = {0};

	ok(!sockdiag_parse_packet((const char *)&answer, sizeof(answer), note_drops, found) &&
			found[0] == 77 && found[1] == 793,
		"what a packet socket lost");
	found[0] = 0;
	answer.head.nla_len = 36;
	ok(!sockdiag_parse_packet((const char *)&answer, sizeof(answer), note_drops, found) &&
			!found[0],
		"an older kernel that does not say it");
	ok(sockdiag_parse_packet(
		   (const char *)&answer, sizeof(answer.message) - 1, note_drops, found) < 0,
		"a message that is cut");
}

static void parse_tracked(struct bytes text, struct sink *sink)
{
	parse_net_stat(text, sink, "blue");
}

static void test_net_stat(void)
{
	static const char text[] = "entries  clashres found drop\n"
				   "0000000a  00000001 00000000 00000010 \n"
				   "0000000a  00000002 00000000 00000001 \n";

	is(parse_tracked, text, "blue.entries", 10, "each CPU repeats it");
	is(parse_tracked, text, "blue.drop", 17, "the CPUs are added up, in hexadecimal");
	is(parse_tracked, text, "blue.early_drop", NAN, "an older kernel");
	is(parse_tracked, "entries drop\n", "blue.entries", NAN, "no CPU");
	is(parse_tracked, "entries drop\n1\n", "blue.drop", NAN, "more names than numbers");
	is(parse_tracked, "entries drop\n1 x\n", "blue.drop", NAN, "no number");
	is(parse_tracked, "entries drop\n1 2\n1\n", "blue.drop", NAN, "a line that is shorter");
	is(parse_tracked, "entries\nfffffffffffffffffffffff\n", "blue.entries", NAN,
		"more than 64 bits");
	is(parse_tracked, "", "blue.entries", NAN, "nothing");
}

struct loss {
	uint32_t inode;
	double drops;
	int n;
};

static void note_loss(void *arg, uint32_t inode, double drops)
{
	struct loss *loss = arg;

	loss->inode = inode;
	loss->drops = drops;
	loss->n++;
}

static struct loss losses(const char *text)
{
	struct loss loss = {0};

	parse_udp_sockets((struct bytes){text, strlen(text)}, note_loss, &loss);
	return loss;
}

static void test_udp_sockets(void)
{
	static const char head[] = "   sl  local_address rem_address   st tx_queue rx_queue tr "
				   "tm->when retrnsmt   uid  timeout inode ref pointer drops\n";
	static const char text[] =
		"  sl\n"
		" 1: 0100007F:14E9 00000000:0000 07 00000000:00000900 00:00000000 00000000     0 "
		"       0 4711 2 00000000abcdef12 23        \n"
		" 2: 0100007F:14EA 00000000:0000 07 00000000:00000900 00:00000000 00000000     0 "
		"       0 4712 2 00000000abcdef12 0         \n";
	struct loss loss = losses(text);

	ok(loss.n == 1 && loss.inode == 4711 && loss.drops == 23, "a socket that lost is told");
	ok(losses(head).n == 0 && losses("").n == 0, "a head is no socket");
	ok(losses("1: a b c d e f g h 99999999999 2 p 5\n").n == 0, "an inode beyond 32 bits");
	ok(losses("1: a b c d e f g h 0 2 p 5\n").n == 0, "a socket that nobody has");
	ok(losses("1: a b c d e f g h 1 2 p -5\n").n == 0, "less than nothing");
	ok(losses("1: a b c d e f g h 1 2 p 5").n == 0, "a line that is cut");
	ok(losses("1: a b c d e f g h 1 2 p 5 6\n").n == 0, "a line with more than that");
}

static struct bytes bytes(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static void test_fields(void)
{
	static const char pairs[] =
		"Tcp: A ActiveOpens B\nTcp: -1 77 x\nUdp: ActiveOpens\nUdp: 5\n";
	double value = 0;

	ok(parse_pair_field(bytes(pairs), "Tcp", "ActiveOpens", &value) && value == 77,
		"a field of a pair");
	ok(!parse_pair_field(bytes(pairs), "Tcp", "A", &value), "less than nothing is no value");
	ok(!parse_pair_field(bytes(pairs), "Tcp", "B", &value), "a word is no value");
	ok(parse_pair_field(bytes(pairs), "Udp", "ActiveOpens", &value) && value == 5,
		"the same name of another pair");
	ok(!parse_pair_field(bytes("Tcp: ActiveOpens\n"), "Tcp", "ActiveOpens", &value),
		"names without numbers");
	ok(parse_sockstat_field(
		   bytes("sockets: used 3\nTCP: inuse 1 orphan 0 tw 9\n"), "TCP:", "tw", &value) &&
			value == 9,
		"a field of sockstat");
	ok(!parse_sockstat_field(bytes("TCP6: inuse 1\n"), "TCP:", "inuse", &value) &&
			!parse_sockstat_field(bytes("TCP: inuse"), "TCP:", "inuse", &value) &&
			!parse_sockstat_field(bytes("TCP: inuse x 7\n"), "TCP:", "x", &value),
		"a field that is not there");
}

static bool busiest(const char *text, struct port_lines *out)
{
	return parse_port_lines(bytes(text), out);
}

static void test_port_lines(void)
{
	struct port_lines lines = {0};

	ok(busiest("190 4711 10.0.0.1:80\n", &lines) && lines.taken == 190 &&
			lines.busiest.inode == 4711 && lines.forecast == 190 && lines.seconds < 0 &&
			!lines.has_time_wait && !lines.n,
		"the busiest destination of an old recording");
	ok(busiest("9 0 [::1]:80\nsoonest 500 12 1000 7 10.0.0.1:80\ntime-wait 30 4\n"
		   "to 1 8 2 5 [::1]:80\nto 3 4 0 6 10.0.0.1:80\n",
		   &lines) &&
			lines.forecast == 500 && lines.seconds == 12 && lines.ports == 1000 &&
			lines.soonest.inode == 7 && lines.client_time_wait == 30 &&
			lines.server_time_wait == 4 && lines.n == 2 &&
			lines.list[0].time_wait == 8 &&
			!strcmp(lines.list[1].destination, "10.0.0.1:80"),
		"all that a look at connections finds");
	ok(!busiest("", &lines) && !busiest("190 4711\n", &lines) &&
			!busiest("190 4711 10.0.0.1:80", &lines) &&
			!busiest("190 99999999999 a\n", &lines) &&
			!busiest("-1 4711 a\n", &lines) &&
			!busiest("190 1 a.name.that.is.longer.than.any.address.and.port.of.any."
				 "connection.is\n",
				&lines),
		"what is none");
	ok(busiest("1 2 a\nsoonest -5 1 1 1 b\nsoonest 1\nto 1 2\nto x\ntime-wait 1\n?\n",
		   &lines) &&
			lines.forecast == 1 && lines.seconds < 0 && !lines.n &&
			!lines.has_time_wait,
		"lines that are not as they should be are passed over");
}

static void note_connection(void *arg, const struct sock_connection *connection)
{
	*(struct sock_connection *)arg = *connection;
}

static void test_connection(void)
{
	struct sock_connection connection = {0};
	struct inet_diag_msg message = {
		.idiag_family = AF_INET,
		.idiag_state = TCP_TIME_WAIT,
		.idiag_inode = 12,
		.idiag_expires = 5000,
		.id = {.idiag_sport = htons(40000),
			.idiag_dport = htons(80),
			.idiag_dst = {htonl(INADDR_LOOPBACK)}},
	};
	const char *data = (const char *)&message;

	ok(!sockdiag_parse_connection(data, sizeof(message), note_connection, &connection) &&
			connection.local_port == 40000 && connection.remote_port == 80 &&
			connection.remote[0] == 127 && connection.remote[3] == 1 &&
			connection.time_wait && connection.inode == 12 &&
			connection.left_ms == 5000 && !connection.listens,
		"a connection of the kernel's answer");
	ok(sockdiag_parse_connection(data, sizeof(message) - 1, note_connection, &connection) < 0,
		"one that is cut short");
	message.idiag_family = AF_UNIX;
	ok(sockdiag_parse_connection(data, sizeof(message), note_connection, &connection) < 0,
		"one of no family that has ports");
}

static void note_families(void *arg, const struct sock_connection *connection)
{
	unsigned int *families = arg;

	if (connection->listens)
		*families |= connection->family == AF_INET ? 1 : 2;
}

/* Two listeners, one of each family: asked for at once. */
static void test_connections(void)
{
	const struct sockaddr_in four = {.sin_family = AF_INET};
	const struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int two = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = sockdiag_open();
	unsigned int families = 0, expected = 1;

	bind(one, (const struct sockaddr *)&four, sizeof(four));
	listen(one, 1);
	/* Where there is no IPv6, none of it is found. */
	if (two >= 0 && !bind(two, (const struct sockaddr *)&six, sizeof(six)) && !listen(two, 1))
		expected = 3;
	ok(fd >= 0 && !sockdiag_connections(fd, note_families, &families) &&
			(families & expected) == expected,
		"sockets of both families come in one answer");
	close(one);
	if (two >= 0)
		close(two);
	if (fd >= 0)
		close(fd);
}

/* Appends an attribute; returns where it ends. */
static char *add_attribute(char *at, unsigned short type, const void *data, size_t len)
{
	const struct rtattr head = {(unsigned short)(sizeof(head) + len), type};

	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), data, len);
	return at + RTA_ALIGN(sizeof(head) + len);
}

/* A message as the kernel writes it, whose basic part lacks the padding at its end. */
static size_t write_qdisc(char *buffer)
{
	const struct gnet_stats_basic basic = {.bytes = 5000000000, .packets = 77};
	const struct gnet_stats_queue queue = {.qlen = 3, .backlog = 4500, .drops = 9};
	const struct tcmsg message = {.tcm_ifindex = 2, .tcm_parent = 0x1000a};
	char stats[64] = {0}, *end = stats;

	end = add_attribute(end, TCA_STATS_BASIC, &basic, 12);
	end = add_attribute(end, TCA_STATS_QUEUE, &queue, sizeof(queue));
	memcpy(buffer, &message, sizeof(message));
	buffer = add_attribute(buffer + NLMSG_ALIGN(sizeof(message)), TCA_KIND, "fq_codel", 9);
	add_attribute(buffer, TCA_STATS2, stats, (size_t)(end - stats));
	return NLMSG_ALIGN(sizeof(message)) + RTA_ALIGN(sizeof(struct rtattr) + 9) +
		sizeof(struct rtattr) + (size_t)(end - stats);
}

static void parse_own_qdiscs(struct bytes text, struct sink *sink)
{
	parse_qdiscs(text, sink, "");
}

static void parse_other_qdiscs(struct bytes text, struct sink *sink)
{
	parse_qdiscs(text, sink, "blue");
}

static void test_qdisc(void)
{
	static const char text[] = "eth0/mq 1 2 3 4 5 6 7\neth0/fq(1:10) 11 12 13 14 15 16 17\n";
	char buffer[256] = {0}, *copy;
	size_t len = write_qdisc(buffer), n, whole = 0;
	struct qdisc qdisc;

	ok(qdisc_parse(buffer, len, &qdisc) && qdisc.interface == 2 && !qdisc.root &&
			qdisc.parent == 0x1000a && !strcmp(qdisc.kind, "fq_codel"),
		"a queue discipline of the kernel's answer");
	ok(qdisc.bytes == 5000000000 && qdisc.packets == 77 && qdisc.drops == 9 &&
			qdisc.qlen == 3 && qdisc.backlog == 4500,
		"its statistics");
	for (n = 0; n < len; n++) {
		copy = malloc(n ? n : 1);
		memcpy(copy, buffer, n);
		whole += qdisc_parse(copy, n, &qdisc);
		free(copy);
	}
	ok(!whole, "one that is cut anywhere is none");
	is(parse_own_qdiscs, text, "eth0/mq.drops", 3, "the root of an interface");
	is(parse_own_qdiscs, text, "eth0/fq(1:10).backlog", 17, "one below a class");
	is(parse_other_qdiscs, text, "blue/eth0/mq.bytes", 1, "another namespace");
	is(parse_own_qdiscs, "eth0/mq 1 2\n", "eth0/mq.drops", NAN, "a line that is short");
	is(parse_own_qdiscs, "eth0/mq 1 2 3", "eth0/mq.bytes", NAN, "a line that is cut");
}

static void test_dns(void)
{
	static const char text[] = "192.0.2.1 0.25 2\n2001:db8::53\n! fe80::1: No such device\n";
	uint8_t answer[12] = {0x12, 0x34, 0x81, 0x85};
	char address[16] = "";

	ok(dns_parse_answer(answer, 12, 0x1234) == 5, "an answer's result code");
	ok(dns_parse_answer(answer, 11, 0x1234) < 0, "an answer that is cut");
	ok(dns_parse_answer(answer, 12, 0x1235) < 0, "an answer to another question");
	answer[2] = 1;
	ok(dns_parse_answer(answer, 12, 0x1234) < 0, "a question is no answer");
	ok(dns_parse_server(bytes("nameserver\t192.0.2.1 # ours"), address, sizeof(address)) &&
			!strcmp(address, "192.0.2.1"),
		"a name server");
	ok(!dns_parse_server(bytes("nameserver"), address, sizeof(address)) &&
			!dns_parse_server(
				bytes("#nameserver 192.0.2.1"), address, sizeof(address)) &&
			!dns_parse_server(bytes("search example.org"), address, sizeof(address)) &&
			!dns_parse_server(bytes("nameserver 2001:db8:1111:2222::53"), address,
				sizeof(address)),
		"what is none");
	is(parse_dns, text, "192.0.2.1.seconds", 0.25, "an answer");
	is(parse_dns, text, "2001:db8::53.answered", 0, "no answer");
	is(parse_dns, text, "2001:db8::53.seconds", NAN, "no answer takes no time");
	is(parse_dns, "a 0.25 2\n", "a.code", 2, "its code");
	is(parse_dns, "a 0.25\n", "a.seconds", NAN, "half an answer");
	is(parse_dns, "a -1 2\n", "a.seconds", NAN, "less than nothing");
}

int main(void)
{
	test_dns();
	test_qdisc();
	test_net_stat();
	test_fields();
	test_port_lines();
	test_connection();
	test_connections();
	test_udp_counters();
	test_ethtool();
	test_event_sockets();
	test_packet_message();
	test_udp_sockets();
	probe_end();
	return tap_done();
}
