/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How do disks say that they are? Instances are NVMe controllers and SATA disks. They are asked in
 * the first sample of a run only: a SATA disk finishes what it has queued before it answers, and
 * the numbers change in days. A disk that sleeps is not woken.
 *
 * The blob "smart" has lines of "NUMBER NAME VALUE", NUMBER counting the disks as they are listed.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "sources/common/slow_query.h"
#include "sources/block/disk_ioctl.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "capture/glob.h"
#include "sources/common/value_files.h"
#include "sample/source.h"

#define BLOB "smart"
#define DISKS_MAX 1024
#define NAME_BYTES 64
/* A disk answers in a tenth of a second, after all that it had to write before. */
#define DEADLINE_MS 10000
#define DEADLINE_EACH_MS 200

struct disk {
	char name[NAME_BYTES];
	char model[NAME_BYTES];
	bool nvme, rotates, asleep;
	bool suspended; /* the kernel would start it again for a question */
	int error;	/* why it could not be asked, -errno */
};

struct disks {
	struct disk *list;
	size_t n, room;
	bool *hung, *skip; /* for each of them */
	bool known;
	bool cut;     /* there are more than DISKS_MAX */
	char *answer; /* of the first sample */
};

static void smart_ask(void *arg, size_t number, struct str *answer)
{
	const struct disks *disks = arg;
	const struct disk *disk = &disks->list[number];
	char *path = mem_printf("/dev/%s", disk->name);
	size_t before = answer->len;
	int err, disk_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (disk_fd < 0)
		err = -errno;
	else if (disk->nvme)
		err = disk_ask_nvme(disk_fd, number, answer);
	else
		err = disk_ask_ata(disk_fd, disk->rotates, number, answer);
	if (err || answer->len == before)
		str_addf(answer, "%zu error %d\n", number, err ? -err : EOPNOTSUPP);
	if (disk_fd >= 0)
		close(disk_fd);
	free(path);
}

static struct disk *smart_add_disk(struct disks *disks, const char *name)
{
	struct disk *disk;

	disks->cut |= disks->n == DISKS_MAX;
	if (disks->cut || strlen(name) >= NAME_BYTES)
		return NULL;
	ARRAY_GROW(disks->list, disks->n, disks->room);
	disk = &disks->list[disks->n++];
	memset(disk, 0, sizeof(*disk));
	snprintf(disk->name, sizeof(disk->name), "%s", name);
	return disk;
}

struct finding {
	struct capture *fs;
	struct disks *disks;
};

static void read_model(struct capture *fs, struct disk *disk, const char *path)
{
	struct bytes text, line;

	if (capture_read(fs, path, &text) || !text_any_line(&text, &line))
		return;
	while (text_cut_end(&line, " "))
		;
	if (!text_copy(line, disk->model, sizeof(disk->model)))
		*disk->model = 0;
}

/* A disk that the kernel has suspended is started by being opened. */
static void read_power(struct capture *fs, struct disk *disk)
{
	struct bytes text, line;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s/device/power/runtime_status",
		disk->nvme ? "/sys/class/nvme" : "/sys/block", disk->name);
	disk->suspended = !capture_read(fs, path, &text) && text_any_line(&text, &line) &&
		(text_is(line, "suspended") || text_is(line, "suspending"));
}

static int find_nvme(void *arg, const char *path, const char *star)
{
	struct finding *finding = arg;
	struct disk *disk = smart_add_disk(finding->disks, star);

	if (!disk)
		return 0;
	disk->nvme = true;
	read_model(finding->fs, disk, path);
	read_power(finding->fs, disk);
	return 0;
}

static int find_sata(void *arg, const char *path, const char *star)
{
	struct finding *finding = arg;
	char name[NAME_BYTES], other[128];
	struct bytes text, word;
	struct disk *disk;
	double rotates;

	if (capture_read(finding->fs, path, &text) || !text_any_line(&text, &word) ||
		!text_word(&word, &text) || !text_is(text, "ATA") ||
		snprintf(name, sizeof(name), "sd%s", star) >= (int)sizeof(name))
		return 0;
	disk = smart_add_disk(finding->disks, name);
	if (!disk)
		return 0;
	snprintf(other, sizeof(other), "/sys/block/%s/device/model", name);
	read_model(finding->fs, disk, other);
	read_power(finding->fs, disk);
	snprintf(other, sizeof(other), "/sys/block/%s/queue/rotational", name);
	disk->rotates = capture_read(finding->fs, other, &text) ||
		!parse_value(text, 0, &rotates) || rotates > 0;
	return 0;
}

