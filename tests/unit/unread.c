/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what lies unread counted right, and what is absurd not at all? */
#include "base/banned.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "capture/sockdiag.h"
#include "base/str.h"
#include "tap.h"
#include "sources/net/unread_tcp.h"

static struct sock_waiting waiting(
	uint16_t port, uint32_t unread_bytes, uint32_t since_received_ms, uint32_t since_sent_ms)
{
	return (struct sock_waiting){.local_port = port,
		.unread_bytes = unread_bytes,
		.inode = 1,
		.has_times = true,
		.since_received_ms = since_received_ms,
		.since_sent_ms = since_sent_ms,
		.since_acked_ms =
			since_sent_ms < since_received_ms ? since_sent_ms : since_received_ms};
}

static void add(struct unread *table, struct sock_waiting one)
{
	unread_add(table, &one);
}

static const struct unread_server *server(const struct unread *table, uint16_t port)
{
	static const struct unread_server none = {0};
	const struct unread_server *found = unread_find(table, port);

	return found ? found : &none;
}

static void test_count(void)
{
	struct unread table = {0};
	struct sock_waiting timeless = waiting(80, 7, 9000, 0);

	unread_add_server(&table, 3000, 3);
	unread_add_server(&table, 80, 2);
	unread_add_server(&table, 80, 1);
	add(&table, waiting(3000, 40, 900, 1000)); /* lies there for long */
	add(&table, waiting(3000, 40, 310, 1000)); /* not longer than what follows, by far */
	add(&table, waiting(3000, 0, 300, 100));   /* read and answered */
	add(&table, waiting(3000, 0, 100, 300));   /* read and not answered */
	add(&table, waiting(80, 5, 700, 9000));
	timeless.has_times = false;
	add(&table, timeless);
	add(&table, waiting(40000, 5, 99999, 0)); /* the other end of one of them */
	unread_count(&table);
	ok(server(&table, 3000)->connections == 4 && server(&table, 3000)->unread == 2,
		"connections with something unread are counted");
	ok(server(&table, 3000)->oldest_ms == 900, "the oldest of them is found");
	ok(server(&table, 3000)->overtaken == 1,
		"overtaken is what is older, by far, than an answered request");
	ok(server(&table, 3000)->passed == 0,
		"what came after the last answer was not passed over");
	ok(server(&table, 80)->overtaken == 0 && server(&table, 80)->unread == 2 &&
			server(&table, 80)->oldest_ms == 700,
		"without anything answered nothing is overtaken, and no time is no age");
	ok(server(&table, 80)->inode == 1 && table.n == 2, "a port is one server");
	ok(!unread_find(&table, 40000), "a port where nobody listens is none");
	unread_free(&table);
}

static void test_passed(void)
{
	struct unread table = {0};
	struct sock_waiting timeless = waiting(80, 0, 9000, 9500);
	struct sock_waiting quick = waiting(80, 0, 700, 700);

	unread_add_server(&table, 80, 1);
	unread_add_server(&table, 81, 2);
	add(&table, waiting(80, 0, 410, 450)); /* waits, while the next one had an answer */
	add(&table, waiting(80, 0, 29, 30));   /* and has asked again */
	add(&table,
		waiting(80, 0, 300, 300)); /* waits too, asked within a tick of the last answer */
	quick.since_acked_ms = 660;
	add(&table, quick);		       /* answered within a tick, and acknowledged later */
	add(&table, waiting(80, 0, 45, 400));  /* came hardly before that answer */
	add(&table, waiting(80, 7, 800, 900)); /* unread: another matter */
	add(&table, waiting(80, 0, 900, 500)); /* answered */
	timeless.has_times = false;
	add(&table, timeless);
	add(&table, waiting(81, 0, 700, 9000));
	add(&table, waiting(81, 0, 900, 9000));
	unread_count(&table);
	ok(server(&table, 80)->passed == 2 && server(&table, 80)->passed_ms == 410,
		"who waits for an answer while others get theirs is passed over");
	ok(server(&table, 81)->passed == 0, "where nobody gets an answer, nobody is");
	unread_free(&table);
}

