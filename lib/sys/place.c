/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a path lead where we think it does, whoever else can write to a directory on the way? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/str.h"
#include "sys/place.h"

#define LINKS_MAX 40

struct walk {
	const struct place *how;
	struct str *why;
	int at;		   /* the directory that was reached */
	struct stat here;  /* what it is */
	struct str where;  /* its path, as far as it was walked */
	char *rest, *next; /* what is still to be walked: next points into rest */
	int links;
};

/* Root, ourselves, or whom "/" belongs to. */
static bool place_is_known_owner(uid_t uid)
{
	struct stat root;

	return !uid || uid == geteuid() || (!stat("/", &root) && uid == root.st_uid);
}

/* Whether somebody else can put another thing in the place of what lies in this directory. A user's
 * own group is that user, as most systems set it up; root's is not. */
static bool place_is_swappable(const struct stat *dir)
{
	mode_t others = S_IWOTH | (geteuid() && dir->st_gid == getegid() ? 0 : S_IWGRP);

	if (!place_is_known_owner(dir->st_uid))
		return true;
	return (dir->st_mode & others) && !(dir->st_mode & S_ISVTX);
}

bool place_is_ours_alone(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && !place_is_swappable(&st);
}

/* Says what is refused where the walk is, or of a name there. Takes what. */
static int place_refuse(const struct walk *walk, const char *name, char *what)
{
	struct str path = STR_INIT;

	str_addf(&path, "%s%s", walk->where.len ? str_text(&walk->where) : "./", name);
	if (path.len > 1 && path.text[path.len - 1] == '/')
		path.text[--path.len] = 0;
	escape_terminal(walk->why, str_text(&path));
	str_addf(walk->why, " %s", what);
	str_free(&path);
	free(what);
	return -EPERM;
}

/* Whether the directory that was reached is one for what is to be put there. */
static int place_check(const struct walk *walk)
{
	const struct stat *st = &walk->here;
	bool all_may = (st->st_mode & S_IWOTH) && !(st->st_mode & S_ISVTX);

	if (walk->how->use == PLACE_FOR_OUTPUT && geteuid())
		return 0;
	if (!place_is_known_owner(st->st_uid))
		return place_refuse(walk, "",
			mem_printf("belongs to user %u, who could put another file in its place: "
				   "name a directory of your own",
				st->st_uid));
	if (all_may || (walk->how->use == PLACE_FOR_STATE && place_is_swappable(st)))
		return place_refuse(walk, "",
			mem_strdup("can be written to by others, who could put another file in its "
				   "place: chmod go-w it, or name another directory"));
	return 0;
}

/* Who owns a directory on the way can only put another one of his own there, which is refused when
 * it is reached, as each of his links is: Debian's folder for node_exporter is root's, in one that
 * is not. */
static bool place_may_be_crossed(const struct place *how)
{
	return how->use == PLACE_FOR_OUTPUT && how->make == PLACE_MAKE_NONE;
}

/* Takes the descriptor of a directory. */
static int walk_enter(struct walk *walk, int fd)
{
	if (fd < 0)
		return -errno;
	if (walk->at >= 0)
		close(walk->at);
	walk->at = fd;
	if (fstat(fd, &walk->here))
		return -errno;
	if (*walk->next ? place_may_be_crossed(walk->how) : walk->how->last_is_free)
		return 0;
	return place_check(walk);
}

