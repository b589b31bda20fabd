/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do the states of device-mapper's targets say in numbers? Their forms are those of the
 * kernel's Documentation/admin-guide/device-mapper, and of the status functions in drivers/md.
 */
#include "base/banned.h"

#include <linux/dm-ioctl.h>
#include <string.h>

#include "sources/common/parse_text.h"
#include "base/str.h"
#include "sample/sink.h"
#include "sources/block/dm_status.h"

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
static bool dm_add_path_group(struct paths *paths, struct bytes *words)
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
		if (!dm_add_path_group(&paths, &words))
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

/* "DEVICE MODE RECOVERY INDEX COMPRESSION USED ALL" in blocks */
static void put_vdo(struct sink *sink, const char *instance, struct bytes words)
{
	struct bytes mode;
	double used, size;

	if (!skip_words(&words, 1) || !text_word(&words, &mode))
		return;
	sink_put(sink, instance, "vdo_read_only", text_is(mode, "read-only"));
	if (!skip_words(&words, 3) || !text_next_number(&words, &used) ||
		!text_next_number(&words, &size))
		return;
	sink_put(sink, instance, "vdo_used", used);
	sink_put(sink, instance, "vdo_size", size);
}

static const struct target {
	const char *type;
	bool fails; /* "Fail" or "Error" stands for all else */
	void (*put)(struct sink *sink, const char *instance, struct bytes words);
} targets[] = {
	{"thin-pool", true, put_pool},
	{"thin", true, NULL},
	{"cache", true, put_cache},
	{"snapshot", false, put_snapshot},
	{"snapshot-merge", false, put_snapshot},
	{"multipath", false, put_multipath},
	{"raid", false, put_raid},
	{"mirror", false, put_mirror},
	{"vdo", false, put_vdo},
};

static const struct target *find_target(struct bytes type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (text_is(type, targets[i].type))
			return &targets[i];
	return NULL;
}

bool dm_knows_target(const char *type)
{
	return find_target((struct bytes){type, strlen(type)}) != NULL;
}

bool parse_dm_target(struct bytes words, struct sink *sink, const char *instance)
{
	struct bytes type, word = {NULL, 0}, status;
	const struct target *target;
	bool failed;

	if (!text_word(&words, &type))
		return false;
	target = find_target(type);
	if (!target)
		return false;
	status = words;
	failed = text_word(&status, &word) && (text_is(word, "Fail") || text_is(word, "Error"));
	if (target->fails && word.len)
		sink_put(sink, instance, "failed", failed);
	if (target->put && !failed)
		target->put(sink, instance, words);
	return true;
}

bool dm_parse_targets(const void *answer, size_t len,
	void (*each)(void *arg, const char *type, const char *status), void *arg)
{
	const char *data = answer;
	struct dm_target_spec spec;
	struct dm_ioctl head;
	size_t at, start, least = 0, i;

	if (len < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	start = at = head.data_start;
	for (i = 0; i < head.target_count; i++) {
		if (at < least || at > len || len - at <= sizeof(spec))
			return false;
		memcpy(&spec, data + at, sizeof(spec));
		spec.target_type[sizeof(spec.target_type) - 1] = 0;
		if (!memchr(data + at + sizeof(spec), 0, len - at - sizeof(spec)))
			return false;
		each(arg, spec.target_type, data + at + sizeof(spec));
		least = at + sizeof(spec); /* each is behind the one before */
		at = start + spec.next;
	}
	return true;
}
