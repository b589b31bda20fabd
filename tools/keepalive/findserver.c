/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process listens on the target, with how many threads and workers, set up how? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include "sys/open_beneath.h"
#include "sys/caps.h"
#include "base/ini.h"
#include "base/num.h"
#include "capture/capture.h"
#include "tools/keepalive/server.h"
#include "capture/sockdiag.h"
#include "sources/net/socket_owner.h"
#include "sample/source.h"
#include "tools/keepalive/target.h"
#include "sys/url.h"
#include "base/culprit.h"
#include "tools/keepalive/findserver.h"
#include "capture/list.h"

#define CONFIG_MAX (64 * 1024)
#define PROCESSES_MAX 256
/* What it takes to read what others' processes have. */
#define CAPS_OTHERS (CAPS_READ | CAPS_PTRACE)

struct search {
	const char *exact; /* the address as sockdiag writes it */
	char any[2][32];   /* all addresses, with this port */
	uint32_t inode;	   /* 0: none yet */
	bool is_exact;
};

static void findserver_match(void *arg, const struct sock_listener *listener)
{
	struct search *search = arg;

	if (search->is_exact)
		return;
	if (!strcmp(listener->address, search->exact)) {
		search->inode = listener->inode;
		search->is_exact = true;
	} else if (!strcmp(listener->address, search->any[0]) ||
		!strcmp(listener->address, search->any[1])) {
		search->inode = listener->inode;
	}
}

static uint32_t find_listener(const struct target *target)
{
	struct search search = {.exact = target->text};
	const int fd = sockdiag_open();

	if (fd < 0)
		return 0;
	if (target->unix_path) {
		sockdiag_listeners(fd, SOCKDIAG_UNIX, findserver_match, &search);
	} else {
		snprintf(search.any[0], sizeof(search.any[0]), "0.0.0.0:%u", target->url->port);
		snprintf(search.any[1], sizeof(search.any[1]), "[::]:%u", target->url->port);
		sockdiag_listeners(fd, SOCKDIAG_TCP4, findserver_match, &search);
		sockdiag_listeners(fd, SOCKDIAG_TCP6, findserver_match, &search);
	}
	close(fd);
	return search.inode;
}

/* A file of the process as one line; 0 bytes become blanks, as in ps. */
static bool findserver_read_line(
	struct capture *fs, int pid, const char *file, char *buf, size_t size)
{
	char *path = mem_printf("/proc/%d/%s", pid, file);
	struct bytes bytes = {NULL, 0};
	const int err = capture_read_once(fs, path, &bytes);
	size_t i, n = bytes.len < size ? bytes.len : size - 1;

	free(path);
	*buf = 0;
	if (err)
		return false;
	for (i = 0; i < n; i++)
		buf[i] = bytes.data[i] && bytes.data[i] != '\n' ? bytes.data[i] : ' ';
	while (n && buf[n - 1] == ' ')
		n--;
	buf[n] = 0;
	return true;
}

struct counting {
	struct capture *fs;
	int pid;
	const char *pattern;
	size_t n;
};

static int count_thread(void *arg, const char *name)
{
	struct counting *counting = arg;
	char *file = mem_printf("task/%s/comm", name), comm[32];

	if (findserver_read_line(counting->fs, counting->pid, file, comm, sizeof(comm)))
		counting->n += !fnmatch(counting->pattern, comm, 0);
	free(file);
	return 0;
}

static size_t count_threads(struct capture *fs, int pid, const char *pattern)
{
	struct counting counting = {fs, pid, pattern, 0};
	char *dir = mem_printf("/proc/%d/task", pid);

	capture_list(fs, dir, count_thread, &counting);
	free(dir);
	return counting.n;
}

/* Children whose title is that of a worker; *first is one of them. */
static size_t count_workers(struct capture *fs, int pid, const char *pattern, int *first)
{
	char *file = mem_printf("task/%d/children", pid), list[4096], title[160];
	const char *at = list;
	uint64_t child;
	size_t n = 0, seen = 0;

	if (findserver_read_line(fs, pid, file, list, sizeof(list)))
		while (seen++ < PROCESSES_MAX && !num_next(&at, list + strlen(list), &child) &&
			child <= INT32_MAX) {
			if (!findserver_read_line(
				    fs, (int)child, "cmdline", title, sizeof(title)) ||
				fnmatch(pattern, title, 0))
				continue;
			*first = n++ ? *first : (int)child;
		}
	free(file);
	return n;
}

/* A file below the directory that the process runs in; no symbolic link is followed. Returns how
 * many bytes were read, or -errno. */
