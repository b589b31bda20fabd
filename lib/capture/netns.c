/* SPDX-License-Identifier: GPL-2.0-only */
/* Which network namespaces are there, and how does one look around in each? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sys/privileged_call.h"
#include "capture/netns.h"
#include "base/num.h"
#include "capture/capture.h"
#include "capture/shortage.h"
#include "base/number_map.h"
#include "base/str.h"

#define NAMES_DIR "/run/netns"
/* So many cost one rise of rights. */
#define LINKS_AT_ONCE 64
#define PATH_BYTES 64 /* PID/net/dev and the like */

struct netns_place {
	ino_t inode;
	ino_t counters; /* of the /proc/PID/net/dev of one that lives there; 0: not known */
	char *name;
	char *label;
	int fd;
};

struct netns_places {
	struct netns_place list[NETNS_MAX]; /* ours is the first */
	size_t n;
	struct number_map by_inode, by_counters; /* their numbers in list */
	dev_t device; /* of namespaces: a name in /run/netns may be a plain file that is left over
		       */
	int err;      /* why there may be more */
};

static struct netns_place *netns_find(struct netns_places *places, ino_t inode)
{
	size_t i;

	return number_map_get(&places->by_inode, inode, &i) ? &places->list[i] : NULL;
}

/*
 * The file with the counters of the namespace that a process lives in: each namespace has its own,
 * and everybody may see which, whoever may not see the namespace itself. Returns 0 or -errno:
 * -ENOENT for one that has ended, a zombie too, which lives in none any more.
 */
static int netns_counters_of(int dir, const char *pid, ino_t *counters)
{
	char path[PATH_BYTES];
	struct stat st;

	*counters = 0;
	snprintf(path, sizeof(path), "%s/net/dev", pid);
	if (privileged_fstatat(dir, path, &st, 0))
		return -errno;
	*counters = st.st_ino;
	return 0;
}

static void netns_note_counters(
	struct netns_places *places, struct netns_place *place, int dir, const char *pid)
{
	netns_counters_of(dir, pid, &place->counters);
	if (place->counters)
		number_map_add(
			&places->by_counters, place->counters, (size_t)(place - places->list));
}

/* Whether one that does not show its namespace may live in one that is not known. */
static bool netns_may_be_elsewhere(const struct netns_places *places, int dir, const char *pid)
{
	ino_t counters;
	int err = netns_counters_of(dir, pid, &counters);
	size_t i;

	if (!err && number_map_get(&places->by_counters, counters, &i))
		return false;
	return err != -ENOENT && err != -ESRCH;
}

/* Takes fd, name and label over. */
static void netns_add_place(
	struct netns_places *places, int fd, ino_t inode, char *name, char *label)
{
	if (places->n == NETNS_MAX) {
		places->err = -E2BIG;
		close(fd);
		free(name);
		free(label);
		return;
	}
	number_map_add(&places->by_inode, inode, places->n);
	places->list[places->n++] =
		(struct netns_place){.inode = inode, .name = name, .label = label, .fd = fd};
}

/* A name that anybody may have given must not pass for ours or for an inode. */
static bool name_is_usable(const char *name)
{
	return strcmp(name, "host") != 0 && !str_starts(name, "netns:");
}

/* One that is gone by now is none; one that could not be opened for want of descriptors or memory
 * may be any. */
static void netns_note_shortage(struct netns_places *places, int err)
{
	if (err == EMFILE || err == ENFILE || err == ENOMEM)
		places->err = -err;
}

static void add_named(struct netns_places *places, int dir, const char *name)
{
	int fd = privileged_openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		netns_note_shortage(places, errno);
		return;
	}
	if (fstat(fd, &st) || st.st_dev != places->device || netns_find(places, st.st_ino) ||
		!name_is_usable(name))
		close(fd);
	else
		netns_add_place(places, fd, st.st_ino, mem_strdup(name), mem_strdup(name));
}

/* "netns of nginx (pid 123)" */
static char *netns_label_of(int dir, const char *pid)
{
	char path[PATH_BYTES], comm[32] = "?";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/comm", pid);
	fd = privileged_openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, comm, sizeof(comm) - 1);
		comm[n > 0 ? n - (comm[n - 1] == '\n') : 0] = 0;
		close(fd);
	}
	return mem_printf("netns of %s (pid %s)", comm, pid);
}

