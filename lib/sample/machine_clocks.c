/* SPDX-License-Identifier: GPL-2.0-only */
/* Does time pass on the machine whose files are read, or are they a copy of them? */
#include "base/banned.h"

#include <math.h>
#include <stdint.h>

#include "base/num.h"
#include "capture/capture.h"
#include "sample/machine_clocks.h"

/* Of the user's time in /proc/stat: a constant of the interface on all Linux machines. */
#define TICKS_PER_SECOND 100
/* In less than ten ticks a machine that runs may not be seen to. */
#define TELLING_SECONDS 0.1
/* user nice system idle iowait irq softirq steal; the two of guests are in the first two again. */
#define CPU_FIELDS 8

/* "12345.67 23456.78": the kernel always writes two digits behind the point. */
static double clocks_parse_uptime(struct bytes text)
{
	const char *at = text.data, *end = at + text.len;
	uint64_t seconds, hundredths;

	if (num_next(&at, end, &seconds) || at == end || *at++ != '.' ||
		num_next(&at, end, &hundredths))
		return NAN;
	return (double)seconds + (double)hundredths / 100;
}

/* "cpu  1004359 131876 339531 …" is the first line. */
static double clocks_parse_cpu(struct bytes text)
{
	const char *at = text.data + 4, *end = text.data + text.len;
	uint64_t ticks, sum = 0;
	size_t i;

	if (text.len < 4 || memcmp(text.data, "cpu ", 4) != 0)
		return NAN;
	for (i = 0; i < CPU_FIELDS; i++) {
		if (num_next(&at, end, &ticks))
			return NAN;
		sum += ticks;
	}
	return (double)sum / TICKS_PER_SECOND;
}

struct machine_clocks machine_clocks_read(struct capture *fs)
{
	struct machine_clocks clocks = {NAN, NAN};
	struct bytes text;

	if (capture_is_live(fs))
		return clocks;
	if (!capture_read(fs, "/proc/uptime", &text))
		clocks.uptime = clocks_parse_uptime(text);
	if (!capture_read(fs, "/proc/stat", &text))
		clocks.cpu = clocks_parse_cpu(text);
	return clocks;
}

bool machine_clocks_stand(
	const struct machine_clocks *from, const struct machine_clocks *to, double seconds)
{
	double uptime = to->uptime - from->uptime, cpu = to->cpu - from->cpu;
	bool known = !isnan(uptime) || !isnan(cpu);

	/* NAN is no movement: what cannot be told has not moved. */
	return known && seconds >= TELLING_SECONDS && !(uptime >= seconds / 2) &&
		!(cpu >= seconds / 2);
}
