/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How full are thin pools and snapshots, which paths and legs were lost, what has device-mapper
 * given up? Instances are dm-N, shown by their own names.
 *
 * Most of it only an ioctl tells, and only root. It may wait for the disk that a pool keeps its
 * books on, so a child asks. Devices of which nothing is told (linear, crypt) are asked once.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "caps.h"
#include "sources/asking.h"
#include "sources/parsers.h"
#include "sources/text.h"
#include "str.h"

#define CONTROL "/dev/mapper/control"
#define BLOB "dm"
#define DEVICES_MAX 4096
#define DEADLINE_MS 2000
#define ANSWER_BYTES 65536
#define NAME_BYTES 32

struct dm_device {
	char instance[NAME_BYTES]; /* dm-N */
	char name[DM_NAME_LEN];
};

struct dm {
	int fd; /* of CONTROL, or -errno; 0 before it was opened */
	struct dm_device *list;
	size_t n, room;
	bool *hung, *dull; /* for each of them */
	bool known;
};

/* "used/total" */
static bool put_share(struct sink *sink, const char *instance, const char *used, const char *size,
	struct bytes word)
{
	struct bytes before;
	double a, b;

	if (!text_until(&word, '/', &before) || !text_number(before, &a) || !text_number(word, &b))
		return false;
	sink_put(sink, instance, used, a);
	sink_put(sink, instance, size, b);
	return true;
}

static bool skip_words(struct bytes *words, double n)
{
	struct bytes word;

	for (; n > 0; n--)
		if (!text_word(words, &word))
			return false;
	return true;
}

/* "2 FLAG FLAG": a count and so many words. */
static bool skip_counted(struct bytes *words)
{
	double n;

	return text_next_number(words, &n) && skip_words(words, n);
}

/* What stands at the end, in an order that has grown with the kernel. */
static void put_mode(struct sink *sink, const char *instance, struct bytes words)
{
	bool no_writes = false, needs_check = false;
	struct bytes word;

	while (text_word(&words, &word)) {
		no_writes |= text_is(word, "ro") || text_is(word, "out_of_data_space");
		needs_check |= text_is(word, "needs_check");
	}
	sink_put(sink, instance, "no_writes", no_writes);
	sink_put(sink, instance, "needs_check", needs_check);
}

/* "TRANSACTION META/META DATA/DATA ROOT rw DISCARDS ON_FULL CHECK LOW_WATERMARK" */
static void put_pool(struct sink *sink, const char *instance, struct bytes words)
{
	struct bytes word;

	if (!skip_words(&words, 1) || !text_word(&words, &word) ||
		!put_share(sink, instance, "metadata_used", "metadata_size", word) ||
		!text_word(&words, &word) ||
		!put_share(sink, instance, "data_used", "data_size", word))
		return;
	put_mode(sink, instance, words);
}

/* "USED/ALL METADATA" in sectors; or in a word or two why it is lost. */
static void put_snapshot(struct sink *sink, const char *instance, struct bytes words)
{
	struct bytes word;

	if (!text_word(&words, &word) || text_is(word, "Unknown"))
		return;
	sink_put(sink, instance, "lost",
		!put_share(sink, instance, "snapshot_used", "snapshot_size", word));
}

/* "BLOCK META/META BLOCK USED/ALL READ_HITS READ_MISSES WRITE_HITS WRITE_MISSES DEMOTIONS
 * PROMOTIONS DIRTY …" */
static void put_cache(struct sink *sink, const char *instance, struct bytes words)
{
	static const char *const columns[] = {"read_hits", "read_misses", "write_hits",
		"write_misses", "demotions", "promotions", "dirty_blocks"};
	struct bytes word;

	if (!skip_words(&words, 3) || !text_word(&words, &word) ||
		!put_share(sink, instance, "cache_used", "cache_size", word))
		return;
	text_put_columns(sink, instance, columns, ARRAY_SIZE(columns), words);
	put_mode(sink, instance, words);
}

