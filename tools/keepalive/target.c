/* SPDX-License-Identifier: GPL-2.0-only */
/* Which address is the server's, and is it on this machine? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "base/str.h"
#include "tools/keepalive/target.h"
#include "sys/url.h"

static bool same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
			((const struct sockaddr_in *)b)->sin_addr.s_addr;
	return a->sa_family == AF_INET6 &&
		IN6_ARE_ADDR_EQUAL(&((const struct sockaddr_in6 *)a)->sin6_addr,
			&((const struct sockaddr_in6 *)b)->sin6_addr);
}

/* ::ffff:127.0.0.1 is reached like 127.0.0.1; "any" connects to this machine. */
static bool target_is_loopback(const struct sockaddr *address)
{
	const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
	in_addr_t four;

	if (address->sa_family == AF_INET)
		four = ((const struct sockaddr_in *)address)->sin_addr.s_addr;
	else if (IN6_IS_ADDR_V4MAPPED(six))
		memcpy(&four, &six->s6_addr[12], sizeof(four));
	else
		return IN6_IS_ADDR_LOOPBACK(six) || IN6_IS_ADDR_UNSPECIFIED(six);
	return ntohl(four) >> 24 == IN_LOOPBACKNET || four == htonl(INADDR_ANY);
}

static bool is_own(const struct sockaddr *address)
{
	struct ifaddrs *all, *one;
	bool found = target_is_loopback(address);

	if (found || getifaddrs(&all))
		return found;
	for (one = all; one && !found; one = one->ifa_next)
		found = one->ifa_addr && same_address(one->ifa_addr, address);
	freeifaddrs(all);
	return found;
}

static void name_address(struct target *target)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)&target->address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&target->address;
	char text[INET6_ADDRSTRLEN];

	if (target->address.ss_family == AF_INET) {
		inet_ntop(AF_INET, &four->sin_addr, text, sizeof(text));
		snprintf(target->text, sizeof(target->text), "%s:%u", text, target->url->port);
	} else {
		inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof(text));
		snprintf(target->text, sizeof(target->text), "[%s]:%u", text, target->url->port);
	}
}

static int find_unix(struct target *target, struct str *why)
{
	struct sockaddr_un *address = (struct sockaddr_un *)&target->address;
	const size_t len = strlen(target->unix_path);

	if (!len || len >= sizeof(address->sun_path)) {
		str_addf(why, "a path of a Unix socket has 1 to %zu bytes",
			sizeof(address->sun_path) - 1);
		return -EINVAL;
	}
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path, target->unix_path, len + 1);
	target->address_len = (socklen_t)sizeof(*address);
	if (*target->unix_path == '@') { /* abstract, as ss and /proc/net/unix write it */
		address->sun_path[0] = 0;
		target->address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	}
	snprintf(target->text, sizeof(target->text), "unix:%.80s", target->unix_path);
	target->own = true;
	return 0;
}

static void target_take(struct target *target, const struct addrinfo *one)
{
	memcpy(&target->address, one->ai_addr, one->ai_addrlen);
	target->address_len = one->ai_addrlen;
	target->own = is_own(one->ai_addr);
}

int target_find(
	struct target *target, const struct url *url, const char *unix_path, struct str *why)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *all, *one;
	char port[8];
	int err;

	memset(target, 0, sizeof(*target));
	target->url = url;
	target->unix_path = unix_path;
	if (unix_path)
		return find_unix(target, why);
	snprintf(port, sizeof(port), "%u", url->port);
	err = getaddrinfo(url->host, port, &hints, &all);
	if (err) {
		str_add(why, err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
		return -ENOENT;
	}
	target_take(target, all);
	for (one = all->ai_next; one && !target->own; one = one->ai_next)
		if (is_own(one->ai_addr))
			target_take(target, one);
	freeaddrinfo(all);
	name_address(target);
	return 0;
}
