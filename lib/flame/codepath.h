/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does some code path take more of the CPU than it did? A look is some seconds of samples; a
 * function's share is that of the samples that it is anywhere in, each sample once. The share of
 * now is compared with that of earlier looks together: two proportions, and of all functions at
 * once at most a given rate of false discoveries (stats/discoveries.h).
 *
 * Samples of a second are alike, and a thread that does one thing for a while is many samples of
 * one thing. So the variance of a share is the largest of four estimates: as if samples were
 * independent; between slices of time; between successive slices of each thread; between successive
 * pairs of slices of each thread. The last two leave out that threads have different work for good,
 * which is no chance. What is more than the first is the function's widening (Kish's design effect,
 * 1965). With three earlier looks or more their differences among each other count, too.
 */
#ifndef TUESDAY_FLAME_CODEPATH_H
#define TUESDAY_FLAME_CODEPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CODEPATH_SLICES = 16,
	CODEPATH_THREADS = 32,	    /* by a hash: two may share a place, which widens */
	CODEPATH_FUNCTIONS = 65536, /* of a look: what comes later is not kept */
};

struct codepath_look;
struct flame_tree;
struct str;

/* seconds of samples at hertz for each CPU. */
struct codepath_look *codepath_look_new(double seconds, double hertz);
void codepath_look_free(struct codepath_look *look);

/* Samples of one stack, its root first, of a thread in a slice of the look's time (0 to
 * CODEPATH_SLICES - 1). Where neither is known, as of folded stacks, both are 0: then nothing is
 * widened but by looks. */
void codepath_look_add(struct codepath_look *look, const char *const *frames, size_t n,
	uint64_t thread, unsigned int slice, uint64_t samples);
/* All stacks of a tree, of an unknown thread and time. */
void codepath_look_add_tree(struct codepath_look *look, const struct flame_tree *tree);
/*
 * A look as text, to be kept until the next one: its functions with least of its samples or more, a
 * line each with the hits, the widening, the depth and the name (base/quoteword.h). Appended to
 * out.
 */
void codepath_look_write(struct str *out, struct codepath_look *look, double least);
/* The look of such a text, or NULL for what is none. */
struct codepath_look *codepath_look_read(const char *text, size_t len);
uint64_t codepath_look_samples(const struct codepath_look *look);

/* Ratios but for samples; those of limits.ini, where each has its reason. */
struct codepath_limits {
	double points;	   /* the least growth of a share that is told */
	double false_rate; /* of discoveries */
	double least;	   /* share now or then below which a function is not compared */
	double known;	   /* of what ran now, that earlier looks know by name: else they are no
			      comparison */
	double nearly;	   /* of two growths or shares that are told as one */
	double samples; /* of a look, and of the earlier ones together, below which nothing is said
			 */
};
void codepath_limits_default(struct codepath_limits *limits);

enum codepath_answer {
	CODEPATH_SAME,
	CODEPATH_MORE,	  /* a function takes more */
	CODEPATH_TOO_FEW, /* samples, now or then */
	CODEPATH_RENAMED, /* what runs now has other names: after a deploy */
};

struct codepath_result {
	enum codepath_answer answer;
	double known;		  /* the share of now that earlier looks know */
	size_t compared;	  /* functions */
	char *function;		  /* the culprit, or NULL; the caller frees */
	double share, before;	  /* its, and what it was */
	double cpu_hours_per_day; /* that its growth costs, at the load of now */
	double p;
};

/* Compares a look with n earlier ones. The culprit is, of those that grew nearly as much as the one
 * that grew most, the function that is nothing but this growth: what called it has other work
 * besides; of several, one in another, the outermost. */
void codepath_compare(struct codepath_result *result, const struct codepath_look *now,
	struct codepath_look *const *earlier, size_t n, const struct codepath_limits *limits);

#endif
