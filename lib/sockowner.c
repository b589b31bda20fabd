/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process holds a socket? */
#include <inttypes.h>

#include "caps.h"
#include "num.h"
#include "procfs.h"
#include "sockowner.h"
#include "source.h"
#include "str.h"

#define LINKS_MAX 100000
#define PROCESSES_MAX 65536

struct search {
	struct procfs *fs;
	char target[32]; /* "socket:[INODE]" */
	char dir[32];	 /* /proc/PID/fd of the process that is looked at */
	size_t links;
	bool found;
};

struct pids {
	uint64_t *list;
	size_t n, room;
};

static int add_pid(void *arg, const char *name)
{
	struct pids *pids = arg;
	uint64_t pid;

	if (num_u64(name, 1, INT32_MAX, &pid))
		return 0;
	ARRAY_GROW(pids->list, pids->n, pids->room);
	pids->list[pids->n++] = pid;
	return pids->n == PROCESSES_MAX;
}

/* Ascending, and process 1 behind all others. */
static int compare_pids(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a - 2, right = *(const uint64_t *)b - 2;

	return (left > right) - (left < right);
}

static int look_at_link(void *arg, const char *name)
{
	char path[64], target[64];
	struct search *search = arg;

	if (++search->links > LINKS_MAX)
		return 1;
	if (snprintf(path, sizeof(path), "%s/%s", search->dir, name) >= (int)sizeof(path))
		return 0;
	if (procfs_readlink(search->fs, path, target, sizeof(target)))
		return 0;
	search->found = !strcmp(target, search->target);
	return search->found;
}

/* A process as a recording holds it: "PID COMM", the comm with whatever bytes it has. */
static void describe_process(struct procfs *fs, uint64_t pid, struct str *text)
{
	struct bytes comm = {0};
	char path[64];

	str_addf(text, "%" PRIu64 " ", pid);
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", pid);
	/* It may have ended since: then the pid is all there is to say. */
	if (procfs_read_once(fs, path, &comm))
		return;
	if (comm.len && comm.data[comm.len - 1] == '\n')
		comm.len--;
	str_addn(text, comm.data, comm.len);
}

static bool read_description(const struct bytes *text, struct culprit *out)
{
	const char *at = text->data, *end = text->data + text->len;
	uint64_t pid = 0;
	size_t len;

	if (num_next(&at, end, &pid) || pid > INT32_MAX || at == end || *at++ != ' ')
		return false;
	*out = (struct culprit){.kind = "process"};
	snprintf(out->id, sizeof(out->id), "%" PRIu64, pid);
	len = (size_t)(end - at);
	if (len >= sizeof(out->name))
		len = sizeof(out->name) - 1;
	memcpy(out->name, at, len);
	return true;
}

static void search_pids(struct search *search, const struct pids *pids, struct str *text)
{
	size_t i;

	for (i = 0; i < pids->n && search->links <= LINKS_MAX && !search->found; i++) {
		snprintf(search->dir, sizeof(search->dir), "/proc/%" PRIu64 "/fd", pids->list[i]);
		procfs_list(search->fs, search->dir, look_at_link, search);
		if (search->found)
			describe_process(search->fs, pids->list[i], text);
	}
}

/* Without the capabilities the processes of this user can be asked all the same. */
static void search_all(struct procfs *fs, uint32_t inode, struct str *text)
{
	struct search search = {.fs = fs};
	struct pids pids = {0};

	snprintf(search.target, sizeof(search.target), "socket:[%" PRIu32 "]", inode);
	caps_raise(CAPS_PTRACE | CAPS_READ);
	procfs_list(fs, "/proc", add_pid, &pids);
	if (pids.n) {
		qsort(pids.list, pids.n, sizeof(*pids.list), compare_pids);
		search_pids(&search, &pids, text);
	}
	caps_lower(CAPS_PTRACE | CAPS_READ);
	free(pids.list);
}

bool sockowner_find(struct procfs *fs, uint32_t inode, struct culprit *out)
{
	struct str text = STR_INIT;
	struct bytes known;
	char blob[32];
	bool paused, found;

	/* 0 is no inode: sockets that belong to nobody have it, and nobody's link names it. */
	if (!inode)
		return false;
	snprintf(blob, sizeof(blob), "socket-owner-%" PRIu32, inode);
	if (!procfs_get_blob(fs, blob, &known))
		return read_description(&known, out);
	if (procfs_is_replay(fs))
		return false;
	/* The answer is recorded, and not a hundred thousand links. */
	paused = procfs_pause_recording(fs, true);
	search_all(fs, inode, &text);
	procfs_pause_recording(fs, paused);
	procfs_put_blob(fs, blob, str_text(&text), text.len);
	found = read_description(&(struct bytes){str_text(&text), text.len}, out);
	str_free(&text);
	return found;
}
