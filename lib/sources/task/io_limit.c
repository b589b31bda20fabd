/* SPDX-License-Identifier: GPL-2.0-only */
/* What do the files of a control group say of its I/O limits? */
#include "base/banned.h"

#include <stdint.h>

#include "base/str.h"
#include "sources/common/parse_text.h"
#include "sources/task/io_limit.h"

static const struct {
	const char *word;
	const char *counted;  /* by io.stat of v2 */
	const char *v1_lines; /* of the files of v1 */
} kinds[IO_LIMIT_KINDS] = {
	[IO_LIMIT_RBPS] = {"rbps", "rbytes", "Read"},
	[IO_LIMIT_WBPS] = {"wbps", "wbytes", "Write"},
	[IO_LIMIT_RIOPS] = {"riops", "rios", "Read"},
	[IO_LIMIT_WIOPS] = {"wiops", "wios", "Write"},
};

const char *io_limit_word(enum io_limit_kind kind)
{
	return kinds[kind].word;
}

/* "254:0" */
static bool io_limit_take_device(struct bytes *line, struct io_limit *limit)
{
	struct bytes word, major;
	double a, b;

	if (!text_word(line, &word) || !text_until(&word, ':', &major) || !text_number(major, &a) ||
		!text_number(word, &b) || a < 0 || b < 0 || a > UINT16_MAX || b > UINT32_MAX)
		return false;
	limit->major = (unsigned int)a;
	limit->minor = (unsigned int)b;
	return true;
}

void parse_io_max(
	struct bytes text, void (*each)(void *arg, const struct io_limit *limit), void *arg)
{
	struct bytes line, word, name;
	struct io_limit limit;
	unsigned int kind;

	while (text_line(&text, &line)) {
		if (!io_limit_take_device(&line, &limit))
			continue;
		while (text_word(&line, &word)) {
			if (!text_until(&word, '=', &name) ||
				!text_number(word, &limit.per_second) || limit.per_second <= 0)
				continue;
			for (kind = 0; kind < IO_LIMIT_KINDS; kind++) {
				limit.kind = kind;
				if (text_is(name, kinds[kind].word))
					each(arg, &limit);
			}
		}
	}
}

void parse_throttle_device(struct bytes text, enum io_limit_kind kind,
	void (*each)(void *arg, const struct io_limit *limit), void *arg)
{
	struct io_limit limit = {.kind = kind};
	struct bytes line;

	while (text_line(&text, &line))
		if (io_limit_take_device(&line, &limit) &&
			text_next_number(&line, &limit.per_second) && limit.per_second > 0)
			each(arg, &limit);
}

static bool io_limit_is_of(struct bytes *line, const struct io_limit *limit)
{
	struct io_limit device;

	return io_limit_take_device(line, &device) && device.major == limit->major &&
		device.minor == limit->minor;
}

double parse_io_used(struct bytes text, const struct io_limit *limit)
{
	struct bytes line, word, name;
	double value;

	while (text_line(&text, &line)) {
		if (!io_limit_is_of(&line, limit))
			continue;
		while (text_word(&line, &word))
			if (text_until(&word, '=', &name) &&
				text_is(name, kinds[limit->kind].counted) &&
				text_number(word, &value))
				return value;
	}
	return 0;
}

double parse_throttle_used(struct bytes text, const struct io_limit *limit)
{
	struct bytes line, word;
	double value;

	while (text_line(&text, &line))
		if (io_limit_is_of(&line, limit) && text_word(&line, &word) &&
			text_is(word, kinds[limit->kind].v1_lines) &&
			text_next_number(&line, &value))
			return value;
	return 0;
}
