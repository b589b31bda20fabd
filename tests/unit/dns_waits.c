/* SPDX-License-Identifier: GPL-2.0-only */
/* Are the programs that ask a name server told from all others, and is resolv.conf read as the C
 * library does? */
#include "base/banned.h"

#include <inttypes.h>

#include "probe.h"
#include "tap.h"
#include "sources/net/dns_waits.h"
#include "sources/net/resolver.h"

#define HEADER \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  " \
	"timeout inode ref pointer drops\n"
#define FRONT "  100: 0100007F:C001 "
#define BACK " 01 00000000:00000000 00:00000000 00000000     0        0 "
#define END " 2 0000000000000000 0\n"

static char peers[1024];

static void note_peer(void *arg, const char *address, uint32_t port, uint32_t inode)
{
	size_t len = strlen(peers);

	(void)arg;
	snprintf(peers + len, sizeof(peers) - len, "%s %" PRIu32 " %" PRIu32 ";", address, port,
		inode);
}

static void gives(const char *text, const char *expected, const char *sentence)
{
	char *copy = strdup(text);

	peers[0] = 0;
	parse_udp_peers((struct bytes){copy, strlen(text)}, note_peer, NULL);
	ok(!strcmp(peers, expected), "%s: '%s' ('%s')", sentence, expected, peers);
	free(copy);
}

static void test_peers(void)
{
	static const char ipv6[] = HEADER "  1: 00000000000000000000000000000000:C001 "
					  "B80D0120000000000000000001000000:0035" BACK "77" END;

	gives(HEADER FRONT "35FFFF0A:0035" BACK "4711" END, "10.255.255.53 53 4711;",
		"a socket that is connected");
	gives(ipv6, "2001:db8::1 53 77;", "one of IPv6");
	gives(HEADER FRONT "00000000:0000" BACK "4711" END, "", "one that is not connected");
	gives(HEADER FRONT "35FFFF0A:0035" BACK "0" END, "", "one that nobody holds any more");
	gives(HEADER FRONT "35FFFF0A:0035" BACK "99999999999" END, "", "an impossible inode");
	gives(HEADER FRONT "35FFFF0A:10035" BACK "1" END, "", "an impossible port");
	gives(HEADER FRONT "35FFFF0:0035" BACK "1" END, "", "an address of seven digits");
	gives(HEADER FRONT "35FFFF0Z:0035" BACK "1" END, "", "a digit that is none");
	gives(HEADER FRONT "35FFFF0A" BACK "1" END, "", "an address without a port");
	gives(HEADER FRONT "35FFFF0A:" BACK "1" END, "", "an empty port");
	gives(HEADER FRONT "35FFFF0A:0035" BACK "4711", "", "a line that is cut");
	gives("", "", "nothing");
}

static void conf(const char *text, const char *key, double expected, const char *sentence)
{
	double value = probe_value(parse_resolv_conf, text, key);

	ok(value == expected, "%s: %s is %g (%g)", sentence, key, expected, value);
}

static void test_resolv_conf(void)
{
	static const char text[] = "# nameserver 10.0.0.9\n"
				   "nameserver 10.0.0.1\n nameserver\t10.0.0.2\n"
				   "domain old.test\nsearch a.test b.test c.test\n"
				   "options ndots:5 timeout:99 attempts:3 edns0\noptions rotate\n";

	conf(text, "nameservers", 2, "two, and one that is commented out");
	conf(text, "search", 3, "the last of search and domain counts");
	conf(text, "ndots", 5, "an option");
	conf(text, "timeout_seconds", 30, "no more than the library waits");
	conf(text, "attempts", 3, "an option");
	conf(text, "rotate", 1, "a word");
	conf("", "nameservers", 0, "an empty file");
	conf("", "timeout_seconds", 5, "an empty file");
	conf("nameserver\n", "nameservers", 0, "a server without a name");
	conf("nameserver 10.0.0.1", "nameservers", 1, "a last line without an end");
	conf("options ndots:-1 timeout:x attempts:\n", "ndots", 1, "less than nothing");
	conf("options ndots:-1 timeout:x attempts:\n", "timeout_seconds", 5, "no number");
	conf("options ndots:-1 timeout:x attempts:\n", "attempts", 2, "an option without a value");
}

int main(void)
{
	test_peers();
	test_resolv_conf();
	probe_end();
	return tap_done();
}
