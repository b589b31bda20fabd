/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How full are thin pools and snapshots, which paths and legs were lost, what has device-mapper
 * given up? Instances are dm-N, shown by their own names.
 *
 * Most of it only an ioctl tells, and only root. It may wait for the disk that a pool keeps its
 * books on, so a child asks. Devices of which nothing is told (linear, crypt) are asked once.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sources/common/slow_query.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "capture/glob.h"
#include "sources/common/value_files.h"
#include "sources/block/dm_status.h"
#include "sample/source.h"

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
	bool cut; /* there are more than DEVICES_MAX */
};

/* What is told of other targets may have names of people's devices in it, and serves nobody. */
static void add_target(void *arg, const char *type, const char *status)
{
	if (dm_knows_target(type))
		str_addf(arg, "%s %s\n", type, status);
}

/* The rights of root are for the call alone: what it answers is taken apart without them. */
static int ask_status(int fd, struct dm_ioctl *head)
{
	int err = 0;

	caps_raise(CAPS_NAMESPACE);
	if (ioctl(fd, DM_TABLE_STATUS, head))
		err = -errno;
	caps_lower(CAPS_NAMESPACE);
	if (!err && (head->flags & DM_BUFFER_FULL_FLAG))
		err = -ENOBUFS;
	return err;
}

/* Lines of "N TYPE STATUS", or "N -ERRNO". NOFLUSH: a pool is not made to write its books first. */
static void dm_ask(void *arg, size_t number, struct str *answer)
{
	struct dm_ioctl *head = mem_zalloc(ANSWER_BYTES);
	struct str targets = STR_INIT;
	const struct dm *dm = arg;
	struct bytes rest, line;
	int err;

	head->version[0] = DM_VERSION_MAJOR;
	head->data_size = ANSWER_BYTES;
	head->data_start = sizeof(*head);
	head->flags = DM_NOFLUSH_FLAG;
	snprintf(head->name, sizeof(head->name), "%s", dm->list[number].name);
	err = ask_status(dm->fd, head);
	if (!err && !dm_parse_targets(head, ANSWER_BYTES, add_target, &targets))
		err = -EBADMSG;
	if (err) {
		str_clear(&targets);
		str_addf(answer, "%zu %d\n", number, err);
	} else {
		str_addf(answer, "%zu -\n", number); /* there may be no target to tell of */
	}
	rest = (struct bytes){str_text(&targets), targets.len};
	while (text_line(&rest, &line))
		str_addf(answer, "%zu %.*s\n", number, (int)line.len, line.data);
	str_free(&targets);
	free(head);
}

static int dm_add_device(void *arg, const char *path, const char *star)
{
	struct dm *dm = arg;
	struct dm_device *device;

	(void)path;
	dm->cut |= dm->n == DEVICES_MAX;
	if (dm->cut || strlen(star) >= NAME_BYTES - strlen("dm-"))
		return 0;
	ARRAY_GROW(dm->list, dm->n, dm->room);
	device = &dm->list[dm->n++];
	snprintf(device->instance, sizeof(device->instance), "dm-%s", star);
	*device->name = 0;
	return 0;
}

/* The list is made once, so that a number means the same device in every sample. */
static void know_devices(struct capture *fs, struct dm *dm)
{
	if (dm->known)
		return;
	dm->known = true;
	capture_glob(fs, "/sys/block/dm-*/dm/name", dm_add_device, dm);
	dm->hung = mem_zalloc(dm->n + 1);
	dm->dull = mem_zalloc(dm->n + 1);
}

static void dm_put_device(struct capture *fs, struct dm_device *device, struct sink *sink)
{
	struct bytes text, word;
	char path[128];
	double value;

	if (!*device->name) {
		snprintf(path, sizeof(path), "/sys/block/%s/dm/name", device->instance);
		if (!capture_read(fs, path, &text) && text_any_line(&text, &word) &&
			!text_copy(word, device->name, sizeof(device->name)))
			*device->name = 0;
	}
	snprintf(path, sizeof(path), "/sys/block/%s/dm/suspended", device->instance);
	if (!capture_read(fs, path, &text) && parse_value(text, 0, &value))
		sink_put(sink, device->instance, "suspended", value);
	if (*device->name)
		sink_label(sink, device->instance, device->name);
}

