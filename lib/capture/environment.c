/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of machine is it that the files are of? */
#include <stdint.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/environment.h"

void environment_describe(struct procfs *fs, time_t now)
{
	struct utsname name;
	char *cpus, *page, *start;

	if (procfs_is_replay(fs))
		return;
	cpus = mem_printf("%ld", sysconf(_SC_NPROCESSORS_ONLN));
	page = mem_printf("%ld", sysconf(_SC_PAGESIZE));
	start = mem_printf("%lld", (long long)now);
	uname(&name);
	procfs_set_environment(fs, "time", start);
	procfs_set_environment(fs, "host", name.nodename);
	procfs_set_environment(fs, "kernel", name.release);
	procfs_set_environment(fs, "cpus", cpus);
	procfs_set_environment(fs, "page_bytes", page);
	free(cpus);
	free(page);
	free(start);
}

unsigned int machine_cpus(struct procfs *fs)
{
	char *text = procfs_environment(fs, "cpus");
	uint64_t n = 0;

	if (text && num_u64(text, 1, 65536, &n))
		n = 0;
	free(text);
	return (unsigned int)n;
}

double machine_page_bytes(struct procfs *fs)
{
	char *text = procfs_environment(fs, "page_bytes");
	uint64_t n = procfs_is_replay(fs) ? 4096 : (uint64_t)sysconf(_SC_PAGESIZE);

	if (text)
		num_u64(text, 1024, 1 << 24, &n);
	free(text);
	return (double)n;
}
