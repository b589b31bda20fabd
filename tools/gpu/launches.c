/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs launch which kernels, from where in their code? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/gpu/conclusion.h"
#include "bpf/probe/launch.h"
#include "sys/caps.h"
#include "base/escape.h"
#include "tools/gpu/launches.h"
#include "tools/gpu/runtimes.h"
#include "tools/gpu/symbols.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/probe/launch.skel.h"
#include "sources/gpu/eustall_read.h"
#include "tools/gpu/folded.h"
#pragma GCC diagnostic pop

#define UPROBES "/sys/bus/event_source/devices/uprobe/type"

enum {
	LINKS_MAX = 128,
	NAMES_MAX = 8192,	     /* handles that have a name */
	FRAMES_BYTES_MAX = 64 << 20, /* of all paths: names are as long as others want them */
	RIGHTS = CAPS_BPF | CAPS_READ | CAPS_PTRACE | CAPS_NAMESPACE,
};

/* A path to a launch, sent once. */
struct path {
	struct launch_key key;
	uint64_t size;
	char *name, *frames;
	const char *kernel; /* its name, found when all names are there */
};

struct handle {
	uint32_t pid;
	uint64_t handle;
	char *name;
};

struct launches {
	struct launch_full *skeleton;
	struct ring_buffer *ring;
	struct bpf_link *links[LINKS_MAX];
	size_t n_links;
	struct symbols *symbols;
	struct path *paths;
	size_t n_paths, paths_room;
	size_t frames_bytes;
	struct handle *handles;
	size_t n_handles, handles_room;
	uint64_t lost;
	int refused; /* the last error other than that there is nothing to attach to */
};

static void add_handle(struct launches *launches, const struct launch_event *event)
{
	if (launches->n_handles == NAMES_MAX) {
		launches->lost++;
		return;
	}
	ARRAY_GROW(launches->handles, launches->n_handles, launches->handles_room);
	launches->handles[launches->n_handles++] = (struct handle){
		event->key.pid, event->key.handle, mem_strndup(event->name, sizeof(event->name))};
}

static void add_frame(struct launches *launches, const struct launch_event *event, uint64_t address,
	struct str *frames)
{
	struct str name = STR_INIT;

	symbols_add_name(launches->symbols, (pid_t)event->key.pid, address, &name);
	str_addc(frames, ';');
	gpu_conclusion_add_frame(frames, str_text(&name), "_[u]");
	str_free(&name);
}

static char *make_frames(struct launches *launches, const struct launch_event *event)
{
	const uint32_t n = event->frames < LAUNCH_FRAMES ? event->frames : LAUNCH_FRAMES;
	char comm[sizeof(event->comm) + 1] = "";
	struct str frames = STR_INIT;

	memcpy(comm, event->comm, sizeof(event->comm));
	gpu_conclusion_add_frame(&frames, comm, "");
	for (uint32_t i = n; i-- > 0;) {
		/* Code without frame pointers hides who called what is called here. */
		if (!i && event->caller && (n < 2 || event->stack[1] != event->caller))
			add_frame(launches, event, event->caller, &frames);
		add_frame(launches, event, event->stack[i], &frames);
	}
	return str_take(&frames);
}

static int on_event(void *arg, void *data, size_t size)
{
	struct launches *launches = arg;
	const struct launch_event *event = data;
	char *frames;

	if (size < sizeof(*event))
		return 0;
	if (event->key.kind == LAUNCH_CREATED) {
		add_handle(launches, event);
		return 0;
	}
	if (launches->frames_bytes > FRAMES_BYTES_MAX) {
		launches->lost++;
		return 0;
	}
	frames = make_frames(launches, event);
	launches->frames_bytes += strlen(frames);
	ARRAY_GROW(launches->paths, launches->n_paths, launches->paths_room);
	launches->paths[launches->n_paths++] = (struct path){
		event->key, event->size, mem_strndup(event->name, sizeof(event->name)), frames, ""};
	return 0;
}

/* Whether it was attached; a function that is not there is no error. */
static bool launches_keep_link(struct launches *launches, struct bpf_link *link)
{
	if (!link) {
		if (errno != ENOENT)
			launches->refused = -errno;
		return false;
	}
	if (launches->n_links == LINKS_MAX)
		bpf_link__destroy(link);
	else
		launches->links[launches->n_links++] = link;
	return true;
}

