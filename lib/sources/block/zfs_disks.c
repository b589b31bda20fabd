/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What did the disks do that hold the cache of ZFS (L2ARC), and those of its pools? Instances are
 * whole disks, in names that a trace has too; what counts of each is the partition, or the disk
 * itself, that has a label of ZFS. Counters begin with 0 in the first sample.
 *
 * No file of the kernel says which disk a cache is on. The label does (zfs_label.h). It is read
 * once of each device that was busy since the first sample, so that no disk is woken, by a child,
 * since one that is ill may not answer; and only while there is an L2ARC at all. The blob
 * "zfs-labels" has a line "DEVICE DISK ROLE" for each device that is known, ROLE being cache, pool
 * or other; "." is none. A cache that is a plain file has no device, and is not found.
 */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/culprit.h"
#include "base/str.h"
#include "capture/capture.h"
#include "sample/instances.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/block/zfs_label.h"
#include "sources/common/parse_text.h"
#include "sources/common/slow_query.h"
#include "sources/common/value_files.h"
#include "sys/caps.h"

#define BLOB "zfs-labels"
#define ARCSTATS "/proc/spl/kstat/zfs/arcstats"
#define NAME_BYTES 64
#define DEADLINE_MS 2000
#define SECTOR_BYTES 512.0

/* Columns of /proc/diskstats behind the name. */
enum {
	READS,
	READS_MERGED,
	READ_SECTORS,
	READ_MS,
	WRITES,
	WRITES_MERGED,
	WRITE_SECTORS,
	WRITE_MS,
	IN_FLIGHT,
	IO_MS,
	COLUMNS
};

struct zfs_device {
	char name[NAME_BYTES];
	double first[COLUMNS], now[COLUMNS];
	double major, minor;
	bool counted; /* first is known */
	bool asked;   /* its label was read, or cannot be */
	enum zfs_role role;
};

struct zfs_devices {
	struct instances *names; /* as numbered in list */
	struct zfs_device *list;
	size_t n, room;
	size_t samples;
	bool refused; /* a label could not be read for want of the right to */
};

/* What the devices on one disk did together. */
struct zfs_disk {
	char name[NAME_BYTES];
	double cache[COLUMNS], pool[COLUMNS];
	bool has_cache, has_pool;
};

static const char *const roles[] = {
	[ZFS_NONE] = "none", [ZFS_POOL] = "pool", [ZFS_CACHE] = "cache", [ZFS_OTHER] = "other"};

static int zfsdisks_open(struct capture *fs, void **out)
{
	struct zfs_devices *devices = mem_zalloc(sizeof(*devices));

	(void)fs;
	devices->names = instances_new();
	*out = devices;
	return 0;
}

static void zfsdisks_close(void *state)
{
	struct zfs_devices *devices = state;

	instances_free(devices->names);
	free(devices->list);
	free(devices);
}

static struct zfs_device *zfsdisks_device(struct zfs_devices *devices, const char *name)
{
	size_t i = instances_intern(devices->names, name);

	if (i == devices->n) {
		ARRAY_GROW(devices->list, devices->n, devices->room);
		devices->list[devices->n] = (struct zfs_device){0};
		snprintf(devices->list[devices->n++].name, NAME_BYTES, "%s", name);
	}
	return &devices->list[i];
}

/* "MAJOR MINOR NAME NUMBER…": what is no disk, or made of none, has no label. */
static void zfsdisks_take_line(struct zfs_devices *devices, struct bytes line)
{
	struct zfs_device *device;
	double major, minor;
	char name[NAME_BYTES];
	struct bytes word;
	size_t i;

	if (!text_next_number(&line, &major) || !text_next_number(&line, &minor) ||
		!text_word(&line, &word) || !text_copy(word, name, sizeof(name)) ||
		str_matches(name, "ram* zram* zd* sr* fd*"))
		return;
	device = zfsdisks_device(devices, name);
	device->major = major;
	device->minor = minor;
	for (i = 0; i < COLUMNS && text_next_number(&line, &device->now[i]); i++)
		;
	if (!device->counted)
		memcpy(device->first, device->now, sizeof(device->first));
	device->counted = true;
}

static bool zfsdisks_was_busy(const struct zfs_device *device)
{
	return device->now[READS] > device->first[READS] ||
		device->now[WRITES] > device->first[WRITES];
}

static void zfsdisks_ask(void *arg, size_t number, struct str *answer)
{
	const struct zfs_device *device = &((const struct zfs_devices *)arg)->list[number];
	char *path = mem_printf("/dev/%s", device->name), *at;
	char label[ZFS_LABEL_BYTES];
	enum zfs_role role = ZFS_NONE;
	struct stat st;
	ssize_t n = 0;
	int fd;

	for (at = path; *at; at++)
		if (*at == '!')
			*at = '/';
	caps_raise(CAPS_READ);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	caps_lower(CAPS_READ);
	if (fd < 0)
		str_addf(answer, "%zu error %d\n", number, errno);
	else if (!fstat(fd, &st) && S_ISBLK(st.st_mode) && major(st.st_rdev) == device->major &&
		minor(st.st_rdev) == device->minor)
		n = pread(fd, label, sizeof(label), ZFS_LABEL_AT);
	if (n > 0)
		role = zfs_label_role(label, (size_t)n);
	if (fd >= 0) {
		str_addf(answer, "%zu %s\n", number, roles[role]);
		close(fd);
	}
	free(path);
}

