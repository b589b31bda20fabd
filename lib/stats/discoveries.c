/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of many differences are more than chance? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "stats/discoveries.h"

double stats_two_shares_p(
	double share_a, double n_a, double share_b, double n_b, double widened_a, double widened_b)
{
	const double pooled = (share_a * n_a + share_b * n_b) / (n_a + n_b);
	const double variance =
		pooled * (1 - pooled) * (fmax(widened_a, 1) / n_a + fmax(widened_b, 1) / n_b);

	if (!(n_a > 0) || !(n_b > 0) || !(variance > 0))
		return 1;
	return erfc(fabs(share_a - share_b) / sqrt(2 * variance));
}

static int discoveries_order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

size_t stats_discoveries(const double *p, size_t n, double rate, bool *found)
{
	double *sorted = mem_realloc_array(NULL, n, sizeof(*sorted)), border = -1;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		sorted[i] = p[i];
	qsort(sorted, n, sizeof(*sorted), discoveries_order);
	for (size_t i = 0; i < n; i++)
		if (sorted[i] <= rate * (double)(i + 1) / (double)n)
			border = sorted[i];
	for (size_t i = 0; i < n; i++) {
		found[i] = p[i] <= border;
		count += found[i];
	}
	free(sorted);
	return count;
}