static bool attach_function(struct launches *launches, struct bpf_program *program,
	const char *file, const char *function, bool at_return)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = function, .retprobe = at_return);

	return launches_keep_link(
		launches, bpf_program__attach_uprobe_opts(program, -1, file, 0, &opts));
}

/* The functions that programs call. Returns whether any was found. */
static bool attach_calls(struct launches *launches, const char *file)
{
	static const char *const calls[] = {"zeCommandListAppendLaunchKernel",
		"zeCommandListAppendLaunchCooperativeKernel",
		"zeCommandListAppendLaunchKernelIndirect", "clEnqueueNDRangeKernel"};
	struct launch_full *skeleton = launches->skeleton;
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		any |= attach_function(launches, skeleton->progs.launch, file, calls[i], false);
	if (!any)
		return false;
	if (attach_function(launches, skeleton->progs.create_ze, file, "zeKernelCreate", false))
		attach_function(launches, skeleton->progs.created_ze, file, "zeKernelCreate", true);
	if (attach_function(launches, skeleton->progs.create_cl, file, "clCreateKernel", false))
		attach_function(launches, skeleton->progs.created_cl, file, "clCreateKernel", true);
	return true;
}

static bool attach_own_probe(struct launches *launches, const char *file)
{
	return launches_keep_link(launches,
		bpf_program__attach_usdt(launches->skeleton->progs.placed, -1, file, "level_zero",
			"launch_kernel", NULL));
}

/*
 * Each launch is to be seen once: by a driver's own probe, which knows most, or else by what the
 * program called. Returns whether anything is watched.
 */
static bool attach_all(struct launches *launches, const struct runtimes *runtimes)
{
	bool own[RUNTIMES_MAX] = {false}, any_own = false, any;

	for (size_t i = 0; i < runtimes->n; i++) {
		const enum runtime_kind kind = runtimes->kinds[i];

		if (kind == RUNTIME_DRIVER || kind == RUNTIME_ASKED)
			own[i] = attach_own_probe(launches, runtimes->files[i]);
		any_own |= own[i];
	}
	any = any_own;
	for (size_t i = 0; i < runtimes->n; i++) {
		const enum runtime_kind kind = runtimes->kinds[i];

		if (!own[i] && kind != RUNTIME_DRIVER && !(kind == RUNTIME_LEVEL_ZERO && any_own))
			any |= attach_calls(launches, runtimes->files[i]);
	}
	return any;
}

static int launches_load(struct launches *launches)
{
	int err;

	/* Without it libbpf would use tracefs, where a probe outlives us if we are killed. */
	if (access(UPROBES, F_OK))
		return -EOPNOTSUPP;
	libbpf_set_print(NULL);
	launches->skeleton = launch_full__open();
	if (!launches->skeleton)
		return -errno;
	err = launch_full__load(launches->skeleton);
	if (err)
		return err;
	launches->ring = ring_buffer__new(
		bpf_map__fd(launches->skeleton->maps.events), on_event, launches, NULL);
	return launches->ring ? 0 : -errno;
}

static void launches_explain(struct str *why, int err)
{
	if (err == -EPERM || err == -EACCES)
		str_add(why, "needs CAP_SYS_ADMIN to watch other users' programs: run as root");
	else
		str_addf(why, "the kernel rejects the probe: %s", strerror(-err));
}

void launches_start(struct launches **out, const char *library, struct str *why)
{
	struct launches *launches = mem_zalloc(sizeof(*launches));
	struct runtimes runtimes = {0};
	bool attached = false;
	int err = 0;

	*out = NULL;
	/* A probe in a file that others run takes CAP_SYS_ADMIN, whatever CAP_PERFMON is for. */
	caps_raise(RIGHTS);
	runtimes_find(&runtimes, library);
	if (!runtimes.n && library)
		str_addf(why, "%s: %s", library, strerror(ENOENT));
	else if (!runtimes.n)
		str_add(why,
			"no program that may be examined has a GPU and Level Zero or OpenCL open");
	else
		err = launches_load(launches);
	if (err)
		launches_explain(why, err);
	else if (runtimes.n)
		attached = attach_all(launches, &runtimes);
	caps_lower(RIGHTS);
	if (!err && runtimes.n && !attached && launches->refused)
		launches_explain(why, launches->refused);
	else if (!err && runtimes.n && !attached)
		str_add(why, "no function that launches kernels was found in their runtime");
	runtimes_free(&runtimes);
	launches->symbols = symbols_new();
	if (attached)
		*out = launches;
	else
		launches_free(launches);
}