struct paths {
	double all, failed, failures;
};

/* "STATE 0 PATHS ARGUMENTS", and for each path "DEVICE A FAILURES ARGUMENT…" */
static bool add_group(struct paths *paths, struct bytes *words)
{
	struct bytes word;
	double n, arguments, failures;

	if (!skip_words(words, 1) || !skip_counted(words) || !text_next_number(words, &n) ||
		!text_next_number(words, &arguments))
		return false;
	for (; n > 0; n--) {
		if (!skip_words(words, 1) || !text_word(words, &word) ||
			!text_next_number(words, &failures) || !skip_words(words, arguments))
			return false;
		paths->all++;
		paths->failed += text_is(word, "F");
		paths->failures += failures;
	}
	return true;
}

/* "2 QUEUED INIT 0 GROUPS NEXT", and the groups */
static void put_multipath(struct sink *sink, const char *instance, struct bytes words)
{
	struct paths paths = {0};
	double groups, next;

	if (!skip_counted(&words) || !skip_counted(&words) || !text_next_number(&words, &groups) ||
		!text_next_number(&words, &next))
		return;
	for (; groups > 0; groups--)
		if (!add_group(&paths, &words))
			return;
	sink_put(sink, instance, "paths", paths.all);
	sink_put(sink, instance, "failed_paths", paths.failed);
	sink_put(sink, instance, "path_failures", paths.failures);
}

/* How many letters of word are none of those. */
static double count_not(struct bytes word, const char *letters)
{
	double n = 0;
	size_t i;

	for (i = 0; i < word.len; i++)
		n += !word.data[i] || !strchr(letters, word.data[i]);
	return n;
}

/* "TYPE LEGS AAD SYNCED/ALL ACTION …": A is in use, a is being filled, D is dead, - is missing. */
static void put_raid(struct sink *sink, const char *instance, struct bytes words)
{
	struct bytes word;
	double legs;

	if (!skip_words(&words, 1) || !text_next_number(&words, &legs) ||
		!text_word(&words, &word) || (double)word.len != legs)
		return;
	sink_put(sink, instance, "legs", legs);
	sink_put(sink, instance, "lost_legs", count_not(word, "Aa"));
	if (skip_words(&words, 1) && text_word(&words, &word))
		sink_put(sink, instance, "syncing",
			!text_is(word, "idle") && !text_is(word, "frozen"));
}

/* "LEGS DEVICE… SYNCED/ALL 1 AD LOG…": A is alive, S is being filled. */
static void put_mirror(struct sink *sink, const char *instance, struct bytes words)
{
	struct bytes word;
	double legs;

	if (!text_next_number(&words, &legs) || !skip_words(&words, legs + 2) ||
		!text_word(&words, &word) || (double)word.len != legs)
		return;
	sink_put(sink, instance, "legs", legs);
	sink_put(sink, instance, "lost_legs", count_not(word, "AS"));
}

bool parse_dm_target(struct bytes words, struct sink *sink, const char *instance)
{
	static const struct {
		const char *type;
		bool fails; /* "Fail" or "Error" stands for all else */
		void (*put)(struct sink *sink, const char *instance, struct bytes words);
	} table[] = {
		{"thin-pool", true, put_pool},
		{"thin", true, NULL},
		{"cache", true, put_cache},
		{"snapshot", false, put_snapshot},
		{"snapshot-merge", false, put_snapshot},
		{"multipath", false, put_multipath},
		{"raid", false, put_raid},
		{"mirror", false, put_mirror},
	};
	struct bytes type, word, status;
	size_t i;

	if (!text_word(&words, &type))
		return false;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		bool failed;

		if (!text_is(type, table[i].type))
			continue;
		status = words;
		failed = text_word(&status, &word) &&
			(text_is(word, "Fail") || text_is(word, "Error"));
		if (table[i].fails && word.len)
			sink_put(sink, instance, "failed", failed);
		if (table[i].put && !failed)
			table[i].put(sink, instance, words);
		return true;
	}
	return false;
}

