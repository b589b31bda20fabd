/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens between two samples, and who sees it? */
#include "base/banned.h"

#include <errno.h>

#include "base/progress.h"
#include "base/str.h"
#include "capture/capture.h"
#include "loader/types.h"
#include "sys/child.h"
#include "trace/child.h"
#include "trace/codec.h"
#include "trace/result.h"
#include "trace/sentinel.h"
#include "trace/spec.h"
#include "trace/trace.h"

#define BLOB "sentinels"
/* Loading takes some ms for each, and on a machine that is slow a thousand times that. */
#define READY_MS 10000
#define ANSWER_MS 10000

struct sentinels {
	struct capture *fs;
	struct trace_child work;
	struct child child;
	char *why_not; /* nothing was started; NULL: the child runs, or this is a replay */
};

/* Whether they may be started; *why says why not. */
static bool sentinels_are_possible(struct sentinels *sentinels, struct str *why)
{
	if (!capture_is_replay(sentinels->fs))
		return traces_possible(sentinels->fs, why);
	/* Nothing is known yet of the sample that has them. */
	return true;
}

static bool sentinels_are_awaited(void *arg)
{
	(void)arg;
	return !progress_interrupted();
}

static void sentinels_start(struct sentinels *sentinels)
{
	struct child *child = &sentinels->child;
	int err, first;

	/* The child has them too then, and what is loaded beside it needs them again. */
	types_of_kernel();
	err = child_start(child, trace_child_run, &sentinels->work);
	if (err) {
		sentinels->why_not = trace_child_why_failed(err, 0);
		return;
	}
	first = child_first_byte(child, READY_MS, sentinels_are_awaited, NULL);
	/* What comes late is not there when the first window begins. */
	if (first != TRACE_CHILD_READY) {
		child_abandon(child);
		sentinels->why_not = first == -ECANCELED
			? mem_strdup("not traced: interrupted")
			: trace_child_why_failed(first < 0 ? first : -EPROTO, 0);
	}
}

struct sentinels *sentinels_begin(
	struct capture *fs, const struct trace_spec *const *specs, size_t n, const char *why_not)
{
	struct sentinels *sentinels = mem_zalloc(sizeof(*sentinels));
	struct str why = STR_INIT;

	sentinels->fs = fs;
	sentinels->work = (struct trace_child){.specs = specs, .n = n, .until_told = true};
	if (why_not)
		sentinels->why_not = mem_strdup(why_not);
	else if (!sentinels_are_possible(sentinels, &why))
		sentinels->why_not = str_take(&why);
	else if (n && !capture_is_replay(fs))
		sentinels_start(sentinels);
	str_free(&why);
	return sentinels;
}

/* The answer of the child. Returns why there is none, for the caller to free, or NULL. */
static char *sentinels_collect(struct sentinels *sentinels, struct traces *traces)
{
	struct str answer = STR_INIT;
	int status = 0, err;
	char *why = NULL;

	child_tell(&sentinels->child);
	err = child_collect(&sentinels->child, ANSWER_MS, NULL, NULL, &answer, &status);
	if (err || trace_blob_parse(traces, str_text(&answer), answer.len))
		why = trace_child_why_failed(err, status);
	else
		capture_put_blob(sentinels->fs, BLOB, str_text(&answer), answer.len);
	str_free(&answer);
	return why;
}

/* Why there are none is recorded too, for who replays it may trace. */
static void sentinels_record_why(const struct sentinels *sentinels)
{
	const struct trace_child *work = &sentinels->work;
	struct str blob = STR_INIT;
	size_t i;

	str_add(&blob, TRACE_BLOB_FIRST_LINE);
	for (i = 0; i < work->n; i++) {
		str_add(&blob, "trace");
		trace_blob_text(&blob, work->specs[i]->check);
		trace_blob_text(&blob, work->specs[i]->name);
		str_add(&blob, "\nmissing");
		trace_blob_text(&blob, sentinels->why_not);
		str_addc(&blob, '\n');
	}
	capture_put_blob(sentinels->fs, BLOB, str_text(&blob), blob.len);
	str_free(&blob);
}

static void sentinels_replay(struct sentinels *sentinels, struct traces *traces)
{
	struct bytes blob;

	if (capture_get_blob(sentinels->fs, BLOB, &blob))
		sentinels->why_not = mem_strdup("the recording has no sentinels");
	else
		trace_blob_parse(traces, blob.data, blob.len);
}

struct traces *sentinels_end(struct sentinels *sentinels)
{
	struct traces *traces;

	if (!sentinels)
		return NULL;
	traces = traces_new(sentinels->fs, sentinels->work.specs, sentinels->work.n);
	if (!sentinels->why_not && capture_is_replay(sentinels->fs))
		sentinels_replay(sentinels, traces);
	else if (!sentinels->why_not && sentinels->work.n)
		sentinels->why_not = sentinels_collect(sentinels, traces);
	if (sentinels->why_not && sentinels->work.n && !capture_is_replay(sentinels->fs))
		sentinels_record_why(sentinels);
	traces_finish(traces,
		sentinels->why_not ? sentinels->why_not : "the recording does not have this trace");
	free(sentinels->why_not);
	free(sentinels);
	return traces;
}
