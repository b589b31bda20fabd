// SPDX-License-Identifier: GPL-2.0-only
/* How much of a distribution lies below a point? */
#include "base/banned.h"
#include "stats/distribution.h"

#include <float.h>
#include <math.h>

double stats_normal_cdf(double z)
{
	return erfc(-z / M_SQRT2) / 2;
}

/* By halving: the CDF is monotone, and beyond 40 it is 0 or 1 to the last bit. */
double stats_normal_quantile(double p)
{
	double low = -40, high = 40;

	if (!(p > 0 && p < 1))
		return NAN;
	/* The lower half is exact where 1 - p is not. */
	if (p > 0.5)
		return -stats_normal_quantile(1 - p);
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (stats_normal_cdf(middle) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* lgamma() writes a global; this one does not. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* A step of Lentz's method (1976) as modified by Thompson and Barnett (1986): never divide by 0. */
static double not_zero(double x)
{
	return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* The continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8); quick for x < (a+1)/(a+b+2).
 */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), result = d;

	for (int m = 1; m <= 100000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		result *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		result *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return result;
}

double stats_ibeta(double a, double b, double x)
{
	double front;

	if (!(a > 0 && b > 0 && x >= 0 && x <= 1))
		return NAN;
	if (x == 0 || x == 1)
		return x;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stats_student_quantile(double p, double degrees)
{
	double low = 0, high = 1;

	if (!(p > 0 && p < 1 && degrees > 0))
		return NAN;
	if (p < 0.5)
		return -stats_student_quantile(1 - p, degrees);
	/* P(|T| > t) is I_x(degrees/2, 1/2) at x = degrees/(degrees + t^2): by halving x. */
	for (int i = 0; i < 200; i++) {
		double middle = (low + high) / 2;

		if (stats_ibeta(degrees / 2, 0.5, middle) < 2 * (1 - p))
			low = middle;
		else
			high = middle;
	}
	return sqrt(degrees * (1 - low) / low);
}

double stats_binomial_cdf(long k, long n, double p)
{
	if (k < 0)
		return 0;
	if (k >= n)
		return 1;
	return stats_ibeta((double)(n - k), (double)k + 1, 1 - p);
}

double stats_log_choose(size_t n, size_t k)
{
	if (k > n)
		return -INFINITY;
	return log_gamma((double)n + 1) - log_gamma((double)k + 1) - log_gamma((double)(n - k) + 1);
}
