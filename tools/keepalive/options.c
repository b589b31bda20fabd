/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options has keepalivediagnose, and what do they mean? */
#include "base/banned.h"

#include <errno.h>
#include <strings.h>

#include "base/num.h"
#include "tools/keepalive/round.h"
#include "tools/keepalive/options.h"

static int set_method(void *to, const char *program, const char *value)
{
	if (!*value || value[strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-")] || strlen(value) > 20)
		return option_refused(program, "method", value, "a method such as GET or POST");
	if (!strcmp(value, "CONNECT"))
		return option_refused(program, "method", value, "a method that this test can send");
	((struct keepalive_options *)to)->method = value;
	return 0;
}

static bool keepalive_is_header(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && !strncasecmp(text, name, len);
}

static int set_header(void *to, const char *program, const char *value)
{
	struct keepalive_options *asked = to;
	const size_t len = strcspn(value, ":");

	if (!len || !value[len] || strcspn(value, " \t\"(),/;<=>?@[\\]{}") < len)
		return option_refused(program, "header", value, "NAME: VALUE");
	if (!url_is_clean(value, false) || strlen(value) > 8000)
		return option_refused(program, "header", value, "one line of at most 8000 bytes");
	if (keepalive_is_header(value, len, "connection") ||
		keepalive_is_header(value, len, "content-length") ||
		keepalive_is_header(value, len, "transfer-encoding"))
		return option_refused(
			program, "header", value, "a header that the test does not set itself");
	asked->has_host |= keepalive_is_header(value, len, "host");
	asked->has_agent |= keepalive_is_header(value, len, "user-agent");
	asked->has_accept |= keepalive_is_header(value, len, "accept");
	str_addf(&asked->headers, "%s\r\n", value);
	return 0;
}

static int set_body(void *to, const char *program, const char *value)
{
	struct keepalive_options *asked = to;

	(void)program;
	asked->body = *value == '@' ? NULL : value;
	asked->body_file = *value == '@' ? value + 1 : NULL;
	return 0;
}

static int set_wait(void *to, const char *program, const char *value)
{
	struct keepalive_options *asked = to;
	double seconds;
	const int n = num_with_unit(value, &seconds);

	if (n < 0 || value[n] || seconds < 0.01 || seconds > 600)
		return option_refused(
			program, "max-wait", value, "a time from 10 ms to 10 minutes");
	asked->limits.guard.wait_seconds = seconds;
	asked->limits.guard.wait_times = 0;
	return 0;
}

static int set_rate(void *to, const char *program, const char *value)
{
	struct keepalive_options *asked = to;
	const size_t len = strlen(value);
	double rate;
	const int n = num_with_unit(value, &rate);
	const bool share = len && value[len - 1] == '%';

	if (n < 0 || value[n] || rate <= 0 || rate > (share ? 2 : 200000) ||
		(!share && value[strspn(value, "0123456789.")]))
		return option_refused(program, "rate", value,
			"a number of requests a second, or a share such as 70%");
	asked->rate = share ? 0 : rate;
	asked->rate_share = share ? rate : 0;
	return 0;
}

static const struct option_row own[] = {
	{'c', "connections", "N", "N connections at once, instead of finding how many queue",
		OPTION_COUNT(struct keepalive_options, connections, 2, ROUND_CONNECTIONS_MAX)},
	{'r', "rate", "R", "also an open loop: R requests a second, or a share: 70%",
		OPTION_CALL(set_rate)},
	{'X', "method", "METHOD", "instead of GET", OPTION_CALL(set_method)},
	{'H', "header", "LINE", "another header; Host, User-Agent or Accept replace ours",
		OPTION_CALL(set_header)},
	{'d', "data", "TEXT", "a body; @FILE takes it from a file", OPTION_CALL(set_body)},
	{0, "unix", "PATH", "connect to a Unix socket (@NAME: an abstract one)",
		OPTION_TEXT(struct keepalive_options, unix_path)},
	{0, "insecure", NULL, "accept any certificate (the default on this machine)",
		OPTION_FLAG(struct keepalive_options, insecure)},
	{0, "yes", "HOST", "confirm: the URL's host again, if it is another machine",
		OPTION_TEXT(struct keepalive_options, yes)},
	{'n', "dry-run", NULL, "show what would be sent, and send nothing",
		OPTION_FLAG(struct keepalive_options, dry_run)},
	{0, "svg", "FILE", "a picture of each request's wait, by connection",
		OPTION_TEXT(struct keepalive_options, svg)},
	{0, "no-picture", NULL, "no picture in the terminal",
		OPTION_FLAG(struct keepalive_options, no_picture)},
	{0, "max-seconds", "TIME", "limit of the whole run (90 s)",
		OPTION_SECONDS(struct keepalive_options, limits.most.seconds, 1, 3600,
			"a time from 1 s to an hour")},
	{0, "max-requests", "N", "limit of requests (8000)",
		OPTION_COUNT(struct keepalive_options, limits.most.requests, 1, 1000000)},
	{0, "max-rate", "N", "limit of requests a second (2000)",
		OPTION_COUNT(struct keepalive_options, limits.most.requests_per_second, 1, 200000)},
	{0, "max-connections", "N", "limit of connections at once (64)",
		OPTION_COUNT(struct keepalive_options, limits.most.connections, 2,
			ROUND_CONNECTIONS_MAX)},
	{0, "max-wait", "TIME", "stop when a request waits longer (10 s, or 60 services)",
		OPTION_CALL(set_wait)},
	{'o', "output", "FORMAT", "text or json",
		OPTION_CHOICE(struct keepalive_options, json, option_json)},
};

int keepalive_options_read(struct keepalive_options *asked, int argc, char **argv)
{
	const struct usage usage = {
		.line = "keepalivediagnose URL",
		.what = "Do requests wait behind other people's connections? Sends requests and "
			"finds out.",
		.own = own,
		.n_own = ARRAY_SIZE(own),
		.to = asked,
		.status = "0 fair, or nothing to compare, 1 unfair, harm not shown, 2 requests "
			  "wait, 3 unknown",
	};
	const char *wrong;
	int err;

	*asked = (struct keepalive_options){.method = "GET"};
	limits_default(&asked->limits);
	err = options_parse_usage(&asked->common, argc, argv, &usage);
	if (err)
		return err;
	if (asked->common.n_names != 1) {
		fprintf(stderr, "%s: name one URL, such as http://127.0.0.1:3000/\n", argv[0]);
		return -EINVAL;
	}
	wrong = url_parse(&asked->url, asked->common.names[0]);
	if (wrong) {
		fprintf(stderr, "%s: not a URL that can be tested: %s\n", argv[0], wrong);
		return -EINVAL;
	}
	if (asked->connections > asked->limits.most.connections)
		asked->limits.most.connections = asked->connections;
	return 0;
}

void keepalive_options_free(struct keepalive_options *asked)
{
	options_free(&asked->common);
	url_free(&asked->url);
	str_free(&asked->headers);
}
