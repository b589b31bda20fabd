/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What did each disk do? Fields of /proc/diskstats, instances are the whole disks: what a partition
 * did is in its disk's numbers already. What a disk made of others did is in theirs too, so sums
 * over all are of lowest_read_bytes, which it has none of. Sectors are of 512 bytes whatever the
 * disk's are. Completions are of every kind that this kernel counts, discards and flushes included.
 */
#include "base/banned.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/instances.h"
#include "capture/glob.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/block/diskstats.h"
#include "sample/source.h"

#define SECTOR_BYTES 512.0

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
	WEIGHTED_IO_MS,
	DISCARDS,
	DISCARDS_MERGED,
	DISCARD_SECTORS,
	DISCARD_MS,
	FLUSHES,
	FLUSH_MS,
	COLUMNS
};

/* Discards since Linux 4.18, flushes since 5.5. */
static const char *const names[COLUMNS] = {"reads", "reads_merged", "read_sectors", "read_ms",
	"writes", "writes_merged", "write_sectors", "write_ms", "in_flight", "io_ms",
	"weighted_io_ms", "discards", "discards_merged", "discard_sectors", "discard_ms", "flushes",
	"flush_ms"};

/* Whether the disk is made of others, which have what it reads in their numbers as well. */
static bool is_stacked(const char *disk)
{
	return str_matches(disk, "dm-[0-9]* md[0-9_]* bcache[0-9]* drbd[0-9]* zd[0-9]* loop[0-9]*");
}

static void put_disk(struct sink *sink, const char *disk, struct bytes words)
{
	double v[COLUMNS], value;
	size_t n = 0;

	while (n < COLUMNS && text_next_number(&words, &value)) {
		v[n] = value;
		sink_put(sink, disk, names[n], value);
		n++;
	}
	if (n > READ_SECTORS) {
		sink_put(sink, disk, "read_bytes", v[READ_SECTORS] * SECTOR_BYTES);
		sink_put(sink, disk, "lowest_read_bytes",
			is_stacked(disk) ? 0 : v[READ_SECTORS] * SECTOR_BYTES);
	}
	if (n > WRITE_SECTORS)
		sink_put(sink, disk, "write_bytes", v[WRITE_SECTORS] * SECTOR_BYTES);
	if (n > WRITES) {
		sink_put(sink, disk, "ios", v[READS] + v[WRITES]);
		sink_put(sink, disk, "completions",
			v[READS] + v[WRITES] + (n > DISCARDS ? v[DISCARDS] : 0) +
				(n > FLUSHES ? v[FLUSHES] : 0));
	}
}

void parse_diskstats(struct bytes text, struct sink *sink,
	bool (*whole)(void *arg, const char *device), void *arg)
{
	struct bytes line, word;
	char device[64];
	double number;

	while (text_line(&text, &line)) {
		if (!text_next_number(&line, &number) || !text_next_number(&line, &number) ||
			!text_word(&line, &word) || !text_copy(word, device, sizeof(device)))
			continue;
		if (!whole || whole(arg, device))
			put_disk(sink, device, line);
	}
}

/* What is known of each device. */
struct disks {
	struct capture *fs;
	struct instances *names;
	bool *whole; /* by the number of the name */
	size_t n, room;
};

/* A file below a disk's directory; sysfs has '!' where a name has '/'. */
static void disk_path(char *buf, size_t size, const char *disk, const char *file)
{
	char *at, *name = mem_strdup(disk);

	for (at = name; *at; at++)
		if (*at == '/')
			*at = '!';
	snprintf(buf, size, "/sys/block/%s%s", name, file);
	free(name);
}

/* Only whole disks have a directory of their own in /sys/block. */
static bool diskstats_is_whole_disk(void *arg, const char *name)
{
	struct disks *disks = arg;
	size_t i = instances_intern(disks->names, name);
	char path[128];

	if (i == disks->n) {
		disk_path(path, sizeof(path), name, "");
		ARRAY_GROW(disks->whole, disks->n, disks->room);
		disks->whole[disks->n++] = capture_exists(disks->fs, path);
	}
	return disks->whole[i];
}

static int open_diskstats(struct capture *fs, void **state)
{
	struct disks *disks = mem_zalloc(sizeof(*disks));

	disks->fs = fs;
	disks->names = instances_new();
	*state = disks;
	return 0;
}

static void close_diskstats(void *state)
{
	struct disks *disks = state;

	instances_free(disks->names);
	free(disks->whole);
	free(disks);
}

