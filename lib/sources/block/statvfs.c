/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How full is each file system? Instances are mount points; each device is there once. What has no
 * size of its own (proc, cgroup), shows another's (overlay), is full by nature (squashfs), or would
 * be mounted by being asked (autofs) is left out.
 *
 * statvfs on a dead network file system hangs and cannot be interrupted, so a child asks wherever
 * any mount could hang: a fork a sample costs more than all the answers. What it hung in is named,
 * and not asked again in this run.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "sources/common/slow_query.h"
#include "sources/common/parse_text.h"
#include "base/number_map.h"
#include "base/str.h"
#include "base/unit.h"
#include "sample/instances.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/common/mountinfo.h"
#include "sample/source.h"

#define MOUNTS_MAX 1024
#define DEADLINE_MS 2000
#define BLOB "mount"

struct mount {
	size_t point_number, device_number;
	unsigned int major, minor;
	char *point;
	char *type;
	char *device;
	bool asked_read_only; /* by its own options, not those of the file system */
	bool only_view;	      /* read-only here, as in a container; others write to it */
	bool stopped;	      /* an error has ended all writing */
};

/* Where in a list something is that has a number of its own: its place + 1, 0 for nowhere. */
struct mount_places {
	size_t *list;
	size_t n, room;
};

struct mounts {
	struct mount *list;
	size_t n, room;
	struct instances *points; /* all mount points, whether asked or not */
	struct number_map devices;
	struct mount_places by_point, by_device;
	bool *hung;    /* for each of them */
	double *since; /* for each of them: seconds that an earlier run hangs in it, or 0 */
	bool known;
	bool may_hang;		/* any of them, or what a path goes through */
	bool may_hang_for_ever; /* any of those that are asked */
	size_t left_out;	/* beyond MOUNTS_MAX */
};

/* Local ones whose size the kernel has in memory, and its own. */
static bool may_hang(const char *type)
{
	static const char calm[] =
		"binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs ext2 "
		"ext3 ext4 fusectl hugetlbfs mqueue nsfs proc pstore ramfs rootfs securityfs "
		"selinuxfs smackfs squashfs sysfs tmpfs tracefs vfat xfs";

	return !str_matches(type, calm);
}

/* What somebody else answers, who may be gone: not a file system of this kernel's own. */
static bool may_hang_for_ever(const char *type)
{
	static const char local[] = "bcachefs btrfs exfat f2fs jfs ntfs3 overlay zfs";

	return may_hang(type) && !str_matches(type, local);
}

static bool has_no_size(const struct mount_line *mount)
{
	static const char types[] =
		"autofs binfmt_misc bpf cgroup cgroup2 configfs cramfs debugfs devpts devtmpfs "
		"efivarfs erofs fuse.gvfsd-fuse fuse.lxcfs fuse.portal fusectl hugetlbfs iso9660 "
		"mqueue nsfs proc pstore ramfs rootfs rpc_pipefs securityfs selinuxfs smackfs "
		"squashfs sysfs tracefs udf";

	if (!strcmp(mount->type, "overlay"))
		return strcmp(mount->point, "/") != 0;
	return str_matches(mount->type, types);
}

static void free_mount(struct mount *mount)
{
	free(mount->point);
	free(mount->type);
	free(mount->device);
}

static size_t *mount_place(struct mount_places *places, size_t number)
{
	while (places->n <= number) {
		ARRAY_GROW(places->list, places->n, places->room);
		places->list[places->n++] = 0;
	}
	return &places->list[number];
}

/* Lists without device numbers (0:0, as no file system has) have the name alone, which is none
 * where it is not a path. */
static uint64_t mount_device(struct mounts *mounts, const struct mount_line *line)
{
	const char *name = *line->device == '/' ? line->device : line->point;

	if (line->major || line->minor)
		return (uint64_t)line->major << 32 | line->minor;
	return UINT64_MAX - instances_intern(mounts->points, name);
}

static size_t mount_device_number(struct mounts *mounts, const struct mount_line *line)
{
	uint64_t device = mount_device(mounts, line);
	size_t number = mounts->devices.n;

	number_map_add(&mounts->devices, device, number);
	number_map_get(&mounts->devices, device, &number);
	return number;
}

static void mount_set_place(struct mounts *mounts, const struct mount *mount, size_t place)
{
	*mount_place(&mounts->by_point, mount->point_number) = place;
	*mount_place(&mounts->by_device, mount->device_number) = place;
}

static void set_mount(struct mounts *mounts, struct mount *mount, const struct mount_line *line)
{
	mount->point_number = instances_intern(mounts->points, line->point);
	mount->device_number = mount_device_number(mounts, line);
	mount_set_place(mounts, mount, (size_t)(mount - mounts->list) + 1);
	mount->major = line->major;
	mount->minor = line->minor;
	mount->point = mem_strdup(line->point);
	mount->type = mem_strdup(line->type);
	mount->device = mem_strdup(line->device);
	mount->asked_read_only = mount_has_option(line->options, "ro");
	mount->only_view = mount->asked_read_only && mount_has_option(line->super_options, "rw");
	/* ext4 says so since 6.15, and no longer makes the file system read-only since 6.12. */
	mount->stopped = mount_has_option(line->super_options, "emergency_ro") ||
		mount_has_option(line->super_options, "shutdown");
}

