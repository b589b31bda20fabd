/* SPDX-License-Identifier: GPL-2.0-only */
/* Is it seen which connections use DCTCP, and is what becomes of their packets added up right? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/tcp.h>

#include "base/str.h"
#include "capture/sockdiag.h"
#include "sources/net/tcp_dctcp.h"
#include "tap.h"

#define ESTABLISHED 1

static void keep(void *arg, const struct sock_waiting *waiting)
{
	*(struct sock_waiting *)arg = *waiting;
}

/* What is understood of a connection of that congestion control, as the kernel tells it. */
static struct sock_waiting told(const char *name, size_t info_len)
{
	struct sock_waiting waiting = {0};
	struct str bytes = STR_INIT;
	struct inet_diag_msg head = {.idiag_family = AF_INET, .idiag_state = ESTABLISHED};
	struct tcp_info info = {.tcpi_delivered = 100,
		.tcpi_delivered_ce = 7,
		.tcpi_data_segs_out = 110,
		.tcpi_total_retrans = 3};
	struct nlattr attribute = {(uint16_t)(sizeof(attribute) + info_len), INET_DIAG_INFO};

	str_addn(&bytes, &head, sizeof(head));
	str_addn(&bytes, &attribute, sizeof(attribute));
	str_addn(&bytes, &info, info_len);
	while (bytes.len % NLA_ALIGNTO)
		str_addn(&bytes, "", 1);
	attribute =
		(struct nlattr){(uint16_t)(sizeof(attribute) + strlen(name) + 1), INET_DIAG_CONG};
	if (*name) {
		str_addn(&bytes, &attribute, sizeof(attribute));
		str_addn(&bytes, name, strlen(name) + 1);
	}
	sockdiag_parse_waiting(bytes.text, bytes.len, keep, &waiting);
	str_free(&bytes);
	return waiting;
}

static void test_told(void)
{
	struct sock_waiting one = told("dctcp", sizeof(struct tcp_info));

	ok(one.dctcp == SOCK_DCTCP && one.marks.delivered == 100 && one.marks.marked == 7 &&
			one.marks.sent == 110 && one.marks.repeated == 3,
		"a connection that uses DCTCP, and its marks");
	ok(told("dctcp-reno", sizeof(struct tcp_info)).dctcp == SOCK_DCTCP_RENO,
		"one that runs Reno for want of ECN");
	ok(told("cubic", sizeof(struct tcp_info)).dctcp == SOCK_NOT_DCTCP &&
			told("dctcp2", sizeof(struct tcp_info)).dctcp == SOCK_NOT_DCTCP &&
			told("dct", sizeof(struct tcp_info)).dctcp == SOCK_NOT_DCTCP &&
			told("", sizeof(struct tcp_info)).dctcp == SOCK_NOT_DCTCP,
		"others, and what was not asked for");
	one = told("dctcp", offsetof(struct tcp_info, tcpi_delivered_ce));
	ok(one.dctcp == SOCK_DCTCP && !one.marks.delivered, "an older kernel knows no marks");
}

static struct sock_waiting connection(
	uint64_t cookie, const char *remote, uint16_t port, uint32_t marked)
{
	struct sock_waiting one = {.family = AF_INET,
		.cookie = cookie,
		.inode = (uint32_t)cookie,
		.local_port = 40000,
		.remote_port = port,
		.dctcp = SOCK_DCTCP,
		.marks = {1000 + marked, marked, 2000 + marked, marked / 2}};

	inet_pton(AF_INET, remote, one.remote);
	return one;
}

static const struct dctcp_place *place(const struct dctcp *dctcp, const char *name)
{
	static const struct dctcp_place none = {0};
	size_t i;

	for (i = 0; i < dctcp->n; i++)
		if (!strcmp(dctcp->list[i].name, name))
			return &dctcp->list[i];
	return &none;
}

static void test_sums(void)
{
	struct dctcp dctcp = {0};
	struct sock_waiting first[] = {connection(1, "10.0.0.5", 80, UINT32_MAX - 9),
		connection(2, "10.0.0.5", 80, 50), connection(3, "10.0.0.6", 81, 0)};
	struct sock_waiting second[] = {connection(4, "10.0.0.5", 80, 500),
		connection(2, "10.0.0.5", 80, 60), connection(1, "10.0.0.5", 80, 10),
		connection(5, "10.0.0.7", 5000, 3), {.listens = true, .local_port = 443}};

	first[2].dctcp = SOCK_NOT_DCTCP;
	second[1].dctcp = SOCK_DCTCP_RENO;
	second[3].local_port = 443;
	dctcp_add(&dctcp, first, ARRAY_SIZE(first));
	ok(dctcp.n == 1 && place(&dctcp, "10.0.0.5:80")->connections == 2 &&
			!place(&dctcp, "10.0.0.5:80")->marked,
		"others do not count, nor what was before the first look");
	dctcp_add(&dctcp, second, ARRAY_SIZE(second));
	ok(place(&dctcp, "10.0.0.5:80")->marked == 20 + 10 &&
			place(&dctcp, "10.0.0.5:80")->connections == 3,
		"what grew counts, over the end of 32 bits too, and of what is new nothing yet");
	ok(place(&dctcp, "10.0.0.5:80")->reno == 1 && place(&dctcp, "10.0.0.5:80")->inode == 2,
		"who runs Reno is the one that is named");
	ok(place(&dctcp, ":443")->connections == 1, "clients of a server are one place");
	dctcp_free(&dctcp);
}

static bool is_kept(const char *text)
{
	struct dctcp dctcp = {0};
	struct str again = STR_INIT;
	bool same = !dctcp_parse(&dctcp, text, strlen(text));

	dctcp_write(&again, &dctcp);
	same &= !strcmp(str_text(&again), text);
	dctcp_free(&dctcp);
	str_free(&again);
	return same;
}

static void test_text(void)
{
	ok(is_kept("10.0.0.5:80 3 1 4 5 6 7 8\n:443 1 0 0 0 0 0 0\n") && is_kept(".\n"),
		"what is written is read again");
	ok(!is_kept("") && !is_kept("x\n") && !is_kept("x 1 2 3 4 5 6\n") &&
			!is_kept("x 1 2 3 4 5 6 7") && !is_kept("x 1 2 3 4 5 6 7 8\n") &&
			!is_kept("x 1  2 3 4 5 6 7\n") && !is_kept("x 1 -2 3 4 5 6 7\n"),
		"and what is none is refused");
}

int main(void)
{
	test_told();
	test_sums();
	test_text();
	return tap_done();
}
