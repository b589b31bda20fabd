/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where does an Intel GPU's stream of EU-stall records come from, and how is it read without bias?
 *
 * Three steps: xe_find() looks for devices without touching one; xe_gpu_open() asks one of them
 * what it is, which needs no right but that of its node; xe_sample() opens a stream on each of its
 * main GTs and enables it for short windows, so that CPU time is bounded by how long it is on, not
 * by leaving records out. All of it but xe_find() may hang where a driver does: call it in a child
 * with a deadline (child.h), without rights that it does not need; the rights that one call needs
 * are raised for that call alone.
 *
 * While a stream is on, the GPU cannot reach its idle state, and nobody else can have it.
 */
#ifndef TUESDAY_SOURCES_GPU_XE_STREAM_H
#define TUESDAY_SOURCES_GPU_XE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;

enum {
	XE_DEVICES_MAX = 32,
	XE_GTS_MAX = 8,
	XE_RATES_MAX = 32,
	XE_XECORES_MAX = 256, /* of a GT */
};

struct xe_device {
	char name[48];	/* its PCI address */
	char node[32];	/* "/dev/dri/renderD128" */
	bool is_asleep; /* suspended, or unknown: opening its node would wake it */
};

enum xe_trouble_kind {
	XE_FINE,
	XE_ASLEEP, /* suspended, and not woken */
	XE_ABSENT, /* it has no such unit: nothing to look at */
	XE_UNABLE, /* it could not be looked at */
	XE_WEDGED, /* the driver has given the device up */
};

struct xe_trouble {
	enum xe_trouble_kind kind;
	int error;	/* of the system call, positive; 0 where none failed */
	char text[320]; /* a phrase: why, and how to mend it */
};

struct xe_gt {
	uint16_t id;
	uint16_t version; /* ip_ver_major, which tells the layout of records; 0 for PVC */
	unsigned int xecores;
	unsigned int engines; /* vector engines of an XeCore; 0: not told */
};

struct xe_gpu {
	int fd;
	char name[48];
	uint16_t pci_id;
	struct xe_gt gts[XE_GTS_MAX]; /* main ones */
	size_t n_gts;
	uint64_t record_bytes;
	uint64_t buffer_bytes; /* of an XeCore, in the driver */
	uint64_t rates[XE_RATES_MAX];
	size_t n_rates;
};

struct xe_plan {
	unsigned int windows;
	unsigned int window_ms, gap_ms; /* on, and off between two of them */
	unsigned int window_cpu_ms;	/* of CPU time; a window that has used it ends early */
	uint64_t rate;			/* GPU cycles; 0 for the slowest, with the fewest drops */
};

/* Ten windows of 20 ms in a second after one to look whether there is anything. */
extern const struct xe_plan xe_plan_default;

struct xe_window {
	unsigned int number; /* from 0 */
	uint64_t start_ns;   /* CLOCK_MONOTONIC */
	uint64_t enabled_ns;
	uint64_t cpu_ns;
	uint64_t bytes;
	uint64_t reads; /* that brought records */
	uint64_t drops; /* reads that said that records were lost; not how many */
	unsigned int resets;
	bool is_cut; /* it has used its CPU time */
};

/* What a sampling does with what it reads. All but on_bytes may be NULL. */
struct xe_reader {
	void *arg;
	/* Whole records of a GT, by its id, in the order that the driver gave them. Returns
	 * non-zero to end. */
	int (*on_bytes)(void *arg, unsigned int gt, const void *bytes, size_t n_bytes);
	/* Records of this GT were lost before what comes next. */
	void (*on_drop)(void *arg, unsigned int gt);
	/* A window is over. Returns non-zero to end. */
	int (*on_window)(void *arg, const struct xe_window *window);
};

struct xe_tally {
	unsigned int windows;
	uint64_t wall_ns, enabled_ns, cpu_ns;
	uint64_t bytes, reads, drops;
	unsigned int resets, cuts;
	uint64_t rate; /* that was asked for */
};

/*
 * Opens the streams of all main GTs, reads through the windows of plan, and closes them. Returns 0,
 * or -errno with the reason in trouble; or what on_bytes or on_window returned, with none. A loss
 * is no error, nor is one reset of the GPU, which is recovered from. tally has what was done in
 * every case. No longer than the windows and gaps together, as far as the driver answers.
 */
int xe_sample(struct xe_gpu *gpu, const struct xe_plan *plan, const struct xe_reader *reader,
	struct xe_tally *tally, struct xe_trouble *trouble);

#endif