/* A later mount on the same point hides the one before. */
static void remove_hidden(struct mounts *mounts, const char *point)
{
	size_t number = instances_intern(mounts->points, point);
	size_t place = *mount_place(&mounts->by_point, number), last = mounts->n;

	if (!place)
		return;
	mount_set_place(mounts, &mounts->list[place - 1], 0);
	free_mount(&mounts->list[place - 1]);
	mounts->n--;
	if (place == last)
		return;
	mounts->list[place - 1] = mounts->list[last - 1];
	mount_set_place(mounts, &mounts->list[place - 1], place);
}

/* Of the mounts of a device the one with the shortest path is what people call it by. */
static void mount_call(struct mounts *mounts, struct mount *known, const struct mount_line *line)
{
	if (strlen(line->point) >= strlen(known->point))
		return;
	mount_set_place(mounts, known, 0);
	free_mount(known);
	set_mount(mounts, known, line);
}

static void add_mount(void *arg, const struct mount_line *line)
{
	struct mounts *mounts = arg;
	size_t place;

	remove_hidden(mounts, line->point);
	mounts->may_hang |= may_hang(line->type);
	if (has_no_size(line))
		return;
	mounts->may_hang_for_ever |= may_hang_for_ever(line->type);
	place = *mount_place(&mounts->by_device, mount_device_number(mounts, line));
	if (place) {
		mount_call(mounts, &mounts->list[place - 1], line);
		return;
	}
	if (mounts->n == MOUNTS_MAX) {
		mounts->left_out++;
		return;
	}
	ARRAY_GROW(mounts->list, mounts->n, mounts->room);
	set_mount(mounts, &mounts->list[mounts->n++], line);
}

/* Values, or the number of an error. */
static void statvfs_ask(void *arg, size_t number, struct str *answer)
{
	const struct mounts *mounts = arg;
	struct statvfs st;

	if (statvfs(mounts->list[number].point, &st)) {
		str_addf(answer, "%zu %d\n", number, -errno);
		return;
	}
	str_addf(answer, "%zu %llu %llu %llu %llu %llu %d\n", number,
		(unsigned long long)st.f_blocks * st.f_frsize,
		(unsigned long long)st.f_bfree * st.f_frsize,
		(unsigned long long)st.f_bavail * st.f_frsize, (unsigned long long)st.f_files,
		(unsigned long long)st.f_ffree, (st.f_flag & ST_RDONLY) != 0);
}

/*
 * Who asks for a read-only mount gets an option of the mount; an error makes the file system itself
 * read-only and leaves that option alone. An overlay without a layer to write to is neither.
 */
static void put_read_only(struct sink *sink, const struct mount *mount, bool read_only)
{
	read_only &= !mount->only_view;
	sink_put(sink, mount->point, "read_only", read_only);
	if (strcmp(mount->type, "overlay") != 0)
		sink_put(sink, mount->point, "forced_read_only",
			mount->stopped || (read_only && !mount->asked_read_only));
}

static void put_mount(struct sink *sink, const struct mount *mount, struct bytes words)
{
	const char *point = mount->point;
	enum { SIZE, FREE, AVAIL, FILES, FILES_FREE, READ_ONLY, VALUES };
	double v[VALUES];
	int i;

	for (i = 0; i < VALUES; i++)
		if (!text_next_number(&words, &v[i]))
			return;
	if (v[SIZE] > 0) {
		sink_put(sink, point, "size_bytes", v[SIZE]);
		sink_put(sink, point, "free_bytes", v[FREE]);
		sink_put(sink, point, "avail_bytes", v[AVAIL]);
	}
	/* btrfs and ZFS have no fixed number of files. */
	if (v[FILES] > 0) {
		sink_put(sink, point, "files", v[FILES]);
		sink_put(sink, point, "files_free", v[FILES_FREE]);
	}
	put_read_only(sink, mount, v[READ_ONLY] > 0);
}

static void statvfs_put_answer(struct mounts *mounts, struct bytes answer, struct sink *sink)
{
	struct bytes words;
	size_t i;

	while (asking_next(&answer, mounts->n, &i, &words)) {
		if (asking_still(words, &mounts->since[i]))
			continue;
		mounts->hung[i] = !words.len; /* until its values come */
		if (words.len)
			put_mount(sink, &mounts->list[i], words);
	}
}

