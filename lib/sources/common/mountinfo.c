/* SPDX-License-Identifier: GPL-2.0-only */
/* What is mounted where? "36 35 98:0 /sub /mnt rw,noatime shared:1 - ext3 /dev/root rw" */
#include "base/banned.h"

#include <errno.h>
#include <limits.h>

#include "base/num.h"
#include "base/str.h"
#include "sources/common/parse_text.h"
#include "sources/common/mountinfo.h"

/* A path of the kernel has at most PATH_MAX bytes, which the octal escapes make longer. */
#define FIELD_SIZE (PATH_MAX + 1)

enum { ROOT, POINT, MOUNT_OPTIONS, TYPE, DEVICE, OPTIONS, FIELDS };

static bool is_octal(const char *at)
{
	return at[0] >= '0' && at[0] <= '3' && at[1] >= '0' && at[1] <= '7' && at[2] >= '0' &&
		at[2] <= '7';
}

/* Blanks, tabs, newlines and backslashes are written as \NNN. */
bool parse_mount_path(struct bytes word, char *out, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < word.len; i++) {
		char c = word.data[i];

		if (n + 1 >= size)
			return false;
		if (c == '\\' && word.len - i > 3 && is_octal(word.data + i + 1)) {
			c = (char)((word.data[i + 1] - '0') << 6 | (word.data[i + 2] - '0') << 3 |
				(word.data[i + 3] - '0'));
			i += 3;
		}
		if (!c)
			return false;
		out[n++] = c;
	}
	out[n] = 0;
	return n > 0;
}

bool mount_has_option(const char *options, const char *word)
{
	struct bytes rest = {options, strlen(options)}, one;

	while (text_until(&rest, ',', &one))
		if (text_is(one, word))
			return true;
	return text_is(rest, word);
}

static bool mountinfo_next_field(struct bytes *line, char *out)
{
	struct bytes word;

	return text_word(line, &word) && parse_mount_path(word, out, FIELD_SIZE);
}

static bool device_number(struct bytes word, unsigned int *major, unsigned int *minor)
{
	const char *at = word.data, *end = word.data + word.len;
	uint64_t a, b;

	if (num_next(&at, end, &a) || at == end || *at++ != ':' || num_next(&at, end, &b))
		return false;
	*major = (unsigned int)a;
	*minor = (unsigned int)b;
	return a <= UINT_MAX && b <= UINT_MAX;
}

static bool mountinfo_parse_line(
	struct bytes line, struct mount_line *mount, char (*fields)[FIELD_SIZE])
{
	struct bytes word;
	int i;

	for (i = 0; i < 3; i++)
		if (!text_word(&line, &word))
			return false;
	if (!device_number(word, &mount->major, &mount->minor))
		return false;
	for (i = ROOT; i <= MOUNT_OPTIONS; i++)
		if (!mountinfo_next_field(&line, fields[i]))
			return false;
	/* Optional fields end with a lone hyphen. */
	do {
		if (!text_word(&line, &word))
			return false;
	} while (!text_is(word, "-"));
	return mountinfo_next_field(&line, fields[TYPE]) &&
		mountinfo_next_field(&line, fields[DEVICE]) &&
		mountinfo_next_field(&line, fields[OPTIONS]);
}

void parse_mountinfo(
	struct bytes text, void (*each)(void *arg, const struct mount_line *mount), void *arg)
{
	char fields[FIELDS][FIELD_SIZE];
	struct bytes line;

	while (text_line(&text, &line)) {
		struct mount_line mount;

		if (!mountinfo_parse_line(line, &mount, fields))
			continue;
		mount.root = fields[ROOT];
		mount.point = fields[POINT];
		mount.options = fields[MOUNT_OPTIONS];
		mount.type = fields[TYPE];
		mount.device = fields[DEVICE];
		mount.super_options = fields[OPTIONS];
		each(arg, &mount);
	}
}

/* "/dev/root / ext3 rw,noatime 0 0": older and shorter, with all options in one. */
void parse_mounts(
	struct bytes text, void (*each)(void *arg, const struct mount_line *mount), void *arg)
{
	char fields[FIELDS][FIELD_SIZE];
	struct bytes line;

	while (text_line(&text, &line)) {
		struct mount_line mount = {
			.root = "/",
			.point = fields[POINT],
			.options = fields[OPTIONS],
			.type = fields[TYPE],
			.device = fields[DEVICE],
			.super_options = fields[OPTIONS],
		};

		if (mountinfo_next_field(&line, fields[DEVICE]) &&
			mountinfo_next_field(&line, fields[POINT]) &&
			mountinfo_next_field(&line, fields[TYPE]) &&
			mountinfo_next_field(&line, fields[OPTIONS]))
			each(arg, &mount);
	}
}

int mounts_read(
	struct capture *fs, void (*each)(void *arg, const struct mount_line *mount), void *arg)
{
	static const struct {
		const char *path;
		void (*parse)(struct bytes text,
			void (*each)(void *arg, const struct mount_line *mount), void *arg);
	} lists[] = {
		{"/proc/self/mountinfo", parse_mountinfo},
		{"/proc/1/mountinfo", parse_mountinfo},
		{"/proc/self/mounts", parse_mounts},
		{"/proc/1/mounts", parse_mounts},
		{"/proc/mounts", parse_mounts},
	};
	struct bytes text;
	size_t i;
	int first = 0;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		int err = capture_read(fs, lists[i].path, &text);

		if (!err) {
			lists[i].parse(text, each, arg);
			return 0;
		}
		first = first ? first : err;
		if (capture_is_live(fs))
			break;
	}
	return first;
}
