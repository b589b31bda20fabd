/* SPDX-License-Identifier: GPL-2.0-only */
/* Is what the driver xe answers, and what a sampling writes down, read rightly, cut and absurd too?
 */
#include "base/banned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "base/str.h"
#include "tap.h"
#include "sources/gpu/xe_uapi.h"
#include "sources/gpu/xe_stream.h"
#include "sources/gpu/eustall_text.h"
#include "sources/gpu/xe_error.h"
#include "sources/gpu/xe_query.h"

#define LINES \
	"0000:03:00.0 samples 7000\n" \
	"0000:03:00.0 stall_low 0.25\n" \
	"0000:03:00.0 top 0x00008000 SbidStall\n" \
	"0000:03:00.0 top_instruction 0.5\n"

static struct eustall_tops tops;

static void parse(struct bytes text, struct sink *sink)
{
	tops.n = 0;
	eustall_take_lines(&tops, text, sink);
}

static void test_lines(void)
{
	static const char *const keys[] = {"0000:03:00.0.samples", "0000:03:00.0.stall_low", NULL};
	const struct eustall_top *top;

	ok(probe_value(parse, LINES, "0000:03:00.0.stall_low") == 0.25, "a number");
	top = eustall_top_of(&tops, "0000:03:00.0");
	ok(top && !strcmp(top->address, "0x00008000") && !strcmp(top->reason, "SbidStall") &&
			top->share == 0.5,
		"the instruction with most stalls");
	ok(!eustall_top_of(&tops, "0000:04:00.0"), "another device has none");
	ok(probe_cuts(parse, LINES, keys), "lines that are cut give no part of a number");
	ok(probe_value(parse, "d asleep d sleeps\n", "d.samples") == 0,
		"one that sleeps has no samples");
	ok(isnan(probe_value(parse, "d unable x\nd absent y\nd hung\nd\n\nd  \n", "d.samples")),
		"words are no numbers");
	ok(isnan(probe_value(parse, "d samples many\n", "d.samples")), "nor is this");
	probe_value(parse, "d top_instruction 17\n", "d.samples");
	top = eustall_top_of(&tops, "d");
	ok(!top || top->share < 0, "a share above 1 is none");
}

static void test_many(void)
{
	struct str text = STR_INIT;
	int i;

	for (i = 0; i < 3 * XE_DEVICES_MAX; i++)
		str_addf(&text, "d%d top 0x%d Other\n", i, i);
	probe_value(parse, str_text(&text), "d0.samples");
	ok(tops.n == XE_DEVICES_MAX && eustall_top_of(&tops, "d1"),
		"more devices than there is room for");
	str_free(&text);
}

/* Two main GTs and one for media between them. */
static size_t make_gts(struct xe_query_gt_list *list, uint32_t told)
{
	memset(list, 0, sizeof(*list) + 3 * sizeof(list->gt_list[0]));
	list->num_gt = told;
	list->gt_list[0].ip_ver_major = 20;
	list->gt_list[1].type = XE_GT_MEDIA;
	list->gt_list[1].gt_id = 1;
	list->gt_list[2].gt_id = 2;
	list->gt_list[2].ip_ver_major = 20;
	return sizeof(*list) + 3 * sizeof(list->gt_list[0]);
}

static void test_gts(void)
{
	struct xe_query_gt_list *list = malloc(sizeof(*list) + 3 * sizeof(list->gt_list[0]));
	struct xe_gpu gpu = {0};
	size_t n_bytes = make_gts(list, 3);

	xe_take_gts(&gpu, list, n_bytes);
	ok(gpu.n_gts == 2 && gpu.gts[0].id == 0 && gpu.gts[1].id == 2 && gpu.gts[1].version == 20,
		"main GTs are taken, the one for media is not");
	gpu.n_gts = 0;
	make_gts(list, UINT32_MAX);
	xe_take_gts(&gpu, list, n_bytes);
	ok(gpu.n_gts == 2, "no more of them than the answer is long");
	gpu.n_gts = 0;
	xe_take_gts(&gpu, list, n_bytes - 1);
	ok(gpu.n_gts == 1, "one that is cut is none");
	gpu.n_gts = 0;
	xe_take_gts(&gpu, list, 7);
	ok(gpu.n_gts == 0, "nor is there one in seven bytes");
	free(list);
}

static size_t add_mask(uint8_t *at, uint16_t gt, uint16_t type, uint8_t bits)
{
	struct xe_query_topology_mask entry = {.gt_id = gt, .type = type, .num_bytes = 4};

	memcpy(at, &entry, sizeof(entry));
	memset(at + sizeof(entry), 0, 4);
	at[sizeof(entry)] = bits;
	return sizeof(entry) + 4;
}

static void test_topology(void)
{
	struct xe_gpu gpu = {.gts = {{.id = 0}, {.id = 2}}, .n_gts = 2};
	uint8_t *answer = malloc(128), huge[8] = {0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff};
	size_t n = 0;

	n += add_mask(answer + n, 0, XE_TOPOLOGY_DSS_GEOMETRY, 0x0f);
	n += add_mask(answer + n, 0, XE_TOPOLOGY_DSS_COMPUTE, 0x3c);
	n += add_mask(answer + n, 0, XE_TOPOLOGY_SIMD16_EU_PER_DSS, 0xff);
	n += add_mask(answer + n, 2, XE_TOPOLOGY_DSS_COMPUTE, 0x01);
	n += add_mask(answer + n, 9, XE_TOPOLOGY_DSS_COMPUTE, 0xff);
	xe_take_topology(&gpu, answer, n);
	ok(gpu.gts[0].xecores == 6 && gpu.gts[0].engines == 8, "masks that overlap count once");
	ok(gpu.gts[1].xecores == 1, "each GT has its own, and one that is not known none");
	xe_take_topology(&gpu, answer, n - 1);
	ok(gpu.gts[0].xecores == 6, "a mask that is cut is none");
	xe_take_topology(&gpu, huge, sizeof(huge));
	ok(gpu.gts[0].xecores == 0, "a mask longer than the answer is none");
	free(answer);
}

static void test_stall(void)
{
	union {
		struct xe_query_eu_stall stall;
		uint64_t words[13];
	} answer = {.stall = {.record_size = 64,
			    .per_xecore_buf_size = 4096,
			    .num_sampling_rates = UINT64_MAX}};
	struct xe_gpu gpu = {0};

	answer.words[10] = 251;
	answer.words[12] = 1757;
	xe_take_stall(&gpu, &answer, sizeof(answer));
	ok(gpu.record_bytes == 64 && gpu.buffer_bytes == 4096, "record and buffer");
	ok(gpu.n_rates == 2 && gpu.rates[1] == 1757,
		"no more rates than the answer is long, and none of 0");
	gpu = (struct xe_gpu){0};
	xe_take_stall(&gpu, &answer, sizeof(answer.stall) - 1);
	ok(!gpu.record_bytes, "an answer that is cut says nothing");
}

static void test_trouble(void)
{
	struct xe_trouble trouble;

	ok(xe_trouble_set(&trouble, XE_UNABLE, 16, "held by %s", "a\nb\033[31m") == -16 &&
			!strcmp(trouble.text, "held by a?b?[31m"),
		"what stands in a line of its own has no control characters");
	ok(xe_trouble_set(&trouble, XE_UNABLE, 0, "x") < 0, "trouble without an error is one too");
}

int main(void)
{
	test_lines();
	test_many();
	test_gts();
	test_topology();
	test_stall();
	test_trouble();
	probe_end();
	return tap_done();
}
