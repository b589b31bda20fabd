/* SPDX-License-Identifier: GPL-2.0-only */
/* Whom does a URL mean, and what does it ask for? */
#include "base/banned.h"

#include <ctype.h>

#include "base/num.h"
#include "base/str.h"
#include "sys/url.h"

bool url_is_clean(const char *text, bool words)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c < ' ' && c != '\t')
			return false;
		if (c == 0x7f || (words && (c <= ' ' || c >= 0x80)))
			return false;
	}
	return true;
}

/* Letters, digits and what stands in names and addresses; no % of a zone, which Host cannot say. */
static bool url_is_host(const char *host, bool brackets)
{
	const char *p;

	for (p = host; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(brackets ? ":." : "-._", *p))
			return false;
	return p > host;
}

/* Returns where the rest begins, or NULL. */
static const char *url_read_host(struct url *url, const char *text, bool *brackets)
{
	const char *end;
	size_t len;

	*brackets = *text == '[';
	if (*brackets) {
		end = strchr(++text, ']');
		if (!end)
			return NULL;
	} else {
		end = text + strcspn(text, ":/?#");
	}
	len = (size_t)(end - text);
	if (len >= sizeof(url->host))
		return NULL;
	memcpy(url->host, text, len);
	url->host[len] = 0;
	return url_is_host(url->host, *brackets) ? end + *brackets : NULL;
}

/* Returns where the rest begins, or NULL. */
static const char *url_read_port(struct url *url, const char *text)
{
	char digits[6];
	size_t len;
	uint64_t port;

	url->port = url->tls ? 443 : 80;
	if (*text != ':')
		return text;
	len = strcspn(++text, "/?#");
	if (len >= sizeof(digits))
		return NULL;
	memcpy(digits, text, len);
	digits[len] = 0;
	if (num_u64(digits, 1, UINT16_MAX, &port))
		return NULL;
	url->port = (uint16_t)port;
	return text + len;
}

static void url_keep(struct url *url, const char *rest, bool brackets)
{
	const bool usual = url->port == (url->tls ? 443 : 80);
	struct str s = STR_INIT;

	str_addf(&s, brackets ? "[%s]" : "%s", url->host);
	if (!usual)
		str_addf(&s, ":%u", url->port);
	url->authority = str_take(&s);
	if (*rest != '/')
		str_addc(&s, '/');
	str_addn(&s, rest, strcspn(rest, "#"));
	url->path = str_take(&s);
}

const char *url_parse(struct url *url, const char *text)
{
	const char *rest;
	bool brackets;

	memset(url, 0, sizeof(*url));
	if (!url_is_clean(text, true))
		return "it has a blank, a control character or one beyond ASCII in it: write %XX";
	url->tls = str_starts(text, "https://");
	if (!url->tls && !str_starts(text, "http://"))
		return "it does not begin with http:// or https://";
	text += url->tls ? 8 : 7;
	if (memchr(text, '@', strcspn(text, "/?#")))
		return "it has a user in it, which belongs into a header (Authorization)";
	rest = url_read_host(url, text, &brackets);
	if (!rest)
		return "it names no host";
	rest = url_read_port(url, rest);
	if (!rest)
		return "its port is not a number from 1 to 65535";
	if (*rest && !strchr("/?#", *rest))
		return "what follows the host is neither a port nor a path";
	url_keep(url, rest, brackets);
	return NULL;
}

void url_free(struct url *url)
{
	free(url->authority);
	free(url->path);
	url->authority = url->path = NULL;
}
