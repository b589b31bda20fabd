/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does Amazon hold a volume of this machine back? Instances are NVMe controllers that are volumes
 * of EBS, or disks of an instance's own host. Fields are those of amazon_write_stats. Each sample
 * asks each of them for one page, in a child, since the answer may not come.
 *
 * The blob "ebs" has lines of "NUMBER NAME VALUE", NUMBER counting the controllers as they are
 * listed.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/capture.h"
#include "capture/glob.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/block/disk_ioctl.h"
#include "sources/common/parse_text.h"
#include "sources/common/slow_query.h"

#define BLOB "ebs"
/* An instance takes 128 volumes at most. */
#define VOLUMES_MAX 256
#define DEADLINE_MS 2000

struct volume {
	char name[32]; /* "nvme1" */
	int error;     /* why it could not be asked, -errno */
};

struct volumes {
	struct capture *fs;
	struct volume *list;
	size_t n, room;
	bool *hung; /* for each of them */
	bool known;
};

static int open_ebs(struct capture *fs, void **state)
{
	struct volumes *volumes = mem_zalloc(sizeof(*volumes));

	volumes->fs = fs;
	*state = volumes;
	return 0;
}

static int ebs_add_volume(void *arg, const char *path, const char *star)
{
	struct volumes *volumes = arg;
	struct volume *volume;
	struct bytes text, line;

	if (capture_read_once(volumes->fs, path, &text) || !text_any_line(&text, &line) ||
		!text_starts(line, "Amazon E") || strlen(star) >= sizeof(volume->name))
		return 0;
	ARRAY_GROW(volumes->list, volumes->n, volumes->room);
	volume = &volumes->list[volumes->n++];
	memset(volume, 0, sizeof(*volume));
	snprintf(volume->name, sizeof(volume->name), "%s", star);
	return volumes->n == VOLUMES_MAX;
}

static void ebs_ask(void *arg, size_t number, struct str *answer)
{
	const struct volumes *volumes = arg;
	char *path = mem_printf("/dev/%s", volumes->list[number].name);
	size_t before = answer->len;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int err = fd < 0 ? -errno : disk_ask_amazon(fd, number, answer);

	if (err || answer->len == before)
		str_addf(answer, "%zu error %d\n", number, err ? -err : EOPNOTSUPP);
	if (fd >= 0)
		close(fd);
	free(path);
}

static int ebs_ask_all(struct capture *fs, struct volumes *volumes)
{
	struct asking asking = {.n = volumes->n,
		.ask = ebs_ask,
		.arg = volumes,
		.hung = volumes->hung,
		.deadline_ms = DEADLINE_MS};
	struct str answer = STR_INIT;
	int err = asking_run(&asking, &answer);

	if (!err)
		err = capture_put_blob(fs, BLOB, str_text(&answer), answer.len);
	str_free(&answer);
	return err;
}

static void ebs_put_field(struct volume *volume, struct bytes words, struct sink *sink)
{
	struct bytes word;
	char name[32];
	double value;

	if (!text_word(&words, &word) || !text_copy(word, name, sizeof(name)) ||
		!text_next_number(&words, &value))
		return;
	if (!strcmp(name, "error"))
		volume->error = value > 0 && value < 4096 ? -(int)value : -EBADMSG;
	else
		sink_put(sink, volume->name, name, value);
}

static void ebs_put_answer(struct volumes *volumes, struct bytes answer, struct sink *sink)
{
	struct bytes words;
	size_t i;

	for (i = 0; i < volumes->n; i++)
		volumes->list[i].error = 0;
	while (asking_next(&answer, volumes->n, &i, &words)) {
		volumes->hung[i] = !words.len; /* until something comes */
		ebs_put_field(&volumes->list[i], words, sink);
	}
	for (i = 0; i < volumes->n; i++) {
		const struct volume *volume = &volumes->list[i];

		if (volumes->hung[i])
			sink_missing(sink, "%s did not answer in time", volume->name);
		else if (volume->error == -EACCES || volume->error == -EPERM)
			sink_missing(sink, "to ask volumes of EBS needs root");
		else if (volume->error)
			sink_missing(sink, "%s tells nothing: %s", volume->name,
				strerror(-volume->error));
	}
}

static void ebs_know(struct capture *fs, struct volumes *volumes)
{
	volumes->known = true;
	capture_glob(fs, "/sys/class/nvme/*/model", ebs_add_volume, volumes);
	volumes->hung = mem_zalloc(volumes->n + 1);
}

static int read_ebs(struct capture *fs, void *state, struct sink *sink)
{
	struct volumes *volumes = state;
	struct bytes answer = {0};
	int err = 0;

	if (!volumes->known)
		ebs_know(fs, volumes);
	if (!volumes->n) {
		sink_absent(sink, "no NVMe disk here is Amazon's");
		return 0;
	}
	if (capture_is_live(fs))
		err = ebs_ask_all(fs, volumes);
	if (!err)
		err = capture_get_blob(fs, BLOB, &answer);
	if (err) {
		sink_missing(sink, "volumes of EBS: %s", asking_error(err));
		return err;
	}
	ebs_put_answer(volumes, answer, sink);
	return 0;
}

static void close_ebs(void *state)
{
	struct volumes *volumes = state;

	free(volumes->list);
	free(volumes->hung);
	free(volumes);
}

SOURCE(ebs) = {
	.name = "ebs",
	.what = "volumes of Amazon EBS: for how long more was asked for than they are made for",
	.open = open_ebs,
	.read = read_ebs,
	.close = close_ebs,
};
