/* SPDX-License-Identifier: GPL-2.0-only */
/* Are connections to Unix sockets counted for their server, and is the text read as it was written?
 */
#include "base/banned.h"
#include "tap.h"

#include <errno.h>

#include "base/str.h"
#include "sources/net/unread_unix.h"

static void test_counting(void)
{
	struct unreadunix table = {0}, again = {0};
	const struct unreadunix_server *server;
	struct str text = STR_INIT, twice = STR_INIT;

	unreadunix_add_server(&table, "unix:/run/b sock", 7, 2);
	unreadunix_add_server(&table, "unix:@a", 8, 0);
	unreadunix_add_server(&table, "unix:/run/b sock", 9, 1);
	unreadunix_add_server(&table, "unix:/idle", 10, 0);
	unreadunix_add_server(&table, "unix:/new\nline", 11, 1);
	unreadunix_sort(&table);
	unreadunix_add(&table, "unix:@a", 0);
	unreadunix_add(&table, "unix:@a", 5);
	unreadunix_add(&table, "unix:/of/nobody", 5);
	server = unreadunix_find(&table, "unix:@a");
	ok(server && server->connections == 2 && server->unread == 1,
		"what lies unread is told from what does not");
	server = unreadunix_find(&table, "unix:/run/b sock");
	ok(server && server->connections == 3 && server->unread == 3,
		"nobody has accepted these, of two listeners of one path");
	ok(!unreadunix_find(&table, "unix:/new\nline"), "a path that breaks a line is left out");
	unreadunix_write(&text, &table);
	ok(!strcmp(str_text(&text), "7 3 3 unix:/run/b sock\n8 2 1 unix:@a\n"),
		"only those with connections");
	ok(!unreadunix_parse(&again, str_text(&text), text.len), "what is written can be read");
	unreadunix_write(&twice, &again);
	ok(!strcmp(str_text(&twice), str_text(&text)), "and is the same then");
	unreadunix_free(&again);
	unreadunix_free(&table);
	str_free(&text);
	str_free(&twice);
}

/* More servers than there is room for: which are left out is not known, but that some are. */
static void test_many(void)
{
	struct unreadunix table = {0}, again = {0};
	struct str text = STR_INIT;
	char address[64];
	size_t i;

	for (i = 0; i <= UNREADUNIX_MAX; i++) {
		snprintf(address, sizeof(address), "unix:/run/%zu!", i);
		unreadunix_add_server(&table, address, 7, i < 2);
	}
	unreadunix_sort(&table);
	unreadunix_write(&text, &table);
	ok(table.n == UNREADUNIX_MAX && !unreadunix_parse(&again, str_text(&text), text.len) &&
			again.n == 2 && again.cut,
		"that there are more servers than are looked at is told");
	unreadunix_free(&again);
	ok(!unreadunix_parse(&again, str_text(&text), text.len - 2) && again.n == 2 && !again.cut,
		"a name that ends so does not tell it");
	unreadunix_free(&again);
	unreadunix_free(&table);
	str_free(&text);
}

static bool refused(const char *text)
{
	struct unreadunix table = {0};

	return unreadunix_parse(&table, text, strlen(text)) == -EBADMSG && !table.list;
}

static void test_absurd(void)
{
	static const char redacted[] = "1 2 2 unix:/run/xb\n2 1 0 unix:/run/xa\n";
	struct unreadunix table = {0};
	struct str text = STR_INIT;

	ok(!unreadunix_parse(&table, ".\n", 2) && !table.n, "nothing is a text of its own");
	ok(!unreadunix_parse(&table, redacted, strlen(redacted)) && table.n == 2 &&
			unreadunix_find(&table, "unix:/run/xa"),
		"lines in another order, as redacted ones are");
	unreadunix_free(&table);
	table = (struct unreadunix){0};
	ok(refused(""), "no text is not");
	ok(refused("1 2 3 unix:/a\n"), "more unread than there are connections");
	ok(refused("1 2 2 unix:/a"), "a line without an end");
	ok(refused("1 2 2 /a\n"), "what is no address");
	ok(refused("1 2 2 unix:\n"), "an empty address");
	ok(refused("1 2 2 unix:/a\n1 2 2 unix:/b\n1 2 2 unix:/a\n"), "a line again after another");
	ok(refused("1 2 2 unix:/a\n1 2 2 unix:/a\n"), "a line twice");
	ok(refused("4294967296 2 2 unix:/a\n"), "an inode beyond 32 bits");
	ok(refused("-1 2 2 unix:/a\n") && refused(" 1 2 2 unix:/a\n"), "other numbers");
	str_add(&text, "1 2 2 unix:");
	while (text.len < 400)
		str_addc(&text, 'a');
	str_addc(&text, '\n');
	ok(refused(str_text(&text)), "an address longer than any");
	str_free(&text);
}

int main(void)
{
	test_counting();
	test_many();
	test_absurd();
	return tap_done();
}
