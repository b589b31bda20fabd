/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/caps.h"
#include "sys/read_write.h"
#include "tools/lock/kernel_names.h"

#define KALLSYMS_BYTES (64 << 20)

static int kernel_names_by_address(const void *a, const void *b)
{
	const struct kernel_name *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

/* "ffffffff81000000 T _stext" or with a module behind; only of code. */
static void kernel_names_line(struct kernel_names *names, char *line)
{
	char *rest;
	const uint64_t address = strtoull(line, &rest, 16);

	if (rest == line || !address || *rest != ' ' || !strchr("tTwW", rest[1]) || !rest[1] ||
		rest[2] != ' ')
		return;
	rest += 3;
	rest[strcspn(rest, "\t ")] = 0;
	if (!*rest)
		return;
	ARRAY_GROW(names->list, names->n, names->room);
	names->list[names->n++] = (struct kernel_name){address, rest};
}

void kernel_names_parse(struct kernel_names *names, char *text)
{
	char *line;

	names->text = text;
	while ((line = strsep(&text, "\n")))
		kernel_names_line(names, line);
	if (names->n)
		qsort(names->list, names->n, sizeof(*names->list), kernel_names_by_address);
}

int kernel_names_read(struct kernel_names *names)
{
	struct str text = STR_INIT;
	int fd, err;

	/* Who opens the file is asked for the right, and who reads it. */
	caps_raise(CAPS_LOG);
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : read_all(fd, KALLSYMS_BYTES, &text);
	if (fd >= 0)
		close(fd);
	caps_lower(CAPS_LOG);
	kernel_names_parse(names, str_take(&text));
	return err ? err : names->n ? 0 : -EACCES;
}

const char *kernel_names_find(const struct kernel_names *names, uint64_t address)
{
	size_t low = 0, high = names->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (names->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? names->list[low - 1].name : NULL;
}

void kernel_names_free(struct kernel_names *names)
{
	free(names->text);
	free(names->list);
	*names = (struct kernel_names){0};
}
