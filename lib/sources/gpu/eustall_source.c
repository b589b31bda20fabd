/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is an Intel GPU that works stalled, and on what? Instances are GPUs of the driver xe, by PCI
 * address. Each is sampled once a run for about a second (eustall_run.h), by a child of its own
 * while counters are taken: a driver may hang. One that sleeps is not woken. Whether it was busy,
 * and slowed by heat, is known at the end of that second, and is the check file's to weigh.
 */
#include "base/banned.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sys/child.h"
#include "sources/gpu/eustall_run.h"
#include "base/str.h"
#include "sources/gpu/xe_stream.h"
#include "sample/sink.h"
#include "base/culprit.h"
#include "sources/gpu/eustall_text.h"
#include "sources/gpu/xe_discover.h"

#define BLOB "eustall"
/* What takes longer than a second and a bit has hung. */
#define DEADLINE_MS 5000

struct sampled {
	const struct xe_device *device;
	struct child child;
	bool is_running;
};

struct eustall_state {
	struct xe_devices devices;
	struct sampled sampled[XE_DEVICES_MAX];
	struct eustall_tops tops;
	bool is_started, is_collected;
	struct str answer;
};

static int eustall_sample_child(void *arg, int fd)
{
	const struct sampled *sampled = arg;
	struct str out = STR_INIT;

	eustall_run(sampled->device, &out);
	dprintf(fd, "%s", str_text(&out));
	str_free(&out);
	return 0;
}

static void eustall_start(struct capture *fs, struct eustall_state *state)
{
	size_t i;

	state->is_started = true;
	xe_find(fs, &state->devices);
	for (i = 0; i < state->devices.n; i++) {
		struct sampled *sampled = &state->sampled[i];
		int err;

		sampled->device = &state->devices.list[i];
		err = child_start(&sampled->child, eustall_sample_child, sampled);
		sampled->is_running = !err;
		if (err)
			str_addf(&state->answer, "%s unable %s: no process could be started: %s\n",
				sampled->device->name, sampled->device->name, strerror(-err));
	}
}

/* The answer of one that ended early is whole up to its last line. */
static void collect_one(struct eustall_state *state, struct sampled *sampled)
{
	const char *name = sampled->device->name;
	struct str answer = STR_INIT;
	int err, status = 0;

	err = child_collect(&sampled->child, DEADLINE_MS, NULL, NULL, &answer, &status);
	sampled->is_running = false;
	if (err == -ETIMEDOUT)
		str_addf(&state->answer, "%s hung\n", name);
	else if (err || !answer.len)
		str_addf(&state->answer, "%s unable %s: the process that samples it has ended\n",
			name, name);
	else
		str_add(&state->answer, str_text(&answer));
	str_free(&answer);
}

static void eustall_collect(struct eustall_state *state)
{
	size_t i;

	state->is_collected = true;
	for (i = 0; i < state->devices.n; i++)
		if (state->sampled[i].is_running)
			collect_one(state, &state->sampled[i]);
}

static int read_eustall(struct capture *fs, void *arg, struct sink *sink)
{
	struct eustall_state *state = arg;
	struct bytes answer;
	int err;

	if (capture_is_live(fs)) {
		/* In the first sample the sampling begins, of which there is nothing to read yet.
		 */
		if (!state->is_started) {
			eustall_start(fs, state);
			return 0;
		}
		if (!state->is_collected)
			eustall_collect(state);
		err = capture_put_blob(fs, BLOB, str_text(&state->answer), state->answer.len);
		if (err)
			return err;
	} else if (!capture_is_replay(fs)) {
		sink_missing(sink, "only GPUs of the machine that this runs on can be sampled");
		return -EOPNOTSUPP;
	}
	if (capture_get_blob(fs, BLOB, &answer))
		return 0;
	eustall_take_lines(&state->tops, answer, sink);
	return 0;
}

static int open_eustall(struct capture *fs, void **state)
{
	(void)fs;
	*state = mem_zalloc(sizeof(struct eustall_state));
	return 0;
}

static void close_eustall(void *arg)
{
	struct eustall_state *state = arg;

	if (!state->is_collected)
		eustall_collect(state);
	str_free(&state->answer);
	free(state);
}

static bool eustall_culprit(
	struct capture *fs, void *arg, const char *instance, struct culprit *out)
{
	const struct eustall_state *state = arg;
	const struct eustall_top *top = eustall_top_of(&state->tops, instance);

	(void)fs;
	if (!top || !*top->address)
		return false;
	snprintf(out->kind, sizeof(out->kind), "instruction");
	snprintf(out->name, sizeof(out->name), "%s", top->address);
	snprintf(out->id, sizeof(out->id), "%s", top->reason);
	out->share = top->share;
	return true;
}

SOURCE(eustall) = {
	.name = "eustall",
	.what = "Intel GPUs: why their vector engines stall, sampled for a second once a run",
	.open = open_eustall,
	.read = read_eustall,
	.close = close_eustall,
	.culprit = eustall_culprit,
};
