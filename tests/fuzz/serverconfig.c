/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any configuration file, title of a process or URL break keepalivediagnose, or get a byte
 * into its requests or its report that is not meant to be there?
 */
#include "base/banned.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tools/keepalive/server.h"
#include "sys/url.h"

#define NAMES "threads workers max_fast_inline enable_keep_alives"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* "name=word " each, and nothing else. */
static void require_settings(const char *text)
{
	for (; *text; text++)
		require(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=? ",
				*text) != NULL);
}

static void check_config(const char *text, size_t len)
{
	struct str out = STR_INIT;
	char *copy = malloc(len + 1), *environment;

	require(copy != NULL);
	memcpy(copy, text, len);
	server_read_settings(&out, NAMES, false, copy, len);
	require_settings(str_text(&out));
	str_free(&out);
	environment = server_read_environment("APP_ENV RACK_ENV", copy, len);
	require(!environment || (*environment && !strpbrk(environment, "./ \n")));
	free(environment);
	free(copy);
}

static void check_title(const char *text)
{
	struct server server = {0};

	server_know(&server, text, "", text);
	require(server.name && strlen(server.version) < sizeof(server.version));
	require(server.n_remedies <= SERVER_REMEDIES_MAX);
	server_know(&server, NULL, text, "");
	require(server.name != NULL);
	server_free(&server);
}

static void check_url(const char *text)
{
	struct url url;

	if (!url_parse(&url, text)) {
		require(*url.path == '/' && *url.host && url.port);
		require(url_is_clean(url.path, true) && url_is_clean(url.authority, true));
	}
	url_free(&url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);

	check_config((const char *)data, size);
	check_title(text);
	check_url(text);
	free(text);
	return 0;
}