/* The inode of "net:[4026531840]". */
static bool netns_inode_of(const char *target, uint64_t *inode)
{
	const char *at = target + strlen("net:[");

	return str_starts(target, "net:[") && !num_next(&at, target + strlen(target), inode) &&
		*inode && !strcmp(at, "]");
}

static void add_of_process(struct netns_places *places, int dir, const char *pid, uint64_t inode)
{
	char path[PATH_BYTES];
	struct netns_place *place;
	int fd;

	place = netns_find(places, inode);
	if (!place) {
		snprintf(path, sizeof(path), "%s/ns/net", pid);
		fd = privileged_openat(dir, path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			netns_add_place(places, fd, inode,
				mem_printf("netns:%llu", (unsigned long long)inode),
				netns_label_of(dir, pid));
		else
			netns_note_shortage(places, errno);
		place = netns_find(places, inode);
	}
	if (place && !place->counters)
		netns_note_counters(places, place, dir, pid);
}

/* Looked for when all namespaces that show are known: whether one that does not is one of these. */
static void note_hidden(struct netns_places *places, int dir, const char *pid)
{
	if (!places->err && netns_may_be_elsewhere(places, dir, pid))
		places->err = -EPERM;
}

/* The entries of a directory that are wanted, each with a 0 behind it. */
struct netns_names {
	bool digits; /* numbers of processes, or names */
	struct str list;
};

static int netns_take_name(void *arg, const char *name, unsigned char type)
{
	struct netns_names *names = arg;
	bool is_pid = *name >= '0' && *name <= '9';

	(void)type;
	if (names->digits ? is_pid : *name != '.')
		str_addn(&names->list, name, strlen(name) + 1);
	return 0;
}

/* The next one from *at, or NULL. */
static const char *netns_next_name(const struct netns_names *names, size_t *at)
{
	const char *name = str_text(&names->list) + *at;

	if (*at >= names->list.len)
		return NULL;
	*at += strlen(name) + 1;
	return name;
}

/* Returns a descriptor of the directory, or -1. */
static int netns_list(struct netns_places *places, const char *path, struct netns_names *names)
{
	int dir = privileged_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		netns_note_shortage(places, errno);
	else
		privileged_list(dir, netns_take_name, names);
	return dir;
}

/* Calls add for each of the names, and closes their directory. */
static void netns_each_name(struct netns_places *places, int dir, struct netns_names *names,
	void (*add)(struct netns_places *places, int dir, const char *name))
{
	const char *name;
	size_t at = 0;

	while ((name = netns_next_name(names, &at)))
		add(places, dir, name);
	str_free(&names->list);
	if (dir >= 0)
		close(dir);
}

/* Takes the next processes from *at; hidden gets those that do not show their namespace. */
static bool netns_add_some(struct netns_places *places, int dir, const struct netns_names *pids,
	size_t *at, struct netns_names *hidden)
{
	struct privileged_link links[LINKS_AT_ONCE];
	char paths[LINKS_AT_ONCE][PATH_BYTES];
	const char *names[LINKS_AT_ONCE];
	uint64_t inode;
	size_t n, i;

	for (n = 0; n < LINKS_AT_ONCE && (names[n] = netns_next_name(pids, at)); n++) {
		snprintf(paths[n], sizeof(paths[n]), "%s/ns/net", names[n]);
		links[n].name = paths[n];
	}
	privileged_readlinks(dir, links, n);
	for (i = 0; i < n; i++) {
		if (!links[i].error && netns_inode_of(links[i].target, &inode))
			add_of_process(places, dir, names[i], inode);
		else if (links[i].error == EACCES || links[i].error == EPERM)
			netns_take_name(hidden, names[i], DT_DIR);
	}
	return n == LINKS_AT_ONCE;
}

static void netns_add_of_processes(struct netns_places *places)
{
	struct netns_names pids = {true, STR_INIT}, hidden = {true, STR_INIT};
	int dir = netns_list(places, "/proc", &pids);
	size_t at = 0;

	while (netns_add_some(places, dir, &pids, &at, &hidden))
		;
	str_free(&pids.list);
	netns_each_name(places, dir, &hidden, note_hidden);
}

static int find_places(struct netns_places *places)
{
	struct netns_names named = {false, STR_INIT};
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		close(fd);
		return -EINVAL;
	}
	places->device = st.st_dev;
	netns_add_place(places, fd, st.st_ino, mem_strdup("host"), mem_strdup("host"));
	netns_note_counters(places, &places->list[0], AT_FDCWD, "/proc/self");
	netns_each_name(places, netns_list(places, NAMES_DIR, &named), &named, add_named);
	netns_add_of_processes(places);
	/* With hidepid=2 the processes of others are not even listed. */
	if (!places->err && access("/proc/1", F_OK))
		places->err = -EPERM;
	return 0;
}