static enum zfs_role zfsdisks_role(struct bytes word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(roles); i++)
		if (text_is(word, roles[i]))
			return (enum zfs_role)i;
	return ZFS_NONE;
}

static void zfsdisks_take_answer(struct zfs_devices *devices, struct bytes answer)
{
	struct bytes words, word;
	size_t i;

	while (asking_next(&answer, devices->n, &i, &words)) {
		double error;

		if (!text_word(&words, &word))
			continue;
		devices->list[i].role = zfsdisks_role(word);
		if (text_is(word, "error") && text_next_number(&words, &error))
			devices->refused |= error == EACCES || error == EPERM;
	}
}

/* Reads the labels of what was busy and has not been asked. */
static void zfsdisks_read_labels(struct zfs_devices *devices)
{
	struct asking asking = {.n = devices->n,
		.ask = zfsdisks_ask,
		.arg = devices,
		.skip = mem_zalloc(devices->n + 1),
		.hung = mem_zalloc(devices->n + 1),
		.deadline_ms = DEADLINE_MS};
	struct str answer = STR_INIT;
	bool any = false;
	size_t i;

	for (i = 0; i < devices->n; i++) {
		struct zfs_device *device = &devices->list[i];

		asking.skip[i] = device->asked || !zfsdisks_was_busy(device);
		device->asked |= !asking.skip[i];
		any |= !asking.skip[i];
	}
	if (any && !asking_run(&asking, &answer))
		zfsdisks_take_answer(devices, (struct bytes){str_text(&answer), answer.len});
	str_free(&answer);
	free(asking.skip);
	free(asking.hung);
}

/* The disk that a partition is of: sda of sda1, nvme0n1 of nvme0n1p1, loop6 of loop6p1. */
static void zfsdisks_whole(struct capture *fs, const char *device, char *disk)
{
	size_t len = strlen(device);
	char path[NAME_BYTES + 16];

	snprintf(disk, NAME_BYTES, "%s", device);
	snprintf(path, sizeof(path), "/sys/block/%s", device);
	if (capture_exists(fs, path))
		return;
	while (len && isdigit((unsigned char)device[len - 1]))
		len--;
	if (len > 1 && device[len - 1] == 'p' && isdigit((unsigned char)device[len - 2]))
		len--;
	if (len)
		disk[len] = 0;
}

static int zfsdisks_put_blob(struct capture *fs, const struct zfs_devices *devices)
{
	struct str text = STR_INIT;
	char disk[NAME_BYTES];
	size_t i;
	int err;

	for (i = 0; i < devices->n; i++) {
		const struct zfs_device *device = &devices->list[i];

		if (device->role == ZFS_NONE)
			continue;
		zfsdisks_whole(fs, device->name, disk);
		str_addf(&text, "%s %s %s\n", device->name, disk, roles[device->role]);
	}
	if (devices->refused)
		str_add(&text, "refused\n");
	if (!text.len)
		str_add(&text, ".\n");
	err = capture_put_blob(fs, BLOB, text.text, text.len);
	str_free(&text);
	return err;
}

static void zfsdisks_add(double *sum, const struct zfs_device *device)
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		if (device->now[i] > device->first[i])
			sum[i] += device->now[i] - device->first[i];
}

static void zfsdisks_put_part(
	struct sink *sink, const char *disk, const char *part, const double *sum)
{
	static const struct {
		const char *name;
		int column;
	} fields[] = {{"reads", READS}, {"read_ms", READ_MS}, {"writes", WRITES},
		{"write_ms", WRITE_MS}, {"io_ms", IO_MS}};
	char field[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		snprintf(field, sizeof(field), "%s_%s", part, fields[i].name);
		sink_put(sink, disk, field, sum[fields[i].column]);
	}
	snprintf(field, sizeof(field), "%s_bytes", part);
	sink_put(sink, disk, field, (sum[READ_SECTORS] + sum[WRITE_SECTORS]) * SECTOR_BYTES);
}

/* What the whole disk did is that of all that is on it. */
static void zfsdisks_put_disk(
	struct sink *sink, const struct zfs_devices *devices, const struct zfs_disk *disk)
{
	long whole = instances_find(devices->names, disk->name);
	double all[COLUMNS] = {0};

	if (disk->has_cache)
		zfsdisks_put_part(sink, disk->name, "cache", disk->cache);
	if (disk->has_pool)
		zfsdisks_put_part(sink, disk->name, "pool", disk->pool);
	if (whole < 0)
		return;
	zfsdisks_add(all, &devices->list[whole]);
	zfsdisks_put_part(sink, disk->name, "disk", all);
}