bool dm_parse_targets(const void *answer, size_t len,
	void (*each)(void *arg, const char *type, const char *status), void *arg)
{
	const char *data = answer;
	struct dm_target_spec spec;
	struct dm_ioctl head;
	size_t at, start, i;

	if (len < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	start = at = head.data_start;
	for (i = 0; i < head.target_count; i++) {
		if (at > len || len - at <= sizeof(spec))
			return false;
		memcpy(&spec, data + at, sizeof(spec));
		spec.target_type[sizeof(spec.target_type) - 1] = 0;
		if (!memchr(data + at + sizeof(spec), 0, len - at - sizeof(spec)))
			return false;
		each(arg, spec.target_type, data + at + sizeof(spec));
		at = start + spec.next;
	}
	return true;
}

static void add_target(void *arg, const char *type, const char *status)
{
	str_addf(arg, "%s %s\n", type, status);
}

/* Lines of "N TYPE STATUS", or "N -ERRNO". NOFLUSH: a pool is not made to write its books first. */
static void ask(void *arg, size_t number, int fd)
{
	struct dm_ioctl *head = mem_zalloc(ANSWER_BYTES);
	struct str targets = STR_INIT;
	const struct dm *dm = arg;
	struct bytes rest, line;

	head->version[0] = DM_VERSION_MAJOR;
	head->data_size = ANSWER_BYTES;
	head->data_start = sizeof(*head);
	head->flags = DM_NOFLUSH_FLAG;
	snprintf(head->name, sizeof(head->name), "%s", dm->list[number].name);
	if (ioctl(dm->fd, DM_TABLE_STATUS, head)) {
		dprintf(fd, "%zu %d\n", number, -errno);
		free(head);
		return;
	}
	if ((head->flags & DM_BUFFER_FULL_FLAG) ||
		!dm_parse_targets(head, ANSWER_BYTES, add_target, &targets))
		str_clear(&targets);
	rest = (struct bytes){str_text(&targets), targets.len};
	dprintf(fd, "%zu -\n", number); /* a device without a table has no target */
	while (text_line(&rest, &line))
		dprintf(fd, "%zu %.*s\n", number, (int)line.len, line.data);
	str_free(&targets);
	free(head);
}

static int add_device(void *arg, const char *path, const char *star)
{
	struct dm *dm = arg;
	struct dm_device *device;

	(void)path;
	if (dm->n == DEVICES_MAX || strlen(star) >= NAME_BYTES - strlen("dm-"))
		return 0;
	ARRAY_GROW(dm->list, dm->n, dm->room);
	device = &dm->list[dm->n++];
	snprintf(device->instance, sizeof(device->instance), "dm-%s", star);
	*device->name = 0;
	return 0;
}

/* The list is made once, so that a number means the same device in every sample. */
static void know_devices(struct procfs *fs, struct dm *dm)
{
	if (dm->known)
		return;
	dm->known = true;
	procfs_glob(fs, "/sys/block/dm-*/dm/name", add_device, dm);
	dm->hung = mem_zalloc(dm->n + 1);
	dm->dull = mem_zalloc(dm->n + 1);
}

static void put_device(struct procfs *fs, struct dm_device *device, struct sink *sink)
{
	struct bytes text, word;
	char path[128];
	double value;

	if (!*device->name) {
		snprintf(path, sizeof(path), "/sys/block/%s/dm/name", device->instance);
		if (!procfs_read(fs, path, &text) && text_any_line(&text, &word) &&
			!text_copy(word, device->name, sizeof(device->name)))
			*device->name = 0;
	}
	snprintf(path, sizeof(path), "/sys/block/%s/dm/suspended", device->instance);
	if (!procfs_read(fs, path, &text) && parse_value(text, 0, &value))
		sink_put(sink, device->instance, "suspended", value);
	if (*device->name)
		sink_label(sink, device->instance, device->name);
}

static void put_answer(struct dm *dm, struct bytes answer, struct sink *sink)
{
	struct bytes words;
	size_t i;

	for (i = 0; i < dm->n; i++)
		dm->dull[i] = true;
	while (asking_next(&answer, dm->n, &i, &words)) {
		dm->hung[i] = !words.len; /* until something comes */
		if (parse_dm_target(words, sink, dm->list[i].instance))
			dm->dull[i] = false;
	}
}

/* Opened only where there is a device: opening it would load the driver. */
static int ask_kernel(struct procfs *fs, struct dm *dm)
{
	struct asking asking = {.n = dm->n,
		.ask = ask,
		.arg = dm,
		.skip = dm->dull,
		.hung = dm->hung,
		.deadline_ms = DEADLINE_MS};
	struct str answer = STR_INIT;
	int err;

	if (!dm->fd) {
		dm->fd = open(CONTROL, O_RDWR | O_CLOEXEC);
		if (dm->fd < 0)
			dm->fd = -errno;
	}
	err = dm->fd < 0 ? dm->fd : 0;
	if (!err && memchr(dm->dull, false, dm->n)) {
		caps_raise(CAPS_NAMESPACE);
		err = asking_run(&asking, &answer);
		caps_lower(CAPS_NAMESPACE);
	}
	if (err)
		str_addf(&answer, "error %d\n", -err);
	err = procfs_put_blob(fs, BLOB, str_text(&answer), answer.len);
	str_free(&answer);
	return err;
}

/* Why the kernel was not asked, as it was recorded: -errno, or 0. */
static int recorded_error(struct bytes answer)
{
	struct bytes word;
	double number;

	if (!text_word(&answer, &word) || !text_is(word, "error") || !text_line(&answer, &word) ||
		!text_next_number(&word, &number))
		return 0;
	return number > 0 && number < 4096 ? -(int)number : -EBADMSG;
}

static int read_dm(struct procfs *fs, void *state, struct sink *sink)
{
	struct bytes answer = {0};
	struct dm *dm = state;
	size_t i;
	int err = 0;

	know_devices(fs, dm);
	for (i = 0; i < dm->n; i++)
		put_device(fs, &dm->list[i], sink);
	if (dm->n && procfs_is_live(fs))
		err = ask_kernel(fs, dm);
	if (dm->n && !err)
		err = procfs_get_blob(fs, BLOB, &answer);
	if (!err)
		err = recorded_error(answer);
	if (err) {
		sink_missing(sink, "%s: %s", CONTROL,
			err == -EACCES || err == -EPERM ? "needs root" : strerror(-err));
		return err;
	}
	put_answer(dm, answer, sink);
	for (i = 0; i < dm->n; i++)
		if (dm->hung[i])
			sink_missing(sink, "the status of %s hung", dm->list[i].name);
	sink_none(sink);
	return 0;
}

static int open_dm(struct procfs *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct dm));
	return 0;
}

static void close_dm(void *state)
{
	struct dm *dm = state;

	if (dm->fd > 0)
		close(dm->fd);
	free(dm->list);
	free(dm->hung);
	free(dm->dull);
	free(dm);
}

static bool culprit(struct procfs *fs, void *state, const char *instance, struct culprit *out)
{
	const struct dm *dm = state;
	size_t i;

	(void)fs;
	for (i = 0; i < dm->n; i++) {
		if (strcmp(dm->list[i].instance, instance) != 0)
			continue;
		snprintf(out->kind, sizeof(out->kind), "device");
		snprintf(out->name, sizeof(out->name), "%s", dm->list[i].name);
		snprintf(out->id, sizeof(out->id), "%s", instance);
		return true;
	}
	return false;
}

SOURCE(dm) = {
	.name = "dm",
	.what = "device-mapper: how full pools and snapshots are, paths and legs that were lost",
	.open = open_dm,
	.read = read_dm,
	.close = close_dm,
	.culprit = culprit,
};
