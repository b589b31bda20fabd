/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How is one tracer loaded? Compiled once for each bpf/NAME.bpf.c, with TRACER, TRACER_LIGHT and
 * TRACER_FULL set to its name and its two skeletons, of which the full one has the object file. All
 * tracers have the maps and globals of bpf/trace.bpf.h, so that this file can name them.
 */
#include "base/banned.h"

#include <bpf/bpf.h>

#include "loader/light_skeleton.h"
#include "loader/object_load.h"
#include "trace/registry.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include TRACER_LIGHT
#include TRACER_FULL
#pragma GCC diagnostic pop

#define PASTE_AGAIN(a, b) a##b
#define PASTE(a, b) PASTE_AGAIN(a, b)
#define QUOTE_AGAIN(a) #a
#define QUOTE(a) QUOTE_AGAIN(a)
#define LIGHT(function) PASTE(TRACER, _light__##function)
#define FULL(function) PASTE(TRACER, _full__##function)
#define LIGHT_STRUCT PASTE(TRACER, _light)
#define FULL_STRUCT PASTE(TRACER, _full)
#define FULL_CONSTANTS PASTE(TRACER, _full__rodata)
#define FULL_VARIABLES PASTE(TRACER, _full__bss)

static struct trace_params with_rows(
	const struct tracer_setup *setup, const struct tracer_rows *rows)
{
	struct trace_params params = setup->params;

	params.row_cpus = rows->cpus;
	params.shared = rows->cpus < setup->cpus;
	return params;
}

static void unload_object(void *object)
{
	object_close(object);
	free(object);
}

/* The maps and parameters as this run wants them. */
static int set_up_object(
	struct object *object, const struct tracer_setup *setup, struct tracer_loaded *out)
{
	struct object_map *constants = object_map(object, ".rodata");
	struct FULL_CONSTANTS *rodata = constants ? constants->globals : NULL;
	struct tracer_rows rows;

	if (!rodata ||
		constants->value_size <
			offsetof(struct FULL_CONSTANTS, info) + sizeof(rodata->info) ||
		!object_map(object, ".bss"))
		return -ENOTSUP;
	rows = tracer_rows(setup, &rodata->info);
	rodata->params = with_rows(setup, &rows);
	object_map(object, "hists")->max_entries = rows.hists;
	object_map(object, "rows")->max_entries = rows.rows;
	object_map(object, "destinations")->max_entries = rows.destinations;
	out->row_cpus = rows.cpus;
	out->info = rodata->info;
	return 0;
}

static void describe_object(struct object *object, struct tracer_loaded *out)
{
	struct FULL_VARIABLES *bss = object_map(object, ".bss")->globals;
	size_t i;

	out->skeleton = object;
	out->unload = unload_object;
	out->hists = object_map(object, "hists")->fd;
	out->rows = object_map(object, "rows")->fd;
	out->top = object_map(object, "top")->fd;
	out->destinations = object_map(object, "destinations")->fd;
	out->events = object_map(object, "events") ? object_map(object, "events")->fd : -1;
	out->lost = &bss->lost;
	out->budget = &bss->budget;
	out->phase = &bss->phase;
	_Static_assert(OBJECT_PROGRAMS <= TRACER_PROGRAMS, "programs");
	for (i = 0; i < object->n_programs; i++)
		out->programs[out->n_programs++] = (struct tracer_program){
			.fd = object->programs[i].fd,
			.tracepoint = object_tracepoint(object->programs[i].section),
		};
}

static int load_object(const struct tracer_setup *setup, struct tracer_loaded *out)
{
	struct object *object = malloc(sizeof(*object));
	const void *bytes;
	size_t size;
	int err;

	if (!object)
		return -ENOMEM;
	*out = (struct tracer_loaded){0};
	bytes = FULL(elf_bytes)(&size);
	err = object_open(object, bytes, size);
	if (!err)
		err = set_up_object(object, setup, out);
	if (!err)
		err = object_load(object);
	if (err)
		unload_object(object);
	else
		describe_object(object, out);
	return err;
}

static void unload_light(void *skeleton)
{
	LIGHT(destroy)(skeleton);
}

/* What is attached by name would need it. */
static bool light_is_enough(const struct tracer_loaded *loaded)
{
	struct bpf_prog_info info;
	__u32 size;
	size_t i;

	for (i = 0; i < loaded->n_programs; i++) {
		size = sizeof(info);
		memset(&info, 0, size);
		if (bpf_obj_get_info_by_fd(loaded->programs[i].fd, &info, &size) ||
			info.type == BPF_PROG_TYPE_RAW_TRACEPOINT)
			return false;
	}
	return true;
}

