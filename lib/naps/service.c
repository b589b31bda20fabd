/* SPDX-License-Identifier: GPL-2.0-only */
/* Which connections wait for a process, and which were dropped? */
#include "base/banned.h"

#include <inttypes.h>

#include "naps/proc_file.h"
#include "naps/service.h"

#define NET_TEXT 65536 /* of a table of connections: listeners are at its beginning */
#define DESCRIPTORS_MAX 1024
#define STATE_LISTEN 0x0au

void nap_listeners_parse(
	const char *text, void (*each)(void *arg, uint64_t inode, uint64_t queue), void *arg)
{
	const char *line = strchr(text, '\n');
	unsigned int state, queue;
	uint64_t inode;

	for (; line && *++line; line = strchr(line, '\n')) {
		if (sscanf(line,
			    " %*u: %*64[0-9A-F]:%*4[0-9A-F] %*64[0-9A-F]:%*4[0-9A-F] %2x"
			    " %*8[0-9A-F]:%8x %*2x:%*8x %*8x %*u %*u %" SCNu64,
			    &state, &queue, &inode) != 3)
			continue;
		if (state != STATE_LISTEN)
			break;
		each(arg, inode, queue);
	}
}

bool nap_drops_parse(const char *text, uint64_t *out)
{
	const char *names = strstr(text, "TcpExt: "), *values, *name_end, *end;

	values = names ? strchr(names, '\n') : NULL;
	if (!values || strncmp(values + 1, "TcpExt: ", 8) != 0)
		return false;
	name_end = values;
	values += 1;
	while (names < name_end) {
		const size_t n = strcspn(names, " \n");

		if (n == 11 && !strncmp(names, "ListenDrops", n))
			return sscanf(values, "%" SCNu64, out) == 1;
		end = values + strcspn(values, " \n");
		if (*end != ' ' || names[n] != ' ')
			return false;
		names += n + 1;
		values = end + 1;
	}
	return false;
}

bool nap_service_drops(pid_t pid, uint64_t *out)
{
	char path[64], text[16384];

	snprintf(path, sizeof(path), "/proc/%d/net/netstat", (int)pid);
	return proc_file_read(path, text, sizeof(text)) > 0 && nap_drops_parse(text, out);
}

/* Calls each for the listeners of the namespace of a process. */
static void service_each_listener(
	pid_t pid, void (*each)(void *arg, uint64_t inode, uint64_t queue), void *arg)
{
	static const char *const tables[] = {"tcp", "tcp6"};
	char path[64], *text = malloc(NET_TEXT);
	size_t i;

	for (i = 0; text && i < 2; i++) {
		snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, tables[i]);
		if (proc_file_read(path, text, NET_TEXT) > 0)
			nap_listeners_parse(text, each, arg);
	}
	free(text);
}

struct service_listeners {
	const struct nap_service *of; /* NULL: all of the namespace are taken */
	uint64_t inodes[NAP_SOCKETS_MAX * 4];
	size_t n;
	uint64_t queue;
};

static void service_take(void *arg, uint64_t inode, uint64_t queue)
{
	struct service_listeners *listeners = arg;
	size_t i;

	if (!listeners->of) {
		if (listeners->n < NAP_SOCKETS_MAX * 4)
			listeners->inodes[listeners->n++] = inode;
		return;
	}
	for (i = 0; i < listeners->of->n; i++)
		if (listeners->of->sockets[i] == inode)
			listeners->queue += queue;
}

struct service_search {
	struct nap_service *to;
	const struct service_listeners *among;
};

static bool service_descriptor(void *arg, const char *target)
{
	const struct service_search *search = arg;
	const struct service_listeners *among = search->among;
	struct nap_service *to = search->to;
	uint64_t inode;
	size_t i;

	if (sscanf(target, "socket:[%" SCNu64, &inode) != 1)
		return true;
	for (i = 0; i < among->n && to->n < NAP_SOCKETS_MAX; i++)
		if (among->inodes[i] == inode)
			to->sockets[to->n++] = inode;
	return true;
}

void nap_service_find(struct nap_service *service, pid_t pid)
{
	struct service_listeners listeners = {0};
	struct service_search search = {service, &listeners};

	service->n = 0;
	service_each_listener(pid, service_take, &listeners);
	if (listeners.n)
		proc_each_descriptor(pid, DESCRIPTORS_MAX, service_descriptor, &search);
}

uint64_t nap_service_waiting(const struct nap_service *service, pid_t pid)
{
	struct service_listeners listeners = {.of = service};

	if (service->n)
		service_each_listener(pid, service_take, &listeners);
	return listeners.queue;
}
