/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any URL, any /etc/hosts, any answer of a server or any output of a command break us?
 *
 * A NUL byte ends the URL and begins the hosts file.
 */
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

static void parse_url(const char *text, const char *hosts)
{
	struct str why = STR_INIT;
	struct http_url url;
	int err = http_url_parse(&url, text, hosts, &why);

	require(!err == !why.len);
	if (!err) {
		const char *at;

		require(*url.host && *url.path == '/' && url.address_len);
		/* What is sent to the server is one line. */
		for (at = url.path; *at; at++)
			require(*at > ' ' && *at <= '~');
		for (at = url.host; *at; at++)
			require(*at > ' ' && *at <= '~');
	}
	http_url_free(&url);
	str_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *all = mem_alloc(size + 1);
	size_t len = strlen(text);
	double number = observed_number((const char *)data, size);
	int status = http_status((const char *)data, size);

	require(isnan(number) || (isfinite(number) && number >= 0));
	require(status < 0 || (status >= 100 && status < 600));
	memcpy(all, data, size);
	all[size] = 0;
	parse_url(all, len < size ? all + len + 1 : NULL);
	free(all);
	free(text);
	return 0;
}
