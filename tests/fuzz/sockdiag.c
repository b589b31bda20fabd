/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can the bytes of a netlink answer or of a recorded list of listeners break us?
 *
 * The first byte says what the rest is: the answer about IPv4, IPv6 or Unix sockets, or a text.
 * What is found is written as text, which must be readable again and stay the same.
 */
#include "base/banned.h"
#include "sources/net/listener_table.h"
#include "capture/sockdiag.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void found(void *arg, const struct sock_listener *listener)
{
	listeners_write(arg, "blue", listener);
}

static void number_twice(const char *text, size_t len)
{
	struct listeners first = {0}, second = {0};
	size_t i;

	if (listeners_parse(&first, text, len))
		return;
	if (listeners_parse(&second, text, len))
		abort();
	listeners_number(&first, NULL);
	listeners_number(&second, &first);
	if (first.n != second.n)
		abort();
	for (i = 0; i < first.n; i++)
		if (strcmp(first.list[i].name, second.list[i].name))
			abort();
	listeners_free(&first);
	listeners_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct listeners table = {0};
	struct str text = STR_INIT;

	if (!size)
		return 0;
	if (*data % 4 == 3) {
		number_twice((const char *)data + 1, size - 1);
		return 0;
	}
	sockdiag_parse(data + 1, size - 1, *data % 4, 0, found, &text);
	if (listeners_parse(&table, str_text(&text), text.len))
		abort();
	listeners_free(&table);
	str_free(&text);
	return 0;
}