static ssize_t read_beneath_cwd(int pid, const char *path, char *text, size_t size)
{
	char *cwd = mem_printf("/proc/%d/cwd", pid);
	ssize_t n;
	int dir, fd;

	/* For the calls alone: what was read is taken apart without rights. */
	caps_raise(CAPS_OTHERS);
	dir = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = dir < 0 ? -errno : beneath_open(dir, path, O_RDONLY);
	n = fd;
	if (fd >= 0) {
		n = read(fd, text, size);
		n = n < 0 ? -errno : n;
		close(fd);
	}
	if (dir >= 0)
		close(dir);
	caps_lower(CAPS_OTHERS);
	free(cwd);
	return n;
}

/* Returns whether the file is there, though it may not be read: then it is the one that counts. */
static bool read_config(
	int pid, const char *path, const char *names, bool perhaps, struct str *settings)
{
	char *text = mem_alloc(CONFIG_MAX);
	const ssize_t n = read_beneath_cwd(pid, path, text, CONFIG_MAX);

	if (n > 0)
		server_read_settings(settings, names, perhaps, text, (size_t)n);
	free(text);
	return n != -ENOENT && n != -ENOTDIR;
}

static const char *key_of(const struct server *server, const char *key)
{
	size_t i;

	for (i = 0; i < inifile_count(server->ini); i++) {
		const struct ini_entry *entry = inifile_entry(server->ini, i);

		if (!strncmp(entry->section, "server ", 7) &&
			!strcmp(entry->section + 7, server->name) && !strcmp(entry->key, key))
			return entry->value;
	}
	return NULL;
}

/* Which environment it runs in, or NULL. Of its variables nothing else is looked at. */
static char *find_environment(const struct server *server, struct capture *fs)
{
	const char *names = key_of(server, "environment");
	char *path, *found = NULL;
	struct bytes bytes;

	if (!names)
		return NULL;
	path = mem_printf("/proc/%d/environ", server->pid);
	if (!capture_read_once(fs, path, &bytes))
		found = server_read_environment(names, bytes.data, bytes.len);
	free(path);
	return found;
}

/* Whether there are files for environments at all: without any it does not matter which it is. */
static bool has_environments(int pid, const char *path)
{
	const char *file = strrchr(path, '/');
	char *dir = mem_strndup(path, file ? (size_t)(file - path) : 0), byte;
	const ssize_t n = read_beneath_cwd(pid, dir, &byte, 1);

	free(dir);
	return n != -ENOENT && n != -ENOTDIR;
}

/* The path of len bytes, with the environment in the place of '*'. */
static char *path_in(const char *path, size_t len, const char *environment)
{
	const size_t before = strcspn(path, "*");

	if (before >= len)
		return mem_strndup(path, len);
	return mem_printf("%.*s%s%.*s", (int)before, path, environment, (int)(len - before - 1),
		path + before + 1);
}

static void read_settings(struct server *server, struct capture *fs)
{
	const char *paths = key_of(server, "config"), *names = key_of(server, "settings");
	const char *guess = key_of(server, "environment_guess");
	char *known = paths ? find_environment(server, fs) : NULL, *path;
	bool perhaps = false, found = false;
	size_t n;

	for (; paths && names && *paths && !found; paths += n + strspn(paths + n, " ")) {
		n = strcspn(paths, " ");
		path = path_in(paths, n, known ? known : guess ? guess : "");
		perhaps |= !known && strcspn(paths, "*") < n && has_environments(server->pid, path);
		found = read_config(server->pid, path, names, perhaps, &server->settings);
		if (found && server->settings.len)
			str_addf(&server->settings, "(%s)", path);
		free(path);
	}
	free(known);
}

static void examine(struct server *server, struct capture *fs)
{
	const char *worker, *thread;
	int serving = server->pid;

	server_know(server, server->title, "", "");
	if (!server->ini)
		return;
	worker = key_of(server, "worker");
	thread = key_of(server, "thread");
	if (worker)
		server->workers = count_workers(fs, server->pid, worker, &serving);
	if (thread)
		server->threads = count_threads(fs, serving, thread);
	read_settings(server, fs);
	server_know(server, server->title, "", str_text(&server->settings));
}

void server_find(struct server *server, const struct target *target)
{
	const uint32_t inode = target->own ? find_listener(target) : 0;
	struct capture *fs = NULL;
	struct culprit owner;
	uint64_t now, pid;

	if (!inode || capture_open(&fs, "/", NULL))
		return;
	if (!capture_next_sample(fs, &now) && sockowner_find(fs, inode, &owner) &&
		!num_u64(owner.id, 1, INT32_MAX, &pid)) {
		server->pid = (int)pid;
		if (findserver_read_line(
			    fs, server->pid, "cmdline", server->title, sizeof(server->title)))
			examine(server, fs);
	}
	capture_close(fs);
}
