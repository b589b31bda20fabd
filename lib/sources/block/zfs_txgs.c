/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long does ZFS take to write a transaction group to its disks? Instances are pools. The file
 * holds the last groups (100 of them by default); the time of those that were finished since the
 * first sample is added up, so that the numbers grow as counters do.
 */
#include "base/banned.h"

#include <stdio.h>

#include "base/num.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "capture/glob.h"
#include "sources/block/zfs_txgs.h"
#include "sample/source.h"

#define POOLS_MAX 64
#define PATTERN "/proc/spl/kstat/zfs/*/txgs"

struct pool {
	char *path;
	char *name;
	struct txg_sum sum;
};

struct pools {
	struct pool list[POOLS_MAX];
	size_t n;
	bool known;
};

struct columns {
	int number, state, sync;
};

/* Finds the columns in the heading "txg birth state ndirty … stime". */
static bool txgs_find_columns(struct bytes line, struct columns *columns)
{
	struct bytes word;
	int i;

	*columns = (struct columns){-1, -1, -1};
	for (i = 0; text_word(&line, &word); i++) {
		if (text_is(word, "txg"))
			columns->number = i;
		else if (text_is(word, "state"))
			columns->state = i;
		else if (text_is(word, "stime"))
			columns->sync = i;
	}
	return columns->number >= 0 && columns->state >= 0 && columns->sync >= 0;
}

/* Takes the line of a group that is finished (C, committed). */
static bool finished_group(
	struct bytes line, const struct columns *columns, uint64_t *number, double *sync)
{
	bool has_number = false, has_sync = false, finished = false;
	struct bytes word;
	int i;

	for (i = 0; text_word(&line, &word); i++) {
		const char *at = word.data, *end = word.data + word.len;

		if (i == columns->number)
			has_number = !num_next(&at, end, number) && at == end;
		if (i == columns->state)
			finished = text_is(word, "C");
		if (i == columns->sync)
			has_sync = text_number(word, sync) && *sync >= 0;
	}
	return has_number && has_sync && finished;
}

void parse_txgs(struct bytes text, struct txg_sum *sum)
{
	uint64_t before = sum->newest, number = 0;
	struct columns columns;
	struct bytes line;
	double sync;

	do {
		if (!text_line(&text, &line))
			return;
	} while (!txgs_find_columns(line, &columns));
	while (text_line(&text, &line)) {
		if (!finished_group(line, &columns, &number, &sync) || number <= before)
			continue;
		if (number > sum->newest)
			sum->newest = number;
		if (!sum->known)
			continue;
		sum->count++;
		sum->sync_ns += sync;
	}
	sum->known = true;
}

static int txgs_add_pool(void *arg, const char *path, const char *star)
{
	struct pools *pools = arg;

	pools->list[pools->n].path = mem_strdup(path);
	pools->list[pools->n++].name = mem_strdup(star);
	return pools->n == POOLS_MAX;
}

static int read_txgs(struct capture *fs, void *state, struct sink *sink)
{
	struct pools *pools = state;
	size_t i;

	if (!pools->known)
		capture_glob(fs, PATTERN, txgs_add_pool, pools);
	pools->known = true;
	if (!pools->n)
		sink_none(sink);
	if (pools->n == POOLS_MAX)
		sink_missing(sink, "no more than %d pools are read", POOLS_MAX);
	for (i = 0; i < pools->n; i++) {
		struct pool *pool = &pools->list[i];
		struct bytes text;
		int err = capture_read(fs, pool->path, &text);

		if (err) {
			sink_missing(sink, "%s: %s", pool->path, strerror(-err));
			continue;
		}
		parse_txgs(text, &pool->sum);
		if (!pool->sum.known)
			continue;
		sink_put(sink, pool->name, "txgs", pool->sum.count);
		sink_put(sink, pool->name, "sync_ns", pool->sum.sync_ns);
	}
	return 0;
}

static int open_txgs(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct pools));
	return 0;
}

static void close_txgs(void *state)
{
	struct pools *pools = state;
	size_t i;

	for (i = 0; i < pools->n; i++) {
		free(pools->list[i].path);
		free(pools->list[i].name);
	}
	free(pools);
}

SOURCE(txgs) = {
	.name = "txgs",
	.what = PATTERN ": transaction groups of ZFS that were finished, and the time that took",
	.open = open_txgs,
	.read = read_txgs,
	.close = close_txgs,
};
