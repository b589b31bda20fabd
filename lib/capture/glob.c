/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the kernel's files does a pattern with stars mean? */
#include "base/banned.h"

#include <errno.h>
#include <limits.h>

#include "capture/capture.h"
#include "base/str.h"
#include "capture/glob.h"
#include "capture/recording.h"
#include "capture/list.h"

struct glob {
	struct capture *fs;
	int (*found)(void *arg, const char *path, const char *star);
	void *arg;
	struct str path;       /* so far */
	struct str star;       /* what the stars matched so far */
	const char *rest;      /* of the pattern, behind path */
	const char *component; /* with a star, that entries are tried against */
	size_t component_len;
	int stopped;
	int error;   /* why a directory could not be looked through */
	bool paused; /* whether the caller records */
};

static int expand(struct glob *glob, const char *rest);

static void add_star(struct str *star, const char *text, size_t len)
{
	if (star->len)
		str_addc(star, '/');
	str_addn(star, text, len);
}

/*
 * Whether name matches a component with stars; appends what each star matched, the first ones
 * matching as little as they can.
 */
static bool match(const char *component, size_t len, const char *name, struct str *star)
{
	const char *end = component + len, *at = memchr(component, '*', len);
	size_t head = (size_t)(at - component);

	if (strncmp(name, component, head) != 0)
		return false;
	name += head;
	while (at) {
		const char *literal = at + 1, *hit;
		const char *next = memchr(literal, '*', (size_t)(end - literal));
		size_t n = (size_t)((next ? next : end) - literal), rest = strlen(name);

		if (n > rest)
			return false;
		hit = next ? memmem(name, rest, literal, n) : name + rest - n;
		if (!hit || memcmp(hit, literal, n) != 0)
			return false;
		add_star(star, name, (size_t)(hit - name));
		name = hit + n;
		at = next;
	}
	return true;
}

static void cut(struct str *s, size_t len)
{
	if (!s->text)
		return;
	s->text[len] = 0;
	s->len = len;
}

static int try_entry(void *arg, const char *name)
{
	struct glob *glob = arg, saved = *glob;
	int stopped = 0;

	if (match(glob->component, glob->component_len, name, &glob->star)) {
		str_addf(&glob->path, "/%s", name);
		stopped = expand(glob, glob->rest);
	}
	cut(&glob->path, saved.path.len);
	cut(&glob->star, saved.star.len);
	glob->component = saved.component;
	glob->component_len = saved.component_len;
	glob->rest = saved.rest;
	glob->stopped = stopped;
	return stopped;
}

/* Only what is found in the end belongs into a recording, not every entry that was looked at. */
static int list_matches(struct glob *glob)
{
	char *dir = mem_strdup(glob->path.len ? str_text(&glob->path) : "/");
	int err;

	glob->stopped = 0;
	err = capture_list(glob->fs, dir, try_entry, glob);
	if (err && err != -ENOENT && err != -ENOTDIR && !glob->error)
		glob->error = err;
	free(dir);
	return glob->stopped;
}

/* Goes on behind path with the rest of the pattern. Returns non-zero once found said to stop. */
static int expand(struct glob *glob, const char *rest)
{
	size_t len;

	for (;;) {
		rest += strspn(rest, "/");
		len = strcspn(rest, "/");
		if (!len)
			break;
		if (memchr(rest, '*', len)) {
			glob->component = rest;
			glob->component_len = len;
			glob->rest = rest + len;
			return list_matches(glob);
		}
		str_addc(&glob->path, '/');
		str_addn(&glob->path, rest, len);
		rest += len;
	}
	capture_pause_recording(glob->fs, glob->paused);
	if (capture_exists(glob->fs, str_text(&glob->path)))
		glob->stopped =
			glob->found(glob->arg, str_text(&glob->path), str_text(&glob->star));
	capture_pause_recording(glob->fs, true);
	return glob->stopped;
}

int capture_glob(struct capture *fs, const char *pattern,
	int (*found)(void *arg, const char *path, const char *star), void *arg)
{
	struct glob glob = {.fs = fs, .found = found, .arg = arg};

	if (*pattern != '/')
		return -EINVAL;
	glob.paused = capture_pause_recording(fs, true);
	expand(&glob, pattern);
	capture_pause_recording(fs, glob.paused);
	str_free(&glob.path);
	str_free(&glob.star);
	return glob.error;
}
