/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process holds a socket? */
#include "base/banned.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "sys/privileged_call.h"
#include "base/num.h"
#include "base/number_map.h"
#include "capture/capture.h"
#include "sources/common/parse_text.h"
#include "sources/common/program_line.h"
#include "sources/net/socket_owner.h"
#include "sample/source.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "capture/recording.h"
#include "capture/links.h"
#include "capture/list.h"

#define OWNED_BY "owned_by_"
#define VERSION_OF "version_of_"
/* Links that are looked at of the processes of one user, so that who opens many hides no other
 * user's; and of all. */
#define LINKS_OF_USER_MAX 100000
#define LINKS_MAX 1000000
#define PROCESSES_MAX 65536

struct pids {
	uint64_t *list;
	size_t n, room;
};

/* Of the processes of one sample, as far as they have been gone through: what several sockets ask
 * for costs one walk at most. */
static struct walk {
	struct capture *fs;
	struct capture_identity moment;
	struct pids pids;
	size_t next;  /* of pids */
	char dir[32]; /* /proc/PID/fd of the process that is looked at */
	size_t links;
	struct number_map users; /* their places in links_of_user */
	size_t *links_of_user;
	size_t n_users, room_users;
	size_t user;		   /* of the process that is looked at */
	struct number_map holders; /* pids by inode */
} walk;

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

static int look_at_link(void *arg, const char *name, const char *target)
{
	static const char socket[] = "socket:[";
	const char *at = target + strlen(socket);
	uint64_t inode;

	(void)arg;
	(void)name;
	if (++walk.links > LINKS_MAX || ++walk.links_of_user[walk.user] > LINKS_OF_USER_MAX)
		return 1;
	if (!str_starts(target, socket) || num_next(&at, target + strlen(target), &inode))
		return 0;
	/* Of several that have inherited it the first one stays. */
	number_map_add(&walk.holders, inode, walk.pids.list[walk.next]);
	return 0;
}

/* A process as a recording holds it: "PID COMM", the comm with whatever bytes it has. */
static void describe_process(struct capture *fs, uint64_t pid, struct str *text)
{
	struct bytes comm = {0};
	char path[64];

	str_addf(text, "%" PRIu64 " ", pid);
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", pid);
	/* It may have ended since: then the pid is all there is to say. */
	if (capture_read_once(fs, path, &comm))
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
	if (end > at && end[-1] == '\n')
		end--;
	len = (size_t)(end - at);
	if (len >= sizeof(out->name))
		len = sizeof(out->name) - 1;
	memcpy(out->name, at, len);
	return true;
}

static void begin_walk(struct capture *fs)
{
	struct capture_identity now = capture_identity(fs);

	if (walk.moment.serial == now.serial && walk.moment.sample == now.sample && walk.pids.n)
		return;
	walk.fs = fs;
	walk.moment = now;
	walk.pids.n = walk.next = walk.links = walk.n_users = 0;
	number_map_clear(&walk.users);
	number_map_clear(&walk.holders);
	capture_list(fs, "/proc", add_pid, &walk.pids);
	if (walk.pids.n)
		qsort(walk.pids.list, walk.pids.n, sizeof(*walk.pids.list), compare_pids);
}

/* Sets the user that the next process is counted for; one that has ended has no links either. */
static void walk_find_user(uint64_t pid)
{
	struct stat st = {0};
	char path[32];

	snprintf(path, sizeof(path), "/proc/%" PRIu64, pid);
	if (privileged_fstatat(AT_FDCWD, path, &st, 0))
		st.st_uid = 0;
	if (number_map_add(&walk.users, st.st_uid, walk.n_users)) {
		ARRAY_GROW(walk.links_of_user, walk.n_users, walk.room_users);
		walk.links_of_user[walk.n_users++] = 0;
	}
	number_map_get(&walk.users, st.st_uid, &walk.user);
}

/* Without the capabilities the processes of this user can be asked all the same. */
static void search_all(struct capture *fs, uint32_t inode, struct str *text)
{
	size_t pid = 0;
	bool found;

	begin_walk(fs);
	found = number_map_get(&walk.holders, inode, &pid);
	for (; !found && walk.next < walk.pids.n && walk.links <= LINKS_MAX; walk.next++) {
		walk_find_user(walk.pids.list[walk.next]);
		snprintf(walk.dir, sizeof(walk.dir), "/proc/%" PRIu64 "/fd",
			walk.pids.list[walk.next]);
		capture_list_links(fs, walk.dir, look_at_link, NULL);
		found = number_map_get(&walk.holders, inode, &pid);
	}
	if (found)
		describe_process(fs, pid, text);
}

