/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does the NVIDIA library say of these GPUs? nvml_helper PCI-ADDRESS..., until nobody reads
 * it.
 *
 * A program of its own, dynamically linked, since the library is no use to a static one; it is
 * embedded in the programs and run without any rights (lib/sources/gpu/nvml.c). It writes the lines
 * of lib/sources/gpu/gpu_source.h. Every function of the library may be missing: then so is its
 * line. A GPU is asked for by its address, since asking by number makes the library touch others;
 * one that sleeps is not asked for, and where the kernel may put one to sleep the library is let go
 * of in between, since it keeps them awake.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "embed/nvml_abi.h"

#define DEVICES_MAX 64
#define ROUND_MS 80
#define SLOW_ROUNDS 5
#define BURST_ROUNDS 13 /* a second, and the round that ends it */
#define PAUSE_MS 900
#define PROCESSES_MAX 256

/* Bits of nvmlClocksEventReasons. */
static const struct {
	unsigned long long bit;
	const char *name;
} reason_bits[] = {
	{0x2, "applications_clocks"},
	{0x4, "sw_power_cap"},
	{0x8, "hw_slowdown"},
	{0x10, "sync_boost"},
	{0x20, "sw_thermal"},
	{0x40, "hw_thermal"},
	{0x80, "hw_power_brake"},
};

static struct gpu {
	const char *name;
	nvml_device_t device;
	bool usable, lost;
} gpus[DEVICES_MAX];
static size_t n_gpus;

static bool file_says(const struct gpu *gpu, const char *file, const char *word, bool missing)
{
	char path[160], text[32] = "";
	FILE *stream;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/power/%s", gpu->name, file);
	stream = fopen(path, "re");
	if (!stream)
		return missing;
	if (!fgets(text, sizeof(text), stream))
		*text = 0;
	fclose(stream);
	text[strcspn(text, "\n")] = 0;
	return !strcmp(text, word);
}

static bool is_awake(const struct gpu *gpu)
{
	return file_says(gpu, "runtime_status", "active", true) ||
		file_says(gpu, "runtime_status", "unsupported", true);
}

/* Whether any of them may be put to sleep: then it must not be held. */
static bool may_sleep(void)
{
	size_t i;

	for (i = 0; i < n_gpus; i++)
		if (file_says(&gpus[i], "control", "auto", false))
			return true;
	return false;
}

static const char *error_text(int err)
{
	static char number[32];

	if (nvml.error)
		return nvml.error(err);
	snprintf(number, sizeof(number), "error %d", err);
	return number;
}

/* Those that are awake. Returns whether there is any. */
static bool find(void)
{
	bool any = false;
	size_t i;
	int err;

	for (i = 0; i < n_gpus; i++) {
		gpus[i].usable = false;
		if (!is_awake(&gpus[i]))
			continue;
		err = nvml.handle(gpus[i].name, &gpus[i].device);
		gpus[i].usable = err == OK;
		gpus[i].lost = err == LOST || err == RESET;
		if (err && !gpus[i].lost)
			printf("missing the NVIDIA library on %s: %s\n", gpus[i].name,
				error_text(err));
		any |= err == OK || gpus[i].lost;
	}
	return any;
}

__attribute__((format(printf, 3, 4))) static void put(
	struct gpu *gpu, int err, const char *format, ...)
{
	va_list args;

