/* SPDX-License-Identifier: GPL-2.0-only */
/* How fast does an AMD GPU run, and what slows it, by its binary gpu_metrics? */
#include "base/banned.h"

#include <string.h>

#include "base/num.h"
#include "sources/common/parse_text.h"
#include "sources/gpu/amd_gpu_metrics.h"

#define NO_VALUE 0xffff

/*
 * Where the present clock of the graphics engine is (u16, MHz), and the throttle status that means
 * the same on every chip (u64, 0 where that version has none). The tables themselves were only ever
 * appended to, so that a newer revision of a format holds the older ones; but these are all that
 * are known. v1_0 and v2_0 are not naturally aligned and left out as the kernel's header advises.
 */
static const struct layout {
	uint8_t format, content;
	uint16_t size, clock, throttle;
} layouts[] = {
	{1, 1, 96, 54, 0},
	{1, 2, 104, 54, 0},
	{1, 3, 120, 54, 112},
	{1, 4, 288, 240, 0},
	{1, 5, 360, 312, 0},
	{2, 1, 120, 76, 0},
	{2, 2, 128, 76, 120},
	{2, 3, 152, 76, 120},
	{2, 4, 168, 76, 120},
};

static uint16_t u16_at(struct bytes data, size_t at)
{
	uint16_t value;

	memcpy(&value, data.data + at, sizeof(value));
	return value;
}

bool gpu_metrics_parse(struct bytes data, struct gpu_metrics *out)
{
	const struct layout *layout = NULL;
	uint16_t clock;
	size_t i;

	memset(out, 0, sizeof(*out));
	if (data.len < 4)
		return false;
	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if ((uint8_t)data.data[2] == layouts[i].format &&
			(uint8_t)data.data[3] == layouts[i].content)
			layout = &layouts[i];
	if (!layout || u16_at(data, 0) < layout->size || data.len < layout->size)
		return false;
	clock = u16_at(data, layout->clock);
	out->has_clock = clock != NO_VALUE;
	out->clock_mhz = clock;
	if (layout->throttle) {
		memcpy(&out->throttle, data.data + layout->throttle, sizeof(out->throttle));
		/* All ones is the driver's "not available". */
		out->has_throttle = out->throttle != UINT64_MAX;
	}
	return true;
}

#define BIT(n) (1ull << (n))
#define BITS(from, to) ((BIT((to) - (from) + 1) - 1) << (from))
#define HOTSPOT BIT(36)

bool gpu_metrics_is_hot(uint64_t throttle)
{
	return throttle & BITS(32, 47) & ~HOTSPOT;
}

/* PPT and SPL, TDC and EDC. */
bool gpu_metrics_is_power(uint64_t throttle)
{
	return throttle & (BITS(0, 7) | BITS(16, 23));
}

void gpu_parse_levels(struct bytes text, double *highest_mhz, double *now_mhz)
{
	struct bytes line, word;
	double mhz;

	*highest_mhz = *now_mhz = 0;
	while (text_line(&text, &line)) {
		if (!text_until(&line, ':', &word) || !text_word(&line, &word) ||
			!(text_cut_end(&word, "Mhz") || text_cut_end(&word, "MHz")) ||
			!text_number(word, &mhz) || mhz <= 0)
			continue;
		if (mhz > *highest_mhz)
			*highest_mhz = mhz;
		if (text_word(&line, &word) && text_is(word, "*"))
			*now_mhz = mhz;
	}
}
