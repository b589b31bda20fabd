/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the losses of UDP, and whose they are, read right from files that may end anywhere? */
#include "probe.h"
#include "sources/parsers.h"
#include "tap.h"

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

int main(void)
{
	test_udp_counters();
	test_udp_sockets();
	probe_end();
	return tap_done();
}
