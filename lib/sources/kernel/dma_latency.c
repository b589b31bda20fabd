/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long may a CPU take to wake up? Whoever holds /dev/cpu_dma_latency open with a small number
 * keeps all CPUs out of deep idle states. Field: latency_us, the smallest that is held; where
 * nobody holds one it is 2000 s.
 *
 * The blob "dma_latency" is that number as text, empty where it may not be read; and
 * "dma_latency-holder" is "PID NAME" of one who holds it, empty for nobody.
 */
#include "base/banned.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/culprit.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/links.h"
#include "capture/list.h"
#include "capture/recording.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/parse_text.h"

#define BLOB "dma_latency"
#define HOLDER "dma_latency-holder"
#define LINKS_MAX 100000
#define DEVICE "/dev/cpu_dma_latency"

/* To open it asks for nothing until something is written. */
static int dma_latency_ask(struct str *answer)
{
	int32_t latency;
	int fd = open(DEVICE, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, &latency, sizeof(latency));
	close(fd);
	if (n != sizeof(latency))
		return -EIO;
	str_addf(answer, "%d\n", latency);
	return 0;
}

static int read_dma_latency(struct capture *fs, void *state, struct sink *sink)
{
	struct str answer = STR_INIT;
	struct bytes text, line;
	double latency;
	int err = 0;

	(void)state;
	if (capture_is_live(fs)) {
		err = dma_latency_ask(&answer);
		if (!err || err == -EACCES || err == -EPERM)
			err = capture_put_blob(fs, BLOB, str_text(&answer), answer.len);
		str_free(&answer);
	}
	if (!err)
		err = capture_get_blob(fs, BLOB, &text);
	if (err) {
		sink_missing(sink, DEVICE ": %s", strerror(-err));
		return err;
	}
	if (text_line(&text, &line) && text_number(line, &latency))
		sink_put(sink, "cpu_dma_latency", "latency_us", latency);
	else
		sink_missing(sink, "only root may read " DEVICE);
	return 0;
}

struct holder_search {
	struct capture *fs;
	size_t links;
	bool found;
	struct str text;
};

static int dma_latency_look_at_file(void *arg, const char *name, const char *target)
{
	struct holder_search *search = arg;

	(void)name;
	search->found = !strcmp(target, DEVICE);
	return search->found || ++search->links == LINKS_MAX;
}

static int dma_latency_look_at_process(void *arg, const char *name)
{
	struct holder_search *search = arg;
	struct bytes text, line;
	char path[64];

	if (!isdigit((unsigned char)*name))
		return 0;
	snprintf(path, sizeof(path), "/proc/%.16s/fd", name);
	capture_list_links(search->fs, path, dma_latency_look_at_file, search);
	if (!search->found)
		return search->links == LINKS_MAX;
	str_addf(&search->text, "%.16s ", name);
	snprintf(path, sizeof(path), "/proc/%.16s/comm", name);
	if (!capture_read_once(search->fs, path, &text) && text_line(&text, &line))
		str_addn(&search->text, line.data, line.len);
	else
		str_addf(&search->text, "pid %.16s", name);
	str_addc(&search->text, '\n');
	return 1;
}

/* The answer is recorded, and not the links of all processes. */
static void dma_latency_search(struct capture *fs)
{
	struct holder_search search = {.fs = fs, .text = STR_INIT};
	bool paused = capture_pause_recording(fs, true);

	capture_list(fs, "/proc", dma_latency_look_at_process, &search);
	capture_pause_recording(fs, paused);
	capture_put_blob(fs, HOLDER, str_text(&search.text), search.text.len);
	str_free(&search.text);
}

/* Who holds a small number cannot be told from who holds a large one: few hold any. */
static bool dma_latency_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct bytes text, line, pid;

	(void)state;
	(void)instance;
	if (capture_is_live(fs))
		dma_latency_search(fs);
	if (capture_get_blob(fs, HOLDER, &text) || !text_line(&text, &line) ||
		!text_until(&line, ' ', &pid) || !text_copy(pid, out->id, sizeof(out->id)) ||
		!text_copy(line, out->name, sizeof(out->name)))
		return false;
	snprintf(out->kind, sizeof(out->kind), "process");
	return true;
}

SOURCE(dmalatency) = {
	.name = "dmalatency",
	.what = DEVICE ": how long a CPU may take to wake up, and who says so",
	.read = read_dma_latency,
	.culprit = dma_latency_culprit,
};