static int netns_enter(int fd)
{
	int err = 0;

	caps_raise(CAPS_NAMESPACE);
	if (setns(fd, CLONE_NEWNET))
		err = -errno;
	caps_lower(CAPS_NAMESPACE);
	return err;
}

/* Calls inside in another namespace and comes back. */
static int visit(struct netns_places *places, const struct netns_place *place,
	int (*inside)(void *arg, const char *name, const char *label), void *arg)
{
	int stop, err;

	if (netns_enter(place->fd)) {
		places->err = -EPERM;
		return 0;
	}
	stop = inside(arg, place->name, place->label);
	err = netns_enter(places->list[0].fd);
	if (err) {
		/* All that is read from here on would be of another namespace. */
		fprintf(stderr, "tuesday: cannot come back from the network namespace %s: %s\n",
			place->name, strerror(-err));
		_exit(3);
	}
	return stop;
}

static void release_places(void *object)
{
	struct netns_places *places = object;
	size_t i;

	for (i = 0; i < places->n; i++) {
		close(places->list[i].fd);
		free(places->list[i].name);
		free(places->list[i].label);
	}
	number_map_free(&places->by_inode);
	number_map_free(&places->by_counters);
	free(places);
}

static struct netns_places *shared_places(struct capture *fs)
{
	static const char key[] = "netns";
	struct netns_places *places = capture_attached(fs, key);
	int err;

	if (places)
		return places;
	places = mem_zalloc(sizeof(*places));
	err = find_places(places);
	if (err)
		places->err = err;
	shortage_note(fs, places->err);
	capture_attach(fs, key, places, release_places);
	return places;
}

int netns_each(struct capture *fs, int (*inside)(void *arg, const char *name, const char *label),
	void *arg)
{
	struct netns_places *places = shared_places(fs);
	int stop = inside(arg, "host", "host");
	size_t i;

	for (i = 1; i < places->n && !stop; i++)
		stop = visit(places, &places->list[i], inside, arg);
	return places->err;
}

void netns_name(unsigned int inode, char *out, size_t size)
{
	struct stat ours, st;
	struct dirent *entry;
	DIR *dir;

	snprintf(out, size, "netns:%u", inode);
	/* Without /proc it is not known on which device their inodes are. */
	if (stat("/proc/self/ns/net", &ours))
		return;
	if (ours.st_ino == inode) {
		*out = 0;
		return;
	}
	dir = opendir(NAMES_DIR);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (name_is_usable(entry->d_name) && !fstatat(dirfd(dir), entry->d_name, &st, 0) &&
			st.st_ino == inode && st.st_dev == ours.st_dev)
			snprintf(out, size, "%s", entry->d_name);
	closedir(dir);
}

#define AS_TEXT(number) #number
#define NUMBER_TEXT(number) AS_TEXT(number)

const char *netns_unseen(int err)
{
	if (err == -E2BIG)
		return "only " NUMBER_TEXT(NETNS_MAX) " network namespaces are read";
	if (caps_have(CAPS_NAMESPACE | CAPS_PTRACE))
		return "some processes do not show their network namespace, not even to root here";
	return "other network namespaces need CAP_SYS_ADMIN and CAP_SYS_PTRACE: run as root";
}