static int walk_begin(struct walk *walk, const char *path)
{
	walk->rest = walk->next = mem_strdup(path);
	if (!*path)
		return -ENOENT;
	str_add(&walk->where, *path == '/' ? "/" : "");
	return walk_enter(walk, open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* The next component, ended in place, or NULL at the end. */
static char *walk_next_name(struct walk *walk)
{
	char *name;

	walk->next += strspn(walk->next, "/");
	if (!*walk->next)
		return NULL;
	name = walk->next;
	walk->next += strcspn(name, "/");
	if (*walk->next)
		*walk->next++ = 0;
	walk->next += strspn(walk->next, "/");
	return name;
}

/* A link of /proc leads where its text does not say, and nobody has put it there. */
static bool walk_is_in_proc(const struct walk *walk)
{
	struct statfs fs;

	return !fstatfs(walk->at, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

static int walk_follow(struct walk *walk, int link, const struct stat *st, const char *name)
{
	char target[PATH_MAX], *rest;
	ssize_t n;

	if (!place_is_known_owner(st->st_uid))
		return place_refuse(walk, name,
			mem_printf("is a link that user %u has made: name what it leads to",
				st->st_uid));
	if (place_is_swappable(&walk->here))
		return place_refuse(walk, name,
			mem_strdup("is a link where others may put another one: name what it "
				   "leads to"));
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if (walk_is_in_proc(walk))
		return walk_enter(walk, openat(walk->at, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	n = readlinkat(link, "", target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = 0;
	rest = mem_printf("%s/%s", target, walk->next);
	free(walk->rest);
	walk->rest = walk->next = rest;
	if (*target != '/')
		return 0;
	str_clear(&walk->where);
	str_add(&walk->where, "/");
	return walk_enter(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

static int walk_open(const struct walk *walk, const char *name, bool is_last)
{
	const struct place *how = walk->how;
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(walk->at, name, flags);

	if (fd >= 0 || errno != ENOENT || how->make < (is_last ? PLACE_MAKE_LAST : PLACE_MAKE_ALL))
		return fd < 0 ? -errno : fd;
	if (mkdirat(walk->at, name, is_last ? how->mode : 0755) && errno != EEXIST)
		return -errno;
	fd = openat(walk->at, name, flags);
	return fd < 0 ? -errno : fd;
}

static int walk_step(struct walk *walk, const char *name)
{
	bool is_last = !*walk->next;
	int fd = walk_open(walk, name, is_last), err;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st)) {
		err = -errno;
	} else if (S_ISDIR(st.st_mode)) {
		str_addf(&walk->where, "%s/", name);
		return walk_enter(walk, fd);
	} else if (!S_ISLNK(st.st_mode)) {
		err = -ENOTDIR;
	} else if (is_last && walk->how->last_is_no_link) {
		err = -ELOOP;
	} else {
		err = walk_follow(walk, fd, &st, name);
	}
	close(fd);
	return err;
}

/* The phrase for an error that needs no more than its own. */
static int place_failed(int err, struct str *why)
{
	if (err < 0 && !why->len)
		str_add(why, strerror(-err));
	return err;
}

int place_open(const char *path, const struct place *how, struct str *why)
{
	struct walk walk = {.how = how, .why = why, .at = -1};
	int err = walk_begin(&walk, path);

	while (!err) {
		char *name = walk_next_name(&walk);

		if (!name)
			break;
		name = mem_strdup(name);
		err = walk_step(&walk, name);
		free(name);
	}
	if (err && walk.at >= 0)
		close(walk.at);
	str_free(&walk.where);
	free(walk.rest);
	return err ? place_failed(err, why) : walk.at;
}

int place_open_parent(const char *path, const char **name, struct str *why)
{
	const struct place how = {.use = PLACE_FOR_OUTPUT};
	const char *slash = strrchr(path, '/');
	char *above;
	int dir;

	*name = slash ? slash + 1 : path;
	if (!*path)
		return place_failed(-ENOENT, why);
	if (!**name || !strcmp(*name, ".") || !strcmp(*name, ".."))
		return place_failed(-EISDIR, why);
	above = slash ? mem_strndup(path, (size_t)(slash - path + 1)) : mem_strdup(".");
	dir = place_open(above, &how, why);
	free(above);
	return dir;
}

/* Of a directory that was just made or found. */
static int place_make_private(int fd, struct str *why)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid != geteuid()) {
		str_addf(why, "it belongs to user %u: name a new directory", st.st_uid);
		return -EPERM;
	}
	return (st.st_mode & 07777) != 0700 && fchmod(fd, 0700) ? -errno : 0;
}

static int place_make_new(const char *path, struct str *why)
{
	char *plain = mem_strdup(path);
	size_t len = strlen(plain);
	const char *name;
	int above, fd;

	while (len > 1 && plain[len - 1] == '/')
		plain[--len] = 0;
	above = place_open_parent(plain, &name, why);
	if (above == -EISDIR) {
		str_clear(why);
		above = -EEXIST;
	}
	fd = above;
	if (above >= 0) {
		fd = mkdirat(above, name, 0700)
			? -1
			: openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
		close(above);
	}
	free(plain);
	return fd;
}

int place_open_private(const char *path, bool is_new, struct str *why)
{
	const struct place how = {.use = PLACE_FOR_OUTPUT,
		.make = PLACE_MAKE_LAST,
		.mode = 0700,
		.last_is_free = true};
	int fd = is_new ? place_make_new(path, why) : place_open(path, &how, why), err;

	if (fd >= 0 && !is_new) {
		int found = fd;

		fd = openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = fd < 0 ? -errno : 0;
		close(found);
		fd = err ? err : fd;
	}
	if (fd < 0)
		return place_failed(fd, why);
	err = place_make_private(fd, why);
	if (!err)
		return fd;
	close(fd);
	return place_failed(err, why);
}
