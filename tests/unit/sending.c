/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what TCP connections waited for added up right, by place, while they come and go? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/str.h"
#include "capture/sockdiag.h"
#include "sources/net/tcp_sending.h"
#include "tap.h"

#define SECOND 1000000000ull

static struct sock_waiting connection(uint64_t cookie, const char *local, uint16_t local_port,
	const char *remote, uint16_t remote_port, struct tcp_limits limits)
{
	struct sock_waiting one = {.family = AF_INET,
		.cookie = cookie,
		.inode = (uint32_t)cookie,
		.local_port = local_port,
		.remote_port = remote_port,
		.has_limits = true,
		.limits = limits};

	inet_pton(AF_INET, local, one.local);
	inet_pton(AF_INET, remote, one.remote);
	return one;
}

static const struct sending_place *place(const struct sending *sending, const char *name)
{
	static const struct sending_place none = {0};
	const struct sending_place *found = sending_find(sending, name);

	return found ? found : &none;
}

static void test_sums(void)
{
	struct sending sending = {0};
	const struct sock_waiting first[] = {
		connection(1, "10.0.0.1", 40000, "10.0.0.9", 5432, (struct tcp_limits){900, 90, 9}),
		connection(2, "10.0.0.1", 40001, "10.0.0.9", 5432, (struct tcp_limits){500, 0, 0}),
	};
	struct sock_waiting second[] = {
		connection(3, "10.0.0.1", 40002, "10.0.0.9", 5432, (struct tcp_limits){30, 20, 10}),
		connection(
			1, "10.0.0.1", 40000, "10.0.0.9", 5432, (struct tcp_limits){1000, 95, 9}),
		connection(4, "10.0.0.1", 443, "192.0.2.1", 51000, (struct tcp_limits){7, 7, 0}),
		{.listens = true, .local_port = 443},
	};

	second[0].repeated = 3;
	second[1].repeated = 5;
	second[0].queued_bytes = 3000;
	second[0].segment_bytes = 1448;
	sending_add(&sending, SECOND, first, ARRAY_SIZE(first), false);
	ok(place(&sending, "10.0.0.9:5432")->connections == 2 &&
			!place(&sending, "10.0.0.9:5432")->busy_us,
		"what was before the first look does not count");
	sending_add(&sending, 2 * SECOND, second, ARRAY_SIZE(second), false);
	ok(place(&sending, "10.0.0.9:5432")->busy_us == 130 &&
			place(&sending, "10.0.0.9:5432")->receiver_us == 25 &&
			place(&sending, "10.0.0.9:5432")->buffer_us == 10,
		"what grew, and all of what is new; one that has gone takes nothing away");
	ok(place(&sending, "10.0.0.9:5432")->repeats == 5 &&
			place(&sending, "10.0.0.9:5432")->large_repeats == 3 &&
			place(&sending, "10.0.0.9:5432")->sender_inode == 3,
		"how often one had no answer, and one that waits with more than a packet");
	ok(place(&sending, ":443")->receiver_us == 7, "clients of a server are one place");
	sending_add(&sending, 3 * SECOND, NULL, 0, false);
	ok(place(&sending, "10.0.0.9:5432")->busy_us == 130 &&
			!place(&sending, "10.0.0.9:5432")->connections &&
			!place(&sending, "10.0.0.9:5432")->repeats,
		"sums stay when all have gone");
	sending_free(&sending);
}

static void test_left_out(void)
{
	struct sending sending = {0};
	struct sock_waiting old = connection(1, "10.0.0.1", 40000, "10.0.0.9", 5432,
		(struct tcp_limits){86400000000, 3600000000, 60000000});

	sending_add(&sending, SECOND, NULL, 0, false);
	sending_add(&sending, 3 * SECOND, &old, 1, false);
	ok(!place(&sending, "10.0.0.9:5432")->busy_us &&
			!place(&sending, "10.0.0.9:5432")->receiver_us,
		"one that the kernel's list left out before has not waited all day in one window");
	old.limits.busy_us += 7;
	sending_add(&sending, 5 * SECOND, &old, 1, false);
	ok(place(&sending, "10.0.0.9:5432")->busy_us == 7, "and then it counts as others do");
	sending_free(&sending);
}

