/* SPDX-License-Identifier: GPL-2.0-only */
/* Which machine is looked at, and when is it time to look again? */
#include <errno.h>
#include <poll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sys/caps.h"
#include "base/escape.h"
#include "run/session.h"
#include "history/host_facts.h"
#include "base/num.h"
#include "run/options.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "redact/filter.h"
#include "sample/sweep.h"
#include "base/str.h"

/* How long something that ended may go unnoticed. */
#define ENDED_POLL_MS 50
#define POLL_MS 500

int machine_open(const struct options *options, struct procfs **out)
{
	int err;

	if (options->replay)
		err = procfs_open_replay(out, options->replay);
	else
		err = procfs_open(out, options->root, options->record);
	if (!err && options->redact) {
		struct redactor *redactor = redactor_new();

		if (!redactor) {
			fprintf(stderr, "tuesday: no randomness to be had: nothing is recorded\n");
			procfs_close(*out);
			*out = NULL;
			return -EAGAIN;
		}
		procfs_redact(*out, redactor);
	}
	if (err) {
		const char *path = options->replay ? options->replay : options->record;
		char *shown = escape_path(path ? path : options->root);

		fprintf(stderr, "tuesday: %s: %s\n", shown,
			err == -ENOENT && options->replay ? "not a recording" : strerror(-err));
		free(shown);
	}
	return err;
}

void machine_describe(struct procfs *fs, time_t now)
{
	struct utsname name;
	char *cpus, *page, *start;

	if (procfs_is_replay(fs))
		return;
	cpus = mem_printf("%ld", sysconf(_SC_NPROCESSORS_ONLN));
	page = mem_printf("%ld", sysconf(_SC_PAGESIZE));
	start = mem_printf("%lld", (long long)now);
	uname(&name);
	procfs_set_environment(fs, "time", start);
	procfs_set_environment(fs, "host", name.nodename);
	procfs_set_environment(fs, "kernel", name.release);
	procfs_set_environment(fs, "cpus", cpus);
	procfs_set_environment(fs, "page_bytes", page);
	machinefacts_note(fs);
	free(cpus);
	free(page);
	free(start);
}

unsigned int machine_cpus(struct procfs *fs)
{
	char *text = procfs_environment(fs, "cpus");
	uint64_t n = 0;

	if (text && num_u64(text, 1, 65536, &n))
		n = 0;
	free(text);
	return (unsigned int)n;
}

double machine_page_bytes(struct procfs *fs)
{
	char *text = procfs_environment(fs, "page_bytes");
	uint64_t n = procfs_is_replay(fs) ? 4096 : (uint64_t)sysconf(_SC_PAGESIZE);

	if (text)
		num_u64(text, 1024, 1 << 24, &n);
	free(text);
	return (double)n;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t due_ns(const struct sampler *sampler)
{
	uint64_t window = (uint64_t)(sampler->options->window_seconds * 1e9);

	return sampler->start_ns + (sampler->taken + 1) * window;
}

int sampler_begin(struct sampler *sampler)
{
	int err;

	sampler->start_ns = now_ns();
	caps_raise(CAPS_NAMESPACE | CAPS_PTRACE | CAPS_READ | CAPS_BPF);
	sweep_open(sampler->sweep, sampler->fs);
	caps_lower(CAPS_ALL);
	err = sweep_take(sampler->sweep);
	sampler->over = err != 0;
	return err;
}

/*
 * Whether what an interruption leaves of a window says more wrong than right: rates over an
 * instant, and nothing of what comes seldom. A person who ends the first window wants it all the
 * same.
 */
static bool is_too_short(const struct sampler *sampler)
{
	size_t samples = sweep_samples(sampler->sweep);
	double lasted = (double)(now_ns() - sweep_time_ns(sampler->sweep, samples - 1)) / 1e9;

	if (sampler->ended || lasted * 2 >= sampler->options->window_seconds)
		return false;
	return sampler->taken || !progress_told_to_stop();
}

bool sampler_tick(struct sampler *sampler)
{
	bool replay = procfs_is_replay(sampler->fs), last;

	if (sampler->over)
		return false;
	last = progress_interrupted() || (sampler->ended && sampler->ended(sampler->arg));
	if (!replay && !last && now_ns() < due_ns(sampler))
		return true;
	if (!replay && last && is_too_short(sampler)) {
		sampler->cut = !sampler->taken;
		sampler->over = true;
		return false;
	}
	sampler->error = sweep_take(sampler->sweep);
	if (sampler->error)
		last = true;
	else
		sampler->taken++;
	if (!replay && sampler->taken >= sampler->windows)
		last = true;
	sampler->over = last;
	return !last;
}

void sampler_wait(const struct sampler *sampler)
{
	int most = sampler->ended ? ENDED_POLL_MS : POLL_MS;
	uint64_t now = now_ns(), due = due_ns(sampler);
	uint64_t left_ms = due > now ? (due - now + 999999) / 1000000 : 0;
	double window = sampler->options->window_seconds;

	if (!left_ms || procfs_is_replay(sampler->fs))
		return;
	if (!sampler->ended && sampler->windows * window >= 2)
		progress_show("sampling counters:",
			(sampler->taken + 1 - (double)left_ms / 1000 / window) / sampler->windows);
	poll(NULL, 0, left_ms < (uint64_t)most ? (int)left_ms : most);
}

void sampler_run(struct sampler *sampler, unsigned int windows)
{
	while (sampler_tick(sampler) && (sampler->taken < windows || procfs_is_replay(sampler->fs)))
		sampler_wait(sampler);
	progress_end();
}
