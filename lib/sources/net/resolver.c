/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How does this machine look names up? /etc/resolv.conf, with what the C library assumes where it
 * says nothing and with the bounds that it keeps to.
 */
#include "base/banned.h"

#include <string.h>

#include "sources/common/parse_text.h"
#include "sample/sink.h"
#include "sources/net/resolver.h"
#include "sample/source.h"

#define PATH "/etc/resolv.conf"

struct resolver {
	double nameservers;
	double search;
	double ndots, timeout, attempts;
	bool rotates;
};

/* "ndots:5": a number behind the name, if it is this one. */
static void resolver_take_option(
	struct bytes option, const char *name, double greatest, double *out)
{
	struct bytes before;
	double value;

	if (!text_until(&option, ':', &before) || !text_is(before, name) ||
		!text_number(option, &value) || value < 0)
		return;
	*out = value < greatest ? value : greatest;
}

static void take_options(struct bytes line, struct resolver *out)
{
	struct bytes word;

	while (text_word(&line, &word)) {
		resolver_take_option(word, "ndots", 15, &out->ndots);
		resolver_take_option(word, "timeout", 30, &out->timeout);
		resolver_take_option(word, "attempts", 5, &out->attempts);
		out->rotates |= text_is(word, "rotate");
	}
}

static double count_words(struct bytes line)
{
	struct bytes word;
	double n = 0;

	while (text_word(&line, &word))
		n++;
	return n;
}

void parse_resolv_conf(struct bytes text, struct sink *sink)
{
	struct resolver resolver = {.ndots = 1, .timeout = 5, .attempts = 2};
	struct bytes line, word;

	while (text_any_line(&text, &line)) {
		if (!text_word(&line, &word))
			continue;
		if (text_is(word, "nameserver") && text_word(&line, &word))
			resolver.nameservers++;
		else if (text_is(word, "search") || text_is(word, "domain"))
			resolver.search = count_words(line);
		else if (text_is(word, "options"))
			take_options(line, &resolver);
	}
	sink_put(sink, "", "nameservers", resolver.nameservers);
	sink_put(sink, "", "search", resolver.search);
	sink_put(sink, "", "ndots", resolver.ndots);
	sink_put(sink, "", "timeout_seconds", resolver.timeout);
	sink_put(sink, "", "attempts", resolver.attempts);
	sink_put(sink, "", "rotate", resolver.rotates);
}

static int read_resolver(struct capture *fs, void *state, struct sink *sink)
{
	(void)state;
	return text_source(fs, PATH, parse_resolv_conf, sink);
}

SOURCE(resolver) = {
	.name = "resolver",
	.what = PATH ": name servers, search domains, options",
	.read = read_resolver,
};