void launches_collect(struct launches *launches)
{
	ring_buffer__consume(launches->ring);
}

/* The name of a kernel that was launched by its handle; the last one that it got. */
static const char *launches_name_of(const struct launches *launches, const struct path *path)
{
	if (path->key.kind == LAUNCH_PLACED)
		return path->name;
	for (size_t i = launches->n_handles; i-- > 0;)
		if (launches->handles[i].pid == path->key.pid &&
			launches->handles[i].handle == path->key.handle)
			return launches->handles[i].name;
	return "";
}

/* A handle is its process's; a kernel that has a name or an address is the same for all. */
static bool is_same_kernel(const struct path *a, const struct path *b)
{
	if (a->key.kind != b->key.kind || strcmp(a->kernel, b->kernel) != 0)
		return false;
	if (a->key.kind == LAUNCH_PLACED)
		return a->key.handle == b->key.handle && a->size == b->size;
	return *a->kernel || (a->key.pid == b->key.pid && a->key.handle == b->key.handle);
}

/* The first path to the same kernel: its index is the kernel's id. */
static size_t launches_first_of(const struct launches *launches, size_t path)
{
	size_t first = 0;

	while (!is_same_kernel(&launches->paths[first], &launches->paths[path]))
		first++;
	return first;
}

static int tell_kernel(struct launches *launches, size_t i, const struct eustallfile_reader *to)
{
	const struct path *path = &launches->paths[i];
	const bool placed = path->key.kind == LAUNCH_PLACED;
	const struct eustallfile_kernel kernel = {
		(uint32_t)i, placed ? path->key.handle : 0, placed ? path->size : 0, path->kernel};

	return to->on_kernel(to->arg, &kernel);
}

static int tell_launch(
	struct launches *launches, size_t i, size_t kernel, const struct eustallfile_reader *to)
{
	const struct path *path = &launches->paths[i];
	struct eustallfile_launch launch = {(uint32_t)kernel, 0, path->frames};
	int err;

	caps_raise(CAPS_BPF);
	err = bpf_map_lookup_elem(
		bpf_map__fd(launches->skeleton->maps.counts), &path->key, &launch.count);
	caps_lower(CAPS_BPF);
	return err ? 0 : to->on_launch(to->arg, &launch);
}

int launches_tell(struct launches *launches, const struct eustallfile_reader *to)
{
	size_t *kernels = mem_realloc_array(NULL, launches->n_paths, sizeof(*kernels));
	int err = 0;

	for (size_t i = 0; i < launches->n_paths; i++)
		launches->paths[i].kernel = launches_name_of(launches, &launches->paths[i]);
	for (size_t i = 0; i < launches->n_paths && !err; i++) {
		kernels[i] = launches_first_of(launches, i);
		if (kernels[i] == i)
			err = tell_kernel(launches, i, to);
	}
	for (size_t i = 0; i < launches->n_paths && !err; i++)
		err = tell_launch(launches, i, kernels[i], to);
	free(kernels);
	return err;
}

uint64_t launches_lost(const struct launches *launches)
{
	return launches->lost + launches->skeleton->bss->lost;
}

void launches_free(struct launches *launches)
{
	if (!launches)
		return;
	for (size_t i = 0; i < launches->n_links; i++)
		bpf_link__destroy(launches->links[i]);
	ring_buffer__free(launches->ring);
	launch_full__destroy(launches->skeleton);
	symbols_free(launches->symbols);
	for (size_t i = 0; i < launches->n_paths; i++) {
		free(launches->paths[i].name);
		free(launches->paths[i].frames);
	}
	free(launches->paths);
	for (size_t i = 0; i < launches->n_handles; i++)
		free(launches->handles[i].name);
	free(launches->handles);
	free(launches);
}
