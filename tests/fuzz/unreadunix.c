/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Can a recorded list of Unix sockets that lie unread, or the kernel's answer that it came from,
 * break us? The first byte says which. A list that is read is written and read again as the same.
 */
#include "base/banned.h"

#include <string.h>

#include "capture/sockdiag.h"
#include "base/str.h"
#include "sources/net/unread_unix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *arg, const char *address, uint32_t unread_bytes)
{
	unreadunix_add_server(arg, address, unread_bytes, 1);
}

static void require_same(const struct unreadunix *table)
{
	struct unreadunix again = {0};
	struct str text = STR_INIT, twice = STR_INIT;

	unreadunix_write(&text, table);
	if (unreadunix_parse(&again, str_text(&text), text.len))
		abort();
	unreadunix_write(&twice, &again);
	if (strcmp(str_text(&text), str_text(&twice)) != 0)
		abort();
	unreadunix_free(&again);
	str_free(&text);
	str_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unreadunix table = {0};

	if (!size)
		return 0;
	if (*data % 2) {
		sockdiag_parse_unix_waiting((const char *)data + 1, size - 1, take, &table);
		unreadunix_sort(&table);
	} else if (unreadunix_parse(&table, (const char *)data + 1, size - 1)) {
		return 0;
	}
	require_same(&table);
	unreadunix_free(&table);
	return 0;
}