/* The list is made once, so that a number means the same mount in every sample. */
static int know_mounts(struct capture *fs, struct mounts *mounts)
{
	int err;

	if (mounts->known)
		return 0;
	err = mounts_read(fs, add_mount, mounts);
	if (!err)
		mounts->hung = mem_zalloc(mounts->n + 1);
	if (!err)
		mounts->since = mem_zalloc((mounts->n + 1) * sizeof(*mounts->since));
	mounts->known = !err;
	return err;
}

/* A device is the same whatever it is called, and in every namespace. */
static uint64_t statvfs_identity(void *arg, size_t number)
{
	const struct mounts *mounts = arg;
	const struct mount *mount = &mounts->list[number];

	return (uint64_t)mount->major << 32 | mount->minor;
}

static int take_answer(struct capture *fs, struct mounts *mounts, struct bytes *out)
{
	struct asking asking = {.n = mounts->n,
		.calm = !mounts->may_hang,
		.ask = statvfs_ask,
		.arg = mounts,
		.hung = mounts->hung,
		.lock = mounts->may_hang_for_ever ? "statvfs.lock" : NULL,
		.identity = statvfs_identity,
		.since = mounts->since,
		.deadline_ms = DEADLINE_MS};
	struct str answer = STR_INIT;
	int err;

	if (capture_is_replay(fs))
		return capture_get_blob(fs, BLOB, out);
	err = asking_run(&asking, &answer);
	if (!err)
		err = capture_put_blob(fs, BLOB, str_text(&answer), answer.len);
	str_free(&answer);
	return err ? err : capture_get_blob(fs, BLOB, out);
}

static void statvfs_say_hung(const struct mounts *mounts, size_t i, struct sink *sink)
{
	const struct mount *mount = &mounts->list[i];
	struct str since = STR_INIT;

	if (mounts->since[i] > 0) {
		value_for_people(&since, mounts->since[i], UNIT_SECONDS);
		sink_missing(sink,
			"statvfs hung on %s (%s), and still does: a process of an earlier run has "
			"waited there for %s",
			mount->point, mount->device, str_text(&since));
	} else {
		sink_missing(sink, "statvfs hung on %s (%s)", mount->point, mount->device);
	}
	str_free(&since);
}

static int read_mount(struct capture *fs, void *state, struct sink *sink)
{
	struct mounts *mounts = state;
	struct bytes answer;
	size_t i;
	int err;

	if (!capture_is_live(fs) && !capture_is_replay(fs)) {
		sink_missing(sink, "file systems can be asked only on the machine itself");
		return -EOPNOTSUPP;
	}
	err = know_mounts(fs, mounts);
	if (!err)
		err = take_answer(fs, mounts, &answer);
	if (err) {
		sink_missing(sink, "file systems: %s", asking_error(err));
		return err;
	}
	statvfs_put_answer(mounts, answer, sink);
	if (mounts->left_out)
		sink_missing(sink, "only the first %d file systems are asked, %zu are not",
			MOUNTS_MAX, mounts->left_out);
	for (i = 0; i < mounts->n; i++)
		if (mounts->hung[i])
			statvfs_say_hung(mounts, i, sink);
	return 0;
}

static int open_mount(struct capture *fs, void **state)
{
	struct mounts *mounts = mem_zalloc(sizeof(*mounts));

	(void)fs;
	mounts->points = instances_new();
	*state = mounts;
	return 0;
}

static void close_mount(void *state)
{
	struct mounts *mounts = state;
	size_t i;

	for (i = 0; i < mounts->n; i++)
		free_mount(&mounts->list[i]);
	free(mounts->list);
	instances_free(mounts->points);
	number_map_free(&mounts->devices);
	free(mounts->by_point.list);
	free(mounts->by_device.list);
	free(mounts->hung);
	free(mounts->since);
	free(mounts);
}

static const struct mount *find_mount(const struct mounts *mounts, const char *point)
{
	long number = instances_find(mounts->points, point);
	size_t place = number >= 0 && (size_t)number < mounts->by_point.n
		? mounts->by_point.list[number]
		: 0;

	return place ? &mounts->list[place - 1] : NULL;
}

static const char *statvfs_class_of(struct capture *fs, void *state, const char *point)
{
	const struct mount *mount = find_mount(state, point);

	(void)fs;
	return mount ? mount->type : NULL;
}

static bool statvfs_culprit(struct capture *fs, void *state, const char *point, struct culprit *out)
{
	const struct mount *mount = find_mount(state, point);

	(void)fs;
	if (!mount)
		return false;
	snprintf(out->kind, sizeof(out->kind), "device");
	snprintf(out->name, sizeof(out->name), "%s", mount->device);
	snprintf(out->id, sizeof(out->id), "%u:%u", mount->major, mount->minor);
	return true;
}

SOURCE(mount) = {
	.name = "mount",
	.what = "statvfs of each mounted file system: space and files left",
	.open = open_mount,
	.read = read_mount,
	.close = close_mount,
	.class_of = statvfs_class_of,
	.culprit = statvfs_culprit,
};
