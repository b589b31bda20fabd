/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which busy processes are wholly off the CPU for a tenth of a second or more, with work to do?
 *
 * A child of ours looks fifty times a second (naps/watch.h) from the first sample on, and what it
 * has seen comes as text (naps/log.h), whole in each sample. Instances are the processes that were
 * busy, by their numbers; a process that ended without a nap stays one. The culprit is who the naps
 * are blamed on (naps/blame.h); where that is nobody, the process itself is named.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/culprit.h"
#include "base/str.h"
#include "capture/capture.h"
#include "naps/blame.h"
#include "naps/log.h"
#include "naps/watch.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sys/child.h"
#include "sys/read_write.h"

#define BLOB "naps"
#define TEXT_MAX (4u << 20)
#define SAY_NS 500000000ull

struct nap_source {
	struct child child;
	bool watching;
	struct str text; /* all that the child has said */
	struct nap_log log;
};

/* In the child. */
static int nap_child(void *arg, int fd)
{
	struct nap_watch watch = {0};
	struct str text = STR_INIT;
	uint64_t said_ns = 0;
	size_t told = 0;

	(void)arg;
	if (nap_watch_open(&watch))
		return 1;
	for (;;) {
		nap_watch_next(&watch);
		if (watch.n_events == told && watch.now_ns < said_ns + SAY_NS)
			continue;
		str_clear(&text);
		nap_log_write(&text, &watch, told);
		told = watch.n_events;
		said_ns = watch.now_ns;
		if (write_all(fd, text.text, text.len))
			return 1;
	}
}

static int open_nap(struct capture *fs, void **state)
{
	struct nap_source *source = mem_zalloc(sizeof(*source));
	int err;

	*state = source;
	if (!capture_is_live(fs))
		return 0;
	err = child_start(&source->child, nap_child, NULL);
	if (err)
		return err;
	source->watching = true;
	err = fcntl(source->child.fd, F_GETFL);
	fcntl(source->child.fd, F_SETFL, err | O_NONBLOCK);
	return 0;
}

static void close_nap(void *state)
{
	struct nap_source *source = state;

	if (source->watching)
		child_abandon(&source->child);
	str_free(&source->text);
	nap_log_free(&source->log);
	free(source);
}

/* What the child has said since the last sample. */
static void nap_take(struct nap_source *source)
{
	char piece[16384];
	ssize_t got;

	while (source->text.len < TEXT_MAX &&
		(got = read(source->child.fd, piece, sizeof(piece))) > 0)
		str_addn(&source->text, piece, (size_t)got);
}

/* How much of it was naps. */
struct nap_sums {
	size_t naps, dropping, most_of_a_cause;
	double seconds, longest_seconds;
	uint64_t drops;
};

static void nap_sum(const struct nap_log *log, pid_t pid, struct nap_sums *sums)
{
	size_t causes[NAP_CAUSES] = {0}, i;

	*sums = (struct nap_sums){0};
	for (i = 0; i < log->n_events; i++) {
		const struct nap_event *event = &log->events[i];
		const double seconds = (double)(event->end_ns - event->begin_ns) / 1e9;

		if (event->pid != pid)
			continue;
		sums->naps++;
		sums->seconds += seconds;
		sums->drops += event->drops;
		sums->dropping += event->drops > 0;
		if (seconds > sums->longest_seconds)
			sums->longest_seconds = seconds;
		if (++causes[event->cause] > sums->most_of_a_cause && event->cause != NAP_UNKNOWN)
			sums->most_of_a_cause = causes[event->cause];
	}
}

/* "riak (pid 12), which waited for the lock of its own memory map" */
static void nap_label(const struct nap_log *log, const struct nap_log_busy *busy, struct sink *sink,
	const char *id)
{
	struct str label = STR_INIT;
	struct nap_blame blame;

	nap_blame_find(&blame, log->events, log->n_events, busy->pid, nap_log_ran, log);
	str_addf(&label, "%s (pid %d)", busy->comm, (int)busy->pid);
	if (blame.naps)
		str_addf(&label, ", which %s", nap_cause_phrase(blame.cause));
	sink_label(sink, id, str_text(&label));
	str_free(&label);
}

static void nap_put(const struct nap_log *log, const struct nap_log_busy *busy, struct sink *sink)
{
	struct nap_sums sums;
	char id[16];

	snprintf(id, sizeof(id), "%d", (int)busy->pid);
	nap_sum(log, busy->pid, &sums);
	sink_put(sink, id, "busy_seconds", (double)busy->watched_ns / 1e9);
	sink_put(sink, id, "naps", (double)sums.naps);
	sink_put(sink, id, "napped_seconds", sums.seconds);
	sink_put(sink, id, "longest_seconds", sums.longest_seconds);
	sink_put(sink, id, "dropping_naps", (double)sums.dropping);
	sink_put(sink, id, "drops", (double)sums.drops);
	sink_put(sink, id, "alike_naps", (double)sums.most_of_a_cause);
	sink_put(sink, id, "idle_pauses", (double)busy->idles);
	nap_label(log, busy, sink, id);
}

static int read_nap(struct capture *fs, void *state, struct sink *sink)
{
	struct nap_source *source = state;
	struct bytes text;
	int err;
	size_t i;

	if (source->watching) {
		nap_take(source);
		capture_put_blob(fs, BLOB, str_text(&source->text), source->text.len);
	}
	err = capture_get_blob(fs, BLOB, &text);
	if (err) {
		sink_missing(
			sink, "naps are looked for on a live machine, or in a recording of one");
		return err;
	}
	nap_log_free(&source->log);
	nap_log_take(&source->log, text.data, text.len);
	sink_put(sink, "", "watched_seconds",
		(double)(source->log.now_ns - source->log.began_ns) / 1e9);
	sink_put(sink, "", "late_seconds", (double)source->log.late_ns / 1e9);
	sink_put(sink, "", "late_worst_seconds", (double)source->log.late_worst_ns / 1e9);
	for (i = 0; i < source->log.n_busy; i++)
		nap_put(&source->log, &source->log.busy[i], sink);
	if (!source->log.n_busy)
		sink_none(sink);
	return 0;
}

static bool nap_culprit(struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct nap_source *source = state;
	const struct nap_log *log = &source->log;
	struct nap_blame blame;
	char id[16];
	size_t i;

	(void)fs;
	for (i = 0; i < log->n_busy; i++) {
		snprintf(id, sizeof(id), "%d", (int)log->busy[i].pid);
		if (!strcmp(id, instance))
			break;
	}
	if (i == log->n_busy)
		return false;
	nap_blame_find(&blame, log->events, log->n_events, log->busy[i].pid, nap_log_ran, log);
	snprintf(out->kind, sizeof(out->kind), "process");
	snprintf(out->name, sizeof(out->name), "%s",
		blame.named ? blame.suspects[0].comm : log->busy[i].comm);
	snprintf(out->id, sizeof(out->id), "%d",
		(int)(blame.named ? blame.suspects[0].pid : log->busy[i].pid));
	return true;
}

SOURCE(nap) = {
	.name = "nap",
	.what = "busy processes that were wholly off the CPU for 100 ms or more, with work to do",
	.open = open_nap,
	.read = read_nap,
	.close = close_nap,
	.culprit = nap_culprit,
	.fleeting = true,
};
