/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How is the NVIDIA library asked by a static program?
 *
 * It is not: libnvidia-ml.so.1 needs the dynamic linker and the C library that it was made for. So
 * a small dynamic program (embed/nvml_helper.c) is a part of this one, written to memory and run
 * from there, without any capability, in a session of its own. What it writes are the collector's
 * lines. Where the C library here cannot run it (musl, glibc before 2.34), that is said.
 */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sources/gpu/gpu_source.h"
#include "base/str.h"
#include "sys/read_write.h"
#include "sources/gpu/nvml.h"
#include "sys/caller_env.h"
#include "sys/child.h"
#include "sys/raised_limit.h"

extern const char nvml_helper[], nvml_helper_end[];

static void nvml_say(int fd, const char *what, int err)
{
	dprintf(fd, "missing the NVIDIA library cannot be asked: %s%s%s\n", what, err ? ": " : "",
		err ? strerror(err) : "");
}

/* The program as a descriptor of memory. */
static int program_fd(void)
{
	size_t len = (size_t)(nvml_helper_end - nvml_helper);
	int fd = memfd_create("nvml_helper", MFD_CLOEXEC);

	if (fd < 0 || !write_all(fd, nvml_helper, len))
		return fd;
	close(fd);
	return -1;
}

/* Nothing of the caller's but where he has the library: some systems have it nowhere else. */
static char *library_path(void)
{
	const char *path = caller_env("LD_LIBRARY_PATH");

	return path && *path ? mem_printf("LD_LIBRARY_PATH=%s", path) : NULL;
}

/* Does not return where it works. What the dynamic linker complains of is not kept: who reads sees
 * that it ended without a word. */
static void nvml_exec_helper(const struct gpu_devices *devices, int program, int fd)
{
	char *words[GPU_DEVICES_MAX + 2], *environment[3] = {NULL};
	size_t n = 0, i;
	const struct rlimit no_core = {0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t parent = getppid();

	words[n++] = mem_strdup("nvml_helper");
	for (i = 0; i < devices->n; i++)
		if (!strcmp(devices->list[i].driver, "nvidia"))
			words[n++] = mem_strdup(devices->list[i].name);
	words[n] = NULL;
	environment[0] = mem_strdup("LC_ALL=C");
	environment[1] = library_path();
	setsid();
	child_ends_with(parent, SIGKILL);
	raised_limits_undo();
	signal(SIGXFSZ, SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	if (null < 0 || chdir("/") || dup2(null, 0) < 0 || dup2(fd, 1) < 0 || dup2(null, 2) < 0)
		return;
	fexecve(program, words, environment);
}

int nvml_run(void *arg, int fd)
{
	const struct gpu_devices *devices = arg;
	int program, err;

	/* With no-new-privileges set, nothing that is run gets them back. */
	err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : caps_drop(CAPS_ALL);
	if (err) {
		nvml_say(fd, "its capabilities could not be dropped", -err);
		return 0;
	}
	program = program_fd();
	if (program < 0) {
		nvml_say(fd, "no memory to run it from", errno);
		return 0;
	}
	nvml_exec_helper(devices, program, fd);
	if (errno == ENOENT)
		nvml_say(fd, "the C library here is another one than glibc", 0);
	else
		nvml_say(fd, "its program does not run", errno);
	return 0;
}
