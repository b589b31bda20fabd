/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a machine in time. */
#ifndef TUESDAY_SAMPLE_SAMPLER_H
#define TUESDAY_SAMPLE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

struct capture;
struct sweep;

/*
 * Samples at regular times. sampler_begin opens the sources and takes the first one; then
 * sampler_tick is called often enough and takes those that are due.
 */
struct sampler {
	double window_seconds; /* from one sample to the next */
	struct capture *fs;
	struct sweep *sweep;
	/* Optional: whether what is watched has ended, asked several times a second. Then the last
	 * window is a short one, for it belongs to what is watched. Where there is none, less than
	 * half a window is no window, unless a person who ends it would else see nothing. */
	bool (*ended)(void *arg);
	void *arg;
	unsigned int windows;  /* at most so many; a replay has what it has */
	unsigned int recorded; /* windows of a replay that are judged; 0: all that it has */
	/* The rest belongs to the sampler. */
	uint64_t start_ns;
	unsigned int taken; /* windows */
	int error;	    /* what ended it early, -ENODATA for the end of a replay, or 0 */
	bool cut;	    /* a deadline came before half of the first window was over */
	bool over;
};

/* Returns 0, or -errno where not even the first sample could be taken. */
int sampler_begin(struct sampler *sampler);
/* Takes a sample if one is due. Returns false when the last one was taken. */
bool sampler_tick(struct sampler *sampler);
/* Sleeps until something may be due, half a second at most, and shows how far it is. */
void sampler_wait(const struct sampler *sampler);
/* Takes samples until windows were taken, or until it is over if that is earlier. */
void sampler_run(struct sampler *sampler, unsigned int windows);

#endif
