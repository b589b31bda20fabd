/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracers: BPF programs that bpf/NAME.bpf.c brings, behind one interface.
 *
 * bpf/tracer.c is compiled once for each, with its two skeletons, and registers it: dropping a file
 * into bpf/ is enough.
 */
#ifndef TUESDAY_TRACE_REGISTRY_H
#define TUESDAY_TRACE_REGISTRY_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "bpf/trace.h"

struct trace_lost;
struct trace_budget;

#define TRACER_PROGRAMS 12

struct tracer_setup {
	struct trace_params params;
	unsigned int cpus; /* one more than the greatest number of a CPU */
	bool by;	   /* keeps instances apart even if the tracer itself has none */
};

struct tracer_program {
	int fd;
	const char *tracepoint; /* raw, that it is attached to by name; NULL: the kernel knows */
};

/* A tracer that the kernel has accepted. Nothing is attached yet. */
struct tracer_loaded {
	void *skeleton;
	void (*unload)(void *skeleton);
	int hists, rows, top;  /* maps; where there are instances, hists has but those without a row
				* (params.others), else rows is empty */
	int events;	       /* a ring, of a tracer that tells of each event, or -1 */
	int destinations;      /* a map: what the instances of INSTANCE_DESTINATION are */
	unsigned int row_cpus; /* rows in hists */
	const struct trace_lost *lost;
	const struct trace_budget *budget;
	volatile __u32 *phase; /* enum trace_phase, the programs' own */
	struct tracer_info info;
	struct tracer_program programs[TRACER_PROGRAMS];
	size_t n_programs;
};

struct tracer {
	const char *name;
	/* By our own loader; by the light skeleton (Linux 5.14, with CO-RE 5.17), for what our own
	 * does not understand (-ENOTSUP); or by libbpf. All return 0 or -errno; out needs unloading
	 * only after success. */
	int (*load_object)(const struct tracer_setup *setup, struct tracer_loaded *out);
	int (*load_light)(const struct tracer_setup *setup, struct tracer_loaded *out);
	int (*load_full)(const struct tracer_setup *setup, struct tracer_loaded *out);
	/* What the tracer says of itself, without the kernel. Returns 0 or -ENOMEM. */
	int (*describe)(struct tracer_info *out);
};

/* The tracer of that name, or NULL. */
const struct tracer *tracer_find(const char *name);
/* One that counts the same where the kernel refuses this one, NAME___WORDS, or NULL. */
const struct tracer *tracer_instead(const struct tracer *tracer);
/* The names of all but those that stand in for others, for a suggestion: at most room. Returns how
 * many. */
size_t tracer_names(const char **names, size_t room);

/* The names of the things that it measures, as trace:NAME.FIELD has them: at most room, none where
 * it measures one thing. Each is in *info, which is filled here. Returns how many. */
size_t tracer_fields(
	const struct tracer *tracer, struct tracer_info *info, const char **names, size_t room);

/* Whether it counts its events and takes itself away when they are too many. */
bool tracer_keeps_budget(const struct tracer *tracer);

/* The first kernel that can run it, by SINCE_LINUX(); 0: any with BTF, or not known. */
unsigned int tracer_since(const struct tracer *tracer);

/* How many rows a map gets, and the parameters that follow from it. */
struct tracer_rows {
	__u32 hists;
	__u32 rows;
	__u32 destinations;
	__u32 cpus; /* rows of an instance, or of the trace */
};
struct tracer_rows tracer_rows(const struct tracer_setup *setup, const struct tracer_info *info);

#endif