bool sockowner_find(struct capture *fs, uint32_t inode, struct culprit *out)
{
	struct str text = STR_INIT;
	struct bytes known;
	char blob[32];
	bool paused, found;

	/* 0 is no inode: sockets that belong to nobody have it, and nobody's link names it. */
	if (!inode)
		return false;
	snprintf(blob, sizeof(blob), "socket-owner-%" PRIu32, inode);
	if (!capture_get_blob(fs, blob, &known))
		return read_description(&known, out);
	if (capture_is_replay(fs))
		return false;
	/* The answer is recorded, and not a hundred thousand links. */
	paused = capture_pause_recording(fs, true);
	search_all(fs, inode, &text);
	capture_pause_recording(fs, paused);
	capture_put_blob(fs, blob, str_text(&text), text.len);
	found = read_description(&(struct bytes){str_text(&text), text.len}, out);
	str_free(&text);
	return found;
}

/* "1", or "1 5.6.5" where its title says which version; "0" of another program. */
static void owner_describe_program(
	struct capture *fs, const struct culprit *owner, const char *program, struct str *text)
{
	char path[sizeof(owner->id) + 32], version[PROGRAM_VERSION_BYTES] = "";
	bool is = !strcmp(owner->name, program);
	struct bytes line;

	snprintf(path, sizeof(path), "/proc/%s/cmdline", owner->id);
	if (!capture_read_once(fs, path, &line)) {
		is |= programline_is(line.data, line.len, program);
		programline_version(line.data, line.len, program, version);
	}
	str_addf(text, is && *version ? "1 %s" : is ? "1" : "0", version);
}

/* What a description says: 1 or 0, and the version where there is one. */
static int owner_read_program(const struct bytes *text, double *version)
{
	struct bytes rest = *text, word;
	char number[PROGRAM_VERSION_BYTES];

	if (text_word(&rest, &word) && text_word(&rest, &word) &&
		text_copy(word, number, sizeof(number)))
		*version = programline_number(number);
	return text->len && *text->data == '1';
}

int sockowner_runs(struct capture *fs, uint32_t inode, const char *program, double *version)
{
	struct str text = STR_INIT;
	struct culprit owner;
	struct bytes known;
	char blob[96];
	bool paused;
	int is;

	*version = NAN;
	if (!sockowner_find(fs, inode, &owner))
		return -1;
	snprintf(blob, sizeof(blob), "socket-runs-%s-%" PRIu32, program, inode);
	if (!capture_get_blob(fs, blob, &known))
		return owner_read_program(&known, version);
	if (capture_is_replay(fs))
		return !strcmp(owner.name, program);
	/* The answer is recorded, and no command line. */
	paused = capture_pause_recording(fs, true);
	owner_describe_program(fs, &owner, program, &text);
	capture_pause_recording(fs, paused);
	capture_put_blob(fs, blob, str_text(&text), text.len);
	is = owner_read_program(&(struct bytes){str_text(&text), text.len}, version);
	str_free(&text);
	return is;
}

struct owning {
	struct capture *fs;
	struct sink *sink;
	const char *instance;
	uint32_t inode;
	bool matters;
};

static void put_owner(void *arg, const char *field)
{
	const struct owning *owning = arg;
	bool asks_version = str_starts(field, VERSION_OF);
	double version = NAN;
	int runs = 0;

	if (!asks_version && !str_starts(field, OWNED_BY))
		return;
	if (owning->matters)
		runs = sockowner_runs(owning->fs, owning->inode,
			field + strlen(asks_version ? VERSION_OF : OWNED_BY), &version);
	if (!asks_version && runs >= 0)
		sink_put(owning->sink, owning->instance, field, runs);
	if (asks_version && runs > 0 && !isnan(version))
		sink_put(owning->sink, owning->instance, field, version);
}

void sockowner_put(
	struct capture *fs, struct sink *sink, const char *instance, uint32_t inode, bool matters)
{
	struct owning owning = {fs, sink, instance, inode, matters};

	sink_each_wanted(sink, put_owner, &owning);
}
