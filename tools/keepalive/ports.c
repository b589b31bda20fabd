/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a run use up the ports of the machine? */
#include "base/banned.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "base/num.h"
#include "tools/keepalive/ports.h"
#include "base/str.h"

#define DEFAULT_COUNT 28232

/* Reads a short file of /proc into buf, terminated. Returns its length, 0 on failure. */
static size_t read_short(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

double ports_count(void)
{
	char text[64];
	const size_t len = read_short("/proc/sys/net/ipv4/ip_local_port_range", text, sizeof(text));
	const char *at = text;
	uint64_t low, high;

	if (!len || num_next(&at, text + len, &low) || num_next(&at, text + len, &high) ||
		high < low)
		return DEFAULT_COUNT;
	return (double)(high - low + 1);
}

double ports_waiting(void)
{
	char text[1024];
	const size_t len = read_short("/proc/net/sockstat", text, sizeof(text));
	const char *tcp = len ? strstr(text, "\nTCP: ") : NULL;
	const char *at = tcp ? strstr(tcp, " tw ") : NULL;
	uint64_t count;

	if (!at)
		return NAN;
	at += strlen(" tw ");
	return num_next(&at, text + len, &count) ? NAN : (double)count;
}
