/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can a recorded list of what lies unread, or the kernel's answer that it came from, break us?
 *
 * The first byte says which. A list that is read is written and read again as the same.
 */
#include "base/banned.h"

#include <string.h>

#include "capture/sockdiag.h"
#include "base/str.h"
#include "sources/net/tcp_dctcp.h"
#include "sources/net/tcp_sending.h"
#include "sources/net/unread_tcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(void *arg, const struct sock_waiting *waiting)
{
	if (waiting->listens)
		unread_add_server(arg, waiting->local_port, waiting->inode);
	else
		unread_add(arg, waiting);
}

static void answer(const char *data, size_t len)
{
	struct unread table = {0}, again = {0};
	struct str text = STR_INIT;

	unread_add_server(&table, 0x3030, 1);
	sockdiag_parse_waiting(data, len, add, &table);
	unread_count(&table);
	unread_write(&text, &table);
	if (unread_parse(&again, str_text(&text), text.len))
		abort();
	unread_free(&again);
	unread_free(&table);
	str_free(&text);
}

static void sending_text(const char *data, size_t len)
{
	struct sending first = {0}, again = {0};
	struct str text = STR_INIT;

	if (!sending_parse(&first, data, len)) {
		sending_write(&text, &first);
		if (sending_parse(&again, str_text(&text), text.len) || again.n != first.n)
			abort();
	}
	sending_free(&first);
	sending_free(&again);
	str_free(&text);
}

static void dctcp_text(const char *data, size_t len)
{
	struct dctcp first = {0}, again = {0};
	struct str text = STR_INIT;

	if (!dctcp_parse(&first, data, len)) {
		dctcp_write(&text, &first);
		if (dctcp_parse(&again, str_text(&text), text.len) || again.n != first.n)
			abort();
	}
	dctcp_free(&first);
	dctcp_free(&again);
	str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unread table = {0};
	size_t i;

	if (!size)
		return 0;
	if (*data % 2) {
		answer((const char *)data + 1, size - 1);
		return 0;
	}
	sending_text((const char *)data + 1, size - 1);
	dctcp_text((const char *)data + 1, size - 1);
	if (unread_parse(&table, (const char *)data + 1, size - 1))
		return 0;
	for (i = 0; i < table.n; i++)
		if (unread_find(&table, table.list[i].port) != &table.list[i])
			abort();
	unread_free(&table);
	return 0;
}
