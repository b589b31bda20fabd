/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does any recording make a run of all checks misbehave, or say something without a reason?
 *
 * The input is the recording: "PATH", a newline, what the file says, a NUL byte, and so on. A path
 * is one of the first sample, "environment", or "1/..." for one of the second; what is not there
 * is as in the first.
 */
#include "base/banned.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "check/check.h"
#include "check/layers.h"
#include "output/read_json.h"
#include "output/writer.h"
#include "report/report.h"
#include "run/run.h"
#include "sys/open_beneath.h"

#define PATH_MAX_HERE 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory. */
static char place[] = "/dev/shm/tuesday-fuzz.XXXXXX";

static int replay_remove(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st;
	(void)kind;
	return walk->level ? remove(path) : 0;
}

static void replay_clear(void)
{
	nftw(place, replay_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static void replay_end(void)
{
	replay_clear();
	rmdir(place);
}

/* Made with the first input, and gone at the end, unless that is a crash. */
static const struct checks *replay_begin(void)
{
	static struct checks *checks;

	if (checks)
		return checks;
	if (!mkdtemp(place))
		abort();
	atexit(replay_end);
	checks = checks_load(&(struct check_layers){.root = place});
	return checks;
}

static void replay_put(int dir, const char *path, const char *text, size_t len)
{
	int fd = beneath_create(dir, path);

	if (fd < 0)
		return;
	if (write(fd, text, len) != (ssize_t)len)
		abort();
	close(fd);
}

static void replay_put_file(int dir, const char *path, const char *text, size_t len)
{
	char *in_sample;

	if (!strcmp(path, "environment") || str_starts(path, "1/")) {
		replay_put(dir, path, text, len);
		return;
	}
	in_sample = mem_printf("0/%s", path);
	replay_put(dir, in_sample, text, len);
	*in_sample = '1';
	if (strcmp(path, "time") != 0)
		replay_put(dir, in_sample, text, len);
	free(in_sample);
}

static void replay_make(const char *at, const char *end)
{
	int dir = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);

	replay_put(dir, "0/time", "1000000000\n", 11);
	replay_put(dir, "1/time", "3000000000\n", 11);
	while (at < end) {
		const char *stop = memchr(at, 0, (size_t)(end - at)), *line;
		char *path;

		stop = stop ? stop : end;
		line = memchr(at, '\n', (size_t)(stop - at));
		if (!line || line - at > PATH_MAX_HERE)
			break;
		path = mem_strndup(at, (size_t)(line - at));
		replay_put_file(dir, path, line + 1, (size_t)(stop - line - 1));
		free(path);
		at = stop + 1;
	}
	close(dir);
}

/* What is said can be read again, and nothing is unknown without a reason. */
static int replay_judge(void *arg, const struct report *report)
{
	const struct writer_options how = {.ledger = true, .verbose = true};
	struct report_reader *reader = report_reader_new(false);
	const struct report *again;
	struct str out = STR_INIT;
	size_t used, i;

	(void)arg;
	for (i = 0; i < report->n_checks; i++)
		if (report->checks[i].verdict == VERDICT_UNKNOWN && !report->checks[i].reason)
			abort();
	writer_find("text")->write(&out, report, &how);
	str_clear(&out);
	writer_find("json")->write(&out, report, &how);
	if (report_read(reader, str_text(&out), out.len, &used, &again) ||
		again->verdict != report->verdict || again->n_checks != report->n_checks)
		abort();
	report_reader_free(reader);
	str_free(&out);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct checks *checks = replay_begin();
	const struct options options = {
		.windows = 1,
		.window_seconds = 1,
		.format = "json",
		.root = "/",
		.replay = place,
		.no_history = true,
		.take = replay_judge,
	};

	replay_make((const char *)data, (const char *)data + size);
	run_checks(&options, checks);
	replay_clear();
	return 0;
}
