/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How near is each user to the limits of inotify?
 *
 * The kernel counts instances and watches by user and user namespace and shows the counts nowhere;
 * a BPF iterator reads them through the open descriptors. Instances are UID, and UID@NAMESPACE in
 * namespaces other than the first, where the same program counts again.
 */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/types.h>
#include <stdio.h>

#include "sys/caps.h"
#include "loader/light_skeleton.h"
#include "capture/capture.h"
#include "sample/source.h"
#include "loader/iterator.h"
#include "base/hash.h"
#include "base/number_map.h"
#include "base/str.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/iter/inotify.skel.h"
#pragma GCC diagnostic pop

#include "bpf/iter/inotify.h"
#include "sample/sink.h"
#include "base/culprit.h"

#define BLOB "inotify"
/*
 * Anybody may have as many descriptors as he likes of one instance, and so as many records. So many
 * are kept of what one process has of one user, and so many of all; but of each user at least one,
 * which has his counts. More than the last are not asked for.
 */
#define HELD_MAX 1024
#define RECORDS_MAX 65536
#define USERS_MAX 65536
#define ASKED_MAX (1 << 22)
#define FIRST_NAMESPACE 0xEFFFFFFDU /* PROC_USER_INIT_INO */

/* In front of the records in a blob. */
struct inotify_header {
	char magic[4];
	uint16_t version;
	uint16_t record_size;
};

static const char magic[4] = {'i', 'n', 'o', 't'};

struct inotify_state {
	struct inotify_full *full; /* NULL where it could not be loaded */
};

static int open_inotify(struct capture *fs, void **state)
{
	struct inotify_state *inotify = mem_zalloc(sizeof(*inotify));
	libbpf_print_fn_t print;

	*state = inotify;
	if (!capture_is_live(fs) || !caps_have(CAPS_BPF))
		return 0;
	print = libbpf_set_print(NULL);
	caps_raise(CAPS_BPF);
	inotify->full = inotify_full__open_and_load();
	if (inotify->full && inotify_full__attach(inotify->full)) {
		inotify_full__destroy(inotify->full);
		inotify->full = NULL;
	}
	caps_lower(CAPS_BPF);
	libbpf_set_print(print);
	return 0;
}

/* What is kept of the records while they come. */
struct inotify_gathering {
	struct str blob;
	struct number_map holders; /* the number of each process and user in held */
	struct number_map users;
	uint32_t *held; /* records kept of each */
	size_t n, room, n_records;
};

static uint64_t inotify_key(uint32_t pid, const struct inotify_record *record)
{
	const uint32_t key[3] = {pid, record->uid, record->namespace};

	return hash_keyed(key, sizeof(key));
}

static bool inotify_is_kept(struct inotify_gathering *all, const struct inotify_record *record)
{
	uint64_t key = inotify_key(record->pid, record);
	bool is_new_user =
		all->users.n < USERS_MAX && number_map_add(&all->users, inotify_key(0, record), 0);
	size_t holder = all->n;

	if (number_map_add(&all->holders, key, all->n)) {
		ARRAY_GROW(all->held, all->n, all->room);
		all->held[all->n++] = 0;
	} else {
		number_map_get(&all->holders, key, &holder);
	}
	return is_new_user || (all->held[holder]++ < HELD_MAX && all->n_records < RECORDS_MAX);
}

static void inotify_take_record(void *arg, const char *bytes)
{
	struct inotify_gathering *all = arg;
	struct inotify_record record;

	memcpy(&record, bytes, sizeof(record));
	if (!inotify_is_kept(all, &record))
		return;
	str_addn(&all->blob, bytes, sizeof(record));
	all->n_records++;
}

static int take_inotify(struct capture *fs, const struct inotify_state *inotify)
{
	struct inotify_header header = {
		.version = INOTIFY_RECORD_VERSION, .record_size = sizeof(struct inotify_record)};
	struct inotify_gathering all = {.blob = STR_INIT};
	int err;

	/* That it could not be asked is recorded too. */
	if (!inotify->full)
		return capture_put_blob(fs, BLOB, "", 0);
	memcpy(header.magic, magic, sizeof(magic));
	str_addn(&all.blob, &header, sizeof(header));
	err = iter_each(bpf_link__fd(inotify->full->links.dump_inotify),
		sizeof(struct inotify_record), ASKED_MAX, inotify_take_record, &all);
	if (!err || err == -E2BIG)
		err = capture_put_blob(fs, BLOB, all.blob.text, all.blob.len);
	str_free(&all.blob);
	number_map_free(&all.holders);
	number_map_free(&all.users);
	free(all.held);
	return err;
}

static int records_of_sample(struct capture *fs, struct bytes *records)
{
	struct inotify_header header;
	int err = capture_get_blob(fs, BLOB, records);

	if (err)
		return err;
	if (!records->len)
		return -EPERM;
	if (records->len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, records->data, sizeof(header));
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 ||
		header.version != INOTIFY_RECORD_VERSION ||
		header.record_size != sizeof(struct inotify_record))
		return -EBADMSG;
	records->data += sizeof(header);
	records->len -= sizeof(header);
	return 0;
}

