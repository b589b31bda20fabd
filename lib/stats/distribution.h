/* SPDX-License-Identifier: GPL-2.0-only */
/* Special functions: the distributions that tests are made of. */
#ifndef TUESDAY_STATS_DISTRIBUTION_H
#define TUESDAY_STATS_DISTRIBUTION_H

#include <stddef.h>

/* Standard normal: share below z, and its inverse (0 < p < 1, else NAN). */
double stats_normal_cdf(double z);
double stats_normal_quantile(double p);
/* Student's t with so many degrees of freedom (> 0): its quantile, 0 < p < 1, else NAN. */
double stats_student_quantile(double p, double degrees);
/* Regularised incomplete beta function I_x(a, b), a and b > 0, 0 <= x <= 1; else NAN. */
double stats_ibeta(double a, double b, double x);
/* P(at most k of n), each with probability p. 0 for k < 0, 1 for k >= n. */
double stats_binomial_cdf(long k, long n, double p);
/* Natural logarithm of n over k; -INFINITY where k > n. */
double stats_log_choose(size_t n, size_t k);

#endif
