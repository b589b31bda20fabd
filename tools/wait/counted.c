/* SPDX-License-Identifier: GPL-2.0-only */
/* How is what /proc counts read? */
#include "base/banned.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/privileged_call.h"
#include "sys/read_write.h"
#include "tools/wait/counted.h"

#define TEXT_BYTES 4096
#define VMSTAT_BYTES ((size_t)1 << 16)

bool wait_read_text(int dir, const char *path, char *text, size_t size)
{
	const int fd = privileged_openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	if (fd >= 0) {
		got = privileged_pread(fd, text, size - 1, 0);
		close(fd);
	}
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

static bool counted_read(uint32_t pid, const char *file, char text[TEXT_BYTES])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	return wait_read_text(AT_FDCWD, path, text, TEXT_BYTES);
}

void wait_process_comm(uint32_t pid, char comm[WAITS_COMM])
{
	char text[TEXT_BYTES];

	if (!pid || !counted_read(pid, "comm", text))
		return;
	text[strcspn(text, "\n")] = 0;
	snprintf(comm, WAITS_COMM, "%.15s", text);
}

void wait_count(uint32_t pid, struct wait_counted *counted)
{
	char text[TEXT_BYTES];
	const char *at;

	*counted = (struct wait_counted){pid, NAN, NAN, NAN};
	if (counted_read(pid, "stat", text) && (at = strrchr(text, ')')))
		sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf",
			&counted->user_ticks, &counted->system_ticks);
	if (counted_read(pid, "io", text) && (at = strstr(text, "\nwrite_bytes:")))
		sscanf(at, " write_bytes: %lf", &counted->written_bytes);
}

void wait_count_taken(struct wait_taken *taken)
{
	char text[TEXT_BYTES];
	double hard, soft, stolen;

	*taken = (struct wait_taken){NAN, NAN};
	if (wait_read_text(AT_FDCWD, "/proc/stat", text, sizeof(text)) &&
		sscanf(text, "cpu %*f %*f %*f %*f %*f %lf %lf %lf", &hard, &soft, &stolen) == 3)
		*taken = (struct wait_taken){hard + soft, stolen};
}

uint64_t wait_count_swapped_in(void)
{
	const int fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	struct str text = STR_INIT;
	uint64_t pages = 0;
	const char *at;

	if (fd < 0)
		return 0;
	read_all(fd, VMSTAT_BYTES, &text);
	close(fd);
	at = strstr(str_text(&text), "\npswpin ");
	if (at)
		sscanf(at, " pswpin %" SCNu64, &pages);
	str_free(&text);
	return pages;
}
