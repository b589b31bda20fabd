/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does anything that a person types, or writes into a small file of settings, get through half
 * understood? Options are separated by NUL bytes.
 */
#include "base/banned.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/parsetime.h"
#include "base/str.h"
#include "expr/parse.h"
#include "history/retention.h"
#include "judge/perfdata.h"
#include "run/options.h"

#define WORDS_MAX 64
#define NOW 1795500000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void typed_options(const char *at, const char *end)
{
	const struct usage usage = {
		.line = "x", .what = "x", .groups = OPTIONS_ALL | OPTIONS_STATE | OPTIONS_KEPT};
	char *words[WORDS_MAX + 1] = {mem_strdup("x")}, *kept[WORDS_MAX];
	struct options options;
	int n = 1, i;

	for (; at < end && n < WORDS_MAX; at += strlen(words[n - 1]) + 1)
		words[n++] = mem_strndup(at, (size_t)(end - at));
	memcpy(kept, words, sizeof(kept));
	if (!options_parse_usage(&options, n, words, &usage)) {
		if (!options.windows || !(options.window_seconds > 0) || !options.format ||
			options.deadline_seconds < 0 || options.splay_seconds < 0)
			abort();
		for (i = 0; i < (int)options.n_names; i++)
			if (!options.names[i])
				abort();
	}
	options_free(&options);
	for (i = 0; i < n; i++)
		free(kept[i]);
}

static void typed_word(const char *text)
{
	struct perf_range range;
	time_t from, to;
	double number;
	enum op op;
	int n = num_with_unit(text, &number);

	if (!parsetime(text, NOW, &from, &to) && from > to)
		abort();
	if (n > (int)strlen(text) || (n > 0 && !isfinite(number)))
		abort();
	if (op_parse(text, &op) > strlen(text))
		abort();
	perf_range_parse(&range, text, strlen(text));
}

static void typed_settings(const char *text, size_t len)
{
	struct retention retention = retention_default();
	struct str errors = STR_INIT;

	retention_parse(&retention, "x.ini", text, len, &errors);
	if (!(retention.keep_seconds >= 86400) || retention.max_bytes < 1 << 20 ||
		!(retention.remind_seconds >= 60) || !retention.damping.fall_n ||
		retention.damping.rise_k > retention.damping.rise_n)
		abort();
	str_free(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);

	typed_options((const char *)data, (const char *)data + size);
	typed_word(text);
	typed_settings((const char *)data, size);
	free(text);
	return 0;
}
