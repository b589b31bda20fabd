/* SPDX-License-Identifier: GPL-2.0-only */
/* Why could an Intel GPU not be looked at, and what would mend that? */
#include "base/banned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/caps.h"
#include "base/num.h"
#include "base/str.h"
#include "sources/gpu/xe_stream.h"
#include "sources/gpu/xe_error.h"

#define STREAM_LINK "anon_inode:[xe_eu_stall]"
#define FDS_MAX 65536 /* of one process */

int xe_trouble_set(
	struct xe_trouble *trouble, enum xe_trouble_kind kind, int error, const char *format, ...)
{
	va_list args;
	size_t i;

	trouble->kind = kind;
	trouble->error = error;
	va_start(args, format);
	vsnprintf(trouble->text, sizeof(trouble->text), format, args);
	va_end(args);
	/* It stands in a line of its own; the name of a process may have any byte. */
	for (i = 0; trouble->text[i]; i++)
		if ((unsigned char)trouble->text[i] < ' ')
			trouble->text[i] = '?';
	return error ? -error : -EINVAL;
}

static bool xe_read_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

static bool has_stream(const char *pid)
{
	char *path = mem_printf("/proc/%s/fd", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;
	size_t n = 0;

	free(path);
	while (dir && !found && n++ < FDS_MAX && (entry = readdir(dir))) {
		char link[64];
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		if (len < 0)
			continue;
		link[len] = 0;
		found = !strcmp(link, STREAM_LINK);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* "ze_tracer (pid 1234)", or false. */
static bool find_holder(char *out, size_t size)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	caps_raise(CAPS_READ | CAPS_PTRACE);
	while (dir && !found && (entry = readdir(dir))) {
		char path[64], comm[64];
		uint64_t pid;

		if (num_u64(entry->d_name, 1, INT32_MAX, &pid) || pid == (uint64_t)getpid() ||
			!has_stream(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%u/comm", (unsigned int)pid);
		if (!xe_read_line(path, comm, sizeof(comm)))
			snprintf(comm, sizeof(comm), "?");
		snprintf(out, size, "%s (pid %u)", comm, (unsigned int)pid);
		found = true;
	}
	caps_lower(CAPS_READ | CAPS_PTRACE);
	if (dir)
		closedir(dir);
	return found;
}

static int explain_busy(struct xe_trouble *trouble, const char *device)
{
	char holder[128];

	if (find_holder(holder, sizeof(holder)))
		return xe_trouble_set(trouble, XE_UNABLE, EBUSY,
			"%s: its only EU-stall stream is held by %s: end that first", device,
			holder);
	return xe_trouble_set(trouble, XE_UNABLE, EBUSY,
		"%s: another profiler holds its only EU-stall stream; %s", device,
		caps_have(CAPS_PTRACE) ? "it is in no process that is seen from here"
				       : "run as root to hear which");
}

/* Older kernels ask their own sysctl alone; in newer ones it defers to perf's. */
static int explain_denied(struct xe_trouble *trouble, const char *device, int error)
{
	char own[16], perf[16];
	bool has_own = xe_read_line("/proc/sys/dev/xe/observation_paranoid", own, sizeof(own));
	bool has_perf = xe_read_line("/proc/sys/kernel/perf_event_paranoid", perf, sizeof(perf));

	return xe_trouble_set(trouble, XE_UNABLE, error,
		"%s: sampling needs CAP_PERFMON (dev.xe.observation_paranoid is %s, "
		"kernel.perf_event_paranoid %s): run as root, or give the program the right by "
		"setcap cap_perfmon+ep, or sysctl dev.xe.observation_paranoid=0",
		device, has_own ? own : "not readable", has_perf ? perf : "not readable");
}

int xe_explain_open(struct xe_trouble *trouble, const char *device, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return explain_denied(trouble, device, error);
	case EBUSY:
		return explain_busy(trouble, device);
	case ECANCELED:
		return xe_trouble_set(trouble, XE_WEDGED, error,
			"%s is wedged: its driver has given it up; dmesg says why", device);
	case ENODEV:
		return xe_trouble_set(trouble, XE_UNABLE, error, "%s went away", device);
	case EINVAL:
	case E2BIG:
		return xe_trouble_set(trouble, XE_UNABLE, error,
			"%s: the driver refuses what Tuesday asks of its EU-stall stream (%s): "
			"please report it with the kernel's version",
			device, strerror(error));
	}
	return xe_trouble_set(trouble, XE_UNABLE, error,
		"%s: its EU-stall stream cannot be opened: %s", device, strerror(error));
}
