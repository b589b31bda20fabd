/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is it right how many local ports a place has left, and when there is none? And is a client at a
 * steady rate, a single burst or a server's TIME_WAIT never taken for ports that run out?
 */
#include "base/banned.h"

#include <netinet/in.h>

#include "sources/net/port_usage.h"
#include "capture/capture.h"
#include "base/str.h"
#include "tap.h"

#define PORTS 28232

static struct destinations usual(int reuse)
{
	return (struct destinations){.low = 32768, .high = 60999, .reuse = reuse};
}

/* A connection to 10.0.0.REMOTE:80, or to 127.0.0.REMOTE:80. */
static struct sock_connection to(uint8_t net, uint8_t remote)
{
	return (struct sock_connection){.family = AF_INET,
		.local = {net, 0, 0, 9},
		.remote = {net, 0, 0, remote},
		.local_port = 40000,
		.remote_port = 80,
		.inode = 7};
}

static void add_open(struct destinations *all, uint8_t net, uint8_t remote, size_t n)
{
	struct sock_connection one = to(net, remote);

	while (n--)
		destinations_add(all, &one);
}

/* n that were closed that long ago. */
static void add_closed(
	struct destinations *all, uint8_t net, uint8_t remote, uint32_t age_ms, size_t n)
{
	struct sock_connection one = to(net, remote);

	one.inode = 0;
	one.time_wait = true;
	one.left_ms = TIME_WAIT_SECONDS * 1000 - age_ms;
	while (n--)
		destinations_add(all, &one);
}

/* As many in each second since so many seconds. */
static void add_steady(
	struct destinations *all, uint8_t net, uint8_t remote, size_t rate, uint32_t seconds)
{
	uint32_t s;

	for (s = 0; s < seconds; s++)
		add_closed(all, net, remote, s * 1000 + 500, rate);
}

static void test_ports(void)
{
	struct destinations all = usual(0);
	struct sock_connection listener = {.local_port = 40000, .listens = true};

	ok(destinations_ports(&all) == PORTS, "the usual range");
	destinations_reserve(&all, (struct bytes){"33000-33009,50000,80\n", 21});
	ok(destinations_ports(&all) == PORTS - 11, "less what is reserved");
	destinations_add(&all, &listener);
	ok(destinations_ports(&all) == PORTS - 12, "less what somebody listens on");
	destinations_reserve(&all, (struct bytes){"9-,-,x-y,,70000,50002-50001,1e9\n", 32});
	ok(destinations_ports(&all) == PORTS - 12, "an absurd list reserves nothing");
	all.low = 32997; /* neither end is that of a byte */
	all.high = 33013;
	ok(destinations_ports(&all) == 7, "a range that reaches around reserved ones");
	all.low = 65533;
	all.high = 65535;
	ok(destinations_ports(&all) == 3, "the last three ports there are");
	all.low = all.high = 40000;
	ok(destinations_ports(&all) == 0, "a range of one port that somebody listens on");
	destinations_free(&all);
}

static void test_count(void)
{
	struct destinations all = usual(0);
	struct sock_connection other = to(10, 1);
	char name[64];

	add_open(&all, 10, 1, 3);
	add_closed(&all, 10, 1, 10000, 4);
	add_open(&all, 10, 2, 5);
	other.local_port = 443;
	destinations_add(&all, &other);
	destinations_count(&all);
	ok(all.n == 2 && all.list[0].open == 3 && all.list[0].time_wait == 4 &&
			destination_taken(&all.list[0]) == 7 && all.list[0].inode == 7,
		"the place with most ports comes first");
	destination_name(&all.list[0], name, sizeof(name));
	ok(!strcmp(name, "10.0.0.1:80"), "its name");
	destinations_free(&all);
	all = usual(0);
	destinations_count(&all);
	ok(!all.n && !all.server_time_wait, "no connection at all");
	destinations_free(&all);
}

/* Whoever connects to as many places as are told apart hides none to which more connections lead.
 */
static void test_many(void)
{
	struct destinations all = usual(0);
	struct sock_connection one = to(10, 1);
	uint32_t i;

	for (i = 0; i < DESTINATIONS_MAX + 1000; i++) {
		memcpy(one.remote + 1, &i, 3);
		one.time_wait = i & 1;
		destinations_add(&all, &one);
	}
	add_open(&all, 10, 255, 1);
	add_open(&all, 192, 168, 20);
	destinations_count(&all);
	ok(all.n && all.list[0].key.remote[0] == 192 && all.list[0].open == 20,
		"the place that most lead to is told");
	ok(all.n <= DESTINATIONS_MAX && all.other_time_wait + all.n >= DESTINATIONS_MAX / 2,
		"and what is in no list is counted");
	destinations_free(&all);
}