/* In the first sample no label is known, and nothing was done since: any disk may be one of them.
 */
static void zfsdisks_put_first(struct sink *sink, const struct zfs_devices *devices)
{
	const double nothing[COLUMNS] = {0};
	size_t i;

	for (i = 0; i < devices->n; i++) {
		zfsdisks_put_part(sink, devices->list[i].name, "cache", nothing);
		zfsdisks_put_part(sink, devices->list[i].name, "pool", nothing);
		zfsdisks_put_part(sink, devices->list[i].name, "disk", nothing);
	}
}

/* Takes a line of the blob, if it is of a device that there is. */
static void zfsdisks_take_label(struct bytes line, struct zfs_devices *devices,
	struct zfs_disk *disks, size_t *n, size_t room)
{
	char device[NAME_BYTES], name[NAME_BYTES];
	struct bytes word;
	enum zfs_role role;
	struct zfs_disk *disk;
	long known;
	size_t i;

	if (!text_word(&line, &word) || !text_copy(word, device, sizeof(device)) ||
		!text_word(&line, &word) || !text_copy(word, name, sizeof(name)) ||
		!text_word(&line, &word))
		return;
	role = zfsdisks_role(word);
	known = instances_find(devices->names, device);
	if (known < 0 || (role != ZFS_CACHE && role != ZFS_POOL))
		return;
	for (i = 0; i < *n && strcmp(disks[i].name, name) != 0; i++)
		;
	if (i == room)
		return;
	disk = &disks[i];
	if (i == *n)
		snprintf(disks[(*n)++].name, NAME_BYTES, "%s", name);
	disk->has_cache |= role == ZFS_CACHE;
	disk->has_pool |= role == ZFS_POOL;
	zfsdisks_add(role == ZFS_CACHE ? disk->cache : disk->pool, &devices->list[known]);
}

static void zfsdisks_put(struct sink *sink, struct zfs_devices *devices, struct bytes text)
{
	struct zfs_disk *disks = mem_zalloc((devices->n + 1) * sizeof(*disks));
	bool refused = false, cache = false;
	struct bytes line;
	size_t n = 0, i;

	while (text_line(&text, &line)) {
		refused |= text_is(line, "refused");
		zfsdisks_take_label(line, devices, disks, &n, devices->n);
	}
	for (i = 0; i < n; i++) {
		cache |= disks[i].has_cache;
		zfsdisks_put_disk(sink, devices, &disks[i]);
	}
	if (!cache && refused)
		sink_missing(sink,
			"to read the labels of ZFS, which say what disk its cache is on, "
			"needs CAP_DAC_READ_SEARCH");
	else if (!cache)
		sink_missing(sink,
			"no busy disk has the label of a cache of ZFS: it may be idle, "
			"or a plain file");
	free(disks);
}

/* Whether there is anything in an L2ARC. */
static bool zfsdisks_has_cache(struct capture *fs)
{
	struct bytes text;
	double size = 0;

	return !capture_read(fs, ARCSTATS, &text) && parse_named_value(text, "l2_size", &size) &&
		size > 0;
}

static int zfsdisks_read(struct capture *fs, void *state, struct sink *sink)
{
	struct zfs_devices *devices = state;
	struct bytes text, line, blob;
	int err;

	if (!zfsdisks_has_cache(fs)) {
		sink_absent(sink, "no cache device (L2ARC) is in use");
		return 0;
	}
	err = capture_read(fs, "/proc/diskstats", &text);
	if (err) {
		sink_missing(sink, "/proc/diskstats: %s", strerror(-err));
		return err;
	}
	while (text_line(&text, &line))
		zfsdisks_take_line(devices, line);
	if (!devices->samples++) {
		zfsdisks_put_first(sink, devices);
		return 0;
	}
	if (capture_is_live(fs)) {
		zfsdisks_read_labels(devices);
		zfsdisks_put_blob(fs, devices);
	}
	err = capture_get_blob(fs, BLOB, &blob);
	if (err)
		sink_missing(sink,
			"the recording does not say which disks are those of ZFS: an older "
			"Tuesday made it");
	else
		zfsdisks_put(sink, devices, blob);
	return 0;
}

static bool zfsdisks_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	(void)fs;
	(void)state;
	snprintf(out->kind, sizeof(out->kind), "device");
	snprintf(out->name, sizeof(out->name), "%s", instance);
	return true;
}

SOURCE(zfs_disk) = {
	.name = "zfs/disk",
	.what = "disks with the cache (L2ARC) of ZFS or its pools on them: what these did, and the "
		"whole disk",
	.open = zfsdisks_open,
	.close = zfsdisks_close,
	.read = zfsdisks_read,
	.culprit = zfsdisks_culprit,
	.fleeting = true,
};