static void test_text(void)
{
	struct unread table = {0}, again = {0};
	struct str text = STR_INIT;

	unread_write(&text, &table);
	ok(!strcmp(str_text(&text), ".\n") && !unread_parse(&again, str_text(&text), text.len) &&
			!again.n,
		"no server is a text too");
	str_clear(&text);
	unread_add_server(&table, 3000, 4711);
	unread_add_server(&table, 22, 1);
	add(&table, waiting(3000, 40, 900, 1000));
	unread_count(&table);
	unread_write(&text, &table);
	ok(!strcmp(str_text(&text), "3000 4711 1 1 900 0 0 0\n"),
		"servers without a connection are left out");
	ok(!unread_parse(&again, str_text(&text), text.len) && again.n == 1 &&
			again.list[0].oldest_ms == 900,
		"what is written is read");
	unread_free(&again);
	ok(!unread_parse(&again, "80 1 3 1 9 0\n", 13) && !again.list[0].has_passed,
		"what an older version wrote is read, and says nothing of answers");
	unread_free(&again);
	unread_free(&table);
	str_free(&text);
}

static void test_absurd(void)
{
	static const char *const texts[] = {"", "3000", "3000 1 1 1 1 0", "65536 1 1 1 1 0\n",
		"3000 1 1 2 1 0\n", "3000 1 2 1 1 2\n", "3000 1 1 1 1\n", "3000 1 1 1 1 0 0\n",
		"3000 1 1 1 1 0 1 9\n", "3000 1 1 0 0 0 1 9 9\n", "3000 1 1 0 0 0 1 9 \n",
		"3000 1 1 1 4294967296 0\n", "3000 1 1 1 -1 0\n", "80 1 1 1 1 0\n80 1 1 1 1 0\n",
		"80 1 1 ", "81 1 1 1 1 0\n80 1 1 1 1 0\n", ".\n.\n", "80 1 1 1 1 0\njunk",
		"80  1 1 1 1 0\n"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct unread table = {0};

		ok(unread_parse(&table, texts[i], strlen(texts[i])) == -EBADMSG && !table.n &&
				!table.list,
			"text %zu is refused", i);
	}
}

static void keep(void *arg, const struct sock_waiting *found)
{
	*(struct sock_waiting *)arg = *found;
}

static void test_message(void)
{
	struct inet_diag_msg message = {
		.idiag_family = AF_INET, .id.idiag_sport = htons(3000), .idiag_rqueue = 40};
	struct tcp_info info = {.tcpi_last_data_recv = 900, .tcpi_last_data_sent = 1000};
	struct rtattr head = {.rta_len = RTA_LENGTH(sizeof(info)), .rta_type = INET_DIAG_INFO};
	struct sock_waiting found = {0};
	struct str text = STR_INIT;
	size_t len;

	str_addn(&text, (const char *)&message, sizeof(message));
	ok(!sockdiag_parse_waiting(text.text, text.len, keep, &found) && !found.has_times &&
			found.local_port == 3000 && found.unread_bytes == 40 && !found.inode &&
			!found.listens,
		"a message without times has none");
	str_addn(&text, (const char *)&head, sizeof(head));
	str_addn(&text, (const char *)&info, sizeof(info));
	ok(!sockdiag_parse_waiting(text.text, text.len, keep, &found) && found.has_times &&
			found.since_received_ms == 900 && found.since_sent_ms == 1000,
		"times are read");
	for (len = 0; len < sizeof(message); len++)
		if (sockdiag_parse_waiting(text.text, len, keep, &found) != -EBADMSG)
			break;
	ok(len == sizeof(message), "a message that is cut is refused");
	for (; len < text.len; len++)
		sockdiag_parse_waiting(text.text, len, keep, &found);
	message.idiag_state = TCP_LISTEN;
	ok(!sockdiag_parse_waiting((const char *)&message, sizeof(message), keep, &found) &&
			found.listens && !found.unread_bytes,
		"what waits to be accepted by a listener is not unread");
	str_free(&text);
}

int main(void)
{
	test_count();
	test_passed();
	test_text();
	test_absurd();
	test_message();
	return tap_done();
}