	if (err == LOST || err == RESET)
		gpu->lost = true;
	if (err)
		return;
	printf("%s ", gpu->name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void ask_fast(struct gpu *gpu)
{
	struct utilization utilization;
	unsigned long long bits;
	unsigned int mhz;
	size_t i;
	int err;

	if (nvml.utilization) {
		err = nvml.utilization(gpu->device, &utilization);
		put(gpu, err, "busy_percent %u", err ? 0 : utilization.gpu);
	}
	if (nvml.clock) {
		err = nvml.clock(gpu->device, 1, &mhz);
		put(gpu, err, "sm.act_mhz %u", err ? 0 : mhz);
	}
	if (!nvml.reasons)
		return;
	err = nvml.reasons(gpu->device, &bits);
	for (i = 0; i < COUNT(reason_bits); i++)
		put(gpu, err, "sm.flag.%s %d", reason_bits[i].name,
			!err && (bits & reason_bits[i].bit));
}

static void ask_errors(struct gpu *gpu)
{
	unsigned int corrected, uncorrected, pending, failed;
	unsigned long long count;
	int err;

	if (nvml.ecc) {
		err = nvml.ecc(gpu->device, 1, 0, &count);
		put(gpu, err, "ras_uncorrectable %llu", err ? 0 : count);
		err = nvml.ecc(gpu->device, 0, 0, &count);
		put(gpu, err, "ras_correctable %llu", err ? 0 : count);
	}
	if (nvml.remapped) {
		err = nvml.remapped(gpu->device, &corrected, &uncorrected, &pending, &failed);
		put(gpu, err, "remap_pending %u", err ? 0 : pending);
		put(gpu, err, "remap_failed %u", err ? 0 : failed);
	}
}

static void ask_slow(struct gpu *gpu)
{
	struct memory memory;
	unsigned int number;
	int err;

	if (nvml.max_clock) {
		err = nvml.max_clock(gpu->device, 1, &number);
		put(gpu, err, "sm.max_mhz %u", err ? 0 : number);
	}
	if (nvml.power) {
		err = nvml.power(gpu->device, &number);
		put(gpu, err, "power_uw %llu", err ? 0 : number * 1000ull);
	}
	if (nvml.power_limit) {
		err = nvml.power_limit(gpu->device, &number);
		put(gpu, err, "power_limit_uw %llu", err ? 0 : number * 1000ull);
	}
	if (nvml.temperature) {
		err = nvml.temperature(gpu->device, 0, &number);
		put(gpu, err, "sensor.0.millicelsius %llu", err ? 0 : number * 1000ull);
	}
	/* The one from which on it is slowed. */
	if (nvml.temperature && !err && nvml.temperature_limit) {
		err = nvml.temperature_limit(gpu->device, 1, &number);
		put(gpu, err, "sensor.0.critical_millicelsius %llu", err ? 0 : number * 1000ull);
	}
	if (nvml.memory) {
		err = nvml.memory(gpu->device, &memory);
		put(gpu, err, "memory_bytes %llu", err ? 0 : memory.total);
		put(gpu, err, "memory_used_bytes %llu", err ? 0 : memory.used);
	}
	ask_errors(gpu);
}

static void put_name(unsigned int pid)
{
	char path[40], name[64];
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	stream = fopen(path, "re");
	if (!stream)
		return;
	if (fgets(name, sizeof(name), stream)) {
		name[strcspn(name, "\n")] = 0;
		printf("comm %u %s\n", pid, name);
	}
	fclose(stream);
}

static void ask_processes(
	struct gpu *gpu, int (*ask)(nvml_device_t device, unsigned int *n, struct process *list))
{
	static struct process list[PROCESSES_MAX];
	unsigned int n = PROCESSES_MAX, i;
	int err = ask ? ask(gpu->device, &n, list) : TOO_SMALL;

	/* All ones is the library's "not available". */
	for (i = 0; !err && i < n && i < PROCESSES_MAX; i++) {
		put_name(list[i].pid);
		if (list[i].used_bytes != UINT64_MAX)
			printf("mem %s %u %u vram %llu\n", gpu->name, list[i].pid, list[i].pid,
				list[i].used_bytes);
	}
}

static unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

static void ask_clients(void)
{
	size_t i;

	printf("scan %llu some\n", now_ns());
	for (i = 0; i < n_gpus; i++) {
		if (!gpus[i].usable)
			continue;
		ask_processes(&gpus[i], nvml.compute);
		ask_processes(&gpus[i], nvml.graphics);
	}
}

/* One round. Returns false when nobody reads any more. */
static bool ask(unsigned int round)
{
	size_t i;

	printf("t %llu\n", now_ns());
	for (i = 0; i < n_gpus; i++) {
		gpus[i].usable &= is_awake(&gpus[i]);
		if (gpus[i].usable)
			ask_fast(&gpus[i]);
		if (gpus[i].usable && round % SLOW_ROUNDS == 0)
			ask_slow(&gpus[i]);
		if (gpus[i].usable || gpus[i].lost)
			printf("%s wedged %d\n", gpus[i].name, gpus[i].lost);
	}
	if (round % SLOW_ROUNDS == 0)
		ask_clients();
	printf("end\n");
	return !fflush(stdout);
}

static void wait_ms(long ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

/* From nvmlInit to nvmlShutdown. Returns false when it is no use to go on. */
static bool look(bool sleepy)
{
	bool more = true;
	unsigned int round;
	int err = nvml.init();

	if (err) {
		printf("missing the NVIDIA library: %s\n", error_text(err));
		fflush(stdout);
		return false;
	}
	find();
	for (round = 0; more && (!sleepy || round < BURST_ROUNDS); round++) {
		more = ask(round);
		wait_ms(ROUND_MS);
	}
	if (nvml.shutdown)
		nvml.shutdown();
	return more;
}

int main(int argc, char **argv)
{
	bool awake, more = true;
	unsigned int round = 0;
	size_t i;
	int k;

	/* Run from a descriptor, it would go by its number. */
	prctl(PR_SET_NAME, "nvml_helper");
	signal(SIGPIPE, SIG_DFL);
	for (k = 1; k < argc && n_gpus < DEVICES_MAX; k++)
		gpus[n_gpus++].name = argv[k];
	/* Loading it touches nothing, but there is no need to while all sleep. */
	while (more) {
		for (awake = false, i = 0; i < n_gpus; i++)
			awake |= is_awake(&gpus[i]);
		if (awake && !nvml.init && !nvml_load())
			break;
		if (awake) {
			more = look(may_sleep());
		} else {
			more = ask(round++ * SLOW_ROUNDS);
		}
		wait_ms(awake ? PAUSE_MS : ROUND_MS * SLOW_ROUNDS);
	}
	fflush(stdout);
	return 0;
}
