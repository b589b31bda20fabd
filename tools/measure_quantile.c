/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does a quantile lie, and how sure is that? */
#include <math.h>

#include "tools/measure.h"

struct quantile measured_quantile(const struct measured *measured, double q)
{
	struct quantile found = {NAN, NAN, NAN};
	size_t rank = (size_t)ceil(q * (double)measured->n);

	if (measured->n)
		found.value = measured->samples[rank ? rank - 1 : 0];
	return found;
}