static bool next_record(struct bytes *records, struct inotify_record *record)
{
	if (records->len < sizeof(*record))
		return false;
	memcpy(record, records->data, sizeof(*record));
	record->comm[sizeof(record->comm) - 1] = 0;
	records->data += sizeof(*record);
	records->len -= sizeof(*record);
	return true;
}

static void name_user(const struct inotify_record *record, char *name, size_t size)
{
	if (record->namespace == FIRST_NAMESPACE)
		snprintf(name, size, "%u", record->uid);
	else
		snprintf(name, size, "%u@%u", record->uid, record->namespace);
}

static bool inotify_is_same_user(const struct inotify_record *a, const struct inotify_record *b)
{
	return a->uid == b->uid && a->namespace == b->namespace && a->watches == b->watches &&
		a->instances == b->instances;
}

static void put_users(struct bytes records, struct sink *sink)
{
	struct inotify_record record, before = {0};
	char name[32], label[64];
	bool any = false;

	if (records.len / sizeof(record) >= RECORDS_MAX)
		sink_missing(sink, "more inotify descriptors are open than are looked at, %d",
			RECORDS_MAX);
	for (; next_record(&records, &record); before = record) {
		if (any && inotify_is_same_user(&record, &before))
			continue;
		name_user(&record, name, sizeof(name));
		sink_put(sink, name, "instances", (double)record.instances);
		sink_put(sink, name, "instances_max", (double)record.instances_max);
		sink_put(sink, name, "watches", (double)record.watches);
		sink_put(sink, name, "watches_max", (double)record.watches_max);
		snprintf(label, sizeof(label), "uid %u%s", record.uid,
			record.namespace == FIRST_NAMESPACE ? "" : " in a user namespace");
		sink_label(sink, name, label);
		any = true;
	}
	if (!any)
		sink_none(sink);
}

static int read_inotify(struct capture *fs, void *state, struct sink *sink)
{
	struct bytes records = {0};
	int err = 0;

	if (capture_is_live(fs))
		err = take_inotify(fs, state);
	if (!err)
		err = records_of_sample(fs, &records);
	if (!err)
		put_users(records, sink);
	else if (err == -EPERM)
		sink_missing(sink,
			"the kernel's count of inotify watches needs CAP_BPF and "
			"CAP_PERFMON, and Linux 5.8");
	else if (err == -EBADMSG)
		sink_missing(sink, "inotify was recorded by another version");
	else
		sink_missing(sink, "inotify: %s", strerror(-err));
	return err;
}

/* What a process holds of a user's instances, counted while the records are gone through. */
struct inotify_held {
	struct number_map places; /* by pid, in list */
	size_t *list;
	size_t n, room;
};

/* So many records of this process were there, with this one: so many instances it holds. */
static size_t inotify_count_held(struct inotify_held *held, uint32_t pid)
{
	size_t place = held->n;

	if (number_map_add(&held->places, pid, held->n)) {
		ARRAY_GROW(held->list, held->n, held->room);
		held->list[held->n++] = 0;
	} else {
		number_map_get(&held->places, pid, &place);
	}
	return ++held->list[place];
}

/* By what the user is nearer to the limit of: who holds the most instances, or added most watches.
 */
static size_t inotify_weight_of(const struct inotify_record *record, struct inotify_held *held)
{
	double instances = (double)record->instances / ((double)record->instances_max + 1);
	double watches = (double)record->watches / ((double)record->watches_max + 1);
	size_t n = inotify_count_held(held, record->pid);

	return watches > instances ? record->added : n;
}

static bool inotify_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct inotify_held held = {0};
	struct inotify_record record;
	size_t weight, heaviest = 0;
	struct bytes records;
	char name[32];

	(void)state;
	if (records_of_sample(fs, &records))
		return false;
	while (next_record(&records, &record)) {
		name_user(&record, name, sizeof(name));
		if (strcmp(name, instance) != 0)
			continue;
		weight = inotify_weight_of(&record, &held);
		if (weight <= heaviest)
			continue;
		heaviest = weight;
		snprintf(out->kind, sizeof(out->kind), "process");
		snprintf(out->name, sizeof(out->name), "%s", (const char *)record.comm);
		snprintf(out->id, sizeof(out->id), "%u", record.pid);
	}
	number_map_free(&held.places);
	free(held.list);
	return heaviest != 0;
}

static void close_inotify(void *state)
{
	struct inotify_state *inotify = state;

	inotify_full__destroy(inotify->full);
	free(inotify);
}

SOURCE(inotify) = {
	.name = "inotify",
	.what = "inotify instances and watches by user, and how many each may have",
	.open = open_inotify,
	.read = read_inotify,
	.close = close_inotify,
	.culprit = inotify_culprit,
};
