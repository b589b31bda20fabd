/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is seen who launches which kernel, by real probes? This program is its own runtime: it has
 * functions by the names of Level Zero's and OpenCL's, in the places of which nothing is launched.
 */
#include "base/banned.h"

#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sys/caps.h"
#include "tap.h"
#include "tools/gpu/conclusion.h"
#include "tools/gpu/launches.h"
#include "trace/trace.h"
#include "sources/gpu/eustall_read.h"

#pragma GCC optimize("no-omit-frame-pointer")

/* As a compiler must not: each is called, by its name, with all of its arguments. */
#define RUNTIME __attribute__((noinline, noclone, noipa, used))

/* ze_kernel_desc_t (Level Zero 1.0). */
struct kernel_desc {
	uint32_t stype;
	const void *next;
	uint32_t flags;
	const char *name;
};

uint32_t zeKernelCreate(void *module, const struct kernel_desc *desc, void **kernel);
uint32_t zeCommandListAppendLaunchKernel(void *to, void *kernel, const void *groups);
void *clCreateKernel(void *program, const char *name, int *error);
int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned int dimensions);
void render_frame(void *kernel);

static volatile int calls;
static char list[8]; /* of commands, or a queue */

RUNTIME uint32_t zeKernelCreate(void *module, const struct kernel_desc *desc, void **kernel)
{
	calls++;
	if (!desc->flags)
		*kernel = (char *)module + 8;
	return desc->flags;
}

RUNTIME uint32_t zeCommandListAppendLaunchKernel(void *to, void *kernel, const void *groups)
{
	calls++;
	return !to || !kernel || !groups;
}

RUNTIME void *clCreateKernel(void *program, const char *name, int *error)
{
	calls++;
	*error = !*name;
	return (char *)program + 16;
}

RUNTIME int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned int dimensions)
{
	calls++;
	return !queue + !kernel + !dimensions;
}

RUNTIME void render_frame(void *kernel)
{
	zeCommandListAppendLaunchKernel(list, kernel, list);
	calls++;
}

static int on_kernel(void *arg, const struct eustallfile_kernel *kernel)
{
	kernels_add(arg, kernel->id, kernel->address, kernel->size, kernel->name);
	return 0;
}

static int on_launch(void *arg, const struct eustallfile_launch *launch)
{
	kernels_launched(arg, kernels_by_id(arg, launch->kernel), launch->stack, launch->count);
	return 0;
}

static const struct gpu_kernel *by_name(const struct gpu_kernels *kernels, const char *name)
{
	for (size_t i = 0; i < kernels->n; i++)
		if (!strcmp(kernels->list[i].name, name))
			return &kernels->list[i];
	return NULL;
}

static bool has_frame(const struct gpu_kernel *kernel, const char *frame)
{
	for (size_t i = 0; i < kernel->n_stacks; i++)
		if (strstr(kernel->stacks[i].frames, frame))
			return true;
	return false;
}

/* 23 by one path and 5 by another of one kernel, 7 of another, 3 of one without a name. */
static void launch_all(void)
{
	struct kernel_desc desc = {.name = "gemm;\33kernel"}, refused = {.flags = 1, .name = "no"};
	static char module[64], program[64];
	void *kernel = NULL, *cl;
	int error;

	zeKernelCreate(module, &desc, &kernel);
	zeKernelCreate(module, &refused, &kernel);
	for (int i = 0; i < 23; i++)
		render_frame(kernel);
	for (int i = 0; i < 5; i++)
		zeCommandListAppendLaunchKernel(list, kernel, list);
	cl = clCreateKernel(program, "saxpy", &error);
	for (int i = 0; i < 7; i++)
		clEnqueueNDRangeKernel(list, cl, 1);
	for (int i = 0; i < 3; i++)
		clEnqueueNDRangeKernel(list, &error, 1);
}