/* The list is made once, so that a number means the same disk in every sample. */
static void know_disks(struct capture *fs, struct disks *disks)
{
	struct finding finding = {fs, disks};
	size_t i;

	if (disks->known)
		return;
	disks->known = true;
	capture_glob(fs, "/sys/class/nvme/*/model", find_nvme, &finding);
	capture_glob(fs, "/sys/block/sd*/device/vendor", find_sata, &finding);
	disks->hung = mem_zalloc(disks->n + 1);
	disks->skip = mem_zalloc(disks->n + 1);
	for (i = 0; i < disks->n; i++)
		disks->skip[i] = disks->list[i].suspended;
}

/* Asks in the first sample, and says the same again in the others. */
static int smart_ask_kernel(struct capture *fs, struct disks *disks)
{
	struct asking asking = {.n = disks->n,
		.ask = smart_ask,
		.arg = disks,
		.skip = disks->skip,
		.hung = disks->hung,
		.deadline_ms = DEADLINE_MS + DEADLINE_EACH_MS * (int)disks->n};
	struct str answer = STR_INIT;
	int err = 0;

	if (!disks->answer) {
		err = asking_run(&asking, &answer);
		disks->answer = mem_strdup(str_text(&answer));
		str_free(&answer);
	}
	if (!err)
		err = capture_put_blob(fs, BLOB, disks->answer, strlen(disks->answer));
	return err;
}

static void smart_put_field(struct disk *disk, struct bytes words, struct sink *sink)
{
	struct bytes word;
	char name[NAME_BYTES];
	double value;

	if (!text_word(&words, &word) || !text_copy(word, name, sizeof(name)) ||
		!text_next_number(&words, &value))
		return;
	if (!strcmp(name, "error"))
		disk->error = value > 0 && value < 4096 ? -(int)value : -EBADMSG;
	else
		sink_put(sink, disk->name, name, value);
	if (!strcmp(name, "asleep"))
		disk->asleep = true;
}

static void smart_put_answer(struct disks *disks, struct bytes answer, struct sink *sink)
{
	char label[2 * NAME_BYTES + 4];
	struct bytes words;
	size_t i;

	while (asking_next(&answer, disks->n, &i, &words)) {
		disks->hung[i] = !words.len; /* until something comes */
		smart_put_field(&disks->list[i], words, sink);
	}
	for (i = 0; i < disks->n; i++) {
		const struct disk *disk = &disks->list[i];

		if (!*disk->model)
			continue;
		snprintf(label, sizeof(label), "%s (%s)", disk->name, disk->model);
		sink_label(sink, disk->name, label);
	}
}

static void smart_say_missing(const struct disks *disks, struct sink *sink)
{
	size_t i;

	if (disks->cut)
		sink_missing(sink, "there are more disks than are asked, %d", DISKS_MAX);
	if (!disks->n)
		sink_missing(sink, "no NVMe or SATA disk here that could be asked");
	for (i = 0; i < disks->n; i++) {
		const struct disk *disk = &disks->list[i];

		if (disks->hung[i]) {
			sink_missing(sink, "%s did not answer in time", disk->name);
			sink_put(sink, disk->name, "hung", 1);
		} else if (disk->error == -EACCES || disk->error == -EPERM) {
			sink_missing(sink, "to ask %s how it is needs root", disk->name);
		} else if (disk->error) {
			sink_missing(sink, "%s does not say how it is: %s", disk->name,
				strerror(-disk->error));
		} else if (disk->asleep || disk->suspended) {
			sink_missing(sink, "%s sleeps, and was not woken", disk->name);
		}
	}
}

static int read_smart(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes answer = {0};
	struct disks *disks = state;
	int err = 0;

	know_disks(fs, disks);
	if (disks->n && capture_is_live(fs))
		err = smart_ask_kernel(fs, disks);
	if (disks->n && !err)
		err = capture_get_blob(fs, BLOB, &answer);
	if (err) {
		sink_missing(sink, "how the disks are: %s", asking_error(err));
		return err;
	}
	smart_put_answer(disks, answer, sink);
	smart_say_missing(disks, sink);
	return 0;
}

static int open_smart(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct disks));
	return 0;
}

static void close_smart(void *state)
{
	struct disks *disks = state;

	free(disks->list);
	free(disks->hung);
	free(disks->skip);
	free(disks->answer);
	free(disks);
}

static bool smart_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct disks *disks = state;
	size_t i;

	(void)fs;
	for (i = 0; i < disks->n; i++) {
		if (strcmp(disks->list[i].name, instance) != 0)
			continue;
		snprintf(out->kind, sizeof(out->kind), "device");
		snprintf(out->name, sizeof(out->name), "%s", instance);
		snprintf(out->id, sizeof(out->id), "%.*s", (int)sizeof(out->id) - 1,
			disks->list[i].model);
		return true;
	}
	return false;
}

SOURCE(smart) = {
	.name = "smart",
	.what = "NVMe and SATA disks: what they say of their own health, asked once a run",
	.open = open_smart,
	.read = read_smart,
	.close = close_smart,
	.culprit = smart_culprit,
};