static int load_light(const struct tracer_setup *setup, struct tracer_loaded *out)
{
	struct LIGHT_STRUCT *skel = LIGHT(open)();
	struct tracer_rows rows;
	const struct bpf_prog_desc *programs;
	size_t i;
	int err;

	if (!skel)
		return -ENOMEM;
	rows = tracer_rows(setup, &skel->rodata->info);
	skel->rodata->params = with_rows(setup, &rows);
	skel->maps.hists.max_entries = rows.hists;
	skel->maps.rows.max_entries = rows.rows;
	skel->maps.destinations.max_entries = rows.destinations;
	err = LIGHT(load)(skel);
	if (err) {
		LIGHT(destroy)(skel);
		return err;
	}
	*out = (struct tracer_loaded){.skeleton = skel, .unload = unload_light};
	out->hists = skel->maps.hists.map_fd;
	out->rows = skel->maps.rows.map_fd;
	out->top = skel->maps.top.map_fd;
	out->destinations = skel->maps.destinations.map_fd;
	out->events = -1;
	out->row_cpus = rows.cpus;
	out->lost = &skel->bss->lost;
	out->budget = &skel->bss->budget;
	out->phase = &skel->bss->phase;
	out->info = skel->rodata->info;
	/* The struct of programs has nothing but their descriptors. */
	programs = (const struct bpf_prog_desc *)&skel->progs;
	out->n_programs = sizeof(skel->progs) / sizeof(*programs);
	_Static_assert(sizeof(skel->progs) <= TRACER_PROGRAMS * sizeof(*programs), "programs");
	for (i = 0; i < out->n_programs; i++)
		out->programs[i].fd = programs[i].prog_fd;
	if (light_is_enough(out))
		return 0;
	LIGHT(destroy)(skel);
	return -ENOTSUP;
}

static int describe(struct tracer_info *out)
{
	struct LIGHT_STRUCT *skel = LIGHT(open)();

	if (!skel)
		return -ENOMEM;
	*out = skel->rodata->info;
	LIGHT(destroy)(skel);
	return 0;
}

static void unload_full(void *skeleton)
{
	FULL(destroy)(skeleton);
}

static int load_full(const struct tracer_setup *setup, struct tracer_loaded *out)
{
	struct FULL_STRUCT *skel;
	struct bpf_program *program;
	struct tracer_rows rows;
	int err;

	/* What libbpf would print goes into the result as one phrase. */
	libbpf_set_print(NULL);
	skel = FULL(open)();
	if (!skel)
		return -errno;
	rows = tracer_rows(setup, &skel->rodata->info);
	skel->rodata->params = with_rows(setup, &rows);
	err = bpf_map__set_max_entries(skel->maps.hists, rows.hists);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.rows, rows.rows);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.destinations, rows.destinations);
	if (!err)
		err = FULL(load)(skel);
	if (err) {
		FULL(destroy)(skel);
		return err;
	}
	*out = (struct tracer_loaded){.skeleton = skel, .unload = unload_full};
	out->hists = bpf_map__fd(skel->maps.hists);
	out->rows = bpf_map__fd(skel->maps.rows);
	out->top = bpf_map__fd(skel->maps.top);
	out->destinations = bpf_map__fd(skel->maps.destinations);
	out->events = bpf_object__find_map_fd_by_name(skel->obj, "events");
	out->row_cpus = rows.cpus;
	out->lost = &skel->bss->lost;
	out->budget = &skel->bss->budget;
	out->phase = &skel->bss->phase;
	out->info = skel->rodata->info;
	bpf_object__for_each_program(program, skel->obj)
	{
		if (out->n_programs < TRACER_PROGRAMS)
			out->programs[out->n_programs++] = (struct tracer_program){
				.fd = bpf_program__fd(program),
				.tracepoint = object_tracepoint(bpf_program__section_name(program)),
			};
	}
	return 0;
}

static const struct tracer tracer = {
	.name = QUOTE(TRACER),
	.load_object = load_object,
	.load_light = load_light,
	.load_full = load_full,
	.describe = describe,
};

static const struct tracer *const registered __attribute__((used, section("tuesday_tracers"))) =
	&tracer;