static void test_server(void)
{
	struct destinations all = usual(0);
	struct sock_connection listener = {.local_port = 40000, .listens = true};

	add_steady(&all, 10, 1, 500, 60);
	destinations_add(&all, &listener);
	destinations_count(&all);
	ok(!all.n && all.server_time_wait == 30000,
		"what a server closed first takes no local port");
	destinations_free(&all);
}

static void test_reuse(void)
{
	struct destinations all = usual(2);
	double seconds;

	add_steady(&all, 127, 1, 1000, 60);
	add_steady(&all, 10, 1, 100, 60);
	destinations_count(&all);
	ok(all.n == 2 && all.list[0].key.remote[0] == 10 && destination_taken(&all.list[0]) == 6000,
		"tcp_tw_reuse 2 gives nothing back but on the loopback");
	ok(all.list[1].time_wait == 60000 && destination_taken(&all.list[1]) == 1000,
		"where it does after a second");
	ok(destination_forecast(&all.list[1], PORTS, &seconds) < 2000 + 1 && seconds < 0,
		"so a thousand a second go on for ever there");
	destinations_free(&all);
	all = usual(1);
	add_steady(&all, 10, 1, 1000, 60);
	destinations_count(&all);
	ok(destination_taken(&all.list[0]) == 1000, "tcp_tw_reuse 1 gives back everywhere");
	destinations_free(&all);
}

/* The forecast for 10.0.0.1:80 alone; *seconds as there. */
static double forecast(struct destinations *all, double *seconds)
{
	double most;

	destinations_count(all);
	most = all->n ? destination_forecast(&all->list[0], PORTS, seconds) : -1;
	destinations_free(all);
	return most;
}

static void test_steady(void)
{
	struct destinations all = usual(0);
	double seconds, most;

	add_steady(&all, 10, 1, 400, 60);
	most = forecast(&all, &seconds);
	ok(seconds < 0 && most > 23000 && most < 25000,
		"400 a second for ever hold 24000 ports and run out of none");
	all = usual(0);
	add_steady(&all, 10, 1, 400, 5);
	most = forecast(&all, &seconds);
	ok(seconds < 0 && most > 23000 && most < 25000, "the same 5 s after it began");
	all = usual(0);
	add_steady(&all, 10, 1, 1000, 5);
	most = forecast(&all, &seconds);
	ok(seconds >= 23 && seconds <= 24 && most > PORTS,
		"1000 a second since 5 s run out in the 23 s that 23232 ports last");
	all = usual(0);
	add_closed(&all, 10, 1, 1500, 10000);
	most = forecast(&all, &seconds);
	ok(seconds < 0 && most == 10000, "a burst is no rate");
	all = usual(0);
	add_open(&all, 10, 1, PORTS);
	most = forecast(&all, &seconds);
	ok(seconds == 0 && most == PORTS, "none is left now");
}

static void look(struct destinations *all, struct destinations *before, size_t open)
{
	*all = usual(0);
	add_open(all, 10, 1, open);
	destinations_count(all);
	if (before)
		destinations_compare(all, before, 2);
}

static void test_growth(void)
{
	struct destinations looks[4];
	double seconds;
	size_t i;

	look(&looks[0], NULL, 1000);
	look(&looks[1], &looks[0], 1200);
	destination_forecast(&looks[1].list[0], PORTS, &seconds);
	ok(seconds < 0, "what grew once may be a pool that warms up");
	look(&looks[2], &looks[1], 1400);
	destination_forecast(&looks[2].list[0], PORTS, &seconds);
	ok(seconds > 268 && seconds < 269, "100 a second more, twice: the rest lasts 268 s");
	look(&looks[3], &looks[2], 1400);
	destination_forecast(&looks[3].list[0], PORTS, &seconds);
	ok(seconds < 0, "what grows no more lasts for ever");
	for (i = 0; i < 4; i++)
		destinations_free(&looks[i]);
}

int main(void)
{
	test_ports();
	test_count();
	test_many();
	test_server();
	test_reuse();
	test_steady();
	test_growth();
	return tap_done();
}
