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
#define RECORDS_MAX 65536
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

static int take_inotify(struct capture *fs, const struct inotify_state *inotify)
{
	struct inotify_header header = {
		.version = INOTIFY_RECORD_VERSION, .record_size = sizeof(struct inotify_record)};
	struct str blob = STR_INIT;
	int err;

	/* That it could not be asked is recorded too. */
	if (!inotify->full)
		return capture_put_blob(fs, BLOB, "", 0);
	memcpy(header.magic, magic, sizeof(magic));
	str_addn(&blob, &header, sizeof(header));
	err = iter_read(bpf_link__fd(inotify->full->links.dump_inotify),
		RECORDS_MAX * sizeof(struct inotify_record), &blob);
	/* Each user's count is in every one of its records: those that did not fit add little. */
	if (!err || err == -E2BIG)
		err = capture_put_blob(fs, BLOB, blob.text, blob.len);
	str_free(&blob);
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

static void put_users(struct bytes records, struct sink *sink)
{
	struct inotify_record record;
	char name[32], label[64];
	bool any = false;

	while (next_record(&records, &record)) {
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

/* How many of the records of a user are of this process: so many instances it holds. */
static size_t count_held(struct bytes records, const char *instance, uint32_t pid)
{
	struct inotify_record record;
	char name[32];
	size_t n = 0;

	while (next_record(&records, &record)) {
		name_user(&record, name, sizeof(name));
		n += record.pid == pid && !strcmp(name, instance);
	}
	return n;
}

/* By what the user is nearer to the limit of: who holds the most instances, or added most watches.
 */
static size_t inotify_weight_of(
	const struct inotify_record *record, struct bytes records, const char *instance)
{
	double instances = (double)record->instances / ((double)record->instances_max + 1);
	double watches = (double)record->watches / ((double)record->watches_max + 1);

	return watches > instances ? record->added : count_held(records, instance, record->pid);
}

static bool inotify_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	struct bytes records, rest;
	struct inotify_record record;
	size_t weight, heaviest = 0;
	char name[32];

	(void)state;
	if (records_of_sample(fs, &records))
		return false;
	for (rest = records; next_record(&rest, &record);) {
		name_user(&record, name, sizeof(name));
		if (strcmp(name, instance) != 0)
			continue;
		weight = inotify_weight_of(&record, records, instance);
		if (weight <= heaviest)
			continue;
		heaviest = weight;
		snprintf(out->kind, sizeof(out->kind), "process");
		snprintf(out->name, sizeof(out->name), "%s", (const char *)record.comm);
		snprintf(out->id, sizeof(out->id), "%u", record.pid);
	}
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