/* The rights in effect, as the kernel numbers them: those beyond 31 are in the second. */
static void read_rights(uint32_t rights[2])
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	syscall(SYS_capget, &header, data);
	rights[0] = data[0].effective;
	rights[1] = data[1].effective;
}

static bool has_no_right(void)
{
	uint32_t rights[2];

	read_rights(rights);
	return !rights[0] && !rights[1];
}

/* Whether a right to do more than to open the file was in effect at any tick. */
static volatile sig_atomic_t ticks, was_mighty;

static void on_tick(int signal)
{
	const uint32_t to_open = 1u << CAP_DAC_READ_SEARCH | 1u << CAP_SYS_PTRACE;
	uint32_t rights[2];

	(void)signal;
	read_rights(rights);
	ticks++;
	if (rights[0] & ~to_open || rights[1])
		was_mighty = 1;
}

/* Reading the symbols of this program takes many ticks. */
static void collect_watched(struct launches *launches)
{
	const struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	const struct itimerval often = {{0, 100}, {0, 100}}, never = {0};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	launches_collect(launches);
	setitimer(ITIMER_REAL, &never, NULL);
	ok(!was_mighty && has_no_right(),
		"files of others are read with no right but to open them (%d ticks)", (int)ticks);
}

static void test_calls(struct launches *launches)
{
	const struct gpu_kernel *gemm, *saxpy, *nameless;
	struct gpu_kernels kernels = {0};
	const struct eustallfile_reader to = {
		.on_kernel = on_kernel, .on_launch = on_launch, .arg = &kernels};

	int err;

	ok(has_no_right(), "no right stays in effect");
	launch_all();
	collect_watched(launches);
	err = launches_tell(launches, &to);
	ok(!err && kernels.n == 3, "three kernels were launched (%zu)", kernels.n);
	gemm = by_name(&kernels, "gemm;\33kernel");
	saxpy = by_name(&kernels, "saxpy");
	nameless = by_name(&kernels, "");
	if (!ok(gemm && saxpy && nameless, "those that were created have their names"))
		return;
	ok(gemm->launches == 28 && saxpy->launches == 7 && nameless->launches == 3,
		"each launch is counted (%llu, %llu, %llu)", (unsigned long long)gemm->launches,
		(unsigned long long)saxpy->launches, (unsigned long long)nameless->launches);
	ok(gemm->n_stacks == 2 && has_frame(gemm, "render_frame_[u];") &&
			has_frame(gemm, "zeCommandListAppendLaunchKernel_[u]"),
		"by the path through the code that led to it: %s", gemm->stacks[0].frames);
	ok(!strncmp(gemm->stacks[0].frames, "gpulaunches.t;", 14), "the program comes first");
	ok(!gemm->address && !by_name(&kernels, "no"),
		"its place on the GPU is not known, and one that was refused is none");
	ok(!launches_lost(launches), "nothing is lost");
	kernels_free(&kernels);
}

int main(void)
{
	struct launches *launches;
	struct str why = STR_INIT;
	char self[4096] = "";

	traces_allow_memory();
	if (geteuid() || caps_start(CAPS_ALL) || readlink("/proc/self/exe", self, 4095) < 0) {
		printf("1..0 # SKIP probes need root\n");
		return 0;
	}
	launches_start(&launches, "/nowhere", &why);
	ok(!launches && why.len, "a file that is not there cannot be watched: %s", str_text(&why));
	str_clear(&why);
	launches_start(&launches, "/bin/sh", &why);
	ok(!launches && why.len, "nor one that launches nothing: %s", str_text(&why));
	str_clear(&why);
	launches_start(&launches, self, &why);
	if (!launches && strstr(str_text(&why), "the kernel does not take"))
		ok(true, "# SKIP %s", str_text(&why));
	else if (ok(launches != NULL, "the runtime is watched %s", str_text(&why)))
		test_calls(launches);
	launches_free(launches);
	str_free(&why);
	return tap_done();
}