/* Where the kernel could not tell of all, one that is there for the first time may be old. */
static void test_part(void)
{
	struct sending sending = {0};
	struct sock_waiting one = connection(
		1, "10.0.0.1", 40000, "10.0.0.9", 5432, (struct tcp_limits){900000, 800000, 0});

	sending_add(&sending, SECOND, NULL, 0, true);
	sending_add(&sending, 3 * SECOND, &one, 1, true);
	ok(!place(&sending, "10.0.0.9:5432")->busy_us,
		"of a part of all nobody knows which connection is new");
	one.limits.busy_us += 5;
	sending_add(&sending, 5 * SECOND, &one, 1, false);
	ok(place(&sending, "10.0.0.9:5432")->busy_us == 5, "what grew is known all the same");
	sending_free(&sending);
}

static void test_local(void)
{
	struct sending sending = {0};
	const struct sock_waiting first[] = {
		{.listens = true, .local_port = 8080},
	};
	const struct sock_waiting second[] = {
		{.listens = true, .local_port = 8080},
		connection(5, "127.0.0.1", 40000, "127.0.0.1", 8080, (struct tcp_limits){9, 8, 0}),
		connection(6, "127.0.0.1", 8080, "127.0.0.1", 40000, (struct tcp_limits){4, 3, 0}),
	};

	sending_add(&sending, SECOND, first, ARRAY_SIZE(first), false);
	sending_add(&sending, 2 * SECOND, second, ARRAY_SIZE(second), false);
	ok(place(&sending, "127.0.0.1:8080")->receiver_inode == 6,
		"the receiver is the socket at the other end");
	ok(place(&sending, "local:8080")->receiver_inode == 5 &&
			place(&sending, "local:8080")->busy_us == 4,
		"and so it is of what the server sends back");
	ok(!strcmp(sending_class("127.0.0.1:8080"), "local") &&
			!strcmp(sending_class("local:8080"), "local") &&
			!strcmp(sending_class(":8080"), "server") &&
			!strcmp(sending_class("others"), "server") &&
			!strcmp(sending_class("[2001:db8::1]:1"), "client"),
		"a name tells which end is here");
	sending_free(&sending);
}

static void test_many(void)
{
	static struct sock_waiting list[SENDING_PLACES_MAX + 100];
	struct sending sending = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		list[i] = connection(i + 1, "10.0.0.1", 40000, "10.0.0.9", (uint16_t)(i + 1),
			(struct tcp_limits){0});
	sending_add(&sending, SECOND, list, ARRAY_SIZE(list), false);
	ok(sending.n == SENDING_PLACES_MAX + 1 && place(&sending, "others")->connections == 100,
		"more places than are told apart are one");
	sending_free(&sending);
}

static bool refused(const char *text)
{
	struct sending out = {0};
	bool is = sending_parse(&out, text, strlen(text)) != 0 && !out.n;

	sending_free(&out);
	return is;
}

static void test_text(void)
{
	static const char text[] = ":443 1 2 3 4 5 6 7 8\n[::1]:9 0 0 0 0 0 0 0 0\n";
	struct sending out = {0};
	struct str again = STR_INIT;

	ok(!sending_parse(&out, text, strlen(text)) && out.n == 2, "a text is read");
	sending_write(&again, &out);
	ok(!strcmp(str_text(&again), text), "and written as it was");
	sending_free(&out);
	ok(!sending_parse(&out, ".\n", 2) && !out.n, "no place");
	ok(refused("") && refused(":443 1 2 3 4 5 6 7\n") && refused(":443 1 2 3 4 5 6 7 8") &&
			refused(":443 1 2 3 4 5 6 7 x\n") && refused(" 1 2 3 4 5 6 7 8\n") &&
			refused(":443  1 2 3 4 5 6 7 8\n"),
		"anything else is refused");
	str_free(&again);
}

int main(void)
{
	test_sums();
	test_left_out();
	test_part();
	test_local();
	test_many();
	test_text();
	return tap_done();
}
