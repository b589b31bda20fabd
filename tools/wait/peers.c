/* SPDX-License-Identifier: GPL-2.0-only */
/* Which connection, pipe or terminal is that descriptor? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "sys/privileged_call.h"
#include "sys/read_write.h"
#include "tools/wait/peers.h"

#define FILE_BYTES ((size_t)16 << 20)
#define LINK_BYTES 256
#define LISTENS 0x0a /* TCP_LISTEN */
#define FDS_MAX 65536

/* "0100007F:1F90", words of four bytes as this machine has them. */
static bool sockets_address(const char *text, bool v6, char *out, size_t size, uint16_t *port)
{
	char shown[INET6_ADDRSTRLEN];
	uint32_t words[4];
	unsigned int number;
	const int n = v6 ? 4 : 1;
	int i;

	for (i = 0; i < n; i++, text += 8)
		if (sscanf(text, "%8x", &words[i]) != 1)
			return false;
	if (sscanf(text, ":%4x", &number) != 1 ||
		!inet_ntop(v6 ? AF_INET6 : AF_INET, words, shown, sizeof(shown)))
		return false;
	*port = (uint16_t)number;
	snprintf(out, size, v6 ? "[%s]:%u" : "%s:%u", shown, number);
	return true;
}

static bool sockets_line(const char *line, bool v6, struct wait_socket *one)
{
	char local[64], local_text[80], remote_text[80];
	uint16_t remote_port;
	unsigned int state;

	*one = (struct wait_socket){0};
	if (sscanf(line, " %*u: %79s %79s %2x %*s %*s %*s %*u %*u %" SCNu64, local_text,
		    remote_text, &state, &one->inode) != 4 ||
		strlen(local_text) != (v6 ? 37u : 13u) || strlen(remote_text) != strlen(local_text))
		return false;
	one->listens = state == LISTENS;
	return sockets_address(local_text, v6, local, sizeof(local), &one->local_port) &&
		sockets_address(remote_text, v6, one->remote, sizeof(one->remote), &remote_port) &&
		one->inode;
}

void wait_sockets_add(struct wait_sockets *sockets, const char *text, bool v6)
{
	const char *line = text;

	while (line && *line) {
		const char *newline = strchr(line, '\n');
		const size_t len = newline ? (size_t)(newline - line) : strlen(line);
		char copy[512];
		struct wait_socket one;

		if (len < sizeof(copy)) {
			memcpy(copy, line, len);
			copy[len] = 0;
			if (sockets_line(copy, v6, &one)) {
				ARRAY_GROW(sockets->list, sockets->n, sockets->room);
				sockets->list[sockets->n++] = one;
			}
		}
		line = newline ? newline + 1 : NULL;
	}
}

const struct wait_socket *wait_sockets_find(const struct wait_sockets *sockets, uint64_t inode)
{
	size_t i;

	for (i = 0; i < sockets->n; i++)
		if (sockets->list[i].inode == inode)
			return &sockets->list[i];
	return NULL;
}

bool wait_sockets_is_served(const struct wait_sockets *sockets, const struct wait_socket *one)
{
	size_t i;

	if (one->listens)
		return true;
	for (i = 0; i < sockets->n; i++)
		if (sockets->list[i].listens && sockets->list[i].local_port == one->local_port)
			return true;
	return false;
}

void wait_sockets_free(struct wait_sockets *sockets)
{
	free(sockets->list);
	*sockets = (struct wait_sockets){0};
}

static void peers_file(uint32_t pid, const char *file, struct str *text)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	read_all(fd, FILE_BYTES, text);
	close(fd);
}

void wait_peers_read(uint32_t pid, struct wait_sockets *sockets)
{
	struct str text = STR_INIT;

	peers_file(pid, "net/tcp", &text);
	wait_sockets_add(sockets, str_text(&text), false);
	str_clear(&text);
	peers_file(pid, "net/tcp6", &text);
	wait_sockets_add(sockets, str_text(&text), true);
	str_free(&text);
}

/* "socket:[123]", "pipe:[1]", "/dev/pts/0". Returns whether it could be read. */
static bool peers_link(uint32_t pid, uint32_t fd, char link[LINK_BYTES])
{
	char path[64];
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", pid, fd);
	got = privileged_readlinkat(AT_FDCWD, path, link, LINK_BYTES - 1);
	link[got > 0 ? got : 0] = 0;
	return got > 0;
}

