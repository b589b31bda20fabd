/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any URL, any /etc/hosts or any output of a command break us?
 *
 * A NUL byte ends the URL and begins the hosts file.
 */
#include "base/banned.h"

#include <math.h>
#include <stdint.h>

#include "experiment/http_get.h"
#include "experiment/observe.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void find_server(const char *text, const char *hosts)
{
	struct str why = STR_INIT;
	struct http_server server;
	int err = http_server_find(&server, text, hosts, &why);

	require(!err == !why.len);
	if (!err) {
		const char *at;

		require(*server.url.authority && *server.url.path == '/' && server.address_len);
		/* What is sent to the server is one line. */
		for (at = server.url.path; *at; at++)
			require(*at > ' ' && *at <= '~');
		for (at = server.url.authority; *at; at++)
			require(*at > ' ' && *at <= '~');
	}
	http_server_free(&server);
	str_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *all = mem_alloc(size + 1);
	size_t len = strlen(text);
	double number = observed_number((const char *)data, size);

	require(isnan(number) || (isfinite(number) && number >= 0));
	memcpy(all, data, size);
	all[size] = 0;
	find_server(all, len < size ? all + len + 1 : NULL);
	free(all);
	free(text);
	return 0;
}
