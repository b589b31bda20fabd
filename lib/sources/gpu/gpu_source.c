/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do the GPUs do, how fast do they run and what slows them, and who uses them?
 *
 * gpu: instances are devices. gpuclock: their parts with a clock each. gpureason: the reasons for
 * throttling of these. gpuengine: classes of engines. gpuclient: processes, and their engines. All
 * take what the collectors have sent by now (gpu_source.h): nobody waits, but for a first round.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/caps.h"
#include "sys/child.h"
#include "sample/source.h"
#include "sources/gpu/gpu_source.h"
#include "base/str.h"
#include "base/culprit.h"
#include "sources/gpu/discover.h"
#include "sources/gpu/pmu.h"
#include "sources/gpu/collect.h"
#include "sources/gpu/nvml.h"
#include "sources/gpu/model.h"
#include "sources/gpu/lines.h"
#include "sources/gpu/emit.h"

#define SHARED "gpus"
#define FIRST_MS 300 /* for the first round of a collector, once */
#define AT_BYTES 128
#define SAMPLE_BYTES_MAX (4u << 20)
#define END_MS 1000

struct stream {
	const char *blob;
	bool nvidia;
	bool running;
	struct child child;
	struct str rest; /* a line that has not come whole */
	uint64_t heard_ns;
	bool ended;
};

struct gpus {
	struct gpu_devices devices;
	struct gpu_model *model;
	struct gpu_collector collector;
	struct stream streams[2];
	bool waited;
	bool known; /* that there is a GPU, or none */
	bool taken; /* of this sample: */
	uint64_t sample;
};

/* A collector is given no time to end: it has nothing to put back. One that hangs in the kernel is
 * left behind and ends when that lets it go. */
static void gpu_stop_stream(struct stream *stream)
{
	uint64_t deadline = monotonic_ns() + END_MS * 1000000ull;

	if (stream->running) {
		kill(stream->child.pid, SIGKILL);
		close(stream->child.fd);
		while (!waitpid(stream->child.pid, NULL, WNOHANG) && monotonic_ns() < deadline)
			poll(NULL, 0, 1);
	}
	str_free(&stream->rest);
}

static void gpu_release(void *object)
{
	struct gpus *gpus = object;

	gpu_stop_stream(&gpus->streams[0]);
	gpu_stop_stream(&gpus->streams[1]);
	gpu_pmu_close(gpus->collector.pmu);
	gpu_model_free(gpus->model);
	if (gpus->collector.at)
		munmap(gpus->collector.at, AT_BYTES);
	free(gpus);
}

static void gpu_start_stream(struct stream *stream, int (*work)(void *arg, int fd), void *arg)
{
	if (child_start(&stream->child, work, arg))
		return;
	stream->running = true;
	stream->heard_ns = monotonic_ns();
	fcntl(stream->child.fd, F_SETFL, O_NONBLOCK);
}

/* What is there is known even if the first question to it hangs. */
static void announce(struct gpus *gpus)
{
	size_t i;

	for (i = 0; i < gpus->devices.n; i++) {
		const struct gpu_device *device = &gpus->devices.list[i];

		str_addf(&gpus->streams[0].rest, "gpu %s %s %s\n", device->name, device->driver,
			*device->card ? device->card : "-");
	}
}