static enum wait_end peers_of_link(
	const struct wait_sockets *sockets, const char *link, struct str *phrase)
{
	const struct wait_socket *one;
	uint64_t inode;

	if (sscanf(link, "socket:[%" SCNu64, &inode) == 1) {
		one = wait_sockets_find(sockets, inode);
		if (!one) {
			str_add(phrase, "a local socket");
			return WAIT_END_PEER;
		}
		if (wait_sockets_is_served(sockets, one))
			return WAIT_END_WORK;
		str_add(phrase, one->remote);
		return WAIT_END_PEER;
	}
	if (!strncmp(link, "pipe:", 5)) {
		str_add(phrase, "a pipe");
		return WAIT_END_PEER;
	}
	if (!strcmp(link, "anon_inode:[timerfd]"))
		return WAIT_END_TIME;
	return strncmp(link, "/dev/", 5) != 0 ? WAIT_END_UNKNOWN : WAIT_END_WORK;
}

/* "tfd:        5 events: ..." of each that is in it. One with work is one that others come to. */
static enum wait_end peers_of_epoll(
	uint32_t pid, const struct wait_sockets *sockets, uint32_t fd, struct str *phrase)
{
	struct str text = STR_INIT, first = STR_INIT;
	enum wait_end end;
	char file[32], link[LINK_BYTES], *line, *rest = NULL;

	snprintf(file, sizeof(file), "fdinfo/%u", fd);
	peers_file(pid, file, &text);
	end = text.len ? WAIT_END_NOTHING : WAIT_END_UNKNOWN;
	for (line = text.len ? strtok_r(text.text, "\n", &rest) : NULL; line;
		line = strtok_r(NULL, "\n", &rest)) {
		unsigned int within;
		enum wait_end one;

		if (sscanf(line, "tfd: %u", &within) != 1)
			continue;
		if (end == WAIT_END_NOTHING)
			end = WAIT_END_UNKNOWN;
		if (!peers_link(pid, within, link) || strncmp(link, "socket:", 7) != 0)
			continue;
		str_clear(&first);
		one = peers_of_link(sockets, link, &first);
		if (one == WAIT_END_WORK) {
			end = one;
			break;
		}
		/* Local sockets are in most of them, for other purposes. */
		if (one == WAIT_END_PEER && strcmp(str_text(&first), "a local socket") != 0) {
			end = one;
			str_clear(phrase);
			str_add(phrase, str_text(&first));
		}
	}
	if (end != WAIT_END_PEER)
		str_clear(phrase);
	str_free(&text);
	str_free(&first);
	return end;
}

enum wait_end wait_peers_of(
	uint32_t pid, const struct wait_sockets *sockets, uint32_t fd, struct str *phrase)
{
	char link[LINK_BYTES];

	if (!peers_link(pid, fd, link))
		return WAIT_END_UNKNOWN;
	if (!strcmp(link, "anon_inode:[eventpoll]"))
		return peers_of_epoll(pid, sockets, fd, phrase);
	return peers_of_link(sockets, link, phrase);
}

struct peers_any {
	uint32_t pid;
	const struct wait_sockets *sockets;
	struct str *phrase;
	enum wait_end end;
	size_t n;
};

bool wait_peers_file(uint32_t pid, uint32_t fd, struct str *path)
{
	char link[LINK_BYTES];

	if (!peers_link(pid, fd, link) || *link != '/')
		return false;
	str_add(path, link);
	return true;
}

static int peers_any_fd(void *arg, const char *name, unsigned char type)
{
	struct peers_any *any = arg;
	struct str phrase = STR_INIT;
	char link[LINK_BYTES];
	uint64_t fd;

	(void)type;
	if (any->n++ > FDS_MAX || num_u64(name, 0, INT32_MAX, &fd))
		return 0;
	if (peers_link(any->pid, (uint32_t)fd, link) && !strncmp(link, "socket:", 7)) {
		const enum wait_end end = peers_of_link(any->sockets, link, &phrase);

		if (end == WAIT_END_WORK)
			any->end = end;
		else if (end == WAIT_END_PEER && any->end == WAIT_END_UNKNOWN &&
			strcmp(str_text(&phrase), "a local socket") != 0) {
			any->end = end;
			str_clear(any->phrase);
			str_add(any->phrase, str_text(&phrase));
		}
	}
	str_free(&phrase);
	return any->end == WAIT_END_WORK;
}

enum wait_end wait_peers_of_any(
	uint32_t pid, const struct wait_sockets *sockets, struct str *phrase)
{
	struct peers_any any = {pid, sockets, phrase, WAIT_END_UNKNOWN, 0};
	char path[32];
	int dir;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = privileged_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return WAIT_END_UNKNOWN;
	privileged_list(dir, peers_any_fd, &any);
	close(dir);
	if (any.end != WAIT_END_PEER)
		str_clear(phrase);
	return any.end;
}