static int read_diskstats(struct capture *fs, void *state, struct sink *sink)
{
	struct disks *disks = state;
	struct bytes text;
	int err = capture_read(fs, "/proc/diskstats", &text);

	if (err == -ENOENT) {
		sink_absent(sink, "no /proc/diskstats here");
		return 0;
	}
	if (err) {
		sink_missing(sink, "/proc/diskstats: %s", strerror(-err));
		return err;
	}
	if (!text.len)
		sink_absent(sink, "no block device is here");
	parse_diskstats(text, sink, diskstats_is_whole_disk, disks);
	return 0;
}

/* Whether a small file has one of these texts in it. */
static bool small_file_has(struct capture *fs, const char *path, const char *patterns)
{
	struct bytes bytes;
	char text[128];

	if (capture_read_once(fs, path, &bytes))
		return false;
	while (bytes.len && strchr(" \n", bytes.data[bytes.len - 1]))
		bytes.len--;
	return text_copy(bytes, text, sizeof(text)) && str_matches(text, patterns);
}

static bool file_has(struct capture *fs, const char *disk, const char *file, const char *patterns)
{
	char path[128];

	disk_path(path, sizeof(path), disk, file);
	return small_file_has(fs, path, patterns);
}

struct fabric {
	struct capture *fs;
	bool found;
};

static int fabric_look(void *arg, const char *path, const char *star)
{
	struct fabric *fabric = arg;

	(void)star;
	fabric->found = small_file_has(fabric->fs, path, "tcp rdma fc");
	return fabric->found;
}

/* An NVMe namespace is of a controller, or with multipath of a subsystem that has several. */
static bool is_over_fabric(struct capture *fs, const char *disk)
{
	struct fabric fabric = {fs, false};
	char pattern[128];

	if (file_has(fs, disk, "/device/transport", "*"))
		return file_has(fs, disk, "/device/transport", "tcp rdma fc");
	disk_path(pattern, sizeof(pattern), disk, "/device/nvme*/transport");
	capture_glob(fs, pattern, fabric_look, &fabric);
	return fabric.found;
}

/* Of SCSI the way to the disk tells: .../host2/session1/target2:0:0/2:0:0:1/block/sdb is iSCSI. */
static bool is_over_network(struct capture *fs, const char *disk)
{
	char path[128], target[256];

	if (str_starts(disk, "nvme"))
		return is_over_fabric(fs, disk);
	disk_path(path, sizeof(path), disk, "");
	return !capture_readlink(fs, path, target, sizeof(target)) && strstr(target, "/session");
}

/* Disks that a hypervisor or a network stands behind, whatever they say of their rotation. */
static bool is_virtual(struct capture *fs, const char *disk)
{
	if (str_matches(disk, "vd* xvd* rbd* nbd*"))
		return true;
	if (file_has(fs, disk, "/device/model",
		    "Amazon?Elastic?Block?Store* QEMU* *irtual* VBOX* PersistentDisk* "
		    "nvme_card-pd* MSFT?NVMe?Accelerator*"))
		return true;
	if (is_over_network(fs, disk))
		return true;
	return file_has(fs, disk, "/device/vendor", "QEMU* VMware* Msft* Google* VBOX* Virt*");
}

static const char *diskstats_class_of(struct capture *fs, void *state, const char *disk)
{
	static const char *const by_name[][2] = {{"loop[0-9]*", "loop"}, {"zram[0-9]*", "zram"},
		{"ram[0-9]*", "ram"}, {"dm-[0-9]*", "dm"}, {"md*", "md"}, {"sr[0-9]*", "optical"},
		{"mmcblk[0-9]*", "mmc"}, {"drbd[0-9]*", "drbd"}, {"zd[0-9]*", "zvol"}};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(by_name); i++)
		if (!fnmatch(by_name[i][0], disk, 0))
			return by_name[i][1];
	if (is_virtual(fs, disk))
		return "virtual";
	if (str_starts(disk, "nvme"))
		return "nvme";
	if (file_has(fs, disk, "/queue/rotational", "0"))
		return "ssd";
	return file_has(fs, disk, "/queue/rotational", "1") ? "hdd" : NULL;
}

static bool diskstats_culprit(
	struct capture *fs, void *state, const char *disk, struct culprit *out)
{
	char path[128];
	struct bytes number;

	(void)state;
	snprintf(out->kind, sizeof(out->kind), "device");
	snprintf(out->name, sizeof(out->name), "%s", disk);
	disk_path(path, sizeof(path), disk, "/dev");
	if (!capture_read_once(fs, path, &number) && number.len) {
		number.len--;
		if (!text_copy(number, out->id, sizeof(out->id)))
			*out->id = 0;
	}
	return true;
}

SOURCE(diskstats) = {
	.name = "diskstats",
	.what = "/proc/diskstats: what each whole disk did",
	.open = open_diskstats,
	.read = read_diskstats,
	.close = close_diskstats,
	.class_of = diskstats_class_of,
	.culprit = diskstats_culprit,
};