static void start_collectors(struct capture *fs, struct gpus *gpus)
{
	struct gpu_collector *collector = &gpus->collector;

	announce(gpus);
	collector->fs = fs;
	collector->devices = &gpus->devices;
	collector->at =
		mmap(NULL, AT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	collector->at_size = AT_BYTES;
	if (collector->at == MAP_FAILED)
		collector->at = NULL;
	/* With fdinfo of every process there is no need to keep an xe awake by counting. */
	if (capture_is_live(fs))
		collector->pmu = gpu_pmu_open(fs, &gpus->devices,
			!caps_have(CAPS_PTRACE | CAPS_READ), &gpus->streams[0].rest);
	if (collector->at)
		gpu_start_stream(&gpus->streams[0], gpu_collect, collector);
	if (!gpus->streams[0].running)
		str_add(&gpus->streams[0].rest,
			"missing what reads the GPUs could not be started\n");
	if (nvml_has_devices(&gpus->devices) && capture_is_live(fs))
		gpu_start_stream(&gpus->streams[1], nvml_run, &gpus->devices);
	/* The collector has it. */
	caps_drop(CAPS_GPU_ERRORS);
}

static int open_gpus(struct capture *fs, void **state)
{
	struct gpus *gpus = capture_attached(fs, SHARED);

	if (!gpus) {
		gpus = mem_zalloc(sizeof(*gpus));
		gpus->model = gpu_model_new();
		gpus->streams[0].blob = "gpu";
		gpus->streams[1].blob = "gpu-nvml";
		gpus->streams[1].nvidia = true;
		if (!capture_is_replay(fs)) {
			gpu_find(fs, &gpus->devices);
			if (gpus->devices.n)
				start_collectors(fs, gpus);
		}
		capture_attach(fs, SHARED, gpus, gpu_release);
	}
	*state = gpus;
	return 0;
}

/* Takes what has come, whole lines of it. */
static void drain(struct stream *stream, struct str *lines)
{
	char buf[65536];
	ssize_t n = 0;
	size_t len;

	str_add(lines, str_text(&stream->rest));
	str_clear(&stream->rest);
	while (stream->running && lines->len < SAMPLE_BYTES_MAX &&
		(n = read(stream->child.fd, buf, sizeof(buf))) > 0) {
		str_addn(lines, buf, (size_t)n);
		stream->heard_ns = monotonic_ns();
	}
	stream->ended = stream->running && n == 0;
	for (len = lines->len; len && lines->text[len - 1] != '\n'; len--)
		;
	str_add(&stream->rest, str_text(lines) + len);
	if (lines->text) {
		lines->len = len;
		lines->text[len] = 0;
	}
}

/* So that the first sample has something to compare the others with. */
static void wait_for_first(struct gpus *gpus)
{
	int i, left_ms = FIRST_MS;

	for (i = 0; i < 2 && !gpus->waited; i++) {
		struct stream *stream = &gpus->streams[i];
		struct pollfd poller = {.fd = stream->child.fd, .events = POLLIN};
		uint64_t before = monotonic_ns();

		if (!stream->running)
			continue;
		poll(&poller, 1, left_ms);
		left_ms -= (int)((monotonic_ns() - before) / 1000000);
		if (left_ms < 0)
			left_ms = 0;
	}
	gpus->waited = true;
}

/* "silent SECONDS WHERE": how long nothing has come. */
static void take_live(struct capture *fs, struct gpus *gpus, struct stream *stream)
{
	struct str lines = STR_INIT;

	gpus->known = true;
	/* A recording must show that there was none. */
	if (!gpus->devices.n)
		capture_put_blob(fs, gpus->streams[0].blob, "end\n", strlen("end\n"));
	if (!stream->running && !stream->rest.len)
		return;
	drain(stream, &lines);
	if (stream->ended)
		str_add(&lines,
			stream->nvidia
				? "missing the NVIDIA library: what asks it needs glibc 2.34 or "
				  "newer, or it crashed\n"
				: "missing what reads the GPUs has ended too early\n");
	else if (stream->running)
		str_addf(&lines, "silent %.3f %s\n",
			(double)(monotonic_ns() - stream->heard_ns) / 1e9,
			stream->nvidia ? "the NVIDIA library" : gpus->collector.at);
	capture_put_blob(fs, stream->blob, str_text(&lines), lines.len);
	gpu_model_add(gpus->model, (struct bytes){str_text(&lines), lines.len}, stream->nvidia);
	str_free(&lines);
}

static void take_replayed(struct capture *fs, struct gpus *gpus, const struct stream *stream)
{
	struct bytes lines;

	if (capture_get_blob(fs, stream->blob, &lines))
		return;
	gpus->known = true;
	gpu_model_add(gpus->model, lines, stream->nvidia);
}

/* Whichever of the sources comes first takes it for all. */
static void gpu_take_sample(struct capture *fs, struct gpus *gpus)
{
	int i;

	if (gpus->taken && gpus->sample == capture_sample(fs))
		return;
	gpus->taken = true;
	gpus->sample = capture_sample(fs);
	if (!capture_is_replay(fs))
		wait_for_first(gpus);
	for (i = 0; i < 2; i++)
		if (capture_is_replay(fs))
			take_replayed(fs, gpus, &gpus->streams[i]);
		else
			take_live(fs, gpus, &gpus->streams[i]);
}

static int read_view(struct capture *fs, void *state, enum gpu_view view, struct sink *sink)
{
	struct gpus *gpus = state;

	gpu_take_sample(fs, gpus);
	if (!gpus->known)
		return -ENODATA;
	gpu_model_put(gpus->model, view, sink);
	return 0;
}

static int read_devices(struct capture *fs, void *state, struct sink *sink)
{
	return read_view(fs, state, GPU_VIEW_DEVICE, sink);
}

static int read_clocks(struct capture *fs, void *state, struct sink *sink)
{
	return read_view(fs, state, GPU_VIEW_CLOCK, sink);
}

static int read_reasons(struct capture *fs, void *state, struct sink *sink)
{
	return read_view(fs, state, GPU_VIEW_REASON, sink);
}

static int read_engines(struct capture *fs, void *state, struct sink *sink)
{
	return read_view(fs, state, GPU_VIEW_ENGINE, sink);
}

static int read_clients(struct capture *fs, void *state, struct sink *sink)
{
	return read_view(fs, state, GPU_VIEW_CLIENT, sink);
}

/* A broken device is nobody's fault; one that works too hot is somebody's work. */
static bool gpu_device_culprit(
	struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct gpus *gpus = state;

	(void)fs;
	return gpu_model_culprit(gpus->model, instance, false, out);
}

static bool user_of(struct capture *fs, void *state, const char *instance, struct culprit *out)
{
	const struct gpus *gpus = state;

	(void)fs;
	return gpu_model_culprit(gpus->model, instance, true, out);
}

SOURCE(gpu) = {
	.name = "gpu",
	.what = "GPUs: busy time, power, temperature, errors; one that sleeps is not woken",
	.open = open_gpus,
	.read = read_devices,
	.culprit = gpu_device_culprit,
};

SOURCE(gpuclock) = {
	.name = "gpuclock",
	.what = "GPUs' parts with a clock each: how fast, and how often slowed by heat or power",
	.open = open_gpus,
	.read = read_clocks,
	.culprit = user_of,
};

SOURCE(gpureason) = {
	.name = "gpureason",
	.what = "GPUs' reasons for running slower, in their drivers' words",
	.open = open_gpus,
	.read = read_reasons,
	.culprit = user_of,
};

SOURCE(gpuengine) = {
	.name = "gpuengine",
	.what = "GPUs' engines (render, compute, copy, video): busy time",
	.open = open_gpus,
	.read = read_engines,
	.culprit = user_of,
};

SOURCE(gpuclient) = {
	.name = "gpuclient",
	.what = "processes that use a GPU: time on each engine, and memory",
	.open = open_gpus,
	.read = read_clients,
	.culprit = user_of,
};
