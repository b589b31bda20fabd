/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where is that which a path names, when somebody else may have had a hand in the path?
 *
 * A path is walked a component at a time, by descriptor. A symbolic link on the way is followed
 * only if it belongs to root or to us and lies where nobody else can put another one in its place,
 * so that no one else chooses where we write. Whoever owns "/" counts as root: in a user namespace
 * that is how the real one is seen.
 *
 * Each function returns a descriptor or -errno, with a phrase for people in why; what is refused
 * because of others is -EPERM. The caller closes.
 */
#ifndef TUESDAY_SYS_PLACE_H
#define TUESDAY_SYS_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

struct str;

enum place_use {
	/* What is put there is for others to read. Root puts nothing into a directory that belongs
	 * to another user or that all may write to without the sticky bit, and makes none there; an
	 * ordinary user may, since people share folders. */
	PLACE_FOR_OUTPUT,
	/* What lies there will be read again and believed: nobody else may be able to replace any
	 * directory on the way. */
	PLACE_FOR_STATE,
};

enum place_make { PLACE_MAKE_NONE, PLACE_MAKE_LAST, PLACE_MAKE_ALL };

struct place {
	enum place_use use;
	enum place_make make; /* which directories may be made: mode for the last, 0755 above it */
	mode_t mode;
	bool last_is_no_link; /* -ELOOP for one */
	bool last_is_free;    /* the caller sees to whose it is, and who may write to it */
};

/* Opens a directory, with O_PATH. */
int place_open(const char *path, const struct place *how, struct str *why);

/* Opens, with O_PATH, the directory that a file lies in or will lie in, and points name at its last
 * component in path. -EISDIR for what can be no file's path. */
int place_open_parent(const char *path, const char **name, struct str *why);

/* Whether nobody else can replace what lies in an open directory. */
bool place_is_ours_alone(int dir);

/*
 * Opens, for reading, a directory that is ours and that nobody else can look into (mode 0700), and
 * makes it: anew where is_new is true (else -EEXIST), or where there is none.
 */
int place_open_private(const char *path, bool is_new, struct str *why);

#endif