/* "-ERRNO" in place of a target. One that has gone since it was listed is no loss. */
static int answered_error(struct bytes words)
{
	double number;

	if (!text_next_number(&words, &number) || number >= 0 || number < -4095)
		return 0;
	return number == -ENXIO ? 0 : (int)number;
}

/* Whether all of them have answered. */
static bool dm_put_answer(struct dm *dm, struct bytes answer, struct sink *sink)
{
	struct bytes words;
	bool all = true;
	size_t i;

	for (i = 0; i < dm->n; i++)
		dm->dull[i] = true;
	while (asking_next(&answer, dm->n, &i, &words)) {
		dm->hung[i] = !words.len; /* until something comes */
		if (parse_dm_target(words, sink, dm->list[i].instance)) {
			dm->dull[i] = false;
		} else if (answered_error(words)) {
			sink_missing(sink, "the status of %s: %s", dm->list[i].name,
				strerror(-answered_error(words)));
			dm->dull[i] = false;
			all = false;
		}
	}
	for (i = 0; i < dm->n; i++) {
		if (!dm->hung[i])
			continue;
		/* Never 0: that would be a number of what nobody could look at. */
		sink_put(sink, dm->list[i].instance, "hung", 1);
		sink_missing(sink, "the status of %s hung", dm->list[i].name);
		all = false;
	}
	return all;
}

static bool is_left_to_ask(const struct dm *dm)
{
	size_t i;

	for (i = 0; i < dm->n; i++)
		if (!dm->dull[i] && !dm->hung[i])
			return true;
	return false;
}

/* Opened only where there is a device: opening it would load the driver. */
static int dm_ask_kernel(struct capture *fs, struct dm *dm)
{
	struct asking asking = {.n = dm->n,
		.ask = dm_ask,
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
	if (!err && is_left_to_ask(dm))
		err = asking_run(&asking, &answer);
	if (err)
		str_addf(&answer, "error %d\n", -err);
	err = capture_put_blob(fs, BLOB, str_text(&answer), answer.len);
	str_free(&answer);
	return err;
}

/* Why the kernel was not asked, as it was recorded: -errno, or 0. */
static int dm_recorded_error(struct bytes answer)
{
	struct bytes word;
	double number;

	if (!text_word(&answer, &word) || !text_is(word, "error") || !text_line(&answer, &word) ||
		!text_next_number(&word, &number))
		return 0;
	return number > 0 && number < 4096 ? -(int)number : -EBADMSG;
}

static int read_dm(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes answer = {0};
	struct dm *dm = state;
	size_t i;
	int err = 0;

	know_devices(fs, dm);
	if (dm->cut)
		sink_missing(sink, "there are more devices of device-mapper than are asked, %d",
			DEVICES_MAX);
	for (i = 0; i < dm->n; i++)
		dm_put_device(fs, &dm->list[i], sink);
	if (dm->n && capture_is_live(fs))
		err = dm_ask_kernel(fs, dm);
	else if (dm->n && !capture_is_replay(fs))
		err = -EOPNOTSUPP;
	if (dm->n && !err)
		err = capture_get_blob(fs, BLOB, &answer);
	if (!err)
		err = dm_recorded_error(answer);
	if (err) {
		sink_missing(sink, "%s: %s", CONTROL,
			err == -EACCES || err == -EPERM ? "needs root" : asking_error(err));
		return err;
	}
	if (dm_put_answer(dm, answer, sink))
		sink_none(sink); /* of a kind that no device was */
	return 0;
}

static int open_dm(struct capture *fs, void **state)
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

static bool dm_culprit(struct capture *fs, void *state, const char *instance, struct culprit *out)
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
	.culprit = dm_culprit,
};
