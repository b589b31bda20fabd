/* SPDX-License-Identifier: GPL-2.0-only */
/* Why could an Intel GPU not be looked at, and what would mend that? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sys/privileged_call.h"
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
	int fd = privileged_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
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

struct stream_search {
	const char *dir; /* /proc/PID/fd */
	size_t n;
	bool found;
	char *out;
	size_t size;
};

static int xe_look_at_file(void *arg, const char *name, unsigned char type)
{
	struct stream_search *search = arg;
	char *path = mem_printf("%s/%s", search->dir, name), link[64];
	ssize_t len = privileged_readlinkat(AT_FDCWD, path, link, sizeof(link) - 1);

	(void)type;
	free(path);
	link[len > 0 ? len : 0] = 0;
	search->found = !strcmp(link, STREAM_LINK);
	return search->found || ++search->n == FDS_MAX;
}

static bool has_stream(const char *pid)
{
	char *path = mem_printf("/proc/%s/fd", pid);
	struct stream_search search = {.dir = path};
	int dir = privileged_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0) {
		privileged_list(dir, xe_look_at_file, &search);
		close(dir);
	}
	free(path);
	return search.found;
}

static int xe_look_at_process(void *arg, const char *name, unsigned char type)
{
	struct stream_search *search = arg;
	char path[64], comm[64];
	uint64_t pid;

	(void)type;
	if (num_u64(name, 1, INT32_MAX, &pid) || pid == (uint64_t)getpid() || !has_stream(name))
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/comm", (unsigned int)pid);
	if (!xe_read_line(path, comm, sizeof(comm)))
		snprintf(comm, sizeof(comm), "?");
	snprintf(search->out, search->size, "%s (pid %u)", comm, (unsigned int)pid);
	search->found = true;
	return 1;
}

/* "ze_tracer (pid 1234)", or false. */
static bool find_holder(char *out, size_t size)
{
	struct stream_search search = {.out = out, .size = size};
	int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0) {
		privileged_list(dir, xe_look_at_process, &search);
		close(dir);
	}
	return search.found;
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
