/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which server is keepalivehealth asked about? All of this machine, or the one on a port, or all
 * ports of a process. The numbers are those of lib/sources/net/unread_source.c and
 * bpf/turns.bpf.c.
 */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/num.h"
#include "run/options.h"
#include "capture/capture.h"
#include "capture/links.h"
#include "capture/sockdiag.h"
#include "base/str.h"

#define SOCKETS_MAX 65536

/* Servers that listen, of those that are wanted. */
struct wanted {
	uint64_t port;	  /* 0: by path or socket */
	const char *path; /* of a Unix socket, or NULL */
	uint64_t *inodes; /* of the process, sorted */
	size_t n, room;
	struct str found; /* ":PORT " or "unix:PATH " of each */
};

static int server_options_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void take_listener(void *arg, const struct sock_listener *listener)
{
	struct wanted *wanted = arg;
	const char *colon = strrchr(listener->address, ':');
	uint64_t port, inode = listener->inode;

	if (!colon || num_u64(colon + 1, 1, UINT16_MAX, &port))
		return;
	if (wanted->port ? port == wanted->port
			 : wanted->n &&
				bsearch(&inode, wanted->inodes, wanted->n, sizeof(inode),
					server_options_compare))
		str_addf(&wanted->found, ":%" PRIu64 " ", port);
}

/* Patterns are what is handed on, and blanks end them. */
static bool server_options_is_plain(const char *address)
{
	return !address[strcspn(address, " \t\n*?[\\")];
}

static void take_unix(void *arg, const struct sock_listener *listener)
{
	struct wanted *wanted = arg;
	uint64_t inode = listener->inode;

	if (!server_options_is_plain(listener->address))
		return;
	if (wanted->path ? !strcmp(listener->address + strlen("unix:"), wanted->path)
			 : wanted->n &&
				bsearch(&inode, wanted->inodes, wanted->n, sizeof(inode),
					server_options_compare))
		str_addf(&wanted->found, "%s ", listener->address);
}

static int find_listeners(struct wanted *wanted)
{
	int fd = sockdiag_open(), err, err6;

	if (fd < 0)
		return fd;
	if (!wanted->port)
		sockdiag_listeners(fd, SOCKDIAG_UNIX, take_unix, wanted);
	if (wanted->path) {
		close(fd);
		return 0;
	}
	err = sockdiag_listeners(fd, SOCKDIAG_TCP4, take_listener, wanted);
	err6 = sockdiag_listeners(fd, SOCKDIAG_TCP6, take_listener, wanted);
	close(fd);
	return err ? err : err6 == -ENOENT ? 0 : err6;
}

static int server_options_take_link(void *arg, const char *name, const char *target)
{
	struct wanted *wanted = arg;
	const char *at = target + strlen("socket:[");
	uint64_t inode;

	(void)name;
	if (!str_starts(target, "socket:[") || num_next(&at, target + strlen(target), &inode))
		return 0;
	ARRAY_GROW(wanted->inodes, wanted->n, wanted->room);
	wanted->inodes[wanted->n++] = inode;
	return wanted->n == SOCKETS_MAX;
}

/* The sockets of a process, from its links "socket:[INODE]". Returns 0 or -errno. */
static int server_options_read_sockets(uint64_t pid, struct wanted *wanted)
{
	char *path = mem_printf("/proc/%" PRIu64 "/fd", pid);
	struct capture *fs;
	int err = capture_open(&fs, "/", NULL);

	if (!err) {
		err = capture_list_links(fs, path, server_options_take_link, wanted);
		capture_close(fs);
	}
	free(path);
	if (wanted->n)
		qsort(wanted->inodes, wanted->n, sizeof(*wanted->inodes), server_options_compare);
	return err;
}

/* A wrong number would otherwise be a server that has nothing to do, and so is good. */
static int add_only(
	struct options *options, struct wanted *wanted, const char *program, const char *what)
{
	int err = find_listeners(wanted);

	if (!err && !wanted->found.len)
		fprintf(stderr, "%s: %s; see ss -ltxnp\n", program, what);
	else if (err)
		fprintf(stderr, "%s: %s: listeners cannot be listed: %s\n", program, what,
			strerror(-err));
	else if (options->only)
		str_addf(&wanted->found, "%s", options->only);
	if (err || !wanted->found.len) {
		str_free(&wanted->found);
		return -EINVAL;
	}
	free(options->only);
	options->only = str_take(&wanted->found);
	return 0;
}

static int set_port(void *to, const char *program, const char *value)
{
	struct options *options = to;
	struct wanted wanted = {.found = STR_INIT};
	char *what;
	int err;

	if (num_u64(value, 1, UINT16_MAX, &wanted.port))
		return option_refused(program, "port", value, "a port from 1 to 65535");
	if (options->replay) {
		free(options->only);
		options->only = mem_printf(":%" PRIu64, wanted.port);
		return 0;
	}
	what = mem_printf("--port %" PRIu64 ": nobody listens there", wanted.port);
	err = add_only(options, &wanted, program, what);
	free(what);
	return err;
}

/* A relative path is shown as it was bound, so it is asked for like that. */
static int server_options_set_unix(void *to, const char *program, const char *value)
{
	struct options *options = to;
	struct wanted wanted = {.path = value, .found = STR_INIT};
	char *what;
	int err;

	if (!*value || !server_options_is_plain(value))
		return option_refused(program, "unix", value,
			"a path of a Unix socket without blanks and *?[, or @NAME");
	if (options->replay) {
		free(options->only);
		options->only = mem_printf("unix:%s", value);
		return 0;
	}
	what = mem_printf("--unix %s: nobody listens there", value);
	err = add_only(options, &wanted, program, what);
	free(what);
	return err;
}

static int set_pid(void *to, const char *program, const char *value)
{
	struct wanted wanted = {.found = STR_INIT};
	uint64_t pid;
	char *what;
	int err;

	if (num_u64(value, 1, INT32_MAX, &pid))
		return option_refused(program, "pid", value, "the number of a process");
	err = server_options_read_sockets(pid, &wanted);
	if (err) {
		fprintf(stderr, "%s: --pid %" PRIu64 ": its files cannot be listed: %s%s\n",
			program, pid, strerror(-err),
			err == -EACCES ? "; run as its user or as root" : "");
		free(wanted.inodes);
		return -EINVAL;
	}
	what = mem_printf(
		"--pid %" PRIu64 ": it listens on no TCP port and no Unix socket here", pid);
	err = add_only(to, &wanted, program, what);
	free(what);
	free(wanted.inodes);
	return err;
}

static const struct option_row own[] = {
	{0, "port", "N", "only the server on this port; may be given again", OPTION_CALL(set_port)},
	{0, "unix", "PATH", "only the server on this Unix socket",
		OPTION_CALL(server_options_set_unix)},
	{0, "pid", "N", "only the servers of this process", OPTION_CALL(set_pid)},
};

HEALTH_OPTIONS(keepalive) = {
	.check = "keepalive",
	.own = own,
	.n_own = ARRAY_SIZE(own),
};
